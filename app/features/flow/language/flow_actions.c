/* Table of actions and their fields, with testpmd's names, and parsers of rss, sample and conntrack. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_actions.h"

#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/words.h"
#include "features/flow/language/flow_outer.h"
#include "features/flow/language/flow_part.h"
#include "features/flow/language/flow_presets.h"
#include "features/flow/language/flow_rule.h"
#include "features/flow/language/flow_value.h"

#include <rte_flow.h>

#include <errno.h>

/* Parsers of the actions rss, sample and conntrack. */

enum { RSS_QUEUES = 128, RSS_KEY = 64 }; /* testpmd's limits */

static int
rss_func(struct words *r, struct rte_flow_action_rss *rss, struct err *e)
{
	static const struct {
		const char *name;
		enum rte_eth_hash_function func;
	} funcs[] = { { "default", RTE_ETH_HASH_FUNCTION_DEFAULT },
		{ "toeplitz", RTE_ETH_HASH_FUNCTION_TOEPLITZ },
		{ "simple_xor", RTE_ETH_HASH_FUNCTION_SIMPLE_XOR },
		{ "symmetric_toeplitz", RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ } };

	for (size_t i = 0; i < ARRAY_SIZE(funcs); i++) {
		if (!words_is(r, funcs[i].name, ""))
			continue;
		rss->func = funcs[i].func;
		return 0;
	}
	return words_fail(r, EINVAL, NULL, e);
}

/* Read names up to the word "end". */
static int
rss_types(struct words *r, struct rte_flow_action_rss *rss, struct err *e)
{
	const struct flow_defaults *defaults = r->context;
	uint64_t types;

	for (rss->types = 0; !words_is(r, "end", "end of the types"); rss->types |= types) {
		const char *name;

		for (unsigned int i = 0; (name = defaults->rss_name(i)) != NULL; i++)
			words_may(r, name, "");
		if (r->n == 0 || !defaults->rss_find(r->word, &types))
			return words_fail(r, EINVAL, NULL, e);
		words_next(r);
	}
	return 0;
}

/* Read numbers up to the word "end". */
static int
rss_queues(struct words *r, struct rte_flow_action_rss *rss, uint16_t *queue, struct err *e)
{
	unsigned int n = 0;

	while (!words_is(r, "end", "end of the queues")) {
		uint64_t number;

		if (n == RSS_QUEUES)
			return words_fail(r, E2BIG, "too many queues", e);
		if (words_uint(r, UINT16_MAX, &number, e) != 0)
			return -e->code;
		queue[n++] = (uint16_t)number;
	}
	rss->queue_num = n;
	rss->queue = n > 0 ? queue : NULL;
	return 0;
}

static int
rss_key_len(struct words *r, struct rte_flow_action_rss *rss, struct err *e)
{
	uint64_t n;
	int ret = words_uint(r, RSS_KEY, &n, e);

	if (ret == 0)
		rss->key_len = (uint32_t)n;
	return ret;
}

/* Read one word of the action and its values. Returns 1 if it is not a word of the action. */
static int
rss_word(struct words *r, const struct flow_part *part, struct rte_flow_action_rss *rss,
	uint16_t *queue, struct err *e)
{
	static const struct flow_field key = { .kind = FLOW_HEX,
		.at = offsetof(struct rte_flow_action_rss, key),
		.length_at = offsetof(struct rte_flow_action_rss, key_len),
		.length_bytes = sizeof(uint32_t) };
	uint64_t level;
	int ret;

	if (words_is(r, "func", "hash function"))
		return rss_func(r, rss, e);
	if (words_is(r, "types", "traffic types to hash: NAME [NAME ...] end"))
		return rss_types(r, rss, e);
	if (words_is(r, "queues", "queues to spread to: NUMBER [NUMBER ...] end"))
		return rss_queues(r, rss, queue, e);
	if (words_is(r, "key", "hash key in hexadecimal"))
		return flow_value_read(r, part, &key, rss, NULL, e);
	if (words_is(r, "key_len", "length of the key in bytes"))
		return rss_key_len(r, rss, e);
	if (!words_is(r, "level", "encapsulation level of the hashed headers"))
		return 1;
	ret = words_uint(r, UINT32_MAX, &level, e);
	if (ret == 0)
		rss->level = (uint32_t)level;
	return ret;
}

/* Read the words of an action into conf, which must be zeroed. Errors: those of flow_read(). */
static int
flow_form_rss(struct words *r, const struct flow_part *part, struct flow_rule *rule, void *conf,
	struct err *e)
{
	const struct flow_defaults *defaults = r->context;
	struct rte_flow_action_rss *rss = conf;
	uint16_t *queue = flow_rule_store(rule, RSS_QUEUES * sizeof(*queue));
	int ret;

	if (queue == NULL)
		return err_set(e, E2BIG, "the rule is too long");
	rss->types = defaults->rss_types;
	rss->queue_num = RTE_MIN(defaults->queues, RSS_QUEUES);
	rss->queue = queue;
	for (uint16_t i = 0; i < rss->queue_num; i++)
		queue[i] = i;
	do
		ret = rss_word(r, part, rss, queue, e);
	while (ret == 0);
	return ret < 0 ? ret : 0;
}

static int
flow_form_sample(struct words *r, const struct flow_part *part, struct flow_rule *rule, void *conf,
	struct err *e)
{
	static const struct rte_flow_action none = { RTE_FLOW_ACTION_TYPE_END, NULL };
	const struct flow_presets *p = flow_defaults_of(r)->presets;
	struct rte_flow_action_sample *sample = conf;
	uint64_t number;

	sample->actions = &none;
	for (;;) {
		if (words_is(r, "ratio", "sample one of N packets")) {
			if (words_uint(r, UINT32_MAX, &number, e) != 0)
				return -e->code;
			sample->ratio = (uint32_t)number;
			continue;
		}
		if (!words_is(r, "index", "index used in \"set sample_actions\""))
			return 0;
		if (words_uint(r, FLOW_PRESETS - 1, &number, e) != 0)
			return -e->code;
		if (p != NULL && p->sample[number] != NULL)
			sample->actions = p->sample[number]->action;
	}
}

static int
flow_form_conntrack_update(struct words *r, const struct flow_part *part, struct flow_rule *rule,
	void *conf, struct err *e)
{
	static const struct rte_flow_action_conntrack none;
	const struct flow_presets *p = flow_defaults_of(r)->presets;
	const struct rte_flow_action_conntrack *from = p != NULL ? &p->conntrack : &none;
	struct rte_flow_modify_conntrack *to = conf;

	for (;;) {
		const uint32_t old = to->new_ct.is_original_dir;

		if (words_is(r, "dir", "update the direction")) {
			to->new_ct.is_original_dir = from->is_original_dir;
			to->direction = 1;
		} else if (words_is(r, "ctx", "update everything except the direction")) {
			to->new_ct = *from;
			to->new_ct.is_original_dir = old;
			to->state = 1;
		} else {
			return 0;
		}
	}
}

#define STRUCT(s) struct rte_flow_action_##s
#define TYPE(type) RTE_FLOW_ACTION_TYPE_##type
#include "features/flow/language/flow_fields.h"

/* Bytes reserved after the struct for a hash key or a value. */
enum { KEY_ROOM = 64, VALUE_ROOM = 32 };

/* Structs of updates, by the names that STRUCT() makes. */
#define rte_flow_action_update_age rte_flow_update_age
#define rte_flow_action_update_quota rte_flow_update_quota
#define rte_flow_action_modify_conntrack rte_flow_modify_conntrack

#define ACTION(s, type_, ...) FIELDS(#s, type_, s, 0, __VA_ARGS__)

/* An action with the header of a tunnel, as items or bytes. */
#define OUTER(name_, type_, s, form_, tunnel) \
	{ \
		.name = name_, .type = TYPE(type_), .bytes = sizeof(STRUCT(s)), .form = form_, \
		.which = tunnel \
	}

/* Actions that differ in their names alone. */
#define SET_IPV4(name_, type_) \
	FIELDS(name_, type_, set_ipv4, 0, BE(IPV4, "ipv4_addr", set_ipv4, ipv4_addr))
#define SET_IPV6(name_, type_) \
	FIELDS(name_, type_, set_ipv6, 0, BE(IPV6, "ipv6_addr", set_ipv6, ipv6_addr))
#define SET_TP(name_, type_) FIELDS(name_, type_, set_tp, 0, BE(UINT, "port", set_tp, port))
#define SET_MAC(name_, type_) \
	FIELDS(name_, type_, set_mac, 0, BE(MAC, "mac_addr", set_mac, mac_addr))
#define SET_DSCP(name_, type_) \
	FIELDS(name_, type_, set_dscp, 0, HOST(UINT, "dscp_value", set_dscp, dscp))

const struct flow_part flow_actions[] = {
	PLAIN("void", VOID),
	PLAIN("passthru", PASSTHRU),
	ACTION(jump, JUMP, HOST(UINT, "group", jump, group)),
	ACTION(mark, MARK, HOST(UINT, "id", mark, id)),
	PLAIN("flag", FLAG),
	ACTION(queue, QUEUE, HOST(UINT, "index", queue, index)),
	PLAIN("drop", DROP),
	ACTION(count, COUNT, HOST(UINT, "identifier", count, id)),
	FORM("rss", RSS, rss, KEY_ROOM, flow_form_rss),
	PLAIN("pf", PF),
	ACTION(vf, VF, PART(BOOL, "original", vf, original, 1), HOST(UINT, "id", vf, id)),
	ACTION(port_id, PORT_ID, PART(BOOL, "original", port_id, original, 1),
		HOST(UINT, "id", port_id, id)),
	ACTION(meter, METER, HOST(UINT, "mtr_id", meter, mtr_id)),
	FIELDS("color", METER_COLOR, meter_color, 0, HOST(COLOR, "type", meter_color, color)),
	ACTION(meter_mark, METER_MARK,
		HANDLE("mtr_profile", meter_mark, profile, FLOW_METER_PROFILE),
		HANDLE("mtr_policy", meter_mark, policy, FLOW_METER_POLICY),
		HOST(UINT, "mtr_color_mode", meter_mark, color_mode),
		BEFORE_23_11(HOST(COLOR, "mtr_init_color", meter_mark, init_color), )
			HOST(UINT, "mtr_state", meter_mark, state)),
	PLAIN("of_dec_nw_ttl", OF_DEC_NW_TTL),
	PLAIN("of_pop_vlan", OF_POP_VLAN),
	ACTION(of_push_vlan, OF_PUSH_VLAN, BE(UINT, "ethertype", of_push_vlan, ethertype)),
	ACTION(of_set_vlan_vid, OF_SET_VLAN_VID, BE(UINT, "vlan_vid", of_set_vlan_vid, vlan_vid)),
	ACTION(of_set_vlan_pcp, OF_SET_VLAN_PCP, BE(UINT, "vlan_pcp", of_set_vlan_pcp, vlan_pcp)),
	ACTION(of_pop_mpls, OF_POP_MPLS, BE(UINT, "ethertype", of_pop_mpls, ethertype)),
	ACTION(of_push_mpls, OF_PUSH_MPLS, BE(UINT, "ethertype", of_push_mpls, ethertype)),
	OUTER("vxlan_encap", VXLAN_ENCAP, vxlan_encap, flow_outer_items, FLOW_VXLAN),
	PLAIN("vxlan_decap", VXLAN_DECAP),
	OUTER("nvgre_encap", NVGRE_ENCAP, nvgre_encap, flow_outer_items, FLOW_NVGRE),
	PLAIN("nvgre_decap", NVGRE_DECAP),
	OUTER("l2_encap", RAW_ENCAP, raw_encap, flow_outer_bytes, FLOW_L2_ENCAP),
	OUTER("l2_decap", RAW_DECAP, raw_decap, flow_outer_bytes, FLOW_L2_DECAP),
	OUTER("mplsogre_encap", RAW_ENCAP, raw_encap, flow_outer_bytes, FLOW_MPLSOGRE_ENCAP),
	OUTER("mplsogre_decap", RAW_DECAP, raw_decap, flow_outer_bytes, FLOW_MPLSOGRE_DECAP),
	OUTER("mplsoudp_encap", RAW_ENCAP, raw_encap, flow_outer_bytes, FLOW_MPLSOUDP_ENCAP),
	OUTER("mplsoudp_decap", RAW_DECAP, raw_decap, flow_outer_bytes, FLOW_MPLSOUDP_DECAP),
	SET_IPV4("set_ipv4_src", SET_IPV4_SRC),
	SET_IPV4("set_ipv4_dst", SET_IPV4_DST),
	SET_IPV6("set_ipv6_src", SET_IPV6_SRC),
	SET_IPV6("set_ipv6_dst", SET_IPV6_DST),
	SET_TP("set_tp_src", SET_TP_SRC),
	SET_TP("set_tp_dst", SET_TP_DST),
	PLAIN("mac_swap", MAC_SWAP),
	PLAIN("dec_ttl", DEC_TTL),
	ACTION(set_ttl, SET_TTL, BE(UINT, "ttl_value", set_ttl, ttl_value)),
	SET_MAC("set_mac_src", SET_MAC_SRC),
	SET_MAC("set_mac_dst", SET_MAC_DST),
	NUMBER("inc_tcp_seq", INC_TCP_SEQ),
	NUMBER("dec_tcp_seq", DEC_TCP_SEQ),
	NUMBER("inc_tcp_ack", INC_TCP_ACK),
	NUMBER("dec_tcp_ack", DEC_TCP_ACK),
	FORM("raw_encap", RAW_ENCAP, raw_encap, 0, flow_outer_raw),
	FORM("raw_decap", RAW_DECAP, raw_decap, 0, flow_outer_raw),
	ACTION(set_tag, SET_TAG, HOST(UINT, "data", set_tag, data),
		HOST(UINT, "index", set_tag, index), HOST(UINT, "mask", set_tag, mask)),
	ACTION(set_meta, SET_META, HOST(UINT, "data", set_meta, data),
		HOST(UINT, "mask", set_meta, mask)),
	SET_DSCP("set_ipv4_dscp", SET_IPV4_DSCP),
	SET_DSCP("set_ipv6_dscp", SET_IPV6_DSCP),
	ACTION(age, AGE, PART(UINT, "timeout", age, timeout, (1 << 24) - 1)),
	FIELDS("age_update", AGE, update_age, 0,
		{ .name = "timeout",
			.kind = FLOW_WORD,
			.bytes = sizeof(struct rte_flow_update_age),
			.bits = (const uint8_t *)&(
				const struct rte_flow_update_age){ .timeout_valid = 1 },
			.value = 1,
			TABLE(then, n_then, PART(UINT, "", update_age, timeout, (1 << 24) - 1)) },
		PART(BOOL, "touch", update_age, touch, 1)),
	FORM("sample", SAMPLE, sample, 0, flow_form_sample),
	{ .name = "indirect",
		.type = TYPE(INDIRECT),
		.room = sizeof(void *),
		TABLE(fields, n,
			{ .name = "",
				.kind = FLOW_HANDLE,
				.bytes = sizeof(void *),
				.object = FLOW_INDIRECT }),
		.handle = true },
	FIELDS("modify_field", MODIFY_FIELD, modify_field, VALUE_ROOM,
		ONE_OF("op", modify_field, operation, CHOICES("set", "add", "sub")),
		ONE_OF("dst_type", modify_field, dst.field, flow_places),
		HOST(UINT, "dst_level", modify_field, dst.level),
		HOST(UINT, "dst_offset", modify_field, dst.offset),
		ONE_OF("src_type", modify_field, src.field, flow_places),
		HOST(UINT, "src_level", modify_field, src.level),
		HOST(UINT, "src_offset", modify_field, src.offset),
		SINCE_23_11(, HOST(UINT, "dst_tag_index", modify_field, dst.tag_index),
			HOST(UINT, "dst_type_id", modify_field, dst.type),
			BE(UINT, "dst_class", modify_field, dst.class_id),
			HOST(UINT, "src_tag_index", modify_field, src.tag_index),
			HOST(UINT, "src_type_id", modify_field, src.type),
			BE(UINT, "src_class", modify_field, src.class_id), )
			INSIDE("src_value", modify_field, src.value),
		ROOM(HEX, "src_ptr", modify_field, src.pvalue),
		HOST(UINT, "width", modify_field, width)),
	BARE("conntrack", CONNTRACK, conntrack),
	FORM("conntrack_update", CONNTRACK, modify_conntrack, 0, flow_form_conntrack_update),
	FIELDS("port_representor", PORT_REPRESENTOR, ethdev, 0,
		HOST(UINT, "port_id", ethdev, port_id)),
	FIELDS("represented_port", REPRESENTED_PORT, ethdev, 0,
		HOST(UINT, "ethdev_port_id", ethdev, port_id)),
	PLAIN("send_to_kernel", SEND_TO_KERNEL),
	SINCE(23, 03, "skip_cman", PLAIN("skip_cman", SKIP_CMAN)),
	SINCE(23, 03, "quota_create",
		FIELDS("quota_create", QUOTA, quota, 0, HOST(UINT, "limit", quota, quota),
			{ .name = "mode",
				.kind = FLOW_ONE_OF,
				AT(quota, mode),
				.words = CHOICES("packet", "l2", "l3"),
				.value = RTE_FLOW_QUOTA_MODE_PACKET })),
	SINCE(23, 03, "quota_update",
		FIELDS("quota_update", QUOTA, update_quota, 0,
			HOST(UINT, "limit", update_quota, quota),
			ONE_OF("update_op", update_quota, op, CHOICES("set", "add")))),
	SINCE(24, 03, "nat64", ACTION(nat64, NAT64, HOST(UINT, "type", nat64, type))),
	SINCE(24, 11, "jump_to_table_index",
		ACTION(jump_to_table_index, JUMP_TO_TABLE_INDEX,
			HANDLE("table", jump_to_table_index, table, FLOW_TABLE),
			HOST(UINT, "index", jump_to_table_index, index))),
};
const size_t flow_actions_n = ARRAY_SIZE(flow_actions);
