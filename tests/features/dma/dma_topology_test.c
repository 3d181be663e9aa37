/* Topologies from files: what lines say, and each bad line told of by its number. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_topology.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct dma_topology t;
static char path[] = "/tmp/dma_topology_XXXXXX";

static int
load(const char *text, struct err *e)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	err_clear(e);
	return dma_topology_load(&t, path, e);
}

TEST(all)
{
	struct err e;

	(void)state;
	assert_int_equal(load("# two sockets\n"
			      "node 0 memory 32768\n"
			      "node 1\n"
			      "\n"
			      "distance 0 1 32   # by way of UPI\n"
			      "lcores 1-3,8 node 0\n"
			      "lcores 5\n"
			      "engine dma_adaptive0 node 1 channels 4 used 1 speed 8000 busy 25\n"
			      "engine dsa\tchannels 2\n"
			      "port 0 node 1 queues 2 load 500 length 1500\n"
			      "port 3",
				 &e),
		0);
	assert_true(t.node[0].there && t.node[1].there && !t.node[2].there);
	assert_int_equal(t.node[0].memory_mib, 32768);
	assert_true(t.node[1].memory_mib == UINT64_MAX);
	assert_int_equal(dma_topology_distance(&t, 0, 1), 32);
	assert_int_equal(dma_topology_distance(&t, 1, 0), 32);
	assert_int_equal(dma_topology_distance(&t, 1, 1), 10);
	assert_int_equal(dma_topology_distance(&t, DMA_NODE_ANY, 1), 10);
	assert_int_equal(t.n_lcores, 5);
	assert_int_equal(t.lcore[3].id, 8);
	assert_int_equal(t.lcore[3].node, 0);
	assert_int_equal(t.lcore[4].node, DMA_NODE_ANY);
	assert_int_equal(t.n_engines, 2);
	assert_string_equal(t.engine[0].name, "dma_adaptive0");
	assert_int_equal(t.engine[0].node, 1);
	assert_int_equal(t.engine[0].channels, 4);
	assert_int_equal(t.engine[0].used, 1);
	assert_int_equal(t.engine[0].speed, 8000);
	assert_int_equal(t.engine[0].busy, 25);
	assert_int_equal(t.engine[1].node, DMA_NODE_ANY);
	assert_int_equal(t.engine[1].speed, 0);
	assert_int_equal(t.engine[1].busy, 0);
	assert_int_equal(t.n_ports, 2);
	assert_int_equal(t.port[0].queues, 2);
	assert_int_equal(t.port[1].id, 3);
	assert_true(t.port[0].load.bytes == 500e6 && t.port[0].load.length == 1500);
	assert_int_equal(t.port[1].queues, 1);
	assert_true(t.port[1].load.bytes == DMA_LOAD_MEGABYTES * 1e6 &&
		t.port[1].load.length == DMA_LOAD_LENGTH);
}

/* Two nodes whose distance nobody told are twice as far as one. */
TEST(untold)
{
	struct err e;

	(void)state;
	assert_int_equal(load("node 0\nnode 1\n", &e), 0);
	assert_int_equal(dma_topology_distance(&t, 0, 1), 20);
}

/* A flat table. */
TEST(bad)
{
	static const struct {
		const char *text, *want; /* behind the file's name; the begin of it */
	} rows[] = {
		{ "node 0\nnod 1\n",
			":2: column 1: unknown keyword \"nod\"; did you mean \"node\"? Expected node, distance, lcores, engine or port" },
		{ "node\n", ":1: column 5: incomplete command: expected a number 0.." },
		{ "node x\n", ":1: column 6: unexpected argument \"x\": expected a number 0.." },
		{ "node 99\n", ":1: column 6: 99 is too large: expected a number 0.." },
		{ "node 0\nnode 0\n", ":2: node 0 is defined twice" },
		{ "node 0 memory\n",
			":1: column 14: incomplete command: expected a number 0..4294967295" },
		{ "node 0 memory many\n",
			":1: column 15: unexpected argument \"many\": expected a number 0..4294967295" },
		{ "node 0 colour 1\n",
			":1: column 8: unknown keyword \"colour\": expected memory" },
		{ "node 0 node 0\n", ":1: column 8: unknown keyword \"node\": expected memory" },
		{ "node 0\nnode 1\ndistance 0 1\n",
			":3: column 13: incomplete command: expected a number 10..255" },
		{ "node 0\ndistance 0 0 10 5\n", ":2: column 17: unexpected argument \"5\"" },
		{ "distance 0 1 20\n",
			":1: unknown node 0: add a line \"node 0\" before this one" },
		{ "node 0\nnode 1\ndistance 0 1 9\n",
			":3: column 14: 9 is too small: expected a number 10..255" },
		{ "node 0\nnode 1\ndistance 0 1 0\n",
			":3: column 14: 0 is too small: expected a number 10..255" },
		{ "node 0\ndistance 0 0 20\n",
			":2: column 14: 20 is too large: expected a number 10..10" },
		{ "node 0\nnode 1\ndistance 0 1 20\ndistance 1 0 30\n",
			":4: distance 1 0 is defined twice" },
		{ "lcores 1-\n",
			":1: column 8: lcores \"1-\": expected numbers and ranges such as 0,2-4" },
		{ "lcores 1,1\n", ":1: lcore 1 is defined twice" },
		{ "lcores 1 node 0\n",
			":1: unknown node 0: add a line \"node 0\" before this one" },
		{ "engine a\nengine a\n", ":2: engine a is defined twice" },
		{ "engine a used 2\n", ":1: used 2: exceeds channels 1" },
		{ "engine a channels -1\n",
			":1: column 19: unexpected argument \"-1\": expected a number 0..65535" },
		{ "engine a channels 99999999999\n",
			":1: column 19: 99999999999 is too large: expected a number 0..65535" },
		{ "engine a channels 65536\n",
			":1: column 19: 65536 is too large: expected a number 0..65535" },
		{ "engine a node 1\n",
			":1: unknown node 1: add a line \"node 1\" before this one" },
		{ "engine a speed 0\n",
			":1: column 16: 0 is too small: expected a number 1..4294967295" },
		{ "engine a busy 101\n",
			":1: column 15: 101 is too large: expected a number 0..100" },
		{ "port 0 load much\n",
			":1: column 13: unexpected argument \"much\": expected a number 0..4294967295" },
		{ "port 0 length 0\n",
			":1: column 15: 0 is too small: expected a number 1..4294967295" },
		{ "port 0 queues 0\n", ":1: column 15: 0 is too small: expected a number 1..1024" },
		{ "port 0\nport 0\n", ":2: port 0 is defined twice" },
		{ "port 0 1\n",
			":1: column 8: unexpected argument \"1\": expected queues, load, length or node" },
		{ "engine\n",
			":1: column 7: incomplete command: expected a name of at most 63 bytes" },
		{ "engine \"a b\n",
			":1: column 8: missing closing quote: expected a name of at most 63 bytes" },
	};
	char want[256];
	struct err e;

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(load(rows[i].text, &e) < 0);
		snprintf(want, sizeof(want), "%s%s", path, rows[i].want);
		if (strncmp(e.text, want, strlen(want)) != 0)
			fail_msg("%s: %s", rows[i].text, e.text);
	}
}

TEST(no_file)
{
	struct err e;

	(void)state;
	err_clear(&e);
	assert_true(dma_topology_load(&t, "/nowhere/topology", &e) < 0);
	assert_non_null(strstr(e.text, "/nowhere/topology"));
	assert_true(dma_topology_load(&t, "/tmp", &e) < 0);
}

/* A line that never ends, and bytes that are no text. */
TEST(odd)
{
	static char text[5000];
	struct err e;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	assert_true(load(text, &e) < 0);
	assert_non_null(strstr(e.text, ":1: more than 1022 bytes"));
	assert_true(load("\x01\xff\n", &e) < 0);
	assert_int_equal(load("", &e), 0);
}

static int
file_make(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int
file_remove(void **state)
{
	(void)state;
	return unlink(path);
}

TESTS(.setup = file_make, .teardown = file_remove);
