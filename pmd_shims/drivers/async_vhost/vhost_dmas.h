/* The device argument dmas of net_async_vhost: which DMA device copies for which queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

#define VHOST_DMAS_NAME 64

struct vhost_dmas {
	struct vhost_dma {
		char name[VHOST_DMAS_NAME]; /* "": none */
		int16_t dev;                /* -1: not looked up */
		uint16_t vchan;
	} rxq[64], txq[64];
};

/*
 * Read "[txq0@NAME;rxq0@NAME...]", of a port with so many queues. 0, or -EINVAL with why, of size
 * bytes, filled.
 */
int vhost_dmas_parse(struct vhost_dmas *d, const char *text, uint16_t queues, char *why,
	unsigned int size);

/*
 * Take the devices: one vchan for each queue that names them, configured and started; the library
 * knows them. 0; -ENODEV: there is none of such a name, -EBUSY: somebody else has it, -ENOSPC: it
 * has fewer vchans, what its driver says; why is filled and nothing is taken.
 */
int vhost_dmas_take(struct vhost_dmas *d, char *why, unsigned int size);

/* Stop them, once nothing is in flight. */
void vhost_dmas_release(struct vhost_dmas *d);
