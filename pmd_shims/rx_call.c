/* Bugs of vector receive functions, by the names of driver and function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/rx_call.h"

#include "base/base.h"

#include <rte_ethdev.h>

#include <string.h>

/* True if the driver's vector functions have both bugs. */
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
