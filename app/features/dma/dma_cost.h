/* What a placement costs: the time of lcores, and the price of waiting; and when a gain matters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/dma/dma_topology.h"

/*
 * The cost of an assignment is the time of lcores, in lcores: 0.5 is half of an lcore's time. It is
 * the sum of
 *   - the lcore's time for each direction of each queue. A copy by the CPU takes its bytes over the
 *     CPU's speed. A copy by an engine takes the engine's time for a job, of any length. Both take
 *     longer if lcore, engine and memory are on different nodes, in proportion to DISTANCE / 10 - 1:
 *     66 % between lcore and engine, 13 % between memory and the one that copies or polls.
 *   - u^4 for each lcore and engine that is used for the part u of its time: 6 % of an lcore at half
 *     load, one lcore at full load, 5 lcores at one and a half. This is the price of waiting and of
 *     packets that are lost. The load that others put on an engine is not part of the cost, but
 *     makes further load dearer.
 */

/*
 * Figures of a machine that were neither measured nor are in the file. The CPU's and the engine's
 * speed: those of copies of 2048 bytes in cold memory, AMD EPYC, dma_skeleton (doc/vhost-dma.md,
 * "Copies alone": 102 Gbit/s and 89 Gbit/s, rounded to 10 GB/s).
 */
#define DMA_COST_CPU_BYTES 10e9 /* per second */
enum {
	DMA_COST_JOB_BYTES = 1536, /* break-even, published: between 1024 and 2048 bytes */
	DMA_COST_SPEED = 10000,    /* of an engine, megabytes per second */
};

enum { DMA_RX, DMA_TX, DMA_WAYS, DMA_BY_CPU = -1 };

/* A queue to place. Both directions have the same lcore, but each has its own channel. */
struct dma_queue {
	uint16_t port, queue;
	int node;
	int lcore;               /* its lcore, an index in the topology; -1: any */
	struct dma_load load[2]; /* receive, transmit */
};

/* Return all queues of the topology's ports with their loads, any lcore. NULL: no memory, or no queues.
 * The caller frees them. */
struct dma_queue *dma_cost_queues(const struct dma_topology *t, unsigned int *n);

/* What serves a queue: indices in the topology. */
struct dma_choice {
	int lcore, engine[DMA_WAYS];
};

/* The cost of the choices that were added so far. */
struct dma_cost {
	const struct dma_topology *t;
	double total;
	double lcore[RTE_MAX_LCORE], engine[DMA_ENGINES]; /* parts of their time in use */
	unsigned int channels[DMA_ENGINES];               /* free ones */
};

/* Begin without choices. */
void dma_cost_clear(struct dma_cost *c, const struct dma_topology *t);

/* Add the choice for a queue, or with sign = -1 take it away. */
void dma_cost_add(struct dma_cost *c, const struct dma_queue *q, const struct dma_choice *choice,
	int sign);

/* Return the node of an engine; DMA_BY_CPU has none. */
int dma_cost_engine_node(const struct dma_topology *t, int engine);

/*
 * Return the node with memory that is nearest to port, lcore and engine. Of several, it is present, or
 * else the port's. Without any memory it is the lcore's.
 */
int dma_cost_pool(const struct dma_topology *t, int port, int lcore, int engine, int present);

/* The time that the lcore needs for one copy of an engine, in seconds. */
double dma_cost_job(const struct dma_topology *t, int engine);
/* The bytes per second of a copy by the CPU, and by an engine. */
double dma_cost_cpu_speed(const struct dma_topology *t);
double dma_cost_speed(const struct dma_engine *engine);

/* A new placement has to be better for a while before it is adopted, since loads vary. */
struct dma_patience {
	unsigned int percent; /* lower cost, at least */
	unsigned int periods; /* number of periods in a row in which it has to be better */
	unsigned int seen;    /* periods so far */
};

/*
 * A difference of cost that does not matter, in lcores: 1 ms of an lcore in a period of a second, as
 * much as a move of streams may pause it (LONG_US in dma_auto_memory.c).
 */
#define DMA_COST_NOTHING 0.001

/* Compare two costs of this period. Returns true if the new placement is to be adopted; counting
 * then begins anew. */
bool dma_cost_adopt(struct dma_patience *p, double present, double proposed);
