/* What commands of flow rules share: the words behind them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_phrase.h"
#include "features/flow/language/flow_rule.h"

#include <stdint.h>

struct app;
struct args;
struct err;

/*
 * Read the argument words, the rest of a line, for that port or FLOW_NO_PORT; the caller frees it. NULL with
 * e filled. Thread: control.
 */
struct flow_rule *cmd_flow_read(const struct app *app, const struct args *a, uint16_t port,
	const struct flow_phrase *phrase, struct err *e);

/* Read it only to see whether it is right, with --check. */
int cmd_flow_check(const struct app *app, const struct args *a, const struct flow_phrase *phrase,
	struct err *e);

/* The same of a phrase that ends with numbers of what goes: there have to be some, the last made goes first. */
struct flow_rule *cmd_flow_read_numbers(const struct app *app, const struct args *a, uint16_t port,
	const struct flow_phrase *phrase, struct err *e);
