/* Forwards between ports 0 and 1 with mbuf recycling:
 * cc recycle-forward.c $(pkg-config --cflags --libs libzcfwd-recycle libdpdk) */
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
	quit = number;
}

int
main(int argc, char **argv)
{
	static const struct rte_eth_conf conf;
	struct zcfwd_recycle *recycle[2];
	struct zcfwd_recycle_error e = { 0 };
	struct rte_mempool *pool;
	struct rte_mbuf *pkts[32];
	uint64_t moved;

	if (rte_eal_init(argc, argv) < 0 || rte_eth_dev_count_avail() < 2)
		return 1;
	pool = rte_pktmbuf_pool_create("pool", 8191, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE, -1);
	for (uint16_t p = 0; p < 2; p++)
		if (pool == NULL || rte_eth_dev_configure(p, 1, 1, &conf) != 0 ||
			rte_eth_rx_queue_setup(p, 0, 512, SOCKET_ID_ANY, NULL, pool) != 0 ||
			rte_eth_tx_queue_setup(p, 0, 512, SOCKET_ID_ANY, NULL) != 0 ||
			rte_eth_dev_start(p) != 0)
			return 1;
	for (uint16_t p = 0; p < 2; p++) {
		recycle[p] = zcfwd_recycle_create(p, 0, &e);
		if (recycle[p] == NULL || zcfwd_recycle_add(recycle[p],
			(struct zcfwd_recycle_queue){ 1 - p, 0 }, &e) != 0)
			fprintf(stderr, "port %u forwards without recycling: %s\n", p, e.text);
	}
	signal(SIGTERM, on_signal);
	fprintf(stderr, "forwarding until SIGTERM\n");
	for (uint16_t p = 0, n, sent; !quit; p = 1 - p) {
		zcfwd_recycle_run(recycle[p]);
		n = rte_eth_rx_burst(p, 0, pkts, 32);
		sent = rte_eth_tx_burst(1 - p, 0, pkts, n);
		rte_pktmbuf_free_bulk(pkts + sent, n - sent);
	}
	for (uint16_t p = 0; p < 2; p++) {
		moved = 0;
		if (recycle[p] != NULL)
			zcfwd_recycle_stats(recycle[p], &moved, 1);
		zcfwd_recycle_destroy(recycle[p]);
		printf("port %u: %" PRIu64 " mbufs recycled\n", p, moved);
		rte_eth_dev_stop(p);
	}
	return rte_eal_cleanup();
}
