/* rte_eth_recycle_mbufs() through recycle.h: the callback of the Tx port moves the mbufs, and the
 * callback of the Rx port has nothing left to do. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/recycle_ethdev.h"

#include "base/err.h"

#include <rte_ethdev.h>
#include <rte_version.h>

#include <errno.h>
#include <stddef.h>

#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)

#include <stdatomic.h>

/*
 * A pair and the only two values by which a callback can find it: the address of the Tx queue and
 * of the Rx queue's array of mbufs. Written by control, txq last.
 */
struct served {
	_Atomic(const void *) txq; /* NULL: free */
	const void *slots;
	struct recycle *pair;
};

/*
 * Globals, since ethdev passes no argument to its callbacks: the served pairs, and the callbacks of
 * the drivers that were replaced. Written by control.
 */
static struct served table[RECYCLE_ETHDEV_MAX];
static eth_recycle_tx_mbufs_reuse_t own_reuse[RTE_MAX_ETHPORTS];
static eth_recycle_rx_descriptors_refill_t own_refill[RTE_MAX_ETHPORTS];

/* Number of mbufs that reuse() moved; tells the refill() after it that nothing is left to do. */
static _Thread_local uint16_t moved;

static bool taken(uint16_t port);

static bool
queue_is_of(const void *rxq, uint16_t port)
{
	void *const *queues = rte_eth_fp_ops[port].rxq.data;

	for (unsigned int q = 0; q < RTE_MAX_QUEUES_PER_PORT && queues[q] != NULL; q++)
		if (queues[q] == rxq)
			return true;
	return false;
}

static void
refill(void *rxq, uint16_t n)
{
	if (likely(moved != 0)) {
		moved = 0;
		return;
	}
	/*
	 * The Tx port was not taken, and its driver's callback has put mbufs into the Rx ring: call
	 * the Rx driver's callback.
	 */
	for (uint16_t p = 0; p < RTE_MAX_ETHPORTS; p++)
		if (taken(p) && own_refill[p] != NULL && queue_is_of(rxq, p))
			own_refill[p](rxq, n);
}

static uint16_t
reuse(void *txq, struct rte_eth_recycle_rxq_info *info)
{
	for (unsigned int i = 0; i < RECYCLE_ETHDEV_MAX; i++) {
		const struct served *s = &table[i];

		/* Pairs with the release in recycle_ethdev_serve(). */
		if (atomic_load_explicit(&s->txq, memory_order_acquire) == txq &&
			s->slots == info->mbuf_ring) {
			moved = recycle_ethdev_serves(s->pair) ? recycle_run(s->pair) : 0;
			return moved;
		}
	}
	return 0;
}

static bool
taken(uint16_t port)
{
	const struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[port];

	return ops->recycle_tx_mbufs_reuse == reuse && ops->recycle_rx_descriptors_refill == refill;
}

int
recycle_ethdev_take(uint16_t port, struct err *e)
{
	struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[port];

	if (taken(port))
		return 0;
	own_reuse[port] = ops->recycle_tx_mbufs_reuse;
	own_refill[port] = ops->recycle_rx_descriptors_refill;
	ops->recycle_tx_mbufs_reuse = reuse;
	ops->recycle_rx_descriptors_refill = refill;
	return 0;
}

void
recycle_ethdev_leave(uint16_t port)
{
	if (!taken(port))
		return;
	rte_eth_fp_ops[port].recycle_tx_mbufs_reuse = own_reuse[port];
	rte_eth_fp_ops[port].recycle_rx_descriptors_refill = own_refill[port];
}

bool
recycle_ethdev_serves(const struct recycle *r)
{
	return taken(recycle_ends(r)->rx_port) && taken(recycle_ends(r)->tx_port);
}

/* Find the entry for two queues, or with NULL a free entry; NULL: there is none. */
static struct served *
place(const void *txq, const void *slots)
{
	for (unsigned int i = 0; i < RECYCLE_ETHDEV_MAX; i++)
		if (atomic_load(&table[i].txq) == txq && (txq == NULL || table[i].slots == slots))
			return &table[i];
	return NULL;
}

int
recycle_ethdev_serve(struct recycle *r, struct err *e)
{
	const struct recycle_ends *ends = recycle_ends(r);
	const void *txq = rte_eth_fp_ops[ends->tx_port].txq.data[ends->tx_queue];
	struct rte_eth_recycle_rxq_info info;
	struct served *s;

	if (!recycle_stands(r))
		return err_set(e, ENOTSUP,
			"ports %u and %u were reconfigured since the pair was bound", ends->rx_port,
			ends->tx_port);
	if (rte_eth_recycle_rx_queue_info_get(ends->rx_port, ends->rx_queue, &info) != 0)
		return err_set(e, ENOTSUP,
			"port %u: its driver does not describe its receive queue for recycling",
			ends->rx_port);
	if (place(txq, info.mbuf_ring) != NULL)
		return err_set(e, EEXIST,
			"port %u queue %u to port %u queue %u: the pair is already served",
			ends->tx_port, ends->tx_queue, ends->rx_port, ends->rx_queue);
	s = place(NULL, NULL);
	if (s == NULL)
		return err_set(e, ENOSPC, "%u pairs are already served, the maximum",
			RECYCLE_ETHDEV_MAX);
	s->slots = info.mbuf_ring;
	s->pair = r;
	/* Pairs with the acquire in reuse(). */
	atomic_store_explicit(&s->txq, txq, memory_order_release);
	recycle_ethdev_take(ends->rx_port, e);
	recycle_ethdev_take(ends->tx_port, e);
	return 0;
}

void
recycle_ethdev_drop(const struct recycle *r)
{
	for (unsigned int i = 0; i < RECYCLE_ETHDEV_MAX; i++)
		if (table[i].pair == r) {
			atomic_store(&table[i].txq, NULL);
			table[i].pair = NULL;
		}
}

#else

int
recycle_ethdev_take(uint16_t port, struct err *e)
{
	return err_set(e, ENOTSUP, "%s has no rte_eth_recycle_mbufs(): use 23.11 or newer",
		rte_version());
}

void
recycle_ethdev_leave(uint16_t port)
{
}

int
recycle_ethdev_serve(struct recycle *r, struct err *e)
{
	return recycle_ethdev_take(recycle_ends(r)->rx_port, e);
}

void
recycle_ethdev_drop(const struct recycle *r)
{
}

bool
recycle_ethdev_serves(const struct recycle *r)
{
	return false;
}

#endif
