/* Outer headers of tunnels as items, from a table of layers, and their bytes for actions that need bytes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_outer.h"

#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/words.h"
#include "compat.h"
#include "features/flow/language/flow_rule.h"

#include <rte_esp.h>
#include <rte_geneve.h>
#include <rte_gre.h>
#include <rte_gtp.h>
#include <rte_ip.h>
#include <rte_mpls.h>
#include <rte_tcp.h>
#include <rte_udp.h>
#include <rte_vxlan.h>

#include <errno.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <string.h>

/* Build headers from the last item to the first, because each one has the type of the next. */

enum { SAME = -1 }; /* keeps the protocol of the header after it */

/* The headers built so far are at the end of data. */
struct build {
	uint8_t data[FLOW_HEADERS_BYTES];
	size_t bytes;
	uint16_t upper; /* EtherType or IP protocol of the following header */
	int psc;        /* item number of GTP's extension header; -1: none yet */
	int at;         /* number of the current item */
};

/* A type of header. */
struct header {
	enum rte_flow_item_type type;
	size_t bytes;
	int protocol;     /* its number in the preceding header, or SAME */
	const void *mask; /* used if there is no spec */
	/* fills in the type of the next header, and constants; NULL: nothing */
	void (*fix)(uint8_t *header, uint16_t upper);
	/* replaces the default way to add the header; NULL: default */
	int (*add)(struct build *b, const void *spec, struct err *e);
};

/* Put bytes before those built so far. */
static int
put(struct build *b, const void *data, size_t n, struct err *e)
{
	if (b->bytes + n > sizeof(b->data))
		return err_set(e, E2BIG, "the headers are longer than %d bytes",
			FLOW_HEADERS_BYTES);
	b->bytes += n;
	memcpy(b->data + sizeof(b->data) - b->bytes, data, n);
	return 0;
}

static void
eth_fix(uint8_t *header, uint16_t upper)
{
	struct rte_ether_hdr *eth = (void *)header;

	if (upper != 0)
		eth->ether_type = rte_cpu_to_be_16(upper);
}

static void
ipv4_fix(uint8_t *header, uint16_t upper)
{
	struct rte_ipv4_hdr *ip = (void *)header;

	if (ip->version_ihl == 0)
		ip->version_ihl = RTE_IPV4_VHL_DEF;
	if (ip->next_proto_id == 0)
		ip->next_proto_id = (uint8_t)upper;
}

static void
ipv6_fix(uint8_t *header, uint16_t upper)
{
	struct rte_ipv6_hdr *ip = (void *)header;

	if (ip->proto == 0)
		ip->proto = (uint8_t)upper;
	header[0] = (uint8_t)(0x60 | (header[0] & 0x0f));
}

static void
vxlan_fix(uint8_t *header, uint16_t upper)
{
	header[0] = 0x08; /* VNI present */
}

static void
vxlan_gpe_fix(uint8_t *header, uint16_t upper)
{
	header[0] = 0x0c; /* VNI and next protocol present */
}

static void
nvgre_fix(uint8_t *header, uint16_t upper)
{
	struct rte_flow_item_nvgre *nvgre = (void *)header;

	nvgre->c_k_s_rsvd0_ver = RTE_BE16(0x2000); /* key present, the TNI */
	nvgre->protocol = RTE_BE16(RTE_ETHER_TYPE_TEB);
}

/* The data of an option is not stored in the item. */
static int
geneve_opt_add(struct build *b, const void *spec, struct err *e)
{
	const struct rte_flow_item_geneve_opt *o = spec;
	const size_t head = offsetof(struct rte_flow_item_geneve_opt, option_len) + 1;
	int ret = 0;

	if (o->data != NULL)
		ret = put(b, o->data, o->option_len * 4u, e);
	return ret == 0 ? put(b, spec, head, e) : ret;
}

static int
gre_option_add(struct build *b, const void *spec, struct err *e)
{
	const struct rte_flow_item_gre_opt *o = spec;
	int ret = 0;

	if (o == NULL)
		return 0;
	if (o->sequence.sequence != 0)
		ret = put(b, &o->sequence, sizeof(o->sequence), e);
	if (ret == 0 && o->key.key != 0)
		ret = put(b, &o->key, sizeof(o->key), e);
	if (ret == 0 && o->checksum_rsvd.checksum != 0)
		ret = put(b, &o->checksum_rsvd, sizeof(o->checksum_rsvd), e);
	return ret;
}

static int
gtp_psc_add(struct build *b, const void *spec, struct err *e)
{
	const struct rte_flow_item_gtp_psc *psc = spec;
	uint8_t bytes[RTE_ALIGN(sizeof(struct rte_gtp_psc_generic_hdr), 4)] = { 0 };
	struct rte_gtp_psc_generic_hdr header = psc->hdr;

	if (b->psc >= 0)
		return err_set(e, EINVAL, "Error - Multiple GTP PSC items");
	b->psc = b->at;
	header.ext_hdr_len = 1;
	memcpy(bytes, &header, sizeof(header));
	return put(b, bytes, sizeof(bytes), e);
}

/* An extension header is preceded by a word with its type. */
static int
gtp_add(struct build *b, const void *spec, struct err *e)
{
	static const uint8_t announced[4] = { [3] = 0x85 };
	const struct rte_flow_item_gtp *gtp = spec;
	int ret = 0;

	if (b->psc >= 0) {
		if (b->psc != b->at + 1)
			return err_set(e, EINVAL, "Error - GTP PSC does not follow GTP");
		if ((gtp->v_pt_rsv_flags & 0x07) != 0x04)
			return err_set(e, EINVAL, "Error - GTP unsupported flags");
		ret = put(b, announced, sizeof(announced), e);
	}
	return ret == 0 ? put(b, spec, sizeof(struct rte_gtp_hdr), e) : ret;
}

static int
flex_add(struct build *b, const void *spec, struct err *e)
{
	const struct rte_flow_item_flex *flex = spec;

	return flex != NULL && flex->pattern != NULL ? put(b, flex->pattern, flex->length, e) : 0;
}

#define TYPE(type_) .type = RTE_FLOW_ITEM_TYPE_##type_

/* A header that is at the start of the item's struct. */
#define HEADER(type_, of, protocol_, mask_, fix_) \
	{ \
		TYPE(type_), .bytes = sizeof(of), .protocol = protocol_, \
			     .mask = &rte_flow_item_##mask_##_mask, .fix = fix_ \
	}

static const rte_be32_t rte_flow_item_gre_key_mask = RTE_BE32(UINT32_MAX);

static const struct header headers[] = {
	HEADER(ETH, struct rte_ether_hdr, SAME, eth, eth_fix),
	HEADER(VLAN, struct rte_vlan_hdr, RTE_ETHER_TYPE_VLAN, vlan, NULL),
	HEADER(IPV4, struct rte_ipv4_hdr, RTE_ETHER_TYPE_IPV4, ipv4, ipv4_fix),
	HEADER(IPV6, struct rte_ipv6_hdr, RTE_ETHER_TYPE_IPV6, ipv6, ipv6_fix),
	HEADER(UDP, struct rte_udp_hdr, IPPROTO_UDP, udp, NULL),
	HEADER(TCP, struct rte_tcp_hdr, IPPROTO_TCP, tcp, NULL),
	HEADER(VXLAN, struct rte_vxlan_hdr, SAME, vxlan, vxlan_fix),
	HEADER(VXLAN_GPE, struct rte_vxlan_gpe_hdr, SAME, vxlan_gpe, vxlan_gpe_fix),
	HEADER(GRE, struct rte_gre_hdr, IPPROTO_GRE, gre, NULL),
	HEADER(GRE_KEY, rte_be32_t, 0, gre_key, NULL),
	HEADER(MPLS, struct rte_mpls_hdr, 0, mpls, NULL),
	HEADER(NVGRE, struct rte_flow_item_nvgre, IPPROTO_GRE, nvgre, nvgre_fix),
	HEADER(GENEVE, struct rte_geneve_hdr, SAME, geneve, NULL),
	HEADER(L2TPV3OIP, rte_be32_t, 115, l2tpv3oip, NULL),
	HEADER(ESP, struct rte_esp_hdr, IPPROTO_ESP, esp, NULL),
	HEADER(AH, struct rte_flow_item_ah, IPPROTO_AH, ah, NULL),
	HEADER(PFCP, struct rte_flow_item_pfcp, SAME, pfcp, NULL),
	{ TYPE(GENEVE_OPT), .protocol = SAME, .mask = &rte_flow_item_geneve_opt_mask,
		.add = geneve_opt_add },
	{ TYPE(GRE_OPTION), .protocol = IPPROTO_GRE, .add = gre_option_add },
	{ TYPE(GTP), .protocol = SAME, .mask = &rte_flow_item_gtp_mask, .add = gtp_add },
	{ TYPE(GTP_PSC), .protocol = SAME, .mask = &rte_flow_item_gtp_psc_mask,
		.add = gtp_psc_add },
	{ TYPE(FLEX), .protocol = SAME, .add = flex_add },
};

static int
add(struct build *b, const struct rte_flow_item *item, struct err *e)
{
	const struct header *h = NULL;
	const void *spec;
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (headers[i].type == item->type)
			h = &headers[i];
	if (h == NULL)
		return err_set(e, ENOTSUP, "Error - Not supported item");
	spec = item->spec != NULL ? item->spec : h->mask;
	ret = h->add != NULL ? h->add(b, spec, e) : put(b, spec, h->bytes, e);
	if (ret == 0 && h->fix != NULL)
		h->fix(b->data + sizeof(b->data) - b->bytes, b->upper);
	if (h->protocol != SAME)
		b->upper = (uint16_t)h->protocol;
	return ret;
}

int
flow_headers_build(const struct rte_flow_item *items, unsigned int n, struct flow_headers *h,
	struct err *e)
{
	struct build b = { .psc = -1 };

	for (unsigned int i = n; i-- > 0;) {
		b.at = (int)i;
		if (add(&b, &items[i], e) != 0)
			return -e->code;
	}
	memset(h, 0, sizeof(*h));
	memcpy(h->data, b.data + sizeof(b.data) - b.bytes, b.bytes);
	h->bytes = b.bytes;
	return 0;
}

enum { LAYERS = 6, MPLS_TYPE = 0x8847, MPLS_PORT = 6635, TC_SHIFT = 20 };

/* A header being built, in its rule's store. */
struct outer {
	const struct flow_outer *from;
	const struct outer_kind *kind;
	const struct rte_ether_addr *eth_src, *eth_dst;
	struct rte_flow_item item[LAYERS];
	unsigned int n;
	struct rte_flow_item_eth eth;
	struct rte_flow_item_vlan vlan;
	struct rte_flow_item_ipv4 ipv4, ipv4_mask;
	struct rte_flow_item_ipv6 ipv6, ipv6_mask;
	struct rte_flow_item_udp udp;
	struct rte_flow_item_vxlan vxlan;
	struct rte_flow_item_nvgre nvgre;
	struct rte_flow_item_gre gre;
	struct rte_flow_item_mpls mpls;
};

/* Layers of a tunnel's header, outermost first, and the form its actions need. */
struct outer_kind {
	void (*layer[LAYERS])(struct outer *x);
	bool bytes;       /* as packet bytes; false: as items with masks */
	bool taken;       /* for removal: fewer fields are set */
	bool typed;       /* set the EtherType */
	uint8_t protocol; /* of the IP header */
};

static void
outer_add(struct outer *x, enum rte_flow_item_type type, const void *spec, const void *mask)
{
	x->item[x->n++] = (struct rte_flow_item){ type, spec, NULL, mask };
}

static rte_be16_t
ip_type(const struct outer *x)
{
	if (!x->kind->typed)
		return 0;
	return x->from->v6 ? RTE_BE16(RTE_ETHER_TYPE_IPV6) : RTE_BE16(RTE_ETHER_TYPE_IPV4);
}

static void
eth(struct outer *x)
{
	x->eth.hdr.dst_addr = *x->eth_dst;
	x->eth.hdr.src_addr = *x->eth_src;
	x->eth.hdr.ether_type = ip_type(x);
	outer_add(x, RTE_FLOW_ITEM_TYPE_ETH, &x->eth, &rte_flow_item_eth_mask);
}

/* Without a VLAN tag, a list of items has a VOID item in its place. */
static void
vlan(struct outer *x)
{
	x->vlan.hdr.vlan_tci = x->from->tci;
	x->vlan.hdr.eth_proto = ip_type(x);
	if (x->from->vlan || !x->kind->bytes)
		outer_add(x, x->from->vlan ? RTE_FLOW_ITEM_TYPE_VLAN : RTE_FLOW_ITEM_TYPE_VOID,
			&x->vlan, &rte_flow_item_vlan_mask);
}

static void
ipv4(struct outer *x)
{
	struct rte_ipv4_hdr *ip = &x->ipv4.hdr;

	memcpy(&ip->src_addr, x->from->src, sizeof(ip->src_addr));
	memcpy(&ip->dst_addr, x->from->dst, sizeof(ip->dst_addr));
	ip->next_proto_id = x->kind->protocol;
	if (x->kind->bytes && !x->kind->taken)
		ip->time_to_live = IPDEFTTL;
	x->ipv4_mask = rte_flow_item_ipv4_mask;
	if (x->from->tos_ttl) {
		ip->type_of_service = x->from->tos;
		ip->time_to_live = x->from->ttl;
		x->ipv4_mask.hdr.type_of_service = x->ipv4_mask.hdr.time_to_live = 0xff;
	}
	outer_add(x, RTE_FLOW_ITEM_TYPE_IPV4, &x->ipv4, &x->ipv4_mask);
}

static void
ipv6(struct outer *x)
{
	struct rte_ipv6_hdr *ip = &x->ipv6.hdr;

	memcpy(&ip->src_addr, x->from->src, sizeof(ip->src_addr));
	memcpy(&ip->dst_addr, x->from->dst, sizeof(ip->dst_addr));
	ip->proto = x->kind->protocol;
	if (x->kind->bytes && !x->kind->taken)
		ip->hop_limits = IPDEFTTL;
	x->ipv6_mask = rte_flow_item_ipv6_mask;
	if (x->from->tos_ttl) {
		ip->vtc_flow = rte_cpu_to_be_32((uint32_t)x->from->tos << TC_SHIFT);
		ip->hop_limits = x->from->ttl;
		x->ipv6_mask.hdr.vtc_flow |= RTE_BE32(0xffu << TC_SHIFT);
		x->ipv6_mask.hdr.hop_limits = 0xff;
	}
	outer_add(x, RTE_FLOW_ITEM_TYPE_IPV6, &x->ipv6, &x->ipv6_mask);
}

static void
ip(struct outer *x)
{
	if (x->from->v6)
		ipv6(x);
	else
		ipv4(x);
}

static void
udp(struct outer *x)
{
	x->udp.hdr.src_port = x->from->udp_src;
	x->udp.hdr.dst_port = x->kind->taken ? RTE_BE16(MPLS_PORT) : x->from->udp_dst;
	outer_add(x, RTE_FLOW_ITEM_TYPE_UDP, &x->udp, &rte_flow_item_udp_mask);
}

static void
vxlan(struct outer *x)
{
	memcpy(x->vxlan.vni, x->from->id, sizeof(x->vxlan.vni));
	outer_add(x, RTE_FLOW_ITEM_TYPE_VXLAN, &x->vxlan, &rte_flow_item_vxlan_mask);
}

static void
nvgre(struct outer *x)
{
	x->nvgre.c_k_s_rsvd0_ver = RTE_BE16(0x2000);
	x->nvgre.protocol = RTE_BE16(RTE_ETHER_TYPE_TEB);
	memcpy(x->nvgre.tni, x->from->id, sizeof(x->nvgre.tni));
	outer_add(x, RTE_FLOW_ITEM_TYPE_NVGRE, &x->nvgre, &rte_flow_item_nvgre_mask);
}

static void
gre(struct outer *x)
{
	x->gre.protocol = RTE_BE16(MPLS_TYPE);
	outer_add(x, RTE_FLOW_ITEM_TYPE_GRE, &x->gre, &rte_flow_item_gre_mask);
}

/* There is only one label, so the bottom-of-stack bit is set. */
static void
mpls(struct outer *x)
{
	memcpy(x->mpls.label_tc_s, x->from->id, sizeof(x->mpls.label_tc_s));
	if (!x->kind->taken)
		x->mpls.label_tc_s[2] |= 1;
	outer_add(x, RTE_FLOW_ITEM_TYPE_MPLS, &x->mpls, &rte_flow_item_mpls_mask);
}

static const struct outer_kind kinds[FLOW_TUNNELS] = {
	[FLOW_VXLAN] = { { eth, vlan, ip, udp, vxlan } },
	[FLOW_NVGRE] = { { eth, vlan, ip, nvgre } },
	[FLOW_L2_ENCAP] = { { eth, vlan }, .bytes = true, .typed = true },
	[FLOW_L2_DECAP] = { { eth, vlan }, .bytes = true, .taken = true },
	[FLOW_MPLSOGRE_ENCAP] = { { eth, vlan, ip, gre, mpls }, .bytes = true, .typed = true,
		.protocol = IPPROTO_GRE },
	[FLOW_MPLSOGRE_DECAP] = { { eth, vlan, ip, gre, mpls }, .bytes = true, .taken = true,
		.typed = true, .protocol = IPPROTO_GRE },
	[FLOW_MPLSOUDP_ENCAP] = { { eth, vlan, ip, udp, mpls }, .bytes = true, .typed = true,
		.protocol = IPPROTO_UDP },
	[FLOW_MPLSOUDP_DECAP] = { { eth, vlan, ip, udp, mpls }, .bytes = true, .taken = true,
		.typed = true, .protocol = IPPROTO_UDP },
};

/* Build the header of a tunnel; NULL with e filled. */
static struct outer *
outer_make(struct words *r, int tunnel, struct flow_rule *rule, struct err *e)
{
	static const struct flow_outer none;
	const struct flow_presets *p = flow_defaults_of(r)->presets;
	struct outer *x = flow_rule_store(rule, sizeof(*x));
	/* Decapsulation uses the addresses of encapsulation. */
	const int addresses = tunnel == FLOW_MPLSOGRE_DECAP ? FLOW_MPLSOGRE_ENCAP
		: tunnel == FLOW_MPLSOUDP_DECAP             ? FLOW_MPLSOUDP_ENCAP
							    : tunnel;

	if (x == NULL) {
		err_set(e, E2BIG, "the rule is too long");
		return NULL;
	}
	x->from = p != NULL ? &p->outer[tunnel] : &none;
	x->kind = &kinds[tunnel];
	x->eth_src = p != NULL ? &p->outer[addresses].eth_src : &none.eth_src;
	x->eth_dst = p != NULL ? &p->outer[addresses].eth_dst : &none.eth_dst;
	for (size_t i = 0; i < LAYERS && x->kind->layer[i] != NULL; i++)
		x->kind->layer[i](x);
	return x;
}

int
flow_outer_items(struct words *r, const struct flow_part *part, struct flow_rule *rule, void *conf,
	struct err *e)
{
	struct rte_flow_action_vxlan_encap *encap = conf;
	struct outer *x = outer_make(r, part->which, rule, e);

	if (x == NULL)
		return -e->code;
	encap->definition = x->item;
	return 0;
}

/* Copy header bytes into the rule's store and set the action's struct. */
static int
bytes_set(const struct flow_part *part, struct flow_rule *rule, const struct flow_headers *h,
	void *conf, struct err *e)
{
	uint8_t *data = flow_rule_store(rule, sizeof(h->data));
	struct rte_flow_action_raw_encap *encap = conf;
	struct rte_flow_action_raw_decap *decap = conf;

	if (data == NULL)
		return err_set(e, E2BIG, "the rule is too long");
	memcpy(data, h->data, h->bytes);
	if (part->type == RTE_FLOW_ACTION_TYPE_RAW_ENCAP)
		*encap = (struct rte_flow_action_raw_encap){ .data = data, .size = h->bytes };
	else
		*decap = (struct rte_flow_action_raw_decap){ .data = data, .size = h->bytes };
	return 0;
}

int
flow_outer_bytes(struct words *r, const struct flow_part *part, struct flow_rule *rule, void *conf,
	struct err *e)
{
	struct outer *x = outer_make(r, part->which, rule, e);
	struct flow_headers h;

	if (x == NULL || flow_headers_build(x->item, x->n, &h, e) != 0)
		return -e->code;
	return bytes_set(part, rule, &h, conf, e);
}

int
flow_outer_raw(struct words *r, const struct flow_part *part, struct flow_rule *rule, void *conf,
	struct err *e)
{
	static const struct flow_headers none;
	const struct flow_presets *p = flow_defaults_of(r)->presets;
	const struct flow_headers *h = &none;
	/* Since 24.03 testpmd's raw_encap accepts only a size, and is empty without size and
	 * index. */
	const bool sized = part->type == RTE_FLOW_ACTION_TYPE_RAW_ENCAP && COMPAT_NEWER(24, 3);
	uint64_t index = 0, size = 0;

	if (sized && words_is(r, "size", "header bytes that a template leaves to its rules")) {
		if (words_uint(r, UINT32_MAX, &size, e) != 0)
			return -e->code;
		*(struct rte_flow_action_raw_encap *)conf =
			(struct rte_flow_action_raw_encap){ .size = size };
		return 0;
	}
	if (words_is(r, "index",
		    sized ? "index used in \"set\"" : "index used in \"set\"; default 0")) {
		if (words_uint(r, FLOW_PRESETS - 1, &index, e) != 0)
			return -e->code;
	} else if (sized) {
		return 0;
	}
	if (p != NULL)
		h = part->type == RTE_FLOW_ACTION_TYPE_RAW_ENCAP ? &p->encap[index]
								 : &p->decap[index];
	return bytes_set(part, rule, h, conf, e);
}
