/* Commands for meters, in testpmd's syntax. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/flow/language/flow_policy.h"
#include "features/flow/port_flow.h"
#include "features/qos/port_mtr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t
meter_of(const struct args *a)
{
	return (uint32_t)arg_u64(a, "meter", 0);
}

static int
cap(struct app *app, const struct args *a, struct err *e)
{
	return port_mtr_show(&app->ports, arg_port(a), e);
}

/* The arguments other than the port are the numbers of the operation, in the same order. */
static int
change(struct app *app, const struct args *a, struct err *e)
{
	const enum port_mtr_op *op = a->data;
	uint64_t n[ARGS_MAX] = { 0 };
	unsigned int i, at = 0;

	for (i = 0; i < a->n; i++)
		if (strcmp(a->arg[i].name, "port") != 0)
			n[at++] = a->arg[i].number;
	return port_mtr_do(&app->ports, arg_port(a), *op, n, e);
}

/*
 * Read n color letters, or none, and move *text past them. *given: whether there were any.
 */
static int
colors_read(const struct args *a, const char **text, uint8_t *colors, unsigned int n, bool *given,
	struct err *e)
{
	static const char letters[] = "gyrGYR";
	const char *at = *text + strspn(*text, " \t");
	unsigned int i;

	*given = *at != '\0';
	for (i = 0; *given && i < n; i++) {
		const char *letter = *at != '\0' ? strchr(letters, *at) : NULL;

		if (letter == NULL || strcspn(at, " \t") != 1)
			return arg_err(a, "colors", e, EINVAL,
				"color %u of %u is \"%.8s\": expected g, y or r", i + 1, n, at);
		colors[i] = (uint8_t)((letter - letters) % 3);
		at++;
		at += strspn(at, " \t");
	}
	*text = at;
	return 0;
}

static int
colors_end(const struct args *a, const char *text, struct err *e)
{
	return *text == '\0' ? 0
			     : arg_err(a, "colors", e, EINVAL, "too many colors: \"%.8s\"", text);
}

static int
create(struct app *app, const struct args *a, struct err *e)
{
	const char *text = arg_str(a, "colors", "");
	uint8_t dscp[PORT_MTR_DSCPS], vlan[PORT_MTR_PCPS];
	bool has_dscp, has_vlan;
	struct port_mtr meter = {
		.meter = meter_of(a),
		.profile = (uint32_t)arg_u64(a, "profile", 0),
		.policy = (uint32_t)arg_u64(a, "policy", 0),
		.enabled = arg_is(a, "enabled", "yes"),
		.shared = arg_u64(a, "shared", 0) != 0,
		.stats = arg_u64(a, "stats", 0),
		.color = (unsigned int)arg_u64(a, "color", 0) % 3,
		.previous = (uint32_t)arg_u64(a, "previous", 0),
	};

	if (meter.previous != 0) /* then its own color table is not used */
		text = "";
	if (colors_read(a, &text, dscp, PORT_MTR_DSCPS, &has_dscp, e) != 0 ||
		colors_read(a, &text, vlan, PORT_MTR_PCPS, &has_vlan, e) != 0 ||
		colors_end(a, text, e) != 0)
		return -e->code;
	meter.dscp = has_dscp ? dscp : NULL;
	meter.vlan = has_vlan ? vlan : NULL;
	return port_mtr_create(&app->ports, arg_port(a), &meter, e);
}

static int
policy_add(struct app *app, const struct args *a, struct err *e)
{
	const struct flow_defaults defaults = port_flow_defaults(&app->ports, arg_port(a));
	const struct arg *text = arg_find(a, "actions");
	struct flow_policy *policy = calloc(1, sizeof(*policy));
	const struct rte_flow_action *actions[FLOW_POLICY_COLORS];
	struct words r;
	int ret;

	if (policy == NULL)
		return err_set(e, ENOMEM, "no memory for a policy");
	words_open(&r, text->text, (size_t)text->column, &defaults);
	ret = flow_policy_read(&r, policy, e);
	if (ret == 0 && r.n > 0)
		ret = words_fail(&r, EINVAL, "unexpected text after the policy", e);
	words_close(&r);
	for (unsigned int i = 0; i < FLOW_POLICY_COLORS; i++)
		actions[i] = policy->color[i].n_actions > 0 ? policy->color[i].action : NULL;
	if (ret == 0)
		ret = port_mtr_policy(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "policy", 0),
			actions, e);
	free(policy);
	return ret;
}

/* Set the color table for DSCP or VLAN; without colors reset it to the driver's default. */
static int
table(struct app *app, const struct args *a, struct err *e)
{
	const unsigned int *first = a->data; /* first protocol of the row */
	const unsigned int n = *first == PORT_MTR_OUTER_IP ? PORT_MTR_DSCPS : PORT_MTR_PCPS;
	const char *text = arg_str(a, "colors", "");
	uint8_t colors[PORT_MTR_DSCPS];
	bool given;

	if (colors_read(a, &text, colors, n, &given, e) != 0 || colors_end(a, text, e) != 0)
		return -e->code;
	return port_mtr_colors(&app->ports, arg_port(a), meter_of(a),
		*first + (unsigned int)arg_u64(a, "protocol", 0), given ? colors : NULL, e);
}

static int
protocols_show(struct app *app, const struct args *a, struct err *e)
{
	return port_mtr_protocols_show(&app->ports, arg_port(a), meter_of(a), e);
}

static int
priority_show(struct app *app, const struct args *a, struct err *e)
{
	return port_mtr_priority_show(&app->ports, arg_port(a), meter_of(a),
		(unsigned int)arg_u64(a, "protocol", 0), e);
}

static int
stats(struct app *app, const struct args *a, struct err *e)
{
	return port_mtr_stats_show(&app->ports, arg_port(a), meter_of(a), arg_is(a, "clear", "yes"),
		e);
}

static const unsigned int dscp_first = PORT_MTR_OUTER_IP, vlan_first = PORT_MTR_OUTER_VLAN;

#define OP(op) \
	NULL, &(const enum port_mtr_op) \
	{ \
		op \
	}

#define N32 "0..4294967295"
#define N64 "0..18446744073709551615"
#define PORT_METER "<port:port> <meter:uint " N32 ">"
#define PROFILE "<port:port> <profile:uint " N32 "> <cir:uint " N64 "> "
#define BUCKETS(a, b) "<" a ":uint " N64 "> <" b ":uint " N64 "> "
#define MODE "<packet_mode:uint " N32 ">"
#define PROTOCOL "<protocol:word outer_vlan|inner_vlan|outer_ip|inner_ip>"

static const struct cmd_row rows[] = {
	{ "show port meter cap <port:port>", cap, "show the meter capabilities of a port", NULL,
		NULL },
	{ "add port meter profile srtcm_rfc2697 " PROFILE BUCKETS("cbs", "ebs") MODE, change,
		"add a meter profile: one rate, committed and excess burst size; packet_mode 1: in packets instead of bytes",
		OP(PORT_MTR_SRTCM) },
	{ "add port meter profile trtcm_rfc2698 " PROFILE "<pir:uint " N64
	  "> " BUCKETS("cbs", "pbs") MODE,
		change, "add a meter profile with two rates, committed and peak",
		OP(PORT_MTR_TRTCM) },
	{ "add port meter profile trtcm_rfc4115 " PROFILE "<eir:uint " N64
	  "> " BUCKETS("cbs", "ebs") MODE,
		change, "add a meter profile with two rates, committed and excess",
		OP(PORT_MTR_TRTCM_4115) },
	{ "del port meter profile <port:port> <profile:uint " N32 ">", change,
		"delete a meter profile", OP(PORT_MTR_PROFILE_DEL) },
	{ "add port meter policy <port:port> <policy:uint " N32 "> <actions:policy>", policy_add,
		"add a meter policy: the actions for green, yellow and red packets", NULL, NULL },
	{ "del port meter policy <port:port> <policy:uint " N32 ">", change,
		"delete a meter policy", OP(PORT_MTR_POLICY_DEL) },
	{ "create port meter " PORT_METER " <profile:uint " N32 "> <policy:uint " N32
	  "> <enabled:word yes|no> <stats:uint " N64 "> <shared:uint " N32
	  "> <color:word g|y|r|G|Y|R> <previous:uint " N32 "> [<colors:text>]",
		create,
		"create a meter for the action meter of flow rules: statistics mask, sharing by rules, default color, previous 1: use an earlier meter's color, else 64 colors by DSCP and 16 by VLAN priority",
		NULL, NULL },
	{ "enable port meter " PORT_METER, change, "enable a meter", OP(PORT_MTR_ENABLE) },
	{ "disable port meter " PORT_METER, change,
		"disable a meter, which then passes all packets", OP(PORT_MTR_DISABLE) },
	{ "del port meter " PORT_METER, change, "delete a meter", OP(PORT_MTR_DEL) },
	{ "set port meter profile " PORT_METER " <profile:uint " N32 ">", change,
		"change the profile of a meter", OP(PORT_MTR_PROFILE) },
	{ "set port meter dscp table " PORT_METER
	  " <protocol:word outer_ip|inner_ip> [<colors:text>]",
		table, "set the input color of packets by DSCP: 64 times g, y or r", NULL,
		&dscp_first },
	{ "set port meter vlan table " PORT_METER
	  " <protocol:word outer_vlan|inner_vlan> [<colors:text>]",
		table,
		"set the input color of packets by VLAN priority and drop eligible bit: 16 times g, y or r",
		NULL, &vlan_first },
	{ "set port meter proto " PORT_METER " " PROTOCOL " <priority:uint " N32 ">", change,
		"set the protocol that gives the input color, and its priority (0: highest)",
		OP(PORT_MTR_COLOR_IN) },
	{ "get port meter proto " PORT_METER, protocols_show,
		"show the protocols that give the input color", NULL, NULL },
	{ "get port meter proto_prio " PORT_METER " " PROTOCOL, priority_show,
		"show the priority of a protocol that gives the input color", NULL, NULL },
	{ "set port meter stats mask " PORT_METER " <stats:uint " N64 ">", change,
		"set the statistics mask of a meter", OP(PORT_MTR_STATS) },
	{ "show port meter stats " PORT_METER " <clear:word yes|no>", stats,
		"show the statistics of a meter; yes: reset them afterwards", NULL, NULL },
};

const struct cmd_table cmds_mtr = { "meters", "meters", rows, ARRAY_SIZE(rows) };
