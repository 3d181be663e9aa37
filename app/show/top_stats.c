/* Computes rates from two samples of the streams' counters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "run/run.h"
#include "run/run_account.h"
#include "run/run_count.h"
#include "show/top_priv.h"

#include <rte_cycles.h>
#include <rte_mempool.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
look_free(struct top_look *l)
{
	if (l == NULL)
		return;
	free(l->count);
	run_groups_close(&l->groups);
	free(l);
}

static struct top_look *
look_new(const struct run *r, unsigned int n_streams)
{
	struct top_look *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->count = calloc(n_streams + 1, sizeof(*l->count));
	if (l->count != NULL && (n_streams == 0 || run_groups_open(&l->groups, r) == 0))
		return l;
	look_free(l);
	return NULL;
}

static void
look(const struct top_stats *f, struct top_look *l)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n_ports = port_ids(f->run->ports, ids);

	l->tsc = rte_rdtsc();
	for (unsigned int i = 0; i < f->n; i++)
		run_count_read(f->run->streams[i], &l->count[i]);
	for (unsigned int i = 0; i < n_ports; i++)
		port_stats_read(f->run->ports, ids[i], &l->port[ids[i]]);
	if (f->n > 0)
		run_groups_read(&l->groups, f->run->running);
}

int
top_stats_open(struct top_stats *f, const struct run *run, struct err *e)
{
	*f = (struct top_stats){ .run = run,
		.n = run->streams != NULL ? run->plan.n_streams : 0,
		.hz = run->tsc_hz };
	f->before = look_new(run, f->n);
	f->now = look_new(run, f->n);
	f->row = calloc(f->n + 1, sizeof(*f->row));
	if (f->before == NULL || f->now == NULL || f->row == NULL) {
		top_stats_close(f);
		return err_set(e, ENOMEM, "no memory for the statistics of %u streams", f->n);
	}
	look(f, f->now);
	return 0;
}

void
top_stats_close(struct top_stats *f)
{
	look_free(f->before);
	look_free(f->now);
	free(f->row);
}

static double
ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* Quantiles and histogram of the burst sizes in one interval. */
static void
bursts_fill(struct top_row *row, const struct hist_copy *h, unsigned int largest)
{
	double most = 0;

	row->p50 = hist_quantile(h, 0.5);
	row->p99 = hist_quantile(h, 0.99);
	row->n_spark = largest < TOP_SPARK_MAX ? largest : TOP_SPARK_MAX;
	for (unsigned int n = 1; n < HIST_CELLS; n++) {
		unsigned int at = (n < largest ? n - 1 : largest - 1) * row->n_spark / largest;

		row->spark[at] += (double)h->cell[n];
		most = row->spark[at] > most ? row->spark[at] : most;
	}
	for (unsigned int k = 0; k < row->n_spark; k++)
		row->spark[k] = most > 0 ? row->spark[k] / most : 0;
}

/*
 * Bytes per packet that a stream received (makes: sent), from the stream's counters or else from
 * the port's. NAN if neither counted.
 */
static double
mean_length(const struct top_stats *f, unsigned int i, bool makes)
{
	const struct run_count *a = &f->before->count[i], *b = &f->now->count[i];
	const struct stream *s = f->run->streams[i];
	const struct rte_eth_stats *pa = &f->before->port[makes ? s->tx_port : s->rx_port],
				   *pb = &f->now->port[makes ? s->tx_port : s->rx_port];
	uint64_t bytes = makes ? pb->obytes - pa->obytes : pb->ibytes - pa->ibytes;
	uint64_t packets = makes ? pb->opackets - pa->opackets : pb->ipackets - pa->ipackets;

	if (stream_records(s, STREAM_RECORD_BYTES)) {
		bytes = makes ? b->count.tx_bytes - a->count.tx_bytes
			      : b->count.rx_bytes - a->count.rx_bytes;
		packets = makes ? b->count.tx - a->count.tx : b->count.rx - a->count.rx;
	}
	return bytes > 0 ? ratio((double)bytes, (double)packets) : NAN;
}

double
top_stats_drops(const struct top_stats *f, unsigned int i)
{
	struct run_count c = f->now->count[i];
	struct run_account_sums sums;
	struct run_account a;

	run_count_subtract(&c, &f->before->count[i]);
	run_account_begin(&sums, f->run);
	run_account_add_stream(&sums, f->run->streams[i], &c.count);
	run_account_end(&sums, &a);
	return (double)(a.refused + a.dropped + a.unsent);
}

/* Fill in row i. Returns in *packets and *busy what the total's cycles per packet needs. */
static void
row_fill(struct top_stats *f, unsigned int i, double *packets, double *busy)
{
	const struct run_count *a = &f->before->count[i], *b = &f->now->count[i];
	const struct stream *s = f->run->streams[i];
	const bool makes = (s->engine->flags & ENGINE_MAKES) != 0;
	struct top_row *row = &f->row[i];
	struct hist_copy h = makes ? b->tx_bursts : b->rx_bursts;
	const uint64_t from = makes ? a->count.tx : a->count.rx;
	const uint64_t to = makes ? b->count.tx : b->count.rx;
	const struct stream_count *timed = &f->run->timed_base[i];
	const double pps = (double)(to - from) / f->seconds;

	*packets = (double)(to - RTE_MAX(from, makes ? timed->tx : timed->rx));
	*busy = (double)(b->count.busy_cycles - a->count.busy_cycles);
	hist_subtract(&h, makes ? &a->tx_bursts : &a->rx_bursts);
	*row = (struct top_row){ .stream = i,
		.of = s,
		.pps = pps,
		.bps = pps * 8 * mean_length(f, i, makes),
		.cycles = stream_timed(s) ? ratio(*busy, *packets) : NAN,
		.drops = top_stats_drops(f, i) / f->seconds,
		.empty = stream_records(s, STREAM_RECORD_BURSTS)
			? ratio((double)h.cell[0], (double)hist_top(&h).bursts)
			: NAN,
		.pool = s->rx_pool != NULL
			? ratio(rte_mempool_avail_count(s->rx_pool), s->rx_pool->size)
			: NAN };
	if (stream_records(s, STREAM_RECORD_BURSTS))
		bursts_fill(row, &h, s->burst);
}

/* Store the packets lost in the interval as a fraction of those offered, and those not sent in time. */
static void
loss_fill(struct top_stats *f)
{
	struct run_account_sums sums;
	struct run_account a;

	f->loss = f->unsent = NAN;
	if (f->n == 0)
		return;
	run_account_begin(&sums, f->run);
	for (unsigned int i = 0; i < f->n; i++) {
		struct run_count c = f->now->count[i];

		run_count_subtract(&c, &f->before->count[i]);
		run_account_add_stream(&sums, f->run->streams[i], &c.count);
	}
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++) {
		struct rte_eth_stats st = f->now->port[id];

		stat_since(&port_stats, &st, &f->before->port[id]);
		run_account_add_port(&sums, id, &st);
	}
	run_account_end(&sums, &a);
	if (a.lost != STAT_NONE)
		f->loss = ratio((double)a.lost, (double)a.offered);
	f->unsent = (double)a.unsent / f->seconds;
}

void
top_stats_next(struct top_stats *f)
{
	const uint64_t hz = (uint64_t)f->hz, begin = f->run->begin_tsc;
	double all_packets = 0, all_busy = 0, packets, busy;
	struct top_look *reused = f->before;

	f->before = f->now;
	f->now = reused;
	look(f, f->now);
	f->seconds = (double)(f->now->tsc - f->before->tsc) / (double)hz;
	f->running =
		(double)((f->run->running ? f->now->tsc : f->run->end_tsc) - begin) / (double)hz;
	f->total = (struct top_row){ .bps = NAN, .cycles = NAN, .empty = NAN, .pool = NAN };
	for (unsigned int i = 0; i < f->n; i++) {
		row_fill(f, i, &packets, &busy);
		f->total.pps += f->row[i].pps;
		if (!isnan(f->row[i].bps))
			f->total.bps = f->row[i].bps + (isnan(f->total.bps) ? 0 : f->total.bps);
		f->total.drops += f->row[i].drops;
		all_packets += packets;
		all_busy += busy;
	}
	if (all_busy > 0)
		f->total.cycles = ratio(all_busy, all_packets);
	loss_fill(f);
}

static double
value_of(const struct top_row *row, enum top_order order)
{
	switch (order) {
	case TOP_PPS: return row->pps;
	case TOP_BPS: return row->bps;
	case TOP_CYCLES: return row->cycles;
	case TOP_DROPS: return row->drops;
	case TOP_POOL: return row->pool;
	default: return -(double)row->stream;
	}
}

void
top_stats_sort(struct top_stats *f, enum top_order order, bool reverse)
{
	/* Insertion sort: the order hardly changes between samples, and equal rows keep theirs. */
	for (unsigned int i = 1; i < f->n; i++) {
		const struct top_row row = f->row[i];
		double value = value_of(&row, order);
		unsigned int k;

		/* Unknown values come last in both directions. */
		for (k = i; k > 0 && !isnan(value); k--) {
			double other = value_of(&f->row[k - 1], order);

			if (!isnan(other) && (reverse ? value >= other : value <= other))
				break;
			f->row[k] = f->row[k - 1];
		}
		f->row[k] = row;
	}
}
