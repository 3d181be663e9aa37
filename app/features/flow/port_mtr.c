/* Meters: profiles, policies, meters, with rte_mtr, and their commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "features/flow/language/flow_read.h"
#include "features/flow/port_flow.h"
#include "port/port.h"
#include "port/port_life.h"
#include "port/port_refusal.h"

#include <rte_mtr.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PORT_MTR_DSCPS 64 /* DSCP values */
#define PORT_MTR_PCPS 16  /* VLAN priorities, including the drop eligible bit */

/* Protocols that give the input color, in the order of the command's words. */
enum { PORT_MTR_OUTER_VLAN, PORT_MTR_INNER_VLAN, PORT_MTR_OUTER_IP, PORT_MTR_INNER_IP };

#define NAME(type, name) [RTE_MTR_ERROR_TYPE_##type] = name

static uint32_t
meter_of(const struct args *a)
{
	return (uint32_t)arg_u64(a, "meter", 0);
}

static int
refused(const struct rte_mtr_error *error, int code, struct err *e)
{
	static const char *const names[] = {
		NAME(NONE, "no error"),
		NAME(UNSPECIFIED, "cause unspecified"),
		NAME(METER_PROFILE_ID, "meter profile id"),
		NAME(METER_PROFILE, "meter profile null"),
		NAME(MTR_ID, "meter id"),
		NAME(MTR_PARAMS, "meter params null"),
		NAME(POLICER_ACTION_GREEN, "policer action(green)"),
		NAME(POLICER_ACTION_YELLOW, "policer action(yellow)"),
		NAME(POLICER_ACTION_RED, "policer action(red)"),
		NAME(STATS_MASK, "stats mask"),
		NAME(STATS, "stats"),
		NAME(SHARED, "shared meter"),
		NAME(METER_POLICY_ID, "meter policy id"),
		NAME(METER_POLICY, "meter policy null"),
	};
	const struct port_refusal said = { (unsigned int)error->type, error->cause,
		error->message };

	return code == 0 ? 0 : port_refusal(&said, names, ARRAY_SIZE(names), code, e);
}

#define CAP(kind, member) FIELD(kind, rte_mtr_capabilities, member)

static const struct field caps[] = {
	CAP(U32, n_max),
	CAP(U32, n_shared_max),
	CAP(INT, identical),
	CAP(INT, shared_identical),
	CAP(U32, shared_n_flows_per_mtr_max),
	CAP(U32, chaining_n_mtrs_per_flow_max),
	CAP(INT, chaining_use_prev_mtr_color_supported),
	CAP(INT, chaining_use_prev_mtr_color_enforced),
	CAP(U32, meter_srtcm_rfc2697_n_max),
	CAP(U32, meter_trtcm_rfc2698_n_max),
	CAP(U32, meter_trtcm_rfc4115_n_max),
	CAP(U64, meter_rate_max),
	CAP(INT, color_aware_srtcm_rfc2697_supported),
	CAP(INT, color_aware_trtcm_rfc2698_supported),
	CAP(INT, color_aware_trtcm_rfc4115_supported),
	CAP(INT, srtcm_rfc2697_byte_mode_supported),
	CAP(INT, srtcm_rfc2697_packet_mode_supported),
	CAP(INT, trtcm_rfc2698_byte_mode_supported),
	CAP(INT, trtcm_rfc2698_packet_mode_supported),
	CAP(INT, trtcm_rfc4115_byte_mode_supported),
	CAP(INT, trtcm_rfc4115_packet_mode_supported),
	CAP(HEX, stats_mask),
	{ "input_color_proto_mask", offsetof(struct rte_mtr_capabilities, input_color_proto_mask),
		FIELD_HEX, "0x" },
	CAP(INT, separate_input_color_table_per_port),
};

/*
 * Show the capabilities, with testpmd's names in text and JSON. Errors of all functions: -ENODEV;
 * the driver's error. Thread: control, for all of this file.
 */
static int
port_mtr_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	struct rte_mtr_capabilities cap = { 0 };
	struct rte_mtr_error error = { 0 };
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = rte_mtr_capabilities_get(id, &cap, &error);
	if (ret != 0)
		return refused(&error, ret, e);
	out_text(ps->out, "\n****   Port Meter Object Capabilities ****\n\n");
	out_fields(ps->out, "cap", caps, ARRAY_SIZE(caps), &cap);
	return 0;
}

static int
srtcm(uint16_t id, const uint64_t *n, struct rte_mtr_error *error)
{
	struct rte_mtr_meter_profile profile = {
		.alg = RTE_MTR_SRTCM_RFC2697,
		.srtcm_rfc2697 = { .cir = n[1], .cbs = n[2], .ebs = n[3] },
		.packet_mode = (int)n[4],
	};

	return rte_mtr_meter_profile_add(id, (uint32_t)n[0], &profile, error);
}

static int
trtcm(uint16_t id, const uint64_t *n, struct rte_mtr_error *error)
{
	struct rte_mtr_meter_profile profile = {
		.alg = RTE_MTR_TRTCM_RFC2698,
		.trtcm_rfc2698 = { .cir = n[1], .pir = n[2], .cbs = n[3], .pbs = n[4] },
		.packet_mode = (int)n[5],
	};

	return rte_mtr_meter_profile_add(id, (uint32_t)n[0], &profile, error);
}

static int
trtcm_4115(uint16_t id, const uint64_t *n, struct rte_mtr_error *error)
{
	struct rte_mtr_meter_profile profile = {
		.alg = RTE_MTR_TRTCM_RFC4115,
		.trtcm_rfc4115 = { .cir = n[1], .eir = n[2], .cbs = n[3], .ebs = n[4] },
		.packet_mode = (int)n[5],
	};

	return rte_mtr_meter_profile_add(id, (uint32_t)n[0], &profile, error);
}

static int
profile_del(uint16_t id, const uint64_t *n, struct rte_mtr_error *error)
{
	return rte_mtr_meter_profile_delete(id, (uint32_t)n[0], error);
}

static int
policy_del(uint16_t id, const uint64_t *n, struct rte_mtr_error *error)
{
	return rte_mtr_meter_policy_delete(id, (uint32_t)n[0], error);
}

static int
enable(uint16_t id, const uint64_t *n, struct rte_mtr_error *error)
{
	return rte_mtr_meter_enable(id, (uint32_t)n[0], error);
}

static int
disable(uint16_t id, const uint64_t *n, struct rte_mtr_error *error)
{
	return rte_mtr_meter_disable(id, (uint32_t)n[0], error);
}

static int
destroy(uint16_t id, const uint64_t *n, struct rte_mtr_error *error)
{
	return rte_mtr_destroy(id, (uint32_t)n[0], error);
}

static int
profile_set(uint16_t id, const uint64_t *n, struct rte_mtr_error *error)
{
	return rte_mtr_meter_profile_update(id, (uint32_t)n[0], (uint32_t)n[1], error);
}

static int
stats_set(uint16_t id, const uint64_t *n, struct rte_mtr_error *error)
{
	return rte_mtr_stats_update(id, (uint32_t)n[0], n[1], error);
}

static const struct {
	enum rte_mtr_color_in_protocol protocol;
	const char *name;
} protocols[] = {
	[PORT_MTR_OUTER_VLAN] = { RTE_MTR_COLOR_IN_PROTO_OUTER_VLAN, "outer_vlan" },
	[PORT_MTR_INNER_VLAN] = { RTE_MTR_COLOR_IN_PROTO_INNER_VLAN, "inner_vlan" },
	[PORT_MTR_OUTER_IP] = { RTE_MTR_COLOR_IN_PROTO_OUTER_IP, "outer_ip" },
	[PORT_MTR_INNER_IP] = { RTE_MTR_COLOR_IN_PROTO_INNER_IP, "inner_ip" },
};

static int
color_in(uint16_t id, const uint64_t *n, struct rte_mtr_error *error)
{
	return rte_mtr_color_in_protocol_set(id, (uint32_t)n[0], protocols[n[1]].protocol,
		(uint32_t)n[2], error);
}

/* A row's function; n[]: the numbers of the line other than the port, in the line's order. */
struct mtr_op {
	int (*call)(uint16_t id, const uint64_t *n, struct rte_mtr_error *error);
};
#define OP(call) \
	&(const struct mtr_op) \
	{ \
		call \
	}

static int
change(struct app *app, const struct args *a, struct err *e)
{
	const struct mtr_op *op = a->data;
	struct rte_mtr_error error = { 0 };
	uint64_t n[ARGS_MAX] = { 0 };
	const uint16_t id = arg_port(a);

	if (port_find(&app->ports, id, e) == NULL)
		return -e->code;
	arg_numbers(a, n);
	return refused(&error, op->call(id, n, &error), e);
}

/* Convert a table of colors to rte_mtr's type, in to[0..n); NULL: no table. */
static enum rte_color *
colors_copy(const uint8_t *colors, unsigned int n, enum rte_color *to)
{
	for (unsigned int i = 0; colors != NULL && i < n; i++)
		to[i] = (enum rte_color)colors[i];
	return colors != NULL ? to : NULL;
}

/* Convert a table of colors into memory that lives as long as the port; *kept NULL: no table. */
static int
colors_keep(struct port *p, const uint8_t *colors, unsigned int n, enum rte_color **kept,
	struct err *e)
{
	*kept = NULL;
	if (colors == NULL)
		return 0;
	*kept = port_keep(p, NULL, n * sizeof(**kept), e);
	if (*kept == NULL)
		return -e->code;
	colors_copy(colors, n, *kept);
	return 0;
}

/* Show the protocols that give the input color. JSON: {"protocols": []}. */
static int
port_mtr_protocols_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	struct rte_mtr_error error = { 0 };
	uint64_t mask = 0;
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = rte_mtr_color_in_protocol_get(id, meter_of(a), &mask, &error);
	if (ret != 0)
		return refused(&error, ret, e);
	out_text(ps->out, "Enabled protocols:\n");
	out_nest(ps->out, "protocols", OUT_ARRAY);
	for (size_t i = 0; i < ARRAY_SIZE(protocols); i++)
		if ((mask & protocols[i].protocol) != 0)
			out_str(ps->out, "", "\t%s\n", protocols[i].name);
	out_unnest(ps->out);
	return 0;
}

/* Show the priority of a protocol that gives the input color. JSON: {"priority"}. */
static int
port_mtr_priority_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	struct rte_mtr_error error = { 0 };
	uint32_t priority = 0;
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = rte_mtr_color_in_protocol_priority_get(id, meter_of(a),
		protocols[arg_u64(a, "protocol", 0)].protocol, &priority, &error);
	if (ret != 0)
		return refused(&error, ret, e);
	out_u64(ps->out, "priority", "priority %" PRIu64 "\n", priority);
	return 0;
}

static void
stats_show(struct out *o, const struct rte_mtr_stats *s, uint64_t mask)
{
	const struct out_count rows[] = {
		{ RTE_MTR_STATS_N_PKTS_GREEN, "green", "Pkts G", s->n_pkts[RTE_COLOR_GREEN] },
		{ RTE_MTR_STATS_N_BYTES_GREEN, "bytes_green", "Bytes G",
			s->n_bytes[RTE_COLOR_GREEN] },
		{ RTE_MTR_STATS_N_PKTS_YELLOW, "yellow", "Pkts Y", s->n_pkts[RTE_COLOR_YELLOW] },
		{ RTE_MTR_STATS_N_BYTES_YELLOW, "bytes_yellow", "Bytes Y",
			s->n_bytes[RTE_COLOR_YELLOW] },
		{ RTE_MTR_STATS_N_PKTS_RED, "red", "Pkts R", s->n_pkts[RTE_COLOR_RED] },
		{ RTE_MTR_STATS_N_BYTES_RED, "bytes_red", "Bytes R", s->n_bytes[RTE_COLOR_RED] },
		{ RTE_MTR_STATS_N_PKTS_DROPPED, "dropped", "Pkts DROPPED", s->n_pkts_dropped },
		{ RTE_MTR_STATS_N_BYTES_DROPPED, "bytes_dropped", "Bytes DROPPED",
			s->n_bytes_dropped },
	};

	out_counts(o, rows, ARRAY_SIZE(rows), mask);
}

/* Show the statistics of a meter; clear: then reset them. JSON: one member per counter. */
static int
port_mtr_stats_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t meter = meter_of(a);
	bool clear = arg_is(a, "clear", "yes");
	struct rte_mtr_stats stats = { 0 };
	struct rte_mtr_error error = { 0 };
	uint64_t mask = 0;
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = rte_mtr_stats_read(id, meter, &stats, &mask, clear, &error);
	if (ret != 0)
		return refused(&error, ret, e);
	stats_show(ps->out, &stats, mask);
	return 0;
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

/* Create a meter for the action meter of flow rules. Further error: -ENOMEM. */
static int
create(struct app *app, const struct args *a, struct err *e)
{
	const char *text = arg_str(a, "colors", "");
	const uint16_t id = arg_port(a);
	struct port *p;
	uint8_t dscp[PORT_MTR_DSCPS], vlan[PORT_MTR_PCPS];
	bool has_dscp, has_vlan;
	struct rte_mtr_params params = {
		.meter_profile_id = (uint32_t)arg_u64(a, "profile", 0),
		.use_prev_mtr_color = (int)arg_u64(a, "previous", 0),
		.default_input_color = (enum rte_color)(arg_u64(a, "color", 0) % 3),
		.meter_enable = arg_is(a, "enabled", "yes"),
		.stats_mask = arg_u64(a, "stats", 0),
		.meter_policy_id = (uint32_t)arg_u64(a, "policy", 0),
	};
	struct rte_mtr_error error = { 0 };

	if (params.use_prev_mtr_color != 0) /* then its own color table is not used */
		text = "";
	if (colors_read(a, &text, dscp, PORT_MTR_DSCPS, &has_dscp, e) != 0 ||
		colors_read(a, &text, vlan, PORT_MTR_PCPS, &has_vlan, e) != 0 ||
		colors_end(a, text, e) != 0)
		return -e->code;
	p = port_find(&app->ports, id, e);
	if (p == NULL ||
		colors_keep(p, has_dscp ? dscp : NULL, PORT_MTR_DSCPS, &params.dscp_table, e) !=
			0 ||
		colors_keep(p, has_vlan ? vlan : NULL, PORT_MTR_PCPS, &params.vlan_table, e) != 0)
		return -e->code;
	return refused(&error,
		rte_mtr_create(id, meter_of(a), &params, arg_u64(a, "shared", 0) != 0, &error), e);
}

/* Add a meter policy: the actions for green, yellow and red packets. */
static int
policy_add(struct app *app, const struct args *a, struct err *e)
{
	const struct flow_defaults defaults = port_flow_defaults(&app->ports, arg_port(a));
	const struct arg *text = arg_find(a, "actions");
	struct flow_policy *policy = calloc(1, sizeof(*policy));
	const uint16_t id = arg_port(a);
	struct rte_mtr_meter_policy_params params = { 0 };
	struct rte_mtr_error error = { 0 };
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
		params.actions[i] = policy->color[i].n_actions > 0 ? policy->color[i].action : NULL;
	if (ret == 0 && port_find(&app->ports, id, e) == NULL)
		ret = -e->code;
	if (ret == 0)
		ret = refused(&error,
			rte_mtr_meter_policy_add(id, (uint32_t)arg_u64(a, "policy", 0), &params,
				&error),
			e);
	free(policy);
	return ret;
}

/* Set the input colors by DSCP or VLAN priority; without colors reset them to the driver's
 * default. */
static int
table(struct app *app, const struct args *a, struct err *e)
{
	const unsigned int *first = a->data; /* first protocol of the row */
	const unsigned int n = *first == PORT_MTR_OUTER_IP ? PORT_MTR_DSCPS : PORT_MTR_PCPS;
	const enum rte_mtr_color_in_protocol protocol =
		protocols[*first + arg_u64(a, "protocol", 0)].protocol;
	const char *text = arg_str(a, "colors", "");
	const uint16_t id = arg_port(a);
	uint8_t colors[PORT_MTR_DSCPS];
	enum rte_color all[PORT_MTR_DSCPS], *given_all;
	struct rte_mtr_error error = { 0 };
	bool given;
	int ret;

	if (colors_read(a, &text, colors, n, &given, e) != 0 || colors_end(a, text, e) != 0 ||
		port_find(&app->ports, id, e) == NULL)
		return -e->code;
	given_all = colors_copy(given ? colors : NULL, n, all);
	if (*first == PORT_MTR_OUTER_IP)
		ret = rte_mtr_meter_dscp_table_update(id, meter_of(a), protocol, given_all, &error);
	else
		ret = rte_mtr_meter_vlan_table_update(id, meter_of(a), protocol, given_all, &error);
	return refused(&error, ret, e);
}

static const unsigned int dscp_first = PORT_MTR_OUTER_IP, vlan_first = PORT_MTR_OUTER_VLAN;

#define N32 "0..4294967295"
#define N64 "0..18446744073709551615"
#define PORT_METER "<port:port> <meter:uint " N32 ">"
#define PROFILE "<port:port> <profile:uint " N32 "> <cir:uint " N64 "> "
#define BUCKETS(a, b) "<" a ":uint " N64 "> <" b ":uint " N64 "> "
#define MODE "<packet_mode:uint " N32 ">"
#define PROTOCOL "<protocol:word outer_vlan|inner_vlan|outer_ip|inner_ip>"

static const struct cmd_row rows[] = {
	{ "show port meter cap <port:port>", port_mtr_show, "show the meter capabilities of a port",
		NULL, NULL, .shows = true },
	{ "add port meter profile srtcm_rfc2697 " PROFILE BUCKETS("cbs", "ebs") MODE, change,
		"add a meter profile: one rate, committed and excess burst size; packet_mode 1: in packets instead of bytes",
		NULL, OP(srtcm) },
	{ "add port meter profile trtcm_rfc2698 " PROFILE "<pir:uint " N64
	  "> " BUCKETS("cbs", "pbs") MODE,
		change, "add a meter profile with two rates, committed and peak", NULL, OP(trtcm) },
	{ "add port meter profile trtcm_rfc4115 " PROFILE "<eir:uint " N64
	  "> " BUCKETS("cbs", "ebs") MODE,
		change, "add a meter profile with two rates, committed and excess", NULL,
		OP(trtcm_4115) },
	{ "del port meter profile <port:port> <profile:uint " N32 ">", change,
		"delete a meter profile", NULL, OP(profile_del) },
	{ "add port meter policy <port:port> <policy:uint " N32 "> <actions:policy>", policy_add,
		"add a meter policy: the actions for green, yellow and red packets", NULL, NULL },
	{ "del port meter policy <port:port> <policy:uint " N32 ">", change,
		"delete a meter policy", NULL, OP(policy_del) },
	{ "create port meter " PORT_METER " <profile:uint " N32 "> <policy:uint " N32
	  "> <enabled:word yes|no> <stats:uint " N64 "> <shared:uint " N32
	  "> <color:word g|y|r|G|Y|R> <previous:uint " N32 "> [<colors:text>]",
		create,
		"create a meter for the action meter of flow rules: statistics mask, sharing by rules, default color, previous 1: use an earlier meter's color, else 64 colors by DSCP and 16 by VLAN priority",
		NULL, NULL },
	{ "enable port meter " PORT_METER, change, "enable a meter", NULL, OP(enable) },
	{ "disable port meter " PORT_METER, change,
		"disable a meter, which then passes all packets", NULL, OP(disable) },
	{ "del port meter " PORT_METER, change, "delete a meter", NULL, OP(destroy) },
	{ "set port meter profile " PORT_METER " <profile:uint " N32 ">", change,
		"change the profile of a meter", NULL, OP(profile_set) },
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
		"set the protocol that gives the input color, and its priority (0: highest)", NULL,
		OP(color_in) },
	{ "get port meter proto " PORT_METER, port_mtr_protocols_show,
		"show the protocols that give the input color", NULL, NULL, .shows = true },
	{ "get port meter proto_prio " PORT_METER " " PROTOCOL, port_mtr_priority_show,
		"show the priority of a protocol that gives the input color", NULL, NULL,
		.shows = true },
	{ "set port meter stats mask " PORT_METER " <stats:uint " N64 ">", change,
		"set the statistics mask of a meter", NULL, OP(stats_set) },
	{ "show port meter stats " PORT_METER " <clear:word yes|no>", port_mtr_stats_show,
		"show the statistics of a meter; yes: reset them afterwards", NULL, NULL },
};

const struct cmd_table cmds_mtr = { "meters", "meters", rows, ARRAY_SIZE(rows), CMD_QOS };
