/* How many packets a driver may be asked for in one receive call, by its name and that of its
 * receive function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/rx_call.h"

#include "base/base.h"

#include <rte_ethdev.h>

#include <string.h>

uint16_t
rx_call_max(uint16_t port, uint16_t queue)
{
	static const char *const rows[] = { "net_i40e", "net_ice", "net_iavf" };
	const uint16_t refill = 32;
	struct rte_eth_burst_mode mode;
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(port, &info) != 0)
		return UINT16_MAX;
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i], info.driver_name) == 0)
			return rte_eth_rx_burst_mode_get(port, queue, &mode) != 0 ||
					strstr(mode.info, "Vector") != NULL
				? refill
				: UINT16_MAX;
	return UINT16_MAX;
}
