/* Explains drops: where a run lost packets, what is known about the cause, and what to do. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/account/run_drops.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "base/text.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "pmd_shims/tx_frame.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "run/account/run_account.h"
#include "run/account/run_count.h"
#include "run/run.h"
#include "run/run_cpu.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_BYTES 500

/* A port that takes nothing for so long at the end of a run is reported. */
#define STUCK_S 0.1

struct drops {
	const struct run *run;
	struct out *out;
	unsigned int causes;
};

/* Show one cause. port: RTE_MAX_ETHPORTS if the engine dropped the packets. */
static void __attribute__((format(printf, 5, 6))) cause_show(struct drops *d, unsigned int port,
	const char *cause, uint64_t packets, const char *fmt, ...)
{
	char text[TEXT_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	d->causes++;
	out_nest(d->out, NULL, OUT_OBJECT);
	if (port < RTE_MAX_ETHPORTS)
		out_u64(d->out, "port", "Port %" PRIu64 ": ", port);
	else
		out_text(d->out, "Engine %s: ", d->run->engine_run->name);
	out_str(d->out, "cause", NULL, cause);
	out_u64(d->out, "packets", "%" PRIu64, packets);
	out_str(d->out, "text", " %s\n", text);
	out_unnest(d->out);
}

/* The TSC at which the run ended, or now. */
static uint64_t
end_of(const struct run *r)
{
	return r->running ? rte_rdtsc() : r->end_tsc;
}

static bool
polls(const struct run *r, unsigned int lcore, uint16_t port)
{
	for (unsigned int i = 0; i < r->plan.n_streams; i++)
		if (r->streams[i]->lcore == lcore && r->streams[i]->rx_port == port)
			return true;
	return false;
}

/* TSC cycles of busy polls of all streams of an lcore. */
static uint64_t
busy_cycles(const struct run *r, unsigned int lcore)
{
	struct run_timed timed;
	uint64_t cycles = 0;

	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		if (r->streams[i]->lcore != lcore)
			continue;
		run_count_timed(r, i, &timed);
		cycles += timed.cycles;
	}
	return cycles;
}

/* Describe the lcores that receive from a port, such as "lcore 1 was busy 98 % of the time". */
static void
lcores_text(const struct run *r, uint16_t port, char *text, size_t size)
{
	const uint64_t end = end_of(r);
	unsigned int lcore = 0, n = 0;

	for (unsigned int i = 0; i < r->plan.n_lcores; i++) {
		if (!polls(r, r->plan.lcores[i].lcore, port))
			continue;
		lcore = r->plan.lcores[i].lcore;
		n++;
	}
	if (n == 1 && setting_on(r->settings, "record-core-cycles") && end > r->timed_tsc)
		snprintf(text, size, "lcore %u was busy %.0f %% of the time", lcore,
			100 * (double)busy_cycles(r, lcore) / (double)(end - r->timed_tsc));
	else
		snprintf(text, size, "%u lcore%s polled the port", n, n == 1 ? "" : "s");
}

/*
 * Describe the lcore that had its CPU for the smallest part of the run, of those that receive from a
 * port; RTE_MAX_ETHPORTS: of all. Returns false if all had theirs, or if it is not known.
 */
static bool
cpu_text(const struct run *r, uint16_t port, char text[RUN_CPU_TEXT])
{
	struct run_cpu c, least = { .share = RUN_CPU_ENOUGH };

	for (unsigned int i = 0; run_cpu_read(r, i, &c); i++) {
		if ((port == RTE_MAX_ETHPORTS || polls(r, c.lcore, port)) && c.share < least.share)
			least = c;
	}
	if (least.share >= RUN_CPU_ENOUGH)
		return false;
	run_cpu_say(&least, "the run", text);
	return true;
}

static const struct rte_mempool *
pool_of(const struct run *r, uint16_t port)
{
	for (unsigned int i = 0; i < r->plan.n_streams; i++)
		if (r->streams[i]->rx_port == port)
			return r->streams[i]->rx_pool;
	return NULL;
}

static void
nombuf_explain(struct drops *d, uint16_t port, uint64_t failures, const struct rte_mempool *pool)
{
	const struct pool_need need = run_pool_need(d->run);
	const uint64_t least = pool_least(&need, d->run->pools->config.cache);
	struct text t = { 0 };

	if (pool->size < least)
		text_add(&t,
			"rings, caches and bursts can hold %" PRIu64
			": use --total-num-mbufs=%" PRIu64
			" or more, or smaller rings (--rxd, --txd)",
			least, least);
	else
		text_add(&t,
			"rings, caches and bursts can hold only %" PRIu64
			", so the engine or a peer held the others (\"show pool\"): use a larger --total-num-mbufs",
			least);
	cause_show(d, port, "rx_nombuf", failures,
		"receive failures because the pool was empty: pool %s now has %u of %u mbufs free; %s",
		pool->name, rte_mempool_avail_count(pool), pool->size, t.bytes);
	free(t.bytes);
}

static void
received_explain(struct drops *d, uint16_t port, const struct rte_eth_stats *st)
{
	const struct rte_mempool *pool = pool_of(d->run, port);
	char lcores[80], cpu[RUN_CPU_TEXT];

	if (st->imissed > 0) {
		lcores_text(d->run, port, lcores, sizeof(lcores));
		if (cpu_text(d->run, port, cpu))
			cause_show(d, port, "rx_missed", st->imissed,
				"packets missed because no Rx descriptor was free: %s; %s; give the lcore a CPU of its own (\"doctor\"), or use a larger ring (--rxd)",
				lcores, cpu);
		else
			cause_show(d, port, "rx_missed", st->imissed,
				"packets missed because no Rx descriptor was free: %s; use more lcores and queues (--nb-cores, --rxq), a larger ring (--rxd) or a faster engine",
				lcores);
	}
	if (st->rx_nombuf > 0 && pool != NULL)
		nombuf_explain(d, port, st->rx_nombuf, pool);
	if (st->ierrors > 0)
		cause_show(d, port, "rx_errors", st->ierrors,
			"packets received with errors (bad checksum, too short, or longer than max-pkt-len); see \"show port xstats %u\"",
			port);
}

/* What the streams of a port know of the packets that it refused. */
struct refused {
	uint64_t packets;     /* refused */
	uint64_t too_long;    /* of these, packets that exceed the limit */
	uint64_t taken;       /* sent in the run */
	uint64_t longest;     /* bytes of the longest refused packet; 0: not known */
	uint64_t looks, full; /* see struct stream_refused */
	uint64_t
		stuck_tsc; /* since when the port has taken nothing; 0: it took packets to the end */
	const struct stream_end *to;
};

static void
refused_read(const struct run *r, uint16_t port, struct refused *is)
{
	bool stuck = true;

	*is = (struct refused){ 0 };
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		const struct stream *s = r->streams[i];
		const struct stat_table own = engine_counters(s->engine);
		uint64_t parts[STAT_PARTS] = { 0 };
		struct run_count c;

		if (s->tx_port != port)
			continue;
		run_count(r, i, &c);
		stat_parts_add(parts, &stream_stats, &c.count);
		stat_parts_add(parts, &own, c.count.named);
		is->packets += parts[STAT_REFUSED];
		is->too_long += counter_read(&s->refused.too_long);
		is->taken += c.count.tx;
		is->longest = RTE_MAX(is->longest, counter_read(&s->refused.longest));
		is->looks += counter_read(&s->refused.looks);
		is->full += counter_read(&s->refused.full);
		is->to = &s->tx_end;
		if (parts[STAT_REFUSED] == 0)
			continue;
		stuck &= counter_read(&s->refused.taken) == counter_read(&s->count.tx);
		is->stuck_tsc = RTE_MAX(is->stuck_tsc, counter_read(&s->refused.since_tsc));
	}
	if (!stuck)
		is->stuck_tsc = 0;
	/* "clear fwd stats" does not clear what streams know. */
	is->too_long = RTE_MIN(is->too_long, is->packets);
}

/*
 * Add the state of a port's link, and when it changed in the run; or of its interface, which may be
 * down although the driver reports a link. Returns whether it is up.
 */
static bool
link_add(const struct run *r, uint16_t port, const struct frame_limit *limit, struct text *t)
{
	const uint64_t changed = atomic_load(&r->ports->port[port].link_tsc);
	const bool in_run = changed > r->begin_tsc && changed < end_of(r);
	struct rte_eth_link link = { 0 };

	if (tx_frame_down(limit)) {
		text_add(t, "its interface is down: use \"ip link set dev %s up\"", limit->iface);
		return false;
	}
	if (rte_eth_link_get_nowait(port, &link) != 0) {
		text_add(t, "link state unknown");
		return true;
	}
	if (link.link_status)
		text_add(t, "link is up, speed %s",
			link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN
				? "unknown"
				: rte_eth_link_speed_to_str(link.link_speed));
	else
		text_add(t, "link is down");
	if (in_run)
		text_add(t, " since %.1f s after the start",
			(double)(changed - r->begin_tsc) / r->tsc_hz);
	if (!link.link_status)
		text_add(t, ": connect its peer, or set its link up");
	return link.link_status;
}

/* Packets that the port can never send: what limits their length, and how to change it. */
static void
too_long_explain(struct drops *d, uint16_t port, const struct refused *is)
{
	const struct frame_limit *limit = &is->to->frame;
	char what[60], remedy[TX_FRAME_REMEDY];

	if (limit->mtu > 0)
		snprintf(what, sizeof(what), "the MTU %u of port %u allows", limit->mtu, port);
	else
		snprintf(what, sizeof(what), "frames of %u bytes in its ring allow", limit->buffer);
	tx_frame_remedy(port, limit, (uint32_t)is->longest, remedy);
	cause_show(d, port, "tx_too_long", is->too_long,
		"packets refused by the port: too long; the longest has %" PRIu64
		" bytes, and %s %u: %s",
		is->longest, what, limit->bytes, remedy);
}

/* A port whose ring was full for a time and then not, or whose driver does not report its level. */
static void
ring_add(const struct run *r, const struct refused *is, struct text *t)
{
	if (is->full > 0)
		text_add(t,
			"; the Tx ring was full: offered load exceeds what the port can send, or the ring is too small (--txd)");
	else if (is->looks > 0)
		text_add(t, "; the Tx ring was not full");
	else
		text_add(t, "; the driver does not report how full its Tx ring is");
	if ((is->full > 0 || is->looks == 0) && !r->retry)
		text_add(t, "; \"set fwd ENGINE retry\" retries");
}

static void
refused_explain(struct drops *d, uint16_t port)
{
	const struct run *r = d->run;
	struct refused is;
	struct text t = { 0 };
	double stuck_s;
	bool up;

	refused_read(r, port, &is);
	if (is.too_long > 0)
		too_long_explain(d, port, &is);
	if (is.packets == is.too_long)
		return;
	if (atomic_load(&r->ports->port[port].removed)) {
		cause_show(d, port, "tx_dropped", is.packets - is.too_long,
			"packets refused by the port: its card was removed");
		return;
	}
	stuck_s = is.stuck_tsc != 0 ? (double)(end_of(r) - is.stuck_tsc) / r->tsc_hz : 0;
	up = link_add(r, port, &is.to->frame, &t);
	if (is.taken == 0)
		text_add(&t, "; the port took no packet in this run");
	else if (stuck_s > STUCK_S)
		text_add(&t, "; the port took no packet for the last %.1f s", stuck_s);
	else
		ring_add(r, &is, &t);
	if (up && is.taken == 0)
		text_add(&t,
			": check that its peer runs, and has buffers for packets of %" PRIu64
			" bytes",
			is.longest);
	else if (up && stuck_s > STUCK_S)
		text_add(&t, ": check that its peer still receives");
	cause_show(d, port, "tx_dropped", is.packets - is.too_long,
		"packets refused by the port: %s", t.bytes);
	free(t.bytes);
}

/* Errors that a port reports of packets that it accepted: those in the account. */
static void
errors_explain(struct drops *d, uint16_t port, const struct run_account_sums *sums,
	const struct rte_eth_stats *st)
{
	struct run_account_sums one = { 0 };
	struct refused is;
	uint64_t errors;

	one.port[port] = sums->port[port];
	run_account_add_port(&one, port, st);
	errors = one.part[STAT_TX_ERRORS];
	if (errors == 0)
		return;
	refused_read(d->run, port, &is);
	if (tx_frame_down(&is.to->frame))
		cause_show(d, port, "tx_errors", errors,
			"packets accepted by the driver but not sent: its interface is down: use \"ip link set dev %s up\"",
			is.to->frame.iface);
	else
		cause_show(d, port, "tx_errors", errors,
			"packets accepted by the driver but not sent; see \"show port xstats %u\"",
			port);
}

/* Packets that were dropped for the engine, from its own drop counters and that of its streams. */
static void
engine_explain(struct drops *d)
{
	const struct stat_table own = engine_counters(d->run->engine_run);
	uint64_t sums[STREAM_NAMED_MAX] = { 0 }, readonly = 0;

	for (unsigned int i = 0; i < d->run->plan.n_streams; i++) {
		struct run_count c;

		run_count(d->run, i, &c);
		stat_add(&own, sums, c.count.named);
		readonly += c.count.readonly_dropped;
	}
	if (readonly > 0)
		cause_show(d, RTE_MAX_ETHPORTS, "readonly_dropped", readonly,
			"packets with read-only data dropped, because there was no mbuf for a copy, or the copy needs several and a Tx queue sends only one; use a larger --total-num-mbufs, or --tx-offloads=0x8000");
	for (size_t i = 0; i < own.n; i++)
		if (own.row[i].part == STAT_DROPPED && stat_value(&own, i, sums) > 0)
			cause_show(d, RTE_MAX_ETHPORTS, own.row[i].name, stat_value(&own, i, sums),
				"%s", own.row[i].help);
}

static void
port_explain(struct drops *d, uint16_t id, const struct run_account_sums *sums)
{
	const struct run_account_port *port = &sums->port[id];
	const uint64_t flushed = d->run->ports->port[id].flushed;
	struct rte_eth_stats st = { 0 };

	if (port_stats_since(d->run->ports, id, &st) != 0)
		st = (struct rte_eth_stats){ 0 };
	if (port->receives)
		received_explain(d, id, &st);
	if (port->sends) {
		refused_explain(d, id);
		errors_explain(d, id, sums, &st);
	}
	if (flushed > 0)
		cause_show(d, id, "flushed", flushed,
			"packets discarded before the run, because flush_rx empties the Rx queues at start; \"set flush_rx off\" keeps them");
}

/* Packets that no port and no engine reports as lost: those lost on the way, and those not sent. */
static void
account_explain(struct drops *d, const struct run_account *a)
{
	char cpu[RUN_CPU_TEXT];

	if (a->lost_on_the_way != STAT_NONE && a->lost_on_the_way > 0)
		cause_show(d, RTE_MAX_ETHPORTS, "lost_on_the_way", a->lost_on_the_way,
			"packets did not come back intact: they were lost or damaged between the ports; see \"show measure\"");
	if (a->unsent > 0)
		cause_show(d, RTE_MAX_ETHPORTS, "unsent", a->unsent,
			"packets were due and not sent in time, so they are not in the loss: %s; \"set generate-late N\" sends packets up to N us late",
			cpu_text(d->run, RTE_MAX_ETHPORTS, cpu)
				? cpu
				: "the lcore was too slow for this rate, or the pool was empty");
}

int
run_drops_explain(struct run *r, struct err *e)
{
	const struct stat_sink sink = stat_sink_out(r->out);
	struct drops d = { r, r->out, 0 };
	struct run_account_sums sums;
	struct run_account a;
	struct err invalid = { 0 };

	if (r->streams == NULL)
		return err_set(e, ENOENT, "no statistics: forwarding was never started");
	run_account_read(r, &a);
	run_account_begin(&sums, r);
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		struct run_count c;

		run_count(r, i, &c);
		run_account_add_stream(&sums, r->streams[i], &c.count);
	}
	out_nest(r->out, "causes", OUT_ARRAY);
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		if (sums.port[id].receives || sums.port[id].sends || r->ports->port[id].flushed > 0)
			port_explain(&d, id, &sums);
	engine_explain(&d);
	account_explain(&d, &a);
	out_unnest(r->out);
	stat_put(&sink, &run_account_stats, &a);
	if (run_account_valid(r, &invalid) != 0)
		out_say(r->out, "The run is not valid: %s\n", invalid.text);
	else if (a.lost == STAT_NONE)
		out_say(r->out, "How many packets were lost is known after \"stop\"\n");
	else if (a.lost > 0)
		out_text(r->out, "Lost in this run: %" PRIu64 " of %" PRIu64 " packets (%.4f %%)\n",
			a.lost, a.offered, 100 * (double)a.lost / (double)a.offered);
	else if (d.causes == 0)
		out_say(r->out, "No packet was lost in this run\n");
	return 0;
}
