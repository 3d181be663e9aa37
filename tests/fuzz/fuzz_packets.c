/* Random packets for engines: frames of all kinds with wrong bytes, cut into segments of any size and
 * memory, with any flags; and checks of what engines send. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz/fuzz_packets.h"

#include "base/base.h"
#include "fixtures/csum_frame.h"
#include "fixtures/csum_frames.h"
#include "fixtures/engine_fixture.h"
#include "fuzz/fuzz_check.h"
#include "memory/mbuf_readonly.h"

#include <rte_ethdev.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPARE_MBUFS 600 /* that a packet leaves in the pool */
#define CUTS_MAX 120
#define SHARED_MAX 2000

uint64_t fuzz_state, fuzz_readonly;

/* splitmix64. */
uint32_t
fuzz_below(uint64_t n)
{
	uint64_t z = fuzz_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ z >> 31) % n);
}

bool
fuzz_once_in(uint32_t n)
{
	return fuzz_below(n) == 0;
}
/* Frames to begin with: those of csum's tests, and longer ones. */
static void
frame_choose(struct frame *f)
{
	static const char *const longer[] = { "eth ip4 tcp", "eth ip6 tcp", "eth vlan ip4 tcpo",
		"eth ip4 udp", "eth ip6 udp", "eth ip4 udp vxlan eth ip4 tcp",
		"eth ip4 udp0 vxlan eth ip4 udp", "eth ip4 gre ip4 tcp", "eth ip4 ip4 tcp",
		"eth ip4 icmp", "eth arp", "eth qinq vlan ip6 tcp" };
	static const unsigned int lengths[] = { 64, 1500, 1500, 9000, 65000 };
	char line[96];

	if (fuzz_once_in(2)) {
		frame_build(f, csum_frames[fuzz_below(ARRAY_SIZE(csum_frames))], true);
		return;
	}
	snprintf(line, sizeof(line), "%s %u", longer[fuzz_below(ARRAY_SIZE(longer))],
		1 + fuzz_below(lengths[fuzz_below(ARRAY_SIZE(lengths))]));
	frame_build(f, line, true);
}

/* Wrong bytes, mostly where headers are; lengths at their bounds; a frame cut short. Returns its
 * length. */
static unsigned int
frame_mutate(uint8_t *bytes, unsigned int n)
{
	static const uint16_t edges[] = { 0, 1, 7, 8, 19, 20, 21, 39, 40, 0x5dc, 0x7fff, 0x8000,
		0xfffe, 0xffff };
	unsigned int times = fuzz_once_in(3) ? 0 : fuzz_below(5);

	while (times-- > 0) {
		unsigned int at = fuzz_below(fuzz_once_in(4) ? n : RTE_MIN(n, 128u));

		if (fuzz_once_in(2))
			bytes[at] = (uint8_t)fuzz_below(256);
		else if (at + 2 <= n && fuzz_once_in(2))
			frame_put16(bytes + at, edges[fuzz_below(ARRAY_SIZE(edges))]);
		else if (at + 2 <= n)
			frame_put16(bytes + at, n - at + fuzz_below(9) - 4);
	}
	if (n >= 16 && fuzz_once_in(8)) { /* PTP, a Sync of version 2 or nearly */
		frame_put16(bytes + 12, 0x88f7);
		frame_put16(bytes + 14, fuzz_once_in(4) ? fuzz_below(1 << 16) : 2);
	}
	if (fuzz_once_in(5))
		n = 1 + fuzz_below(n);
	return n;
}

/* Pieces of heap that packets must not change, because this program reads them too. */
static struct shared {
	uint8_t *at, *was;
	unsigned int n;
	struct rte_mbuf_ext_shared_info *info;
} shared[SHARED_MAX];
static unsigned int n_shared;

/* Mark a segment that lies in a piece of heap of its own. */
static void
share(struct rte_mbuf *m)
{
	struct shared *s = &shared[n_shared];

	if (n_shared == SHARED_MAX)
		return;
	*s = (struct shared){ m->buf_addr, malloc(m->data_len), m->data_len, m->shinfo };
	CHECK(s->was != NULL);
	memcpy(s->was, s->at, s->n);
	rte_mbuf_ext_refcnt_update(s->info, 1);
	mbuf_readonly_set(m, fuzz_readonly);
	n_shared++;
}

/* After a round: the pieces are unchanged, and no mbuf points at them. */
void
fuzz_shared_check(void)
{
	for (; n_shared > 0; n_shared--) {
		struct shared *s = &shared[n_shared - 1];

		CHECK(memcmp(s->at, s->was, s->n) == 0);
		CHECK(rte_mbuf_ext_refcnt_update(s->info, -1) == 0);
		s->info->free_cb(s->at, s->info->fcb_opaque);
		free(s->was);
	}
}

/* In the mbuf's own buffer with any headroom, or alone in a piece of heap. */
static struct rte_mbuf *
segment(const uint8_t *bytes, unsigned int n)
{
	struct rte_mbuf *m;

	if (fuzz_once_in(2) || n + 256 > RTE_MBUF_DEFAULT_BUF_SIZE) {
		m = engine_fixture_packet(bytes, n, 0);
		if (fuzz_once_in(4))
			share(m);
		return m;
	}
	m = rte_pktmbuf_alloc(engine_fixture_pool);
	CHECK(m != NULL);
	m->data_off = (uint16_t)(2 *
		fuzz_below(129)); /* DPDK's structs of headers begin at even addresses */
	memcpy(rte_pktmbuf_append(m, (uint16_t)n), bytes, n);
	return m;
}

static struct rte_mbuf *
packet(const uint8_t *bytes, unsigned int n)
{
	static const unsigned int parts[] = { 1, 3, 17, 54, 128, 600, 4000 };
	const unsigned int part = parts[fuzz_below(ARRAY_SIZE(parts))];
	const bool cut = fuzz_once_in(2);
	unsigned int first = cut ? 1 + fuzz_below(RTE_MIN(n, fuzz_once_in(2) ? 64u : n)) : n,
		     segments = 1;
	struct rte_mbuf *m = segment(bytes, first);

	for (unsigned int at = first, more; at < n; at += more, segments++) {
		more = segments == CUTS_MAX ? n - at : RTE_MIN(n - at, 1 + fuzz_below(2 * part));
		CHECK(rte_pktmbuf_chain(m, segment(bytes + at, more)) == 0);
	}
	return m;
}

/* What a driver says of a packet, true or not. */
static void
flags_mutate(struct rte_mbuf *m)
{
	static const uint64_t flags[] = { RTE_MBUF_F_RX_VLAN, RTE_MBUF_F_RX_VLAN_STRIPPED,
		RTE_MBUF_F_RX_QINQ, RTE_MBUF_F_RX_QINQ_STRIPPED, RTE_MBUF_F_RX_RSS_HASH,
		RTE_MBUF_F_RX_FDIR, RTE_MBUF_F_RX_FDIR_ID, RTE_MBUF_F_RX_IP_CKSUM_BAD,
		RTE_MBUF_F_RX_IP_CKSUM_GOOD, RTE_MBUF_F_RX_L4_CKSUM_BAD,
		RTE_MBUF_F_RX_L4_CKSUM_GOOD, RTE_MBUF_F_RX_OUTER_L4_CKSUM_BAD, RTE_MBUF_F_RX_LRO,
		RTE_MBUF_F_RX_IEEE1588_PTP };

	m->port = fuzz_once_in(8) ? (uint16_t)fuzz_below(UINT16_MAX) : FIXTURE_IN;
	if (fuzz_once_in(2))
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(flags); i++)
		m->ol_flags |= fuzz_once_in(4) ? flags[i] : 0;
	m->packet_type = fuzz_once_in(2) ? fuzz_below(UINT32_MAX) : 0;
	m->hash.rss = fuzz_below(UINT32_MAX);
	m->vlan_tci = (uint16_t)fuzz_below(UINT16_MAX);
	m->vlan_tci_outer = (uint16_t)fuzz_below(UINT16_MAX);
	m->tso_segsz = (m->ol_flags & RTE_MBUF_F_RX_LRO) != 0 ? (uint16_t)fuzz_below(3000) : 0;
}

static void
put(const uint8_t *bytes, unsigned int n)
{
	struct rte_mbuf *m;

	if (rte_mempool_avail_count(engine_fixture_pool) < SPARE_MBUFS)
		return;
	m = packet(bytes, n);
	flags_mutate(m);
	if (rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1) == 0)
		rte_pktmbuf_free(m);
}

/* A packet, or several that follow each other in a TCP flow, for who merges them. */
void
fuzz_packet_in(void)
{
	static struct frame f;
	static uint8_t bytes[FRAME_BYTES];
	unsigned int n, times = fuzz_once_in(3) ? 1 + fuzz_below(8) : 1, at;

	frame_choose(&f);
	n = RTE_MIN(f.n, (unsigned int)UINT16_MAX);
	memcpy(bytes, fuzz_once_in(2) ? f.right : f.wrong, n);
	n = frame_mutate(bytes, n);
	at = f.layers[f.n_layers - 1].off;
	while (times-- > 0) {
		put(bytes, n);
		if (at == 0 || at + 20 > n || n > 2000)
			continue;
		/* The sequence number of the last layer, were it TCP, and the IP packet's ID. */
		frame_put16(bytes + at + 6,
			frame_get16(bytes + at + 6) + n - at - (bytes[at + 12] >> 2));
		frame_put16(bytes + 18, frame_get16(bytes + 18) + 1u);
		if (fuzz_once_in(4))
			n = frame_mutate(bytes, n);
	}
}

/* What an engine sends has whole segments, flags that a driver takes, and bytes that are there. */
static void
check(struct rte_mbuf *m)
{
	unsigned int segments = 0, n = 0;
	volatile uint8_t last = 0;

	CHECK(rte_validate_tx_offload(m) == 0);
	for (const struct rte_mbuf *part = m; part != NULL; part = part->next, segments++) {
		const uint8_t *bytes = rte_pktmbuf_mtod(part, const uint8_t *);

		CHECK(part->data_off + part->data_len <= part->buf_len);
		for (unsigned int i = 0; i < part->data_len; i++)
			last ^= bytes[i];
		(void)last;
		n += part->data_len;
	}
	CHECK(segments == m->nb_segs && n == m->pkt_len);
}

void
fuzz_packets_out(void)
{
	struct rte_mbuf *m;

	while ((m = engine_fixture_take()) != NULL) {
		check(m);
		rte_pktmbuf_free(m);
	}
}
