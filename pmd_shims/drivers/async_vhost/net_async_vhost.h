/* net_async_vhost: an ethdev over librte_vhost that copies to and from a guest by the CPU or by a
 * DMA device, per virtqueue. This is its interface beyond ethdev. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/async_vhost/vhost_queue.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* A virtqueue: a receive or transmit queue of the port. */
struct net_async_vhost_virtqueue {
	/* in force from the next poll on; NET_ASYNC_VHOST_CPU if the ring cannot use the device */
	enum net_async_vhost_copy copy;
	bool open;    /* a guest is connected and the port is started */
	bool movable; /* dmas=auto */
	bool engines; /* the library can use DMA devices for the ring */
	bool leaving; /* net_async_vhost_move() waits for copies in flight */
	bool lost;    /* dma was stopped because it did not complete its copies; the CPU copies */
	int16_t dma;  /* the DMA device; -1: none */
	uint16_t vchan;
	uint16_t descriptors; /* size of the guest's ring; 0: no ring */
	struct net_async_vhost_stats stats;
};

/* The guest of a port. */
struct net_async_vhost_guest {
	char path[PATH_MAX]; /* path of the socket */
	bool client;         /* true: the port connects; false: it listens */
	bool tso, ufo;       /* offered to guests */
	bool connected;
	uint64_t features; /* negotiated VIRTIO_F_* and VIRTIO_NET_F_*; 0: not connected */
	uint16_t virtqueues;
	uint64_t connects, disconnects; /* since the port was probed */
	int node;                       /* NUMA node of its rings; -1: unknown */
};

/* True if net_async_vhost is the port's driver. Thread: any, as for all functions of this file. */
bool net_async_vhost_is(uint16_t port);

/* Fill *to with the port's current guest. Returns 0, or -ENODEV: another driver's port. */
int net_async_vhost_guest(uint16_t port, struct net_async_vhost_guest *to);

/* The features negotiated with the guest; 0: no guest is connected. */
uint64_t net_async_vhost_features(uint16_t port);

/* The name of a copy mode: "cpu", "dma", "adaptive" or "auto". */
const char *net_async_vhost_word(enum net_async_vhost_copy copy);

/*
 * Fill *to with the state of a queue. Returns 0; -ENODEV: another driver's port; -EINVAL: the queue
 * does not exist or was not set up.
 */
int net_async_vhost_virtqueue(uint16_t port, uint16_t queue, bool rx,
	struct net_async_vhost_virtqueue *to);

/*
 * Set the copy mode of a queue, in each direction that supports it; copies in flight are completed
 * first. Returns 0; -ENODEV: another driver's port; -EINVAL: the queue does not exist or was not
 * set up; -ENOTSUP: neither direction has a DMA device that supports the mode.
 */
int net_async_vhost_set_copy(uint16_t port, uint16_t queue, enum net_async_vhost_copy copy);

/*
 * Leave incomplete checksums of a guest's packets to the application, marked by
 * RTE_MBUF_F_RX_L4_CKSUM_NONE. Otherwise the port completes them unless an Rx checksum offload is
 * on. Returns 0; -ENODEV: another driver's port; -EINVAL: the queue does not exist or was not set
 * up.
 */
int net_async_vhost_leave_csum(uint16_t port, uint16_t queue, bool leave);

/*
 * Start a DMA device with all its channels for queues of ports with dmas=auto. Returns 0; -EIO: it was
 * stopped because it did not complete its copies, and queues still have it; or the driver's error:
 * -EBUSY: it is in use. Thread: as for net_async_vhost_move().
 */
int net_async_vhost_engine_take(int16_t dma);

/* Stop a DMA device that no queue uses. */
void net_async_vhost_engine_release(int16_t dma);

/*
 * A DMA device does not complete its copies: stop it and let the CPU make them. Returns 0;
 * -ENOTSUP: it is not a dma_adaptive, which knows them; the error of its engine, which did not stop.
 */
int net_async_vhost_engine_lost(int16_t dma);

/*
 * Let another channel copy for one direction of a queue of a port with dmas=auto, -1: the CPU. If
 * copies are in flight, later bursts are copied by the CPU once the queue's polls have completed
 * them, so packets keep their order; call it again then, or with the present channel to stay.
 * Returns 0; -EAGAIN: copies are in flight; -EBUSY: another queue has the channel; -EIO: the
 * device was stopped because it did not complete its copies; -ENODEV: another driver's port; -EINVAL: the queue does not exist or was not set up; -ENOTSUP: dmas= names its
 * channel. Thread: one at a time, while the port is not removed.
 */
int net_async_vhost_move(uint16_t port, uint16_t queue, bool rx, int16_t dma, uint16_t vchan);
