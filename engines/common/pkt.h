/* Packet helpers of engines: rewriting bursts, contiguous headers, packet templates, checksums,
 * uninitialised mbufs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/pool_blocks.h"
#include "stream/stream.h"

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct err;

#define PKT_HEAD_MAX 128 /* bytes that are made contiguous if headers span segments */

/* Ethernet, IPv4 and UDP headers of a packet that an engine creates. */
struct pkt_udp {
	struct rte_ether_hdr ether;
	struct rte_ipv4_hdr ip;
	struct rte_udp_hdr udp;
};

static_assert(sizeof(struct pkt_udp) == 42, "headers follow each other without a gap");

/*
 * The first bytes of a packet: a pointer into the first segment if it has enough of them, else a
 * copy.
 */
struct pkt_head {
	uint8_t *bytes;
	unsigned int n;
	uint8_t copy[PKT_HEAD_MAX];
};

/* The slow paths of pkt_head_open() and pkt_head_close(), for headers that span segments. */
void pkt_head_gather(struct pkt_head *h, struct rte_mbuf *m);
void pkt_head_scatter(const struct pkt_head *h, struct rte_mbuf *m);

/* Get m's head: all of the first segment, or up to PKT_HEAD_MAX bytes of several segments. */
static inline void
pkt_head_open(struct pkt_head *h, struct rte_mbuf *m)
{
	h->bytes = rte_pktmbuf_mtod(m, uint8_t *);
	h->n = m->data_len;
	if (unlikely(h->n < PKT_HEAD_MAX && m->nb_segs > 1))
		pkt_head_gather(h, m);
}

/* Write changes of the head back to the packet. */
static inline void
pkt_head_close(const struct pkt_head *h, struct rte_mbuf *m)
{
	if (unlikely(h->bytes == h->copy))
		pkt_head_scatter(h, m);
}

/* A 16-bit number in network order at any address. */
static inline uint16_t
pkt_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/*
 * Skip the VLAN tags of frame[0..n). Returns the offset of layer 3 and its type, or 0 if the frame
 * is too short.
 */
static inline unsigned int
pkt_l3(const uint8_t *frame, unsigned int n, uint16_t *type)
{
	unsigned int at = 2 * RTE_ETHER_ADDR_LEN;

	for (; at + 2 <= n; at += 4) {
		*type = pkt_get16(frame + at);
		if (likely(*type != RTE_ETHER_TYPE_VLAN && *type != RTE_ETHER_TYPE_QINQ))
			return at + 2;
	}
	return 0;
}

/*
 * Offload flags for all packets sent by this end: VLAN tags and MACsec that the port inserts.
 */
static inline uint64_t
pkt_tx_flags(const struct stream_end *tx)
{
	uint64_t flags = 0;

	if (tx->offloads & RTE_ETH_TX_OFFLOAD_VLAN_INSERT)
		flags |= RTE_MBUF_F_TX_VLAN;
	if (tx->offloads & RTE_ETH_TX_OFFLOAD_QINQ_INSERT)
		flags |= RTE_MBUF_F_TX_QINQ;
	if (tx->offloads & RTE_ETH_TX_OFFLOAD_MACSEC_INSERT)
		flags |= RTE_MBUF_F_TX_MACSEC;
	return flags;
}

/* Replace the packet's Rx or Tx flags. flags: from pkt_tx_flags(). */
static inline void
pkt_mark(struct rte_mbuf *m, uint64_t flags)
{
	m->ol_flags = (m->ol_flags & (RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL)) | flags;
}

/*
 * Prepare a burst for Tx by tx and set its flags: set the MAC addresses to the peer's and the
 * port's; swap the MAC addresses; swap addresses and ports of Ethernet, IP, TCP and UDP. Valid
 * checksums remain valid. In frames that are too short only the flags are set.
 */
void pkt_macs_set(const struct stream_end *tx, struct rte_mbuf **pkts, uint16_t n);
void pkt_macs_swap(const struct stream_end *tx, struct rte_mbuf **pkts, uint16_t n);
void pkt_tuple_swap(const struct stream_end *tx, struct rte_mbuf **pkts, uint16_t n);

/* written() of struct engine: for engines that write the MAC addresses, or a struct pkt_head. */
uint32_t pkt_macs_written(const struct stream *s, const struct rte_mbuf *m);
uint32_t pkt_head_written(const struct stream *s, const struct rte_mbuf *m);

/*
 * Fill in all fields except the MAC addresses. src, dst: host order. bytes: length of the frame,
 * 42..65535. The UDP checksum is 0 (none). pkt_udp_resize() changes the length.
 */
void pkt_udp_fill(struct pkt_udp *p, uint32_t src, uint32_t dst, uint16_t src_port,
	uint16_t dst_port, uint16_t bytes);
void pkt_udp_resize(struct pkt_udp *p, uint16_t bytes);

/*
 * Get up to n uninitialised mbufs, as many as the pool has. Only nb_segs (1) and next (NULL) are
 * valid. Returns how many.
 */
uint16_t pkt_raw_get(struct rte_mempool *pool, struct rte_mbuf **pkts, uint16_t n);

/*
 * Initialise an mbuf as a packet of one segment with a length and flags. tx has the VLAN tags for
 * the flags.
 */
static inline void
pkt_raw_open(struct rte_mbuf *m, uint16_t bytes, uint64_t flags, const struct stream_end *tx)
{
	rte_pktmbuf_reset_headroom(m);
	m->data_len = bytes;
	m->pkt_len = bytes;
	m->ol_flags = (m->ol_flags & RTE_MBUF_F_EXTERNAL) | flags;
	if (unlikely(flags != 0)) {
		m->vlan_tci = tx->vlan;
		m->vlan_tci_outer = tx->vlan_outer;
	}
}

/*
 * As pkt_raw_open(), for a pool whose buffers have room for a headroom, in fewer instructions. flags:
 * with RTE_MBUF_F_EXTERNAL if the pool's buffers are external.
 */
static __rte_always_inline void
pkt_raw_open_known(struct rte_mbuf *m, uint16_t bytes, uint64_t flags, const struct stream_end *tx)
{
	/* The members pkt_len, data_len and vlan_tci follow each other. */
	const uint64_t lengths = bytes | (uint64_t)bytes << 32 | (uint64_t)tx->vlan << 48;

	static_assert(offsetof(struct rte_mbuf, data_len) ==
				offsetof(struct rte_mbuf, pkt_len) + 4 &&
			offsetof(struct rte_mbuf, vlan_tci) ==
				offsetof(struct rte_mbuf, pkt_len) + 6,
		"lengths are adjacent");
	m->data_off = RTE_PKTMBUF_HEADROOM;
	m->ol_flags = flags;
	memcpy((uint8_t *)m + offsetof(struct rte_mbuf, pkt_len), &lengths, sizeof(lengths));
	m->vlan_tci_outer = tx->vlan_outer;
}

/*
 * Attach external bytes to an uninitialised mbuf, and set its flags. The caller has to update
 * shinfo's count.
 */
static __rte_always_inline void
pkt_attach(struct rte_mbuf *m, void *at, uint64_t iova, uint16_t bytes,
	struct rte_mbuf_ext_shared_info *shinfo, uint64_t flags)
{
	m->ol_flags = flags;
	rte_pktmbuf_attach_extbuf(m, at, iova, bytes, shinfo);
	m->data_len = bytes;
	m->pkt_len = bytes;
}

/*
 * Overwrite the packet's first n bytes with from[0..n), over all segments; it must be long enough.
 */
void pkt_write(struct rte_mbuf *m, const void *from, unsigned int n);

/* Gets uninitialised mbufs for created packets, in contiguous blocks if the mempool driver has
 * them. */

/* The choices of the setting tx-blocks. */
enum pkt_blocks_when { PKT_BLOCKS_AUTO, PKT_BLOCKS_OFF, PKT_BLOCKS_ON };

/*
 * Decide whether a stream uses blocks, by its pool and the setting tx-blocks. auto: only if lcores
 * have no mempool cache, because blocks bypass the cache while freed mbufs remain in it. Thread:
 * control.
 */
void pkt_blocks_open(struct pool_blocks *b, const struct stream *s);

/* pkt_raw_get() for a stream that uses blocks. */
uint16_t pkt_blocks_take(struct pool_blocks *b, struct rte_mbuf **pkts, uint16_t n);

/* pkt_raw_get() from the stream's pool, in blocks if decided so. Thread: the worker. */
static inline uint16_t
pkt_blocks_get(struct stream *s, struct pool_blocks *b, struct rte_mbuf **pkts, uint16_t n)
{
	if (likely(b->block == 0))
		return pkt_raw_get(s->pool, pkts, n);
	return pkt_blocks_take(b, pkts, n);
}

/* Parses settings that describe packets to create: segment lengths, addresses, pairs of numbers.
 * Thread: control. */

#define PKT_SEGS_MAX 255 /* segments per packet, as in testpmd */

/* The choices of the setting txsplit, in the setting's order. */
enum pkt_split { PKT_SPLIT_OFF, PKT_SPLIT_ON, PKT_SPLIT_RAND };

/*
 * Parse segment lengths like "64" or "64,128": 1..PKT_SEGS_MAX lengths of at least 1 byte,
 * 42..65535 bytes in total. lengths: room for PKT_SEGS_MAX, or NULL to check only. Returns how
 * many, or -EINVAL, -ERANGE with e set.
 */
int pkt_text_lengths(const char *text, uint16_t *lengths, struct err *e);

/*
 * Parse decimal numbers 0..max like "9,10", or one for both like "9". Returns how many there are,
 * or 0 if the text is neither.
 */
int pkt_text_pair(const char *text, uint64_t max, uint64_t pair[2]);

/*
 * Parse two IPv4 addresses like "198.18.0.1,198.18.0.2", to host order. Returns false for other
 * text.
 */
bool pkt_text_addresses(const char *text, uint32_t addresses[2]);
