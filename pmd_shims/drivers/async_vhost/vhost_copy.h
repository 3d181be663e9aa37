/* Packets of a virtqueue whose bytes a DMA device copies: started in one poll, complete in a later
 * one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/async_vhost/vhost_ring.h"

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_spinlock.h>

#include <linux/virtio_net.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * librte_vhost serves the guest: its messages, its memory, its notifications. With a DMA device it
 * does not copy: this file reads and writes the ring, by the library's stable functions only. While
 * the CPU copies, the library has the ring. Who has it, has the ring's place too
 * (rte_vhost_set_vring_base()). It changes hands only without copies in flight.
 *
 * The lock: the lcore holds it while it uses the ring, and calls no function of the library then
 * that takes the library's lock of the virtqueue. So the library's thread, which may hold that one,
 * can take this lock before a message changes the ring or the memory.
 */

/* A packet on its way. */
struct vhost_flight {
	struct rte_mbuf *pkt; /* NULL: the buffer had none and is only given back */
	uint64_t jobs;        /* it is complete after this number of the device's jobs */
	uint16_t buffers;
	bool failed;                  /* the device could not copy all of it */
	struct virtio_net_hdr header; /* of a packet from the guest */
};

struct vhost_copy {
	rte_spinlock_t lock; /* protects all members below */
	bool served;         /* the port is started and has a guest */
	bool ready;          /* the guest has enabled the ring */
	bool paused;         /* a message changes the ring or its memory */
	bool own;            /* the ring's place is here, not in the library */
	bool call;           /* the guest is to be notified */
	bool to_guest;
	bool held; /* by vhost_port_engine_stop() */
	/* the DMA device was stopped because it did not complete its copies; read without the lock */
	atomic_bool lost;
	atomic_bool hung; /* it did not when they had to end: stop it, then vhost_copy_abandon() */
	/* all of that is so, and the ring can be used; polls read it without the lock */
	atomic_bool open;
	int vid;
	uint16_t number, port;
	int16_t dma; /* as vhost_copy_use() set them */
	uint16_t vchan;
	uint16_t header; /* bytes in front of a packet */
	bool mergeable;
	uint16_t size; /* of the arrays: a power of two, at least the ring's size */
	struct rte_vhost_memory *memory;
	struct vhost_ring ring;
	/* rings: head and tail count on */
	struct vhost_flight *flight;
	uint32_t flight_head, flight_tail;
	struct vhost_buffer *buffer;
	uint32_t buffer_head, buffer_tail;
	uint64_t jobs_made, jobs_done;
	int room; /* in the device's ring, for copies of this call */
	/* counts for the queue, which takes them from here */
	uint64_t refused, failed;
	struct vhost_pieces *pieces; /* of the packet at hand */
};

/* Begin without a guest. to_guest: the direction. Thread: control. */
void vhost_copy_init(struct vhost_copy *c, uint16_t port, uint16_t number, bool to_guest);

/* Free its memory. Thread: control, after the queue was closed. */
void vhost_copy_free(struct vhost_copy *c);

/*
 * What the library and the port say about the ring. If one of it ends, copies in flight are
 * completed first, and their packets are freed. If that takes two seconds without success, hung is
 * set, and the caller has to stop the DMA device before the guest's memory goes. Returns the number
 * of packets that were freed. Thread: any that does not hold the lock.
 */
unsigned int vhost_copy_serve(struct vhost_copy *c, bool served, int vid);
unsigned int vhost_copy_ready(struct vhost_copy *c, bool ready);
unsigned int vhost_copy_pause(struct vhost_copy *c, bool paused);

/*
 * Let a DMA device's channel copy from now on. Returns false, without a change, while copies are in
 * flight. Thread: as above.
 */
bool vhost_copy_use(struct vhost_copy *c, int16_t dma, uint16_t vchan);

/*
 * The DMA device is stopped and makes no copy any more: free the packets in flight, and copy nothing
 * until vhost_copy_use(). Returns the number of these packets. The caller holds the lock.
 */
unsigned int vhost_copy_abandon(struct vhost_copy *c);

/* Packets whose copies are in flight. */
static inline unsigned int
vhost_copy_in_flight(const struct vhost_copy *c)
{
	return c->flight_tail - c->flight_head;
}

/*
 * Lock it and have the ring. Returns false, without the lock, if the ring cannot be used. Then
 * vhost_copy_leave() unlocks, and notifies the guest. Thread: one at a time that does not hold the
 * library's lock of the virtqueue.
 */
bool vhost_copy_enter(struct vhost_copy *c);
void vhost_copy_leave(struct vhost_copy *c);

/* The library has the ring from now on. Returns false if copies are in flight. Thread: as above. */
bool vhost_copy_give(struct vhost_copy *c);

/*
 * Start copies of packets to the guest. Returns how many were accepted, which belong to this file
 * until vhost_copy_collect() returns them. The caller has entered.
 */
uint16_t vhost_copy_send(struct vhost_copy *c, struct rte_mbuf **pkts, uint16_t n);

/* Start copies of up to n packets from the guest into mbufs of pool. The caller has entered. */
void vhost_copy_receive(struct vhost_copy *c, struct rte_mempool *pool, uint16_t n);

/*
 * Take up to max packets whose copies are complete, in order; the caller owns them. The caller has
 * entered.
 */
uint16_t vhost_copy_collect(struct vhost_copy *c, struct rte_mbuf **pkts, uint16_t max);
