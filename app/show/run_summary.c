/* A one-line summary of a run: duration, packets, rate, share of line rate, loss, cycles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/run_summary.h"

#include "base/out.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "run/run.h"
#include "run/run_count.h"
#include "run/run_loss.h"
#include "run/run_start.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Bytes of a frame on the wire that drivers do not count: checksum, preamble, gap. */
#define L1_BYTES (4 + 8 + 12)

static double
ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* Speed of a port's link in bit/s; 0: down or unknown. */
static double
link_bps(uint16_t port)
{
	struct rte_eth_link link;

	memset(&link, 0, sizeof(link));
	if (rte_eth_link_get_nowait(port, &link) != 0 || !link.link_status ||
		link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN)
		return 0;
	return link.link_speed * 1e6;
}

/* Sums over the ports: traffic in the direction that the summary reports, and link speeds. */
struct ways {
	double bytes, packets, line_bps;
};

static void
port_add(const struct run *r, uint16_t port, bool sends, struct ways *w)
{
	struct rte_eth_stats st;

	w->line_bps += link_bps(port);
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
	struct run_loss_port port[RTE_MAX_ETHPORTS];
	struct run_timed timed, all = { 0 };
	struct stat_loss loss;
	struct ways w = { 0 };

	*s = (struct run_summary){ .seconds =
					   (double)(end - r->base_tsc) / (double)rte_get_tsc_hz() };
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		struct run_count c;

		run_count(r, i, &c);
		s->received += c.count.rx;
		s->sent += c.count.tx;
		run_count_timed(r, i, &timed);
		all.cycles += timed.cycles;
		all.rx += timed.rx;
		all.tx += timed.tx;
	}
	s->receives = (r->engine_run->flags & ENGINE_NO_RX) == 0;
	s->sends = sends;
	s->packets = sends ? s->sent : s->received;
	run_loss_ports(r, port);
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		if (sends ? port[id].sends : port[id].receives)
			port_add(r, id, sends, &w);
	run_loss_read(r, &loss);
	s->lost = loss.lost;
	s->offered = loss.offered;
	s->pps = ratio((double)s->packets, s->seconds);
	s->l2_bps = s->pps * 8 * ratio(w.bytes, w.bytes > 0 ? w.packets : 0);
	s->l1_bps = s->l2_bps + s->pps * 8 * L1_BYTES;
	s->line_bps = w.line_bps > 0 ? w.line_bps : NAN;
	s->loss = ratio((double)s->lost, (double)s->offered);
	s->cycles = all.cycles > 0 ? ratio((double)all.cycles, (double)(makes ? all.tx : all.rx))
				   : NAN;
}

/* Print a value with its words unless it is unknown. */
static void
part(struct out *o, const char *key, const char *fmt, double value)
{
	if (!isnan(value))
		out_f64_fmt(o, key, fmt, value);
}

void
run_summary_text(const struct run *r)
{
	struct run_summary s;
	struct out *o = r->out;

	if (r->streams == NULL || out_format(o) != OUT_TEXT)
		return;
	run_summary_read(r, &s);
	out_text(o, "\n  Run: %.3f s", s.seconds);
	if (s.receives)
		out_text(o, ", %" PRIu64 " packets received", s.received);
	if (s.sends)
		out_text(o, ", %" PRIu64 "%s sent", s.sent, s.receives ? "" : " packets");
	part(o, NULL, ", %.3f Mpps", s.pps / 1e6);
	part(o, NULL, ", L2 %.3f Gb/s", s.l2_bps / 1e9);
	part(o, NULL, ", L1 %.3f Gb/s", s.l1_bps / 1e9);
	part(o, NULL, ", %.1f %% of line rate", 100 * s.l1_bps / s.line_bps);
	part(o, NULL, ", loss %.4f %%", 100 * s.loss);
	part(o, NULL, ", %.1f cycles/packet", s.cycles);
	out_text(o, "\n");
}

void
run_summary_json(const struct run *r)
{
	struct run_summary s;
	struct out *o = r->out;

	if (r->streams == NULL || out_format(o) != OUT_JSON)
		return;
	run_summary_read(r, &s);
	out_nest(o, "summary", OUT_OBJECT);
	out_f64(o, "seconds", NULL, s.seconds);
	out_u64(o, "packets", NULL, s.packets);
	out_u64(o, "received", NULL, s.received);
	out_u64(o, "sent", NULL, s.sent);
	out_f64(o, "packets_per_second", NULL, s.pps);
	out_f64(o, "l2_bits_per_second", NULL, s.l2_bps);
	out_f64(o, "l1_bits_per_second", NULL, s.l1_bps);
	out_f64(o, "line_bits_per_second", NULL, s.line_bps);
	out_f64(o, "line_rate_fraction", NULL, s.l1_bps / s.line_bps);
	out_u64(o, "lost", NULL, s.lost);
	out_u64(o, "offered", NULL, s.offered);
	out_f64(o, "loss_fraction", NULL, s.loss);
	out_f64(o, "cycles_per_packet", NULL, s.cycles);
	out_unnest(o);
}
