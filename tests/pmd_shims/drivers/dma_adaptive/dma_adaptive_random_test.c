/* dma_adaptive against a model: random copies, fences, thresholds and failures, over an engine that
 * completes as it likes and over dma_skeleton. dma_adaptive_random_test [ROUNDS [SEED]] */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/dma_scripted.h"
#include "fixtures/own_lcores.h"
#include "fixtures/seed.h"
#include "fixtures/unit.h"
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"

#include <rte_bus_vdev.h>
#include <rte_common.h>
#include <rte_dmadev.h>
#include <rte_eal.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DESCRIPTORS = 64, SLOTS = 128, SLOT = 4096, SOURCES = 1 << 16 };

#define DEVICE "dma_adaptive0"

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
static unsigned int rounds = 20000;

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
device_start(struct model *m, const char *arguments)
{
	const struct rte_dma_conf conf = { .nb_vchans = 1 };
	const struct rte_dma_vchan_conf vchan = { .direction = RTE_DMA_DIR_MEM_TO_MEM,
		.nb_desc = DESCRIPTORS };

	assert_int_equal(rte_vdev_init(DEVICE, arguments), 0);
	m->dev = (int16_t)rte_dma_get_dev_id_by_name(DEVICE);
	assert_int_equal(rte_dma_configure(m->dev, &conf), 0);
	assert_int_equal(rte_dma_vchan_setup(m->dev, 0, &vchan), 0);
	assert_int_equal(rte_dma_start(m->dev), 0);
	m->room = rte_dma_burst_capacity(m->dev, 0);
}

static void
run(struct model *m)
{
	struct dma_adaptive_stats stats;
	struct rte_dma_stats jobs;

	srand((unsigned int)test_seed);
	for (unsigned int i = 0; i < SOURCES; i++)
		sources[i] = (uint8_t)rand();
	for (unsigned int i = 0; i < rounds; i++)
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
	if (m->engine != NULL && m->failures == 0 && rounds >= 10000) {
		assert_true(stats.cpu_copies > 0 && stats.dma_copies > 0);
		assert_true(stats.fenced > 0 && stats.full > 0);
	}
	assert_int_equal(rte_dma_stats_get(m->dev, 0, &jobs), 0);
	assert_int_equal(jobs.submitted, m->head);
	assert_int_equal(jobs.completed, m->head);
	assert_int_equal(rte_dma_burst_capacity(m->dev, 0), m->room);
}

/* stepped: it completes when the model says. */
static void
over_scripted(const char *arguments, unsigned int fail_every)
{
	struct model m = { 0 };

	assert_int_equal(rte_vdev_init("dma_scripted0", arguments), 0);
	m.engine = scripted_of((int16_t)rte_dma_get_dev_id_by_name("dma_scripted0"));
	m.engine->stepped = true;
	device_start(&m, "dev=dma_scripted0,min_len=300");
	m.engine->fail_every = fail_every;
	run(&m);
	assert_int_equal(rte_dma_stop((int16_t)rte_dma_get_dev_id_by_name(DEVICE)), 0);
	assert_int_equal(rte_vdev_uninit(DEVICE), 0);
	assert_int_equal(rte_vdev_uninit("dma_scripted0"), 0);
}

static void
scripted(void **state)
{
	over_scripted("", 0);
	over_scripted("lists", 0);
}

static void
scripted_fails(void **state)
{
	over_scripted("", 7);
	over_scripted("lists,halts", 5);
}

static void
skeleton(void **state)
{
	struct model m = { 0 };

	assert_int_equal(rte_vdev_init("dma_skeleton0", ""), 0);
	device_start(&m, "dev=dma_skeleton0,min_len=300");
	run(&m);
	assert_int_equal(rte_dma_stop((int16_t)rte_dma_get_dev_id_by_name(DEVICE)), 0);
	assert_int_equal(rte_vdev_uninit(DEVICE), 0);
	assert_int_equal(rte_vdev_uninit("dma_skeleton0"), 0);
}

int
main(int argc, char **argv)
{
	char *args[] = { "dma_adaptive_random_test", "--no-huge", "--no-shconf", "--no-pci", "-m",
		"64", "--no-telemetry", own_lcores("0"), "--log-level=error" };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scripted),
		cmocka_unit_test(scripted_fails),
		cmocka_unit_test(skeleton),
	};
	int ret;

	if (argc > 1)
		rounds = (unsigned int)atoi(argv[1]);
	if (argc > 2)
		test_seed = strtoull(argv[2], NULL, 0);
	if (rte_eal_init(RTE_DIM(args), args) < 0)
		return 1;
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	rte_eal_cleanup();
	return ret;
}
