/* Commands of testpmd that are not here: they say so, why, and where more stands. One that comes
 * loses its row. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"

#include <errno.h>

struct absent {
	const char *words, *since, *why;
};

static int
absent(struct app *app, const struct args *a, struct err *e)
{
	const struct absent *what = a->data;

	return err_set(e, ENOTSUP,
		"%s is testpmd's command of DPDK %s, and not here: %s; doc/flow.md says more",
		what->words, what->since, what->why);
}

#define PORT "<port:port>"
#define NOT_HERE "testpmd's, not here"
/* The words, what stands between them and the rest of the line, its release, why. */
#define ROW(syntax, words, since, why) \
	{ \
		syntax " [<rest:text>]", absent, NOT_HERE, NULL, &(const struct absent) \
		{ \
			words, since, why \
		} \
	}

#define NUMBERS "rules are numbered from 0 on"
#define LISTS "an indirect action is one action"

static const struct cmd_row rows[] = {
	ROW("flow create " PORT " user_id", "flow create user_id", "23.07", NUMBERS),
	ROW("flow create " PORT " (ingress|egress|transfer) user_id", "flow create user_id",
		"23.07", NUMBERS),
	ROW("flow indirect_action " PORT " create action_id <number:uint 0..4294967295> "
	    "(ingress|egress|transfer) list",
		"flow indirect_action create list", "23.07", LISTS),
	ROW("flow indirect_action " PORT " create (ingress|egress|transfer) "
	    "action_id <number:uint 0..4294967295> list",
		"flow indirect_action create list", "23.07", LISTS),
	ROW("set ipv6_ext_push", "set ipv6_ext_push", "23.07",
		"no flow rule takes the action ipv6_ext_push"),
	ROW("set ipv6_ext_remove", "set ipv6_ext_remove", "23.07",
		"no flow rule takes the action ipv6_ext_remove"),
};

const struct cmd_table cmds_absent = { "absent", "what testpmd has and zcfwd has not", rows,
	ARRAY_SIZE(rows) };
