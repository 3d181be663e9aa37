/* The guest of a net_async_vhost port, which may connect, change its rings and disconnect at any
 * time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct vhost_port;

/*
 * Open the port's socket; a guest may connect from now on. Returns 0, or -errno with why, of size
 * bytes, filled.
 */
int vhost_guest_listen(struct vhost_port *p, char *why, unsigned int size);

/* Close the port's socket and disconnect its guest. */
void vhost_guest_hang_up(struct vhost_port *p);

/* Let polls use the guest's virtqueues, or stop that. The caller holds p->life. */
void vhost_guest_serve(struct vhost_port *p);
void vhost_guest_leave(struct vhost_port *p);

/*
 * Tell a DMA device, if it is a dma_adaptive, on which NUMA node the guest's memory is:
 * DMA_NODE_KERNEL, or DMA_NODE_FORGET. The caller holds p->life.
 */
void vhost_guest_tell_nodes(const struct vhost_port *p, int16_t dma, int node);
