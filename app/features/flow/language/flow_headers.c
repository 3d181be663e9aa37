/* Build headers from the last item to the first, because each one has the type of the next. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_headers.h"

#include "base/base.h"
#include "base/err.h"

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
#include <string.h>

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
