/* Topologies from files: what lines say, and the number of each bad line. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_topology.h"

#include "base/err.h"
#include "fixtures/cases.h"
#include "fixtures/made_files.h"
#include "fixtures/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct dma_topology t;

static size_t
node_print(int node, char *to, size_t size)
{
	return (size_t)(node == DMA_NODE_ANY ? snprintf(to, size, "\n")
					     : snprintf(to, size, " node %d\n", node));
}

static size_t
nodes_print(char *to, size_t size)
{
	size_t n = 0;

	for (int a = 0; a < DMA_NODES; a++) {
		if (!t.node[a].there)
			continue;
		n += (size_t)snprintf(to + n, size - n, "node %d", a);
		if (t.node[a].memory_mib != UINT64_MAX)
			n += (size_t)snprintf(to + n, size - n, " memory %" PRIu64,
				t.node[a].memory_mib);
		n += (size_t)snprintf(to + n, size - n, "\n");
		assert_int_equal(dma_topology_distance(&t, a, DMA_NODE_ANY), DMA_DISTANCE_OWN);
		for (int b = 0; b < a; b++)
			if (t.node[b].there) {
				assert_int_equal(dma_topology_distance(&t, b, a),
					dma_topology_distance(&t, a, b));
				n += (size_t)snprintf(to + n, size - n, "distance %d %d %u\n", b, a,
					dma_topology_distance(&t, b, a));
			}
	}
	return n;
}

/* A file, and the topology as a file that says all. */
static int
file_read(const char *text, char *to, size_t size, struct err *e)
{
	size_t n;

	if (dma_topology_load(&t, made_file("topology", text), e) != 0)
		return -e->code;
	n = nodes_print(to, size);
	for (unsigned int i = 0; i < t.n_lcores; i++) {
		n += (size_t)snprintf(to + n, size - n, "lcores %u", t.lcore[i].id);
		n += node_print(t.lcore[i].node, to + n, size - n);
	}
	for (unsigned int i = 0; i < t.n_engines; i++) {
		const struct dma_engine *g = &t.engine[i];

		n += (size_t)snprintf(to + n, size - n, "engine %s channels %u used %u busy %u",
			g->name, g->channels, g->used, g->busy);
		if (g->speed != 0)
			n += (size_t)snprintf(to + n, size - n, " speed %u", g->speed);
		n += node_print(g->node, to + n, size - n);
	}
	for (unsigned int i = 0; i < t.n_ports; i++) {
		const struct dma_port *p = &t.port[i];

		n += (size_t)snprintf(to + n, size - n, "port %u queues %u load %.0f length %.0f",
			p->id, p->queues, p->load.bytes / 1e6, p->load.length);
		n += node_print(p->node, to + n, size - n);
	}
	return 0;
}

CASES("features/dma/dma_topology", { "file", file_read, true })

/* The highest node, and the one above it. */
TEST(highest)
{
	char line[32], result[64], said[128];
	struct err e;

	err_clear(&e);
	snprintf(line, sizeof(line), "node %d\n", DMA_NODES - 1);
	assert_int_equal(file_read(line, result, sizeof(result), &e), 0);
	assert_string_equal(result, line);
	snprintf(line, sizeof(line), "node %d\n", DMA_NODES);
	assert_int_equal(file_read(line, result, sizeof(result), &e), -ERANGE);
	snprintf(said, sizeof(said), "%d is too large: expected a number 0..%d", DMA_NODES,
		DMA_NODES - 1);
	assert_non_null(strstr(e.text, said));
}

/* No file, a folder, a line that never ends, and bytes that are no text. */
TEST(odd)
{
	static char text[5000];
	char result[64];
	struct err e;

	err_clear(&e);
	assert_true(dma_topology_load(&t, "/nowhere/topology", &e) < 0);
	assert_non_null(strstr(e.text, "/nowhere/topology"));
	assert_true(dma_topology_load(&t, "/tmp", &e) < 0);
	memset(text, 'x', sizeof(text) - 1);
	assert_true(file_read(text, result, sizeof(result), &e) < 0);
	assert_non_null(strstr(e.text, ":1: more than 1022 bytes"));
	assert_true(file_read("\x01\xff\n", result, sizeof(result), &e) < 0);
}

TESTS(.setup = made_begin, .teardown = made_end);
