/* Commands for flow rules: reading the rest of their lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/flow_priv.h"
#include "features/flow/language/flow_phrase.h"
#include "features/flow/language/flow_rule.h"

#include <stdbool.h>
#include <stdint.h>

struct app;
struct args;
struct err;

/* Data of a row whose argument "words", the rest of the line, is a phrase. */
struct cmd_flow {
	const struct flow_phrase *phrase;
	/* Executes the command with the words as read. */
	int (*run)(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e);
	/* The phrase ends with the numbers of objects to destroy, at least one. run gets them
	 * sorted, newest (largest) first. */
	bool numbers;
	enum port_flow_object_kind kind; /* for cmd_flow_destroy() */
};
#define CMD_FLOW(...) \
	&(const struct cmd_flow) \
	{ \
		__VA_ARGS__ \
	}

/* The handler of such rows, and their check: read the words only. Thread: control. */
int cmd_flow_run(struct app *app, const struct args *a, struct err *e);
int cmd_flow_check(struct app *app, const struct args *a, struct err *e);

/* For run: destroy the port's objects of the row's kind, up to the first that fails. */
int cmd_flow_destroy(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e);

/*
 * Read the words for a port or FLOW_NO_PORT. The caller frees the result; NULL with e filled.
 * Thread: control.
 */
struct flow_rule *cmd_flow_read(const struct app *app, const struct args *a, uint16_t port,
	struct err *e);
