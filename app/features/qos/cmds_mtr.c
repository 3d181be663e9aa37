/* Commands of meters, with testpmd's words. */
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

/* The words behind the port, in their order, are the operation's numbers. */
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
 * Letters of colors, n of them, or none at all; *text moves behind them. *given: there were some.
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
				"color %u of %u is \"%.8s\": want g, y or r", i + 1, n, at);
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

	if (meter.previous != 0) /* its own table says nothing then */
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
		ret = words_fail(&r, EINVAL, "the policy has ended", e);
	words_close(&r);
	for (unsigned int i = 0; i < FLOW_POLICY_COLORS; i++)
		actions[i] = policy->color[i].n_actions > 0 ? policy->color[i].action : NULL;
	if (ret == 0)
		ret = port_mtr_policy(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "policy", 0),
			actions, e);
	free(policy);
	return ret;
}

/* Colors of a table by what a packet has; without any the driver's own come back. */
static int
table(struct app *app, const struct args *a, struct err *e)
{
	const unsigned int *first = a->data; /* of the protocols that the row knows */
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
	{ "show port meter cap <port:port>", cap, "what meters of a port can", NULL, NULL },
	{ "add port meter profile srtcm_rfc2697 " PROFILE BUCKETS("cbs", "ebs") MODE, change,
		"how a meter colors packets: a rate, committed and excess burst; packet mode 1: packets instead of bytes",
		OP(PORT_MTR_SRTCM) },
	{ "add port meter profile trtcm_rfc2698 " PROFILE "<pir:uint " N64
	  "> " BUCKETS("cbs", "pbs") MODE,
		change, "the same with two rates, committed and peak", OP(PORT_MTR_TRTCM) },
	{ "add port meter profile trtcm_rfc4115 " PROFILE "<eir:uint " N64
	  "> " BUCKETS("cbs", "ebs") MODE,
		change, "the same with two rates, committed and excess", OP(PORT_MTR_TRTCM_4115) },
	{ "del port meter profile <port:port> <profile:uint " N32 ">", change,
		"take a profile away", OP(PORT_MTR_PROFILE_DEL) },
	{ "add port meter policy <port:port> <policy:uint " N32 "> <actions:policy>", policy_add,
		"what is done with packets by their color", NULL, NULL },
	{ "del port meter policy <port:port> <policy:uint " N32 ">", change, "take a policy away",
		OP(PORT_MTR_POLICY_DEL) },
	{ "create port meter " PORT_METER " <profile:uint " N32 "> <policy:uint " N32
	  "> <enabled:word yes|no> <stats:uint " N64 "> <shared:uint " N32
	  "> <color:word g|y|r|G|Y|R> <previous:uint " N32 "> [<colors:text>]",
		create,
		"a meter for the action meter of flow rules: bits of statistics, shared by rules, color of packets without one, 1: an earlier meter's color counts, else 64 colors by DSCP, 16 by VLAN priority",
		NULL, NULL },
	{ "enable port meter " PORT_METER, change, "let a meter act", OP(PORT_MTR_ENABLE) },
	{ "disable port meter " PORT_METER, change, "let it pass all", OP(PORT_MTR_DISABLE) },
	{ "del port meter " PORT_METER, change, "take a meter away", OP(PORT_MTR_DEL) },
	{ "set port meter profile " PORT_METER " <profile:uint " N32 ">", change,
		"another profile for a meter", OP(PORT_MTR_PROFILE) },
	{ "set port meter dscp table " PORT_METER
	  " <protocol:word outer_ip|inner_ip> [<colors:text>]",
		table, "a packet's color before it is metered, by DSCP: 64 of g, y, r", NULL,
		&dscp_first },
	{ "set port meter vlan table " PORT_METER
	  " <protocol:word outer_vlan|inner_vlan> [<colors:text>]",
		table, "the same by VLAN priority and drop eligible bit: 16 of g, y, r", NULL,
		&vlan_first },
	{ "set port meter proto " PORT_METER " " PROTOCOL " <priority:uint " N32 ">", change,
		"take a packet's color from there, 0: before all others", OP(PORT_MTR_COLOR_IN) },
	{ "get port meter proto " PORT_METER, protocols_show, "where packets' colors come from",
		NULL, NULL },
	{ "get port meter proto_prio " PORT_METER " " PROTOCOL, priority_show,
		"at which priority they come from there", NULL, NULL },
	{ "set port meter stats mask " PORT_METER " <stats:uint " N64 ">", change,
		"what a meter counts, by bits", OP(PORT_MTR_STATS) },
	{ "show port meter stats " PORT_METER " <clear:word yes|no>", stats,
		"what a meter has counted; yes: and begin anew", NULL, NULL },
};

const struct cmd_table cmds_mtr = { "meters", "meters", rows, ARRAY_SIZE(rows) };
