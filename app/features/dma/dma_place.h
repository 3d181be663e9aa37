/* Recommended engine, lcore and memory node of each queue: a pure function of the topology. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_config.h>

#include <stdbool.h>
#include <stdint.h>

struct app;
struct args;
struct err;

enum {
	DMA_NODES = RTE_MAX_NUMA_NODES,
	DMA_ENGINES = 64,
	DMA_NAME_BYTES = 64,
	DMA_NODE_ANY = -1,     /* unknown node, treated as local to all */
	DMA_DISTANCE_OWN = 10, /* of a node to itself, as in /sys; unknown distances: twice that */
};

struct dma_node {
	bool there;
	uint64_t memory_mib;          /* free; UINT64_MAX: unknown */
	uint16_t distance[DMA_NODES]; /* to the others; 0: unknown */
};

struct dma_lcore {
	unsigned int id;
	int node;
};

struct dma_engine {
	char name[DMA_NAME_BYTES];
	int node;
	unsigned int channels; /* in total */
	unsigned int used;     /* of these in use by others */
};

struct dma_port {
	uint16_t id;
	int node; /* of the device or the guest's memory */
	unsigned int queues;
};

struct dma_topology {
	struct dma_node node[DMA_NODES]; /* by node number */
	struct dma_lcore lcore[RTE_MAX_LCORE];
	unsigned int n_lcores;
	struct dma_engine engine[DMA_ENGINES];
	unsigned int n_engines;
	struct dma_port port[RTE_MAX_ETHPORTS];
	unsigned int n_ports;
};

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
 * `show dma placement`: show one line per placement on this machine, and a warning for each remote
 * one. JSON: {"placement": [{"port", "queue", "engine", "channel", "lcore", ...}]}. Errors: those of
 * dma_place_all(). Thread: control.
 */
int dma_place_show(struct app *app, const struct args *a, struct err *e);
