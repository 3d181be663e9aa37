/* dma_adaptive against a model: random copies, fences, thresholds and failures, over an engine that
 * completes as it likes and over dma_skeleton. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/dma_fixture.h"
#include "fixtures/seed.h"
#include "fixtures/unit.h"

#include <rte_common.h>
#include <rte_dmadev.h>

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 1 << 16, ROUNDS = 20000 };

/* A job that the program has not heard of. */
struct job {
	uint32_t length;
	int reads; /* the slot that it copies from, behind a fence; -1: the sources */
	const uint8_t *src;
	bool good; /* set once reported */
};

/* Slot i % SLOTS is where job i copies to. */
struct model {
	int16_t dev;
	struct scripted *engine; /* NULL: one that nobody steps */
	uint32_t room;
	uint64_t head, tail;
	struct job job[SLOTS];
	uint64_t failures;
};

static uint8_t sources[SOURCES], slot[SLOTS][SLOT], expected[SLOTS][SLOT];

static unsigned int
below(unsigned int n)
{
	return (unsigned int)rand() % n;
}

static struct job *
job_at(struct model *m, uint64_t position)
{
	return &m->job[position % SLOTS];
}

/* A job of one to three pieces on either side, or one copy. */
static int
enqueue(struct model *m, const struct job *job, uint8_t *dst, uint64_t flags)
{
	uint32_t a = below(job->length + 1), b = below(job->length + 1);
	struct rte_dma_sge from[2] = { { (rte_iova_t)job->src, a },
		{ (rte_iova_t)job->src + a, job->length - a } };
	struct rte_dma_sge to[2] = { { (rte_iova_t)dst, b },
		{ (rte_iova_t)dst + b, job->length - b } };

	if (below(8) > 0)
		return rte_dma_copy(m->dev, 0, (rte_iova_t)job->src, (rte_iova_t)dst, job->length,
			flags);
	return rte_dma_copy_sg(m->dev, 0, from, to, 2, 2, flags);
}

/* The next job: from the sources, or behind a fence from what the one before it writes. */
static void
add(struct model *m)
{
	struct job job = { .length = 1 + below(below(2) ? 64 : SLOT), .reads = -1 };
	uint64_t flags = below(4) == 0 ? RTE_DMA_OP_FLAG_SUBMIT : 0;
	int at = (int)(m->head % SLOTS);
	int ret;

	job.src = sources + below(SOURCES - SLOT);
	if (m->head > m->tail && below(6) == 0) {
		job.reads = (int)((m->head - 1) % SLOTS);
		job.src = slot[job.reads];
		job.length = 1 + below(job_at(m, m->head - 1)->length);
		flags |= RTE_DMA_OP_FLAG_FENCE;
	}
	ret = enqueue(m, &job, slot[at], flags);
	if (ret == -ENOSPC) {
		assert_true(rte_dma_burst_capacity(m->dev, 0) < 3); /* a list may need as many */
		sched_yield();
		return;
	}
	assert_int_equal(ret, (uint16_t)m->head);
	assert_true(m->head - m->tail < m->room);
	memcpy(expected[at], job.reads >= 0 ? expected[job.reads] : job.src, job.length);
	*job_at(m, m->head++) = job;
}

/* A good job has copied; what it read was right if the one before it was good. */
static void
reported(struct model *m, enum rte_dma_status_code status)
{
	struct job *job = job_at(m, m->tail);
	int at = (int)(m->tail % SLOTS);

	assert_true(m->tail < m->head);
	job->good = status == RTE_DMA_STATUS_SUCCESSFUL;
	m->failures += !job->good;
	if (job->good && job->reads >= 0)
		job->good = job_at(m, m->tail - 1)->good;
	if (job->good && memcmp(slot[at], expected[at], job->length) != 0)
		fail_msg("job %llu of %u bytes: not what was copied", (unsigned long long)m->tail,
			job->length);
	m->tail++;
}

static void
collect(struct model *m)
{
	enum rte_dma_status_code status[DESCRIPTORS];
	uint16_t max = (uint16_t)(1 + below(DESCRIPTORS)), last, n;
	bool error = false;

	n = rte_dma_completed(m->dev, 0, max, &last, &error);
	assert_true(n <= max);
	for (uint16_t i = 0; i < n; i++)
		reported(m, RTE_DMA_STATUS_SUCCESSFUL);
	assert_int_equal(last, (uint16_t)(m->tail - 1));
	if (!error)
		return;
	n = rte_dma_completed_status(m->dev, 0, max, &last, status);
	assert_true(n > 0 && n <= max);
	assert_int_not_equal(status[0], RTE_DMA_STATUS_SUCCESSFUL);
	for (uint16_t i = 0; i < n; i++)
		reported(m, status[i]);
	assert_int_equal(last, (uint16_t)(m->tail - 1));
}

static void
do_something(struct model *m)
{
	static const uint32_t lengths[] = { 0, 1, 40, 300, 2000, UINT32_MAX };

	switch (below(16)) {
	case 0: assert_int_equal(rte_dma_submit(m->dev, 0), 0); break;
	case 1:
	case 2:
	case 3: collect(m); break;
	case 4:
		if (below(16) == 0)
			dma_adaptive_set_min_len(m->dev, 0,
				(struct dma_min_len){ lengths[below(RTE_DIM(lengths))],
					lengths[below(RTE_DIM(lengths))] });
		break;
	case 5:
	case 6:
		if (m->engine != NULL)
			scripted_step(m->engine, 0, below(12));
		break;
	default: add(m);
	}
}

static void
run(struct model *m)
{
	struct dma_adaptive_stats stats;
	struct rte_dma_stats jobs;

	srand((unsigned int)test_seed);
	for (unsigned int i = 0; i < SOURCES; i++)
		sources[i] = (uint8_t)rand();
	for (unsigned int i = 0; i < ROUNDS; i++)
		do_something(m);
	assert_int_equal(rte_dma_submit(m->dev, 0), 0);
	while (m->tail < m->head) {
		if (m->engine != NULL)
			scripted_step(m->engine, 0, 1);
		collect(m);
	}
	assert_int_equal(dma_adaptive_stats(m->dev, 0, &stats), 0);
	assert_int_equal(stats.errors, m->failures);
	/* nothing was left out; failures make a queue in which some fence always waits */
	if (m->engine != NULL && m->failures == 0) {
		assert_true(stats.cpu_copies > 0 && stats.dma_copies > 0);
		assert_true(stats.fenced > 0 && stats.full > 0);
	}
	assert_int_equal(rte_dma_stats_get(m->dev, 0, &jobs), 0);
	assert_int_equal(jobs.submitted, m->head);
	assert_int_equal(jobs.completed, m->head);
	assert_int_equal(rte_dma_burst_capacity(m->dev, 0), m->room);
}

/* Over an engine of these arguments, which completes when the model says, or over one that nobody steps. */
static void
over(const char *engine, const char *arguments, unsigned int fail_every)
{
	struct dma_fixture *f = dma_fixture_over(engine, arguments, "min_len=300");
	struct model m = { .dev = f->dev, .engine = f->engine };

	m.room = rte_dma_burst_capacity(m.dev, 0);
	if (m.engine != NULL)
		m.engine->fail_every = fail_every;
	run(&m);
	dma_fixture_teardown((void **)&f);
}

TEST(scripted)
{
	over(ENGINE, "", 0);
	over(ENGINE, "lists", 0);
}

TEST(scripted_fails)
{
	over(ENGINE, "", 7);
	over(ENGINE, "lists,halts", 5);
}

TEST(skeleton)
{
	over("dma_skeleton0", "", 0);
}

TESTS(.setup = dma_fixture_begin, .teardown = dma_fixture_end);
