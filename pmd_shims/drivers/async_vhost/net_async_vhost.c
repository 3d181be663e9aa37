/* Queries and settings of net_async_vhost beyond ethdev: copy modes, guests, virtqueues. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"

#include "pmd_shims/drivers/async_vhost/vhost_port.h"

#include <rte_common.h>
#include <rte_vhost.h>

#include <errno.h>
#include <stdio.h>

bool
net_async_vhost_is(uint16_t port)
{
	return vhost_port_of(port) != NULL;
}

int
net_async_vhost_guest(uint16_t port, struct net_async_vhost_guest *to)
{
	const struct vhost_port *p = vhost_port_of(port);
	int vid;

	if (p == NULL)
		return -ENODEV;
	vid = atomic_load(&p->vid);
	*to = (struct net_async_vhost_guest){
		.client = p->client,
		.tso = p->tso,
		.ufo = p->ufo,
		.connected = vid >= 0,
		.features = atomic_load(&p->features),
		.virtqueues = vid >= 0 ? rte_vhost_get_vring_num(vid) : 0,
		.connects = atomic_load(&p->connects),
		.disconnects = atomic_load(&p->disconnects),
	};
	snprintf(to->path, sizeof(to->path), "%s", p->path);
	return 0;
}

uint64_t
net_async_vhost_features(uint16_t port)
{
	const struct vhost_port *p = vhost_port_of(port);

	return p != NULL ? atomic_load_explicit(&p->features, memory_order_relaxed) : 0;
}

const char *
net_async_vhost_word(enum net_async_vhost_copy copy)
{
	static const char *const words[] = {
		[NET_ASYNC_VHOST_CPU] = "cpu",
		[NET_ASYNC_VHOST_DMA] = "dma",
		[NET_ASYNC_VHOST_ADAPTIVE] = "adaptive",
		[NET_ASYNC_VHOST_AUTO] = "auto",
	};

	return words[copy];
}

/* Find a queue that was set up; NULL with *ret set to an error: there is none. */
static struct vhost_queue *
queue_find(uint16_t port, uint16_t queue, bool rx, int *ret)
{
	struct vhost_port *p = vhost_port_of(port);
	struct vhost_queue *q =
		p != NULL && queue < p->queues ? vhost_port_vring(p, 2u * queue + rx) : NULL;

	*ret = p == NULL ? -ENODEV : -EINVAL;
	return q != NULL && atomic_load(&q->setup) ? q : NULL;
}

/* The copy mode in force: the CPU's if the library could not register a DMA device for the ring. */
static enum net_async_vhost_copy
copy_in_force(const struct vhost_queue *q)
{
	return atomic_load(&q->open) && !atomic_load(&q->registered) ? NET_ASYNC_VHOST_CPU
								     : atomic_load(&q->want);
}

int
net_async_vhost_virtqueue(uint16_t port, uint16_t queue, bool rx,
	struct net_async_vhost_virtqueue *to)
{
	struct rte_vhost_vring ring;
	int ret, vid;
	const struct vhost_queue *q = queue_find(port, queue, rx, &ret);

	if (q == NULL)
		return ret;
	*to = (struct net_async_vhost_virtqueue){
		.copy = copy_in_force(q),
		.open = atomic_load(&q->open),
		.dma = q->dma,
		.vchan = q->vchan,
	};
	vid = atomic_load(&vhost_port_of(port)->vid);
	if (vid >= 0 && rte_vhost_get_vhost_vring(vid, q->vring, &ring) == 0)
		to->descriptors = ring.size;
	vhost_queue_stats(q, &to->stats);
	return 0;
}

/* True if the queue's DMA device supports the copy mode. */
static bool
copies(const struct vhost_queue *q, enum net_async_vhost_copy copy)
{
	return q->dma >= 0 && (copy <= NET_ASYNC_VHOST_DMA || q->adaptive);
}

static bool
has_own_thresholds(enum net_async_vhost_copy copy)
{
	return copy == NET_ASYNC_VHOST_DMA || copy == NET_ASYNC_VHOST_AUTO;
}

static void
set_copy(struct vhost_queue *q, enum net_async_vhost_copy copy)
{
	const enum net_async_vhost_copy was = atomic_load(&q->want);
	const struct dma_min_len all = { 0, 0 };

	if (copy == was)
		return;
	rte_spinlock_lock(&q->lock);
	if (q->adaptive && has_own_thresholds(was))
		dma_adaptive_set_min_len(q->dma, q->vchan, q->own);
	else if (q->adaptive && has_own_thresholds(copy))
		dma_adaptive_min_len(q->dma, q->vchan, &q->own);
	vhost_autotune_close(&q->autotune);
	if (copy == NET_ASYNC_VHOST_AUTO)
		vhost_autotune_open(&q->autotune, q->dma, q->vchan, q->descriptors);
	else if (q->adaptive && copy == NET_ASYNC_VHOST_DMA)
		dma_adaptive_set_min_len(q->dma, q->vchan, all);
	atomic_store(&q->want, copy);
	rte_spinlock_unlock(&q->lock);
}

int
net_async_vhost_set_copy(uint16_t port, uint16_t queue, enum net_async_vhost_copy copy)
{
	int ret, changed = 0;
	struct vhost_queue *q[2] = { queue_find(port, queue, true, &ret),
		queue_find(port, queue, false, &ret) };

	if (q[0] == NULL && q[1] == NULL)
		return ret;
	for (unsigned int i = 0; i < RTE_DIM(q); i++)
		if (q[i] != NULL && (copy == NET_ASYNC_VHOST_CPU || copies(q[i], copy))) {
			set_copy(q[i], copy);
			changed++;
		}
	return changed > 0 ? 0 : -ENOTSUP;
}

int
net_async_vhost_leave_csum(uint16_t port, uint16_t queue, bool leave)
{
	int ret;
	struct vhost_queue *q = queue_find(port, queue, true, &ret);

	if (q == NULL)
		return ret;
	atomic_store(&q->leaves_csum, leave);
	return 0;
}
