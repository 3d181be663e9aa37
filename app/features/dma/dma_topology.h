/* Input of a placement: nodes, their distances, lcores, DMA engines and ports, of this machine or
 * from a file. */
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
	DMA_NODE_ANY = -1,     /* unknown node, treated as local to all */
	DMA_DISTANCE_OWN = 10, /* of a node to itself, as in /sys; unknown distances: twice that */
	DMA_LOAD_MEGABYTES = 1000, /* assumed load per second of a direction of a queue */
	DMA_LOAD_LENGTH = 2048,    /* assumed length of its copies */
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
	uint32_t speed;        /* of all channels together, megabytes per second; 0: unknown */
	uint32_t busy;         /* percent of its time used by others */
	uint32_t job_ns;       /* time of the lcore for a copy, of any length; 0: unknown */
	bool measured;         /* speed and job_ns, by dma_speeds_measure() */
};

/* Copies of one direction of a queue. */
struct dma_load {
	double bytes;  /* per second */
	double length; /* mean bytes of a copy */
};

struct dma_port {
	uint16_t id;
	int node; /* of the device or the guest's memory */
	unsigned int queues;
	struct dma_load load; /* of each direction of each queue */
};

struct dma_topology {
	struct dma_node node[DMA_NODES]; /* by node number */
	struct dma_lcore lcore[RTE_MAX_LCORE];
	unsigned int n_lcores;
	struct dma_engine engine[DMA_ENGINES];
	unsigned int n_engines;
	struct dma_port port[RTE_MAX_ETHPORTS];
	unsigned int n_ports;
	uint32_t cpu_speed; /* of copies by an lcore, megabytes per second; 0: unknown */
	bool cpu_measured;  /* cpu_speed, by dma_speeds_measure() */
};

/* The setting dma-topology: a file to use instead of this machine (here); and that of its users. */
#define DMA_TOPOLOGY_HERE "here"
extern const struct setting_table dma_topology_settings;

/*
 * Read a file of lines; # starts a comment. A node must be defined before it is used:
 *   node 0 [memory MIB]
 *   distance 0 1 21
 *   lcores 1-3,5 node 0
 *   cpu speed MEGABYTES
 *   engine NAME [node N] [channels N] [used N] [speed MEGABYTES] [busy PERCENT] [job NANOSECONDS]
 *   port 0 [node N] [queues N] [load MEGABYTES] [length BYTES]
 * Returns 0, or -errno with e filled, "FILE:LINE: ..."; then t is undefined. Thread: control, for
 * all of this file.
 */
int dma_topology_load(struct dma_topology *t, const char *path, struct err *e);

/*
 * Read the topology that the setting dma-topology selects. For this machine it has the worker
 * lcores, engines that no dma_adaptive device uses, and the vhost ports, or all ports if there are
 * no vhost ports. Errors: those of dma_topology_load().
 */
int dma_topology_read(struct dma_topology *t, const struct settings *settings, struct err *e);

/*
 * Refuse a topology without lcores or ports, or with nodes or engines that cannot exist. Returns 0, or
 * -EINVAL with e filled.
 */
int dma_topology_check(const struct dma_topology *t, struct err *e);

/* The distance of two nodes; DMA_DISTANCE_OWN if one is unknown. */
unsigned int dma_topology_distance(const struct dma_topology *t, int a, int b);
