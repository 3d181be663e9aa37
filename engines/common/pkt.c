/* Packet helpers of engines that are too long to inline: rewriting bursts, contiguous headers,
 * packet templates. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt.h"

#include "base/err.h"
#include "base/setting.h"

#include <rte_mempool.h>

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSSE3__
#include <rte_vect.h>
#endif

#define TTL 64
/*
 * Packets processed together: all mbufs and headers are read before the first is written, because a
 * core may delay loads behind a store whose address is not yet known.
 */
#define TOGETHER 4

/* The MAC addresses at the start of a frame. */
struct macs {
	struct rte_ether_addr dst, src;
};

void
pkt_head_gather(struct pkt_head *h, struct rte_mbuf *m)
{
	unsigned int n = RTE_MIN(m->pkt_len, (uint32_t)PKT_HEAD_MAX);

	/*
	 * A pointer into m means that all other segments are empty. NULL means that the segments
	 * have fewer bytes than pkt_len; then use only the first.
	 */
	if (rte_pktmbuf_read(m, 0, n, h->copy) != h->copy)
		return;
	h->bytes = h->copy;
	h->n = n;
}

void
pkt_head_scatter(const struct pkt_head *h, struct rte_mbuf *m)
{
	pkt_write(m, h->copy, h->n);
}

void
pkt_write(struct rte_mbuf *m, const void *from, unsigned int n)
{
	const uint8_t *p = from;

	for (; n > 0; m = m->next) {
		unsigned int part = RTE_MIN(n, (unsigned int)m->data_len);

		memcpy(rte_pktmbuf_mtod(m, uint8_t *), p, part);
		p += part;
		n -= part;
	}
}

/* Set the VLAN tags for flags; few ports insert any. */
static void
tags_set(const struct stream_end *tx, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t i;

	for (i = 0; i < n; i++) {
		pkts[i]->vlan_tci = tx->vlan;
		pkts[i]->vlan_tci_outer = tx->vlan_outer;
	}
}

/*
 * Set the MAC addresses of n packets. n: a constant, 1..TOGETHER. low, high: struct macs as two
 * words, which remain in registers.
 */
static __rte_always_inline void
macs_set(struct rte_mbuf **pkts, unsigned int n, uint64_t low, uint32_t high, uint64_t flags)
{
	uint8_t *frame[TOGETHER];
	uint16_t bytes[TOGETHER];
	unsigned int i;

	for (i = 0; i < n; i++) {
		frame[i] = rte_pktmbuf_mtod(pkts[i], uint8_t *);
		bytes[i] = pkts[i]->data_len;
		pkt_mark(pkts[i], flags);
	}
	for (i = 0; i < n; i++) {
		if (likely(bytes[i] >= sizeof(struct macs))) {
			memcpy(frame[i], &low, sizeof(low));
			memcpy(frame[i] + sizeof(low), &high, sizeof(high));
		}
	}
}

void
pkt_macs_set(const struct stream_end *tx, struct rte_mbuf **pkts, uint16_t n)
{
	const struct macs macs = { tx->peer, tx->mac };
	uint64_t flags = pkt_tx_flags(tx), low;
	uint32_t high;
	unsigned int i;

	memcpy(&low, &macs, sizeof(low));
	memcpy(&high, (const uint8_t *)&macs + sizeof(low), sizeof(high));
	for (i = 0; i + TOGETHER <= n; i += TOGETHER)
		macs_set(pkts + i, TOGETHER, low, high, flags);
	for (; i < n; i++)
		macs_set(pkts + i, 1, low, high, flags);
	if (unlikely(flags != 0))
		tags_set(tx, pkts, n);
}

uint32_t
pkt_macs_written(const struct stream *s, const struct rte_mbuf *m)
{
	return sizeof(struct macs);
}

uint32_t
pkt_head_written(const struct stream *s, const struct rte_mbuf *m)
{
	return PKT_HEAD_MAX;
}

/*
 * Swap the bytes of a and b, which must not overlap. n: a constant up to 16, so that the compiler
 * uses registers.
 */
static __rte_always_inline void
bytes_swap(uint8_t *a, uint8_t *b, size_t n)
{
	uint8_t x[16], y[16];

	memcpy(x, a, n);
	memcpy(y, b, n);
	memcpy(a, y, n);
	memcpy(b, x, n);
}

#ifdef __SSSE3__
/* Swap the MAC addresses in the first 16 bytes of a frame. */
static __rte_always_inline __m128i
head_swapped(__m128i head)
{
	return _mm_shuffle_epi8(head,
		_mm_setr_epi8(6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 12, 13, 14, 15));
}
#endif

static __rte_always_inline void
macs_swap(uint8_t *frame, unsigned int n)
{
#ifdef __SSSE3__
	if (likely(n >= sizeof(__m128i))) {
		_mm_storeu_si128((__m128i *)frame, head_swapped(_mm_loadu_si128((__m128i *)frame)));
		return;
	}
#endif
	if (n >= sizeof(struct macs))
		bytes_swap(frame, frame + RTE_ETHER_ADDR_LEN, RTE_ETHER_ADDR_LEN);
}

/* Swap the MAC addresses of n packets. n: a constant, 1..TOGETHER. */
static __rte_always_inline void
macs_swap_mark(struct rte_mbuf **pkts, unsigned int n, uint64_t flags)
{
	unsigned int i;
#ifdef __SSSE3__
	__m128i *frame[TOGETHER], head[TOGETHER];
	int spare = 0; /* negative if a packet is shorter than a register */

	for (i = 0; i < n; i++) {
		frame[i] = rte_pktmbuf_mtod(pkts[i], __m128i *);
		spare |= (int)pkts[i]->data_len - (int)sizeof(head[0]);
	}
	if (likely(spare >= 0)) {
		for (i = 0; i < n; i++)
			head[i] = _mm_loadu_si128(frame[i]);
		for (i = 0; i < n; i++) {
			_mm_storeu_si128(frame[i], head_swapped(head[i]));
			pkt_mark(pkts[i], flags);
		}
		return;
	}
#endif
	for (i = 0; i < n; i++) {
		macs_swap(rte_pktmbuf_mtod(pkts[i], uint8_t *), pkts[i]->data_len);
		pkt_mark(pkts[i], flags);
	}
}

void
pkt_macs_swap(const struct stream_end *tx, struct rte_mbuf **pkts, uint16_t n)
{
	uint64_t flags = pkt_tx_flags(tx);
	unsigned int i;

	for (i = 0; i + TOGETHER <= n; i += TOGETHER)
		macs_swap_mark(pkts + i, TOGETHER, flags);
	for (; i < n; i++)
		macs_swap_mark(pkts + i, 1, flags);
	if (unlikely(flags != 0))
		tags_set(tx, pkts, n);
}

/*
 * Swap the addresses of the IP header at frame + at. Returns the offset of its TCP or UDP header,
 * or 0 if there is none.
 */
static __rte_always_inline unsigned int
ips_swap(uint8_t *frame, unsigned int n, unsigned int at, uint16_t type)
{
	uint8_t *ip = frame + at, proto;

	if (likely(type == RTE_ETHER_TYPE_IPV4 && n - at >= 20 && ip[0] >> 4 == 4 &&
		    (ip[0] & 0xf) >= 5)) {
		bytes_swap(ip + 12, ip + 16, 4);
		if (unlikely((pkt_get16(ip + 6) & RTE_IPV4_HDR_OFFSET_MASK) != 0))
			return 0; /* only the first fragment has ports */
		proto = ip[9];
		at += (ip[0] & 0xfu) * 4;
	} else if (type == RTE_ETHER_TYPE_IPV6 && n - at >= 40 && ip[0] >> 4 == 6) {
		bytes_swap(ip + 8, ip + 24, 16);
		proto = ip[6];
		at += 40;
	} else {
		return 0;
	}
	return proto == IPPROTO_UDP || proto == IPPROTO_TCP ? at : 0;
}

/* Swap addresses and ports in frame[0..n). Checksums do not change, because they cover both. */
static __rte_always_inline void
tuple_swap(uint8_t *frame, unsigned int n)
{
	uint16_t type;
	unsigned int at;

	macs_swap(frame, n);
	at = pkt_l3(frame, n, &type);
	if (unlikely(at == 0))
		return;
	at = ips_swap(frame, n, at, type);
	if (at != 0 && at + 4 <= n)
		bytes_swap(frame + at, frame + at + 2, 2);
}

void
pkt_tuple_swap(const struct stream_end *tx, struct rte_mbuf **pkts, uint16_t n)
{
	uint64_t flags = pkt_tx_flags(tx);
	uint16_t i;

	for (i = 0; i < n; i++) {
		struct pkt_head head;

		pkt_head_open(&head, pkts[i]);
		tuple_swap(head.bytes, head.n);
		pkt_head_close(&head, pkts[i]);
		pkt_mark(pkts[i], flags);
	}
	if (unlikely(flags != 0))
		tags_set(tx, pkts, n);
}

void
pkt_udp_fill(struct pkt_udp *p, uint32_t src, uint32_t dst, uint16_t src_port, uint16_t dst_port,
	uint16_t bytes)
{
	p->ether.ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV4);
	p->ip = (struct rte_ipv4_hdr){
		.version_ihl = RTE_IPV4_VHL_DEF,
		.time_to_live = TTL,
		.next_proto_id = IPPROTO_UDP,
		.src_addr = rte_cpu_to_be_32(src),
		.dst_addr = rte_cpu_to_be_32(dst),
	};
	p->udp.src_port = rte_cpu_to_be_16(src_port);
	p->udp.dst_port = rte_cpu_to_be_16(dst_port);
	p->udp.dgram_cksum = 0;
	pkt_udp_resize(p, bytes);
}

void
pkt_udp_resize(struct pkt_udp *p, uint16_t bytes)
{
	uint16_t ip = (uint16_t)(bytes - sizeof(p->ether)), udp = (uint16_t)(ip - sizeof(p->ip));

	p->ip.total_length = rte_cpu_to_be_16(ip);
	p->udp.dgram_len = rte_cpu_to_be_16(udp);
	p->ip.hdr_checksum = 0;
	p->ip.hdr_checksum = rte_ipv4_cksum(&p->ip);
}

uint16_t
pkt_raw_get(struct rte_mempool *pool, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t got = 0, want = n;

	/* Usually all at once; if the pool is nearly empty, get the rest in halves. */
	while (want > 0) {
		if (likely(rte_mempool_get_bulk(pool, (void **)pkts + got, want) == 0)) {
			got += want;
			want = RTE_MIN(want, n - got);
		} else {
			want /= 2;
		}
	}
	return got;
}

/* Gets uninitialised mbufs for created packets, in contiguous blocks if the mempool driver has
 * them. */

void
pkt_blocks_open(struct pool_blocks *b, const struct stream *s)
{
	const uint64_t when = setting_u64(s->settings, "tx-blocks");

	*b = (struct pool_blocks){ 0 };
	if (when == PKT_BLOCKS_ON || (when == PKT_BLOCKS_AUTO && s->pool->cache_size == 0))
		pool_blocks_open(b, s->pool);
}

uint16_t
pkt_blocks_take(struct pool_blocks *b, struct rte_mbuf **pkts, uint16_t n)
{
	const uint16_t got = pool_blocks_take(b, (void **)pkts, n);

	/* Incomplete buckets have single mbufs but no blocks. */
	return likely(got == n)
		? n
		: (uint16_t)(got + pkt_raw_get(b->pool, pkts + got, (uint16_t)(n - got)));
}

/* Parses settings that describe packets to create: segment lengths, addresses, pairs of numbers. */

/* Read a decimal number min..max at *text and advance *text; false if there is none. */
static bool
number(const char **text, uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 10);
	*text = end;
	return errno == 0 && *value >= min && *value <= max;
}

int
pkt_text_lengths(const char *text, uint16_t *lengths, struct err *e)
{
	uint64_t total = 0, bytes;
	const char *p = text;
	int n = 0;

	do {
		const char *word = p;

		if (!number(&p, 1, UINT16_MAX, &bytes) || (*p != ',' && *p != '\0'))
			return err_set(e, EINVAL,
				"txpkts \"%s\": segment \"%.*s\": expected 1..%u bytes, such as 64 or 64,128",
				text, (int)strcspn(word, ","), word, UINT16_MAX);
		if (n == PKT_SEGS_MAX)
			return err_set(e, ERANGE, "txpkts: too many segments: expected 1..%d",
				PKT_SEGS_MAX);
		if (lengths != NULL)
			lengths[n] = (uint16_t)bytes;
		total += bytes;
		n++;
	} while (*p++ == ',');
	if (total < sizeof(struct pkt_udp) || total > UINT16_MAX)
		return err_set(e, ERANGE,
			"txpkts \"%s\": packet of %" PRIu64 " bytes: expected %zu..%u", text, total,
			sizeof(struct pkt_udp), UINT16_MAX);
	return n;
}

int
pkt_text_pair(const char *text, uint64_t max, uint64_t pair[2])
{
	if (!number(&text, 0, max, &pair[0]))
		return 0;
	pair[1] = pair[0];
	if (*text == '\0')
		return 1;
	return *text++ == ',' && number(&text, 0, max, &pair[1]) && *text == '\0' ? 2 : 0;
}

bool
pkt_text_addresses(const char *text, uint32_t addresses[2])
{
	const char *comma = strchr(text, ',');
	char first[INET_ADDRSTRLEN];
	struct in_addr in[2];

	if (comma == NULL || (size_t)(comma - text) >= sizeof(first))
		return false;
	memcpy(first, text, (size_t)(comma - text));
	first[comma - text] = '\0';
	if (inet_pton(AF_INET, first, &in[0]) != 1 || inet_pton(AF_INET, comma + 1, &in[1]) != 1)
		return false;
	addresses[0] = ntohl(in[0].s_addr);
	addresses[1] = ntohl(in[1].s_addr);
	return true;
}
