/* The queues of vhost ports with dmas=auto: their counters and their channels. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/dma/dma_topology.h"

#include <stdbool.h>
#include <stdint.h>

struct text;

enum { GUEST_RX, GUEST_TX, GUEST_WAYS };

struct dma_channel {
	int16_t dma; /* -1: the CPU */
	uint16_t vchan;
};

/* One direction of a queue. */
struct guest_way {
	bool engines; /* may have a channel */
	bool leaving; /* its channel, once copies in flight are complete */
	uint64_t packets, bytes, in_flight;
	struct dma_load load; /* of the last period that had any */
	unsigned int stuck;   /* periods in which its channel completed none of its copies */
	struct dma_channel at, to;
};

struct guest_queue {
	uint16_t port, queue;
	uint16_t room; /* bytes of an mbuf, at most one copy */
	struct guest_way way[GUEST_WAYS];
};

struct guest_queues {
	struct guest_queue *queue;
	unsigned int n;
	uint64_t tsc; /* when they were read */
};

/* One direction of a queue in messages: port 1 queue 0 tx. */
#define GUEST_WAY "port %u queue %u %s"
#define GUEST_WAY_OF(q, i) (q)->port, (q)->queue, (i) == GUEST_TX ? "tx" : "rx"

/*
 * Read all queues into *to; free them with dma_guests_free(), also after an error. Returns false
 * without memory. Thread: control, or any that holds ports.reading.
 */
bool dma_guests_read(struct guest_queues *to);
void dma_guests_free(struct guest_queues *qs);

/* Return whether both are the CPU or the same channel. */
bool dma_guests_same(struct dma_channel a, struct dma_channel b);

/* Return whether a channel has no copies to make. */
bool dma_guests_idle(struct dma_channel c);

/* Return the direction that has a channel, or with to, that gets it; NULL: none. */
struct guest_way *dma_guests_owner(struct guest_queues *qs, struct dma_channel c, bool to);

/*
 * Add the queues that have channels of a DMA device: "port 1 queue 0 tx, ...". Sets to->cut without
 * memory: some queues may be missing. Thread: as for dma_guests_read().
 */
void dma_guests_add(struct text *to, int16_t dma);
