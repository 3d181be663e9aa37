/* Computes rates from two samples of the streams' counters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "run/account/run_account.h"
#include "run/account/run_count.h"
#include "run/run.h"
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

/* Sum the engine's histograms over all streams. */
static void
times_read(struct top_stats *f)
{
	const struct engine_times *times = f->run->engine_run != NULL ? f->run->engine_run->times
								      : NULL;

	for (unsigned int k = 0; k < f->n_times; k++) {
		struct top_times *one = &f->times[k];

		one->before = one->now;
		one->now = (struct hdr_copy){ 0 };
		for (unsigned int i = 0; i < f->n; i++)
			hdr_merge(&one->now, times[k].of(f->run->streams[i]));
		one->interval = one->now;
		hdr_subtract(&one->interval, &one->before);
	}
}

static bool
times_open(struct top_stats *f)
{
	const struct engine *engine = f->run->engine_run;
	const size_t n = f->n > 0 && engine != NULL ? engine->n_times : 0;

	if (n == 0)
		return true;
	f->times = calloc(n, sizeof(*f->times));
	if (f->times == NULL)
		return false;
	f->n_times = (unsigned int)n;
	for (unsigned int k = 0; k < f->n_times; k++)
		f->times[k].name = engine->times[k].name;
	times_read(f);
	return true;
}

int
top_stats_open(struct top_stats *f, const struct run *run, struct err *e)
{
	*f = (struct top_stats){ .run = run,
		.n = run->streams != NULL ? run->plan.n_streams : 0,
		.hz = run->tsc_hz,
		.worst = { .cpu_now = NAN, .pps = NAN, .loss = NAN, .cpu = NAN } };
	f->before = look_new(run, f->n);
	f->now = look_new(run, f->n);
	f->row = calloc(f->n + 1, sizeof(*f->row));
	if (f->before == NULL || f->now == NULL || f->row == NULL || !times_open(f)) {
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
	free(f->times);
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
		.tx_pps = (double)(b->count.tx - a->count.tx) / f->seconds,
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

#define SECOND 0.95 /* length from which intervals are a second */

/* End a second of the worst ones: keep what is worse than all before. */
static void
second_end(struct top_stats *f)
{
	struct top_worst *w = &f->worst;
	const double pps = w->packets / w->seconds, loss = ratio(w->lost, w->offered);

	/* "not" because nothing is known at first, which is NAN */
	if (!(pps >= w->pps)) {
		w->pps = pps;
		w->pps_at = f->running;
	}
	if (!isnan(loss) && !(loss <= w->loss)) {
		w->loss = loss;
		w->loss_at = f->running;
	}
	if (!isnan(w->cpu_now) && !(w->cpu_now >= w->cpu)) {
		w->cpu = w->cpu_now;
		w->cpu_at = f->running;
	}
	w->n++;
	w->seconds = w->packets = w->lost = w->offered = 0;
	w->cpu_now = NAN;
}

/* Add the interval to the second that is not over. An interval in which the run ended is in none. */
static void
worst_add(struct top_stats *f, const struct run_account *a)
{
	struct top_worst *w = &f->worst;

	if (!f->run->running)
		return;
	w->seconds += f->seconds;
	w->packets += f->total.pps * f->seconds;
	w->lost += a->lost != STAT_NONE ? (double)a->lost : 0;
	w->offered += a->lost != STAT_NONE ? (double)a->offered : 0;
	w->cpu_now = fmin(w->cpu_now, top_pages_cpu(f));
	if (w->seconds >= SECOND)
		second_end(f);
}

/* The sums since the start, without those of a run that a test has made by hand. */
static void
account_fill(struct top_stats *f)
{
	if (f->run->base == NULL)
		return;
	run_account_read(f->run, &f->account);
	f->received = 0;
	for (unsigned int i = 0; i < f->n; i++) {
		struct run_count c;

		run_count(f->run, i, &c);
		f->received += (double)c.count.rx;
	}
}

static void
history_add(struct top_stats *f)
{
	memmove(f->history, f->history + 1, (TOP_HISTORY - 1) * sizeof(f->history[0]));
	f->history[TOP_HISTORY - 1] = f->total.pps;
	f->n_history += f->n_history < TOP_HISTORY;
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
	worst_add(f, &a);
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
		f->total.tx_pps += f->row[i].tx_pps;
		if (!isnan(f->row[i].bps))
			f->total.bps = f->row[i].bps + (isnan(f->total.bps) ? 0 : f->total.bps);
		f->total.drops += f->row[i].drops;
		all_packets += packets;
		all_busy += busy;
	}
	if (all_busy > 0)
		f->total.cycles = ratio(all_busy, all_packets);
	times_read(f);
	loss_fill(f);
	account_fill(f);
	history_add(f);
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
