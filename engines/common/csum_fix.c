/* Sets the checksums of a packet, by hardware offloads where enabled, otherwise in software, also
 * for packets of several segments. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/csum_fix.h"

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_hash_crc.h>
#include <rte_prefetch.h>

#include <netinet/in.h>
#include <string.h>

/* One's complement sum and CRC32c of a packet's bytes over all segments, eight bytes at a time. */

/* Add with end-around carry; sums are 64 bits wide until fold(). */
static inline uint64_t
add(uint64_t a, uint64_t b)
{
	a += b;
	return a + (a < b);
}

/* Fold to 16 bits: adding the swapped halves leaves their sum with carry in the upper half. */
static inline uint16_t
fold(uint64_t sum)
{
	uint32_t half;

	sum += sum << 32 | sum >> 32;
	half = sum >> 32;
	half += half << 16 | half >> 16;
	return half >> 16;
}

static inline uint64_t
word64(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static inline uint16_t
sum_bytes(const uint8_t *p, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t word;
	uint16_t half;

	for (; n >= 32; n -= 32, p += 32)
		sum = add(add(add(add(sum, word64(p)), word64(p + 8)), word64(p + 16)),
			word64(p + 24));
	for (; n >= 8; n -= 8, p += 8)
		sum = add(sum, word64(p));
	if ((n & 4) != 0) {
		memcpy(&word, p, sizeof(word));
		sum = add(sum, word);
		p += sizeof(word);
	}
	if ((n & 2) != 0) {
		memcpy(&half, p, sizeof(half));
		sum = add(sum, half);
		p += sizeof(half);
	}
	if ((n & 1) != 0) {
		half = 0;
		memcpy(&half, p, 1);
		sum = add(sum, half);
	}
	return fold(sum);
}

/* The part of n bytes at *off that is in segment m; then sets *off for the next segment. */
static const uint8_t *
part_of(const struct rte_mbuf *m, uint32_t *off, uint32_t n, uint32_t *bytes)
{
	uint32_t skip = RTE_MIN(*off, m->data_len);

	*off -= skip;
	*bytes = RTE_MIN(n, m->data_len - skip);
	return rte_pktmbuf_mtod(m, const uint8_t *) + skip;
}

uint16_t
csum_sum(const struct rte_mbuf *m, uint32_t off, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t bytes;

	if (likely(off + n <= m->data_len))
		return sum_bytes(rte_pktmbuf_mtod_offset(m, const uint8_t *, off), n);
	for (uint32_t done = 0; done < n; done += bytes, m = m->next) {
		const uint8_t *p = part_of(m, &off, n - done, &bytes);
		uint16_t part = sum_bytes(p, bytes);

		/* In a part at an odd offset high and low bytes are swapped. */
		sum += (done & 1) != 0 ? rte_bswap16(part) : part;
	}
	return fold(sum);
}

/*
 * CRC32c of n bytes at off, with initial value and final XOR of all ones; SCTP stores it low byte
 * first. off + n: at most the packet's length. Thread: any. Source: RFC 9260 appendix A.
 */
static uint32_t
csum_sum_crc32c(const struct rte_mbuf *m, uint32_t off, uint32_t n)
{
	uint32_t crc = UINT32_MAX, bytes;

	for (; n > 0; m = m->next) {
		const uint8_t *p = part_of(m, &off, n, &bytes);

		n -= bytes;
		for (; bytes >= 8; bytes -= 8, p += 8)
			crc = rte_hash_crc_8byte(word64(p), crc);
		for (; bytes > 0; bytes--, p++)
			crc = rte_hash_crc_1byte(*p, crc);
	}
	return ~crc;
}

/* Offsets of checksums and addresses from the start of their header. */
enum {
	IPV4_SUM = 10,
	IPV4_ADDRESSES = 12,
	IPV4_ADDRESSES_BYTES = 8,
	IPV6_ADDRESSES = 8,
	IPV6_ADDRESSES_BYTES = 32,
	UDP_SUM = 6,
	TCP_SUM = 16,
	SCTP_SUM = 8,
};

#define L2_LEN_MAX ((1 << RTE_MBUF_L2_LEN_BITS) - 1) /* maximum l2_len of an mbuf */

static const struct stream_csum software; /* no offloads, no TSO */

/* The 16-bit field at off if it is in the first segment, else NULL. */
static inline uint8_t *
near16(const struct rte_mbuf *m, uint32_t off)
{
	return likely(off + sizeof(uint16_t) <= m->data_len)
		? rte_pktmbuf_mtod_offset(m, uint8_t *, off)
		: NULL;
}

/* The byte at off, which must be in the packet. */
static uint8_t *
far8(const struct rte_mbuf *m, uint32_t off)
{
	for (; off >= m->data_len; m = m->next)
		off -= m->data_len;
	return rte_pktmbuf_mtod_offset(m, uint8_t *, off);
}

static __rte_noinline uint16_t
load16_far(const struct rte_mbuf *m, uint32_t off)
{
	uint8_t bytes[] = { *far8(m, off), *far8(m, off + 1) };
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static __rte_noinline void
store16_far(const struct rte_mbuf *m, uint32_t off, uint16_t value)
{
	uint8_t bytes[sizeof(value)];

	memcpy(bytes, &value, sizeof(value));
	*far8(m, off) = bytes[0];
	*far8(m, off + 1) = bytes[1];
}

static inline uint16_t
load16(const struct rte_mbuf *m, uint32_t off)
{
	const uint8_t *p = near16(m, off);
	uint16_t value;

	if (unlikely(p == NULL))
		return load16_far(m, off);
	memcpy(&value, p, sizeof(value));
	return value;
}

static inline void
store16(const struct rte_mbuf *m, uint32_t off, uint16_t value)
{
	uint8_t *p = near16(m, off);

	if (unlikely(p == NULL))
		store16_far(m, off, value);
	else
		memcpy(p, &value, sizeof(value));
}

static inline uint16_t
fix_fold(uint32_t sum)
{
	sum = (sum & UINT16_MAX) + (sum >> 16);
	return (sum & UINT16_MAX) + (sum >> 16);
}

/* Write at field the checksum for a sum of the other words. never_zero: write 0 as 0xffff. */
static inline void
write_sum(struct rte_mbuf *m, uint32_t field, uint32_t others, bool never_zero)
{
	uint16_t value = ~fix_fold(others + (uint16_t)~load16(m, field));

	store16(m, field, value == 0 && never_zero ? UINT16_MAX : value);
}

static void
write_sctp(struct rte_mbuf *m, const struct pkt_net *net, uint32_t crc)
{
	uint16_t halves[2];

	crc = rte_cpu_to_le_32(crc);
	memcpy(halves, &crc, sizeof(halves));
	store16(m, net->l4_off + SCTP_SUM, halves[0]);
	store16(m, net->l4_off + SCTP_SUM + sizeof(halves[0]), halves[1]);
}

/* The sum of an IPv4 header; fast for the usual five words in the first segment. */
static inline uint32_t
sum_ipv4(const struct rte_mbuf *m, uint32_t off, uint32_t n)
{
	const uint8_t *p = rte_pktmbuf_mtod_offset(m, const uint8_t *, off);
	uint64_t sum = 0;
	uint32_t word;

	if (unlikely(off + n > m->data_len))
		return csum_sum(m, off, n);
	for (uint32_t i = 0; i < n; i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		sum += word;
	}
	return (sum & UINT16_MAX) + (sum >> 16 & UINT16_MAX) + (sum >> 32);
}

/* Set the checksum of an IPv4 header, or to 0 if the hardware fills it in. */
static inline void
fix_ipv4(struct rte_mbuf *m, const struct pkt_net *net, bool hardware)
{
	uint32_t field = net->l3_off + IPV4_SUM;

	if (hardware)
		store16(m, field, 0);
	else
		write_sum(m, field, sum_ipv4(m, net->l3_off, net->l4_off - net->l3_off), false);
}

/*
 * Set the checksum of UDP or TCP, at field of the header, or to the pseudo header's sum if the
 * hardware completes it.
 */
static __rte_always_inline void
fix_summed(struct rte_mbuf *m, const struct pkt_net *net, unsigned int field, bool hardware,
	uint16_t tso)
{
	uint32_t addresses = net->l3_off + (net->version == 4 ? IPV4_ADDRESSES : IPV6_ADDRESSES);
	uint32_t n = net->version == 4 ? IPV4_ADDRESSES_BYTES : IPV6_ADDRESSES_BYTES;
	uint32_t sum = rte_cpu_to_be_16(net->proto);

	/* For TSO the pseudo header has no length. */
	if (tso == 0)
		sum += rte_cpu_to_be_16(net->l4_bytes);
	if (hardware) {
		store16(m, net->l4_off + field, fix_fold(sum + csum_sum(m, addresses, n)));
		return;
	}
	if (likely(addresses + n == net->l4_off))
		sum += csum_sum(m, addresses, n + net->l4_bytes);
	else
		sum += csum_sum(m, addresses, n) + csum_sum(m, net->l4_off, net->l4_bytes);
	write_sum(m, net->l4_off + field, sum, net->proto == IPPROTO_UDP);
}

static inline bool
udp_without_sum(const struct rte_mbuf *m, const struct pkt_net *net)
{
	return net->proto == IPPROTO_UDP && load16(m, net->l4_off + UDP_SUM) == 0;
}

/*
 * Set the checksum of UDP, TCP or SCTP. tso: payload bytes per segment, 0: no TSO. Returns the
 * offload flags to set.
 */
static __rte_always_inline uint64_t
fix_l4(const struct stream_csum *want, struct rte_mbuf *m, const struct pkt_net *net, uint16_t tso)
{
	if (net->l4_len == 0 || udp_without_sum(m, net))
		return 0;
	switch (net->proto) {
	case IPPROTO_UDP:
		fix_summed(m, net, UDP_SUM, want->udp_hw, 0);
		return want->udp_hw ? RTE_MBUF_F_TX_UDP_CKSUM : 0;
	case IPPROTO_TCP:
		fix_summed(m, net, TCP_SUM, want->tcp_hw || tso != 0, tso);
		if (tso != 0)
			return RTE_MBUF_F_TX_TCP_SEG;
		return want->tcp_hw ? RTE_MBUF_F_TX_TCP_CKSUM : 0;
	case IPPROTO_SCTP:
		write_sctp(m, net, 0);
		if (want->sctp_hw &&
			net->l4_bytes % 4 == 0) /* the offload needs a multiple of 4 bytes */
			return RTE_MBUF_F_TX_SCTP_CKSUM;
		write_sctp(m, net, csum_sum_crc32c(m, net->l4_off, net->l4_bytes));
		return 0;
	default: return 0;
	}
}

void
csum_fix_l4(struct rte_mbuf *m, const struct pkt_net *net)
{
	fix_l4(&software, m, net, 0);
}

/*
 * Set the checksums of the inner or only IP layer and of its payload. Returns the offload flags to
 * set.
 */
static __rte_always_inline uint64_t
fix_net(const struct stream_csum *want, struct rte_mbuf *m, const struct pkt_net *net, uint16_t tso)
{
	uint64_t flags;
	bool ip_hw = want->ip_hw || tso != 0;

	if (net->version == 0)
		return 0;
	if (net->version == 4) {
		fix_ipv4(m, net, ip_hw);
		flags = ip_hw ? RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM : RTE_MBUF_F_TX_IPV4;
	} else {
		flags = RTE_MBUF_F_TX_IPV6;
	}
	return flags | fix_l4(want, m, net, tso);
}

/* The TSO segment size if the layer is TCP with more payload than a segment, else 0. */
static inline uint16_t
tso_of(uint16_t segsz, const struct rte_mbuf *m, const struct pkt_net *net)
{
	if (likely(segsz == 0) || net->proto != IPPROTO_TCP || net->l4_len == 0)
		return 0;
	return m->pkt_len > (uint32_t)net->l4_off + net->l4_len + segsz ? segsz : 0;
}

/*
 * Whether hardware parses the layer as we do: it is plain, with its headers in the first segment.
 */
static inline bool
hardware_reads(const struct rte_mbuf *m, const struct pkt_net *net)
{
	return net->plain && net->l4_off + net->l4_len <= m->data_len;
}

static inline uint64_t
fix_plain(const struct csum_fix *fix, struct rte_mbuf *m, const struct pkt_net *net)
{
	const struct stream_csum *want = likely(hardware_reads(m, net)) ? &fix->want : &software;
	uint16_t tso = tso_of(want->tso_segsz, m, net);

	m->tx_offload = want == &software
		? 0
		: rte_mbuf_tx_offload(net->l3_off, net->l4_off - net->l3_off, net->l4_len, tso, 0,
			  0, 0);
	return fix_net(want, m, net, tso);
}

/*
 * Set the checksums of the outer layer of a tunnel, after the inner packet is final. Returns the
 * offload flags to set.
 */
static uint64_t
fix_outer(const struct stream_csum *want, struct rte_mbuf *m, const struct pkt_net *outer,
	uint16_t tso)
{
	uint64_t flags = RTE_MBUF_F_TX_OUTER_IPV6;

	if (outer->version == 4) {
		fix_ipv4(m, outer, want->outer_ip_hw);
		flags = RTE_MBUF_F_TX_OUTER_IPV4;
		if (want->outer_ip_hw)
			flags |= RTE_MBUF_F_TX_OUTER_IP_CKSUM;
	}
	if (outer->proto != IPPROTO_UDP)
		return flags;
	if (want->outer_udp_hw) {
		fix_summed(m, outer, UDP_SUM, true, tso);
		return flags | RTE_MBUF_F_TX_OUTER_UDP_CKSUM;
	}
	/* With TSO each segment needs its own sum; tunnels may omit it. */
	if (tso != 0)
		store16(m, outer->l4_off + UDP_SUM, 0);
	csum_fix_l4(m, outer);
	return flags;
}

/*
 * Set the checksums of a tunnel packet. Without outer offloads, everything before the inner IP
 * header is one long L2 header for the hardware (see the mbuf chapter of the DPDK guide). If
 * software computes a sum over the tunnel, the inner bytes have to be final, so without offloads.
 */
static __rte_noinline uint64_t
fix_tunnel(const struct csum_fix *fix, struct rte_mbuf *m, const struct pkt_layers *layers)
{
	const struct pkt_net *outer = &layers->outer, *inner = &layers->inner;
	const struct stream_csum *want = &fix->want, *inner_want;
	bool split = want->tunnel_tso_segsz != 0 || want->outer_ip_hw || want->outer_udp_hw;
	unsigned int l2_len = inner->l3_off - (split ? outer->l4_off : 0);
	uint16_t tso = 0;
	uint64_t flags;

	if (!hardware_reads(m, outer) || l2_len > L2_LEN_MAX ||
		(inner->version != 0 && !hardware_reads(m, inner)))
		want = &software;
	if (layers->gre_sum_off == 0)
		tso = tso_of(want->tunnel_tso_segsz, m, inner);
	inner_want = want;
	if (layers->gre_sum_off != 0 ||
		(tso == 0 && !want->outer_udp_hw && outer->proto == IPPROTO_UDP &&
			!udp_without_sum(m, outer)))
		inner_want = &software;
	flags = fix_net(inner_want, m, inner, tso);
	if (layers->gre_sum_off != 0)
		write_sum(m, layers->gre_sum_off, csum_sum(m, outer->l4_off, outer->l4_bytes),
			false);
	if (!split || want == &software) {
		fix_outer(want, m, outer, tso);
		outer = NULL;
	} else {
		flags |= layers->tunnel | fix_outer(want, m, outer, tso);
	}
	m->tx_offload = want == &software
		? 0
		: rte_mbuf_tx_offload(l2_len, inner->l4_off - inner->l3_off, inner->l4_len, tso,
			  outer != NULL ? outer->l4_off - outer->l3_off : 0,
			  outer != NULL ? outer->l3_off : 0, 0);
	return flags;
}

/* Set the checksums of any packet. Returns the offload flags to set. */
static __rte_noinline uint64_t
fix_any(const struct csum_fix *fix, struct rte_mbuf *m)
{
	struct pkt_layers layers;

	pkt_parse(&layers, m);
	if (fix->want.parse_tunnel && pkt_parse_tunnel(&layers, m, &fix->ports))
		return fix_tunnel(fix, m, &layers);
	return fix_plain(fix, m, &layers.inner);
}

static inline void
fix_packet(const struct csum_fix *fix, struct rte_mbuf *m)
{
	uint64_t flags = (m->ol_flags & (RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL)) |
		fix->tx_flags;
	struct pkt_net usual;

	if (unlikely(fix->tx_flags != 0)) {
		m->vlan_tci = fix->vlan;
		m->vlan_tci_outer = fix->vlan_outer;
	}
	if (likely(!fix->want.parse_tunnel) && pkt_parse_usual(&usual, m))
		flags |= fix_plain(fix, m, &usual);
	else
		flags |= fix_any(fix, m);
	m->ol_flags = flags;
	if (fix->want.mac_swap && likely(m->data_len >= sizeof(struct rte_ether_hdr)))
		memcpy(rte_pktmbuf_mtod(m, void *), fix->addresses, sizeof(fix->addresses));
}

void
csum_fix_burst(const struct csum_fix *fix, struct rte_mbuf **pkts, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		if (likely(i + 1 < n))
			rte_prefetch0(rte_pktmbuf_mtod(pkts[i + 1], void *));
		fix_packet(fix, pkts[i]);
	}
}
