/* Prints the named generate streams: what was asked of each, and what it has reached. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/lane_show.h"

#include "base/out.h"
#include "base/stat.h"
#include "base/text.h"
#include "engines/measure/measured.h"

#include <rte_cycles.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The highest percentile that is shown, for a stream with latency on. */
#define UPTO 0.999

/* What came back of a lane. Times in ns, valid if timed > 0. */
struct received {
	uint64_t unique, duplicated, reordered, too_old, timed, sum, min, max;
};

struct sums {
	uint64_t sent, unsent, refused, unique, lost, duplicated;
	bool lost_known;
};

/* The lane's part in a run; NULL: it was added after that, or no run has sent lanes. */
static const struct lane_run *
run_of(const struct lanes *lanes, const struct lane *l)
{
	const struct lanes_run *set = lanes->last;

	for (unsigned int i = 0; set != NULL && i < set->n; i++)
		if (set->run[i] != NULL && set->run[i]->serial == l->serial)
			return set->run[i];
	return NULL;
}

/* Packets per second since the rate was set; NAN: unknown. */
static double
reached(const struct lanes_run *set, const struct lane_run *run)
{
	const uint64_t ended = counter_read(&set->ended_tsc), begin = counter_read(&run->begin_tsc),
		       end = atomic_load(&run->phase) != LANE_SENDING ? counter_read(&run->end_tsc)
		: ended != 0                                          ? ended
								      : rte_rdtsc();

	if (begin == 0 || (int64_t)(end - begin) <= 0)
		return NAN;
	return (double)(counter_read(&run->sent) - counter_read(&run->begin_sent)) * set->tsc_hz /
		(double)(end - begin);
}

/* Add up what all streams have received of a lane. */
static void
received_read(const struct lanes_run *set, const struct lane_run *run, struct received *to)
{
	*to = (struct received){ .min = UINT64_MAX };
	for (unsigned int i = 0; set->measures && i < set->n_streams; i++) {
		const struct measured *m = set->streams[i]->kept;

		for (uint32_t k = 0; m->arrivals != NULL && k < run->flows; k++) {
			const struct arrivals *a = &m->arrivals[run->base + k];

			to->unique += counter_read(&a->unique);
			to->duplicated += counter_read(&a->duplicated);
			to->reordered += counter_read(&a->reordered);
			to->too_old += counter_read(&a->too_old);
			if (counter_read(&a->timed) == 0)
				continue;
			to->timed += counter_read(&a->timed);
			to->sum += counter_read(&a->sum_ns);
			to->min = RTE_MIN(to->min, counter_read(&a->min_ns));
			to->max = RTE_MAX(to->max, counter_read(&a->max_ns));
		}
	}
}

/* A percentile of a lane's latency is that of all streams. h: scratch space, may be NULL. */
static void
percentiles_show(struct out *o, const struct lanes_run *set, const struct lane_run *run,
	struct hdr_copy *h)
{
	bool any = false;

	for (unsigned int i = 0; h != NULL && set->measures && i < set->n_streams; i++) {
		const struct measured *m = set->streams[i]->kept;

		if (m->lane_latency == NULL || m->lane_latency[run->place] == NULL)
			continue;
		if (!any)
			memset(h, 0, sizeof(*h));
		any = true;
		hdr_merge(h, m->lane_latency[run->place]);
	}
	hdr_columns(o, UPTO, any ? h : NULL);
}

/* Print a number that may be unknown: "-", null in JSON. */
static void
number_show(struct out *o, const char *key, unsigned int columns, double value)
{
	const char *const known = columns == 14 ? " %14.0f" : " %12.0f";

	if (isnan(value))
		out_text(o, columns == 14 ? " %14s" : " %12s", "-");
	out_f64_fmt(o, key, isnan(value) ? NULL : known, value);
}

static void
received_show(struct out *o, const struct lanes_run *set, const struct lane_run *run, bool running,
	struct hdr_copy *h, struct sums *sums)
{
	const uint64_t sent = counter_read(&run->sent);
	struct received r;
	uint64_t lost;

	received_read(set, run, &r);
	lost = running ? STAT_NONE : measured_lost(sent, r.unique);
	out_u64(o, "unique", " %14" PRIu64, r.unique);
	number_show(o, "lost", 12, lost == STAT_NONE ? NAN : (double)lost);
	out_u64(o, "reordered", NULL, r.reordered);
	out_u64(o, "duplicated", " %10" PRIu64, r.duplicated);
	out_u64(o, "too_old", NULL, r.too_old);
	out_us(o, "min_us", r.timed > 0 ? (double)r.min / 1e3 : NAN);
	out_us(o, "mean_us", r.timed > 0 ? (double)r.sum / (double)r.timed / 1e3 : NAN);
	out_us(o, "max_us", r.timed > 0 ? (double)r.max / 1e3 : NAN);
	percentiles_show(o, set, run, h);
	sums->unique += r.unique;
	sums->duplicated += r.duplicated;
	sums->lost += lost != STAT_NONE ? lost : 0;
	sums->lost_known &= lost != STAT_NONE;
}

static const char *
state_of(const struct lane *l, const struct lane_run *run, bool running)
{
	static const char *const
		phases[] = { [LANE_OFF] = "off", [LANE_SENDING] = "sending", [LANE_DONE] = "done" };
	enum lane_phase phase;

	if (run == NULL || run->stream == NULL)
		return l->on ? "on" : "off";
	phase = (enum lane_phase)atomic_load(&run->phase);
	/* It is to send, and its lcore has not come to it yet. */
	if (phase == LANE_OFF && run->plans != NULL && run->plans->on)
		phase = LANE_SENDING;
	return phase == LANE_SENDING && !running ? "stopped" : phases[phase];
}

/* Packets per second that were asked of a lane; 0: max, below 0: unknown. */
static double
asked(const struct lane *l, const struct lane_run *run)
{
	return run != NULL && run->stream != NULL && run->plans != NULL ? run->plans->pps
									: lane_pps(l, 0);
}

bool
lane_part(const void *config, unsigned int i, struct engine_part *to)
{
	const struct lanes *lanes = config;
	const struct lane_run *run;
	double pps;

	if (i >= lanes->n)
		return false;
	run = run_of(lanes, lanes->lane[i]);
	pps = asked(lanes->lane[i], run);
	*to = (struct engine_part){ .name = lanes->lane[i]->name,
		.port = lanes->lane[i]->port,
		.asked = pps > 0  ? pps
			: pps < 0 ? NAN
				  : INFINITY,
		.reached = NAN };
	if (run == NULL || run->stream == NULL)
		return true;
	to->reached = reached(lanes->last, run);
	to->sent = counter_read(&run->sent);
	to->unsent = counter_read(&run->unsent);
	to->refused = counter_read(&run->refused);
	return true;
}

/* Print a lane. h: scratch space. */
static void
one_show(struct out *o, const struct lanes *lanes, const struct lane *l, struct hdr_copy *h,
	struct sums *sums)
{
	const struct lanes_run *set = lanes->last;
	const struct lane_run *run = run_of(lanes, l);
	const bool running = set != NULL && lanes->live == set,
		   sends = run != NULL && run->stream != NULL;
	const double pps = asked(l, run);
	struct text words = { 0 };

	lanes_text(l, &words);
	out_str(o, "name", "%-16s", l->name);
	out_u64(o, "port", " %4" PRIu64, l->port);
	out_str(o, "state", " %-8s", state_of(l, run, running));
	out_str(o, "words", NULL, words.bytes != NULL ? words.bytes : "");
	free(words.bytes);
	if (pps == 0)
		out_text(o, " %14s", "max");
	if (pps == 0)
		out_f64_fmt(o, "asked_pps", NULL, NAN);
	else
		number_show(o, "asked_pps", 14, pps > 0 ? pps : NAN);
	if (!sends)
		return;
	number_show(o, "reached_pps", 14, reached(set, run));
	out_u64(o, "queue", NULL, run->stream->tx_queue);
	out_u64(o, "sent", " %14" PRIu64, counter_read(&run->sent));
	out_u64(o, "unsent", " %10" PRIu64, counter_read(&run->unsent));
	out_u64(o, "tx_dropped", " %10" PRIu64, counter_read(&run->refused));
	sums->sent += counter_read(&run->sent);
	sums->unsent += counter_read(&run->unsent);
	sums->refused += counter_read(&run->refused);
	if (set->measures)
		received_show(o, set, run, running, h, sums);
}

static void
sums_show(struct out *o, const struct lanes_run *set, const struct sums *sums)
{
	out_nest(o, "total", OUT_OBJECT);
	out_text(o, "%-16s %4s %-8s %14s %14s", "all", "", "", "", "");
	out_u64(o, "sent", " %14" PRIu64, sums->sent);
	out_u64(o, "unsent", " %10" PRIu64, sums->unsent);
	out_u64(o, "tx_dropped", " %10" PRIu64, sums->refused);
	if (set->measures) {
		out_u64(o, "unique", " %14" PRIu64, sums->unique);
		number_show(o, "lost", 12, sums->lost_known ? (double)sums->lost : NAN);
		out_u64(o, "duplicated", " %10" PRIu64, sums->duplicated);
	}
	out_text(o, "\n");
	out_unnest(o);
}

void
lane_show(const struct lanes *lanes, struct out *o)
{
	const struct lanes_run *set = lanes->last;
	struct hdr_copy *h = malloc(sizeof(*h));
	struct sums sums = { .lost_known = true };

	out_nest(o, "streams", OUT_ARRAY);
	out_text(o, "%-16s %4s %-8s %14s", "stream", "port", "state", "asked pps");
	if (set != NULL)
		out_text(o, " %14s %14s %10s %10s", "reached pps", "sent", "unsent", "refused");
	if (set != NULL && set->measures) {
		out_text(o, " %14s %12s %10s %10s %10s %10s", "received", "lost", "duplicated",
			"min us", "mean us", "max us");
		hdr_titles(o, UPTO, " us");
	}
	out_text(o, "\n");
	for (unsigned int i = 0; i < lanes->n; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		one_show(o, lanes, lanes->lane[i], h, &sums);
		out_text(o, "\n");
		out_unnest(o);
	}
	out_unnest(o);
	if (set != NULL)
		sums_show(o, set, &sums);
	free(h);
}
