/* The device argument dmas of net_async_vhost: the DMA device of each queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

#define VHOST_DMAS_NAME 64

struct vhost_dmas {
	struct vhost_dma {
		char name[VHOST_DMAS_NAME]; /* "": none */
		int16_t dev;                /* -1: not looked up yet */
		uint16_t vchan;
	} rxq[64], txq[64];
};

/*
 * Parse "[txq0@NAME;rxq0@NAME...]"; NULL: no devices. queues: of the port. Returns 0; -EINVAL with
 * why, of size bytes, filled; -ENOMEM.
 */
int vhost_dmas_parse(struct vhost_dmas *d, const char *text, uint16_t queues, char *why,
	unsigned int size);

/*
 * Configure and start the devices with one vchan per queue that names them, and register them in
 * librte_vhost. Returns 0, or an error of which nothing remains, with why filled: -ENODEV: there is
 * no device of that name; -EBUSY: it is in use; -ENOSPC: it has too few vchans; or its driver's
 * error.
 */
int vhost_dmas_take(struct vhost_dmas *d, char *why, unsigned int size);

/* Unregister and stop the devices. No copies may be in flight. */
void vhost_dmas_release(struct vhost_dmas *d);
