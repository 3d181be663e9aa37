/* Preloaded: each port reports a transmit error for every fourth packet that it sent. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_ethdev.h>

#include <dlfcn.h>
#include <string.h>

int
rte_eth_stats_get(uint16_t port, struct rte_eth_stats *stats)
{
	void *const found = dlsym(RTLD_NEXT, "rte_eth_stats_get");
	int (*dpdk)(uint16_t, struct rte_eth_stats *);
	int ret;

	memcpy(&dpdk, &found, sizeof(dpdk));
	ret = dpdk(port, stats);
	stats->oerrors = stats->opackets / 4;
	return ret;
}
