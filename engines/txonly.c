/* Creates and sends UDP packets as fast as the port accepts them, or at a set rate; lengths,
 * segments, flows and departure times are settings. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/out.h"
#include "engines/common/pace.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"

#include <rte_cycles.h>
#include <rte_mbuf_dyn.h>
#include <rte_random.h>

#include <string.h>

#define FLOW_BASE \
	0xc0 /* high byte of the first flow's UDP source port; the low byte is the lcore's */
#define FLOWS_MAX 64
#define RATE_MAX 1000000000 /* multiplied by TSC ticks per second this is below 2^64 */

enum { UNTIMED };

static const struct stat_row counters[] = {
	{ .name = "untimed",
		.help = "packets sent without the departure time of txtimes, because the port does not "
			"support it" },
};

/* Header fields that depend on the number of segments. */
struct shape {
	uint32_t bytes; /* host order; the other fields are in network order */
	rte_be16_t ip_bytes, ip_sum, udp_bytes;
};

/* Departure data of a packet, after the UDP header. Source: testpmd's txonly. */
struct departure {
	rte_be32_t signature;
	rte_be16_t packet, queue; /* index in the burst, the port's queue */
	rte_be64_t time;          /* 0: as soon as possible */
};

#define HEAD_MAX (sizeof(struct pkt_udp) + sizeof(struct departure))

struct txonly {
	struct pkt_udp head;
	bool plain;  /* one segment, no departure times */
	bool random; /* a random number of segments, 1..n_segs */
	bool timed;
	bool paced; /* rate is a limit */
	struct pool_blocks blocks;
	uint16_t n_segs;
	uint16_t flow, flows; /* next flow, number of flows; flows 0: UDP ports as set */
	uint64_t flags;
	uint16_t lengths[PKT_SEGS_MAX];
	struct shape shapes[PKT_SEGS_MAX];

	/* Departure times, in ticks of the port's clock. */
	uint64_t inter, intra; /* gap before a burst, gap between its packets (0: none) */
	uint64_t begin;        /* the clock at init, the same for all streams of a port */
	uint64_t last;         /* the latest departure so far */
	uint64_t time_flag;
	int time_offset;

	/* For txonly rate: the stream's packets per second, and those that are due. */
	uint64_t rate;
	uint64_t hz;   /* TSC ticks per second */
	uint64_t due;  /* packets times TSC ticks per second */
	uint64_t seen; /* the TSC up to which due was added up */
};

/* Configuration that outlives runs. */
struct txonly_config {
	struct out *out;
};

static int
txpkts_check(const char *text, struct err *e)
{
	int n = pkt_text_lengths(text, NULL, e);

	return n < 0 ? n : 0;
}

static int
txtimes_check(const char *text, struct err *e)
{
	uint64_t times[2];

	if (pkt_text_pair(text, UINT32_MAX, times) == 2)
		return 0;
	return err_set(e, EINVAL,
		"txtimes \"%s\": expected BURST-GAP,PACKET-GAP, each 0..%u clock ticks", text,
		UINT32_MAX);
}

static int
ip_check(const char *text, struct err *e)
{
	uint32_t addresses[2];

	if (pkt_text_addresses(text, addresses))
		return 0;
	return err_set(e, EINVAL,
		"tx-ip \"%s\": expected SOURCE,DESTINATION, such as 198.18.0.1,198.18.0.2", text);
}

static int
udp_check(const char *text, struct err *e)
{
	uint64_t ports[2];

	if (pkt_text_pair(text, UINT16_MAX, ports) > 0)
		return 0;
	return err_set(e, EINVAL,
		"tx-udp \"%s\": expected SOURCE,DESTINATION or one port for both, each 0..%u", text,
		UINT16_MAX);
}

/* clang-format off */
static const struct setting settings[] = {
	{ .name = "txpkts", .unit = "bytes", .kind = SETTING_TEXT, .text = "64",
		.example = "64,128", .check = txpkts_check,
		.help = "segment lengths of packets that txonly and flowgen create or csum splits" },
	{ .name = "txsplit", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES([PKT_SPLIT_OFF] = "off", [PKT_SPLIT_ON] = "on", [PKT_SPLIT_RAND] = "rand"),
		.help = "segments of txpkts to use: on = csum splits packets into them, rand = csum and txonly use a random number of them" },
	{ .name = "txtimes", .unit = "ticks", .kind = SETTING_TEXT, .text = "0,0",
		.example = "1000,100", .check = txtimes_check,
		.help = "txonly: inter-burst and intra-burst gap; needs a port with the send-on-timestamp offload, ignored otherwise (txonly rate works on all ports)" },
	{ .name = "txonly-rate", .words = "txonly rate", .unit = "packets/s", .max = RATE_MAX,
		.example = "1000000",
		.help = "txonly: packets per second on each port, paced by software; 0: as fast as the port accepts them" },
	{ .name = "txonly-multi-flow", .kind = SETTING_BOOL,
		.help = "txonly: vary the UDP source port" },
	{ .name = "txonly-flows", .unit = "flows", .min = 1, .max = FLOWS_MAX, .value = FLOWS_MAX,
		.help = "txonly: UDP source ports per lcore, with txonly-multi-flow" },
	{ .name = "tx-ip", .kind = SETTING_TEXT, .text = "198.18.0.1,198.18.0.2", .check = ip_check,
		.help = "txonly: source and destination IPv4 address" },
	{ .name = "tx-udp", .kind = SETTING_TEXT, .text = "9,9", .example = "1024,2048",
		.check = udp_check,
		.help = "txonly: UDP source and destination port; one number sets both" },
	{ .name = "tx-blocks", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES([PKT_BLOCKS_AUTO] = "auto", [PKT_BLOCKS_OFF] = "off", [PKT_BLOCKS_ON] = "on"),
		.help = "allocate mbufs of created packets in contiguous blocks of the pool; auto = only if lcores have no mempool cache" },
};
/* clang-format on */

/* Read the port's clock. Streams of one port share the value, so that their queues are in step. */
static bool
clock_init(struct stream *s, struct txonly *t)
{
	unsigned int i;

	for (i = 0; i < s->index; i++) {
		const struct txonly *mate = s->siblings[i]->state;

		if (s->siblings[i]->tx_port == s->tx_port && mate->timed) {
			t->begin = mate->begin;
			return true;
		}
	}
	return rte_eth_read_clock(s->tx_port, &t->begin) == 0;
}

/* Set up departure times, if txtimes is set and the port supports them. */
static void
times_init(struct stream *s, struct txonly *t)
{
	int flag = rte_mbuf_dynflag_lookup(RTE_MBUF_DYNFLAG_TX_TIMESTAMP_NAME, NULL);
	int offset = rte_mbuf_dynfield_lookup(RTE_MBUF_DYNFIELD_TIMESTAMP_NAME, NULL);
	struct rte_eth_dev_info info;
	uint64_t times[2] = { 0, 0 };

	pkt_text_pair(setting_text(s->settings, "txtimes"), UINT32_MAX, times);
	t->inter = times[0];
	t->intra = times[1];
	t->timed = t->inter != 0 && flag >= 0 && offset >= 0 &&
		(s->tx_end.offloads & RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP) != 0 &&
		rte_eth_dev_info_get(s->tx_port, &info) == 0 && clock_init(s, t);
	if (!t->timed)
		return;
	t->time_flag = UINT64_C(1) << flag;
	t->time_offset = offset;
	/* Stagger the queues of a port within the gap between bursts. */
	t->last = t->begin + t->inter + t->inter * s->tx_queue / RTE_MAX(info.nb_tx_queues, 1);
}

/*
 * The stream's part of its port's rate, which is divided among the streams that send to the port.
 */
static void
rate_init(const struct stream *s, struct txonly *t)
{
	const uint64_t rate = setting_u64(s->settings, "txonly-rate");
	unsigned int mine;
	const unsigned int n = RTE_MAX(pace_senders(s, &mine), 1u);

	t->rate = rate / n + (mine < rate % n);
	/* With more streams than packets per second some of them have rate 0 and send none. */
	t->hz = (uint64_t)s->tsc_hz;
	t->paced = rate != 0;
	t->seen = rte_rdtsc();
}

/* Compute the segments and the headers for each number of them, and check that the headers fit. */
static int
shapes_init(struct stream *s, struct txonly *t, struct err *e)
{
	const char *text = setting_text(s->settings, "txpkts");
	uint16_t room = rte_pktmbuf_data_room_size(s->pool) - RTE_PKTMBUF_HEADROOM;
	uint32_t bytes = 0, need = t->timed ? HEAD_MAX : sizeof(t->head);
	struct rte_eth_dev_info info;
	int i, n = pkt_text_lengths(text, t->lengths, e);

	if (n < 0)
		return n;
	if (rte_eth_dev_info_get(s->tx_port, &info) == 0 && info.tx_desc_lim.nb_seg_max != 0 &&
		n > info.tx_desc_lim.nb_seg_max)
		return err_set(e, ERANGE, "txpkts: %d segments: expected 1..%u on port %u", n,
			info.tx_desc_lim.nb_seg_max, s->tx_port);
	for (i = 0; i < n; i++) {
		if (t->lengths[i] > room)
			return err_set(e, ERANGE,
				"txpkts \"%s\": segment of %u bytes: expected 1..%u, the size of an mbuf",
				text, t->lengths[i], room);
		bytes += t->lengths[i];
		if (bytes < need && (t->random || i == n - 1))
			return err_set(e, ERANGE, "txpkts \"%s\": expected at least %u bytes%s%s",
				text, need,
				t->random ? " in the first segment with txsplit rand" : "",
				t->timed ? " with txtimes" : "");
		pkt_udp_resize(&t->head, (uint16_t)bytes);
		t->shapes[i] = (struct shape){ bytes, t->head.ip.total_length,
			t->head.ip.hdr_checksum, t->head.udp.dgram_len };
	}
	t->n_segs = (uint16_t)n;
	t->plain = n == 1 && t->inter == 0;
	return 0;
}

static int
txonly_init(struct stream *s, struct err *e)
{
	struct txonly *t = s->state;
	uint32_t addresses[2] = { 0, 0 };
	uint64_t ports[2] = { 0, 0 };

	t->random = setting_u64(s->settings, "txsplit") == PKT_SPLIT_RAND;
	t->flags = pkt_tx_flags(&s->tx_end);
	if (setting_on(s->settings, "txonly-multi-flow"))
		t->flows = (uint16_t)setting_u64(s->settings, "txonly-flows");
	pkt_text_addresses(setting_text(s->settings, "tx-ip"), addresses);
	pkt_text_pair(setting_text(s->settings, "tx-udp"), UINT16_MAX, ports);
	t->head.ether.dst_addr = s->tx_end.peer;
	t->head.ether.src_addr = s->tx_end.mac;
	pkt_udp_fill(&t->head, addresses[0], addresses[1], (uint16_t)ports[0], (uint16_t)ports[1],
		sizeof(t->head));
	times_init(s, t);
	rate_init(s, t);
	pkt_blocks_open(&t->blocks, s);
	return shapes_init(s, t, e);
}

static int
txonly_open(void *config, const struct engine_env *env, struct err *e)
{
	struct txonly_config *c = config;

	c->out = env->out;
	return 0;
}

/* Warn if ports ignore txtimes; their packets are counted as untimed, too. */
static int
txonly_apply(struct stream *const *streams, unsigned int n, const void *config, bool live,
	struct err *e)
{
	const struct txonly_config *c = config;
	unsigned int untimed = 0;

	for (unsigned int i = 0; i < n; i++) {
		const struct txonly *t = streams[i]->state;

		untimed += t->inter != 0 && !t->timed;
	}
	if (untimed > 0)
		out_warn(c->out,
			"txtimes has no effect on %u of %u streams: their ports do not support send-on-timestamp\n",
			untimed, n);
	return 0;
}

static void
txonly_fini(struct stream *s)
{
	struct txonly *t = s->state;

	pool_blocks_close(&t->blocks);
}

/* The next flow's source port; flows are used round robin. */
static __rte_always_inline rte_be16_t
flow_next(const struct stream *s, struct txonly *t)
{
	uint16_t port = (uint16_t)((FLOW_BASE + t->flow) << 8 | (s->lcore & 0xff));

	if (++t->flow >= t->flows)
		t->flow = 0;
	return rte_cpu_to_be_16(port);
}

/*
 * Set the packet's departure time, if it needs its own, and write it after the headers.
 */
static void
depart(struct stream *s, struct txonly *t, struct rte_mbuf *m, uint16_t packet, uint8_t *at)
{
	struct departure d = {
		.signature = RTE_BE32(0xbeefc0de),
		.packet = rte_cpu_to_be_16(packet),
		.queue = rte_cpu_to_be_16(s->tx_queue),
	};
	uint64_t gap = packet == 0 ? t->inter : t->intra;

	if (gap > 0) {
		t->last += gap;
		d.time = rte_cpu_to_be_64(t->last);
		m->ol_flags |= t->time_flag;
		*RTE_MBUF_DYNFIELD(m, t->time_offset, uint64_t *) = t->last;
	}
	memcpy(at, &d, sizeof(d));
}

/*
 * Append uninitialised mbufs to m until it has n segments. If the pool is empty: false, m
 * unchanged.
 */
static bool
segments_add(struct stream *s, const struct txonly *t, struct rte_mbuf *m, uint16_t n)
{
	struct rte_mbuf *more[PKT_SEGS_MAX];
	uint16_t i;

	if (n > 1 && rte_mempool_get_bulk(s->pool, (void **)more, n - 1) != 0)
		return false;
	m->nb_segs = n;
	for (i = 1; i < n; i++) {
		m->next = more[i - 1];
		m = m->next;
		rte_pktmbuf_reset_headroom(m);
		m->data_len = t->lengths[i];
	}
	return true;
}

/*
 * Build a packet with segments and departure time in the uninitialised mbuf m. If the pool is
 * empty: false, m still uninitialised.
 */
static bool
build_one(struct stream *s, struct txonly *t, struct rte_mbuf *m, uint16_t packet)
{
	uint16_t n_segs = t->random ? (uint16_t)(1 + rte_rand_max(t->n_segs)) : t->n_segs;
	const struct shape *shape = &t->shapes[n_segs - 1];
	uint8_t bytes[HEAD_MAX];
	struct pkt_udp p = t->head;

	if (!segments_add(s, t, m, n_segs))
		return false;
	pkt_raw_open(m, t->lengths[0], t->flags, &s->tx_end);
	m->pkt_len = shape->bytes;
	p.ip.total_length = shape->ip_bytes;
	p.ip.hdr_checksum = shape->ip_sum;
	p.udp.dgram_len = shape->udp_bytes;
	if (t->flows > 0)
		p.udp.src_port = flow_next(s, t);
	memcpy(bytes, &p, sizeof(p));
	if (t->timed)
		depart(s, t, m, packet, bytes + sizeof(p));
	pkt_write(m, bytes, t->timed ? sizeof(bytes) : sizeof(p));
	return true;
}

static uint16_t
build_many(struct stream *s, struct txonly *t, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t i;

	for (i = 0; i < n; i++) {
		if (unlikely(!build_one(s, t, pkts[i], i))) {
			rte_mempool_put_bulk(s->pool, (void **)pkts + i, n - i);
			break;
		}
	}
	if (t->inter != 0 && !t->timed)
		stream_count_named(s, UNTIMED, i);
	return i;
}

/* Build packets of one segment that differ only in the flow: the usual case. */
static void
build_plain(struct stream *s, struct txonly *t, struct rte_mbuf **pkts, uint16_t n)
{
	const struct pkt_udp head = t->head;
	const uint64_t flags = t->flags;
	const uint16_t bytes = t->lengths[0], flows = t->flows;
	uint16_t i;

	for (i = 0; i < n; i++) {
		struct pkt_udp *p;

		pkt_raw_open(pkts[i], bytes, flags, &s->tx_end);
		p = rte_pktmbuf_mtod(pkts[i], struct pkt_udp *);
		memcpy(p, &head, sizeof(head));
		if (flows > 0)
			p->udp.src_port = flow_next(s, t);
	}
}

/*
 * How many packets, up to max, are due. A late poll catches up by at most 1 ms of the rate or one
 * burst: a preempted lcore sends less, because a long burst could overflow rings.
 */
static __rte_noinline uint16_t
due(struct txonly *t, uint16_t max)
{
	const uint64_t hz = t->hz, now = rte_rdtsc();
	const uint64_t most = RTE_MAX(max * hz, hz / MS_PER_S * t->rate);
	uint16_t n;

	t->due += RTE_MIN(now - t->seen, hz) * t->rate;
	t->due = RTE_MIN(t->due, most);
	t->seen = now;
	n = (uint16_t)RTE_MIN(t->due / hz, max);
	t->due -= n * hz;
	return n;
}

static uint16_t
txonly_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	struct txonly *t = s->state;
	uint16_t n = likely(!t->paced) ? max : due(t, max);

	if (unlikely(n == 0))
		return 0;
	n = pkt_blocks_get(s, &t->blocks, pkts, n);
	if (likely(t->plain))
		build_plain(s, t, pkts, n);
	else
		n = build_many(s, t, pkts, n);
	stream_made(s, n);
	return n;
}

/* Go back to the flows whose packets were not sent, so that every flow gets its share. */
static void
txonly_sink(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct txonly *t = s->state;
	uint16_t sent = stream_tx(s, pkts, n);

	if (unlikely(sent < n) && t->flows > 0)
		t->flow = (uint16_t)((t->flow + t->flows - (n - sent) % t->flows) % t->flows);
}

ENGINE_LOOP(txonly, txonly_source, NULL, txonly_sink)

/* Ports of net_i40e and others lose all segments but the first one without multi_segs. */
static const char *
txonly_segments(const struct settings *all, const struct stream_csum *port)
{
	return strchr(setting_text(all, "txpkts"), ',') != NULL
		? "creates packets of several segments (txpkts)"
		: NULL;
}

const struct engine engine_txonly = {
	.name = "txonly",
	.help = "create UDP packets and send them",
	.flags = ENGINE_NO_RX | ENGINE_MAKES | ENGINE_TX_FIRST,
	.state_size = sizeof(struct txonly),
	.init = txonly_init,
	.segments = txonly_segments,
	.loop = txonly_loop,
	.fini = txonly_fini,
	.config_size = sizeof(struct txonly_config),
	.open = txonly_open,
	.apply = txonly_apply,
	.settings = SETTING_TABLE("Engines", settings),
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
};
