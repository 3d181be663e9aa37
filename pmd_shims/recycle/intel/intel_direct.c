/* Forwarding without mbufs between queues of net_i40e and net_ixgbe. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/intel/intel_direct.h"

#include "base/err.h"
#include "pmd_shims/recycle/intel/intel.h"
#include "pmd_shims/recycle/intel/intel_rows.h"

#include <rte_bitops.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <errno.h>
#include <string.h>

enum {
	BATCHES_MAX = 8, /* batches of sent mbufs per call */
	REARM_MAX = 64,  /* mbufs that a driver rearms at a time, at most */
};

/* A chip's formats of descriptors; all words are the second of two 64-bit words. */
struct intel_direct_format {
	unsigned int length_at; /* in a completed Rx descriptor */
	uint64_t length_mask;
	uint64_t done, whole, error;
	uint64_t command;  /* of a Tx descriptor for a whole packet */
	uint64_t report;   /* ask the NIC to report that it was sent */
	uint64_t per_byte; /* times the packet's length: added to command */
};

/* Intel XL710 datasheet, 8.3.2.2 and 8.4.2.1. */
static const struct intel_direct_format xl710 = { .length_at = 38,
	.length_mask = 0x3fff,
	.done = 1,
	.whole = 2,
	.error = UINT64_C(1) << 19,
	.command = 0x5 << 4,
	.report = 0x2 << 4,
	.per_byte = UINT64_C(1) << 34 };

/* Intel 82599 datasheet, 7.1.6.2 and 7.2.3.2.4. */
static const struct intel_direct_format i82599 = { .length_at = 32,
	.length_mask = 0xffff,
	.done = 1,
	.whole = 2,
	.error = UINT64_C(1) << 29,
	.command = UINT64_C(0x23300000),
	.report = UINT64_C(0x08000000),
	.per_byte = UINT64_C(1) << 46 | 1 };

static inline uint64_t
word_load(const char *desc, unsigned int which)
{
	return rte_le_to_cpu_64(((const volatile uint64_t *)(const void *)desc)[which]);
}

static inline void
word_store(char *desc, unsigned int which, uint64_t value)
{
	((volatile uint64_t *)(void *)desc)[which] = rte_cpu_to_le_64(value);
}

/* Two queues, with layouts and formats as compile-time constants. */
struct ends {
	const struct intel_rx_layout *rx;
	const struct intel_tx_layout *tx;
	size_t stride; /* of the Tx queue's entries */
};

/* Arm the mbufs at from, stride bytes from one to the next, in the next batch of free slots. */
static __rte_always_inline void
slots_arm(const struct intel_direct *d, const struct intel_rx_layout *l, const char *from,
	size_t stride)
{
	const uint16_t slot = shim_u16(d->from.rxq, l->rearm_start);
	struct rte_mbuf **slots = (struct rte_mbuf **)shim_pointer(d->from.rxq, l->sw_ring) + slot;
	char *desc = (char *)shim_pointer(d->from.rxq, l->ring) + slot * l->desc_size;
	const uint64_t address = d->data_at + d->iova;

	for (uint16_t i = 0; i < l->rearm; i++) {
		struct rte_mbuf *m = *(struct rte_mbuf *const *)(const void *)(from + i * stride);

		slots[i] = m;
		/* The second word is 0: no header buffer, and not done. */
		word_store(desc + i * l->desc_size, 0, (uintptr_t)m + address);
		word_store(desc + i * l->desc_size, 1, 0);
	}
	intel_armed(&d->from, l);
}

/* Return a batch of sent mbufs to the pool. */
static __rte_noinline void
batch_free(struct intel_direct *d, const struct shim_mbufs *sent)
{
	/* Mbufs that were sent by other functions may have other references. */
	for (uint16_t i = 0; i < sent->n; i++)
		rte_pktmbuf_free_seg(shim_mbuf(sent, i));
	d->unknown -= RTE_MIN(d->unknown, sent->n);
	counter_add(d->count.freed, sent->n);
}

/*
 * Arm mbufs of the pool, so that packets can be received although many wait to be sent. If the
 * pool has too few, sent packets have to come first.
 */
static __rte_noinline void
top_up(struct intel_direct *d)
{
	const struct intel_rx_layout *l = d->from.layout;
	void *mbufs[REARM_MAX];

	if (rte_mempool_get_bulk(d->from.pool, mbufs, l->rearm) != 0)
		return;
	slots_arm(d, l, (const char *)mbufs, sizeof(mbufs[0]));
	counter_add(d->count.topped_up, l->rearm);
}

/* The mbufs in the Tx ring were sent by other functions. */
static __rte_noinline void
begin(struct intel_direct *d)
{
	const struct intel_tx_layout *l = d->to.layout;

	d->unknown = shim_u16(d->to.txq, l->size) - 1 - shim_u16(d->to.txq, l->free);
	d->begun = true;
}

/* Re-arm sent mbufs, and leave room for packets in the Tx ring. */
static __rte_always_inline void
rearm(struct intel_direct *d, struct ends ends)
{
	const uint16_t size = shim_u16(d->from.rxq, ends.rx->size);

	if (unlikely(!d->begun))
		begin(d);
	for (unsigned int i = 0; i < BATCHES_MAX; i++) {
		const bool room = shim_u16(d->from.rxq, ends.rx->rearm_n) > d->to.batch;
		struct shim_mbufs sent;

		if (!room && likely(shim_u16(d->to.txq, ends.tx->free) >= d->to.batch))
			return;
		sent = intel_sent(&d->to, ends.tx, ends.stride);
		if (sent.n == 0)
			break;
		if (unlikely(!room || d->unknown > 0))
			batch_free(d, &sent);
		else
			for (uint16_t at = 0; at < sent.n; at += ends.rx->rearm)
				slots_arm(d, ends.rx, (const char *)sent.first + at * ends.stride,
					ends.stride);
		intel_taken(&d->to, ends.tx, &sent);
	}
	if (shim_u16(d->from.rxq, ends.rx->rearm_n) > RTE_MIN(size / 2, 2 * ends.rx->rearm))
		top_up(d);
}

/* An intel_direct_rx. */
static __rte_always_inline uint16_t
receive(struct intel_direct *d, struct intel_direct_pkt *pkts, uint16_t max, struct ends ends,
	const struct intel_direct_format *f)
{
	const struct intel_rx_layout *l = ends.rx;
	void *rxq = d->from.rxq;
	const char *ring = shim_pointer(rxq, l->ring);
	struct rte_mbuf *const *slots = shim_pointer(rxq, l->sw_ring);
	const uint16_t mask = shim_u16(rxq, l->size) - 1, tail = shim_u16(rxq, l->tail);
	const uintptr_t data_at = d->data_at;
	uint16_t n, open;
	uint64_t odd = 0;

	rearm(d, ends);
	open = shim_u16(rxq, l->rearm_n);
	/*
	 * Free slots may look done, but the armed slot before them never does: the NIC does not
	 * own it, since the tail register points to it.
	 */
	max = RTE_MIN(max, shim_u16(d->to.txq, ends.tx->free));
	for (n = 0; n < max; n++) {
		const uint16_t slot = (tail + n) & mask;
		const uint64_t word = word_load(ring + slot * l->desc_size, 1);

		if ((word & f->done) == 0)
			break;
		odd |= word ^ f->whole;
		pkts[n].data = (uint8_t *)slots[slot] + data_at;
		pkts[n].length = word >> f->length_at & f->length_mask;
	}
	/* Packets are read after the words that show them as received. */
	rte_io_rmb();
	d->any_bad = (odd & (f->whole | f->error)) != 0;
	shim_u16_set(rxq, l->tail, (tail + n) & mask);
	shim_u16_set(rxq, l->rearm_n, open + n);
	return n;
}

/* An intel_direct_tx. */
static __rte_always_inline void
transmit(struct intel_direct *d, const struct intel_direct_pkt *pkts, uint16_t n,
	const struct intel_tx_layout *l, size_t stride, const struct intel_direct_format *f)
{
	void *txq = d->to.txq;
	char *ring = shim_pointer(txq, l->ring), *entries = shim_pointer(txq, l->sw_ring);
	const uint16_t size = shim_u16(txq, l->size), thresh = shim_u16(txq, l->rs_thresh);
	const uintptr_t data_at = d->data_at;
	const uint64_t iova = d->iova;
	uint16_t tail = shim_u16(txq, l->tail), next_rs = shim_u16(txq, l->next_rs);

	if (unlikely(n == 0))
		return;
	shim_u16_set(txq, l->free, shim_u16(txq, l->free) - n);
	while (n > 0) {
		/* next_rs is in the ring and not before the tail. */
		const uint16_t run = RTE_MIN(n, next_rs + 1 - tail);
		char *desc = ring + tail * INTEL_TX_DESC, *entry = entries + tail * stride;

		for (uint16_t i = 0; i < run; i++) {
			*(struct rte_mbuf **)(void *)(entry + i * stride) =
				(struct rte_mbuf *)(void *)(pkts[i].data - data_at);
			word_store(desc + i * INTEL_TX_DESC, 0, (uintptr_t)pkts[i].data + iova);
			word_store(desc + i * INTEL_TX_DESC, 1,
				f->command + pkts[i].length * f->per_byte);
		}
		tail += run;
		pkts += run;
		n -= run;
		if (tail <= next_rs)
			break;
		word_store(desc + (run - 1) * INTEL_TX_DESC, 1,
			f->command + f->report + pkts[-1].length * f->per_byte);
		next_rs += thresh;
		if (tail == size) {
			tail = 0;
			next_rs = thresh - 1;
		}
	}
	shim_u16_set(txq, l->next_rs, next_rs);
	shim_u16_set(txq, l->tail, tail);
	rte_write32(rte_cpu_to_le_32(tail), shim_pointer(txq, l->doorbell));
}

static uint16_t
i40e_to_i40e_8(struct intel_direct *d, struct intel_direct_pkt *pkts, uint16_t max)
{
	return receive(d, pkts, max, (struct ends){ I40E_RX_BUILT, I40E_TX_BUILT, 8 }, &xl710);
}

static uint16_t
i40e_to_i40e_16(struct intel_direct *d, struct intel_direct_pkt *pkts, uint16_t max)
{
	return receive(d, pkts, max, (struct ends){ I40E_RX_BUILT, I40E_TX_BUILT, 16 }, &xl710);
}

static uint16_t
i40e_to_ixgbe(struct intel_direct *d, struct intel_direct_pkt *pkts, uint16_t max)
{
	return receive(d, pkts, max, (struct ends){ I40E_RX_BUILT, IXGBE_TX_BUILT, 8 }, &xl710);
}

static uint16_t
ixgbe_to_i40e_8(struct intel_direct *d, struct intel_direct_pkt *pkts, uint16_t max)
{
	return receive(d, pkts, max, (struct ends){ IXGBE_RX_BUILT, I40E_TX_BUILT, 8 }, &i82599);
}

static uint16_t
ixgbe_to_i40e_16(struct intel_direct *d, struct intel_direct_pkt *pkts, uint16_t max)
{
	return receive(d, pkts, max, (struct ends){ IXGBE_RX_BUILT, I40E_TX_BUILT, 16 }, &i82599);
}

static uint16_t
ixgbe_to_ixgbe(struct intel_direct *d, struct intel_direct_pkt *pkts, uint16_t max)
{
	return receive(d, pkts, max, (struct ends){ IXGBE_RX_BUILT, IXGBE_TX_BUILT, 8 }, &i82599);
}

static void
i40e_tx_8(struct intel_direct *d, const struct intel_direct_pkt *pkts, uint16_t n)
{
	transmit(d, pkts, n, I40E_TX_BUILT, 8, &xl710);
}

static void
i40e_tx_16(struct intel_direct *d, const struct intel_direct_pkt *pkts, uint16_t n)
{
	transmit(d, pkts, n, I40E_TX_BUILT, 16, &xl710);
}

static void
ixgbe_tx(struct intel_direct *d, const struct intel_direct_pkt *pkts, uint16_t n)
{
	transmit(d, pkts, n, IXGBE_TX_BUILT, 8, &i82599);
}

/* The drivers whose descriptors are known, and their layouts at compile time. */
static const struct chip {
	const char *driver;
	const struct intel_direct_format *format;
	const struct intel_rx_layout *rx;
	const struct intel_tx_layout *tx;
} chips[] = {
	{ "net_i40e", &xl710, I40E_RX_BUILT, I40E_TX_BUILT },
	{ "net_ixgbe", &i82599, IXGBE_RX_BUILT, IXGBE_TX_BUILT },
};

/* The functions for two queues. */
static const struct pair {
	const struct chip *rx, *tx;
	const struct shim_tx_ops *entries; /* of 8 or 16 bytes */
	intel_direct_rx *receive;
	intel_direct_tx *send;
} pairs[] = {
	{ &chips[0], &chips[0], &intel_tx_ops_8, i40e_to_i40e_8, i40e_tx_8 },
	{ &chips[0], &chips[0], &intel_tx_ops_16, i40e_to_i40e_16, i40e_tx_16 },
	{ &chips[0], &chips[1], &intel_tx_ops_8, i40e_to_ixgbe, ixgbe_tx },
	{ &chips[1], &chips[0], &intel_tx_ops_8, ixgbe_to_i40e_8, i40e_tx_8 },
	{ &chips[1], &chips[0], &intel_tx_ops_16, ixgbe_to_i40e_16, i40e_tx_16 },
	{ &chips[1], &chips[1], &intel_tx_ops_8, ixgbe_to_ixgbe, ixgbe_tx },
};

uint16_t
intel_direct_drop_bad(struct intel_direct *d, struct intel_direct_pkt *pkts, uint16_t n)
{
	const struct intel_rx_layout *l = d->from.layout;
	const struct intel_direct_format *f = d->format;
	const uint16_t mask = shim_u16(d->from.rxq, l->size) - 1,
		       first = shim_u16(d->from.rxq, l->tail) - n;
	const char *ring = shim_pointer(d->from.rxq, l->ring);
	uint16_t kept = 0;

	/* The descriptors are those of the last burst until the next call. */
	for (uint16_t i = 0; i < n; i++) {
		const char *desc = ring + ((first + i) & mask) * l->desc_size;

		if (((word_load(desc, 1) ^ f->whole) & (f->whole | f->error)) != 0)
			rte_mempool_put(d->from.pool, pkts[i].data - d->data_at);
		else
			pkts[kept++] = pkts[i];
	}
	return kept;
}

static const struct chip *
chip_of(uint16_t port, struct err *e)
{
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(port, &info) != 0) {
		err_set(e, ENOTSUP, "port %u: no such port", port);
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(chips); i++)
		if (strcmp(chips[i].driver, info.driver_name) == 0)
			return &chips[i];
	err_set(e, ENOTSUP, "port %u: driver %s: expected net_i40e or net_ixgbe", port,
		info.driver_name);
	return NULL;
}

/* The lowest bit of offloads; 0: none. */
static uint64_t
first_of(uint64_t offloads)
{
	return offloads & ~(offloads - 1);
}

/*
 * Refuse offloads, which need fields of mbufs. The RSS hash is only stored in the mbuf, and fast
 * free applies to the driver's own functions.
 */
static int
offloads_check(const struct recycle_ends *ends, const struct rte_eth_rxq_info *rxq,
	const struct rte_eth_txq_info *txq, struct err *e)
{
	struct rte_eth_conf rx = { 0 }, tx = { 0 };
	uint64_t bit;

	if (rte_eth_dev_conf_get(ends->rx_port, &rx) != 0 ||
		rte_eth_dev_conf_get(ends->tx_port, &tx) != 0)
		return err_set(e, ENOTSUP, "port %u: its configuration cannot be read",
			ends->rx_port);
	bit = first_of((rxq->conf.offloads | rx.rxmode.offloads) & ~RTE_ETH_RX_OFFLOAD_RSS_HASH);
	if (bit != 0)
		return err_set(e, ENOTSUP, "port %u: Rx offload %s needs mbufs: disable it",
			ends->rx_port, rte_eth_dev_rx_offload_name(bit));
	bit = first_of(
		(txq->conf.offloads | tx.txmode.offloads) & ~RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE);
	if (bit != 0)
		return err_set(e, ENOTSUP, "port %u: Tx offload %s needs mbufs: disable it",
			ends->tx_port, rte_eth_dev_tx_offload_name(bit));
	return 0;
}

/* Refuse packets of several buffers, and offloads. */
static int
packets_check(const struct recycle_ends *ends, struct err *e)
{
	struct rte_eth_rxq_info rxq;
	struct rte_eth_txq_info txq;
	uint16_t mtu, room;

	if (rte_eth_rx_queue_info_get(ends->rx_port, ends->rx_queue, &rxq) != 0 ||
		rte_eth_tx_queue_info_get(ends->tx_port, ends->tx_queue, &txq) != 0 ||
		rte_eth_dev_get_mtu(ends->rx_port, &mtu) != 0)
		return err_set(e, ENOTSUP, "port %u: its queues cannot be read", ends->rx_port);
	room = rte_pktmbuf_data_room_size(rxq.mp) - RTE_PKTMBUF_HEADROOM;
	if (rxq.scattered_rx != 0 || mtu + RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN > room)
		return err_set(e, ENOTSUP,
			"port %u: packets of MTU %u may need several buffers of %u bytes: use a smaller MTU or --mbuf-size",
			ends->rx_port, mtu, room);
	return offloads_check(ends, &rxq, &txq, e);
}

/* Of all mbufs of a pool: their IOVAs minus their addresses. */
struct distance {
	uint64_t iova;
	bool any, differs;
};

static void
distance_add(struct rte_mempool *mp, void *opaque, void *mbuf, unsigned int i)
{
	struct distance *all = opaque;
	const uint64_t one = rte_mempool_virt2iova(mbuf) - (uintptr_t)mbuf;

	all->differs = all->differs || (all->any && one != all->iova);
	all->iova = one;
	all->any = true;
}

/* Check that the address of an mbuf determines the address and the IOVA of its data. */
static int
pool_check(struct intel_direct *d, struct err *e)
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
	d->data_at = sizeof(struct rte_mbuf) + rte_pktmbuf_priv_size(mp) + RTE_PKTMBUF_HEADROOM;
	return 0;
}

/* Check what the two layouts say of each other and of the next packet to be reported. */
static int
queues_check(const struct intel_direct *d, struct err *e)
{
	const struct intel_rx_layout *rx = d->from.layout;
	const struct intel_tx_layout *tx = d->to.layout;
	const uint16_t size = shim_u16(d->from.rxq, rx->size),
		       thresh = shim_u16(d->to.txq, tx->rs_thresh),
		       tail = shim_u16(d->to.txq, tx->tail);

	if (d->from.laid.by != SHIM_BY_TABLE || d->to.laid.by != SHIM_BY_TABLE)
		return err_set(e, ENOTSUP,
			"port %u: queue layouts of this DPDK release were not run: use engine recycle_mbufs",
			d->from.port);
	if (!rte_is_power_of_2(size) || rx->rearm > REARM_MAX || d->to.batch % rx->rearm != 0)
		return err_set(e, ENOTSUP,
			"port %u sends in batches of %u: expected a multiple of %u, the batch that port %u receives in",
			d->to.port, d->to.batch, rx->rearm, d->from.port);
	if (tx->next_rs == SHIM_NONE || tx->doorbell == SHIM_NONE ||
		shim_u16(d->to.txq, tx->next_rs) != tail / thresh * thresh + thresh - 1 ||
		shim_owned(shim_pointer(d->to.txq, tx->doorbell), 1))
		return err_set(e, ENOTSUP, "port %u: transmit queue %u is not laid out as in %s",
			d->to.port, d->to.queue, d->to.laid.as);
	return 0;
}

/* Fill in both ends. */
static int
queues_bind(struct intel_direct *d, const struct recycle_ends *ends, struct err *e)
{
	const struct chip *rx = chip_of(ends->rx_port, e),
			  *tx = rx != NULL ? chip_of(ends->tx_port, e) : NULL;

	if (tx == NULL || packets_check(ends, e) != 0 ||
		shim_driver_of(rx->driver)->rx_bind(&d->from, e) != 0 ||
		shim_driver_of(tx->driver)->tx_bind(&d->to, e) != 0 || queues_check(d, e) != 0 ||
		pool_check(d, e) != 0)
		return -e->code;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].rx == rx && pairs[i].tx == tx && pairs[i].entries == d->to.ops) {
			d->rx = pairs[i].receive;
			d->tx = pairs[i].send;
		}
	if (d->rx == NULL)
		return err_set(e, ENOTSUP, "port %u: %s: expected a vector function", d->to.port,
			d->to.path);
	if (memcmp(rx->rx, d->from.layout, sizeof(*rx->rx)) != 0 ||
		memcmp(tx->tx, d->to.layout, sizeof(*tx->tx)) != 0)
		return err_set(e, ENOTSUP,
			"port %u: queue layouts of %s differ from those of the release that this program was built with",
			d->from.port, rte_version());
	d->format = rx->format;
	if (intel_direct_observed(d))
		return err_set(e, ENOTSUP,
			"port %u or %u: captures, \"set verbose\" and latency statistics need mbufs: end them first",
			ends->rx_port, ends->tx_port);
	if (d->to.list_size > 0)
		d->to.list = rte_malloc("direct_list", d->to.list_size * sizeof(d->to.list[0]), 0);
	return d->to.list_size == 0 || d->to.list != NULL
		? 0
		: err_set(e, ENOMEM, "no memory to bind queues");
}

struct intel_direct *
intel_direct_bind(const struct recycle_ends *ends, const struct intel_direct_count *count,
	struct err *e)
{
	const struct rte_eth_fp_ops *rx = &rte_eth_fp_ops[ends->rx_port],
				    *tx = &rte_eth_fp_ops[ends->tx_port];
	struct intel_direct *d = rte_zmalloc("direct", sizeof(*d), CACHE_PAIR);

	if (d == NULL) {
		err_set(e, ENOMEM, "no memory to bind queues");
		return NULL;
	}
	d->count = *count;
	d->from = (struct shim_rx){ .port = ends->rx_port,
		.queue = ends->rx_queue,
		.rxq = rx->rxq.data[ends->rx_queue],
		.burst = rx->rx_pkt_burst };
	d->to = (struct shim_tx){ .port = ends->tx_port,
		.queue = ends->tx_queue,
		.txq = tx->txq.data[ends->tx_queue],
		.burst = tx->tx_pkt_burst };
	if (queues_bind(d, ends, e) == 0)
		return d;
	intel_direct_unbind(d);
	return NULL;
}

void
intel_direct_unbind(struct intel_direct *d)
{
	if (d != NULL)
		rte_free(d->to.list);
	rte_free(d);
}
