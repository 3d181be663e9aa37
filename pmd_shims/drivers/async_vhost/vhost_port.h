/* A port of net_async_vhost: its device arguments, its queues and its guest. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/async_vhost/vhost_dmas.h"
#include "pmd_shims/drivers/async_vhost/vhost_message.h"
#include "pmd_shims/drivers/async_vhost/vhost_queue.h"

#include <rte_ether.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rte_eth_dev;

struct vhost_port {
	char path[108]; /* path of the socket; size as in struct sockaddr_un */
	bool client, tso, ufo;
	uint16_t queues; /* pairs */
	struct vhost_dmas dmas;
	struct rte_ether_addr mac;
	uint16_t id;
	bool registered; /* the socket is registered in librte_vhost */
	/*
	 * Held while the guest connects or disconnects and while the port starts or stops. Never
	 * lock it while holding the library's lock of a virtqueue: the handling of messages locks
	 * that first.
	 */
	pthread_mutex_t life;
	atomic_bool started;
	atomic_int vid; /* the library's device; -1: no guest */
	_Atomic(uint64_t) features;
	_Atomic(uint64_t) connects, disconnects;
	struct vhost_message_said said;
	struct vhost_queue rxq[NET_ASYNC_VHOST_QUEUES], txq[NET_ASYNC_VHOST_QUEUES];
};

/* The port with an ethdev id; NULL: another driver's port. Thread: any. */
struct vhost_port *vhost_port_of(uint16_t id);

/* The port whose socket has this path; NULL: none. Thread: any. */
struct vhost_port *vhost_port_by_path(const char *path);

/* The queue of the port for virtqueue vring of the guest, 0..2 * queues - 1. */
static inline struct vhost_queue *
vhost_port_vring(struct vhost_port *p, unsigned int vring)
{
	return vring % 2 == 0 ? &p->txq[vring / 2] : &p->rxq[vring / 2];
}

/* Report the link as up or down. Thread: control, or the library's. */
void vhost_port_link(const struct vhost_port *p, bool up);
