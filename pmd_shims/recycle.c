/* What is the same for every driver: binding, which mbufs may be armed, and what becomes of those that may not. */
#include "recycle.h"

#include "err.h"
#include "gate.h"
#include "shim.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <errno.h>
#include <string.h>

enum { BATCH_MAX = 64, BATCHES_MAX = 8 /* per run: the burst functions want their turn too */ };

struct recycle {
	struct shim_rx rx;
	struct shim_tx tx;
	enum recycle_mode mode;
	struct recycle_ends ends;
	struct recycle_count count;
};

/* The driver of a started port that has such a queue. */
static const struct shim_driver *
driver_of(uint16_t port, uint16_t queue, bool rx, struct err *e)
{
	struct rte_eth_dev_info info;
	unsigned int i;

	if (!rte_eth_dev_is_valid_port(port) || rte_eth_dev_info_get(port, &info) != 0) {
		err_set(e, EINVAL, "port %u: no such port", port);
		return NULL;
	}
	if (queue >= (rx ? info.nb_rx_queues : info.nb_tx_queues)) {
		err_set(e, EINVAL, "port %u: no %s queue %u", port, rx ? "receive" : "transmit",
			queue);
		return NULL;
	}
	for (i = 0; shim_drivers[i] != NULL; i++)
		if (strcmp(shim_drivers[i]->name, info.driver_name) == 0)
			return shim_drivers[i];
	err_set(e, ENOTSUP, "port %u: driver %s cannot be paired", port, info.driver_name);
	return NULL;
}

static int
bind_rx(struct shim_rx *rx, struct err *e)
{
	const struct shim_driver *driver = driver_of(rx->port, rx->queue, true, e);

	if (driver == NULL)
		return -e->code;
	rx->rxq = rte_eth_fp_ops[rx->port].rxq.data[rx->queue];
	rx->burst = rte_eth_fp_ops[rx->port].rx_pkt_burst;
	return driver->rx_bind(rx, e);
}

static int
bind_tx(struct shim_tx *tx, struct err *e)
{
	const struct shim_driver *driver = driver_of(tx->port, tx->queue, false, e);

	if (driver == NULL)
		return -e->code;
	tx->txq = rte_eth_fp_ops[tx->port].txq.data[tx->queue];
	tx->burst = rte_eth_fp_ops[tx->port].tx_pkt_burst;
	return driver->tx_bind(tx, e);
}

struct recycle *
recycle_bind(const struct recycle_ends *ends, enum recycle_mode mode, struct err *e)
{
	struct recycle *r = rte_zmalloc("recycle", sizeof(*r), CACHE_PAIR);

	if (r == NULL) {
		err_set(e, ENOMEM, "no memory to pair queues");
		return NULL;
	}
	r->ends = *ends;
	r->mode = mode;
	r->rx = (struct shim_rx){ .port = ends->rx_port, .queue = ends->rx_queue };
	r->tx = (struct shim_tx){ .port = ends->tx_port, .queue = ends->tx_queue };
	if (bind_rx(&r->rx, e) != 0 || bind_tx(&r->tx, e) != 0)
		goto refused;
	if (r->tx.batch % r->rx.batch != 0 || r->rx.batch > BATCH_MAX) {
		err_set(e, ENOTSUP,
			"port %u sends in batches of %u: want a multiple of %u, which port %u receives in",
			r->tx.port, r->tx.batch, r->rx.batch, r->rx.port);
		goto refused;
	}
	return r;
refused:
	rte_free(r);
	return NULL;
}

void
recycle_unbind(struct recycle *r)
{
	rte_free(r);
}

bool
recycle_stands(const struct recycle *r)
{
	const struct rte_eth_fp_ops *rx = &rte_eth_fp_ops[r->rx.port],
				    *tx = &rte_eth_fp_ops[r->tx.port];

	return rx->rx_pkt_burst == r->rx.burst && rx->rxq.data[r->rx.queue] == r->rx.rxq &&
		tx->tx_pkt_burst == r->tx.burst && tx->txq.data[r->tx.queue] == r->tx.txq;
}

static struct rte_mbuf *
mbuf_at(const struct shim_mbufs *mbufs, uint16_t i)
{
	return *(struct rte_mbuf *const *)(const void *)((const char *)mbufs->first +
		i * mbufs->stride);
}

/* Sent mbufs that this thread gives up; those of the pool are kept in kept[]. Returns how many. */
static uint16_t
release(struct recycle *r, const struct shim_mbufs *mbufs, struct rte_mbuf **kept)
{
	uint16_t n = 0;

	for (uint16_t i = 0; i < mbufs->n; i++) {
		struct rte_mbuf *m = rte_pktmbuf_prefree_seg(mbuf_at(mbufs, i));

		if (m == NULL) {
			counter_add(&r->count.shared, 1);
		} else if (m->pool == r->rx.pool) {
			kept[n++] = m;
		} else {
			counter_add(&r->count.foreign, 1);
			rte_mempool_put(m->pool, m);
		}
	}
	return n;
}

/* To the pool with all of them. */
static void
give_up(struct recycle *r, const struct shim_mbufs *mbufs)
{
	struct rte_mbuf *kept[BATCH_MAX];
	uint16_t n;

	for (uint16_t i = 0; i < mbufs->n; i += BATCH_MAX) {
		struct shim_mbufs some = *mbufs;

		some.first = (const char *)mbufs->first + i * mbufs->stride;
		some.n = RTE_MIN(mbufs->n - i, BATCH_MAX);
		n = release(r, &some, kept);
		if (n > 0)
			rte_mempool_put_bulk(r->rx.pool, (void *const *)kept, n);
		counter_add(&r->count.freed, n);
	}
}

/* A batch of which some may not be armed: fill up from the pool, or let go of it. Returns mbufs moved. */
static uint16_t
mend(struct recycle *r, const struct shim_mbufs *mbufs)
{
	struct rte_mbuf *kept[BATCH_MAX];
	const struct shim_mbufs full = { .first = kept, .stride = sizeof(kept[0]), .n = mbufs->n };
	uint16_t n = release(r, mbufs, kept), missing = mbufs->n - n;

	if (missing > 0 &&
		(n == 0 || rte_mempool_get_bulk(r->rx.pool, (void **)(kept + n), missing) != 0)) {
		if (n > 0)
			rte_mempool_put_bulk(r->rx.pool, (void *const *)kept, n);
		counter_add(&r->count.freed, n);
		r->rx.ops->park(&r->rx);
		return 0;
	}
	counter_add(&r->count.topped_up, missing);
	r->rx.ops->arm(&r->rx, &full, true);
	return n;
}

/* How many mbufs to arm in one go, of n that there are. */
static uint16_t
step_of(const struct recycle *r, uint16_t n)
{
	return r->rx.batch > 1 ? r->rx.batch : RTE_MIN(n, BATCH_MAX);
}

/* Sent mbufs into the Rx ring, as far as there is room. Returns mbufs moved. */
static uint16_t
move(struct recycle *r, const struct shim_mbufs *sent, uint16_t room)
{
	uint16_t usable = RTE_MIN(sent->n, room), done = 0, moved = 0;
	struct shim_mbufs part = { .first = sent->first, .stride = sent->stride };

	for (; done + r->rx.batch <= usable; done += part.n) {
		part.n = step_of(r, usable - done);
		moved += likely(r->rx.ops->arm(&r->rx, &part, false)) ? part.n : mend(r, &part);
		part.first = (const char *)part.first + part.n * part.stride;
	}
	if (done < sent->n) {
		part.n = sent->n - done;
		give_up(r, &part);
	}
	return moved;
}

static uint16_t
run_ring(struct recycle *r)
{
	uint16_t moved = 0;

	for (unsigned int i = 0; i < BATCHES_MAX; i++) {
		uint16_t room = r->rx.ops->room(&r->rx);
		struct shim_mbufs sent;

		if (room == 0)
			break;
		sent = r->tx.ops->sent(&r->tx);
		if (sent.n == 0)
			break;
		moved += move(r, &sent, room);
		r->tx.ops->taken(&r->tx, &sent);
	}
	return moved;
}

/* Sent mbufs onto the top of the lcore's cache; those that may not go there where they belong. */
static void
cache_put(struct recycle *r, struct rte_mempool_cache *cache, const struct shim_mbufs *sent)
{
	struct rte_mbuf **top = (struct rte_mbuf **)&cache->objs[cache->len];
	struct gate gate = gate_open(r->rx.pool);

	if (cache->len + sent->n > cache->flushthresh) {
		give_up(r, sent);
		return;
	}
	for (uint16_t i = 0; i < sent->n; i++) {
		top[i] = mbuf_at(sent, i);
		gate_look(&gate, top[i]);
	}
	cache->len += likely(gate_passed(&gate)) ? sent->n : release(r, sent, top);
}

static uint16_t
run_cache(struct recycle *r)
{
	struct rte_mempool_cache *cache = rte_mempool_default_cache(r->rx.pool, rte_lcore_id());
	uint16_t room, moved = 0;

	for (unsigned int i = 0; cache != NULL && i < BATCHES_MAX; i++) {
		struct shim_mbufs sent = r->tx.ops->sent(&r->tx);

		if (sent.n == 0)
			break;
		cache_put(r, cache, &sent);
		r->tx.ops->taken(&r->tx, &sent);
	}
	for (room = r->rx.ops->room(&r->rx);
		cache != NULL && room >= r->rx.batch && cache->len >= r->rx.batch;) {
		struct shim_mbufs part = { .stride = sizeof(void *),
			.n = step_of(r, RTE_MIN(cache->len, room)) };

		cache->len -= part.n;
		part.first = &cache->objs[cache->len];
		r->rx.ops->arm(&r->rx, &part, true);
		room -= part.n;
		moved += part.n;
	}
	return moved;
}

uint16_t
recycle_run(struct recycle *r)
{
	uint16_t moved;

	if (unlikely(!recycle_stands(r)))
		return 0;
	moved = r->mode == RECYCLE_RING ? run_ring(r) : run_cache(r);
	if (moved > 0)
		counter_add(&r->count.moved, moved);
	return moved;
}

const struct recycle_count *
recycle_count(const struct recycle *r)
{
	return &r->count;
}

const struct recycle_ends *
recycle_ends(const struct recycle *r)
{
	return &r->ends;
}

const char *
recycle_rx_path(const struct recycle *r)
{
	return r->rx.path;
}

const char *
recycle_tx_path(const struct recycle *r)
{
	return r->tx.path;
}
