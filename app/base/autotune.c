/* Autotuning on live traffic: the state machine of slices, samples and pauses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/autotune.h"

#include "base/out.h"

#include <inttypes.h>

enum {
	SLICE_US = 250,
	SLICE_PACKETS = 1024,
	QUIET_US = 100000, /* a slice without enough packets by then is abandoned */
	QUIET_REST_US = 1000000,
	WARM_POLLS = 8, /* polls at the begin of a slice that are not measured: cold caches */
	REST = 332      /* pause between samples in sample lengths, so that they take 0.3 % */
};

void
autotune_open(struct autotune *t, unsigned int n, unsigned int first, uint64_t hz)
{
	t->on = true;
	t->samples.candidates = n;
	t->hz = hz;
	t->decide_at = SAMPLES_KEPT;
	atomic_store(&t->candidate, first);
}

/* Each candidate is equally often the first of a sample. */
unsigned int
autotune_current(const struct autotune *t)
{
	const unsigned int n = t->samples.candidates;
	const uint64_t sample = counter_read(&t->samples.n);

	if (!t->slicing)
		return atomic_load_explicit(&t->candidate, memory_order_relaxed);
	return (unsigned int)((sample / 2 + (sample % 2 == 0 ? t->k : n - 1 - t->k)) % n);
}

static uint64_t
us(const struct autotune *t, uint64_t n)
{
	return t->hz * n / 1000000;
}

static void
slice_begin(struct autotune *t, uint64_t now)
{
	t->warm = WARM_POLLS;
	t->begin = now;
	t->cycles = 0;
	t->slicing = true;
}

/* Use the best candidate so far, without measuring, until the given time. */
static void
rest(struct autotune *t, uint64_t until)
{
	t->slicing = false;
	t->rest_until = until;
}

/*
 * Record a sample and choose the candidate. When the current one is proven not to be the best any
 * more, all candidates are measured again before another is chosen.
 */
static void
sample_end(struct autotune *t, uint64_t now)
{
	unsigned int before = atomic_load_explicit(&t->candidate, memory_order_relaxed),
		     candidate = before;
	uint64_t n;

	samples_add(&t->samples, t->cost);
	n = counter_read(&t->samples.n);
	t->k = 0;
	atomic_store_explicit(&t->last, now, memory_order_relaxed);
	if (n == t->decide_at)
		candidate = samples_best(&t->samples);
	else if (n > t->decide_at && samples_better(&t->samples, before) != before)
		t->decide_at = n + SAMPLES_KEPT;
	atomic_store_explicit(&t->candidate, candidate, memory_order_relaxed);
	if (n > SAMPLES_KEPT && candidate != before)
		counter_add(&t->changes, 1);
	if (n < t->decide_at) {
		slice_begin(t, now);
		return;
	}
	/* The pause makes up for one sample only, not for all those before the first decision. */
	rest(t, now + (n == SAMPLES_KEPT ? t->spent / SAMPLES_KEPT : t->spent) * REST);
	t->spent = 0;
}

/* Record the cost of a slice, and begin the next slice or end the sample. */
static void
slice_end(struct autotune *t, uint64_t now, uint64_t packets)
{
	const uint64_t cost = t->cycles * 1024 / packets;

	t->cost[autotune_current(t)] = cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
	t->spent += now - t->begin;
	if (++t->k == t->samples.candidates)
		sample_end(t, now);
	else
		slice_begin(t, now);
}

unsigned int
autotune_poll(struct autotune *t, uint64_t now, uint64_t cycles, uint64_t packets)
{
	if (!t->slicing) {
		if (now >= t->rest_until)
			slice_begin(t, now);
	} else if (t->warm > 0) {
		t->warm--;
		t->packets = packets;
	} else {
		t->cycles += cycles;
		packets -= t->packets;
		if (now - t->begin >= us(t, SLICE_US) && packets >= SLICE_PACKETS)
			slice_end(t, now, packets);
		else if (now - t->begin >= us(t, QUIET_US))
			rest(t, now + us(t, QUIET_REST_US));
	}
	return autotune_current(t);
}

void
autotune_show(const struct autotune *t, uint64_t now, struct out *o)
{
	if (samples_kept(&t->samples) == 0)
		return;
	out_u64(o, "samples", "  %" PRIu64 " samples", counter_read(&t->samples.n));
	out_f64(o, "last_s", ", the latest %.1f s ago",
		(double)(now - counter_read(&t->last)) / (double)t->hz);
	out_u64(o, "changes", ", %" PRIu64 " changes of mode\n", counter_read(&t->changes));
}

void
autotune_show_candidate(const struct autotune *t, unsigned int candidate, struct out *o)
{
	const unsigned int own = atomic_load(&t->candidate);

	out_f64(o, "cycles", "%.2f cycles per packet", samples_median(&t->samples, candidate));
	if (candidate != own) {
		out_u64(o, "dearer", ", slower in %" PRIu64,
			samples_wins(&t->samples, own, candidate));
		out_u64(o, "of", " of %" PRIu64 " samples", samples_kept(&t->samples));
	}
	out_text(o, "\n");
}
