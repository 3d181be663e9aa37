/* Commands that set data for items and actions of flow rules: headers, tunnels, lists of actions,
 * connections. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "features/flow/flow_priv.h"
#include "features/flow/language/flow_outer.h"
#include "features/flow/language/flow_value.h"

#include <rte_byteorder.h>
#include <rte_hexdump.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
raw_set(struct app *app, const struct args *a, struct err *e)
{
	struct flow_presets *p = port_flow_presets(&app->ports);
	struct flow_rule *rule = cmd_flow_read(app, a, FLOW_NO_PORT, e);
	int ret;

	if (rule == NULL)
		return -e->code;
	ret = flow_headers_build(rule->item, rule->n_items,
		arg_given(a, "raw_decap") ? &p->decap[rule->said.index]
					  : &p->encap[rule->said.index],
		e);
	free(rule);
	return ret;
}

/* Whether the action sample may contain this action: only actions whose data lives as long as the
 * preset. */
static bool
is_sampled(enum rte_flow_action_type type)
{
	static const enum rte_flow_action_type types[] = { RTE_FLOW_ACTION_TYPE_MARK,
		RTE_FLOW_ACTION_TYPE_COUNT, RTE_FLOW_ACTION_TYPE_QUEUE, RTE_FLOW_ACTION_TYPE_RSS,
		RTE_FLOW_ACTION_TYPE_RAW_ENCAP, RTE_FLOW_ACTION_TYPE_PORT_ID,
		RTE_FLOW_ACTION_TYPE_PF, RTE_FLOW_ACTION_TYPE_VF, RTE_FLOW_ACTION_TYPE_VXLAN_ENCAP,
		RTE_FLOW_ACTION_TYPE_NVGRE_ENCAP, RTE_FLOW_ACTION_TYPE_PORT_REPRESENTOR,
		RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i] == type)
			return true;
	return false;
}

static int
sample_set(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule = cmd_flow_read(app, a, FLOW_NO_PORT, e);
	struct flow_rule **to;

	if (rule == NULL)
		return -e->code;
	for (unsigned int i = 0; i < rule->n_actions; i++) {
		if (is_sampled(rule->action[i].type))
			continue;
		free(rule);
		return err_set(e, ENOTSUP, "Error - Not supported action: number %u of the list",
			i + 1);
	}
	to = &port_flow_presets(&app->ports)->sample[rule->said.index];
	free(*to);
	*to = rule;
	return 0;
}

/* A row's tunnel, and the optional header parts that its words set. */
struct tunnel_row {
	enum flow_tunnel tunnel;
	bool vlan, tos_ttl;
	unsigned int shift; /* of the id within its three bytes */
};

/* Set an address, which must be of the header's family. */
static int
address_set(const struct args *a, const char *name, bool v6, uint8_t *to, struct err *e)
{
	const struct arg *address = arg_find(a, name);

	if (address == NULL)
		return 0;
	if ((address->number == 6) != v6)
		return arg_err(a, name, e, EINVAL, "not an IPv%d address", v6 ? 6 : 4);
	inet_pton(v6 ? AF_INET6 : AF_INET, address->text, to);
	return 0;
}

static rte_be16_t
be16_of(const struct args *a, const char *name, rte_be16_t otherwise)
{
	return arg_given(a, name) ? rte_cpu_to_be_16((uint16_t)arg_u64(a, name, 0)) : otherwise;
}

static int
tunnel_set(struct app *app, const struct args *a, struct err *e)
{
	const struct tunnel_row *row = a->data;
	struct flow_outer *to = &port_flow_presets(&app->ports)->outer[row->tunnel], o = *to;
	const uint32_t id = (uint32_t)arg_u64(a, "id", 0) << row->shift;

	o.vlan = row->vlan;
	o.tos_ttl = row->tos_ttl;
	o.v6 = arg_is(a, "version", "ipv6");
	for (unsigned int i = 0; i < sizeof(o.id); i++)
		o.id[i] = (uint8_t)(id >> (16 - 8 * i));
	o.udp_src = be16_of(a, "udp_src", o.udp_src);
	o.udp_dst = be16_of(a, "udp_dst", o.udp_dst);
	o.tci = be16_of(a, "tci", o.tci);
	o.tos = (uint8_t)arg_u64(a, "tos", 0);
	o.ttl = (uint8_t)arg_u64(a, "ttl", 0);
	if (address_set(a, "src", o.v6, o.src, e) != 0 ||
		address_set(a, "dst", o.v6, o.dst, e) != 0)
		return -e->code;
	if (arg_given(a, "eth_src"))
		memcpy(&o.eth_src, arg_find(a, "eth_src")->mac, sizeof(o.eth_src));
	if (arg_given(a, "eth_dst"))
		memcpy(&o.eth_dst, arg_find(a, "eth_dst")->mac, sizeof(o.eth_dst));
	*to = o;
	return 0;
}

/* Read an argument in hexadecimal. Returns the number of bytes, or -errno. */
static int
hex_of(const struct args *a, const char *name, uint8_t *bytes, struct err *e)
{
	int n = flow_value_hex(arg_str(a, name, ""), bytes, FLOW_PATTERN_BYTES);

	return n > 0 ? n
		     : arg_err(a, name, e, -n, "expected 1..%d bytes in hexadecimal",
			       FLOW_PATTERN_BYTES);
}

static int
pattern_set(struct app *app, const struct args *a, struct err *e)
{
	struct flow_pattern p = { 0 };
	int n = hex_of(a, "spec", p.spec, e), n_mask = n;

	if (n < 0)
		return n;
	memset(p.mask, 0xff, (size_t)n);
	if (arg_given(a, "mask"))
		n_mask = hex_of(a, "mask", p.mask, e);
	if (n_mask < 0)
		return n_mask;
	if (n_mask != n)
		return err_set(e, EINVAL,
			"mask of %d bytes, spec of %d bytes: expected the same length", n_mask, n);
	p.bytes = (uint32_t)n;
	port_flow_presets(&app->ports)->pattern[arg_u64(a, "number", 0)] = p;
	out_say(app->out, "created pattern #%u\n", (unsigned int)arg_u64(a, "number", 0));
	return 0;
}

static int
conntrack_set(struct app *app, const struct args *a, struct err *e)
{
	struct rte_flow_action_conntrack *c = &port_flow_presets(&app->ports)->conntrack;

	c->peer_port = (uint16_t)arg_u64(a, "peer", 0);
	c->is_original_dir = arg_u64(a, "is_orig", 0) & 1;
	c->enable = arg_u64(a, "enable", 0) & 1;
	c->live_connection = arg_u64(a, "live", 0) & 1;
	c->selective_ack = arg_u64(a, "sack", 0) & 1;
	c->challenge_ack_passed = arg_u64(a, "cack", 0) & 1;
	c->last_direction = arg_u64(a, "last_dir", 0) & 1;
	c->liberal_mode = arg_u64(a, "liberal", 0) & 1;
	c->state = (enum rte_flow_conntrack_state)arg_u64(a, "state", 0);
	c->max_ack_window = (uint8_t)arg_u64(a, "max_ack_win", 0);
	c->retransmission_limit = (uint8_t)arg_u64(a, "r_lim", 0);
	c->last_window = (uint16_t)arg_u64(a, "last_win", 0);
	c->last_index = (enum rte_flow_conntrack_tcp_last_index)arg_u64(a, "last_index", 0);
	c->last_seq = (uint32_t)arg_u64(a, "last_seq", 0);
	c->last_ack = (uint32_t)arg_u64(a, "last_ack", 0);
	c->last_end = (uint32_t)arg_u64(a, "last_end", 0);
	return 0;
}

static int
direction_set(struct app *app, const struct args *a, struct err *e)
{
	struct rte_flow_action_conntrack *c = &port_flow_presets(&app->ports)->conntrack;
	struct rte_flow_tcp_dir_param *d = arg_given(a, "rply") ? &c->reply_dir : &c->original_dir;

	d->scale = arg_u64(a, "scale", 0) & 0xf;
	d->close_initiated = arg_u64(a, "fin", 0) & 1;
	d->last_ack_seen = arg_u64(a, "acked", 0) & 1;
	d->data_unacked = arg_u64(a, "unack_data", 0) & 1;
	d->sent_end = (uint32_t)arg_u64(a, "sent_end", 0);
	d->reply_end = (uint32_t)arg_u64(a, "reply_end", 0);
	d->max_win = (uint32_t)arg_u64(a, "max_win", 0);
	d->max_ack = (uint32_t)arg_u64(a, "max_ack", 0);
	return 0;
}

/* Show bytes as testpmd does; in JSON as one hexadecimal string. */
static void
headers_show(struct out *o, uint64_t index, const struct flow_headers *h)
{
	char word[2 * FLOW_HEADERS_BYTES + 1] = "", title[32], *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	for (size_t i = 0; i < h->bytes; i++)
		snprintf(word + 2 * i, 3, "%02x", h->data[i]);
	if (f == NULL)
		return;
	snprintf(title, sizeof(title), "\nindex: %u", (unsigned int)index);
	rte_hexdump(f, title, h->data, (unsigned int)h->bytes);
	fclose(f);
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "index", NULL, index);
	out_str(o, "data", NULL, word);
	out_text(o, "%s", text);
	out_unnest(o);
	free(text);
}

static int
raw_show(struct app *app, const struct args *a, struct err *e)
{
	const struct flow_headers *h = arg_given(a, "raw_decap")
		? port_flow_presets(&app->ports)->decap
		: port_flow_presets(&app->ports)->encap;
	const bool all = arg_given(a, "all");
	const uint64_t first = arg_u64(a, "index", 0), last = all ? FLOW_PRESETS - 1 : first;

	out_nest(app->out, "headers", OUT_ARRAY);
	for (uint64_t i = first; i <= last; i++)
		headers_show(app->out, i, &h[i]);
	out_unnest(app->out);
	return 0;
}

#define U8 "0..255"
#define U16 "0..65535"
#define U24 "0..16777215"
#define U32 "0..4294967295"
#define LABEL "0..1048575"
#define VERSION "ip-version <version:word ipv4|ipv6>"
#define UDP "udp-src <udp_src:uint " U16 "> udp-dst <udp_dst:uint " U16 ">"
#define IPS "ip-src <src:ip> ip-dst <dst:ip>"
#define VLAN "vlan-tci <tci:uint " U16 ">"
#define ETHS "eth-src <eth_src:mac> eth-dst <eth_dst:mac>"
#define EXAMPLE_IPS "ip-src 198.18.0.1 ip-dst 198.18.0.2"
#define EXAMPLE_UDP "udp-src 4 udp-dst 5"
#define EXAMPLE_ETHS "eth-src 02:00:00:00:00:01 eth-dst 02:00:00:00:00:02"
#define TUNNEL(...) \
	&(const struct tunnel_row) \
	{ \
		__VA_ARGS__ \
	}
#define BIT(name) " " name " <" name ":uint 0..1>"

static const struct cmd_row rows[] = {
	{ "set (raw_encap|raw_decap) <words:flow raw>", raw_set,
		"set the headers of the actions raw_encap and raw_decap: [INDEX] ITEM [/ ITEM ...] / end_set",
		"set raw_encap 1 eth / ipv4 src is 198.18.0.1 / end_set",
		CMD_FLOW(&flow_phrase_raw), cmd_flow_check },
	{ "set sample_actions <words:flow sample>", sample_set,
		"set the actions of the action sample: INDEX ACTION [/ ACTION ...] / end",
		"set sample_actions 0 mark id 7 / queue index 1 / end",
		CMD_FLOW(&flow_phrase_sample), cmd_flow_check },
	{ "set flex_pattern <number:uint 0..63> is <spec:str>", pattern_set,
		"set the bytes that a flex item matches: HEX", "set flex_pattern 1 is a1b2" },
	{ "set flex_pattern <number:uint 0..63> spec <spec:str> mask <mask:str>", pattern_set,
		"set the bytes that a flex item matches under a mask",
		"set flex_pattern 1 spec a1b2 mask ff00" },
	{ "set vxlan " VERSION " vni <id:uint " U24 "> " UDP " " IPS " " ETHS, tunnel_set,
		"set the header for the action vxlan_encap",
		"set vxlan ip-version ipv4 vni 3 " EXAMPLE_UDP " " EXAMPLE_IPS " " EXAMPLE_ETHS,
		TUNNEL(FLOW_VXLAN) },
	{ "set vxlan-tos-ttl " VERSION " vni <id:uint " U24 "> " UDP " ip-tos <tos:uint " U8
	  "> ip-ttl <ttl:uint " U8 "> " IPS " " ETHS,
		tunnel_set, "set the header for the action vxlan_encap, with TOS and TTL",
		"set vxlan-tos-ttl ip-version ipv4 vni 3 " EXAMPLE_UDP
		" ip-tos 16 ip-ttl 9 " EXAMPLE_IPS " " EXAMPLE_ETHS,
		TUNNEL(FLOW_VXLAN, .tos_ttl = true) },
	{ "set vxlan-with-vlan " VERSION " vni <id:uint " U24 "> " UDP " " IPS " " VLAN " " ETHS,
		tunnel_set, "set the header for the action vxlan_encap, with a VLAN tag",
		"set vxlan-with-vlan ip-version ipv4 vni 3 " EXAMPLE_UDP " " EXAMPLE_IPS
		" vlan-tci 6 " EXAMPLE_ETHS,
		TUNNEL(FLOW_VXLAN, .vlan = true) },
	{ "set nvgre " VERSION " tni <id:uint " U24 "> " IPS " " ETHS, tunnel_set,
		"set the header for the action nvgre_encap",
		"set nvgre ip-version ipv4 tni 3 " EXAMPLE_IPS " " EXAMPLE_ETHS,
		TUNNEL(FLOW_NVGRE) },
	{ "set nvgre-with-vlan " VERSION " tni <id:uint " U24 "> " IPS " " VLAN " " ETHS,
		tunnel_set, "set the header for the action nvgre_encap, with a VLAN tag",
		"set nvgre-with-vlan ip-version ipv4 tni 3 " EXAMPLE_IPS
		" vlan-tci 6 " EXAMPLE_ETHS,
		TUNNEL(FLOW_NVGRE, .vlan = true) },
	{ "set l2_encap " VERSION " " ETHS, tunnel_set, "set the header for the action l2_encap",
		"set l2_encap ip-version ipv4 " EXAMPLE_ETHS, TUNNEL(FLOW_L2_ENCAP) },
	{ "set l2_encap-with-vlan " VERSION " " VLAN " " ETHS, tunnel_set,
		"set the header for the action l2_encap, with a VLAN tag",
		"set l2_encap-with-vlan ip-version ipv4 vlan-tci 6 " EXAMPLE_ETHS,
		TUNNEL(FLOW_L2_ENCAP, .vlan = true) },
	{ "set l2_decap", tunnel_set, "set the header that the action l2_decap removes",
		"set l2_decap", TUNNEL(FLOW_L2_DECAP) },
	{ "set l2_decap-with-vlan", tunnel_set,
		"set the header that the action l2_decap removes, with a VLAN tag",
		"set l2_decap-with-vlan", TUNNEL(FLOW_L2_DECAP, .vlan = true) },
	{ "set mplsogre_encap " VERSION " label <id:uint " LABEL "> " IPS " " ETHS, tunnel_set,
		"set the header for the action mplsogre_encap",
		"set mplsogre_encap ip-version ipv4 label 3 " EXAMPLE_IPS " " EXAMPLE_ETHS,
		TUNNEL(FLOW_MPLSOGRE_ENCAP, .shift = 4) },
	{ "set mplsogre_encap-with-vlan " VERSION " label <id:uint " LABEL "> " IPS " " VLAN
	  " " ETHS,
		tunnel_set, "set the header for the action mplsogre_encap, with a VLAN tag",
		"set mplsogre_encap-with-vlan ip-version ipv4 label 3 " EXAMPLE_IPS
		" vlan-tci 6 " EXAMPLE_ETHS,
		TUNNEL(FLOW_MPLSOGRE_ENCAP, .vlan = true, .shift = 4) },
	{ "set mplsogre_decap " VERSION, tunnel_set,
		"set the header that the action mplsogre_decap removes",
		"set mplsogre_decap ip-version ipv4", TUNNEL(FLOW_MPLSOGRE_DECAP) },
	{ "set mplsogre_decap-with-vlan " VERSION, tunnel_set,
		"set the header that the action mplsogre_decap removes, with a VLAN tag",
		"set mplsogre_decap-with-vlan ip-version ipv4",
		TUNNEL(FLOW_MPLSOGRE_DECAP, .vlan = true) },
	{ "set mplsoudp_encap " VERSION " label <id:uint " LABEL "> " UDP " " IPS " " ETHS,
		tunnel_set, "set the header for the action mplsoudp_encap",
		"set mplsoudp_encap ip-version ipv4 label 3 " EXAMPLE_UDP " " EXAMPLE_IPS
		" " EXAMPLE_ETHS,
		TUNNEL(FLOW_MPLSOUDP_ENCAP, .shift = 4) },
	{ "set mplsoudp_encap-with-vlan " VERSION " label <id:uint " LABEL "> " UDP " " IPS " " VLAN
	  " " ETHS,
		tunnel_set, "set the header for the action mplsoudp_encap, with a VLAN tag",
		"set mplsoudp_encap-with-vlan ip-version ipv4 label 3 " EXAMPLE_UDP " " EXAMPLE_IPS
		" vlan-tci 6 " EXAMPLE_ETHS,
		TUNNEL(FLOW_MPLSOUDP_ENCAP, .vlan = true, .shift = 4) },
	{ "set mplsoudp_decap " VERSION, tunnel_set,
		"set the header that the action mplsoudp_decap removes",
		"set mplsoudp_decap ip-version ipv4", TUNNEL(FLOW_MPLSOUDP_DECAP) },
	{ "set mplsoudp_decap-with-vlan " VERSION, tunnel_set,
		"set the header that the action mplsoudp_decap removes, with a VLAN tag",
		"set mplsoudp_decap-with-vlan ip-version ipv4",
		TUNNEL(FLOW_MPLSOUDP_DECAP, .vlan = true) },
	{ "set conntrack com peer <peer:uint " U16
	  ">" BIT("is_orig") BIT("enable") BIT("live") BIT("sack") BIT("cack") BIT("last_dir") BIT(
		  "liberal") " state <state:uint 0..4>"
			     " max_ack_win <max_ack_win:uint " U8 "> r_lim <r_lim:uint " U8
			     "> last_win <last_win:uint " U16 "> last_seq <last_seq:uint " U32
			     "> last_ack <last_ack:uint " U32 "> last_end <last_end:uint " U32
			     "> last_index <last_index:uint 0..6>",
		conntrack_set, "set the connection state for the indirect action conntrack",
		"set conntrack com peer 1 is_orig 1 enable 1 live 1 sack 1 cack 0 last_dir 0 liberal 0 state 1 "
		"max_ack_win 7 r_lim 5 last_win 510 last_seq 2 last_ack 3 last_end 4 last_index 1" },
	{ "set conntrack (orig|rply) scale <scale:uint 0..15>" BIT("fin") BIT("acked") BIT(
		  "unack_data") " sent_end <sent_end:uint " U32 "> reply_end <reply_end:uint " U32
				"> max_win <max_win:uint " U32 "> max_ack <max_ack:uint " U32 ">",
		direction_set, "set the state of one direction of the connection",
		"set conntrack orig scale 7 fin 0 acked 1 unack_data 0 sent_end 2 reply_end 3 max_win 4 max_ack 5" },
	{ "show (raw_encap|raw_decap) <index:uint 0..7>", raw_show,
		"show the headers set by \"set raw_encap\" or \"set raw_decap\"",
		"show raw_encap 1", .shows = true },
	{ "show (raw_encap|raw_decap) (all)", raw_show,
		"show all headers set by \"set raw_encap\" or \"set raw_decap\"",
		"show raw_decap all", .shows = true },
};

const struct cmd_table cmds_flow_set = { "flow", "flow rules", rows, ARRAY_SIZE(rows), CMD_FLOW };
