/* Hashes a packet's flow: addresses, protocol and ports; addresses only for fragments; Ethernet
 * addresses if it is not IP. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_flow.h"

#include "engines/common/pkt.h"

#include <rte_jhash.h>
#include <rte_mbuf.h>

#include <netinet/in.h>

static bool
has_ports(uint8_t proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP || proto == IPPROTO_SCTP;
}

/* Hash up to 32 unaligned bytes; they are copied because the library reads aligned words. */
static __rte_always_inline uint32_t
hash_bytes(const uint8_t *p, unsigned int n, uint32_t with)
{
	uint32_t key[8];

	memcpy(key, p, n);
	return rte_jhash(key, n, with);
}

/* Hash n bytes of addresses, the protocol, and the ports at l4; NULL: no ports. */
static uint32_t
hash_ip(const uint8_t *addresses, unsigned int n, const uint8_t *l4, uint8_t proto)
{
	uint32_t h = hash_bytes(addresses, n, proto);

	return l4 != NULL && has_ports(proto) ? hash_bytes(l4, 4, h) : h;
}

static uint32_t
hash(struct rte_mbuf *m)
{
	struct pkt_head h;
	unsigned int at, l4;
	uint16_t type;
	uint8_t *p;

	pkt_head_open(&h, m);
	at = pkt_l3(h.bytes, h.n, &type);
	p = h.bytes + at;
	if (at != 0 && type == RTE_ETHER_TYPE_IPV4 && at + 20 <= h.n) {
		bool fragment = (pkt_get16(p + 6) & 0x3fff) != 0;

		l4 = (p[0] & 15u) * 4;
		return hash_ip(p + 12, 8, !fragment && at + l4 + 4 <= h.n ? p + l4 : NULL, p[9]);
	}
	if (at != 0 && type == RTE_ETHER_TYPE_IPV6 && at + 40 <= h.n)
		return hash_ip(p + 8, 32, at + 44 <= h.n ? p + 40 : NULL, p[6]);
	return h.n >= 12 ? hash_bytes(h.bytes, 12, 0) : 0;
}

void
ring_flow_workers(struct rte_mbuf *const *pkts, uint16_t n, unsigned int n_workers, uint8_t *which)
{
	for (uint16_t k = 0; k < n; k++) {
		uint64_t h = (pkts[k]->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0 ? pkts[k]->hash.rss
									       : hash(pkts[k]);

		/* Mix the bits, because RSS has already chosen the queue by the low ones. */
		h = (h * UINT64_C(0x9e3779b1) & UINT32_MAX) * n_workers;
		which[k] = (uint8_t)(h >> 32);
	}
}
