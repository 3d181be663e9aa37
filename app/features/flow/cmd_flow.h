/* Shared by the commands for flow rules: reading the rest of their lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_phrase.h"
#include "features/flow/language/flow_rule.h"

#include <stdint.h>

struct app;
struct args;
struct err;

/*
 * Read the argument "words", the rest of a line, for a port or FLOW_NO_PORT. The caller frees the
 * result; NULL with e filled. Thread: control.
 */
struct flow_rule *cmd_flow_read(const struct app *app, const struct args *a, uint16_t port,
	const struct flow_phrase *phrase, struct err *e);

/* Check the words without executing the command, for --check. */
int cmd_flow_check(const struct app *app, const struct args *a, const struct flow_phrase *phrase,
	struct err *e);

/* Read a phrase that ends with numbers of objects to destroy: at least one. They are sorted, newest
 * (largest) first. Errors and ownership: those of cmd_flow_read(). */
struct flow_rule *cmd_flow_read_numbers(const struct app *app, const struct args *a, uint16_t port,
	const struct flow_phrase *phrase, struct err *e);
