/* Queries and settings of net_async_vhost beyond ethdev: copy modes, guests, virtqueues. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"

#include "pmd_shims/drivers/async_vhost/vhost_priv.h"

#include <rte_common.h>
#include <rte_dmadev.h>
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
		.node = vid >= 0 ? rte_vhost_get_numa_node(vid) : -1,
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
	const enum net_async_vhost_copy copy = atomic_load(&q->copy);

	if (q->dma < 0 || (atomic_load(&q->open) && !atomic_load(&q->path.open)))
		return NET_ASYNC_VHOST_CPU;
	return copy > NET_ASYNC_VHOST_DMA && !q->adaptive ? NET_ASYNC_VHOST_DMA : copy;
}

int
net_async_vhost_virtqueue(uint16_t port, uint16_t queue, bool rx,
	struct net_async_vhost_virtqueue *to)
{
	struct rte_vhost_vring ring;
	int ret, vid;
	struct vhost_queue *q = queue_find(port, queue, rx, &ret);

	if (q == NULL)
		return ret;
	rte_spinlock_lock(&q->counting);
	*to = (struct net_async_vhost_virtqueue){
		.copy = copy_in_force(q),
		.open = atomic_load(&q->open),
		.dma = q->dma,
		.vchan = q->vchan,
		.movable = q->movable,
		.engines = !atomic_load(&q->open) || atomic_load(&q->path.open),
		.leaving = atomic_load(&q->copy) != atomic_load(&q->chosen),
		.lost = atomic_load(&q->path.lost),
	};
	rte_spinlock_unlock(&q->counting);
	vid = atomic_load(&vhost_port_of(port)->vid);
	if (vid >= 0 && rte_vhost_get_vhost_vring(vid, q->vring, &ring) == 0)
		to->descriptors = ring.size;
	vhost_queue_stats(q, &to->stats);
	return 0;
}

/* True if the queue's DMA device supports the copy mode. A movable queue keeps it for devices that
 * do. */
static bool
copies(const struct vhost_queue *q, enum net_async_vhost_copy copy)
{
	return q->movable || (q->dma >= 0 && (copy <= NET_ASYNC_VHOST_DMA || q->adaptive));
}

static bool
has_own_thresholds(enum net_async_vhost_copy copy)
{
	return copy == NET_ASYNC_VHOST_DMA || copy == NET_ASYNC_VHOST_AUTO;
}

/* End the present copy mode: restore the channel's thresholds. The caller holds the lock. */
static void
mode_end(struct vhost_queue *q)
{
	if (q->adaptive && has_own_thresholds(atomic_load(&q->chosen)))
		dma_adaptive_set_min_len(q->dma, q->vchan, q->own);
	vhost_autotune_close(&q->autotune);
}

/* Begin the chosen copy mode with the present channel. The caller holds the lock. */
static void
mode_begin(struct vhost_queue *q)
{
	const enum net_async_vhost_copy copy = atomic_load(&q->chosen);
	const struct dma_min_len all = { 0, 0 };

	if (q->adaptive && has_own_thresholds(copy))
		dma_adaptive_min_len(q->dma, q->vchan, &q->own);
	if (q->adaptive && copy == NET_ASYNC_VHOST_AUTO)
		vhost_autotune_open(&q->autotune, q->dma, q->vchan, q->descriptors);
	else if (q->adaptive && copy == NET_ASYNC_VHOST_DMA)
		dma_adaptive_set_min_len(q->dma, q->vchan, all);
	atomic_store(&q->copy, copy);
}

static void
set_copy(struct vhost_queue *q, enum net_async_vhost_copy copy)
{
	if (copy == atomic_load(&q->chosen))
		return;
	rte_spinlock_lock(&q->lock);
	mode_end(q);
	atomic_store(&q->chosen, copy);
	mode_begin(q);
	rte_spinlock_unlock(&q->lock);
}

/* Change the channel, unless copies are in flight; then polls use the CPU until they are not. */
static bool
move(struct vhost_queue *q, int16_t dma, uint16_t vchan)
{
	bool moved;

	rte_spinlock_lock(&q->lock);
	mode_end(q);
	moved = (q->dma == dma && q->vchan == vchan) || vhost_queue_rebind(q, dma, vchan);
	mode_begin(q);
	if (!moved)
		atomic_store(&q->copy, NET_ASYNC_VHOST_CPU);
	rte_spinlock_unlock(&q->lock);
	return moved;
}

/* Lock or unlock all queues with a channel of the device, so that no thread uses it. */
static void
hold_all(int16_t dma, bool hold)
{
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++) {
		struct vhost_port *p = vhost_port_of(id);

		for (unsigned int i = 0; p != NULL && i < 2u * p->queues; i++) {
			struct vhost_queue *q = vhost_port_vring(p, i);

			if (!atomic_load(&q->setup) || q->dma != dma)
				continue;
			if (hold) {
				rte_spinlock_lock(&q->lock);
				rte_spinlock_lock(&q->path.lock);
			} else {
				rte_spinlock_unlock(&q->path.lock);
				rte_spinlock_unlock(&q->lock);
			}
		}
	}
}

int
net_async_vhost_engine_lost(int16_t dma)
{
	int ret;

	hold_all(dma, true);
	ret = dma_adaptive_is(dma) ? dma_adaptive_take_over(dma) : -ENOTSUP;
	hold_all(dma, false);
	return ret;
}

/* True if another queue has the channel. */
static bool
is_taken(const struct vhost_queue *q, int16_t dma, uint16_t vchan)
{
	for (uint16_t id = 0; dma >= 0 && id < RTE_MAX_ETHPORTS; id++) {
		struct vhost_port *p = vhost_port_of(id);

		for (unsigned int i = 0; p != NULL && i < 2u * p->queues; i++) {
			const struct vhost_queue *other = vhost_port_vring(p, i);

			if (atomic_load(&other->setup) && other != q && other->dma == dma &&
				other->vchan == vchan)
				return true;
		}
	}
	return false;
}

/* True if the device was stopped because it did not complete its copies, and a queue still has it. */
static bool
is_lost(int16_t dma)
{
	for (uint16_t id = 0; dma >= 0 && id < RTE_MAX_ETHPORTS; id++) {
		struct vhost_port *p = vhost_port_of(id);

		for (unsigned int i = 0; p != NULL && i < 2u * p->queues; i++) {
			const struct vhost_queue *q = vhost_port_vring(p, i);

			if (atomic_load(&q->setup) && q->dma == dma && atomic_load(&q->path.lost))
				return true;
		}
	}
	return false;
}

/* True if a queue of the port has a channel of the device. */
static bool
uses(struct vhost_port *p, int16_t dma)
{
	for (unsigned int i = 0; i < 2u * p->queues; i++)
		if (vhost_port_vring(p, i)->dma == dma)
			return true;
	return false;
}

int
net_async_vhost_move(uint16_t port, uint16_t queue, bool rx, int16_t dma, uint16_t vchan)
{
	int ret;
	struct vhost_queue *q = queue_find(port, queue, rx, &ret);
	struct vhost_port *p = vhost_port_of(port);
	int16_t was;
	bool moved;

	if (q == NULL || !q->movable)
		return q == NULL ? ret : -ENOTSUP;
	if (is_taken(q, dma, vchan))
		return -EBUSY;
	if (is_lost(dma))
		return -EIO;
	pthread_mutex_lock(&p->life); /* the guest neither comes nor goes */
	was = q->dma;
	if (!rx)
		vhost_queue_complete(q, 0);
	moved = move(q, dma, vchan);
	if (moved && !uses(p, was))
		vhost_guest_tell_nodes(p, was, DMA_NODE_FORGET);
	if (moved)
		vhost_guest_tell_nodes(p, dma, DMA_NODE_KERNEL);
	pthread_mutex_unlock(&p->life);
	return moved ? 0 : -EAGAIN;
}

int
net_async_vhost_engine_take(int16_t dma)
{
	struct rte_dma_info info;
	int ret = rte_dma_info_get(dma, &info);

	if (ret != 0 || is_lost(dma))
		return ret != 0 ? ret : -EIO;
	dma_adaptive_keep(dma, true);
	ret = vhost_dmas_start(dma, &info, info.max_vchans);
	if (ret != 0)
		dma_adaptive_keep(dma, false);
	return ret;
}

void
net_async_vhost_engine_release(int16_t dma)
{
	rte_dma_stop(dma);
	dma_adaptive_keep(dma, false);
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
