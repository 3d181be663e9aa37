/* Recycling for net_iavf (virtual functions of Intel XL710 and E810) since DPDK 25.07: the vector
 * functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before 25.07 neither the driver nor its queues reveal which functions it uses.
 */
#include "base/base.h"
#include "base/err.h"
#include "pmd_shims/recycle/intel/iavf_layout.h"
#include "pmd_shims/recycle/intel/intel_named.h"

#include <errno.h>
#include <string.h>

static const struct shim_table rx_table = { "iavf_rx", iavf_rx_layouts, ARRAY_SIZE(iavf_rx_layouts),
	sizeof(iavf_rx_layouts[0]), intel_rx_fields, intel_rx_bytes, INTEL_RX_N_FIELDS,
	SHIM_RELEASE(25, 7, 0) };
static const struct shim_table tx_table = { "iavf_tx", iavf_tx_layouts, ARRAY_SIZE(iavf_tx_layouts),
	sizeof(iavf_tx_layouts[0]), intel_tx_fields, intel_tx_bytes, INTEL_TX_N_FIELDS,
	SHIM_ALL_SAME };

static int
rx_bind(struct shim_rx *rx, struct err *e)
{
	struct rte_eth_rxq_info info;
	int ret = intel_named_rx_bind(rx, "net_iavf", &rx_table, e);

	if (ret != 0)
		return ret;
	/*
	 * It refills a batch once rx_free_thresh slots are free, even if that is less than a batch.
	 */
	if (strstr(rx->path, " SSE") != NULL &&
		rte_eth_rx_queue_info_get(rx->port, rx->queue, &info) == 0 &&
		info.conf.rx_free_thresh < rx->batch)
		return err_set(e, ENOTSUP,
			"port %u: %s: refills %u slots when more than %u are free: use --rxfreet=%u",
			rx->port, rx->path, rx->batch, info.conf.rx_free_thresh, rx->batch);
	rx->end = intel_named_rx_end(rx->layout);
	return 0;
}

static int
tx_bind(struct shim_tx *tx, struct err *e)
{
	struct intel_tx_kind kind;
	int ret = intel_named_tx_bind(tx, "net_iavf", &tx_table, &kind, e);

	if (ret != 0)
		return ret;
	if (strstr(tx->path, " Ctx") != NULL)
		return err_set(e, ENOTSUP,
			"port %u: %s: has two descriptors for each packet; selected by VLAN insertion and outer checksum offloads",
			tx->port, tx->path);
	tx->end = intel_named_tx_end(tx->layout);
	return 0;
}

const struct shim_driver shim_iavf = { .name = "net_iavf",
	.rx_bind = rx_bind,
	.tx_bind = tx_bind,
	.tables = { &rx_table, &tx_table } };
