/* What a placement chooses from: nodes, their distances, lcores, DMA engines and ports; as they are
 * on this machine, or as a file tells. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"

#include <rte_config.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct settings;

enum {
	DMA_NODES = RTE_MAX_NUMA_NODES,
	DMA_ENGINES = 64,
	DMA_NAME_BYTES = 64,
	DMA_NODE_ANY = -1, /* a node that nobody knows: near to all */
	DMA_DISTANCE_OWN =
		10, /* of a node to itself, as in /sys; of two that nobody told, twice that */
};

struct dma_node {
	bool there;
	uint64_t memory_mib;          /* free; UINT64_MAX: not known */
	uint16_t distance[DMA_NODES]; /* to the others; 0: nobody told */
};

struct dma_lcore {
	unsigned int id;
	int node;
};

struct dma_engine {
	char name[DMA_NAME_BYTES];
	int node;
	unsigned int channels; /* there are */
	unsigned int used;     /* and so many are taken by others */
};

struct dma_port {
	uint16_t id;
	int node; /* of its device or its guest's memory */
	unsigned int queues;
};

struct dma_topology {
	struct dma_node node[DMA_NODES]; /* by number */
	struct dma_lcore lcore[RTE_MAX_LCORE];
	unsigned int n_lcores;
	struct dma_engine engine[DMA_ENGINES];
	unsigned int n_engines;
	struct dma_port port[RTE_MAX_ETHPORTS];
	unsigned int n_ports;
};

/* dma-topology: a file in place of this machine. */
extern const struct setting dma_topology_settings[];
extern const size_t dma_topology_settings_n;

/*
 * Read a file of lines, words behind # being remarks; what needs a node comes after it:
 *   node 0 [memory MIB]
 *   distance 0 1 21
 *   lcores 1-3,5 node 0
 *   engine NAME [node N] [channels N] [used N]
 *   port 0 [node N] [queues N]
 * 0, or -errno with e filled, "FILE:LINE: ...", and t is not to be used. Thread: control, all of
 * this file.
 */
int dma_topology_load(struct dma_topology *t, const char *path, struct err *e);

/*
 * As dma-topology says; here: workers among the lcores, engines that are not below another,
 * ports with guests, or all where there are none. Errors as above.
 */
int dma_topology_read(struct dma_topology *t, const struct settings *settings, struct err *e);

/* How far two nodes are from each other; DMA_DISTANCE_OWN where one is not known. */
unsigned int dma_topology_distance(const struct dma_topology *t, int a, int b);
