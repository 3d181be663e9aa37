/* Binds two queues for forwarding without mbufs, and what their functions need rarely. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/direct/direct.h"

#include "base/err.h"
#include "pmd_shims/direct/direct_intel.h"
#include "pmd_shims/direct/direct_mlx5.h"
#include "pmd_shims/direct/direct_proof.h"
#include "pmd_shims/direct/direct_rearm.h"
#include "pmd_shims/direct/direct_slots.h"
#include "pmd_shims/direct/direct_virtio.h"
#include "pmd_shims/recycle/handle.h"
#include "pmd_shims/recycle_err.h"

#include <rte_bitops.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <errno.h>
#include <string.h>

enum { BATCH_MIN = 32 };

/* The drivers with functions, those for one layout first; the names are for errors. */
#define DIRECT_DRIVERS "net_i40e, net_ice, net_ixgbe, mlx5_pci or net_virtio"
static const struct direct_rx_ops *const direct_rx_drivers[] = { &direct_rx_i40e, &direct_rx_ice,
	&direct_rx_ixgbe, &direct_rx_mlx5, &direct_rx_virtio_split, &direct_rx_virtio_packed,
	&direct_rx_any_i40e, &direct_rx_any_ice, &direct_rx_any_ixgbe, &direct_rx_any_mlx5,
	&direct_rx_any_virtio_split, &direct_rx_any_virtio_packed, NULL };
static const struct direct_tx_ops *const direct_tx_drivers[] = { &direct_tx_i40e_8,
	&direct_tx_i40e_16, &direct_tx_ice_8, &direct_tx_ice_16, &direct_tx_ixgbe_8,
	&direct_tx_mlx5_multi, &direct_tx_mlx5_single, &direct_tx_virtio_split,
	&direct_tx_virtio_split_in_order, &direct_tx_virtio_packed, &direct_tx_any_i40e_8,
	&direct_tx_any_i40e_16, &direct_tx_any_ice_8, &direct_tx_any_ice_16, &direct_tx_any_ixgbe_8,
	&direct_tx_any_mlx5_multi, &direct_tx_any_mlx5_single, &direct_tx_any_virtio_split,
	&direct_tx_any_virtio_split_in_order, &direct_tx_any_virtio_packed, NULL };

bool
direct_valid(const struct direct *d)
{
	const struct direct_slots *s = &d->slots;

	if (d->receive != (s->on ? d->rx_ops->receive_bound : d->rx_ops->receive) ||
		d->send != (s->on ? d->tx_ops->send_bound : d->tx_ops->send))
		return false;
	if (s->on && (!s->allowed || !d->begun || s->floating >= d->from.batch))
		return false;
	return d->batch <= DIRECT_BATCH_MAX && rte_is_power_of_2(d->batch) &&
		d->batch % d->from.batch == 0 && d->few <= d->from.size &&
		(d->held.data == NULL || (d->begun && d->tx_ops->flush != NULL));
}

bool
direct_packets_valid(const struct direct *d, const struct direct_pkt *pkts, uint16_t n)
{
	const uint16_t room = rte_pktmbuf_data_room_size(d->from.pool) - RTE_PKTMBUF_HEADROOM;

	for (uint16_t i = 0; i < n; i++)
		if ((uintptr_t)pkts[i].data < d->pool_first + d->data_at ||
			(uintptr_t)pkts[i].data + pkts[i].length > d->pool_end ||
			pkts[i].length > room)
			return false;
	return true;
}

uint16_t
direct_drop_bad(struct direct *d, struct direct_pkt *pkts, uint16_t n)
{
	/* A slot of a dropped packet would stay behind in the Tx ring. */
	direct_slots_leave(d);
	return d->rx_ops->drop_bad(d, pkts, n);
}

void
direct_drop(struct direct *d, const struct direct_pkt *pkts, uint16_t n)
{
	HOT_ASSERT(direct_packets_valid(d, pkts, n));
	for (uint16_t i = 0; i < n; i++)
		rte_mempool_put(d->from.pool, pkts[i].data - d->data_at);
}

uint16_t
direct_room(struct direct *d, uint16_t n)
{
	if (unlikely(!d->begun))
		direct_begin(d);
	while (unlikely(d->room < n) && d->tx_ops->take(d, d->batch) > 0)
		direct_free(d);
	return d->room;
}

void
direct_pause(struct direct *d)
{
	direct_flush(d);
	direct_slots_leave(d);
	if (d->begun && direct_stands(d))
		while (d->rx_ops->open(d) > 0 && direct_top_up(d))
			;
	d->begun = false;
}

/* True if a driver's half has to be asked before each burst. */
static bool
asks(const struct direct *d)
{
	return d->rx_ops->ready != NULL || d->tx_ops->ready != NULL;
}

bool
direct_queues_ready(struct direct *d)
{
	if (unlikely(d->proof.state != RECYCLE_PROVED)) {
		if (d->proof.state == RECYCLE_REFUTED || direct_proof_step(d) != RECYCLE_PROVED)
			return false;
		d->asks = asks(d);
	}
	return (d->rx_ops->ready == NULL || d->rx_ops->ready(d)) &&
		(d->tx_ops->ready == NULL || d->tx_ops->ready(d));
}

enum recycle_proof
direct_proof(const struct direct *d)
{
	return d->proof.state;
}

/* True if a driver's name is one of two; also may be NULL. */
static bool
is_driver(const char *name, const char *driver, const char *also)
{
	return strcmp(driver, name) == 0 || (also != NULL && strcmp(also, name) == 0);
}

/* True if a port's driver is one of those that are known. */
static bool
driver_known(const char *name)
{
	bool known = false;

	for (size_t i = 0; direct_rx_drivers[i] != NULL; i++)
		known = known ||
			is_driver(name, direct_rx_drivers[i]->driver, direct_rx_drivers[i]->also);
	return known;
}

/* Write the name of a port's driver to *name. */
static int
driver_find(uint16_t port, const char **name, struct err *e)
{
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(port, &info) != 0)
		return err_set(e, ENOTSUP, "port %u: no such port", port);
	if (!driver_known(info.driver_name))
		return err_set(e, ENOTSUP, "port %u: driver %s: expected " DIRECT_DRIVERS, port,
			info.driver_name);
	*name = info.driver_name;
	return 0;
}

/* True if functions are for any layout, or for this one, whatever releases have it. */
static bool
layout_fits(const void *compiled, size_t bytes, const void *layout)
{
	const size_t at = sizeof(struct shim_releases);

	return compiled == NULL ||
		memcmp((const char *)compiled + at, (const char *)layout + at, bytes - at) == 0;
}

/* True if functions are for a queue, which is bound by its driver's shim. */
static bool
rx_ops_fit(const struct direct_rx_ops *ops, const char *driver, const struct shim_rx *rx)
{
	return is_driver(driver, ops->driver, ops->also) && ops->shim == rx->ops &&
		layout_fits(ops->layout, ops->layout_bytes, rx->layout);
}

static bool
tx_ops_fit(const struct direct_tx_ops *ops, const char *driver, const struct shim_tx *tx)
{
	return is_driver(driver, ops->driver, ops->also) && ops->shim == tx->ops &&
		(ops->function == NULL || strstr(tx->path, ops->function) != NULL) &&
		layout_fits(ops->layout, ops->layout_bytes, tx->layout);
}

/* Find the functions of both queues. */
static int
ops_find(struct direct *d, const char *rx, const char *tx, struct err *e)
{
	const struct direct_rx_ops *const *rx_ops = direct_rx_drivers;
	const struct direct_tx_ops *const *tx_ops = direct_tx_drivers;
	struct zcfwd_recycle_error reason;

	if (shim_driver_of(rx)->rx_bind(&d->from, &reason) != 0 ||
		shim_driver_of(tx)->tx_bind(&d->to, &reason) != 0)
		return recycle_err(e, &reason);
	if (d->from.regions > 0)
		return err_set(e, ENOTSUP,
			"port %u: the buffers of pool %s lie in %u memory regions with different keys: use a single region, such as --mp-alloc=native",
			d->from.port, d->from.pool->name, d->from.regions);
	while (*rx_ops != NULL && !rx_ops_fit(*rx_ops, rx, &d->from))
		rx_ops++;
	while (*tx_ops != NULL && !tx_ops_fit(*tx_ops, tx, &d->to))
		tx_ops++;
	if (*rx_ops == NULL)
		return err_set(e, ENOTSUP, "port %u: %s: expected a vector function", d->from.port,
			d->from.path);
	if (*tx_ops == NULL)
		return err_set(e, ENOTSUP,
			"port %u: %s: unsupported transmit function: expected a vector function, for mlx5_pci Enhanced MPW or No MPW",
			d->to.port, d->to.path);
	d->rx_ops = *rx_ops;
	d->tx_ops = *tx_ops;
	return 0;
}

/* The lowest bit of offloads; 0: none. */
static uint64_t
first_of(uint64_t offloads)
{
	return offloads & ~(offloads - 1);
}

/*
 * Refuse offloads, which need fields of mbufs. The RSS hash is only stored in the mbuf, and fast
 * free applies to the driver's own functions. net_virtio does not report queues, and has no offloads
 * of single queues.
 */
static int
offloads_check(const struct direct *d, struct err *e)
{
	struct rte_eth_rxq_info rxq = { 0 };
	struct rte_eth_txq_info txq = { 0 };
	struct rte_eth_conf rx = { 0 }, tx = { 0 };
	const int rx_ret = rte_eth_rx_queue_info_get(d->from.port, d->from.queue, &rxq),
		  tx_ret = rte_eth_tx_queue_info_get(d->to.port, d->to.queue, &txq);
	uint64_t bit;

	if ((rx_ret != 0 && rx_ret != -ENOTSUP) || (tx_ret != 0 && tx_ret != -ENOTSUP) ||
		rte_eth_dev_conf_get(d->from.port, &rx) != 0 ||
		rte_eth_dev_conf_get(d->to.port, &tx) != 0)
		return err_set(e, ENOTSUP, "port %u: its configuration cannot be read",
			d->from.port);
	bit = first_of((rxq.conf.offloads | rx.rxmode.offloads) & ~RTE_ETH_RX_OFFLOAD_RSS_HASH);
	if (bit != 0)
		return err_set(e, ENOTSUP, "port %u: Rx offload %s needs mbufs: disable it",
			d->from.port, rte_eth_dev_rx_offload_name(bit));
	bit = first_of(
		(txq.conf.offloads | tx.txmode.offloads) & ~RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE);
	if (bit != 0)
		return err_set(e, ENOTSUP, "port %u: Tx offload %s needs mbufs: disable it",
			d->to.port, rte_eth_dev_tx_offload_name(bit));
	return 0;
}

/* Refuse packets of several buffers. */
static int
packets_check(const struct direct *d, struct err *e)
{
	const uint16_t room = rte_pktmbuf_data_room_size(d->from.pool) - RTE_PKTMBUF_HEADROOM;
	struct rte_eth_rxq_info rxq = { 0 };
	uint16_t mtu;

	if (rte_eth_dev_get_mtu(d->from.port, &mtu) != 0)
		return err_set(e, ENOTSUP, "port %u: its MTU cannot be read", d->from.port);
	rte_eth_rx_queue_info_get(d->from.port, d->from.queue, &rxq);
	if (rxq.scattered_rx != 0 || mtu + RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN > room)
		return err_set(e, ENOTSUP,
			"port %u: packets of MTU %u may need several buffers of %u bytes: use a smaller MTU or --mbuf-size",
			d->from.port, mtu, room);
	return 0;
}

/* Of all mbufs of a pool: their IOVAs minus their addresses; the lowest and the highest address. */
struct distance {
	uint64_t iova;
	bool any, differs;
	uintptr_t first, last;
};

static void
distance_add(struct rte_mempool *mp, void *opaque, void *mbuf, unsigned int i)
{
	struct distance *all = opaque;
	const uint64_t one = rte_mempool_virt2iova(mbuf) - (uintptr_t)mbuf;

	all->differs = all->differs || (all->any && one != all->iova);
	all->iova = one;
	all->first = all->any ? RTE_MIN(all->first, (uintptr_t)mbuf) : (uintptr_t)mbuf;
	all->last = RTE_MAX(all->last, (uintptr_t)mbuf);
	all->any = true;
}

/* Check that the address of an mbuf determines the address and the IOVA of its data. */
static int
pool_check(struct direct *d, struct err *e)
{
	struct rte_mempool *mp = d->from.pool;
	const struct rte_pktmbuf_pool_private *pool = rte_mempool_get_priv(mp);
	struct distance all = { 0 };

	if ((pool->flags & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF) != 0)
		return err_set(e, ENOTSUP, "pool %s: its buffers are outside of its mbufs",
			mp->name);
	rte_mempool_obj_iter(mp, distance_add, &all);
	if (!all.any || all.differs)
		return err_set(e, ENOTSUP,
			"pool %s: IOVAs of its buffers do not follow from their addresses: use --iova-mode=va",
			mp->name);
	d->iova = all.iova;
	d->pool_first = all.first;
	d->pool_end = all.last + mp->elt_size;
	d->data_at = sizeof(struct rte_mbuf) + rte_pktmbuf_priv_size(mp) + RTE_PKTMBUF_HEADROOM;
	return 0;
}

/* Decide in which batches mbufs move from one end to the other. */
static int
batches_set(struct direct *d, struct err *e)
{
	const uint16_t rx = d->from.batch, tx = d->to.batch;

	d->batch = RTE_MAX(rx, tx);
	d->batch = RTE_MAX(d->batch, BATCH_MIN);
	if (d->batch > DIRECT_BATCH_MAX || d->batch % rx != 0 || d->batch % tx != 0 ||
		!rte_is_power_of_2(d->batch))
		return err_set(e, ENOTSUP,
			"port %u sends in batches of %u, and port %u receives in batches of %u: expected powers of 2 up to %u",
			d->to.port, tx, d->from.port, rx, DIRECT_BATCH_MAX);
	d->few = RTE_MIN(d->from.size / 2, 2 * d->batch);
	d->to.wanted = d->batch;
	return 0;
}

/* Fill in both ends. */
static int
queues_bind(struct direct *d, bool slots, struct err *e)
{
	const char *rx, *tx;

	if (driver_find(d->from.port, &rx, e) != 0 || driver_find(d->to.port, &tx, e) != 0 ||
		offloads_check(d, e) != 0 || ops_find(d, rx, tx, e) != 0 ||
		packets_check(d, e) != 0 || batches_set(d, e) != 0 ||
		(d->rx_ops->check != NULL && d->rx_ops->check(d, e) != 0) ||
		d->tx_ops->check(d, e) != 0 || pool_check(d, e) != 0)
		return -e->code;
	if (direct_observed(d))
		return err_set(e, ENOTSUP,
			"port %u or %u: captures, \"set verbose\" and latency statistics need mbufs: end them first",
			d->from.port, d->to.port);
	d->receive = d->rx_ops->receive;
	d->send = d->tx_ops->send;
	if (d->from.laid.by != SHIM_BY_TABLE || d->to.laid.by != SHIM_BY_TABLE)
		d->proof.state = RECYCLE_PROVING;
	d->asks = asks(d) || d->proof.state != RECYCLE_PROVED;
	d->slots.allowed = slots && direct_slots_possible(d);
	if (d->to.list_size > 0)
		d->to.list = rte_malloc_socket("direct_list",
			d->to.list_size * sizeof(d->to.list[0]), 0,
			rte_eth_dev_socket_id(d->from.port));
	return d->to.list_size == 0 || d->to.list != NULL
		? 0
		: err_set(e, ENOMEM, "no memory to bind queues");
}

struct shim_layouts
direct_layouts(bool tables_only)
{
	return recycle_layouts(tables_only);
}

struct direct *
direct_bind(const struct recycle_ends *ends, const struct shim_layouts *known, bool slots,
	const struct direct_count *count, struct err *e)
{
	const struct rte_eth_fp_ops *rx = &rte_eth_fp_ops[ends->rx_port],
				    *tx = &rte_eth_fp_ops[ends->tx_port];
	struct direct *d =
		rte_zmalloc_socket("direct", sizeof(*d), CACHE_PAIR, shim_socket(ends->rx_port));

	if (d == NULL) {
		err_set(e, ENOMEM, "no memory to bind queues");
		return NULL;
	}
	d->count = *count;
	d->from = (struct shim_rx){ .known = known,
		.port = ends->rx_port,
		.queue = ends->rx_queue,
		.rxq = rx->rxq.data[ends->rx_queue],
		.burst = rx->rx_pkt_burst };
	d->to = (struct shim_tx){ .known = known,
		.port = ends->tx_port,
		.queue = ends->tx_queue,
		.txq = tx->txq.data[ends->tx_queue],
		.burst = tx->tx_pkt_burst };
	if (queues_bind(d, slots, e) == 0) {
		d->from.known = d->to.known = NULL;
		return d;
	}
	direct_unbind(d);
	return NULL;
}

void
direct_unbind(struct direct *d)
{
	if (d != NULL)
		rte_free(d->to.list);
	rte_free(d);
}
