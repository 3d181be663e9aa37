/* Reproducers of faults of net_null, net_ring and mempool drivers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "reproduce.h"

#include <rte_mbuf_pool_ops.h>

/* net_null with copy=1: what is sent has to come back to its pool. */
static void
null_copy(void)
{
	const char *const more[] = { "--vdev=net_null0,copy=1", NULL };
	struct rte_mempool *pool;

	eal_start(NULL, 128, more);
	pool = pool_make("pool", 255);
	port_setup(0, pool, &(struct setup){ 0 });
	packets_send(0, pool, 64);
	pool_judge(pool, 255, "64 packets sent");
}

/* net_ring: packets in the rings of a port that is closed. */
static void
ring_close(void)
{
	const char *const more[] = { "--vdev=net_ring0", NULL };
	struct rte_mempool *pool;

	eal_start(NULL, 128, more);
	pool = pool_make("pool", 255);
	port_setup(0, pool, &(struct setup){ 0 });
	packets_send(0, pool, 64);
	rte_eth_dev_stop(0);
	rte_eth_dev_close(0);
	pool_judge(pool, 255, "closed with 64 packets in the port's own ring");
}

/* A question about a port that was stopped gets an answer. */
static void
ethdev_stopped(void)
{
	const char *const more[] = { "--vdev=net_null0", NULL };

	eal_start(NULL, 128, more);
	port_setup(0, pool_make("pool", 255), &(struct setup){ 0 });
	must(rte_eth_dev_stop(0) == 0, "rte_eth_dev_stop()");
	end(GREEN, "rte_eth_rx_queue_count() of a stopped port returned %d",
		rte_eth_rx_queue_count(0, 0));
}

/* A pool of the driver bucket gives out all its mbufs: NINE of them are in a bucket of a small page. */
enum { NINE = 9, NINE_ROOM = 192 };

static void
bucket(unsigned int n)
{
	struct rte_mempool *pool;
	unsigned int got = 0;
	void *m;

	eal_start(NULL, 128, NULL);
	pool = rte_pktmbuf_pool_create_by_ops("pool", n, 0, 0, NINE_ROOM, SOCKET_ID_ANY, "bucket");
	must(pool != NULL, "rte_pktmbuf_pool_create_by_ops()");
	while (got < n && rte_mempool_get(pool, &m) == 0)
		got++;
	end(got == n ? GREEN : RED, "a pool of %u mbufs gives out %u", n, got);
}

static void
bucket_whole(void)
{
	bucket(50 * NINE);
}

static void
bucket_power(void)
{
	bucket(64 * NINE);
}

static void
bucket_partial(void)
{
	bucket(50 * NINE + 4);
}

const struct fault faults_others[] = {
	{ "null-copy", { { "copy=1", null_copy } } },
	{ "ring-close", { { "", ring_close } } },
	{ "ethdev-stopped", { { "", ethdev_stopped } } },
	{ "bucket",
		{ { "50 buckets", bucket_whole }, { "64 buckets", bucket_power },
			{ "50 buckets and 4 mbufs", bucket_partial } } },
	{ .name = NULL },
};
