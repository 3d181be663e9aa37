/* dma_adaptive over an engine that copies when told: who copies what, and in which order the program
 * hears of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/dma_fixture.h"
#include "fixtures/unit.h"

#include <rte_dmadev.h>

#include <errno.h>
#include <string.h>

/* No doorbell without work; a short copy's flag rings for the long ones before it. */
TEST(doorbell)
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
TEST(fence)
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
TEST(submitted)
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
TEST(fence_over)
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

/* The engine's refusals are told as they are, and leave no job. */
TEST(refused)
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

/* Behind a fence after a failure, a short copy is skipped as the engine skips it. */
TEST(failed_fence)
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

TEST(list_failed)
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
TEST(list_full)
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
TEST(list_whole)
{
	struct dma_fixture *f = dma_fixture_again(state, "lists");

	assert_int_equal(copy_list(f, 100, SUBMIT), 0);
	assert_list_copied(100);
	assert_int_equal(dma_fixture_completed(f, 0), 1);
	assert_int_equal(copy_list(f, 1000, SUBMIT), 1);
	assert_int_equal(dma_fixture_step(f, 9), 1);
	assert_int_equal(dma_fixture_completed(f, 1), 1);
	assert_list_copied(1000);
	assert_int_equal(dma_fixture_stats(f).dma_bytes, 4000);
}

TEST(filled)
{
	static const uint8_t pattern[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct dma_fixture *f = dma_fixture_again(state, "lists");
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

TEST(wraps)
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
TEST(taken_over)
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
TEST(taken_over_list)
{
	struct dma_fixture *f = dma_fixture_again(state, "lists");
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
TEST(taken_over_unknown)
{
	struct dma_fixture *f = *state;
	enum rte_dma_status_code status;
	uint16_t last;

	assert_int_equal(dma_fixture_copy(f, 0, LONG, SUBMIT), 0);
	assert_int_equal(dma_adaptive_take_over(f->dev), -ENOTSUP);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, DESCRIPTORS, &last, &status), 1);
	assert_int_equal(status, RTE_DMA_STATUS_USER_ABORT);
}

TESTS(.setup = dma_fixture_begin, .teardown = dma_fixture_end, .before = dma_fixture_setup,
	.after = dma_fixture_teardown);
