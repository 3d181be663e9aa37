/* Intel XL710 and its kin: the vector receive functions; the vector and the simple transmit functions. */
#include "base.h"
#include "err.h"
#include "intel.h"

#include <rte_ethdev.h>
#include <rte_version.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct intel_rx_layout rx_layouts[] = {
	{ "DPDK 22.11.11", .pool = 0, .ring = 8, .sw_ring = 24, .size = 32, .tail = 36, .fake = 64,
		.rearm_n = 712, .rearm_start = 714, .port = 728, .queue = 732, .doorbell = 744,
		.desc_size = 32 },
};

static const struct intel_tx_layout tx_layouts[] = {
	{ "DPDK 22.11.11", .size = 0, .ring = 16, .sw_ring = 24, .tail = 32, .free = 52,
		.rs_thresh = 56, .port = 62, .queue = 64, .next_done = 80, .done_offset = 8,
		.done_mask = 0xf },
};

/* "Vector AVX2", "Scalar Simple", as the driver calls its function. */
static void
path_read(uint16_t port, uint16_t queue, bool rx, char path[SHIM_PATH])
{
	struct rte_eth_burst_mode mode = { 0 };
	int ret = rx ? rte_eth_rx_burst_mode_get(port, queue, &mode)
		     : rte_eth_tx_burst_mode_get(port, queue, &mode);

	snprintf(path, SHIM_PATH, "net_i40e %.32s", ret == 0 ? mode.info : "unknown");
}

static int
rx_bind(struct shim_rx *rx, struct err *e)
{
	const struct intel_rx_layout *l =
		shim_layout(rx_layouts, ARRAY_SIZE(rx_layouts), sizeof(rx_layouts[0]));

	path_read(rx->port, rx->queue, true, rx->path);
	if (l == NULL)
		return err_set(e, ENOTSUP, "net_i40e: nobody has looked at the queues of %s",
			rte_version());
	if (strstr(rx->path, " Vector ") == NULL)
		return err_set(e, ENOTSUP,
			"port %u: %s: refills its ring while it receives, so that nothing is left to fill",
			rx->port, rx->path);
	return intel_rx_bind(rx, l, e);
}

static int
tx_bind(struct shim_tx *tx, struct err *e)
{
	const struct intel_tx_layout *l =
		shim_layout(tx_layouts, ARRAY_SIZE(tx_layouts), sizeof(tx_layouts[0]));
	bool simple;

	path_read(tx->port, tx->queue, false, tx->path);
	simple = strstr(tx->path, " Scalar Simple") != NULL;
	if (l == NULL)
		return err_set(e, ENOTSUP, "net_i40e: nobody has looked at the queues of %s",
			rte_version());
	if (!simple && strstr(tx->path, " Vector ") == NULL)
		return err_set(e, ENOTSUP,
			"port %u: %s: keeps sent mbufs in chains; offloads other than fast free select it",
			tx->port, tx->path);
	return intel_tx_bind(tx, l, strstr(tx->path, " AVX512") != NULL ? 8 : 16, simple, e);
}

const struct shim_driver shim_i40e = { .name = "net_i40e", .rx_bind = rx_bind, .tx_bind = tx_bind };
