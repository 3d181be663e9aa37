/* The device's side of a virtio network device: its rings in the driver's memory, split or
 * packed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

#include <linux/virtio_ring.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Where the driver says that a ring is; pointers are the driver's own, since both are in one
 * process.
 */
struct vring_place {
	uint16_t size;
	void *desc;
	void *driver; /* split: what is available; packed: the driver's event word */
	void *device; /* split: what is used; packed: the device's event word */
};

/*
 * A ring. Positions count to twice the size, so that a ring all of which is available is no empty
 * one: entries that the driver made available in a split ring, descriptors in a packed one.
 */
struct vring_side {
	struct vring_place place;
	bool packed, in_order, rx;
	uint32_t tail; /* position behind what is available, when it was last looked at */
	int kick;      /* eventfd; -1: the driver has kicked */
};

enum { VRINGS = 2, VRING_RX = 0, VRING_TX = 1 }; /* as virtio numbers the queues of one pair */

struct vnic {
	uint64_t features; /* that the driver took; written while no ring is enabled */
	struct vring_side side[VRINGS];
};

/* What the device offers. */
extern const uint64_t vring_features;

/*
 * Frames move between the wire and a ring that begins to be used at its first position, once the
 * driver has kicked: before that net_virtio fills its receive ring, and throws away what it finds
 * there. kick: eventfd that does not block, the ring's from now on; -1: begin at once. Returns
 * false: the place cannot be used, e.g. a split ring whose size is no power of two. Thread: any but
 * the model's own.
 */
bool vring_enable(struct model *m, unsigned index, const struct vring_place *place, int kick);
void vring_disable(struct model *m, unsigned index);

/*
 * Return once the port's thread has handled every message that the driver has sent. In vhost.c: the
 * messages are there.
 */
void vhost_wait_told(struct model *m);

extern const struct model_family model_virtio;
