/* Bugs of vector receive functions, by the names of driver and function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/rx_call.h"

#include "base/base.h"

#include <rte_ethdev.h>
#include <rte_version.h>

#include <string.h>

/* True if the driver's vector functions read old descriptors. */
static bool
listed(uint16_t port)
{
	static const char *const rows[] = { "net_i40e", "net_ice", "net_iavf" };
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(port, &info) != 0)
		return false;
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i], info.driver_name) == 0)
			return true;
	return false;
}

uint16_t
rx_call_max(uint16_t port, uint16_t queue)
{
	const uint16_t refill = 32;
	struct rte_eth_burst_mode mode;

	if (!listed(port))
		return UINT16_MAX;
	return rte_eth_rx_burst_mode_get(port, queue, &mode) != 0 ||
			strstr(mode.info, "Vector") != NULL
		? refill
		: UINT16_MAX;
}

bool
rx_call_repeats(uint16_t port, uint16_t queue)
{
	struct rte_eth_burst_mode mode;

	return listed(port) && rte_eth_rx_burst_mode_get(port, queue, &mode) == 0 &&
		strstr(mode.info, "Vector") != NULL && strstr(mode.info, " AVX") != NULL;
}

/* Drivers whose vector functions arm 64 descriptors as soon as more are free: of 64 that is never so. */
static const struct {
	const char *driver;
	unsigned int first, last; /* DPDK releases */
} short_rings[] = {
	{ "net_ice", RTE_VERSION_NUM(22, 11, 0, 0), RTE_VERSION_NUM(25, 11, 99, 99) },
	{ "net_i40e", RTE_VERSION_NUM(25, 7, 0, 0), RTE_VERSION_NUM(25, 11, 99, 99) },
	{ "net_iavf", RTE_VERSION_NUM(25, 7, 0, 0), RTE_VERSION_NUM(25, 11, 99, 99) },
	{ "net_ixgbe", RTE_VERSION_NUM(25, 7, 0, 0), RTE_VERSION_NUM(25, 11, 99, 99) },
};

bool
rx_call_never_refills(uint16_t port, uint16_t queue)
{
	struct rte_eth_dev_info info;
	struct rte_eth_rxq_info rxq;
	struct rte_eth_burst_mode mode;

	if (rte_eth_dev_info_get(port, &info) != 0 ||
		rte_eth_rx_queue_info_get(port, queue, &rxq) != 0 || rxq.nb_desc > 64 ||
		rte_eth_rx_burst_mode_get(port, queue, &mode) != 0 ||
		strstr(mode.info, "Vector") == NULL)
		return false;
	for (unsigned int i = 0; i < ARRAY_SIZE(short_rings); i++)
		if (strcmp(short_rings[i].driver, info.driver_name) == 0)
			return RTE_VERSION >= short_rings[i].first &&
				RTE_VERSION <= short_rings[i].last;
	return false;
}
