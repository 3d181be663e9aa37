/* Preloaded: each port reports every fifth packet that it sent as a transmit error, or does not report it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_ethdev.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int
rte_eth_stats_get(uint16_t port, struct rte_eth_stats *stats)
{
	void *const found = dlsym(RTLD_NEXT, "rte_eth_stats_get");
	int (*dpdk)(uint16_t, struct rte_eth_stats *);
	int ret;

	memcpy(&dpdk, &found, sizeof(dpdk));
	ret = dpdk(port, stats);
	stats->oerrors = stats->opackets / 5;
	stats->opackets -= stats->oerrors;
	if (getenv("TX_ERRORS_HIDDEN") != NULL)
		stats->oerrors = 0;
	return ret;
}
