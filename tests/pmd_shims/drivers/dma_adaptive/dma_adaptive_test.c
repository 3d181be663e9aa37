/* dma_adaptive over an engine that copies when told: who copies what, and in which order the program
 * hears of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/dma_fixture.h"
#include "fixtures/unit.h"

#include <rte_bus_vdev.h>
#include <rte_dmadev.h>
#include <rte_eal.h>
#include <rte_log.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The CPU's are done at once, whoever copies, completions keep the order. */
static void
order(void **state)
{
	struct dma_fixture *f = *state;

	assert_int_equal(dma_fixture_copy(f, 0, LONG, 0), 0);
	assert_int_equal(dma_fixture_copy(f, 1, SHORT, 0), 1);
	dma_fixture_copied(1, SHORT);
	assert_int_equal(dma_fixture_copy(f, 2, LONG, 0), 2);
	assert_int_equal(dma_fixture_copy(f, 3, SHORT, 0), 3);
	assert_int_equal(dma_fixture_completed(f, UINT16_MAX), 0);
	assert_int_equal(rte_dma_submit(f->dev, 0), 0);
	assert_int_equal(dma_fixture_completed(f, UINT16_MAX), 0);
	assert_int_equal(dma_fixture_step(f, 1), 1);
	assert_int_equal(dma_fixture_completed(f, 1), 2);
	dma_fixture_copied(0, LONG);
	assert_int_equal(dma_fixture_completed(f, 1), 0);
	assert_int_equal(dma_fixture_step(f, 1), 1);
	assert_int_equal(dma_fixture_completed(f, 3), 2);
	dma_fixture_copied(2, LONG);
	assert_int_equal(dma_fixture_stats(f).cpu_copies, 2);
	assert_int_equal(dma_fixture_stats(f).cpu_bytes, 2 * SHORT);
	assert_int_equal(dma_fixture_stats(f).dma_copies, 2);
	assert_int_equal(dma_fixture_stats(f).dma_bytes, 2 * LONG);
}

/* Whatever is done is told, in as many calls as the program likes. */
static void
in_parts(void **state)
{
	struct dma_fixture *f = *state;
	uint16_t last;
	bool error;

	for (int i = 0; i < 10; i++)
		assert_int_equal(dma_fixture_copy(f, i, i % 2 == 0 ? LONG : SHORT, 0), i);
	rte_dma_submit(f->dev, 0);
	dma_fixture_step(f, 3);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(rte_dma_completed(f->dev, 0, 1, &last, &error), 1);
		assert_int_equal(last, i);
	}
	assert_int_equal(rte_dma_completed(f->dev, 0, 1, &last, &error), 0);
	assert_int_equal(last, 5);
	dma_fixture_step(f, 2);
	assert_int_equal(dma_fixture_completed(f, 9), 4);
}

static void
length(void **state)
{
	struct dma_fixture *f = *state;

	dma_fixture_copy(f, 0, MIN_LEN - 1, 0);
	assert_int_equal(dma_fixture_stats(f).cpu_copies, 1);
	dma_fixture_copy(f, 1, MIN_LEN, 0);
	assert_int_equal(dma_fixture_stats(f).dma_copies, 1);
	/* at any time, with copies on their way */
	assert_int_equal(dma_adaptive_set_min_len(f->dev, 0, (struct dma_min_len){ 0, 0 }), 0);
	dma_fixture_copy(f, 2, 1, 0);
	assert_int_equal(dma_fixture_stats(f).dma_copies, 2);
	assert_int_equal(dma_adaptive_set_min_len(f->dev, 0,
				 (struct dma_min_len){ UINT32_MAX, UINT32_MAX }),
		0);
	dma_fixture_copy(f, 3, SLOT, 0);
	assert_int_equal(dma_fixture_stats(f).cpu_copies, 2);
	rte_dma_submit(f->dev, 0);
	dma_fixture_step(f, 2);
	assert_int_equal(dma_fixture_completed(f, 3), 4);
	assert_memory_equal(dma_fixture_to[3], dma_fixture_from[3], SLOT);
	dma_fixture_copied(2, 1);
}

/* No doorbell without work; a short copy's flag rings for the long ones before it. */
static void
doorbell(void **state)
{
	struct dma_fixture *f = *state;
	const struct scripted_vchan *v = &f->engine->vchan[0];

	dma_fixture_copy(f, 0, SHORT, SUBMIT);
	rte_dma_submit(f->dev, 0);
	assert_int_equal(v->doorbells, 0);
	dma_fixture_copy(f, 1, LONG, 0);
	assert_int_equal(v->doorbells, 0);
	dma_fixture_copy(f, 2, SHORT, SUBMIT);
	assert_int_equal(v->doorbells, 1);
	assert_int_equal(v->submitted, 1);
	rte_dma_submit(f->dev, 0);
	assert_int_equal(v->doorbells, 1);
	dma_fixture_copy(f, 3, LONG, SUBMIT);
	rte_dma_submit(f->dev, 0);
	assert_int_equal(v->doorbells, 2);
	dma_fixture_step(f, 2);
	assert_int_equal(dma_fixture_completed(f, 3), 4);
}

/* A short copy behind a fence reads what the long one before it wrote. */
static void
fence(void **state)
{
	struct dma_fixture *f = *state;
	const struct scripted_vchan *v = &f->engine->vchan[0];

	dma_fixture_copy(f, 0, LONG, 0);
	assert_int_equal(rte_dma_copy(f->dev, 0, (rte_iova_t)dma_fixture_to[0],
				 (rte_iova_t)dma_fixture_to[1], SHORT, FENCE),
		1);
	assert_int_equal(v->fences, 1);
	assert_int_equal(dma_fixture_stats(f).fenced, 1);
	/* it may not overtake: on the engine it would not be before the fence either */
	rte_dma_copy(f->dev, 0, (rte_iova_t)dma_fixture_from[2], (rte_iova_t)dma_fixture_to[0],
		SHORT, SUBMIT);
	assert_int_equal(dma_fixture_stats(f).cpu_copies, 0);
	dma_fixture_step(f, 3);
	assert_int_equal(dma_fixture_completed(f, 2), 3);
	assert_memory_equal(dma_fixture_to[1], dma_fixture_from[0], SHORT);
	assert_memory_equal(dma_fixture_to[0], dma_fixture_from[2], SHORT);
	/* behind the fence, and nothing in the engine: the CPU's, and nothing to wait for */
	dma_fixture_copy(f, 3, SHORT, FENCE);
	dma_fixture_copied(3, SHORT);
	dma_fixture_copy(f, 4, LONG, FENCE | SUBMIT);
	assert_int_equal(v->fences, 1);
	dma_fixture_step(f, 1);
	assert_int_equal(dma_fixture_completed(f, 4), 2);
	/* without one it overtakes */
	dma_fixture_copy(f, 5, LONG, SUBMIT);
	dma_fixture_copy(f, 6, SHORT, SUBMIT);
	dma_fixture_copied(6, SHORT);
	dma_fixture_step(f, 1);
	assert_int_equal(dma_fixture_completed(f, 6), 2);
}

/* What the CPU has copied is told of once it was submitted, as what an engine copies. */
static void
submitted(void **state)
{
	struct dma_fixture *f = *state;

	dma_fixture_copy(f, 0, LONG, SUBMIT);
	dma_fixture_copy(f, 1, SHORT, 0);
	dma_fixture_step(f, 1);
	assert_int_equal(dma_fixture_completed(f, 0), 1);
	dma_fixture_copy(f, 2, SHORT, 0);
	assert_int_equal(dma_fixture_completed(f, 0), 0);
	assert_int_equal(rte_dma_submit(f->dev, 0), 0);
	dma_fixture_copy(f, 3, SHORT, 0);
	assert_int_equal(dma_fixture_completed(f, 2), 2);
}

/* The fence that is over holds nobody back, even while later copies are on their way. */
static void
fence_over(void **state)
{
	struct dma_fixture *f = *state;

	dma_fixture_copy(f, 0, LONG, 0);
	dma_fixture_copy(f, 1, LONG, FENCE);
	dma_fixture_copy(f, 2, LONG, SUBMIT);
	dma_fixture_step(f, 2);
	dma_fixture_copy(f, 3, SHORT, 0);
	assert_int_equal(dma_fixture_stats(f).fenced, 1); /* nobody has asked the engine yet */
	assert_int_equal(dma_fixture_completed(f, 1), 2);
	dma_fixture_copy(f, 4, SHORT, SUBMIT);
	assert_int_equal(dma_fixture_stats(f).cpu_copies, 1);
	dma_fixture_step(f, 2);
	assert_int_equal(dma_fixture_completed(f, 4), 3);
}

static void
full(void **state)
{
	struct dma_fixture *f = *state;

	assert_int_equal(rte_dma_burst_capacity(f->dev, 0), ROOM);
	for (int i = 0; i < ROOM; i++) {
		assert_int_equal(dma_fixture_copy(f, i, i % 3 == 0 ? LONG : SHORT, 0), i);
		assert_int_equal(rte_dma_burst_capacity(f->dev, 0), ROOM - 1 - i);
	}
	assert_int_equal(dma_fixture_copy(f, ROOM, SHORT, 0), -ENOSPC);
	assert_int_equal(dma_fixture_copy(f, ROOM, LONG, 0), -ENOSPC);
	assert_int_equal(dma_fixture_stats(f).full, 2);
	rte_dma_submit(f->dev, 0);
	dma_fixture_step(f, 1);
	assert_int_equal(dma_fixture_copy(f, ROOM, SHORT, 0), -ENOSPC); /* nobody has asked */
	assert_int_equal(dma_fixture_completed(f, 2), 3);
	assert_int_equal(rte_dma_burst_capacity(f->dev, 0), 3);
	assert_int_equal(dma_fixture_copy(f, ROOM, SHORT, SUBMIT), ROOM);
	dma_fixture_step(f, ROOM);
	assert_int_equal(dma_fixture_completed(f, ROOM), ROOM - 2);
	assert_int_equal(rte_dma_burst_capacity(f->dev, 0), ROOM);
}

/* The engine's refusals are told as they are, and leave no job. */
static void
refused(void **state)
{
	struct dma_fixture *f = *state;

	f->engine->refuse = ENOSPC;
	assert_int_equal(dma_fixture_copy(f, 0, LONG, 0), -ENOSPC);
	f->engine->refuse = EIO;
	assert_int_equal(dma_fixture_copy(f, 0, LONG, 0), -EIO);
	assert_int_equal(dma_fixture_stats(f).full, 1);
	assert_int_equal(dma_fixture_copy(f, 1, SHORT, 0), 0);
	f->engine->refuse = 0;
	assert_int_equal(dma_fixture_copy(f, 0, LONG, SUBMIT), 1);
	dma_fixture_step(f, 1);
	assert_int_equal(dma_fixture_completed(f, 1), 2);
}

/* dma_fixture_completed() stops before a job that failed, says so as often as it is asked, and goes on once
 * completed_status() told it. */
static void
failed(void **state)
{
	static const enum rte_dma_status_code want[] = { RTE_DMA_STATUS_INVALID_SRC_ADDR,
		RTE_DMA_STATUS_SUCCESSFUL, RTE_DMA_STATUS_SUCCESSFUL };
	struct dma_fixture *f = *state;
	enum rte_dma_status_code status[8];
	uint16_t last;
	bool error;

	dma_fixture_copy(f, 0, LONG, 0);
	dma_fixture_copy(f, 1, SHORT, 0);
	assert_int_equal(rte_dma_copy(f->dev, 0, 0, (rte_iova_t)dma_fixture_to[2], SHORT, 0), 2);
	dma_fixture_copy(f, 3, SHORT, 0);
	dma_fixture_copy(f, 4, LONG, SUBMIT);
	dma_fixture_step(f, 3);
	for (int i = 0; i < 3; i++) {
		uint16_t n = rte_dma_completed(f->dev, 0, 8, &last, &error);

		assert_int_equal(n, i == 0 ? 2 : 0);
		assert_int_equal(last, 1);
		assert_true(error);
	}
	if (f->engine->halts) { /* it goes on when the device has asked for the status */
		dma_fixture_step(f, 1);
		assert_int_equal(dma_fixture_stats(f).errors, 1);
	}
	assert_int_equal(rte_dma_completed_status(f->dev, 0, 8, &last, status), 3);
	assert_int_equal(last, 4);
	assert_memory_equal(status, want, sizeof(want));
	dma_fixture_copied(4, LONG);
	assert_int_equal(dma_fixture_stats(f).errors, 1);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, 8, &last, status), 0);
	/* and the next one as if nothing had been */
	dma_fixture_copy(f, 5, SHORT, FENCE | SUBMIT);
	dma_fixture_copied(5, SHORT);
	assert_int_equal(dma_fixture_completed(f, 5), 1);
}

/* One status at a time, then dma_fixture_completed() again. */
static void
failed_singly(void **state)
{
	struct dma_fixture *f = *state;
	enum rte_dma_status_code status;
	uint16_t last;
	bool error;

	f->engine->fail_every = 2;
	for (int i = 0; i < 6; i++)
		dma_fixture_copy(f, i, LONG, 0);
	rte_dma_submit(f->dev, 0);
	dma_fixture_step(f, 6);
	for (uint16_t i = 0; i < 6; i += 2) {
		assert_int_equal(rte_dma_completed(f->dev, 0, 1, &last, &error), 1);
		assert_false(error);
		assert_int_equal(rte_dma_completed(f->dev, 0, 1, &last, &error), 0);
		assert_true(error);
		assert_int_equal(last, i);
		assert_int_equal(rte_dma_completed_status(f->dev, 0, 1, &last, &status), 1);
		assert_int_equal(last, i + 1);
		assert_int_equal(status, RTE_DMA_STATUS_BUS_ERROR);
	}
	assert_int_equal(dma_fixture_completed(f, 5), 0);
	assert_int_equal(dma_fixture_stats(f).errors, 3);
}

/* Behind a fence after a failure, a short copy is skipped as the engine skips it. */
static void
failed_fence(void **state)
{
	struct dma_fixture *f = *state;
	enum rte_dma_status_code status[3];
	uint16_t last;

	rte_dma_copy(f->dev, 0, 0, (rte_iova_t)dma_fixture_to[0], LONG, 0);
	dma_fixture_copy(f, 1, SHORT, FENCE);
	dma_fixture_copy(f, 2, SHORT, SUBMIT);
	dma_fixture_step(f, 3);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, 3, &last, status), 3);
	assert_int_equal(status[0], RTE_DMA_STATUS_INVALID_SRC_ADDR);
	assert_int_equal(status[1], RTE_DMA_STATUS_NOT_ATTEMPTED);
	assert_int_equal(dma_fixture_to[1][0], 0);
	/* the device knows that one failed, the program does not: whether it goes on is the engine's */
	rte_dma_copy(f->dev, 0, 0, (rte_iova_t)dma_fixture_to[3], LONG, SUBMIT);
	dma_fixture_step(f, 1);
	assert_int_equal(rte_dma_completed(f->dev, 0, 3, NULL, NULL), 0);
	dma_fixture_copy(f, 4, SHORT, FENCE | SUBMIT);
	assert_int_equal(f->engine->vchan[0].fences, 2);
}

enum { PIECES = 3 };

/* 4 KB from three pieces to two, of other lengths, and an empty one. */
static int
copy_list(struct dma_fixture *f, uint32_t each, uint64_t flags)
{
	struct rte_dma_sge src[PIECES + 1] = { { (rte_iova_t)dma_fixture_from[0], each },
		{ (rte_iova_t)dma_fixture_from[1], 0 }, { (rte_iova_t)dma_fixture_from[2], each },
		{ (rte_iova_t)dma_fixture_from[3], 2 * each } };
	struct rte_dma_sge dst[2] = { { (rte_iova_t)dma_fixture_to[0], 3 * each },
		{ (rte_iova_t)dma_fixture_to[1], each } };

	return rte_dma_copy_sg(f->dev, 0, src, dst, PIECES + 1, 2, flags);
}

static void
assert_list_copied(uint32_t each)
{
	assert_memory_equal(dma_fixture_to[0], dma_fixture_from[0], each);
	assert_memory_equal(dma_fixture_to[0] + each, dma_fixture_from[2], each);
	assert_memory_equal(dma_fixture_to[0] + 2 * each, dma_fixture_from[3], each);
	assert_memory_equal(dma_fixture_to[1], dma_fixture_from[3] + each, each);
	assert_int_equal(dma_fixture_to[0][3 * each] + dma_fixture_to[1][each], 0);
	memset(dma_fixture_to, 0, sizeof(dma_fixture_to));
}

/* An engine without lists gets pieces; the job is one, and done when all of them are. */
static void
list_split(void **state)
{
	struct dma_fixture *f = *state;

	assert_int_equal(copy_list(f, 100, 0), 0);
	assert_list_copied(100);
	assert_int_equal(dma_adaptive_set_min_len(f->dev, 0, (struct dma_min_len){ 0, 0 }), 0);
	assert_int_equal(copy_list(f, 1000, SUBMIT), 1);
	assert_int_equal(f->engine->vchan[0].doorbells, 1);
	assert_int_equal(dma_fixture_copy(f, 10, SHORT, SUBMIT), 2);
	assert_int_equal(dma_fixture_completed(f, 0), 1);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(dma_fixture_completed(f, 0), 0);
		assert_int_equal(dma_fixture_step(f, 1), 1);
	}
	assert_int_equal(dma_fixture_completed(f, 1), 1);
	assert_list_copied(1000);
	dma_fixture_step(f, 1);
	assert_int_equal(dma_fixture_completed(f, 2), 1);
	/* short pieces by the CPU, long ones by the engine */
	assert_int_equal(dma_adaptive_set_min_len(f->dev, 0, (struct dma_min_len){ 500, 500 }), 0);
	{
		struct rte_dma_sge src = { (rte_iova_t)dma_fixture_from[5], 1100 };
		struct rte_dma_sge dst[2] = { { (rte_iova_t)dma_fixture_to[5], 1000 },
			{ (rte_iova_t)dma_fixture_to[6], 100 } };

		assert_int_equal(rte_dma_copy_sg(f->dev, 0, &src, dst, 1, 2, SUBMIT), 3);
		assert_memory_equal(dma_fixture_to[6], dma_fixture_from[5] + 1000, 100);
		assert_int_equal(dma_fixture_step(f, 9), 1);
		assert_int_equal(dma_fixture_completed(f, 3), 1);
		dma_fixture_copied(5, 1000);
	}
}

static void
list_failed(void **state)
{
	struct dma_fixture *f = *state;
	struct rte_dma_sge src[2] = { { (rte_iova_t)dma_fixture_from[0], 100 }, { 0, 100 } };
	struct rte_dma_sge dst = { (rte_iova_t)dma_fixture_to[0], 200 };
	enum rte_dma_status_code status[2];
	uint16_t last;

	assert_int_equal(rte_dma_copy_sg(f->dev, 0, src, &dst, 2, 1, SUBMIT), 0);
	dma_fixture_copy(f, 1, SHORT, SUBMIT);
	dma_fixture_step(f, 9);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, 2, &last, status), 2);
	assert_int_equal(status[0], RTE_DMA_STATUS_INVALID_SRC_ADDR);
	assert_int_equal(status[1], RTE_DMA_STATUS_SUCCESSFUL);
	dst.length = 199;
	assert_int_equal(rte_dma_copy_sg(f->dev, 0, src, &dst, 2, 1, 0), -EINVAL);
}

/* All pieces or none: what does not fit into the engine's ring now, waits. */
static void
list_full(void **state)
{
	struct dma_fixture *f = *state;
	struct rte_dma_info info;

	assert_int_equal(rte_dma_info_get(f->dev, &info), 0);
	/* The pieces of two longest lists fit into the smallest ring. */
	assert_true(info.max_sges >= 2 && 2u * info.max_sges - 1 < info.min_desc);
	for (int i = 0; i < ROOM - 4; i++)
		dma_fixture_copy(f, i, LONG, 0);
	assert_int_equal(copy_list(f, 1000, 0), -ENOSPC);
	rte_dma_submit(f->dev, 0);
	dma_fixture_step(f, 1);
	assert_int_equal(dma_fixture_completed(f, 0), 1);
	dma_fixture_step(f, ROOM);
	memset(dma_fixture_to, 0, sizeof(dma_fixture_to));
	assert_int_equal(copy_list(f, 1000, SUBMIT), ROOM - 4);
	dma_fixture_step(f, ROOM);
	assert_int_equal(dma_fixture_completed(f, ROOM - 4), ROOM - 4);
	assert_list_copied(1000);
}

/* With lists the engine gets the whole one, by its length. */
static void
list_whole(void **state)
{
	struct dma_fixture *f = *state;

	assert_int_equal(copy_list(f, 100, SUBMIT), 0);
	assert_list_copied(100);
	assert_int_equal(dma_fixture_completed(f, 0), 1);
	assert_int_equal(copy_list(f, 1000, SUBMIT), 1);
	assert_int_equal(dma_fixture_step(f, 9), 1);
	assert_int_equal(dma_fixture_completed(f, 1), 1);
	assert_list_copied(1000);
	assert_int_equal(dma_fixture_stats(f).dma_bytes, 4000);
}

static void
filled(void **state)
{
	static const uint8_t pattern[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct dma_fixture *f = *state;
	uint64_t word;

	memcpy(&word, pattern, sizeof(word));
	assert_int_equal(rte_dma_fill(f->dev, 0, word, (rte_iova_t)dma_fixture_to[0], 21, 0), 0);
	assert_int_equal(dma_fixture_stats(f).cpu_bytes, 21);
	assert_int_equal(rte_dma_fill(f->dev, 0, word, (rte_iova_t)dma_fixture_to[1], 3001, SUBMIT),
		1);
	dma_fixture_step(f, 1);
	assert_int_equal(dma_fixture_completed(f, 1), 2);
	for (int i = 0; i < 3001; i++) {
		assert_int_equal(dma_fixture_to[1][i], pattern[i % 8]);
		assert_int_equal(dma_fixture_to[0][i], i < 21 ? pattern[i % 8] : 0);
	}
	assert_int_equal(dma_fixture_to[1][3001], 0);
}

static void
wraps(void **state)
{
	struct dma_fixture *f = *state;
	uint32_t job = 0, known = 0;

	f->engine->stepped = false;
	while (job < 3 * 65536) {
		for (int i = 0; i < 40; i++, job++)
			assert_int_equal(dma_fixture_copy(f, i, job % 5 == 0 ? MIN_LEN : 1, 0),
				(uint16_t)job);
		rte_dma_submit(f->dev, 0);
		known += dma_fixture_completed(f, (uint16_t)(job - 1));
		assert_int_equal(known, job);
	}
}

/* The engine returned one copy, and never another: the CPU makes the others, submitted or not. */
static void
taken_over(void **state)
{
	struct dma_fixture *f = *state;
	enum rte_dma_status_code status;
	uint16_t last;
	bool error = false;

	dma_fixture_keep(f);
	for (int i = 0; i < 5; i++)
		assert_int_equal(dma_fixture_copy(f, i, i == 2 ? SHORT : LONG, 0), i);
	assert_int_equal(rte_dma_submit(f->dev, 0), 0);
	assert_int_equal(dma_fixture_step(f, 1), 1);
	assert_int_equal(dma_fixture_copy(f, 5, LONG, 0), 5);
	assert_int_equal(rte_dma_copy(f->dev, 0, 0, (rte_iova_t)dma_fixture_to[6], LONG, 0), 6);
	assert_int_equal(dma_adaptive_take_over(f->dev), 0);
	assert_int_equal(f->engine->stops, 1);
	for (int i = 0; i < 6; i++)
		dma_fixture_copied(i, i == 2 ? SHORT : LONG);
	/* A copy from nowhere has failed as on an engine. */
	assert_int_equal(rte_dma_completed(f->dev, 0, DESCRIPTORS, &last, &error), 6);
	assert_int_equal(last, 5);
	assert_true(error);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, DESCRIPTORS, &last, &status), 1);
	assert_int_equal(status, RTE_DMA_STATUS_INVALID_ADDR);
	assert_int_equal(dma_adaptive_set_min_len(f->dev, 0, (struct dma_min_len){ 0, 0 }), 0);
	assert_int_equal(dma_fixture_copy(f, 7, LONG, SUBMIT), 7);
	dma_fixture_copied(7, LONG);
	assert_int_equal(dma_fixture_completed(f, 7), 1);
	assert_int_equal(f->engine->vchan[0].head, 6);
	/* Until the next start. */
	assert_int_equal(rte_dma_stop(f->dev), 0);
	assert_int_equal(rte_dma_start(f->dev), 0);
	assert_int_equal(dma_fixture_copy(f, 0, LONG, SUBMIT), 0);
	assert_int_equal(dma_fixture_completed(f, UINT16_MAX), 0);
	assert_int_equal(dma_fixture_step(f, 1), 1);
	assert_int_equal(dma_fixture_completed(f, 0), 1);
}

/* What a list consists of is not known any more: it fails, and so does all after it. */
static void
taken_over_list(void **state)
{
	struct dma_fixture *f = *state;
	enum rte_dma_status_code status[3];
	uint16_t last;

	dma_fixture_keep(f);
	assert_int_equal(dma_fixture_copy(f, 0, LONG, SUBMIT), 0);
	assert_int_equal(copy_list(f, 1000, SUBMIT), 1);
	assert_int_equal(dma_fixture_copy(f, 70, LONG, SUBMIT), 2);
	assert_int_equal(dma_adaptive_take_over(f->dev), -ENOTSUP);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, DESCRIPTORS, &last, status), 3);
	assert_int_equal(status[0], RTE_DMA_STATUS_SUCCESSFUL);
	assert_int_equal(status[1], RTE_DMA_STATUS_USER_ABORT);
	assert_int_equal(status[2], RTE_DMA_STATUS_USER_ABORT);
}

/* A device that records no addresses: its copies fail. */
static void
taken_over_unknown(void **state)
{
	struct dma_fixture *f = *state;
	enum rte_dma_status_code status;
	uint16_t last;

	assert_int_equal(dma_fixture_copy(f, 0, LONG, SUBMIT), 0);
	assert_int_equal(dma_adaptive_take_over(f->dev), -ENOTSUP);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, DESCRIPTORS, &last, &status), 1);
	assert_int_equal(status, RTE_DMA_STATUS_USER_ABORT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(order, dma_fixture_setup, dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(in_parts, dma_fixture_setup, dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(length, dma_fixture_setup, dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(doorbell, dma_fixture_setup, dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(fence, dma_fixture_setup, dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(submitted, dma_fixture_setup, dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(fence_over, dma_fixture_setup,
			dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(full, dma_fixture_setup, dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(refused, dma_fixture_setup, dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(failed, dma_fixture_setup, dma_fixture_teardown),
		{ "failed_halts", failed, dma_fixture_setup_halts, dma_fixture_teardown, NULL },
		cmocka_unit_test_setup_teardown(failed_singly, dma_fixture_setup,
			dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(failed_fence, dma_fixture_setup,
			dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(list_split, dma_fixture_setup,
			dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(list_failed, dma_fixture_setup,
			dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(list_full, dma_fixture_setup, dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(list_whole, dma_fixture_setup_lists,
			dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(filled, dma_fixture_setup_lists,
			dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(wraps, dma_fixture_setup, dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(taken_over, dma_fixture_setup,
			dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(taken_over_list, dma_fixture_setup_lists,
			dma_fixture_teardown),
		cmocka_unit_test_setup_teardown(taken_over_unknown, dma_fixture_setup,
			dma_fixture_teardown),
	};

	return cmocka_run_group_tests(tests, dma_fixture_begin, dma_fixture_end);
}
