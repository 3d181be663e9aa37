/* Meters: profiles, policies, meters, with rte_mtr. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_mtr.h"

#include "base/base.h"
#include "base/err.h"
#include "base/fields.h"
#include "base/out.h"
#include "port/port.h"
#include "port/port_keep.h"
#include "port/port_refusal.h"

#include <rte_mtr.h>

#include <errno.h>

#define NAME(type, name) [RTE_MTR_ERROR_TYPE_##type] = name

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

int
port_mtr_show(struct ports *ps, uint16_t id, struct err *e)
{
	struct rte_mtr_capabilities cap = { 0 };
	struct rte_mtr_error error = { 0 };
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = rte_mtr_capabilities_get(id, &cap, &error);
	if (ret != 0)
		return refused(&error, ret, e);
	out_text(ps->out, "\n****   Port Meter Object Capabilities ****\n\n");
	fields_show(ps->out, "cap", caps, ARRAY_SIZE(caps), &cap);
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

int
port_mtr_do(struct ports *ps, uint16_t id, enum port_mtr_op op, const uint64_t *n, struct err *e)
{
	static int (*const calls[])(uint16_t, const uint64_t *, struct rte_mtr_error *) = {
		[PORT_MTR_SRTCM] = srtcm,
		[PORT_MTR_TRTCM] = trtcm,
		[PORT_MTR_TRTCM_4115] = trtcm_4115,
		[PORT_MTR_PROFILE_DEL] = profile_del,
		[PORT_MTR_POLICY_DEL] = policy_del,
		[PORT_MTR_ENABLE] = enable,
		[PORT_MTR_DISABLE] = disable,
		[PORT_MTR_DEL] = destroy,
		[PORT_MTR_PROFILE] = profile_set,
		[PORT_MTR_STATS] = stats_set,
		[PORT_MTR_COLOR_IN] = color_in,
	};
	struct rte_mtr_error error = { 0 };

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	return refused(&error, calls[op](id, n, &error), e);
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

int
port_mtr_create(struct ports *ps, uint16_t id, const struct port_mtr *meter, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	struct rte_mtr_params params = {
		.meter_profile_id = meter->profile,
		.use_prev_mtr_color = (int)meter->previous,
		.default_input_color = (enum rte_color)meter->color,
		.meter_enable = meter->enabled,
		.stats_mask = meter->stats,
		.meter_policy_id = meter->policy,
	};
	struct rte_mtr_error error = { 0 };

	if (p == NULL || colors_keep(p, meter->dscp, PORT_MTR_DSCPS, &params.dscp_table, e) != 0 ||
		colors_keep(p, meter->vlan, PORT_MTR_PCPS, &params.vlan_table, e) != 0)
		return -e->code;
	return refused(&error, rte_mtr_create(id, meter->meter, &params, meter->shared, &error), e);
}

int
port_mtr_policy(struct ports *ps, uint16_t id, uint32_t policy,
	const struct rte_flow_action *const *actions, struct err *e)
{
	struct rte_mtr_meter_policy_params params = { 0 };
	struct rte_mtr_error error = { 0 };

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	for (unsigned int color = 0; color < RTE_COLORS; color++)
		params.actions[color] = actions[color];
	return refused(&error, rte_mtr_meter_policy_add(id, policy, &params, &error), e);
}

int
port_mtr_colors(struct ports *ps, uint16_t id, uint32_t meter, unsigned int protocol,
	const uint8_t *colors, struct err *e)
{
	enum rte_color table[PORT_MTR_DSCPS];
	struct rte_mtr_error error = { 0 };
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	if (protocol >= PORT_MTR_OUTER_IP)
		ret = rte_mtr_meter_dscp_table_update(id, meter, protocols[protocol].protocol,
			colors_copy(colors, PORT_MTR_DSCPS, table), &error);
	else
		ret = rte_mtr_meter_vlan_table_update(id, meter, protocols[protocol].protocol,
			colors_copy(colors, PORT_MTR_PCPS, table), &error);
	return refused(&error, ret, e);
}

int
port_mtr_protocols_show(struct ports *ps, uint16_t id, uint32_t meter, struct err *e)
{
	struct rte_mtr_error error = { 0 };
	uint64_t mask = 0;
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = rte_mtr_color_in_protocol_get(id, meter, &mask, &error);
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

int
port_mtr_priority_show(struct ports *ps, uint16_t id, uint32_t meter, unsigned int protocol,
	struct err *e)
{
	struct rte_mtr_error error = { 0 };
	uint32_t priority = 0;
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = rte_mtr_color_in_protocol_priority_get(id, meter, protocols[protocol].protocol,
		&priority, &error);
	if (ret != 0)
		return refused(&error, ret, e);
	out_u64(ps->out, "priority", "priority %" PRIu64 "\n", priority);
	return 0;
}

static void
stats_show(struct out *o, const struct rte_mtr_stats *s, uint64_t mask)
{
	const struct {
		uint64_t bit;
		const char *key, *text;
		uint64_t n;
	} rows[] = {
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

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if ((mask & rows[i].bit) == 0)
			continue;
		out_text(o, "\t%s: ", rows[i].text);
		out_u64(o, rows[i].key, "%" PRIu64 "\n", rows[i].n);
	}
}

int
port_mtr_stats_show(struct ports *ps, uint16_t id, uint32_t meter, bool clear, struct err *e)
{
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
