/* net_async_vhost, an ethdev over librte_vhost whose copies to and from a guest are the CPU's or a DMA
 * engine's, per virtqueue. What a program may ask and tell it beside ethdev. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/async_vhost/vhost_stats.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* A virtqueue: receive queue or transmit queue of the port. */
struct net_async_vhost_virtqueue {
	/* in force from the next poll on; the CPU's where a guest's ring cannot have the engine */
	enum net_async_vhost_copy copy;
	bool open;   /* a guest has it, and the port runs */
	int16_t dma; /* the engine; -1: none */
	uint16_t vchan;
	uint16_t descriptors; /* of the guest's ring, 0: there is none */
	struct net_async_vhost_stats stats;
};

/* The guest behind a port. */
struct net_async_vhost_guest {
	char path[PATH_MAX]; /* of the socket */
	bool client;         /* the port connects, else it listens */
	bool tso, ufo;       /* guests are offered them */
	bool connected;
	uint64_t features; /* VIRTIO_F_*, VIRTIO_NET_F_* that both have; 0: not connected */
	uint16_t virtqueues;
	uint64_t connects, disconnects; /* since the port came up */
};

/* Is the port one of these? Thread: any, all of this file. */
bool net_async_vhost_is(uint16_t port);

/* Who is behind the port now. 0, or -ENODEV: it is none of these. */
int net_async_vhost_guest(uint16_t port, struct net_async_vhost_guest *to);

/* The features that the guest has agreed to; 0: there is none. */
uint64_t net_async_vhost_features(uint16_t port);

/* cpu, dma or adaptive. */
const char *net_async_vhost_word(enum net_async_vhost_copy copy);

/* A queue that was set up. 0, or -ENODEV, -EINVAL: no such queue. */
int net_async_vhost_virtqueue(uint16_t port, uint16_t queue, bool rx,
	struct net_async_vhost_virtqueue *to);

/*
 * Who copies for a queue from now on; copies in flight end first. Both of its directions follow, as
 * far as they have an engine. 0; -ENODEV, -EINVAL: no such queue; -ENOTSUP: neither direction can:
 * no engine, or it does not decide by length.
 */
int net_async_vhost_set_copy(uint16_t port, uint16_t queue, enum net_async_vhost_copy copy);

/*
 * Leave a checksum that the guest wants made as it is, RTE_MBUF_F_RX_L4_CKSUM_NONE says so; else
 * the port makes it unless Rx offloads are on. 0, or -ENODEV, -EINVAL.
 */
int net_async_vhost_leave_csum(uint16_t port, uint16_t queue, bool leave);
