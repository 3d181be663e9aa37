/* The slow path for packets with tags, options, headers that span segments, or errors. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/l3/l3_burst.h"

/*
 * The ports of layer 4 at offset at of a head; NULL if there are none or they are not in the head.
 */
static const uint8_t *
ports_of(const struct pkt_head *h, unsigned int at, uint8_t proto)
{
	return l3_has_ports(proto) && at + 4 <= h->n ? h->bytes + at : NULL;
}

static enum l3_drop
add4(struct l3_burst *b, const struct rte_mbuf *m, const struct pkt_head *h, unsigned int at,
	uint8_t *l3, uint16_t place, bool exact)
{
	const uint8_t *p = h->bytes + at, *l4 = NULL;
	unsigned int head;

	if (at + 20 > h->n)
		return L3_MALFORMED;
	head = (p[0] & 15u) * 4;
	if (p[0] >> 4 != 4 || head < 20 || at + head > h->n ||
		!l3_sound4(m, p, head, m->pkt_len - at))
		return L3_MALFORMED;
	if (p[8] <= 1)
		return L3_EXPIRED;
	if ((pkt_get16(p + 6) & RTE_IPV4_HDR_OFFSET_MASK) == 0)
		l4 = ports_of(h, at + head, p[9]);
	l3_burst_note4(b, p, l4, l3, place, exact);
	return L3_FINE;
}

enum l3_drop
l3_burst_add_any(struct l3_burst *b, struct rte_mbuf *m, uint16_t place, bool exact)
{
	struct pkt_head h;
	uint16_t type = 0;
	unsigned int at;
	uint8_t *p, *l3;

	pkt_head_open(&h, m);
	at = pkt_l3(h.bytes, h.n, &type);
	p = h.bytes + at;
	l3 = h.bytes != h.copy ? p : NULL;
	if (at == 0)
		return L3_MALFORMED;
	if (type == RTE_ETHER_TYPE_IPV4)
		return add4(b, m, &h, at, l3, place, exact);
	if (type != RTE_ETHER_TYPE_IPV6 || at + 40 > h.n || p[0] >> 4 != 6 ||
		at + 40 + pkt_get16(p + 4) > m->pkt_len)
		return L3_MALFORMED;
	if (p[7] <= 1)
		return L3_EXPIRED;
	l3_burst_note6(b, p, ports_of(&h, at + 40, p[6]), l3, place, exact);
	return L3_FINE;
}

void
l3_rewrite_gathered(struct rte_mbuf *m, const struct l3_next *next, bool v6)
{
	struct pkt_head h;
	uint16_t type;

	pkt_head_open(&h, m);
	l3_rewrite(h.bytes, h.bytes + pkt_l3(h.bytes, h.n, &type), next, v6);
	pkt_head_close(&h, m);
}
