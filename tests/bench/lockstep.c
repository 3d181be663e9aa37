/* The measuring loop: batches of turns, timed; the NICs' steps between them, not timed; variants
 * one after the other, again and again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/lockstep.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "bench/figures.h"
#include "bench/variant.h"
#include "bench/yardstick.h"
#include "engines/engine.h"
#include "port/port.h"
#include "run/run.h"

#include <rte_cycles.h>
#include <rte_malloc.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#endif

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* batches after each change of variant that do not count: rings of 2048 go round twice */
	WARM_UP = 16,
	WARM_UP_SHARE = 8, /* of a slice, one of so many parts */
	LINE = 64,
	CALIBRATIONS = 1001,
	QUIET_TURNS = 200, /* without a packet: nothing is under way */
	PATIENCE_S = 10,   /* for what is under way to arrive */
};

struct measure {
	struct run *run;
	const struct lockstep_plan *plan;
	struct nics nics;
	struct lockstep_whole whole;
	volatile uint8_t *memory; /* evict_kib of it */
	double timer;             /* cycles that timing itself takes */
	struct figures figures[LOCKSTEP_VARIANTS];
	uint32_t samples; /* taken so far */
};

static void
evict(volatile uint8_t *memory, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += LINE)
		memory[i]++;
}

/* What two readings of the clock with nothing in between say, median. */
static double
timer_cycles(void)
{
	struct spread s = { 0 };
	double median;

	for (unsigned int i = 0; i < CALIBRATIONS; i++) {
		uint64_t begin = rte_rdtsc_precise();

		if (!spread_add(&s, (double)(rte_rdtsc_precise() - begin)))
			break;
	}
	median = spread_quantile(&s, 0.5);
	spread_free(&s);
	return median;
}

/* The packets of a batch whose polls all find full bursts. */
static uint64_t
batch_packets(const struct lockstep_plan *p, const struct variant *v)
{
	return (uint64_t)p->rounds * v->plan.n_streams * v->streams[0]->burst;
}

/*
 * The NICs' steps after a batch. Returns whether it counts: each poll had a full burst, and the Tx
 * rings took it; else result says what was not so.
 */
static bool
batch_settle(const struct measure *m, const struct variant *v, struct variant_count before,
	struct lockstep_result *result)
{
	struct variant_count after = variant_count(v);

	nics_settle(&m->nics);
	if (after.tx_short != before.tx_short)
		result->tx_full++;
	else if (after.packets - before.packets != batch_packets(m->plan, v))
		result->starved++;
	else
		return true;
	return false;
}

/*
 * One batch while the NICs stand still. Returns cycles per packet; 0: it does not count, result
 * says why. *core: the worst reading.
 */
static double
batch_stepped(const struct measure *m, const struct variant *v, struct lockstep_result *result,
	double *core)
{
	const struct lockstep_plan *p = m->plan;
	struct variant_count before = variant_count(v);
	uint64_t begin;
	double cycles;

	evict(m->memory, (size_t)p->evict_kib << 10);
	*core = yardstick();
	begin = rte_rdtsc_precise();
	for (uint32_t i = 0; i < p->rounds; i++)
		variant_turn(v);
	cycles = (double)(rte_rdtsc_precise() - begin) - m->timer;
	*core = RTE_MAX(*core, yardstick());
	return batch_settle(m, v, before, result) ? cycles / (double)batch_packets(p, v) : 0;
}

/* One batch while a thread moves frames: turns without packets cost nothing. As above. */
static double
batch_running(const struct measure *m, const struct variant *v, struct lockstep_result *result,
	double *core)
{
	struct variant_count before = variant_count(v), after;

	*core = yardstick();
	for (uint32_t i = 0; i < m->plan->rounds; i++)
		variant_turn(v);
	*core = RTE_MAX(*core, yardstick());
	after = variant_count(v);
	if (after.tx_short != before.tx_short)
		result->tx_full++;
	else if (after.packets == before.packets)
		result->starved++;
	else
		return (double)(after.busy_cycles - before.busy_cycles) /
			(double)(after.packets - before.packets);
	return 0;
}

/* One batch of the sample under way. false: no memory. */
static bool
batch_take(struct measure *m, const struct variant *v, struct figures *f,
	struct lockstep_result *result)
{
	struct figures_batch b = { .sample = m->samples };

	b.cycles = m->plan->slice_ms == 0 ? batch_stepped(m, v, result, &b.core)
					  : batch_running(m, v, result, &b.core);
	if (m->whole.core <= 0 || b.core < m->whole.core)
		m->whole.core = b.core;
	return b.cycles <= 0 || f == NULL || figures_add(f, b);
}

/* Batches until the sample is long enough, after some that do not count. */
static bool
batches_take(struct measure *m, const struct variant *v, struct figures *f,
	struct lockstep_result *result)
{
	const struct lockstep_plan *p = m->plan;
	const uint64_t length = p->slice_ms * (rte_get_tsc_hz() / 1000), begin = rte_rdtsc();
	struct lockstep_result warm = { 0 };
	bool kept = true;

	if (p->slice_ms == 0) {
		for (uint32_t i = 0; i < WARM_UP; i++) {
			if (i == 0 || i == WARM_UP / 2)
				variant_choose(v);
			batch_take(m, v, NULL, &warm);
		}
		for (uint32_t i = 0; i < p->batches && kept; i++)
			kept = batch_take(m, v, f, result);
		return kept;
	}
	while (rte_rdtsc() - begin < length / WARM_UP_SHARE)
		batch_take(m, v, NULL, &warm);
	while (rte_rdtsc() - begin < length && kept)
		kept = batch_take(m, v, f, result);
	return kept;
}

static int
no_memory(struct err *e)
{
	return err_set(e, ENOMEM, "no memory for the figures");
}

/* One sample of a variant. */
static int
sample(struct measure *m, const char *text, struct figures *f, struct lockstep_result *result,
	struct err *e)
{
	struct variant v;
	bool kept;
	int ret;

	if (interrupt_pending(m->plan->interrupt))
		return err_set(e, EINTR, "interrupted");
	ret = variant_open(&v, m->run, text, m->plan->slice_ms > 0, e);
	if (ret != 0)
		return ret;
	kept = batches_take(m, &v, f, result);
	variant_close(&v, &m->whole.account);
	return kept ? 0 : no_memory(e);
}

/*
 * Which variant is i-th in that sample: each comes first as often as the others, and after each of
 * them.
 */
static unsigned int
place(uint32_t samples, unsigned int i, unsigned int n)
{
	return (samples / 2 + (samples % 2 == 0 ? i : n - 1 - i)) % n;
}

/*
 * Samples of all variants side by side, until enough of them had the core to themselves, or it
 * takes too long.
 */
static int
samples_take(struct measure *m, char *const *variant, unsigned int n,
	struct lockstep_result *result, struct err *e)
{
	uint32_t quiet = 0;

	while (quiet < m->plan->samples && m->samples < LOCKSTEP_REPEAT * m->plan->samples) {
		bool all_quiet = true;

		for (unsigned int i = 0; i < n; i++) {
			unsigned int which = place(m->samples, i, n);
			int ret = sample(m, variant[which], &m->figures[which], &result[which], e);

			if (ret != 0)
				return ret;
		}
		for (unsigned int i = 0; i < n; i++)
			all_quiet = all_quiet &&
				figures_quiet(&m->figures[i], m->samples,
					m->whole.core * YARDSTICK_LIMIT) > 0;
		quiet += all_quiet;
		m->samples++;
	}
	return 0;
}

/* Nothing is under way and the NICs count from 0. */
static void
begin(struct measure *m)
{
	struct run *r = m->run;

	nics_pause(&m->nics, true);
	do
		nics_settle(&m->nics);
	while (port_flush_rx(r->ports, r->choice.ports, r->choice.use_ports) > 0);
	nics_settle(&m->nics);
	nics_reset(&m->nics);
	nics_pause(&m->nics, false);
	nics_settle(&m->nics);
}

/* Let what is under way arrive, through the first variant, and see whether all adds up. */
static int
end(struct measure *m, const char *text, struct err *e)
{
	const uint64_t until = rte_get_tsc_cycles() + PATIENCE_S * rte_get_tsc_hz();
	int ret;

	nics_pause(&m->nics, true);
	do {
		unsigned int quiet = 0;
		struct variant v;

		ret = variant_open(&v, m->run, text, false, e);
		if (ret != 0)
			return ret;
		while (quiet < QUIET_TURNS && rte_get_tsc_cycles() < until) {
			uint64_t before = variant_count(&v).packets;

			variant_turn(&v);
			if (m->nics.stepped)
				nics_settle(&m->nics);
			quiet = variant_count(&v).packets == before ? quiet + 1 : 0;
		}
		variant_close(&v, &m->whole.account);
		nics_settle(&m->nics);
		err_clear(e);
		ret = nics_account_check(&m->nics, &m->whole.account, e);
	} while (ret != 0 && rte_get_tsc_cycles() < until);
	nics_pause(&m->nics, false);
	return ret;
}

/* The figures of one variant. median: of its samples; first: of the first variant's. */
static int
conclude(const struct measure *m, const struct figures *f, double limit, double *median,
	const double *first, struct lockstep_result *result, struct err *e)
{
	struct spread all = { 0 };
	bool kept = figures_select(f, limit, m->plan->mean, &all, median, m->samples) &&
		spread_ratio(median, first, m->samples, &result->ratio);

	result->batches = figures_quiet(f, 0, limit);
	result->shared = f->n - result->batches;
	result->p5 = spread_quantile(&all, 0.05);
	result->median = spread_quantile(&all, 0.5);
	result->p90 = spread_quantile(&all, 0.9);
	spread_free(&all);
	if (!kept)
		return no_memory(e);
	if (result->batches > 0)
		return 0;
	return err_set(e, ENODATA,
		"%s: no batch counts: in %" PRIu64
		" a turn found less than a full burst, in %" PRIu64
		" a Tx ring was full; use fewer rounds or larger rings",
		result->name, result->starved, result->tx_full);
}

/* The median and the ratio of one variant with the batches on a shared core. false: no memory. */
static bool
conclude_with_shared(const struct measure *m, const struct figures *f, double *median,
	const double *first, struct lockstep_result *result)
{
	struct spread all = { 0 };
	struct spread_ratio ratio = { 0 };
	bool kept = figures_select(f, DBL_MAX, m->plan->mean, &all, median, m->samples) &&
		spread_ratio(median, first, m->samples, &ratio);

	result->median_all = spread_quantile(&all, 0.5);
	result->ratio_all = ratio.median;
	spread_free(&all);
	return kept;
}

static int
conclude_all(struct measure *m, unsigned int n, struct lockstep_result *result, struct err *e)
{
	double *median = calloc(2 * (size_t)m->samples, sizeof(*median)), limit;
	int ret = median != NULL ? 0 : no_memory(e);

	limit = m->whole.core * YARDSTICK_LIMIT;
	for (unsigned int i = 0; i < n; i++)
		if (figures_quiet(&m->figures[i], 0, limit) == 0)
			m->whole.crowded = true;
	if (m->whole.crowded)
		limit = DBL_MAX;
	for (unsigned int i = 0; i < n && ret == 0; i++)
		if (!conclude_with_shared(m, &m->figures[i], i == 0 ? median : median + m->samples,
			    median, &result[i]))
			ret = no_memory(e);
	for (unsigned int i = 0; i < n && ret == 0; i++)
		ret = conclude(m, &m->figures[i], limit, i == 0 ? median : median + m->samples,
			median, &result[i], e);
	free(median);
	return ret;
}

/* A variant that can be measured: it forwards what comes in. */
static int
variant_check(struct measure *m, const char *text, struct err *e)
{
	struct variant v;
	int ret = variant_open(&v, m->run, text, false, e);

	if (ret != 0)
		return ret;
	if ((v.engine->flags & (ENGINE_MAKES | ENGINE_NO_RX)) != 0)
		ret = err_set(e, EINVAL, "variant \"%s\": expected an engine that makes no packets",
			text);
	variant_close(&v, &m->whole.account);
	return ret;
}

static int
measure_open(struct measure *m, char *const *variant, unsigned int n, struct err *e)
{
	int ret = nics_find(&m->nics, m->plan->slice_ms == 0, e);

	for (unsigned int i = 0; i < n && ret == 0; i++)
		ret = variant_check(m, variant[i], e);
	if (ret != 0)
		return ret;
	m->timer = timer_cycles();
	/* On large pages, where there are any, so that the TLB keeps what it knows. */
	m->memory = rte_zmalloc("evict", ((size_t)m->plan->evict_kib << 10) + LINE, LINE);
	return m->memory != NULL
		? 0
		: err_set(e, ENOMEM, "no %u KiB to evict caches with", m->plan->evict_kib);
}

int
lockstep_measure(struct run *r, const struct lockstep_plan *p, char *const *variant, unsigned int n,
	struct lockstep_result *result, struct lockstep_whole *whole, struct err *e)
{
	struct measure m = { .run = r, .plan = p };
	int ret = measure_open(&m, variant, n, e);

	for (unsigned int i = 0; i < n && ret == 0; i++) {
		memset(&result[i], 0, sizeof(result[i]));
		strncat(result[i].name, variant[i], sizeof(result[i].name) - 1);
	}
	if (ret == 0)
		begin(&m);
	if (ret == 0)
		ret = samples_take(&m, variant, n, result, e);
	if (ret == 0)
		ret = end(&m, variant[0], e);
	if (ret == 0)
		ret = conclude_all(&m, n, result, e);
	for (unsigned int i = 0; i < n; i++)
		figures_free(&m.figures[i]);
	rte_free((void *)(uintptr_t)m.memory);
	*whole = m.whole;
	return ret;
}

/* Batches of one variant; those that a profiler shall count are the turns of one function. */
static int
batches_count(const struct measure *m, const struct variant *v, struct lockstep_counted *c,
	struct err *e)
{
	struct lockstep_result result = { 0 };

	CALLGRIND_START_INSTRUMENTATION; /* what led here takes valgrind a third of the time */
	for (uint32_t i = 0; i < m->plan->warm_up; i++) {
		if (i == 0 || i == m->plan->warm_up / 2)
			variant_choose(v);
		for (uint32_t k = 0; k < m->plan->rounds; k++)
			variant_turn(v);
		nics_settle(&m->nics);
	}
	for (uint32_t i = 0; i < m->plan->batches; i++) {
		struct variant_count before = variant_count(v);

		variant_turns_profiled(v, m->plan->rounds);
		batch_settle(m, v, before, &result);
	}
	c->packets = m->plan->batches * batch_packets(m->plan, v);
	if (result.starved + result.tx_full == 0)
		return 0;
	return err_set(e, ENODATA,
		"in %" PRIu64 " of %u batches a poll found less than a full burst, in %" PRIu64
		" a Tx ring was full; use fewer rounds or larger rings",
		result.starved, m->plan->batches, result.tx_full);
}

int
lockstep_count(struct run *r, const struct lockstep_plan *p, const char *variant,
	struct lockstep_counted *c, struct err *e)
{
	struct measure m = { .run = r, .plan = p };
	struct variant v;
	int ret = nics_find(&m.nics, true, e);

	if (ret != 0)
		return ret;
	begin(&m);
	ret = variant_open(&v, r, variant, false, e);
	if (ret != 0)
		return ret;
	ret = batches_count(&m, &v, c, e);
	variant_close(&v, &m.whole.account);
	if (ret == 0)
		ret = end(&m, "io", e);
	c->account = m.whole.account;
	return ret;
}
