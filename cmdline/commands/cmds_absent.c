/* Commands of testpmd that zcfwd does not have: each says why. A command that is added loses its
 * row here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "args.h"
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
		"%s is a command of testpmd %s that zcfwd does not have: %s; see doc/flow.md",
		what->words, what->since, what->why);
}

/* testpmd and zcfwd give all ports the same number of queues. */
static int
queues_of_port(struct app *app, const struct args *a, struct err *e)
{
	return arg_err(a, "what", e, ENOTSUP,
		"all ports have the same number of queues: use \"port config all %s %s\"",
		arg_str(a, "what", ""), arg_find(a, "n")->text);
}

/* Without this row "qinq" would be the beginning of qinq_strip, which does something else. */
static int
qinq_is_extend(struct app *app, const struct args *a, struct err *e)
{
	return arg_err(a, "state", e, ENOTSUP,
		"vlan set qinq is an old name of vlan set extend: use \"vlan set extend %s %s\"",
		arg_str(a, "state", ""), arg_str(a, "port", ""));
}

#define PORT "<port:port>"
#define NOT_HERE "testpmd only"
/* The syntax before the rest of the line; the words, release and reason for the message. */
#define ROW(syntax, words, since, why) \
	{ \
		syntax " [<rest:text>]", absent, NOT_HERE, NULL, &(const struct absent) \
		{ \
			words, since, why \
		} \
	}

#define NUMBERS "rule numbers are assigned from 0"
#define LISTS "an indirect action consists of one action"

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
	{ "port config " PORT " <what:word rxq|txq> <n:uint 0..65535>", queues_of_port,
		"refused: all ports have the same number of queues; use port config all", NULL,
		NULL, queues_of_port },
	{ "vlan set qinq <state:word on|off> " PORT, qinq_is_extend,
		"refused: an old name of vlan set extend", NULL, NULL, qinq_is_extend },
	ROW("set ipv6_ext_push", "set ipv6_ext_push", "23.07",
		"flow rules do not support the action ipv6_ext_push"),
	ROW("set ipv6_ext_remove", "set ipv6_ext_remove", "23.07",
		"flow rules do not support the action ipv6_ext_remove"),
};

const struct cmd_table cmds_absent = { "absent", "commands of testpmd that zcfwd does not have",
	rows, ARRAY_SIZE(rows), CMD_ABSENT };
