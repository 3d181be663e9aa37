/* Recommended engine, lcore and memory node of each queue: a pure function of the topology. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/dma/dma_topology.h"

struct err;
struct out;

/* Placement of one direction of a port's queue (one virtqueue). */
struct dma_place {
	uint16_t port, queue;
	bool tx;
	int engine;           /* index in the topology; -1: the CPU copies */
	unsigned int channel; /* of the engine */
	unsigned int lcore;
	int lcore_node, pool_node;
	bool remote; /* engine, lcore, memory and port are not all on one node */
	char reason[192];
};

struct dma_places {
	struct dma_place *place; /* ordered by port, then queue, receive before transmit */
	unsigned int n;
};

/*
 * Place all queues of all ports, first queue 0 of every port. Both directions of a queue share an
 * lcore and get one channel each. The costs are measurements on a Xeon 8180 with CBDMA, relative to
 * a copy's time and proportional to the distance: up to 66 % if engine and lcore are on different
 * nodes, up to 13 % each if the memory is remote from engine or lcore; 100 % for an lcore that
 * already has a queue. Returns 0, or -errno with e filled: EINVAL no lcores or no ports, ENOMEM.
 * Free with dma_place_free(). Thread: control.
 */
int dma_place_all(struct dma_places *p, const struct dma_topology *t, struct err *e);
void dma_place_free(struct dma_places *p);

/*
 * `show dma placement`: show one line per placement, and a warning for each remote one. JSON:
 * {"placement": [{"port", "queue", "engine", "channel", "lcore", ...}]}.
 */
void dma_place_show(struct out *o, const struct dma_topology *t, const struct dma_places *p);
