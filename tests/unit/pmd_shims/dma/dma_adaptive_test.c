/* dma_adaptive over an engine that copies when told: who copies what, and in which order the program
 * hears of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/dma/dma_adaptive.h"

#include "fixtures/dma_scripted.h"

#include <rte_bus_vdev.h>
#include <rte_dmadev.h>
#include <rte_eal.h>
#include <rte_log.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
	DESCRIPTORS = 64,
	ROOM = DESCRIPTORS - 1, /* of the engine, and so of the device */
	SHORT = 100,
	LONG = 3000, /* from MIN_LEN on the engine's */
	MIN_LEN = 2048,
	SLOTS = 80,
	SLOT = 4096,
	FENCE = RTE_DMA_OP_FLAG_FENCE,
	SUBMIT = RTE_DMA_OP_FLAG_SUBMIT,
};

#define DEVICE "dma_adaptive0"
#define ENGINE "dma_scripted0"

static uint8_t from[SLOTS][SLOT], to[SLOTS][SLOT];
static FILE *log_file;
static char *log_text;
static size_t log_size;

/* What each test has. */
struct fixture {
	int16_t dev;
	struct scripted *engine;
};

static int16_t
device(const char *name)
{
	return (int16_t)rte_dma_get_dev_id_by_name(name);
}

static void
device_start(int16_t dev)
{
	const struct rte_dma_conf conf = { .nb_vchans = 1 };
	const struct rte_dma_vchan_conf vchan = { .direction = RTE_DMA_DIR_MEM_TO_MEM,
		.nb_desc = DESCRIPTORS };

	assert_int_equal(rte_dma_configure(dev, &conf), 0);
	assert_int_equal(rte_dma_vchan_setup(dev, 0, &vchan), 0);
	assert_int_equal(rte_dma_start(dev), 0);
}

static struct fixture *
made(const char *engine_arguments, const char *arguments)
{
	struct fixture *f = malloc(sizeof(*f));

	for (int i = 0; i < SLOTS * SLOT; i++)
		from[i / SLOT][i % SLOT] = (uint8_t)rand();
	memset(to, 0, sizeof(to));
	assert_int_equal(rte_vdev_init(ENGINE, engine_arguments), 0);
	assert_int_equal(rte_vdev_init(DEVICE, arguments), 0);
	f->dev = device(DEVICE);
	f->engine = scripted_of(device(ENGINE));
	f->engine->stepped = true;
	device_start(f->dev);
	return f;
}

static int
setup(void **state)
{
	*state = made("", "dev=" ENGINE ",min_len=2048");
	return 0;
}

static int
setup_lists(void **state)
{
	*state = made("lists", "dev=" ENGINE ",min_len=2048");
	return 0;
}

static int
setup_halts(void **state)
{
	*state = made("halts", "dev=" ENGINE ",min_len=2048");
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	free(f);
	assert_int_equal(rte_vdev_uninit(DEVICE), 0);
	assert_int_equal(rte_vdev_uninit(ENGINE), 0);
	assert_int_equal(rte_dma_count_avail(), 0);
	return 0;
}

/* Copy from slot to slot i. */
static int
copy(struct fixture *f, int i, uint32_t length, uint64_t flags)
{
	return rte_dma_copy(f->dev, 0, (rte_iova_t)from[i], (rte_iova_t)to[i], length, flags);
}

static void
assert_copied(int i, uint32_t length)
{
	assert_memory_equal(to[i], from[i], length);
	assert_int_equal(to[i][length], 0);
}

/* How many jobs are reported, and that the last one has this index. */
static unsigned int
completed(struct fixture *f, uint16_t last)
{
	uint16_t index;
	bool error;
	uint16_t n = rte_dma_completed(f->dev, 0, DESCRIPTORS, &index, &error);

	assert_false(error);
	assert_int_equal(index, last);
	return n;
}

static unsigned int
step(struct fixture *f, unsigned int n)
{
	return scripted_step(f->engine, 0, n);
}

static struct dma_adaptive_stats
stats(struct fixture *f)
{
	struct dma_adaptive_stats s;

	assert_int_equal(dma_adaptive_stats(f->dev, 0, &s), 0);
	return s;
}

/* The CPU's are done at once, whoever copies, completions keep the order. */
static void
order(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(copy(f, 0, LONG, 0), 0);
	assert_int_equal(copy(f, 1, SHORT, 0), 1);
	assert_copied(1, SHORT);
	assert_int_equal(copy(f, 2, LONG, 0), 2);
	assert_int_equal(copy(f, 3, SHORT, 0), 3);
	assert_int_equal(completed(f, UINT16_MAX), 0);
	assert_int_equal(rte_dma_submit(f->dev, 0), 0);
	assert_int_equal(completed(f, UINT16_MAX), 0);
	assert_int_equal(step(f, 1), 1);
	assert_int_equal(completed(f, 1), 2);
	assert_copied(0, LONG);
	assert_int_equal(completed(f, 1), 0);
	assert_int_equal(step(f, 1), 1);
	assert_int_equal(completed(f, 3), 2);
	assert_copied(2, LONG);
	assert_int_equal(stats(f).cpu_copies, 2);
	assert_int_equal(stats(f).cpu_bytes, 2 * SHORT);
	assert_int_equal(stats(f).dma_copies, 2);
	assert_int_equal(stats(f).dma_bytes, 2 * LONG);
}

/* Whatever is done is told, in as many calls as the program likes. */
static void
in_parts(void **state)
{
	struct fixture *f = *state;
	uint16_t last;
	bool error;

	for (int i = 0; i < 10; i++)
		assert_int_equal(copy(f, i, i % 2 == 0 ? LONG : SHORT, 0), i);
	rte_dma_submit(f->dev, 0);
	step(f, 3);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(rte_dma_completed(f->dev, 0, 1, &last, &error), 1);
		assert_int_equal(last, i);
	}
	assert_int_equal(rte_dma_completed(f->dev, 0, 1, &last, &error), 0);
	assert_int_equal(last, 5);
	step(f, 2);
	assert_int_equal(completed(f, 9), 4);
}

static void
length(void **state)
{
	struct fixture *f = *state;

	copy(f, 0, MIN_LEN - 1, 0);
	assert_int_equal(stats(f).cpu_copies, 1);
	copy(f, 1, MIN_LEN, 0);
	assert_int_equal(stats(f).dma_copies, 1);
	/* at any time, with copies on their way */
	assert_int_equal(dma_adaptive_set_min_len(f->dev, 0, (struct dma_min_len){ 0, 0 }), 0);
	copy(f, 2, 1, 0);
	assert_int_equal(stats(f).dma_copies, 2);
	assert_int_equal(dma_adaptive_set_min_len(f->dev, 0,
				 (struct dma_min_len){ UINT32_MAX, UINT32_MAX }),
		0);
	copy(f, 3, SLOT, 0);
	assert_int_equal(stats(f).cpu_copies, 2);
	rte_dma_submit(f->dev, 0);
	step(f, 2);
	assert_int_equal(completed(f, 3), 4);
	assert_memory_equal(to[3], from[3], SLOT);
	assert_copied(2, 1);
}

/* No doorbell without work; a short copy's flag rings for the long ones before it. */
static void
doorbell(void **state)
{
	struct fixture *f = *state;
	const struct scripted_vchan *v = &f->engine->vchan[0];

	copy(f, 0, SHORT, SUBMIT);
	rte_dma_submit(f->dev, 0);
	assert_int_equal(v->doorbells, 0);
	copy(f, 1, LONG, 0);
	assert_int_equal(v->doorbells, 0);
	copy(f, 2, SHORT, SUBMIT);
	assert_int_equal(v->doorbells, 1);
	assert_int_equal(v->submitted, 1);
	rte_dma_submit(f->dev, 0);
	assert_int_equal(v->doorbells, 1);
	copy(f, 3, LONG, SUBMIT);
	rte_dma_submit(f->dev, 0);
	assert_int_equal(v->doorbells, 2);
	step(f, 2);
	assert_int_equal(completed(f, 3), 4);
}

/* A short copy behind a fence reads what the long one before it wrote. */
static void
fence(void **state)
{
	struct fixture *f = *state;
	const struct scripted_vchan *v = &f->engine->vchan[0];

	copy(f, 0, LONG, 0);
	assert_int_equal(rte_dma_copy(f->dev, 0, (rte_iova_t)to[0], (rte_iova_t)to[1], SHORT,
				 FENCE),
		1);
	assert_int_equal(v->fences, 1);
	assert_int_equal(stats(f).fenced, 1);
	/* it may not overtake: on the engine it would not be before the fence either */
	rte_dma_copy(f->dev, 0, (rte_iova_t)from[2], (rte_iova_t)to[0], SHORT, SUBMIT);
	assert_int_equal(stats(f).cpu_copies, 0);
	step(f, 3);
	assert_int_equal(completed(f, 2), 3);
	assert_memory_equal(to[1], from[0], SHORT);
	assert_memory_equal(to[0], from[2], SHORT);
	/* behind the fence, and nothing in the engine: the CPU's, and nothing to wait for */
	copy(f, 3, SHORT, FENCE);
	assert_copied(3, SHORT);
	copy(f, 4, LONG, FENCE | SUBMIT);
	assert_int_equal(v->fences, 1);
	step(f, 1);
	assert_int_equal(completed(f, 4), 2);
	/* without one it overtakes */
	copy(f, 5, LONG, SUBMIT);
	copy(f, 6, SHORT, 0);
	assert_copied(6, SHORT);
	step(f, 1);
	assert_int_equal(completed(f, 6), 2);
}

/* The fence that is over holds nobody back, even while later copies are on their way. */
static void
fence_over(void **state)
{
	struct fixture *f = *state;

	copy(f, 0, LONG, 0);
	copy(f, 1, LONG, FENCE);
	copy(f, 2, LONG, SUBMIT);
	step(f, 2);
	copy(f, 3, SHORT, 0);
	assert_int_equal(stats(f).fenced, 1); /* nobody has asked the engine yet */
	assert_int_equal(completed(f, 1), 2);
	copy(f, 4, SHORT, SUBMIT);
	assert_int_equal(stats(f).cpu_copies, 1);
	step(f, 2);
	assert_int_equal(completed(f, 4), 3);
}

static void
full(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rte_dma_burst_capacity(f->dev, 0), ROOM);
	for (int i = 0; i < ROOM; i++) {
		assert_int_equal(copy(f, i, i % 3 == 0 ? LONG : SHORT, 0), i);
		assert_int_equal(rte_dma_burst_capacity(f->dev, 0), ROOM - 1 - i);
	}
	assert_int_equal(copy(f, ROOM, SHORT, 0), -ENOSPC);
	assert_int_equal(copy(f, ROOM, LONG, 0), -ENOSPC);
	assert_int_equal(stats(f).full, 2);
	rte_dma_submit(f->dev, 0);
	step(f, 1);
	assert_int_equal(copy(f, ROOM, SHORT, 0), -ENOSPC); /* nobody has asked */
	assert_int_equal(completed(f, 2), 3);
	assert_int_equal(rte_dma_burst_capacity(f->dev, 0), 3);
	assert_int_equal(copy(f, ROOM, SHORT, 0), ROOM);
	step(f, ROOM);
	assert_int_equal(completed(f, ROOM), ROOM - 2);
	assert_int_equal(rte_dma_burst_capacity(f->dev, 0), ROOM);
}

/* The engine's refusals are told as they are, and leave no job. */
static void
refused(void **state)
{
	struct fixture *f = *state;

	f->engine->refuse = ENOSPC;
	assert_int_equal(copy(f, 0, LONG, 0), -ENOSPC);
	f->engine->refuse = EIO;
	assert_int_equal(copy(f, 0, LONG, 0), -EIO);
	assert_int_equal(stats(f).full, 1);
	assert_int_equal(copy(f, 1, SHORT, 0), 0);
	f->engine->refuse = 0;
	assert_int_equal(copy(f, 0, LONG, SUBMIT), 1);
	step(f, 1);
	assert_int_equal(completed(f, 1), 2);
}

/* completed() stops before a job that failed, says so as often as it is asked, and goes on once
 * completed_status() told it. */
static void
failed(void **state)
{
	static const enum rte_dma_status_code want[] = { RTE_DMA_STATUS_INVALID_SRC_ADDR,
		RTE_DMA_STATUS_SUCCESSFUL, RTE_DMA_STATUS_SUCCESSFUL };
	struct fixture *f = *state;
	enum rte_dma_status_code status[8];
	uint16_t last;
	bool error;

	copy(f, 0, LONG, 0);
	copy(f, 1, SHORT, 0);
	assert_int_equal(rte_dma_copy(f->dev, 0, 0, (rte_iova_t)to[2], SHORT, 0), 2);
	copy(f, 3, SHORT, 0);
	copy(f, 4, LONG, SUBMIT);
	step(f, 3);
	for (int i = 0; i < 3; i++) {
		uint16_t n = rte_dma_completed(f->dev, 0, 8, &last, &error);

		assert_int_equal(n, i == 0 ? 2 : 0);
		assert_int_equal(last, 1);
		assert_true(error);
	}
	if (f->engine->halts) { /* it goes on when the device has asked for the status */
		step(f, 1);
		assert_int_equal(stats(f).errors, 1);
	}
	assert_int_equal(rte_dma_completed_status(f->dev, 0, 8, &last, status), 3);
	assert_int_equal(last, 4);
	assert_memory_equal(status, want, sizeof(want));
	assert_copied(4, LONG);
	assert_int_equal(stats(f).errors, 1);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, 8, &last, status), 0);
	/* and the next one as if nothing had been */
	copy(f, 5, SHORT, FENCE);
	assert_copied(5, SHORT);
	assert_int_equal(completed(f, 5), 1);
}

/* One status at a time, then completed() again. */
static void
failed_singly(void **state)
{
	struct fixture *f = *state;
	enum rte_dma_status_code status;
	uint16_t last;
	bool error;

	f->engine->fail_every = 2;
	for (int i = 0; i < 6; i++)
		copy(f, i, LONG, 0);
	rte_dma_submit(f->dev, 0);
	step(f, 6);
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
	assert_int_equal(completed(f, 5), 0);
	assert_int_equal(stats(f).errors, 3);
}

/* Behind a fence after a failure, a short copy is skipped as the engine skips it. */
static void
failed_fence(void **state)
{
	struct fixture *f = *state;
	enum rte_dma_status_code status[3];
	uint16_t last;

	rte_dma_copy(f->dev, 0, 0, (rte_iova_t)to[0], LONG, 0);
	copy(f, 1, SHORT, FENCE);
	copy(f, 2, SHORT, SUBMIT);
	step(f, 3);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, 3, &last, status), 3);
	assert_int_equal(status[0], RTE_DMA_STATUS_INVALID_SRC_ADDR);
	assert_int_equal(status[1], RTE_DMA_STATUS_NOT_ATTEMPTED);
	assert_int_equal(to[1][0], 0);
	/* the device knows that one failed, the program does not: whether it goes on is the engine's */
	rte_dma_copy(f->dev, 0, 0, (rte_iova_t)to[3], LONG, SUBMIT);
	step(f, 1);
	assert_int_equal(rte_dma_completed(f->dev, 0, 3, NULL, NULL), 0);
	copy(f, 4, SHORT, FENCE | SUBMIT);
	assert_int_equal(f->engine->vchan[0].fences, 2);
}

enum { PIECES = 3 };

/* 4 KB from three pieces to two, of other lengths, and an empty one. */
static int
copy_list(struct fixture *f, uint32_t each, uint64_t flags)
{
	struct rte_dma_sge src[PIECES + 1] = { { (rte_iova_t)from[0], each },
		{ (rte_iova_t)from[1], 0 }, { (rte_iova_t)from[2], each },
		{ (rte_iova_t)from[3], 2 * each } };
	struct rte_dma_sge dst[2] = { { (rte_iova_t)to[0], 3 * each },
		{ (rte_iova_t)to[1], each } };

	return rte_dma_copy_sg(f->dev, 0, src, dst, PIECES + 1, 2, flags);
}

static void
assert_list_copied(uint32_t each)
{
	assert_memory_equal(to[0], from[0], each);
	assert_memory_equal(to[0] + each, from[2], each);
	assert_memory_equal(to[0] + 2 * each, from[3], each);
	assert_memory_equal(to[1], from[3] + each, each);
	assert_int_equal(to[0][3 * each] + to[1][each], 0);
	memset(to, 0, sizeof(to));
}

/* An engine without lists gets pieces; the job is one, and done when all of them are. */
static void
list_split(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(copy_list(f, 100, 0), 0);
	assert_list_copied(100);
	assert_int_equal(dma_adaptive_set_min_len(f->dev, 0, (struct dma_min_len){ 0, 0 }), 0);
	assert_int_equal(copy_list(f, 1000, SUBMIT), 1);
	assert_int_equal(f->engine->vchan[0].doorbells, 1);
	assert_int_equal(copy(f, 10, SHORT, SUBMIT), 2);
	assert_int_equal(completed(f, 0), 1);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(completed(f, 0), 0);
		assert_int_equal(step(f, 1), 1);
	}
	assert_int_equal(completed(f, 1), 1);
	assert_list_copied(1000);
	step(f, 1);
	assert_int_equal(completed(f, 2), 1);
	/* short pieces by the CPU, long ones by the engine */
	assert_int_equal(dma_adaptive_set_min_len(f->dev, 0, (struct dma_min_len){ 500, 500 }), 0);
	{
		struct rte_dma_sge src = { (rte_iova_t)from[5], 1100 };
		struct rte_dma_sge dst[2] = { { (rte_iova_t)to[5], 1000 },
			{ (rte_iova_t)to[6], 100 } };

		assert_int_equal(rte_dma_copy_sg(f->dev, 0, &src, dst, 1, 2, SUBMIT), 3);
		assert_memory_equal(to[6], from[5] + 1000, 100);
		assert_int_equal(step(f, 9), 1);
		assert_int_equal(completed(f, 3), 1);
		assert_copied(5, 1000);
	}
}

static void
list_failed(void **state)
{
	struct fixture *f = *state;
	struct rte_dma_sge src[2] = { { (rte_iova_t)from[0], 100 }, { 0, 100 } };
	struct rte_dma_sge dst = { (rte_iova_t)to[0], 200 };
	enum rte_dma_status_code status[2];
	uint16_t last;

	assert_int_equal(rte_dma_copy_sg(f->dev, 0, src, &dst, 2, 1, SUBMIT), 0);
	copy(f, 1, SHORT, 0);
	step(f, 9);
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
	struct fixture *f = *state;
	struct rte_dma_info info;

	assert_int_equal(rte_dma_info_get(f->dev, &info), 0);
	assert_int_equal(info.max_sges, 64);
	for (int i = 0; i < ROOM - 4; i++)
		copy(f, i, LONG, 0);
	assert_int_equal(copy_list(f, 1000, 0), -ENOSPC);
	rte_dma_submit(f->dev, 0);
	step(f, 1);
	assert_int_equal(completed(f, 0), 1);
	step(f, ROOM);
	memset(to, 0, sizeof(to));
	assert_int_equal(copy_list(f, 1000, SUBMIT), ROOM - 4);
	step(f, ROOM);
	assert_int_equal(completed(f, ROOM - 4), ROOM - 4);
	assert_list_copied(1000);
}

/* With lists the engine gets the whole one, by its length. */
static void
list_whole(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(copy_list(f, 100, SUBMIT), 0);
	assert_list_copied(100);
	assert_int_equal(completed(f, 0), 1);
	assert_int_equal(copy_list(f, 1000, SUBMIT), 1);
	assert_int_equal(step(f, 9), 1);
	assert_int_equal(completed(f, 1), 1);
	assert_list_copied(1000);
	assert_int_equal(stats(f).dma_bytes, 4000);
}

static void
filled(void **state)
{
	static const uint8_t pattern[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct fixture *f = *state;
	uint64_t word;

	memcpy(&word, pattern, sizeof(word));
	assert_int_equal(rte_dma_fill(f->dev, 0, word, (rte_iova_t)to[0], 21, 0), 0);
	assert_int_equal(stats(f).cpu_bytes, 21);
	assert_int_equal(rte_dma_fill(f->dev, 0, word, (rte_iova_t)to[1], 3001, SUBMIT), 1);
	step(f, 1);
	assert_int_equal(completed(f, 1), 2);
	for (int i = 0; i < 3001; i++) {
		assert_int_equal(to[1][i], pattern[i % 8]);
		assert_int_equal(to[0][i], i < 21 ? pattern[i % 8] : 0);
	}
	assert_int_equal(to[1][3001], 0);
}

static void
wraps(void **state)
{
	struct fixture *f = *state;
	uint32_t job = 0, known = 0;

	f->engine->stepped = false;
	while (job < 3 * 65536) {
		for (int i = 0; i < 40; i++, job++)
			assert_int_equal(copy(f, i, job % 5 == 0 ? MIN_LEN : 1, 0), (uint16_t)job);
		rte_dma_submit(f->dev, 0);
		known += completed(f, (uint16_t)(job - 1));
		assert_int_equal(known, job);
	}
}

/* Stop waits for what was submitted; what was not is over, and the next start begins at 0. */
static void
stops(void **state)
{
	struct fixture *f = *state;
	enum rte_dma_status_code status[8];
	uint16_t last;

	f->engine->stepped = false; /* it goes on when it is asked */
	copy(f, 0, LONG, SUBMIT);
	copy(f, 1, SHORT, 0);
	copy(f, 2, LONG, 0);
	assert_int_equal(rte_dma_stop(f->dev), 0);
	assert_int_equal(f->engine->stops, 1);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, 8, &last, status), 3);
	assert_int_equal(status[0], RTE_DMA_STATUS_SUCCESSFUL);
	assert_int_equal(status[1], RTE_DMA_STATUS_SUCCESSFUL);
	assert_int_equal(status[2], RTE_DMA_STATUS_USER_ABORT);
	assert_copied(0, LONG);
	assert_int_equal(rte_dma_start(f->dev), 0);
	assert_int_equal(f->engine->starts, 2);
	assert_int_equal(copy(f, 3, SHORT, 0), 0);
	assert_int_equal(completed(f, 0), 1);
}

/* An engine that hangs does not hang the program. */
static void
stops_hung(void **state)
{
	struct fixture *f = *state;
	enum rte_dma_status_code status[8];
	uint16_t last;

	copy(f, 0, LONG, SUBMIT);
	copy(f, 1, SHORT, 0);
	assert_int_equal(rte_dma_stop(f->dev), 0);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, 8, &last, status), 2);
	assert_int_equal(status[0], RTE_DMA_STATUS_USER_ABORT);
	assert_int_equal(status[1], RTE_DMA_STATUS_SUCCESSFUL);
}

static void
counts(void **state)
{
	struct fixture *f = *state;
	struct rte_dma_stats s;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	f->engine->fail_every = 1;
	copy(f, 0, SHORT, 0);
	copy(f, 1, LONG, 0);
	assert_int_equal(rte_dma_stats_get(f->dev, 0, &s), 0);
	assert_int_equal(s.submitted, 0);
	rte_dma_submit(f->dev, 0);
	step(f, 1);
	assert_int_equal(rte_dma_completed(f->dev, 0, 9, NULL, NULL), 1);
	assert_int_equal(rte_dma_stats_get(f->dev, RTE_DMA_ALL_VCHAN, &s), 0);
	assert_int_equal(s.submitted, 2);
	assert_int_equal(s.completed, 2);
	assert_int_equal(s.errors, 1);
	rte_dma_dump(f->dev, file);
	fclose(file);
	assert_non_null(strstr(text, "engine: " ENGINE));
	assert_non_null(strstr(text, "min_len: 2048, min_len_nr: 3072"));
	assert_non_null(strstr(text, "cpu: 1 copies, 100 bytes"));
	assert_non_null(strstr(text, "dma: 1 copies, 3000 bytes, 0 for a fence"));
	assert_non_null(strstr(text, "far: 0, full: 0, errors: 1"));
	free(text);
	assert_int_equal(rte_dma_stats_reset(f->dev, RTE_DMA_ALL_VCHAN), 0);
	assert_int_equal(rte_dma_stats_get(f->dev, 0, &s), 0);
	assert_int_equal(s.submitted + s.completed + s.errors, 0);
}

static void
asked(void **state)
{
	struct fixture *f = *state;
	struct dma_min_len now;
	struct dma_adaptive_stats s;
	int16_t engine = device(ENGINE);
	struct rte_dma_info info;

	assert_true(dma_adaptive_is(f->dev));
	assert_false(dma_adaptive_is(engine));
	assert_false(dma_adaptive_is(-1));
	assert_int_equal(dma_adaptive_engine(f->dev), engine);
	assert_int_equal(dma_adaptive_engine(engine), -1);
	assert_int_equal(dma_adaptive_min_len(f->dev, 0, &now), 0);
	assert_int_equal(now.near, 2048);
	assert_int_equal(now.far, 3072);
	assert_int_equal(dma_adaptive_set_min_len(f->dev, 1, (struct dma_min_len){ 7, 5 }), 0);
	assert_int_equal(dma_adaptive_min_len(f->dev, 1, &now), 0);
	assert_int_equal(now.near, 7);
	assert_int_equal(now.far, 5);
	assert_int_equal(dma_adaptive_min_len(f->dev, 2, &now), -EINVAL);
	assert_int_equal(dma_adaptive_set_min_len(engine, 0, now), -ENODEV);
	assert_int_equal(dma_adaptive_stats(f->dev, 2, &s), -EINVAL);
	assert_int_equal(dma_adaptive_node_range(engine, 0, 1, 0), -ENODEV);
	assert_int_equal(dma_adaptive_node_range(f->dev, 4096, 0, 0), -EINVAL);
	assert_int_equal(rte_dma_info_get(f->dev, &info), 0);
	assert_int_equal(info.max_vchans, 2);
	assert_int_equal(info.dev_capa & (RTE_DMA_CAPA_SILENT | RTE_DMA_CAPA_MEM_TO_DEV), 0);
	assert_int_equal(info.dev_capa & RTE_DMA_CAPA_OPS_FILL, 0); /* the engine has none */
	assert_int_not_equal(info.dev_capa & RTE_DMA_CAPA_OPS_COPY_SG, 0);
}

/* Between the thresholds the nodes decide: of the lcore (0 here), the engine, both ends. */
static void
nodes(void **state)
{
	static const struct {
		int engine, src, dst;
		bool far;
	} rows[] = {
		{ 0, 0, 0, false },
		{ 0, 0, 1, true }, /* published as Min Remote */
		{ 0, 1, 1, true }, /* Max Remote */
		{ 1, 0, 0, true },
		{ 1, 1, 1, true }, /* the CPU is away */
		{ 0, -1, 0, false },
		{ 0, -1, -1, false },
		{ 0, 1, -1, true },
	};
	struct fixture *f = NULL;

	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		char arguments[64];
		uint64_t src = (uintptr_t)from, dst = (uintptr_t)to;

		snprintf(arguments, sizeof(arguments), "dev=" ENGINE ",min_len=2048,node=%d",
			rows[i].engine);
		f = made("", arguments);
		/* what is not known counts for nothing, also where there are two nodes */
		assert_int_equal(dma_adaptive_node_range(f->dev, 4096, 4096, 1), 0);
		assert_int_equal(dma_adaptive_node_range(f->dev, src, sizeof(from), rows[i].src),
			0);
		assert_int_equal(dma_adaptive_node_range(f->dev, dst, sizeof(to), rows[i].dst), 0);
		for (int k = 0; k < 2; k++) {
			copy(f, k, 2500, 0);
			assert_int_equal(stats(f).cpu_copies, rows[i].far ? k + 1 : 0);
		}
		assert_int_equal(stats(f).far_copies, rows[i].far ? 2 : 0);
		copy(f, 3, 3072, 0);
		copy(f, 4, 2047, 0);
		assert_int_equal(stats(f).cpu_copies, rows[i].far ? 3 : 1);
		teardown((void **)&f);
	}
}

/* As long as all is on one node, min_len_nr says nothing. */
static void
one_node(void **state)
{
	struct fixture *f = *state;

	copy(f, 0, 2500, 0);
	assert_int_equal(dma_adaptive_node_range(f->dev, (uintptr_t)from, sizeof(from), 0), 0);
	copy(f, 1, 2500, 0);
	assert_int_equal(stats(f).dma_copies, 2);
	assert_int_equal(dma_adaptive_node_range(f->dev, (uintptr_t)from, sizeof(from), 1), 0);
	copy(f, 2, 2500, 0);
	assert_int_equal(stats(f).cpu_copies, 1);
	assert_int_equal(dma_adaptive_node_range(f->dev, (uintptr_t)from, sizeof(from),
				 DMA_NODE_FORGET),
		0);
	copy(f, 3, 2500, 0);
	assert_int_equal(stats(f).dma_copies, 3);
	assert_int_equal(dma_adaptive_node_range(f->dev, (uintptr_t)from, sizeof(from),
				 DMA_NODE_KERNEL),
		0);
	copy(f, 4, 2500, 0);
	assert_int_equal(stats(f).dma_copies, 4);
}

/* The arguments are refused with a line that says the text. */
static void
assert_refused(const char *name, const char *arguments, const char *text)
{
	fflush(log_file);
	rewind(log_file);
	assert_int_not_equal(rte_vdev_init(name, arguments), 0);
	fflush(log_file);
	if (strstr(log_text, text) == NULL)
		fail_msg("%s: \"%s\" not in: %s", arguments, text, log_text);
}

static void
bad_arguments(void **state)
{
	static const struct {
		const char *arguments, *text;
	} rows[] = {
		{ "dev=nothing",
			"dma_adaptive1: dev=nothing: no such DMA device; there are: "
			"dma_scripted0 dma_adaptive0" },
		{ "", "dma_adaptive1: without dev=NAME; there are: dma_scripted0 dma_adaptive0" },
		{ "min_len=1", "dma_adaptive1: without dev=NAME" },
		{ "dev", "dev without a value" },
		{ "dev=", "dev without a value" },
		{ "dev=" ENGINE, "dev=" ENGINE ": in use by dma_adaptive0" },
		{ "dev=" ENGINE ",min_len=x", "min_len=x: want bytes, 0..4294967295" },
		{ "dev=" ENGINE ",min_len=-1", "min_len=-1: want bytes" },
		{ "dev=" ENGINE ",min_len=2k", "min_len=2k: want bytes" },
		{ "dev=" ENGINE ",min_len=4294967296", "min_len=4294967296: want bytes" },
		{ "dev=" ENGINE ",min_len_nr=1.5", "min_len_nr=1.5: want bytes" },
		{ "dev=" ENGINE ",min_len_nr=", "min_len_nr without a value" },
		{ "dev=" ENGINE ",node=64", "node=64: want a NUMA node, 0..63" },
		{ "dev=" ENGINE ",min_length=1", "no argument \"min_length\": want dev=NAME" },
		{ "dev=0123456789012345678901234567890123456789012345678901234567890123456789",
			"no DMA device has such a long name" },
	};

	for (size_t i = 0; i < RTE_DIM(rows); i++)
		assert_refused("dma_adaptive1", rows[i].arguments, rows[i].text);
	assert_int_equal(rte_dma_count_avail(), 2);
}

/* An engine that somebody else has, and one that went away. */
static void
engines(void **state)
{
	const struct rte_dma_conf conf = { .nb_vchans = 1 };
	struct fixture *f;

	assert_int_equal(rte_vdev_init("dma_scripted1", ""), 0);
	assert_int_equal(rte_dma_configure(device("dma_scripted1"), &conf), 0);
	assert_refused(DEVICE, "dev=dma_scripted1",
		"dev=dma_scripted1: in use: somebody has configured it");
	assert_int_equal(rte_vdev_uninit("dma_scripted1"), 0);

	f = made("", "dev=" ENGINE);
	copy(f, 0, SHORT, 0);
	assert_int_equal(rte_dma_stop(f->dev), 0);
	assert_int_equal(rte_vdev_uninit(ENGINE), 0);
	assert_int_not_equal(rte_dma_start(f->dev), 0);
	assert_int_not_equal(rte_dma_configure(f->dev, &conf), 0);
	assert_int_equal(rte_vdev_init("dma_scripted1", ""), 0); /* perhaps with its number */
	assert_int_not_equal(rte_dma_start(f->dev), 0);
	assert_int_equal(rte_vdev_uninit(DEVICE), 0);
	assert_int_equal(rte_vdev_uninit("dma_scripted1"), 0);
	free(f);
}

static void
not_set_up(void **state)
{
	const struct rte_dma_conf conf = { .nb_vchans = 2 };
	struct fixture *f = *state;

	assert_int_equal(rte_dma_stop(f->dev), 0);
	assert_int_equal(rte_dma_configure(f->dev, &conf), 0);
	assert_int_equal(rte_dma_start(f->dev), -EINVAL); /* vchan 1 */
}

static int
group_setup(void **state)
{
	static char *args[] = { "dma_adaptive_test", "--no-huge", "--no-shconf", "--no-pci", "-m",
		"64", "--no-telemetry", "--lcores=0", "--log-level=error" };

	assert_int_equal(rte_eal_init(RTE_DIM(args), args), RTE_DIM(args) - 1);
	log_file = open_memstream(&log_text, &log_size);
	assert_non_null(log_file);
	assert_int_equal(rte_openlog_stream(log_file), 0);
	return 0;
}

static int
group_teardown(void **state)
{
	rte_openlog_stream(NULL);
	fclose(log_file);
	free(log_text);
	return rte_eal_cleanup();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(order, setup, teardown),
		cmocka_unit_test_setup_teardown(in_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(length, setup, teardown),
		cmocka_unit_test_setup_teardown(doorbell, setup, teardown),
		cmocka_unit_test_setup_teardown(fence, setup, teardown),
		cmocka_unit_test_setup_teardown(fence_over, setup, teardown),
		cmocka_unit_test_setup_teardown(full, setup, teardown),
		cmocka_unit_test_setup_teardown(refused, setup, teardown),
		cmocka_unit_test_setup_teardown(failed, setup, teardown),
		{ "failed_halts", failed, setup_halts, teardown, NULL },
		cmocka_unit_test_setup_teardown(failed_singly, setup, teardown),
		cmocka_unit_test_setup_teardown(failed_fence, setup, teardown),
		cmocka_unit_test_setup_teardown(list_split, setup, teardown),
		cmocka_unit_test_setup_teardown(list_failed, setup, teardown),
		cmocka_unit_test_setup_teardown(list_full, setup, teardown),
		cmocka_unit_test_setup_teardown(list_whole, setup_lists, teardown),
		cmocka_unit_test_setup_teardown(filled, setup_lists, teardown),
		cmocka_unit_test_setup_teardown(wraps, setup, teardown),
		cmocka_unit_test_setup_teardown(stops, setup, teardown),
		cmocka_unit_test_setup_teardown(stops_hung, setup, teardown),
		cmocka_unit_test_setup_teardown(counts, setup, teardown),
		cmocka_unit_test_setup_teardown(asked, setup, teardown),
		cmocka_unit_test(nodes),
		cmocka_unit_test_setup_teardown(one_node, setup, teardown),
		cmocka_unit_test_setup_teardown(bad_arguments, setup, teardown),
		cmocka_unit_test(engines),
		cmocka_unit_test_setup_teardown(not_set_up, setup, teardown),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
