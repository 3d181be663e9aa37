/* Which engine, lcore and memory each queue gets: a pure function of the topology. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/dma/dma_topology.h"

struct err;
struct out;

/* Of one direction of one queue of one port, which is a virtqueue. */
struct dma_place {
	uint16_t port, queue;
	bool tx;
	int engine;           /* its number in the topology; -1: the CPU copies */
	unsigned int channel; /* of the engine */
	unsigned int lcore;
	int lcore_node, pool_node;
	bool remote; /* engine, lcore, memory and port are on several nodes */
	char reason[192];
};

struct dma_places {
	struct dma_place *place; /* in the order of ports, then queues; receive, then transmit */
	unsigned int n;
};

/*
 * Place all queues of all ports, the first ones of every port first; both directions of a queue have
 * one lcore, and a channel each. What counts is what was measured on Xeon 8180 with CBDMA, in parts of
 * a copy's time: an engine away from the lcore costs up to 66 %, memory away from the engine or the
 * lcore up to 13 % each, times the distance; an lcore that another queue has already costs 100 %.
 * 0, or -errno with e filled: EINVAL no lcores, no ports, ENOMEM. Free with dma_place_free(). Thread:
 * control.
 */
int dma_place_all(struct dma_places *p, const struct dma_topology *t, struct err *e);
void dma_place_free(struct dma_places *p);

/*
 * `show dma placement`: a line each, and a warning for each that is remote. JSON: {"placement":
 * [{"port", "queue", "engine", "channel", "lcore", ...}]}.
 */
void dma_place_show(struct out *o, const struct dma_topology *t, const struct dma_places *p);
