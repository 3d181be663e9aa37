/* Callbacks of librte_vhost about a guest, in the library's thread. The DMA device reads and
 * writes the guest's memory: all copies in flight are completed before that memory or a ring is
 * released. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_priv.h"

#include <rte_errno.h>
#include <rte_log.h>
#include <rte_version.h>
#include <rte_vfio.h>
#include <rte_vhost.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

RTE_LOG_REGISTER(vhost_guest_log, pmd.net.async_vhost, NOTICE)

/* Loop over the port's queues that were set up. */
#define FOR_EACH_QUEUE(p, q) \
	for (unsigned int i_ = 0; i_ < 2u * (p)->queues; i_++) \
		if (atomic_load(&((q) = vhost_port_vring(p, i_))->setup))

static struct vhost_port *
port_of(int vid)
{
	char path[PATH_MAX];

	return rte_vhost_get_ifname(vid, path, sizeof(path)) == 0 ? vhost_port_by_path(path) : NULL;
}

/* The port whose guest this device is; NULL: none yet. */
static struct vhost_port *
server_of(int vid)
{
	struct vhost_port *p = port_of(vid);

	return p != NULL && atomic_load(&p->vid) == vid ? p : NULL;
}

void
vhost_guest_tell_nodes(const struct vhost_port *p, int16_t dma, int node)
{
	const struct rte_vhost_memory *memory = p->memory;

	if (memory == NULL || !dma_adaptive_is(dma))
		return;
	for (uint32_t r = 0; r < memory->nregions; r++)
		dma_adaptive_node_range(dma, memory->regions[r].host_user_addr,
			memory->regions[r].size, node);
}

static void
tell_all(struct vhost_port *p, int node)
{
	struct vhost_queue *q;

	FOR_EACH_QUEUE(p, q)
	vhost_guest_tell_nodes(p, q->dma, node);
}

/*
 * Let DMA devices behind an IOMMU access the guest's memory, or end that. Addresses of a DMA device
 * are those of this process (--iova-mode=va).
 */
static void
memory_map(struct vhost_port *p, int vid, bool map)
{
	if (p->mapped == NULL && (!map || rte_vhost_get_mem_table(vid, &p->mapped) != 0))
		return;
	for (uint32_t r = 0; r < p->mapped->nregions && rte_vfio_is_enabled("vfio") == 1; r++) {
		const uint64_t at = (uint64_t)(uintptr_t)p->mapped->regions[r].mmap_addr;
		const uint64_t size = p->mapped->regions[r].mmap_size;

		if (!map)
			rte_vfio_container_dma_unmap(RTE_VFIO_DEFAULT_CONTAINER_FD, at, at, size);
		else if (rte_vfio_container_dma_map(RTE_VFIO_DEFAULT_CONTAINER_FD, at, at, size) !=
				0 &&
			rte_errno != ENODEV) /* no device is bound to vfio */
			rte_log(RTE_LOG_ERR, vhost_guest_log,
				"net_async_vhost: %s: guest memory not accessible to DMA devices: "
				"%s\n",
				p->path, rte_strerror(rte_errno));
	}
	if (!map) {
		free(p->mapped);
		p->mapped = NULL;
	}
}

void
vhost_guest_serve(struct vhost_port *p)
{
	const int vid = atomic_load(&p->vid);
	const uint16_t vrings = vid >= 0 ? rte_vhost_get_vring_num(vid) : 0;
	struct vhost_queue *q;

	if (!atomic_load(&p->started) || vid < 0)
		return;
	FOR_EACH_QUEUE(p, q)
	if (q->vring < vrings)
		vhost_queue_open(q, vid, atomic_load(&p->features));
	vhost_port_link(p, true);
}

/* A DMA device that did not end its copies in time must not make them later, in other memory. */
static void
hung_stop(struct vhost_queue *q)
{
	if (atomic_load(&q->path.hung))
		vhost_port_engine_stop(q->path.dma);
}

void
vhost_guest_leave(struct vhost_port *p)
{
	struct vhost_queue *q;

	FOR_EACH_QUEUE(p, q)
	{
		vhost_queue_close(q);
		hung_stop(q);
	}
	vhost_port_link(p, false);
}

static int
guest_comes(int vid)
{
	struct vhost_port *p = port_of(vid);
	struct vhost_queue *q;
	uint64_t features = 0;

	if (p == NULL)
		return -1;
	pthread_mutex_lock(&p->life);
	if (atomic_load(&p->vid) >= 0) {
		pthread_mutex_unlock(&p->life);
		rte_log(RTE_LOG_ERR, vhost_guest_log,
			"net_async_vhost: %s: refused a guest: another one is connected\n",
			p->path);
		return -1;
	}
	rte_vhost_get_negotiated_features(vid, &features);
	for (uint16_t i = 0; i < rte_vhost_get_vring_num(vid); i++)
		rte_vhost_enable_guest_notification(vid, i, 0);
	atomic_store(&p->features, features);
	atomic_fetch_add(&p->connects, 1);
	atomic_store(&p->vid, vid);
	if (rte_vhost_get_mem_table(vid, &p->memory) != 0)
		p->memory = NULL;
	tell_all(p, DMA_NODE_KERNEL);
	memory_map(p, vid, true);
	FOR_EACH_QUEUE(p, q)
	{
		vhost_queue_pause(q, false);
		vhost_queue_ready(q, p->said.vid == vid && p->said.ready[q->vring]);
	}
	vhost_guest_serve(p);
	pthread_mutex_unlock(&p->life);
	return 0;
}

static void
guest_goes(int vid)
{
	struct vhost_port *p = server_of(vid);
	struct vhost_queue *q;

	if (p == NULL)
		return;
	pthread_mutex_lock(&p->life);
	vhost_guest_leave(p);
	FOR_EACH_QUEUE(p, q)
	vhost_queue_ready(q, false);
	memory_map(p, vid, false);
	tell_all(p, DMA_NODE_FORGET);
	free(p->memory);
	p->memory = NULL;
	atomic_store(&p->features, 0);
	atomic_fetch_add(&p->disconnects, 1);
	atomic_store(&p->vid, -1);
	pthread_mutex_unlock(&p->life);
}

/* A guest enables or disables a ring. Called with the library's locks held. */
static int
ring_changes(int vid, uint16_t vring, int enable)
{
	struct vhost_port *p = port_of(vid);
	struct vhost_queue *q;

	if (p != NULL && p->said.vid == vid && vring < VHOST_MESSAGE_RINGS)
		p->said.ready[vring] = enable;
	if (p == NULL || atomic_load(&p->vid) != vid || vring / 2 >= p->queues)
		return 0;
	q = vhost_port_vring(p, vring);
	if (!atomic_load(&q->setup))
		return 0;
	vhost_queue_ready(q, enable);
	hung_stop(q);
	if (enable)
		vhost_queue_open_locked(q, vid, atomic_load(&p->features), &p->started);
	return 0;
}

/* Called before the library handles a message of the guest. */
static enum rte_vhost_msg_result
message_comes(int vid, void *context)
{
	const uint32_t request = *(const uint32_t *)context;
	struct vhost_port *p = port_of(vid);
	struct vhost_queue *q;
	const char *why;

	if (p == NULL)
		return RTE_VHOST_MSG_RESULT_ERR;
	why = vhost_message_refused(&p->said, vid, context);

	if (why != NULL) {
		rte_log(RTE_LOG_ERR, vhost_guest_log,
			"net_async_vhost: %s: message %u refused: %s\n", p->path, request, why);
		return RTE_VHOST_MSG_RESULT_ERR;
	}
	if (atomic_load(&p->vid) != vid)
		return RTE_VHOST_MSG_RESULT_NOT_HANDLED;
	/* For such messages the library holds the locks of all virtqueues. */
	FOR_EACH_QUEUE(p, q)
	if (vhost_message_changes(context, q->vring)) {
		vhost_queue_pause(q, true);
		hung_stop(q);
	}
	if (vhost_message_changes_memory(context))
		memory_map(p, vid, false);
	return RTE_VHOST_MSG_RESULT_NOT_HANDLED;
}

/* Called after the library handled a message of the guest, unless that failed. */
static enum rte_vhost_msg_result
message_done(int vid, void *context)
{
	struct vhost_port *p = server_of(vid);
	struct vhost_queue *q;

	if (p == NULL)
		return RTE_VHOST_MSG_RESULT_NOT_HANDLED;
	if (vhost_message_changes_memory(context))
		memory_map(p, vid, true);
	FOR_EACH_QUEUE(p, q)
	if (vhost_message_changes(context, q->vring))
		vhost_queue_pause(q, false);
	return RTE_VHOST_MSG_RESULT_NOT_HANDLED;
}

static int
connection_comes(int vid)
{
	static const struct rte_vhost_user_extern_ops ops = { .pre_msg_handle = message_comes,
		.post_msg_handle = message_done };
	struct vhost_port *p = port_of(vid);

	if (p == NULL)
		return -1;
	vhost_message_begin(&p->said, vid);
	return rte_vhost_extern_callback_register(vid, &ops, NULL);
}

static const struct rte_vhost_device_ops guest_ops = {
	.new_device = guest_comes,
	.destroy_device = guest_goes,
	.vring_state_changed = ring_changes,
	.new_connection = connection_comes,
};

/* True if no process listens on the socket at this path. */
static bool
is_stale(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	bool refused;

	if (fd < 0)
		return false;
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	refused = connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 && errno == ECONNREFUSED;
	close(fd);
	return refused;
}

/* Check that a server's path is free; remove a stale socket that a program left there. */
static int
path_check(const char *path, char *why, unsigned int size)
{
	const char *slash = strrchr(path, '/');
	char folder[sizeof(((struct vhost_port *)NULL)->path)];
	struct stat st;

	snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - path) : 1,
		slash == NULL ? "." : path);
	if (slash != path && (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))) {
		snprintf(why, size, "%s: no folder %s", path, folder);
		return -ENOENT;
	}
	if (lstat(path, &st) != 0)
		return 0;
	if (!S_ISSOCK(st.st_mode)) {
		snprintf(why, size, "%s: exists and is not a socket", path);
		return -ENOTSOCK;
	}
	if (!is_stale(path)) {
		snprintf(why, size, "%s: another program is listening on it", path);
		return -EADDRINUSE;
	}
	if (unlink(path) != 0) {
		snprintf(why, size, "%s: %s", path, strerror(errno));
		return -errno;
	}
	return 0;
}

/* Features that guests are not offered. */
static uint64_t
without(const struct vhost_port *p)
{
	uint64_t bits = UINT64_C(1) << VHOST_F_LOG_ALL; /* DMA devices do not log their writes */

	if (!p->tso)
		bits |= UINT64_C(1) << VIRTIO_NET_F_HOST_TSO4 |
			UINT64_C(1) << VIRTIO_NET_F_HOST_TSO6 |
			UINT64_C(1) << VIRTIO_NET_F_GUEST_TSO4 |
			UINT64_C(1) << VIRTIO_NET_F_GUEST_TSO6 |
			UINT64_C(1) << VIRTIO_NET_F_HOST_ECN |
			UINT64_C(1) << VIRTIO_NET_F_GUEST_ECN;
	if (!p->ufo)
		bits |= UINT64_C(1) << VIRTIO_NET_F_HOST_UFO |
			UINT64_C(1) << VIRTIO_NET_F_GUEST_UFO;
	if (p->queues == 1)
		bits |= UINT64_C(1) << VIRTIO_NET_F_MQ;
	return bits;
}

int
vhost_guest_listen(struct vhost_port *p, char *why, unsigned int size)
{
	uint64_t flags = RTE_VHOST_USER_NET_COMPLIANT_OL_FLAGS;
	int ret;

	flags |= p->client ? RTE_VHOST_USER_CLIENT : 0;
	ret = p->client ? 0 : path_check(p->path, why, size);
	if (ret != 0)
		return ret;
	if (rte_vhost_driver_register(p->path, flags) != 0) {
		snprintf(why, size,
			"%s: librte_vhost has no room for another socket, or already has this one",
			p->path);
		return -EBUSY;
	}
	p->registered = true;
#if RTE_VERSION >= RTE_VERSION_NUM(23, 7, 0, 0)
	rte_vhost_driver_set_max_queue_num(p->path, p->queues);
#endif
	if (rte_vhost_driver_disable_features(p->path, without(p)) == 0 &&
		rte_vhost_driver_callback_register(p->path, &guest_ops) == 0 &&
		rte_vhost_driver_start(p->path) == 0)
		return 0;
	snprintf(why, size, "%s: cannot listen: %s", p->path, strerror(errno));
	vhost_guest_hang_up(p);
	return -EIO;
}

void
vhost_guest_hang_up(struct vhost_port *p)
{
	if (p->registered)
		rte_vhost_driver_unregister(p->path);
	p->registered = false;
}
