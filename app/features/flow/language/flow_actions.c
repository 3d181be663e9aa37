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
#include <rte_version.h>

#include <errno.h>
#include <string.h>

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

static const struct flow_field jump[] = {
	HOST(UINT, "group", jump, group),
};

static const struct flow_field mark[] = {
	HOST(UINT, "id", mark, id),
};

static const struct flow_field queue[] = {
	HOST(UINT, "index", queue, index),
};

static const struct flow_field count[] = {
	HOST(UINT, "identifier", count, id),
};

static const struct flow_field vf[] = {
	PART(BOOL, "original", vf, original, 1),
	HOST(UINT, "id", vf, id),
};

static const struct flow_field port_id[] = {
	PART(BOOL, "original", port_id, original, 1),
	HOST(UINT, "id", port_id, id),
};

static const struct flow_field meter[] = {
	HOST(UINT, "mtr_id", meter, mtr_id),
};

static const struct flow_field of_push_vlan[] = {
	BE(UINT, "ethertype", of_push_vlan, ethertype),
};

static const struct flow_field of_set_vlan_vid[] = {
	BE(UINT, "vlan_vid", of_set_vlan_vid, vlan_vid),
};

static const struct flow_field of_set_vlan_pcp[] = {
	BE(UINT, "vlan_pcp", of_set_vlan_pcp, vlan_pcp),
};

static const struct flow_field of_pop_mpls[] = {
	BE(UINT, "ethertype", of_pop_mpls, ethertype),
};

static const struct flow_field of_push_mpls[] = {
	BE(UINT, "ethertype", of_push_mpls, ethertype),
};

static const struct flow_field set_ipv4_src[] = {
	BE(IPV4, "ipv4_addr", set_ipv4, ipv4_addr),
};

static const struct flow_field set_ipv4_dst[] = {
	BE(IPV4, "ipv4_addr", set_ipv4, ipv4_addr),
};

static const struct flow_field set_ipv6_src[] = {
	BE(IPV6, "ipv6_addr", set_ipv6, ipv6_addr),
};

static const struct flow_field set_ipv6_dst[] = {
	BE(IPV6, "ipv6_addr", set_ipv6, ipv6_addr),
};

static const struct flow_field set_tp_src[] = {
	BE(UINT, "port", set_tp, port),
};

static const struct flow_field set_tp_dst[] = {
	BE(UINT, "port", set_tp, port),
};

static const struct flow_field set_ttl[] = {
	BE(UINT, "ttl_value", set_ttl, ttl_value),
};

static const struct flow_field set_mac_src[] = {
	BE(MAC, "mac_addr", set_mac, mac_addr),
};

static const struct flow_field set_mac_dst[] = {
	BE(MAC, "mac_addr", set_mac, mac_addr),
};

static const struct flow_field inc_tcp_seq[] = {
	WHOLE("value", rte_be32_t),
};

static const struct flow_field dec_tcp_seq[] = {
	WHOLE("value", rte_be32_t),
};

static const struct flow_field inc_tcp_ack[] = {
	WHOLE("value", rte_be32_t),
};

static const struct flow_field dec_tcp_ack[] = {
	WHOLE("value", rte_be32_t),
};

static const struct flow_field set_tag[] = {
	HOST(UINT, "data", set_tag, data),
	HOST(UINT, "index", set_tag, index),
	HOST(UINT, "mask", set_tag, mask),
};

static const struct flow_field set_meta[] = {
	HOST(UINT, "data", set_meta, data),
	HOST(UINT, "mask", set_meta, mask),
};

static const struct flow_field set_ipv4_dscp[] = {
	HOST(UINT, "dscp_value", set_dscp, dscp),
};

static const struct flow_field set_ipv6_dscp[] = {
	HOST(UINT, "dscp_value", set_dscp, dscp),
};

static const struct flow_field age[] = {
	PART(UINT, "timeout", age, timeout, (1 << 24) - 1),
};

static const struct flow_field port_representor[] = {
	HOST(UINT, "port_id", ethdev, port_id),
};

static const struct flow_field represented_port[] = {
	HOST(UINT, "ethdev_port_id", ethdev, port_id),
};

static const struct flow_field color[] = {
	HOST(COLOR, "type", meter_color, color),
};

static const struct flow_field meter_mark[] = {
	HANDLE("mtr_profile", meter_mark, profile, FLOW_METER_PROFILE),
	HANDLE("mtr_policy", meter_mark, policy, FLOW_METER_POLICY),
	HOST(UINT, "mtr_color_mode", meter_mark, color_mode),
#if RTE_VERSION < RTE_VERSION_NUM(23, 11, 0, 0) /* not in the struct since 23.11 */
	HOST(COLOR, "mtr_init_color", meter_mark, init_color),
#endif
	HOST(UINT, "mtr_state", meter_mark, state),
};

/* In the order of enum rte_flow_modify_op. */
static const char *const operations[] = { "set", "add", "sub", NULL };

static const struct flow_field modify_field[] = {
	ONE_OF("op", modify_field, operation, operations),
	ONE_OF("dst_type", modify_field, dst.field, flow_places),
	HOST(UINT, "dst_level", modify_field, dst.level),
	HOST(UINT, "dst_offset", modify_field, dst.offset),
	ONE_OF("src_type", modify_field, src.field, flow_places),
	HOST(UINT, "src_level", modify_field, src.level),
	HOST(UINT, "src_offset", modify_field, src.offset),
#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
	HOST(UINT, "dst_tag_index", modify_field, dst.tag_index),
	HOST(UINT, "dst_type_id", modify_field, dst.type),
	BE(UINT, "dst_class", modify_field, dst.class_id),
	HOST(UINT, "src_tag_index", modify_field, src.tag_index),
	HOST(UINT, "src_type_id", modify_field, src.type),
	BE(UINT, "src_class", modify_field, src.class_id),
#endif
	INSIDE("src_value", modify_field, src.value),
	ROOM(HEX, "src_ptr", modify_field, src.pvalue),
	HOST(UINT, "width", modify_field, width),
};

#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
static const char *const quota_modes[] = { "packet", "l2", "l3", NULL };

static const struct flow_field quota_create[] = {
	HOST(UINT, "limit", quota, quota),
	{ .name = "mode",
		.kind = FLOW_ONE_OF,
		AT(quota, mode),
		.words = quota_modes,
		.value = RTE_FLOW_QUOTA_MODE_PACKET },
};
#endif

#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
static const struct flow_field nat64[] = {
	HOST(UINT, "type", nat64, type),
};
#endif

#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
static const struct flow_field jump_to_table_index[] = {
	HANDLE("table", jump_to_table_index, table, FLOW_TABLE),
	HOST(UINT, "index", jump_to_table_index, index),
};
#endif

#undef STRUCT
#define STRUCT(s) struct rte_flow_##s

#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
static const char *const quota_ops[] = { "set", "add", NULL };

static const struct flow_field quota_update[] = {
	HOST(UINT, "limit", update_quota, quota),
	ONE_OF("update_op", update_quota, op, quota_ops),
};
#endif

static const struct flow_field age_timeout[] = {
	PART(UINT, "", update_age, timeout, (1 << 24) - 1),
};

static const struct flow_field age_update[] = {
	{ .name = "timeout",
		.kind = FLOW_WORD,
		.bytes = sizeof(struct rte_flow_update_age),
		.bits = (const uint8_t *)&(const struct rte_flow_update_age){ .timeout_valid = 1 },
		.value = 1,
		.then = age_timeout,
		.n_then = ARRAY_SIZE(age_timeout) },
	PART(BOOL, "touch", update_age, touch, 1),
};

static const struct flow_field indirect[] = {
	{ .name = "", .kind = FLOW_HANDLE, .bytes = sizeof(void *), .object = FLOW_INDIRECT },
};

/* An action without fields, but with a struct. */
#define BARE(name_, type_, bytes_) \
	{ \
		.name = name_, .type = TYPE(type_), .bytes = bytes_ \
	}

/* Bytes reserved after the struct for a hash key or a value. */
enum { KEY_ROOM = 64, VALUE_ROOM = 32 };

/* An action whose header, of a tunnel, is passed as bytes; as items. */
#define BYTES_OF(name_, type_, conf, tunnel) \
	{ \
		.name = name_, .type = TYPE(type_), \
		.bytes = sizeof(struct rte_flow_action_##conf), .form = flow_outer_bytes, \
		.which = tunnel \
	}
#define ITEMS_OF(name_, type_, conf, tunnel) \
	{ \
		.name = name_, .type = TYPE(type_), \
		.bytes = sizeof(struct rte_flow_action_##conf), .form = flow_outer_items, \
		.which = tunnel \
	}

const struct flow_part flow_actions[] = {
	PLAIN("void", VOID),
	PLAIN("passthru", PASSTHRU),
	FIELDS("jump", JUMP, sizeof(struct rte_flow_action_jump), jump, 0),
	FIELDS("mark", MARK, sizeof(struct rte_flow_action_mark), mark, 0),
	PLAIN("flag", FLAG),
	FIELDS("queue", QUEUE, sizeof(struct rte_flow_action_queue), queue, 0),
	PLAIN("drop", DROP),
	FIELDS("count", COUNT, sizeof(struct rte_flow_action_count), count, 0),
	FORM("rss", RSS, sizeof(struct rte_flow_action_rss), KEY_ROOM, flow_form_rss),
	PLAIN("pf", PF),
	FIELDS("vf", VF, sizeof(struct rte_flow_action_vf), vf, 0),
	FIELDS("port_id", PORT_ID, sizeof(struct rte_flow_action_port_id), port_id, 0),
	FIELDS("meter", METER, sizeof(struct rte_flow_action_meter), meter, 0),
	FIELDS("color", METER_COLOR, sizeof(struct rte_flow_action_meter_color), color, 0),
	FIELDS("meter_mark", METER_MARK, sizeof(struct rte_flow_action_meter_mark), meter_mark, 0),
	PLAIN("of_dec_nw_ttl", OF_DEC_NW_TTL),
	PLAIN("of_pop_vlan", OF_POP_VLAN),
	FIELDS("of_push_vlan", OF_PUSH_VLAN, sizeof(struct rte_flow_action_of_push_vlan),
		of_push_vlan, 0),
	FIELDS("of_set_vlan_vid", OF_SET_VLAN_VID, sizeof(struct rte_flow_action_of_set_vlan_vid),
		of_set_vlan_vid, 0),
	FIELDS("of_set_vlan_pcp", OF_SET_VLAN_PCP, sizeof(struct rte_flow_action_of_set_vlan_pcp),
		of_set_vlan_pcp, 0),
	FIELDS("of_pop_mpls", OF_POP_MPLS, sizeof(struct rte_flow_action_of_pop_mpls), of_pop_mpls,
		0),
	FIELDS("of_push_mpls", OF_PUSH_MPLS, sizeof(struct rte_flow_action_of_push_mpls),
		of_push_mpls, 0),
	ITEMS_OF("vxlan_encap", VXLAN_ENCAP, vxlan_encap, FLOW_VXLAN),
	PLAIN("vxlan_decap", VXLAN_DECAP),
	ITEMS_OF("nvgre_encap", NVGRE_ENCAP, nvgre_encap, FLOW_NVGRE),
	PLAIN("nvgre_decap", NVGRE_DECAP),
	BYTES_OF("l2_encap", RAW_ENCAP, raw_encap, FLOW_L2_ENCAP),
	BYTES_OF("l2_decap", RAW_DECAP, raw_decap, FLOW_L2_DECAP),
	BYTES_OF("mplsogre_encap", RAW_ENCAP, raw_encap, FLOW_MPLSOGRE_ENCAP),
	BYTES_OF("mplsogre_decap", RAW_DECAP, raw_decap, FLOW_MPLSOGRE_DECAP),
	BYTES_OF("mplsoudp_encap", RAW_ENCAP, raw_encap, FLOW_MPLSOUDP_ENCAP),
	BYTES_OF("mplsoudp_decap", RAW_DECAP, raw_decap, FLOW_MPLSOUDP_DECAP),
	FIELDS("set_ipv4_src", SET_IPV4_SRC, sizeof(struct rte_flow_action_set_ipv4), set_ipv4_src,
		0),
	FIELDS("set_ipv4_dst", SET_IPV4_DST, sizeof(struct rte_flow_action_set_ipv4), set_ipv4_dst,
		0),
	FIELDS("set_ipv6_src", SET_IPV6_SRC, sizeof(struct rte_flow_action_set_ipv6), set_ipv6_src,
		0),
	FIELDS("set_ipv6_dst", SET_IPV6_DST, sizeof(struct rte_flow_action_set_ipv6), set_ipv6_dst,
		0),
	FIELDS("set_tp_src", SET_TP_SRC, sizeof(struct rte_flow_action_set_tp), set_tp_src, 0),
	FIELDS("set_tp_dst", SET_TP_DST, sizeof(struct rte_flow_action_set_tp), set_tp_dst, 0),
	PLAIN("mac_swap", MAC_SWAP),
	PLAIN("dec_ttl", DEC_TTL),
	FIELDS("set_ttl", SET_TTL, sizeof(struct rte_flow_action_set_ttl), set_ttl, 0),
	FIELDS("set_mac_src", SET_MAC_SRC, sizeof(struct rte_flow_action_set_mac), set_mac_src, 0),
	FIELDS("set_mac_dst", SET_MAC_DST, sizeof(struct rte_flow_action_set_mac), set_mac_dst, 0),
	FIELDS("inc_tcp_seq", INC_TCP_SEQ, sizeof(rte_be32_t), inc_tcp_seq, 0),
	FIELDS("dec_tcp_seq", DEC_TCP_SEQ, sizeof(rte_be32_t), dec_tcp_seq, 0),
	FIELDS("inc_tcp_ack", INC_TCP_ACK, sizeof(rte_be32_t), inc_tcp_ack, 0),
	FIELDS("dec_tcp_ack", DEC_TCP_ACK, sizeof(rte_be32_t), dec_tcp_ack, 0),
	FORM("raw_encap", RAW_ENCAP, sizeof(struct rte_flow_action_raw_encap), 0, flow_outer_raw),
	FORM("raw_decap", RAW_DECAP, sizeof(struct rte_flow_action_raw_decap), 0, flow_outer_raw),
	FIELDS("set_tag", SET_TAG, sizeof(struct rte_flow_action_set_tag), set_tag, 0),
	FIELDS("set_meta", SET_META, sizeof(struct rte_flow_action_set_meta), set_meta, 0),
	FIELDS("set_ipv4_dscp", SET_IPV4_DSCP, sizeof(struct rte_flow_action_set_dscp),
		set_ipv4_dscp, 0),
	FIELDS("set_ipv6_dscp", SET_IPV6_DSCP, sizeof(struct rte_flow_action_set_dscp),
		set_ipv6_dscp, 0),
	FIELDS("age", AGE, sizeof(struct rte_flow_action_age), age, 0),
	FIELDS("age_update", AGE, sizeof(struct rte_flow_update_age), age_update, 0),
	FORM("sample", SAMPLE, sizeof(struct rte_flow_action_sample), 0, flow_form_sample),
	{ .name = "indirect",
		.type = TYPE(INDIRECT),
		.room = sizeof(void *),
		.fields = indirect,
		.n = ARRAY_SIZE(indirect),
		.handle = true },
	FIELDS("modify_field", MODIFY_FIELD, sizeof(struct rte_flow_action_modify_field),
		modify_field, VALUE_ROOM),
	BARE("conntrack", CONNTRACK, sizeof(struct rte_flow_action_conntrack)),
	FORM("conntrack_update", CONNTRACK, sizeof(struct rte_flow_modify_conntrack), 0,
		flow_form_conntrack_update),
	FIELDS("port_representor", PORT_REPRESENTOR, sizeof(struct rte_flow_action_ethdev),
		port_representor, 0),
	FIELDS("represented_port", REPRESENTED_PORT, sizeof(struct rte_flow_action_ethdev),
		represented_port, 0),
	PLAIN("send_to_kernel", SEND_TO_KERNEL),
	SINCE_23_03("skip_cman", PLAIN("skip_cman", SKIP_CMAN)),
	SINCE_23_03("quota_create",
		FIELDS("quota_create", QUOTA, sizeof(struct rte_flow_action_quota), quota_create,
			0)),
	SINCE_23_03("quota_update",
		FIELDS("quota_update", QUOTA, sizeof(struct rte_flow_update_quota), quota_update,
			0)),
	SINCE_24_03("nat64",
		FIELDS("nat64", NAT64, sizeof(struct rte_flow_action_nat64), nat64, 0)),
	SINCE_24_11("jump_to_table_index",
		FIELDS("jump_to_table_index", JUMP_TO_TABLE_INDEX,
			sizeof(struct rte_flow_action_jump_to_table_index), jump_to_table_index,
			0)),
};
const size_t flow_actions_n = ARRAY_SIZE(flow_actions);
