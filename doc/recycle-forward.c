/* Forwards between ports 0 and 1 with mbuf recycling: cc recycle-forward.c $(pkg-config --cflags --libs
 * libdpdk libzcfwd-recycle) */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <zcfwd/recycle.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t quit;

static void
on_signal(int number)
{
	quit = 1;
}

static int
port_start(uint16_t port, struct rte_mempool *pool)
{
	static const struct rte_eth_conf conf;

	return rte_eth_dev_configure(port, 1, 1, &conf) != 0 ||
		rte_eth_rx_queue_setup(port, 0, 512, SOCKET_ID_ANY, NULL, pool) != 0 ||
		rte_eth_tx_queue_setup(port, 0, 512, SOCKET_ID_ANY, NULL) != 0 ||
		rte_eth_dev_start(port) != 0;
}

int
main(int argc, char **argv)
{
	struct zcfwd_recycle *recycle[2];
	struct zcfwd_recycle_error e = { 0 };
	struct rte_mempool *pool;
	struct rte_mbuf *pkts[32];

	if (rte_eal_init(argc, argv) < 0)
		return 1;
	pool = rte_pktmbuf_pool_create("pool", 8191, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	if (pool == NULL || port_start(0, pool) != 0 || port_start(1, pool) != 0)
		return 1;
	for (uint16_t p = 0; p < 2; p++) {
		const struct zcfwd_recycle_queue tx = { .port = 1 - p, .queue = 0 };

		recycle[p] = zcfwd_recycle_create(p, 0, &e);
		if (recycle[p] == NULL || zcfwd_recycle_bind(recycle[p], &tx, 1, NULL, &e) != 1)
			fprintf(stderr, "port %u forwards without recycling: %s\n", p, e.text);
	}
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	for (uint16_t p = 0; !quit; p = 1 - p) {
		uint16_t n, sent;

		zcfwd_recycle_run(recycle[p]);
		n = rte_eth_rx_burst(p, 0, pkts, 32);
		sent = rte_eth_tx_burst(1 - p, 0, pkts, n);
		rte_pktmbuf_free_bulk(pkts + sent, n - sent);
	}
	for (uint16_t p = 0; p < 2; p++) {
		uint64_t moved = 0;

		zcfwd_recycle_stats(recycle[p], &moved, 1);
		printf("port %u: %" PRIu64 " mbufs recycled\n", p, moved);
		zcfwd_recycle_destroy(recycle[p]);
		rte_eth_dev_stop(p);
	}
	return rte_eal_cleanup();
}
