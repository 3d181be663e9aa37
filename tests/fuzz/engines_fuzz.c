/* Engines under packets that no driver should give them: mutated frames, cut anywhere, any flags,
 * any settings; nothing is lost and no byte too far is touched. */
/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * engines_fuzz ROUNDS [SEED]: so many rounds from that seed on; ROUNDS "60s": for a minute. What
 * ends it prints the round's seed: engines_fuzz 1 SEED does that round again. See it fail with
 * -Db_sanitize=address,undefined.
 */
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/ring/ring_setup.h"
#include "features/device/port_verbose.h"
#include "fixtures/csum_frame.h"
#include "fixtures/csum_frames.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/extbuf_fixture.h"
#include "fixtures/ring_fixture.h"
#include "fuzz/fuzz_check.h"
#include "memory/mbuf_readonly.h"
#include "record/capture_tap.h"
#include "run/run_mirror.h"
#include "run/run_writable.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define POLLS_MAX 5
#define PACKETS_MAX 48  /* per poll */
#define SPARE_MBUFS 600 /* that a packet leaves in the pool */
#define CUTS_MAX 120
#define SHARED_MAX 2000

extern const struct engine engine_io, engine_mac, engine_macswap, engine_flowgen, engine_rxonly,
	engine_txonly, engine_csum, engine_icmpecho, engine_noisy, engine_5tswap, engine_shared_rxq,
	engine_extbuf, engine_ring_pipeline, engine_recycle_mbufs, engine_l3fwd, engine_ieee1588;

/*
 * The engine of a round follows from its seed, so that each one here gets its share of the rounds.
 * Engines with more to go wrong have several shares. Left out: gpu needs a CUDA device, vhost a
 * guest on a socket.
 */
static const struct engine *const engines[] = { &engine_io, &engine_mac, &engine_macswap,
	&engine_flowgen, &engine_rxonly, &engine_txonly, &engine_csum, &engine_csum, &engine_csum,
	&engine_csum, &engine_csum, &engine_icmpecho, &engine_icmpecho, &engine_noisy,
	&engine_5tswap, &engine_5tswap, &engine_shared_rxq, &engine_extbuf, &engine_extbuf,
	&engine_ring_pipeline, &engine_ring_pipeline, &engine_recycle_mbufs, &engine_l3fwd,
	&engine_l3fwd, &engine_ieee1588 };

/* Per entry of engines: rounds, and those of them in which packets went through. */
static uint64_t rounds_of[ARRAY_SIZE(engines)], ran_of[ARRAY_SIZE(engines)];

/* Refusals of init that random settings may cause; any other is an error. */
static const struct {
	const struct engine *engine;
	const char *said;
} refusals[] = {
	{ &engine_noisy, "noisy-lkup-memory" },                /* too small for the lookups */
	{ &engine_flowgen, "one segment" },                    /* a packet larger than an mbuf */
	{ &engine_txonly, "txpkts" },                          /* headers longer than the segment */
	{ &engine_extbuf, "extbuf-buffer" },                   /* not a multiple, too small */
	{ &engine_extbuf, "extbuf-slice" },                    /* as extbuf-buffer */
	{ &engine_extbuf, "extbuf-verify on" },                /* needs extbuf-split */
	{ &engine_extbuf, "which is not in external memory" }, /* the pool has no pinned buffers */
	{ &engine_extbuf, "memory app" },                      /* smaller than its buffers */
	{ &engine_extbuf, "cannot reserve" }, /* more memory than this process has */
};

/* Bounds where those of the rows cost too much time or memory, or another process. */
static const struct {
	const char *name;
	uint64_t max;
} bounds[] = {
	{ "noisy-tx-sw-buffer-size", 600 },
	{ "noisy-tx-sw-buffer-flushtime", 1 },
	{ "noisy-lkup-memory", 1 },
	{ "noisy-lkup-num-writes", 4 },
	{ "noisy-lkup-num-reads", 4 },
	{ "noisy-lkup-num-reads-writes", 4 },
	{ "pipeline-busy", 500 },
	{ "pipeline-processes", 0 },
	{ "flowgen-flows", 100000 },
	{ "extbuf-buffer", 70000 },
	{ "extbuf-slice", 70000 },
};

static uint64_t seed, state;
static bool finished;
static uint64_t readonly; /* the mark of read-only data */
static struct stream *siblings[1];
static void *l3fwd_config, *ieee1588_config;

static void
seed_tell(void)
{
	char text[96];
	int n = snprintf(text, sizeof(text),
		"engines_fuzz: again with: engines_fuzz 1 %" PRIu64 "\n", seed);

	if (!finished && write(STDERR_FILENO, text, (size_t)n) != n)
		return;
}

static void
died(int number)
{
	seed_tell();
	signal(number, SIG_DFL);
	raise(number);
}

/* 0..n-1; splitmix64 by its constants. */
static uint32_t
below(uint64_t n)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ z >> 31) % n);
}

static bool
once_in(uint32_t n)
{
	return below(n) == 0;
}

static uint64_t
number_of(const struct setting *row)
{
	uint64_t max = row->max, value;

	for (unsigned int i = 0; i < ARRAY_SIZE(bounds); i++)
		if (strcmp(bounds[i].name, row->name) == 0)
			max = bounds[i].max;
	switch (below(4)) {
	case 0: return row->min;
	case 1: return max;
	case 2: value = row->min + below(16); break;
	default: value = row->min + below(max - row->min + 1); break;
	}
	value = once_in(2) ? rte_align64pow2(value) : value;
	return RTE_MIN(value, max);
}

/* A value for one setting; what is refused leaves the one it had. */
static void
setting_mutate(const struct setting *row)
{
	unsigned int n = 0;
	struct err e = { 0 };
	char word[64];

	switch (row->kind) {
	case SETTING_UINT: snprintf(word, sizeof(word), "%" PRIu64, number_of(row)); break;
	case SETTING_BOOL: strcpy(word, once_in(2) ? "on" : "off"); break;
	case SETTING_CHOICE:
		while (row->choices[n] != NULL)
			n++;
		snprintf(word, sizeof(word), "%s", row->choices[below(n)]);
		break;
	default:
		if (strcmp(row->name, "extbuf-memory") == 0 &&
			extbuf_fixture_memories.first != NULL)
			strcpy(word, "app");
		else if (strcmp(row->name, "txpkts") == 0)
			snprintf(word, sizeof(word), "%u,%u,%u", 1 + below(1000), 1 + below(1000),
				1 + below(1000));
		else
			return;
	}
	setting_parse(engine_fixture_settings, row->name, word, &e);
}

static void
settings_mutate(const struct engine *engine)
{
	for (size_t i = 0; i < engine->n_settings; i++) {
		setting_reset(engine_fixture_settings, engine->settings[i].name);
		if (once_in(2))
			setting_mutate(&engine->settings[i]);
	}
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

	if (once_in(2)) {
		frame_build(f, csum_frames[below(ARRAY_SIZE(csum_frames))], true);
		return;
	}
	snprintf(line, sizeof(line), "%s %u", longer[below(ARRAY_SIZE(longer))],
		1 + below(lengths[below(ARRAY_SIZE(lengths))]));
	frame_build(f, line, true);
}

/* Wrong bytes, mostly where headers are; lengths at their bounds; a frame cut short. Returns its
 * length. */
static unsigned int
frame_mutate(uint8_t *bytes, unsigned int n)
{
	static const uint16_t edges[] = { 0, 1, 7, 8, 19, 20, 21, 39, 40, 0x5dc, 0x7fff, 0x8000,
		0xfffe, 0xffff };
	unsigned int times = once_in(3) ? 0 : below(5);

	while (times-- > 0) {
		unsigned int at = below(once_in(4) ? n : RTE_MIN(n, 128u));

		if (once_in(2))
			bytes[at] = (uint8_t)below(256);
		else if (at + 2 <= n && once_in(2))
			frame_put16(bytes + at, edges[below(ARRAY_SIZE(edges))]);
		else if (at + 2 <= n)
			frame_put16(bytes + at, n - at + below(9) - 4);
	}
	if (n >= 16 && once_in(8)) { /* PTP, a Sync of version 2 or nearly */
		frame_put16(bytes + 12, 0x88f7);
		frame_put16(bytes + 14, once_in(4) ? below(1 << 16) : 2);
	}
	if (once_in(5))
		n = 1 + below(n);
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
	mbuf_readonly_set(m, readonly);
	n_shared++;
}

/* After a round: the pieces are unchanged, and no mbuf points at them. */
static void
shared_check(void)
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

	if (once_in(2) || n + 256 > RTE_MBUF_DEFAULT_BUF_SIZE) {
		m = engine_fixture_packet(bytes, n, 0);
		if (once_in(4))
			share(m);
		return m;
	}
	m = rte_pktmbuf_alloc(engine_fixture_pool);
	CHECK(m != NULL);
	m->data_off =
		(uint16_t)(2 * below(129)); /* DPDK's structs of headers begin at even addresses */
	memcpy(rte_pktmbuf_append(m, (uint16_t)n), bytes, n);
	return m;
}

static struct rte_mbuf *
packet(const uint8_t *bytes, unsigned int n)
{
	static const unsigned int parts[] = { 1, 3, 17, 54, 128, 600, 4000 };
	const unsigned int part = parts[below(ARRAY_SIZE(parts))];
	const bool cut = once_in(2);
	unsigned int first = cut ? 1 + below(RTE_MIN(n, once_in(2) ? 64u : n)) : n, segments = 1;
	struct rte_mbuf *m = segment(bytes, first);

	for (unsigned int at = first, more; at < n; at += more, segments++) {
		more = segments == CUTS_MAX ? n - at : RTE_MIN(n - at, 1 + below(2 * part));
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

	m->port = once_in(8) ? (uint16_t)below(UINT16_MAX) : FIXTURE_IN;
	if (once_in(2))
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(flags); i++)
		m->ol_flags |= once_in(4) ? flags[i] : 0;
	m->packet_type = once_in(2) ? below(UINT32_MAX) : 0;
	m->hash.rss = below(UINT32_MAX);
	m->vlan_tci = (uint16_t)below(UINT16_MAX);
	m->vlan_tci_outer = (uint16_t)below(UINT16_MAX);
	m->tso_segsz = (m->ol_flags & RTE_MBUF_F_RX_LRO) != 0 ? (uint16_t)below(3000) : 0;
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
static void
come_in(void)
{
	static struct frame f;
	static uint8_t bytes[FRAME_BYTES];
	unsigned int n, times = once_in(3) ? 1 + below(8) : 1, at;

	frame_choose(&f);
	n = RTE_MIN(f.n, (unsigned int)UINT16_MAX);
	memcpy(bytes, once_in(2) ? f.right : f.wrong, n);
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
		if (once_in(4))
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

static void
take_all(void)
{
	struct rte_mbuf *m;

	while ((m = engine_fixture_take()) != NULL) {
		check(m);
		rte_pktmbuf_free(m);
	}
}

/* Those who look at bursts beside the engine. */
struct lookers {
	const struct rte_eth_rxtx_callback *verbose[2];
	struct run_mirror_queue *mirror;
	struct run_writable_queue writable;
	struct capture_tap *tap[2];
	struct capture_want want;
};

static uint16_t
print_rx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, uint16_t max, void *arg)
{
	free(port_verbose_text(port, queue, pkts, n, true));
	return n;
}

static uint16_t
print_tx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, void *arg)
{
	free(port_verbose_text(port, queue, pkts, n, false));
	return n;
}

static void
capture_begin(struct lookers *l)
{
	static const char *const filters[] = { "", "ip", "udp port 9", "vlan and tcp",
		"ip6 proto 6", "greater 100", "ether[40:4] = 7", "tcp[13] & 2 != 0" };
	pcap_t *dead = pcap_open_dead(DLT_EN10MB, CAPTURE_BYTES_MAX);
	const char *filter = filters[below(ARRAY_SIZE(filters))];
	struct err e = { 0 };

	CHECK(dead != NULL && pcap_compile(dead, &l->want.filter, filter, 1, 0) == 0);
	pcap_close(dead);
	l->want.filtered = filter[0] != '\0';
	l->want.limited = once_in(4);
	l->want.left = below(100);
	l->want.snaplen = 1 + below(once_in(2) ? 128 : CAPTURE_BYTES_MAX);
	l->tap[0] = capture_tap_open(FIXTURE_IN, 0, true, CAPTURE_QUEUE_MIN, &l->want, &e);
	l->tap[1] = capture_tap_open(FIXTURE_OUT, 0, false, CAPTURE_QUEUE_MIN, &l->want, &e);
	CHECK(l->tap[0] != NULL && l->tap[1] != NULL);
}

static void
capture_end(struct lookers *l)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(l->tap); i++) {
		struct capture_tap *t = l->tap[i];
		const struct capture_copy *copy;

		if (t == NULL)
			return;
		CHECK(capture_tap_close(t));
		while ((copy = capture_queue_first(&t->ring)) != NULL) {
			CHECK(copy->kept <= copy->len && copy->kept <= l->want.snaplen);
			capture_queue_taken(&t->ring, capture_queue_need(copy->kept));
		}
		CHECK(t->seen == t->filtered + t->dropped + t->copied || l->want.limited);
		capture_tap_empty(t);
		capture_tap_free(t);
	}
	pcap_freecode(&l->want.filter);
}

static void
mirror_begin(struct lookers *l, bool writes)
{
	struct err e = { 0 };

	l->mirror = rte_zmalloc(NULL, sizeof(*l->mirror), CACHE_PAIR);
	CHECK(l->mirror != NULL);
	l->mirror->rx_port = FIXTURE_IN;
	l->mirror->tx_port = FIXTURE_OUT;
	l->mirror->clones = !writes && once_in(2);
	l->mirror->mark = once_in(2);
	l->mirror->segments = once_in(2);
	l->mirror->readonly = readonly;
	l->mirror->pool = engine_fixture_pool;
	CHECK(run_mirror_queue_open(l->mirror, &e) == 0);
}

static void
mirror_end(struct lookers *l)
{
	struct run_mirror_sum sum;

	if (l->mirror == NULL)
		return;
	run_mirror_queue_close(l->mirror);
	sum = run_mirror_queue_read(l->mirror);
	CHECK(sum.received == sum.sent + sum.no_mbuf + sum.full + sum.segments);
	rte_free(l->mirror);
}

static void
writable_begin(struct lookers *l, struct stream *s)
{
	struct err e = { 0 };

	l->writable = (struct run_writable_queue){ .stream = s,
		.readonly = readonly,
		.segments = once_in(2) };
	CHECK(run_writable_queue_open(&l->writable, &e) == 0);
}

static void
lookers_begin(struct lookers *l, struct stream *s)
{
	const bool writes = s->engine->written != NULL, early = once_in(2);

	*l = (struct lookers){ 0 };
	if (writes && early)
		writable_begin(l, s);
	if (once_in(3))
		l->verbose[0] = rte_eth_add_rx_callback(FIXTURE_IN, 0, print_rx, NULL);
	if (once_in(3))
		l->verbose[1] = rte_eth_add_tx_callback(FIXTURE_OUT, 0, print_tx, NULL);
	if (once_in(3))
		capture_begin(l);
	if (once_in(4))
		mirror_begin(l, writes);
	if (writes && !early)
		writable_begin(l, s);
}

static void
lookers_end(struct lookers *l)
{
	if (l->writable.stream != NULL)
		run_writable_queue_close(&l->writable);
	mirror_end(l);
	capture_end(l);
	if (l->verbose[0] != NULL)
		CHECK(rte_eth_remove_rx_callback(FIXTURE_IN, 0, l->verbose[0]) == 0);
	if (l->verbose[1] != NULL)
		CHECK(rte_eth_remove_tx_callback(FIXTURE_OUT, 0, l->verbose[1]) == 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(l->verbose); i++)
		rte_free((void *)(uintptr_t)l->verbose[i]);
}

static void
stream_mutate(struct stream *s)
{
	static const uint64_t offloads[] = { RTE_ETH_TX_OFFLOAD_MULTI_SEGS,
		RTE_ETH_TX_OFFLOAD_VLAN_INSERT, RTE_ETH_TX_OFFLOAD_QINQ_INSERT,
		RTE_ETH_TX_OFFLOAD_IPV4_CKSUM, RTE_ETH_TX_OFFLOAD_UDP_CKSUM,
		RTE_ETH_TX_OFFLOAD_TCP_CKSUM };
	static const uint16_t sizes[] = { 0, 1, 8, 100, 536, 1460, 9000, UINT16_MAX };
	struct stream_csum *c = &s->tx_end.csum;
	bool *wants[] = { &c->ip_hw, &c->udp_hw, &c->tcp_hw, &c->sctp_hw, &c->outer_ip_hw,
		&c->outer_udp_hw, &c->parse_tunnel, &c->mac_swap, &c->gso, &c->gro };

	s->burst = (uint16_t)(1 + below(once_in(2) ? 32 : BURST_MAX));
	s->rx_call = once_in(2) ? UINT16_MAX : (uint16_t)(1 + below(64));
	s->record = (unsigned char)below(4);
	s->retries = (uint16_t)below(3);
	for (unsigned int i = 0; i < ARRAY_SIZE(offloads); i++)
		s->tx_end.offloads |= once_in(2) ? offloads[i] : 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(wants); i++)
		*wants[i] = once_in(2);
	s->rx_end.csum.gro = c->gro;
	c->tso_segsz = once_in(2) ? sizes[below(ARRAY_SIZE(sizes))] : 0;
	c->tunnel_tso_segsz = once_in(2) ? sizes[below(ARRAY_SIZE(sizes))] : 0;
}

static void
polls(void (*poll)(void *), void *of)
{
	for (unsigned int n = 1 + below(POLLS_MAX); n > 0; n--) {
		for (unsigned int i = below(PACKETS_MAX); i > 0; i--)
			come_in();
		poll(of);
		take_all();
	}
}

static void
poll_stream(void *s)
{
	engine_fixture_poll(s);
}

static void
poll_pipeline(void *p)
{
	ring_fixture_poll(p);
}

/* Free what waits to be received. */
static void
incoming_free(void)
{
	struct rte_mbuf *m;

	while (rte_eth_rx_burst(FIXTURE_IN, 0, &m, 1) == 1)
		rte_pktmbuf_free(m);
}

static void
stream_gone(struct stream *s)
{
	const struct stream_count *c = &s->count;

	if (s->engine->fini != NULL)
		s->engine->fini(s);
	CHECK(c->rx + c->made == c->tx + c->tx_dropped + c->absorbed);
	take_all();
	incoming_free();
	if (s->engine->forget != NULL)
		s->engine->forget(s);
	free(s->state);
	rte_free(s);
	CHECK(rte_mempool_avail_count(engine_fixture_pool) == ENGINE_FIXTURE_MBUFS);
}

/* For ieee1588: the ring ports have no clock, this is theirs. */
int
rte_eth_timesync_enable(uint16_t port)
{
	return 0;
}

int
rte_eth_timesync_disable(uint16_t port)
{
	return 0;
}

int
rte_eth_timesync_read_rx_timestamp(uint16_t port, struct timespec *t, uint32_t at)
{
	*t = (struct timespec){ 7, at };
	return once_in(2) ? 0 : -EINVAL;
}

int
rte_eth_timesync_read_tx_timestamp(uint16_t port, struct timespec *t)
{
	*t = (struct timespec){ 8, 9 };
	return once_in(2) ? 0 : -EINVAL;
}

static bool
refusal_known(const struct engine *engine, const struct err *e)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(refusals); i++)
		if (refusals[i].engine == engine && strstr(e->text, refusals[i].said) != NULL)
			return true;
	return false;
}

/* Returns whether packets went through. */
static bool
stream_round(const struct engine *engine)
{
	const bool extbuf = engine == &engine_extbuf;
	struct stream *s = extbuf ? extbuf_fixture_stream((uint16_t)(68 + below(9000)))
				  : engine_fixture_stream(engine);
	struct err e = { 0 };
	struct lookers l;
	bool ran;

	stream_mutate(s);
	s->config = engine == &engine_l3fwd  ? l3fwd_config
		: engine == &engine_ieee1588 ? ieee1588_config
					     : s->config;
	siblings[0] = s;
	s->siblings = siblings;
	s->n_siblings = 1;
	s->rx_pool = engine_fixture_pool;
	if (engine->init == NULL || engine->init(s, &e) == 0) {
		lookers_begin(&l, s);
		polls(poll_stream, s);
		lookers_end(&l);
	} else if (!refusal_known(engine, &e)) {
		fprintf(stderr, "%s refused: %s\n", engine->name, e.text);
		abort();
	}
	ran = s->count.rx + s->count.made > 0;
	stream_gone(s);
	return ran;
}

static void
routes_make(const struct engine *engine)
{
	static const char *const prefixes[] = { "0.0.0.0/0", "10.0.0.0/8", "192.168.0.0/16", "::/0",
		"2001:db8::/32", "fe80::/10" };

	for (unsigned int i = 0; i < ARRAY_SIZE(prefixes); i++) {
		struct route r = { 0 };
		struct err e = { 0 };

		if (once_in(2))
			continue;
		CHECK(routes_prefix(&r, prefixes[i], &e) == 0);
		/* The one stream of l3fwd transmits to FIXTURE_OUT; it refuses other ports. */
		r.port = engine == &engine_l3fwd ? FIXTURE_OUT : (uint16_t)below(2);
		CHECK(routes_add(&ring_fixture_routes, &r, &e) == 0);
	}
}

static void
pipeline_round(void)
{
	struct ring_pipeline *p;
	struct lookers l;

	if (once_in(2))
		engine_fixture_set("pipeline-stage", "l3fwd");
	/* With sync single it is refused. */
	if (strcmp(setting_word(engine_fixture_settings, "pipeline-spread", NULL, 0), "any") == 0)
		engine_fixture_set("pipeline-sync", "hts");
	p = ring_fixture_begin(1, NULL);
	lookers_begin(&l, p->streams[0]);
	polls(poll_pipeline, p);
	lookers_end(&l);
	incoming_free(); /* the last polls are without run_writable */
	ring_fixture_end(p);
}

static void
round_do(void)
{
	static const enum extmem_type types[] = { EXTMEM_HEAP, EXTMEM_ANON, EXTMEM_MEMFD };
	const unsigned int at = (unsigned int)(seed % ARRAY_SIZE(engines));
	const struct engine *engine = engines[at];
	bool ran = true;

	if (engine == &engine_extbuf && once_in(2))
		extbuf_fixture_memory("app", types[below(ARRAY_SIZE(types))],
			(1 + below(512)) * UINT64_C(4096), NULL);
	settings_mutate(engine);
	routes_clear(&ring_fixture_routes);
	routes_make(engine);
	if (engine == &engine_ring_pipeline)
		pipeline_round();
	else
		ran = stream_round(engine);
	shared_check();
	rounds_of[at]++;
	ran_of[at] += ran;
	extbuf_fixture_all_back();
	extbuf_fixture_gone(NULL);
}

static void *
config_open(const struct engine *engine)
{
	static FILE *null;
	static struct out *out;
	void *config = calloc(1, engine->config_size);
	struct engine_env env = { .routes = &ring_fixture_routes };
	struct err e = { 0 };

	null = null != NULL ? null : fopen("/dev/null", "w");
	CHECK(config != NULL && null != NULL);
	out = out != NULL ? out : out_open(null, null);
	env.out = out;
	CHECK(engine->open(config, &env, &e) == 0);
	return config;
}

static void
open_all(void)
{
	static const struct engine *const more[] = { &engine_csum, &engine_extbuf,
		&engine_ring_pipeline, &engine_recycle_mbufs, &engine_l3fwd };
	struct err e = { 0 };

	engine_fixture_open(NULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(more); i++)
		CHECK(settings_add(engine_fixture_settings, more[i]->settings, more[i]->n_settings,
			      &e) == 0);
	readonly = mbuf_readonly_register();
	CHECK(readonly != 0);
	l3fwd_config = config_open(&engine_l3fwd);
	ieee1588_config = config_open(&engine_ieee1588);
}

static bool
may_refuse(const struct engine *engine)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(refusals); i++)
		if (refusals[i].engine == engine)
			return true;
	return false;
}

/*
 * Packets went through in at least 3/4 of an engine's rounds, 1/8 if random settings may make it
 * refuse. Too few rounds say nothing: a seed that is done again is one.
 */
static bool
floor_reached(void)
{
	bool reached = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(engines); i++) {
		const uint64_t floor = may_refuse(engines[i]) ? rounds_of[i] / 8
							      : rounds_of[i] / 4 * 3;

		if (rounds_of[i] < 8 || ran_of[i] >= floor)
			continue;
		fprintf(stderr,
			"%s: packets in %" PRIu64 " of %" PRIu64 " rounds; expected %" PRIu64
			" or more\n",
			engines[i]->name, ran_of[i], rounds_of[i], floor);
		reached = false;
	}
	return reached;
}

int
main(int argc, char **argv)
{
	char *unit = "";
	const char *set = getenv("ZCFWD_TEST_SEED");
	uint64_t rounds = argc > 1 ? strtoull(argv[1], &unit, 10) : 1000, done = 0;
	const time_t end = time(NULL) + (time_t)rounds;

	seed = strtoull(argc > 2 ? argv[2] : set != NULL ? set : "1", NULL, 10);
	open_all();
	atexit(seed_tell);
	signal(SIGABRT, died);
	signal(SIGFPE, died);
	for (; *unit == 's' ? time(NULL) < end : done < rounds; done++, seed++) {
		state = seed * 0x2545f4914f6cdd1d;
		round_do();
	}
	finished = true;
	routes_clear(&ring_fixture_routes);
	free(l3fwd_config);
	free(ieee1588_config);
	engine_fixture_close(NULL);
	printf("%" PRIu64 " rounds, up to seed %" PRIu64 "\n", done, seed - 1);
	return floor_reached() ? 0 : 1;
}
