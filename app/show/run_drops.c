/* explain drops: where and why a run lost packets, and what to do about it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/run_drops.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "run/run.h"
#include "run/run_count.h"
#include "run/run_loss.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 400

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

/* Describe the lcores that receive from a port, such as "lcore 1 was busy 98 % of the time". */
static void
lcores_text(const struct run *r, uint16_t port, char *text, size_t size)
{
	const uint64_t end = r->running ? rte_rdtsc() : r->end_tsc;
	uint64_t cycles = 0;
	unsigned int lcore = 0, n = 0;

	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		struct run_timed timed;

		if (r->streams[i]->rx_port != port)
			continue;
		n += n == 0 || r->streams[i]->lcore != lcore;
		lcore = r->streams[i]->lcore;
		for (unsigned int k = 0; k < r->plan.n_streams; k++) {
			if (r->streams[k]->lcore != lcore)
				continue;
			run_count_timed(r, k, &timed);
			cycles += n == 1 ? timed.cycles : 0;
		}
	}
	if (n == 1 && setting_on(r->settings, "record-core-cycles") && end > r->timed_tsc)
		snprintf(text, size, "lcore %u was busy %.0f %% of the time", lcore,
			100 * (double)cycles / (double)(end - r->timed_tsc));
	else
		snprintf(text, size, "%u lcore%s polled the port", n, n == 1 ? "" : "s");
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
received_explain(struct drops *d, uint16_t port, const struct rte_eth_stats *st)
{
	const struct rte_mempool *pool = pool_of(d->run, port);
	char lcores[80];

	if (st->imissed > 0) {
		lcores_text(d->run, port, lcores, sizeof(lcores));
		cause_show(d, port, "rx_missed", st->imissed,
			"packets missed because no Rx descriptor was free: %s; use more lcores and queues (--nb-cores, --rxq), a larger ring (--rxd) or a faster engine",
			lcores);
	}
	if (st->rx_nombuf > 0)
		cause_show(d, port, "rx_nombuf", st->rx_nombuf,
			"receive failures because the pool was empty: pool %s now has %u of %u mbufs free; use a larger --total-num-mbufs or smaller rings",
			pool != NULL ? pool->name : "?",
			pool != NULL ? rte_mempool_avail_count(pool) : 0,
			pool != NULL ? pool->size : 0);
	if (st->ierrors > 0)
		cause_show(d, port, "rx_errors", st->ierrors,
			"packets received with errors (bad checksum, too short, or longer than max-pkt-len); see \"show port xstats %u\"",
			port);
}

/* Describe the link of a port whose Tx ring was full. */
static void
link_text(uint16_t port, char *text, size_t size)
{
	struct rte_eth_link link;

	memset(&link, 0, sizeof(link));
	if (rte_eth_link_get_nowait(port, &link) != 0)
		snprintf(text, size, "link state unknown");
	else if (!link.link_status)
		snprintf(text, size, "link is down");
	else
		snprintf(text, size,
			"link is up, speed %s; offered load exceeds what the port can send, or the ring is too small (--txd)",
			link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN
				? "unknown"
				: rte_eth_link_speed_to_str(link.link_speed));
}

/*
 * Packets that streams dropped instead of sending them on a port. other: how many of these an
 * engine's own counter explains; the rest were dropped because the Tx ring was full.
 */
static uint64_t
not_taken(const struct run *r, uint16_t port, uint64_t *other)
{
	uint64_t dropped = 0;

	*other = 0;
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		const struct stat_table own = engine_counters(r->streams[i]->engine);
		struct run_count c;

		if (r->streams[i]->tx_port != port)
			continue;
		run_count(r, i, &c);
		dropped += c.count.tx_dropped;
		for (size_t k = 0; k < own.n; k++)
			*other += own.row[k].within != NULL ? stat_value(&own, k, c.count.named)
							    : 0;
	}
	return dropped;
}

static void
sent_explain(struct drops *d, uint16_t port, const struct rte_eth_stats *st)
{
	uint64_t other, dropped = not_taken(d->run, port, &other);
	char link[128];

	if (dropped > other) {
		link_text(port, link, sizeof(link));
		cause_show(d, port, "tx_dropped", dropped - other,
			"packets dropped because the Tx ring was full: %s%s", link,
			d->run->retry ? "" : "; \"set fwd ENGINE retry\" retries");
	}
	if (st->oerrors > 0)
		cause_show(d, port, "tx_errors", st->oerrors,
			"packets accepted by the driver but not sent; see \"show port xstats %u\"",
			port);
}

/* Packets that the engine dropped, from its own drop counters. */
static void
engine_explain(struct drops *d)
{
	const struct stat_table own = engine_counters(d->run->engine_run);
	uint64_t sums[STREAM_NAMED_MAX] = { 0 };

	for (unsigned int i = 0; i < d->run->plan.n_streams; i++) {
		struct run_count c;

		run_count(d->run, i, &c);
		stat_add(&own, sums, c.count.named);
	}
	for (size_t i = 0; i < own.n; i++)
		if (own.row[i].drop && stat_value(&own, i, sums) > 0)
			cause_show(d, RTE_MAX_ETHPORTS, own.row[i].name, stat_value(&own, i, sums),
				"%s", own.row[i].help);
}

static void
port_explain(struct drops *d, uint16_t id, const struct run_loss_port *port)
{
	const uint64_t flushed = d->run->ports->port[id].flushed;
	struct rte_eth_stats st;

	if (port_stats_since(d->run->ports, id, &st) != 0)
		memset(&st, 0, sizeof(st));
	if (port->receives)
		received_explain(d, id, &st);
	if (port->sends)
		sent_explain(d, id, &st);
	if (flushed > 0)
		cause_show(d, id, "flushed", flushed,
			"packets discarded before the run, because flush_rx empties the Rx queues at start; \"set flush_rx off\" keeps them");
}

int
run_drops_explain(const struct run *r, struct err *e)
{
	struct run_loss_port port[RTE_MAX_ETHPORTS];
	struct drops d = { r, r->out, 0 };
	struct stat_loss loss;

	if (r->streams == NULL)
		return err_set(e, ENOENT, "no statistics: forwarding was never started");
	out_nest(r->out, "causes", OUT_ARRAY);
	run_loss_ports(r, port);
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		if (port[id].receives || port[id].sends || r->ports->port[id].flushed > 0)
			port_explain(&d, id, &port[id]);
	engine_explain(&d);
	out_unnest(r->out);
	run_loss_read(r, &loss);
	out_u64(r->out, "lost", NULL, loss.lost);
	out_u64(r->out, "offered", NULL, loss.offered);
	if (d.causes > 0 && loss.offered > 0)
		out_text(r->out, "Lost in this run: %" PRIu64 " of %" PRIu64 " packets (%.4f %%)\n",
			loss.lost, loss.offered, 100 * (double)loss.lost / (double)loss.offered);
	if (d.causes == 0)
		out_say(r->out, "No packet was lost in this run\n");
	return 0;
}
