/* Computes and prints the result of a run in a line, and its verdict: what went wrong. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/account/run_summary.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/text.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "run/account/run_count.h"
#include "run/run.h"
#include "run/run_cpu.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static double
ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* Sums over the ports: traffic in the direction that the summary reports, and link speeds. */
struct ways {
	double bytes, packets, line_bps;
};

static void
port_add(const struct run *r, uint16_t port, bool sends, struct ways *w)
{
	struct rte_eth_stats st;

	w->line_bps += port_link_bps(port);
	if (port_stats_since(r->ports, port, &st) != 0)
		return;
	w->bytes += (double)(sends ? st.obytes : st.ibytes);
	w->packets += (double)(sends ? st.opackets : st.ipackets);
}

void
run_summary_read(const struct run *r, struct run_summary *s)
{
	const bool sends = (r->engine_run->flags & ENGINE_NO_TX) == 0,
		   makes = (r->engine_run->flags & ENGINE_MAKES) != 0;
	const uint64_t end = run_busy(r) ? rte_rdtsc() : r->end_tsc;
	struct run_account_sums sums;
	struct run_timed timed, all = { 0 };
	struct ways w = { 0 };

	*s = (struct run_summary){ .seconds = (double)(end - r->base_tsc) / r->tsc_hz };
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		struct run_count c;

		run_count(r, i, &c);
		s->received += c.count.rx;
		run_count_timed(r, i, &timed);
		all.cycles += timed.cycles;
		all.rx += timed.rx;
		all.tx += timed.tx;
	}
	run_account_read(r, &s->account);
	s->sent = s->account.sent;
	s->receives = (r->engine_run->flags & ENGINE_NO_RX) == 0;
	s->sends = sends;
	s->packets = sends ? s->sent : s->received;
	run_account_begin(&sums, r);
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		if (sends ? sums.port[id].sends : sums.port[id].receives)
			port_add(r, id, sends, &w);
	s->pps = ratio((double)s->packets, s->seconds);
	s->l2_bps = s->pps * 8 * ratio(w.bytes, w.bytes > 0 ? w.packets : 0);
	s->l1_bps = s->l2_bps + s->pps * 8 * L1_BYTES;
	s->line_bps = w.line_bps > 0 ? w.line_bps : NAN;
	s->loss = s->account.lost != STAT_NONE
		? ratio((double)s->account.lost, (double)s->account.offered)
		: NAN;
	s->cycles = all.cycles > 0 ? ratio((double)all.cycles, (double)(makes ? all.tx : all.rx))
				   : NAN;
}

/* Print a value with its words unless it is unknown. */
static void
part(struct out *o, const char *fmt, double value)
{
	if (!isnan(value))
		out_f64_fmt(o, NULL, fmt, value);
}

/* Print a rate with a decimal prefix unless it is unknown: ", L2 4.692 Gb/s". */
static void
rate(struct out *o, const char *words, double value, const char *unit)
{
	char text[TEXT_SCALED_BYTES];

	if (!isnan(value))
		out_text(o, ", %s%s", words, text_scaled(text, 3, value, unit));
}

/* Add a clause. */
#define CLAUSE(t, ...) \
	do { \
		text_add(t, "%s", (t)->n > 0 ? "; " : ""); \
		text_add(t, __VA_ARGS__); \
	} while (0)

/* The lcore that had its CPU for the smallest part of the run, unless it had all of it. */
static void
cpu_say(const struct run *r, struct text *t)
{
	char text[RUN_CPU_TEXT];
	struct run_cpu least;

	if (run_cpu_least(r, &least) && least.share < RUN_CPU_ENOUGH)
		CLAUSE(t, "%s", run_cpu_say(&least, "the run", text));
}

void
run_summary_text(const struct run *r)
{
	struct run_summary s;
	struct text cpu = { 0 };
	struct out *o = r->out;

	if (r->streams == NULL || out_format(o) != OUT_TEXT)
		return;
	run_summary_read(r, &s);
	out_text(o, "\n  Run: %.3f s", s.seconds);
	if (s.receives)
		out_text(o, ", %" PRIu64 " packets received", s.received);
	if (s.sends)
		out_text(o, ", %" PRIu64 "%s sent", s.sent, s.receives ? "" : " packets");
	rate(o, "", s.pps, "pps");
	rate(o, "L2 ", s.l2_bps, "b/s");
	rate(o, "L1 ", s.l1_bps, "b/s");
	part(o, ", %.1f %% of line rate", 100 * s.l1_bps / s.line_bps);
	if (s.account.lost == STAT_NONE)
		out_text(o, ", loss unknown");
	part(o, ", loss %.4f %%", 100 * s.loss);
	part(o, ", %.1f cycles/packet", s.cycles);
	cpu_say(r, &cpu);
	out_text(o, "%s%s\n", cpu.n > 0 ? ", " : "", cpu.n > 0 ? cpu.bytes : "");
	free(cpu.bytes);
}

/* The verdict: what went wrong in a run. */

/* Packets that were due and not sent: "asked 300 kpps, sent 163 kpps; 274382 of 600000 ...". */
static void
unsent_say(const struct run_summary *s, struct text *t)
{
	const struct run_account *a = &s->account;
	char asked[TEXT_SCALED_BYTES], sent[TEXT_SCALED_BYTES];

	if (a->unsent == 0)
		return;
	CLAUSE(t, "asked %s, sent %s",
		text_scaled(asked, -1, ratio((double)a->asked, s->seconds), "pps"),
		text_scaled(sent, -1, ratio((double)a->sent, s->seconds), "pps"));
	CLAUSE(t, "%" PRIu64 " of %" PRIu64 " packets were due and not sent", a->unsent, a->asked);
}

/* "12 of 600000 packets were lost (10 refused by ports, 2 missed)". */
static void
lost_say(const struct run_account *a, struct text *t)
{
	const struct {
		uint64_t n;
		const char *words;
	} parts[] = {
		{ a->refused, "refused by ports" },
		{ a->tx_errors, "not sent by ports that had accepted them" },
		{ a->missed, "missed by ports" },
		{ a->rx_errors, "received with errors" },
		{ a->dropped, "dropped by the engine" },
		{ a->lost_on_the_way == STAT_NONE ? 0 : a->lost_on_the_way, "lost on the way" },
	};
	const char *before = " (";

	if (a->lost == STAT_NONE || a->lost == 0)
		return;
	CLAUSE(t, "%" PRIu64 " of %" PRIu64 " packets were lost", a->lost, a->offered);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].n == 0)
			continue;
		text_add(t, "%s%" PRIu64 " %s", before, parts[i].n, parts[i].words);
		before = ", ";
	}
	text_add(t, ")");
}

/* What the ring of a driver that does not report its size may hold: net_ring has 1024. */
#define RING_USUAL 4096

/* Descriptors of all started queues of a port. */
static uint64_t
descriptors(const struct port *p, bool rx)
{
	uint64_t n = 0;

	for (uint16_t q = 0; q < (rx ? p->n_rxq : p->n_txq); q++) {
		struct rte_eth_rxq_info rxq = { 0 };
		struct rte_eth_txq_info txq = { 0 };

		if (rx ? rte_eth_rx_queue_info_get(p->id, q, &rxq) == 0
		       : rte_eth_tx_queue_info_get(p->id, q, &txq) == 0)
			n += rx ? rxq.nb_desc : txq.nb_desc;
		else
			n += RING_USUAL;
	}
	return n;
}

/*
 * Packets that a port counted and forwarding did not, or the other way round, beyond those that its
 * rings can hold at the start or the stop.
 */
static void
missing_say(const struct run *r, const struct run_account_sums *sums, uint16_t id,
	uint64_t received, struct text *t)
{
	const struct port *p = port_at(r->ports, id);
	const struct run_account_port *port = &sums->port[id];
	struct rte_eth_stats st;
	uint64_t sent;

	if (p == NULL || port_stats_since(r->ports, id, &st) != 0)
		return;
	if (port->receives && st.ipackets > received + descriptors(p, true) &&
		(p->conf.rxmode.offloads & RTE_ETH_RX_OFFLOAD_TCP_LRO) == 0)
		CLAUSE(t,
			"port %u counted %" PRIu64
			" received packets, of which forwarding got %" PRIu64
			": it has %u Rx queues, and streams poll those that \"show config fwd\" lists",
			id, (uint64_t)st.ipackets, received, p->n_rxq);
	sent = st.opackets + st.oerrors;
	if (port->sends && port->accepted > sent + descriptors(p, false) &&
		port_stats_queues(r->ports, id, false) == p->n_txq)
		CLAUSE(t,
			"port %u accepted %" PRIu64 " packets and counted %" PRIu64
			" as sent: its driver lost the others",
			id, port->accepted, (uint64_t)st.opackets);
}

static void
ports_say(const struct run *r, struct text *t)
{
	uint64_t received[RTE_MAX_ETHPORTS] = { 0 };
	struct run_account_sums sums;

	run_account_begin(&sums, r);
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		struct run_count c;

		run_count(r, i, &c);
		run_account_add_stream(&sums, r->streams[i], &c.count);
		received[r->streams[i]->rx_port] += c.count.rx + c.count.readonly_dropped;
	}
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		if (sums.port[id].receives || sums.port[id].sends)
			missing_say(r, &sums, id, received[id], t);
}

/* Add all clauses; none: nothing went wrong. An lcore without its CPU is no fault, but a cause. */
static void
verdict(const struct run *r, const struct run_summary *s, struct text *t)
{
	struct err e = { 0 };

	if (!run_busy(r) && run_account_valid(r, &e) != 0)
		CLAUSE(t, "the run is not valid");
	unsent_say(s, t);
	lost_say(&s->account, t);
	if (!run_busy(r))
		ports_say(r, t);
	if (t->n > 0)
		cpu_say(r, t);
}

/* Say which ports count fewer packets than their streams, because they count some queues only. */
static void
uncounted_say(const struct run *r)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(r->ports, ids);
	unsigned int found = 0, queues = 0;
	const struct port *first = NULL;

	for (unsigned int i = 0; i < n; i++) {
		const struct port *p = port_at(r->ports, ids[i]);
		const unsigned int rx = port_stats_queues(r->ports, ids[i], true),
				   tx = port_stats_queues(r->ports, ids[i], false);

		if ((rx == p->n_rxq && tx == p->n_txq) || found++ > 0)
			continue;
		first = p;
		queues = RTE_MIN(rx, tx);
	}
	if (first != NULL)
		out_note(r->out,
			"Port %u%s: driver %s counts the packets of %u queues only; the counters of streams and the account have those of all\n",
			first->id, found > 1 ? " and others" : "", first->info.driver_name, queues);
}

void
run_summary_verdict(const struct run *r)
{
	struct run_summary s;
	struct text t = { 0 };

	if (r->streams == NULL || out_format(r->out) != OUT_TEXT)
		return;
	run_summary_read(r, &s);
	verdict(r, &s, &t);
	if (t.n > 0)
		out_note(r->out, "Verdict: %s\n", t.bytes);
	free(t.bytes);
	if (!run_busy(r))
		uncounted_say(r);
}

void
run_summary_json(const struct run *r)
{
	const struct stat_sink sink = stat_sink_out(r->out);
	struct run_summary s;
	struct text t = { 0 };
	struct out *o = r->out;

	if (r->streams == NULL || out_format(o) != OUT_JSON)
		return;
	run_summary_read(r, &s);
	verdict(r, &s, &t);
	out_nest(o, "summary", OUT_OBJECT);
	out_f64(o, "seconds", NULL, s.seconds);
	out_u64(o, "packets", NULL, s.packets);
	out_u64(o, "received", NULL, s.received);
	out_f64(o, "packets_per_second", NULL, s.pps);
	out_f64(o, "l2_bits_per_second", NULL, s.l2_bps);
	out_f64(o, "l1_bits_per_second", NULL, s.l1_bps);
	out_f64(o, "line_bits_per_second", NULL, s.line_bps);
	out_f64(o, "line_rate_fraction", NULL, s.l1_bps / s.line_bps);
	stat_put(&sink, &run_account_stats, &s.account);
	out_f64(o, "loss_fraction", NULL, s.loss);
	out_f64(o, "cycles_per_packet", NULL, s.cycles);
	run_cpu_put(r, o);
	out_str(o, "verdict", NULL, t.bytes);
	out_unnest(o);
	free(t.bytes);
}
