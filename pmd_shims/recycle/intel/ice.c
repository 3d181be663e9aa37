/* Recycling for net_ice (Intel E810 and E830): the vector receive functions; the vector and the
 * simple transmit functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "pmd_shims/recycle/intel/ice_layout.h"
#include "pmd_shims/recycle/intel/intel_named.h"

#include <errno.h>

static const struct shim_table rx_table = { "ice_rx", ice_rx_layouts, ARRAY_SIZE(ice_rx_layouts),
	sizeof(ice_rx_layouts[0]), intel_rx_fields, intel_rx_bytes, INTEL_RX_N_FIELDS, 0 };
static const struct shim_table tx_table = { "ice_tx", ice_tx_layouts, ARRAY_SIZE(ice_tx_layouts),
	sizeof(ice_tx_layouts[0]), intel_tx_fields, intel_tx_bytes, INTEL_TX_N_FIELDS,
	SHIM_ALL_SAME };

static int
rx_bind(struct shim_rx *rx, struct err *e)
{
	int ret = intel_named_rx_bind(rx, "net_ice", &rx_table, e);

	if (ret == 0)
		rx->end = rx->layout == &ice_rx_layouts[ICE_RX_22_11]
			? "ice_22"
			: intel_named_rx_end(rx->layout);
	return ret;
}

static int
tx_bind(struct shim_tx *tx, struct err *e)
{
	struct intel_tx_kind kind;
	int ret = intel_named_tx_bind(tx, "net_ice", &tx_table, &kind, e);

	if (ret != 0)
		return ret;
	/*
	 * In packages built for all processors, the code that frees mbufs at a stop is compiled for
	 * entries of 16 bytes. This happens with and without recycling.
	 */
	if (kind.bare && tx->layout == &ice_tx_layouts[ICE_TX_22_11])
		return err_set(e, ENOTSUP,
			"port %u: %s: driver bug up to DPDK 24.11: frees the wrong mbufs when the port stops: use --force-max-simd-bitwidth=256",
			tx->port, tx->path);
	if (!kind.simple)
		tx->end = tx->layout == &ice_tx_layouts[ICE_TX_22_11]
			? "ice_22"
			: intel_named_tx_end(tx->layout);
	return 0;
}

const struct shim_driver shim_ice = { .name = "net_ice",
	.rx_bind = rx_bind,
	.tx_bind = tx_bind,
	.tables = { &rx_table, &tx_table } };
