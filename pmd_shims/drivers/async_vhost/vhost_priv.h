/* The state of a vhost port and its guest. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/async_vhost/vhost_queue.h"

#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_version.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct eth_queue_stats;
struct rte_dma_info;
struct rte_eth_dev;
struct rte_vhost_memory;

/* A port of net_async_vhost: its device arguments, its queues and its guest. */

/* The device argument dmas of net_async_vhost: the DMA device of each queue, or auto. */

#define VHOST_DMAS_NAME 64

struct vhost_dmas {
	bool movable; /* auto: no queue has a device until net_async_vhost_move() */
	struct vhost_dma {
		char name[VHOST_DMAS_NAME]; /* "": none */
		int16_t dev;                /* -1: not looked up yet */
		uint16_t vchan;
	} rxq[64], txq[64];
};

/*
 * Parse "[txq0@NAME;rxq0@NAME...]" or "auto"; NULL: no devices. queues: of the port. Returns 0;
 * -EINVAL with why, of size bytes, filled; -ENOMEM.
 */
int vhost_dmas_parse(struct vhost_dmas *d, const char *text, uint16_t queues, char *why,
	unsigned int size);

/*
 * Configure and start the devices with one vchan per queue that names them. Returns 0, or an error of which nothing remains, with why filled: -ENODEV: there is
 * no device of that name; -EBUSY: it is in use; -ENOSPC: it has too few vchans; or its driver's
 * error.
 */
int vhost_dmas_take(struct vhost_dmas *d, char *why, unsigned int size);

/*
 * Configure and start a device with vchans channels. Returns 0, or -errno: -EBUSY: it is in use;
 * -ENOTSUP: IOVAs are not addresses of this process.
 */
int vhost_dmas_start(int16_t dev, const struct rte_dma_info *info, uint16_t vchans);

/* Stop the devices. No copies may be in flight. */
void vhost_dmas_release(struct vhost_dmas *d);

/* Unsafe vhost-user messages: those that would make librte_vhost read or write outside the guest's
 * memory are refused before the library sees them. */

/* Messages that are checked; all are sent by the frontend. Source: the vhost-user protocol. */
enum vhost_message_request {
	VHOST_MESSAGE_SET_FEATURES = 2,
	VHOST_MESSAGE_SET_MEM_TABLE = 5,
	VHOST_MESSAGE_SET_LOG_BASE = 6,
	VHOST_MESSAGE_SET_VRING_NUM = 8,
	VHOST_MESSAGE_SET_VRING_ADDR = 9,
	VHOST_MESSAGE_SET_VRING_BASE = 10,
	VHOST_MESSAGE_GET_VRING_BASE = 11,
	VHOST_MESSAGE_SET_VRING_KICK = 12,
	VHOST_MESSAGE_SET_VRING_ENABLE = 18,
	VHOST_MESSAGE_GET_INFLIGHT_FD = 31,
	VHOST_MESSAGE_SET_INFLIGHT_FD = 32,
	VHOST_MESSAGE_ADD_MEM_REG = 37, /* of DPDK 26.07 */
	VHOST_MESSAGE_REM_MEM_REG = 38,
};

enum { VHOST_MESSAGE_RINGS = 256 }; /* maximum of the protocol */

/* State of a port's last frontend. Thread: the library's, for all functions of this file. */
struct vhost_message_said {
	int vid; /* the frontend's device; other devices may no longer start rings */
	/*
	 * The length of a ring was set since it was stopped and since features changed: only then
	 * the library has arrays of the right kind and length for it.
	 */
	bool sized[VHOST_MESSAGE_RINGS];
	bool ready[VHOST_MESSAGE_RINGS]; /* as the library last reported */
};

/* Begin with a new frontend, about whose rings nothing is known. */
void vhost_message_begin(struct vhost_message_said *said, int vid);

/*
 * Why a message has to be refused, or NULL if the library may handle it. context: the argument of a
 * pre_msg_handle callback. Closes the file descriptors of a refused message.
 */
const char *vhost_message_refused(struct vhost_message_said *said, int vid, void *context);

/* True if a message may change the guest's memory. context: as above. */
bool vhost_message_changes_memory(const void *context);

/*
 * True if a message may change ring n or the memory that contains it. context: the argument of a
 * pre_msg_handle callback.
 */
bool vhost_message_changes(const void *context, unsigned int n);

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
	struct rte_vhost_memory *memory; /* the guest's, when it came; NULL: no guest; held: life */
	struct rte_vhost_memory *mapped; /* what DMA devices may access; the library's thread */
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

/*
 * Stop a DMA device that did not complete its copies, so that it writes into no guest's memory from
 * now on. Packets in flight on it are freed and counted, and the CPU copies for its queues. Thread:
 * any that holds no lock of a queue.
 */
void vhost_port_engine_stop(int16_t dma);

/* Report the link as up or down. Thread: control, or the library's. */
void vhost_port_link(const struct vhost_port *p, bool up);

/* ethdev's statistics of net_async_vhost. */

/* eth_stats_get_t, eth_stats_reset_t, eth_xstats_get_t, eth_xstats_get_names_t. Thread: control. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
int vhost_port_stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *to,
	struct eth_queue_stats *queues);
#else
int vhost_port_stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *to);
#endif
int vhost_port_stats_reset(struct rte_eth_dev *dev);
int vhost_port_stats_xstats(struct rte_eth_dev *dev, struct rte_eth_xstat *to, unsigned int n);
int vhost_port_stats_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *to, unsigned int n);

/* The guest of a net_async_vhost port, which may connect, change its rings and disconnect at any time. */

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
