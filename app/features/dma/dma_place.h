/* The assignment of lcores, DMA channels and memory to queues at the least cost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/dma/dma_cost.h"

struct err;

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

/*
 * Place n queues. present: the placement to begin with, of the same queues, which is kept if nothing is
 * cheaper; NULL: queues are placed one by one, the largest load first. Then they are placed anew, one
 * at a time, two at a time and at last together, as long as that gets cheaper. A limited number of places is tried, which is enough
 * to find the least cost for a few queues. Returns 0, or -errno with e filled: those of
 * dma_topology_check(); ENOMEM. Free with dma_place_free().
 */
int dma_place_all(struct dma_places *p, const struct dma_topology *t, const struct dma_queue *queue,
	unsigned int n, const struct dma_places *present, struct err *e);
void dma_place_free(struct dma_places *p);

/* The cost of a placement of queues, which may have other loads than when they were placed. */
double dma_place_cost(const struct dma_topology *t, const struct dma_queue *queue,
	const struct dma_places *p);
