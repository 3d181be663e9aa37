/* dma_adaptive as a device: its arguments, its engine, stops, counts, thresholds by node. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/dma_fixture.h"
#include "fixtures/skip.h"
#include "fixtures/unit.h"

#include <rte_bus_vdev.h>
#include <rte_dmadev.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stop waits for what was submitted; what was not is over, and the next start begins at 0. */
TEST(stops)
{
	struct dma_fixture *f = *state;
	enum rte_dma_status_code status[8];
	uint16_t last;

	f->engine->stepped = false; /* it goes on when it is asked */
	dma_fixture_copy(f, 0, LONG, SUBMIT);
	dma_fixture_copy(f, 1, SHORT, 0);
	dma_fixture_copy(f, 2, LONG, 0);
	assert_int_equal(rte_dma_stop(f->dev), 0);
	assert_int_equal(f->engine->stops, 1);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, 8, &last, status), 3);
	assert_int_equal(status[0], RTE_DMA_STATUS_SUCCESSFUL);
	assert_int_equal(status[1], RTE_DMA_STATUS_SUCCESSFUL);
	assert_int_equal(status[2], RTE_DMA_STATUS_USER_ABORT);
	dma_fixture_copied(0, LONG);
	assert_int_equal(rte_dma_start(f->dev), 0);
	assert_int_equal(f->engine->starts, 2);
	assert_int_equal(dma_fixture_copy(f, 3, SHORT, SUBMIT), 0);
	assert_int_equal(dma_fixture_completed(f, 0), 1);
}

/* An engine that hangs does not hang the program. */
TEST(stops_hung)
{
	struct dma_fixture *f = *state;
	enum rte_dma_status_code status[8];
	uint16_t last;

	dma_fixture_copy(f, 0, LONG, SUBMIT);
	dma_fixture_copy(f, 1, SHORT, 0);
	assert_int_equal(rte_dma_stop(f->dev), 0);
	assert_int_equal(rte_dma_completed_status(f->dev, 0, 8, &last, status), 2);
	assert_int_equal(status[0], RTE_DMA_STATUS_USER_ABORT);
	assert_int_equal(status[1], RTE_DMA_STATUS_SUCCESSFUL);
}

TEST(counts)
{
	struct dma_fixture *f = *state;
	struct rte_dma_stats s;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	f->engine->fail_every = 1;
	dma_fixture_copy(f, 0, SHORT, 0);
	dma_fixture_copy(f, 1, LONG, 0);
	assert_int_equal(rte_dma_stats_get(f->dev, 0, &s), 0);
	assert_int_equal(s.submitted, 0);
	rte_dma_submit(f->dev, 0);
	dma_fixture_step(f, 1);
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

TEST(asked)
{
	struct dma_fixture *f = *state;
	struct dma_min_len now;
	struct dma_adaptive_stats s;
	int16_t engine = dma_fixture_device(ENGINE);
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
TEST(nodes)
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
	struct rte_dma_info info;
	struct dma_fixture *f;

	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		char arguments[64];
		uint64_t src = (uintptr_t)dma_fixture_from, dst = (uintptr_t)dma_fixture_to;

		dma_fixture_teardown(state);
		snprintf(arguments, sizeof(arguments), "min_len=2048,node=%d", rows[i].engine);
		*state = f = dma_fixture_made("", arguments);
		assert_int_equal(rte_dma_info_get(f->dev, &info), 0);
		assert_int_equal(info.numa_node, rows[i].engine);
		/* what is not known counts for nothing, also where there are two nodes */
		assert_int_equal(dma_adaptive_node_range(f->dev, 4096, 4096, 1), 0);
		assert_int_equal(dma_adaptive_node_range(f->dev, src, sizeof(dma_fixture_from),
					 rows[i].src),
			0);
		assert_int_equal(dma_adaptive_node_range(f->dev, dst, sizeof(dma_fixture_to),
					 rows[i].dst),
			0);
		for (int k = 0; k < 2; k++) {
			dma_fixture_copy(f, k, 2500, 0);
			assert_int_equal(dma_fixture_stats(f).cpu_copies, rows[i].far ? k + 1 : 0);
		}
		assert_int_equal(dma_fixture_stats(f).far_copies, rows[i].far ? 2 : 0);
		dma_fixture_copy(f, 3, 3072, 0);
		dma_fixture_copy(f, 4, 2047, 0);
		assert_int_equal(dma_fixture_stats(f).cpu_copies, rows[i].far ? 3 : 1);
		/* Exactly min_len is long on one node. */
		dma_fixture_copy(f, 5, 2048, 0);
		assert_int_equal(dma_fixture_stats(f).cpu_copies, rows[i].far ? 4 : 1);
	}
}

/* As long as all is on one node, min_len_nr says nothing. */
TEST(one_node)
{
	struct dma_fixture *f = *state;

	dma_fixture_copy(f, 0, 2500, 0);
	assert_int_equal(dma_adaptive_node_range(f->dev, (uintptr_t)dma_fixture_from,
				 sizeof(dma_fixture_from), 0),
		0);
	dma_fixture_copy(f, 1, 2500, 0);
	assert_int_equal(dma_fixture_stats(f).dma_copies, 2);
	assert_int_equal(dma_adaptive_node_range(f->dev, (uintptr_t)dma_fixture_from,
				 sizeof(dma_fixture_from), 1),
		0);
	dma_fixture_copy(f, 2, 2500, 0);
	assert_int_equal(dma_fixture_stats(f).cpu_copies, 1);
	assert_int_equal(dma_adaptive_node_range(f->dev, (uintptr_t)dma_fixture_from,
				 sizeof(dma_fixture_from), DMA_NODE_FORGET),
		0);
	dma_fixture_copy(f, 3, 2500, 0);
	assert_int_equal(dma_fixture_stats(f).dma_copies, 3);
}

/* The kernel says on which node a buffer lies: on that of the others here. */
TEST(node_of_kernel)
{
	struct dma_fixture *f = *state;
	int ret = dma_adaptive_node_range(f->dev, (uintptr_t)dma_fixture_from,
		sizeof(dma_fixture_from), DMA_NODE_KERNEL);

	if (ret == -ENOSYS || ret == -EPERM)
		skip_because("no move_pages(2) here");
	assert_int_equal(ret, 0);
	dma_fixture_copy(f, 0, 2500, 0);
	assert_int_equal(dma_fixture_stats(f).dma_copies, 1);
}

TEST(bad_arguments)
{
	static const struct {
		const char *arguments, *text;
	} rows[] = {
		{ "dev=nothing",
			"dma_adaptive1: dev=nothing: no such DMA device; DMA devices: "
			"dma_scripted0 dma_adaptive0" },
		{ "", "dma_adaptive1: dev=NAME is missing; DMA devices: dma_scripted0 dma_adaptive0" },
		{ "min_len=1", "dma_adaptive1: dev=NAME is missing" },
		{ "dev", "dev without a value" },
		{ "dev=", "dev without a value" },
		{ "dev=" ENGINE, "dev=" ENGINE ": in use by dma_adaptive0" },
		{ "dev=" ENGINE ",min_len=x", "min_len=x: expected 0..4294967295 bytes" },
		{ "dev=" ENGINE ",min_len=-1", "min_len=-1: expected 0..4294967295 bytes" },
		{ "dev=" ENGINE ",min_len=2k", "min_len=2k: expected 0..4294967295 bytes" },
		{ "dev=" ENGINE ",min_len=4294967296",
			"min_len=4294967296: expected 0..4294967295 bytes" },
		{ "dev=" ENGINE ",min_len_nr=1.5", "min_len_nr=1.5: expected 0..4294967295 bytes" },
		{ "dev=" ENGINE ",min_len_nr=", "min_len_nr without a value" },
		{ "dev=" ENGINE ",node=64", "node=64: expected a NUMA node, 0..63" },
		{ "dev=" ENGINE ",min_length=1",
			"unknown argument \"min_length\": expected dev=NAME" },
		{ "dev=0123456789012345678901234567890123456789012345678901234567890123456789",
			"too long for the name of a DMA device" },
	};

	for (size_t i = 0; i < RTE_DIM(rows); i++)
		dma_fixture_refused("dma_adaptive1", rows[i].arguments, rows[i].text);
	assert_int_equal(rte_dma_count_avail(), 2);
}

/* An engine that somebody else has, and one that went away. */
TEST(engines)
{
	const struct rte_dma_conf conf = { .nb_vchans = 1 };
	struct dma_fixture *f;

	dma_fixture_teardown(state);
	assert_int_equal(rte_vdev_init("dma_scripted1", ""), 0);
	assert_int_equal(rte_dma_configure(dma_fixture_device("dma_scripted1"), &conf), 0);
	dma_fixture_refused(DEVICE, "dev=dma_scripted1",
		"dev=dma_scripted1: in use: it is already configured");
	assert_int_equal(rte_vdev_uninit("dma_scripted1"), 0);

	f = dma_fixture_made("", "min_len=2048");
	dma_fixture_copy(f, 0, SHORT, 0);
	/* It is not removed while it is in use. */
	assert_int_equal(rte_vdev_uninit(DEVICE), -EBUSY);
	assert_int_equal(dma_fixture_copy(f, 1, SHORT, 0), 1);
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

TEST(not_set_up)
{
	const struct rte_dma_conf conf = { .nb_vchans = 2 };
	struct dma_fixture *f = *state;

	assert_int_equal(rte_dma_stop(f->dev), 0);
	assert_int_equal(rte_dma_configure(f->dev, &conf), 0);
	assert_int_equal(rte_dma_start(f->dev), -EINVAL); /* vchan 1 */
}

TESTS(.setup = dma_fixture_begin, .teardown = dma_fixture_end, .before = dma_fixture_setup,
	.after = dma_fixture_teardown);
