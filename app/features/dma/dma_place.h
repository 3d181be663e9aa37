/* The assignment of lcores, DMA channels and memory to queues at the least cost: pure functions of
 * topology and load. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/dma/dma_topology.h"

struct err;

/*
 * The cost of an assignment is the time of lcores, in lcores: 0.5 is half of an lcore's time. It is
 * the sum of
 *   - the lcore's time for each direction of each queue. The CPU copies DMA_PLACE_CPU_BYTES per
 *     second. A copy by an engine takes the time of DMA_PLACE_JOB_BYTES of these, of any length.
 *     Both take longer if lcore, engine and memory are on different nodes, in proportion to
 *     DISTANCE / 10 - 1: 66 % between lcore and engine, 13 % between memory and the one that copies
 *     or polls. 66 % and 13 % are the largest effects published for CBDMA (doc/published.md).
 *   - u^4 for each lcore and engine that is used for the part u of its time: 6 % of an lcore at half
 *     load, one lcore at full load, 5 lcores at one and a half. This is the price of waiting and of
 *     packets that are lost. The load that others put on an engine is not part of the cost, but
 *     makes further load dearer.
 */
enum {
	DMA_PLACE_JOB_BYTES = 1536, /* break-even, published: between 1024 and 2048 bytes */
	DMA_PLACE_SPEED = 10000,    /* of an engine of unknown speed, megabytes per second */
};
#define DMA_PLACE_CPU_BYTES 10e9

/* A queue to place. Both directions have the same lcore, but each has its own channel. */
struct dma_queue {
	uint16_t port, queue;
	int node;
	int lcore;               /* its lcore, an index in the topology; -1: any */
	struct dma_load load[2]; /* receive, transmit */
};

/* Placement of one direction of a port's queue (one virtqueue). */
struct dma_place {
	uint16_t port, queue;
	bool tx;
	int engine;           /* index in the topology; -1: the CPU copies */
	unsigned int channel; /* of the engine */
	unsigned int lcore;   /* index in the topology */
	int pool_node;
};

struct dma_places {
	struct dma_place *place; /* in the order of the queues, receive before transmit */
	unsigned int n;
	double cost;
};

/* All queues of the topology's ports with their loads, any lcore. NULL: no memory, or no queues.
 * The caller frees them. */
struct dma_queue *dma_place_queues(const struct dma_topology *t, unsigned int *n);

/*
 * Place n queues. present: the placement to begin with, of the same queues, or NULL; it is kept if
 * nothing is cheaper. The search begins with queues placed one by one, the largest load first. It
 * places each queue and each pair of queues again until nothing gets cheaper, then tries all placements
 * of all queues that can be cheaper. It tries a limited number of places, which is enough to find the
 * least cost for a few queues. Returns 0, or -errno with e filled: those of dma_topology_check();
 * ENOMEM. Free with dma_place_free().
 */
int dma_place_all(struct dma_places *p, const struct dma_topology *t, const struct dma_queue *queue,
	unsigned int n, const struct dma_places *present, struct err *e);
void dma_place_free(struct dma_places *p);

/* The cost of a placement of queues, which may have other loads than when they were placed. */
double dma_place_cost(const struct dma_topology *t, const struct dma_queue *queue,
	const struct dma_places *p);

/* A new placement has to be better for a while before it is adopted, since loads vary. */
struct dma_patience {
	unsigned int percent; /* lower cost, at least */
	unsigned int periods; /* number of periods in a row in which it has to be better */
	unsigned int seen;    /* periods so far */
};

/* Differences of cost that do not matter, in lcores. */
#define DMA_PLACE_NOTHING 0.001

/* Compare two costs of this period. Returns true if the new placement is to be adopted; counting
 * then begins anew. */
bool dma_place_adopt(struct dma_patience *p, double present, double proposed);
