/* Autotuning of a threshold: measure three or four thresholds in interleaved time slices, sample
 * after sample, until none is better; then take only occasional samples. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/threshold_autotune.h"

#include "base/base.h"

#include <string.h>

enum candidate { FORCE, BELOW, ABOVE, NEVER };

enum {
	SHARE = 16, /* try another threshold if at least 1/16 of the packets lie between */
	SAMPLES_SETTLE = 101, /* settle after this many kept samples without a better threshold */
	SAMPLES_MOST = 404,   /* or after this many in all, if packet lengths keep changing */
	WARM_MORE = 512,      /* warm-up packets in addition to the Tx queue's descriptors */
	SLICE_WARMS = 8,      /* measured packets per warm-up packet, to average random lengths */
	REST = 332,           /* pause between samples, in sample lengths: 0.3 % of the time */
	LONG_US = 100000,     /* a longer sample waited for packets: pause as after this length */
};

/* Thresholds, bytes, chosen so that common packet lengths lie between them. */
static const uint32_t steps[] = { 0, 80, 112, 160, 208, 288, 352, 448, 576, 704, 896, 1152, 1400,
	1800, 2900, 4600, 6600, 12000, 24000, 48000, THRESHOLD_NEVER };
static_assert(ARRAY_SIZE(steps) == THRESHOLD_STEPS, "thresholds");

unsigned int
threshold_autotune_place(uint32_t bytes)
{
	unsigned int i = 0;

	while (i + 1 < THRESHOLD_STEPS && steps[i + 1] <= bytes)
		i++;
	return i;
}

/* Return the nearest step on one side with at least 1/SHARE of the packets between; else own. */
static unsigned int
neighbour(const struct threshold_autotune *t, unsigned int own, bool above)
{
	uint64_t all = 0, between = 0;
	unsigned int i;

	for (i = 0; i < THRESHOLD_STEPS; i++)
		all += t->seen[i];
	for (i = own; above ? i + 1 < THRESHOLD_STEPS : i > 0;) {
		between += t->seen[above ? i : i - 1];
		i = above ? i + 1 : i - 1;
		if (between * SHARE >= all && between > 0)
			return i;
	}
	return own;
}

/* Choose the candidates besides the current step. Returns whether there are any. */
static bool
candidates_choose(struct threshold_autotune *t)
{
	const unsigned int own = t->step[FORCE], below = neighbour(t, own, false),
			   above = neighbour(t, own, true);

	if (below != t->step[BELOW] || above != t->step[ABOVE])
		samples_clear(&t->samples);
	t->step[BELOW] = below;
	t->step[ABOVE] = above;
	for (unsigned int i = 0; i < THRESHOLD_STEPS; i++)
		t->seen[i] /= 2;
	return below != own || above != own ||
		(t->samples.candidates > NEVER && t->step[NEVER] != own);
}

/* Reverse every other sample, and let each candidate be first equally often. */
static unsigned int
candidate_at(const struct threshold_autotune *t)
{
	const unsigned int n = t->samples.candidates;
	uint64_t sample = atomic_load_explicit(&t->samples.n, memory_order_relaxed);

	return (unsigned int)((sample / 2 + (sample % 2 == 0 ? t->k : n - 1 - t->k)) % n);
}

static uint32_t
slice_begin(struct threshold_autotune *t, uint64_t now)
{
	t->slicing = true;
	if (t->k == 0)
		t->sample_begin = now;
	t->packets = t->cycles = 0;
	return steps[t->step[candidate_at(t)]];
}

static uint32_t
rest(struct threshold_autotune *t, uint64_t now)
{
	const uint64_t sample = RTE_MIN(now - t->sample_begin, t->hz * LONG_US / 1000000);

	t->slicing = false;
	t->rest_until = now + sample * REST;
	return steps[t->step[FORCE]];
}

/* Switch to a threshold that is significantly better, and continue from there. */
static uint32_t
sample_end(struct threshold_autotune *t, uint64_t now)
{
	unsigned int candidate;

	t->k = 0;
	samples_add(&t->samples, t->cost);
	candidate = samples_better(&t->samples, FORCE);
	if (candidate != FORCE) {
		t->step[FORCE] = t->step[candidate];
		samples_clear(&t->samples);
		t->settled = false;
		t->eager = 0;
	} else if (samples_kept(&t->samples) >= SAMPLES_SETTLE || ++t->eager >= SAMPLES_MOST) {
		t->settled = true;
	}
	/* Until settled, samples follow each other without a pause. */
	if (!candidates_choose(t) || t->settled)
		return rest(t, now);
	return slice_begin(t, now);
}

uint32_t
threshold_autotune_poll(struct threshold_autotune *t, uint64_t begin, uint64_t now,
	uint32_t packets, bool worked)
{
	uint64_t cost;

	if (!t->slicing)
		return now >= t->rest_until ? slice_begin(t, now) : steps[t->step[FORCE]];
	/* Do not count time spent waiting for packets. */
	if (t->packets >= t->warm && worked)
		t->cycles += now - begin;
	t->packets += packets;
	if (t->packets < t->warm + t->least)
		return steps[t->step[candidate_at(t)]];
	cost = t->cycles * 1024 / (t->packets - t->warm);
	t->cost[candidate_at(t)] = (uint32_t)RTE_MIN(cost, (uint64_t)UINT32_MAX);
	return ++t->k == t->samples.candidates ? sample_end(t, now) : slice_begin(t, now);
}

uint32_t
threshold_autotune_open(struct threshold_autotune *t, uint32_t copy_below, unsigned int descs,
	uint64_t hz, bool apart)
{
	unsigned int own = 0;

	memset(t, 0, sizeof(*t));
	while (own + 1 < THRESHOLD_STEPS && steps[own] < copy_below)
		own++;
	t->on = true;
	t->hz = hz;
	t->warm = descs + WARM_MORE;
	t->least = t->warm * SLICE_WARMS;
	t->samples.candidates = apart ? THRESHOLD_CANDIDATES : THRESHOLD_CANDIDATES - 1;
	for (unsigned int candidate = 0; candidate < THRESHOLD_CANDIDATES; candidate++)
		t->step[candidate] = candidate == NEVER ? THRESHOLD_STEPS - 1 : own;
	return steps[own];
}

void
threshold_autotune_widen(struct threshold_autotune *t, const struct threshold_autotune *other)
{
	t->warm += other->warm;
	t->least += other->least;
}
