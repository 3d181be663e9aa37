/* The engine measure: sends described traffic, and counts loss, duplicates, reordering, damage and
 * latency of the packets that come back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/host_run.h"
#include "engines/measure/lane_send.h"
#include "engines/measure/lane_show.h"
#include "engines/measure/measure_cmds.h"
#include "engines/measure/measured.h"
#include "engines/measure/traffic/traffic.h"

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_prefetch.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Packets whose data is prefetched ahead. */
#define AHEAD 4
/* Fraction bits of nanoseconds per TSC tick. */
#define NS_SHIFT 20
/* An lcore that does not end must not delay the others for ever. */
#define DRAIN_WAIT_MS 2000
#define RECEIVE_BURST 32
/* TSC ticks; the histogram ends at 17 s, and more ticks would overflow in ns. */
#define GAP_MAX (UINT64_C(1) << 44)

static const struct stat_row counters[] = {
	[MEASURED_UNSENT] = PACE_UNSENT_ROW,
	[MEASURED_UNIQUE] = { .name = "unique",
		.help = "intact packets of this run, duplicates excluded" },
	[MEASURED_DUPLICATED] = { .name = "duplicated",
		.help = "intact packets that had arrived before" },
	[MEASURED_REORDERED] = { .name = "reordered",
		.help = "packets that arrived after one with a higher sequence number of their flow (RFC 4737)" },
	[MEASURED_TOO_OLD] = { .name = "too_old",
		.help = "packets so late that they may be duplicates, not in unique, so counted as lost; and those of the run before" },
	[MEASURED_DAMAGED] = { .name = "damaged",
		.help = "packets of this run whose probe or payload was changed" },
	[MEASURED_FOREIGN] = { .name = "foreign", .help = "packets that this run did not send" },
	[MEASURED_CLOCK] = { .name = "clock_errors",
		.help = "packets without latency: they arrived before they were due, or without a time stamp of the NIC" },
	[MEASURED_ANSWERED] = { .name = "answered",
		.help = "ARP, neighbor and echo requests for an address of the port (set port P host)",
		.part = STAT_ANSWERED },
	[MEASURED_ANSWERS_DROPPED] = { .name = "answers_dropped",
		.help = "of these, answers dropped because the Tx ring was full or the run ended",
		.part = STAT_UNANSWERED },
};

static const struct setting settings[] = {
	{ .name = "measure-drain",
		.unit = "ms",
		.max = 10000,
		.value = 100,
		.help = "measure: time to receive the last packets after all lcores have stopped sending" },
	{ .name = "measure-flow-latency",
		.kind = SETTING_BOOL,
		.help = "measure: a histogram of latency per flow (205 kB each), for percentiles in show measure flows" },
};

/*
 * A stream that sends, for all that receive. They read it for each packet, so it is apart from the
 * struct sender, whose cache lines the sender's lcore writes for each packet: between CPUs that are far
 * from each other both would wait for the line.
 */
struct origin {
	uint32_t base; /* number of its first flow */
	const struct traffic *traffic;
};

struct measure {
	struct sender sender; /* must be the first member */
	struct measured *measured;
	struct measured_config *config;
	const struct origin *origins; /* all streams that send, by their first flow */
	unsigned int n_origins;
	uint64_t ns_per_tick; /* in units of 2^-NS_SHIFT */
	uint64_t drain;       /* TSC ticks */
	uint32_t mark_before,
		key_before; /* of the run before, whose last packets may arrive now; key 0: none */
	bool nic;           /* packets arrive by the NIC's clock */
	bool answers;       /* sends the answers of its Tx port */
	uint8_t scratch[TRAFFIC_SIZE_MAX]; /* a packet of several segments */
};

static int
measure_init(struct stream *s, struct err *e)
{
	struct measure *d = s->state;

	d->config = s->config;
	d->drain = setting_u64(s->settings, "measure-drain") * (uint64_t)(s->tsc_hz / MS_PER_S);
	d->measured = s->kept = rte_zmalloc_socket("measured", sizeof(*d->measured), 64,
		(int)rte_lcore_to_socket_id(s->lcore));
	if (d->measured == NULL)
		return err_set(e, ENOMEM, "measure: no memory for a histogram of %zu bytes",
			sizeof(*d->measured));
	if (sender_init(&d->sender, s, e) != 0)
		return -e->code;
	d->ns_per_tick = (uint64_t)(1e9 * (1 << NS_SHIFT) / s->tsc_hz);
	nic_clock_open(&d->measured->clock, s->rx_port, s->rx_end.offloads,
		&d->config->clock_lock[s->rx_port], s->tsc_hz);
	return 0;
}

/* Begin to convert the time stamps of the streams whose packets have some. */
static void
clocks_begin(struct stream *const *streams, unsigned int n)
{
	bool any = false;

	for (unsigned int i = 0; i < n; i++)
		any |= ((struct measure *)streams[i]->state)->measured->clock.state ==
			NIC_CLOCK_USED;
	if (!any)
		return;
	rte_delay_us_sleep(NIC_CLOCK_WAIT_MS * 1000);
	for (unsigned int i = 0; i < n; i++) {
		struct measure *d = streams[i]->state;

		nic_clock_begin(&d->measured->clock);
		d->nic = d->measured->clock.state == NIC_CLOCK_USED;
	}
}

/* Mark the packets of a run, and number the flows that its streams send. */
static int
streams_number(struct stream *const *streams, unsigned int n, struct measured_config *c,
	struct err *e)
{
	struct lanes_run *set;
	int ret;

	if (!lanes_chosen(c))
		return sender_number(streams, n, c->mark, c->key, e);
	ret = lane_run_begin(&c->lanes, streams, n, c->mark, c->key, &set, e);
	((struct measured *)streams[0]->kept)->lanes = set;
	for (unsigned int i = 0; i < n && ret == 0; i++)
		ret = measured_lanes_expect(streams[i], set, e);
	return ret;
}

/* Prepare to receive the flows of all streams, and count the lcores that send. */
static int
measure_apply(struct stream *const *streams, unsigned int n, const void *config, bool live,
	struct err *e)
{
	struct measured_config *c = ((struct measure *)streams[0]->state)->config;
	const uint32_t key = (uint32_t)rte_rdtsc() * UINT32_C(2654435761) ^ (uint32_t)getpid();
	struct origin *origins;
	unsigned int n_origins = 0;
	const uint32_t mark_before = c->mark, key_before = c->key;
	uint32_t flows = 0;

	if (live)
		return 0;
	/* Never that of the run before, nor 0, which is what packets of others end in. */
	c->mark = (c->mark + key % (PROBE_MARKS - 2)) % (PROBE_MARKS - 1) + 1;
	c->key = key;
	if (streams_number(streams, n, c, e) != 0 || host_run_begin(streams, n, &c->hosts, e) != 0)
		return -e->code;
	origins = calloc(n, sizeof(*origins)); /* freed by the first stream */
	if (origins == NULL)
		return err_set(e, ENOMEM, "measure: no memory for %u streams", n);
	atomic_store(&c->sending, 0);
	for (unsigned int i = 0; i < n; i++) {
		const struct sender *sender = streams[i]->state;

		if (i == 0 || streams[i]->lcore != streams[i - 1]->lcore)
			atomic_fetch_add(&c->sending, 1);
		flows += sender->flows;
		if (sender->flows > 0 && sender->lanes == NULL)
			origins[n_origins++] = (struct origin){ sender->base, &sender->traffic };
	}
	for (unsigned int i = 0; i < n; i++) {
		struct measure *d = streams[i]->state;

		d->origins = origins;
		d->answers = d->measured->host.from != NULL;
		d->n_origins = n_origins;
		d->mark_before = mark_before;
		d->key_before = key_before;
		d->measured->base = d->sender.base;
		d->measured->flows = d->sender.flows;
		d->measured->n = flows;
		d->measured->arrivals = rte_zmalloc_socket("arrivals",
			RTE_MAX(flows, 1u) * sizeof(*d->measured->arrivals), 64,
			(int)rte_lcore_to_socket_id(streams[i]->lcore));
		if (d->measured->arrivals == NULL)
			return err_set(e, ENOMEM, "measure: no memory for %u flows per stream",
				flows);
		if (!setting_on(streams[i]->settings, "measure-flow-latency"))
			continue;
		d->measured->flow_latency = rte_zmalloc_socket("flow latency",
			RTE_MAX(flows, 1u) * sizeof(struct hdr), 64,
			(int)rte_lcore_to_socket_id(streams[i]->lcore));
		if (d->measured->flow_latency == NULL)
			return err_set(e, ENOMEM,
				"measure-flow-latency: no memory for %u histograms of %zu bytes per stream: use fewer flows, or off",
				flows, sizeof(struct hdr));
	}
	clocks_begin(streams, n);
	return 0;
}

static void
measure_fini(struct stream *s)
{
	struct measure *d = s->state;
	struct measured *m = d->measured;

	if (m != NULL && m->arrivals != NULL)
		m->lost = measured_lost(counter_read(&m->sent), measured_unique(s));
	if (s->index == 0)
		free((void *)(uintptr_t)d->origins);
	d->origins = NULL;
	if (m != NULL)
		host_run_end(s, &d->config->hosts);
	lane_run_over(s->config);
	sender_fini(&d->sender);
}

static void
measure_forget(struct stream *s)
{
	struct measured *m = s->kept;

	if (m != NULL) {
		rte_free(m->arrivals);
		rte_free(m->flow_latency);
		for (unsigned int i = 0; i < m->n_lanes; i++)
			rte_free(m->lane_latency[i]);
		free(m->lane_latency);
		if (s->index == 0)
			lane_run_forget(m->lanes);
	}
	rte_free(m);
	s->kept = NULL;
}

/* What a burst of received packets was. */
struct verdicts {
	uint32_t unique, duplicated, reordered, too_old, damaged, foreign, clock;
};

/* Bytes of payload and probe that the sender of a flow put into the packet. */
static __rte_always_inline unsigned int
payload_sent(const struct measure *d, const struct probe *p)
{
	const struct traffic *t = d->origins[0].traffic;

	for (unsigned int i = 1; i < d->n_origins && p->flow >= d->origins[i].base; i++)
		t = d->origins[i].traffic;
	return t->sizes[t->n_sizes == 1 ? 0 : traffic_size_index(t, p->flow, p->sequence)] -
		t->head_bytes;
}

static __rte_always_inline uint64_t
to_ns(const struct measure *d, uint64_t ticks)
{
	return ticks * d->ns_per_tick >> NS_SHIFT;
}

/* Return whether payload and probe at the end of a packet are what a lane sent. sums: from probe_read(). */
static __rte_always_inline bool
lane_intact(const struct lanes_run *set, const uint8_t *frame, uint32_t bytes,
	const struct probe *p, uint32_t sums)
{
	const struct lane_origin *origin = &set->origins[set->place_of[p->flow]];
	const struct lane_plan *plan = atomic_load_explicit(&origin->now, memory_order_acquire);

	/* After a change of size, packets of the plan before it are under way. */
	for (unsigned int i = 0; i < 2 && plan != NULL; i++) {
		const unsigned int payload = plan->sizes[lane_size_index(plan, origin->flows,
						     p->flow - origin->base, p->sequence)] -
			origin->head_bytes;

		if (bytes >= payload && probe_intact(frame + bytes - payload, payload, p, sums))
			return true;
		plan = atomic_load_explicit(&origin->before, memory_order_acquire);
	}
	return false;
}

/* Return whether payload and probe at the end of a packet are what was sent. lanes: by lanes. */
static __rte_always_inline bool
intact(const struct measure *d, const uint8_t *frame, uint32_t bytes, const struct probe *p,
	uint32_t sums, bool lanes)
{
	unsigned int payload;

	if (lanes)
		return lane_intact(d->measured->lanes, frame, bytes, p, sums);
	payload = payload_sent(d, p);
	return bytes >= payload && probe_intact(frame + bytes - payload, payload, p, sums);
}

/*
 * Examine the packet frame[0..bytes). at: TSC when it arrived, 0: unknown; slack: TSC ticks by which
 * that may be too early.
 */
static __rte_always_inline void
examine(struct measure *d, const uint8_t *frame, uint32_t bytes, uint64_t at, uint64_t slack,
	struct verdicts *v, bool lanes)
{
	struct measured *m = d->measured;
	struct arrivals *a;
	struct probe p;
	uint64_t ticks, ns;
	uint32_t sums;

	if (unlikely(bytes < PROBE_BYTES)) {
		v->foreign++;
		return;
	}
	sums = probe_read(frame + bytes - PROBE_BYTES, &p);
	if (unlikely(p.mark != d->sender.mark)) {
		if (d->key_before != 0 && p.mark == d->mark_before &&
			probe_agrees(&p, d->key_before, sums))
			v->too_old++;
		else
			v->foreign++;
		return;
	}
	if (unlikely(!probe_agrees(&p, d->sender.key, sums) || p.flow >= m->n)) {
		v->damaged++;
		return;
	}
	if (unlikely(!intact(d, frame, bytes, &p, sums, lanes))) {
		v->damaged++;
		return;
	}
	a = &m->arrivals[p.flow];
	ticks = (at - p.due) & PROBE_DUE_MASK;
	switch (arrivals_add(a, p.sequence)) {
	case ARRIVAL_REORDERED: v->reordered++; /* FALLTHROUGH */
	case ARRIVAL_UNIQUE: v->unique++; break;
	case ARRIVAL_DUPLICATE: v->duplicated++; return;
	case ARRIVAL_TOO_OLD: v->too_old++; return;
	}
	if (unlikely(ticks > PROBE_DUE_MASK / 2 || at == 0)) {
		if (at == 0 || PROBE_DUE_MASK - ticks >= slack) {
			v->clock++;
			return;
		}
		ticks = 0;
	}
	ns = to_ns(d, ticks);
	arrivals_time(a, ns);
	hdr_add(&m->latency, ns);
	if (lanes) {
		struct hdr *own = m->lane_latency[m->lanes->place_of[p.flow]];

		if (own != NULL)
			hdr_add(own, ns);
	}
	if (unlikely(m->flow_latency != NULL))
		hdr_add(&m->flow_latency[p.flow], ns);
}

/* Examine a packet of several segments. */
static __rte_noinline void
examine_segments(struct measure *d, struct rte_mbuf *m, uint64_t at, uint64_t slack,
	struct verdicts *v, bool lanes)
{
	const uint8_t *frame = m->pkt_len <= sizeof(d->scratch)
		? rte_pktmbuf_read(m, 0, m->pkt_len, d->scratch)
		: NULL;

	if (frame == NULL)
		v->foreign++;
	else if (lanes)
		examine(d, frame, m->pkt_len, at, slack, v, true);
	else
		examine(d, frame, m->pkt_len, at, slack, v, false);
}

static void
verdicts_count(struct stream *s, const struct verdicts *v)
{
	stream_count_named(s, MEASURED_UNIQUE, v->unique);
	if (likely(v->duplicated + v->reordered + v->too_old + v->damaged + v->foreign + v->clock ==
		    0))
		return;
	stream_count_named(s, MEASURED_DUPLICATED, v->duplicated);
	stream_count_named(s, MEASURED_REORDERED, v->reordered);
	stream_count_named(s, MEASURED_TOO_OLD, v->too_old);
	stream_count_named(s, MEASURED_DAMAGED, v->damaged);
	stream_count_named(s, MEASURED_FOREIGN, v->foreign);
	stream_count_named(s, MEASURED_CLOCK, v->clock);
}

/*
 * Answer requests among the packets of a burst that were counted as foreign or damaged, as the end of a
 * request may look like a probe; they are in no other row then.
 */
static __rte_noinline void
strangers_answer(struct stream *s, struct measure *d, struct rte_mbuf *const *pkts, uint16_t n,
	struct verdicts *v)
{
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *m = pkts[i];
		uint8_t end[PROBE_BYTES];
		struct probe p;
		uint32_t sums, key;
		bool damaged;

		if (m->pkt_len < PROBE_BYTES || m->pkt_len > sizeof(d->scratch))
			continue;
		sums = probe_read(rte_pktmbuf_read(m, m->pkt_len - PROBE_BYTES, PROBE_BYTES, end),
			&p);
		damaged = p.mark == d->sender.mark;
		key = damaged ? d->sender.key : p.mark == d->mark_before ? d->key_before : 0;
		if ((key != 0 && probe_agrees(&p, key, sums)) || !host_run_answer(s, m))
			continue;
		if (damaged)
			v->damaged--;
		else
			v->foreign--;
	}
}

/* Count the times between the arrivals of a burst's packets, which all arrived now. */
static __rte_always_inline void
gaps_count(struct measure *d, uint64_t now, uint16_t n)
{
	struct measured *m = d->measured;

	if (likely(m->arrived != 0))
		hdr_add(&m->gaps, to_ns(d, RTE_MIN(now - m->arrived, GAP_MAX)));
	if (n > 1)
		hdr_add_n(&m->gaps, 0, n - 1u);
	m->arrived = now;
}

/*
 * Return the TSC when the NIC received a packet, and count the time since the one before it. 0:
 * unknown, or after now, which is impossible.
 */
static __rte_always_inline uint64_t
arrival_by_nic(struct measure *d, const struct rte_mbuf *pkt, uint64_t now)
{
	struct measured *m = d->measured;
	const uint64_t at = nic_clock_time(&m->clock, pkt);

	if (unlikely(at == 0 || at > now + m->clock.slack))
		return 0;
	if (likely(m->arrived != 0))
		hdr_add(&m->gaps,
			to_ns(d, at > m->arrived ? RTE_MIN(at - m->arrived, GAP_MAX) : 0));
	m->arrived = at;
	return at;
}

/* Count how late the packets of a burst were sent. */
static __rte_always_inline void
late_count(struct measure *d, const uint64_t *due, uint16_t n, bool lanes)
{
	struct measured *m = d->measured;
	const uint64_t now = rte_rdtsc();

	if (!lanes && !d->sender.pace.paced) {
		hdr_add_n(&m->late, to_ns(d, now - due[0]), n);
		return;
	}
	for (uint16_t i = 0; i < n; i++)
		hdr_add(&m->late, to_ns(d, now - due[i]));
}

/*
 * Receive, examine and free a burst. nic: by the NIC's clock; lanes: of lanes. Both are constants where
 * the function is called. Returns packets received.
 */
static __rte_always_inline uint16_t
receive_by(struct stream *s, struct measure *d, uint16_t max, bool nic, bool lanes)
{
	struct nic_clock *clock = &d->measured->clock;
	struct rte_mbuf *pkts[BURST_MAX];
	struct verdicts v = { 0 };
	const uint16_t n = stream_rx(s, pkts, max);
	uint64_t now;

	if (!nic && n == 0)
		return 0;
	now = rte_rdtsc();
	for (uint16_t i = 0; i < RTE_MIN(n, AHEAD); i++)
		rte_prefetch0(rte_pktmbuf_mtod(pkts[i], void *));
	if (nic)
		nic_clock_poll(clock, now);
	else
		gaps_count(d, now, n);
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *m = pkts[i];
		const uint64_t at = nic ? arrival_by_nic(d, m, now) : now,
			       slack = nic ? clock->slack : 0;

		if (i + AHEAD < n)
			rte_prefetch0(rte_pktmbuf_mtod(pkts[i + AHEAD], void *));
		if (likely(m->nb_segs == 1))
			examine(d, rte_pktmbuf_mtod(m, const uint8_t *), m->pkt_len, at, slack, &v,
				lanes);
		else
			examine_segments(d, m, at, slack, &v, lanes);
	}
	if (n == 0)
		return 0;
	if (unlikely(v.foreign + v.damaged > 0) && d->measured->host.hosts != NULL)
		strangers_answer(s, d, pkts, n, &v);
	verdicts_count(s, &v);
	stream_absorb(s, pkts, n);
	return n;
}

static __rte_noinline uint16_t
receive_by_nic(struct stream *s, struct measure *d, uint16_t max)
{
	return receive_by(s, d, max, true, false);
}

static __rte_noinline uint16_t
receive_lanes_by_nic(struct stream *s, struct measure *d, uint16_t max)
{
	return receive_by(s, d, max, true, true);
}

static __rte_always_inline uint16_t
receive(struct stream *s, struct measure *d, uint16_t max, bool lanes)
{
	if (unlikely(d->nic))
		return lanes ? receive_lanes_by_nic(s, d, max) : receive_by_nic(s, d, max);
	return receive_by(s, d, max, false, lanes);
}

/* As stream_poll(); a poll that only receives counts, too. */
static __rte_always_inline uint64_t
measure_poll(struct stream *s, uint64_t ended, bool lanes)
{
	struct measure *d = s->state;
	const uint64_t begin = stream_begin(s, ended);
	struct rte_mbuf *pkts[BURST_MAX];
	uint64_t due[BURST_MAX];
	uint16_t received, sent, n = 0;

	if (unlikely(begin != 0))
		stream_pass(s);
	/* A limited run sends exactly its number of packets, but receives until it ends. */
	received =
		receive(s, d, unlikely(stream_ran_out(s, begin)) ? RECEIVE_BURST : s->burst, lanes);
	if (unlikely(d->answers))
		host_run_send(s);
	if (likely(s->burst > 0))
		n = lanes ? lane_send_source_due(s, &d->sender, pkts, due, s->burst)
			  : sender_source_due(s, &d->sender, pkts, due, s->burst);
	if (n > 0) {
		sent = lanes ? lane_send_send(s, d->sender.lanes, pkts, n)
			     : sender_send(s, &d->sender, pkts, n);
		counter_add(&d->measured->sent, sent);
		late_count(d, due, sent, lanes);
	}
	return received + n == 0 ? 0 : stream_end(s, begin);
}

static void
poll_lanes(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	uint64_t ended = 0;

	do {
		for (unsigned int i = 0; i < n; i++)
			ended = measure_poll(streams[i], ended, true);
	} while (!atomic_load_explicit(stop, memory_order_relaxed));
}

static void
measure_loop(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	struct measure *d = streams[0]->state;
	uint64_t ended = 0;

	if (d->sender.lanes != NULL)
		poll_lanes(streams, n, stop);
	else
		do {
			for (unsigned int i = 0; i < n; i++)
				ended = measure_poll(streams[i], ended, false);
		} while (!atomic_load_explicit(stop, memory_order_relaxed));
	atomic_fetch_sub_explicit(&d->config->sending, 1, memory_order_relaxed);
}

/* Receive what is there, up to a burst. */
static void
drain(struct stream *s)
{
	struct measure *d = s->state;

	if (d->sender.lanes != NULL)
		receive(s, d, RECEIVE_BURST, true);
	else
		receive(s, d, RECEIVE_BURST, false);
	if (d->answers)
		host_run_send(s);
}

/*
 * Receive what is under way: until measure-drain has passed since the last lcore stopped sending, and
 * at least once after that.
 */
static void
measure_drain(struct stream *const *streams, unsigned int n, uint64_t ended_tsc)
{
	const struct measure *first = streams[0]->state;
	const uint64_t begin = rte_rdtsc(),
		       most = DRAIN_WAIT_MS * (uint64_t)(streams[0]->tsc_hz / MS_PER_S);
	uint64_t now = begin, end = begin + first->drain;
	bool sending;

	lane_run_end_all(streams, n, ended_tsc);
	do {
		sending = atomic_load_explicit(&first->config->sending, memory_order_relaxed) > 0 &&
			now - begin < most;
		for (unsigned int i = 0; i < n; i++)
			drain(streams[i]);
		now = rte_rdtsc();
		if (sending)
			end = now + first->drain;
	} while (sending || now < end);
}

static int
measure_open(void *config, const struct engine_env *env, struct err *e)
{
	((struct measured_config *)config)->hosts.out = env->out;
	return 0;
}

static void
measure_close(void *config)
{
	lanes_close(config);
}

static uint64_t
measure_save(const void *config, struct out *to)
{
	const struct measured_config *c = config;

	return lanes_save(&c->lanes, to) + hosts_save(&c->hosts, to);
}

const struct engine engine_measure = {
	.name = "measure",
	.help = "send described traffic and measure loss, order, damage and latency of what comes back",
	.flags = ENGINE_MAKES | ENGINE_DESCRIBES,
	.state_size = sizeof(struct measure),
	.init = measure_init,
	.loop = measure_loop,
	.drain = measure_drain,
	.fini = measure_fini,
	.forget = measure_forget,
	.config_size = sizeof(struct measured_config),
	.open = measure_open,
	.close = measure_close,
	.save = measure_save,
	.apply = measure_apply,
	.show = measured_show,
	.part = lane_part,
	.settings = SETTING_TABLE("Engines", settings),
	.commands = &measure_cmds_table,
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
	.groups = measured_groups,
	.n_groups = ARRAY_SIZE(measured_groups),
	.times = measured_times,
	.n_times = MEASURED_TIMES,
	.trial = &measure_cmds_trial,
};
