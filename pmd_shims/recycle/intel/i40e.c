/* Recycling for net_i40e (Intel XL710 and similar): the vector receive functions; the vector and
 * the simple transmit functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "pmd_shims/recycle/intel/i40e_layout.h"
#include "pmd_shims/recycle/intel/intel_named.h"

#include <string.h>

static const struct shim_table rx_table = { "i40e_rx", i40e_rx_layouts, ARRAY_SIZE(i40e_rx_layouts),
	sizeof(i40e_rx_layouts[0]), intel_rx_fields, intel_rx_bytes, INTEL_RX_N_FIELDS, 0 };
static const struct shim_table tx_table = { "i40e_tx", i40e_tx_layouts, ARRAY_SIZE(i40e_tx_layouts),
	sizeof(i40e_tx_layouts[0]), intel_tx_fields, intel_tx_bytes, INTEL_TX_N_FIELDS,
	SHIM_ALL_SAME };

static int
rx_bind(struct shim_rx *rx, struct err *e)
{
	int ret = intel_named_rx_bind(rx, "net_i40e", &rx_table, e);

	if (ret == 0)
		rx->end = rx->layout == &i40e_rx_layouts[I40E_RX_22_11]
			? "i40e_22"
			: intel_named_rx_end(rx->layout);
	return ret;
}

static const char *
tx_end(const struct intel_tx_layout *l, const struct intel_tx_kind *kind)
{
	if (kind->simple)
		return NULL;
	/* The two differ only in fields that no loop reads. */
	if (l == &i40e_tx_layouts[I40E_TX_22_11] || l == &i40e_tx_layouts[I40E_TX_24_03])
		return kind->bare ? "i40e_22_8" : "i40e_22_16";
	return intel_named_tx_end(l);
}

static int
tx_bind(struct shim_tx *tx, struct err *e)
{
	struct intel_tx_kind kind;
	int ret = intel_named_tx_bind(tx, "net_i40e", &tx_table, &kind, e);

	if (ret != 0)
		return ret;
	/* Mode zc_cache saves a little with AVX2, nothing with the others (doc/benchmarks.md). */
	tx->caches = shim_fast_free(tx) && strstr(tx->path, " AVX2") == NULL;
	tx->end = tx_end(tx->layout, &kind);
	return 0;
}

const struct shim_driver shim_i40e = { .name = "net_i40e",
	.rx_bind = rx_bind,
	.tx_bind = tx_bind,
	.tables = { &rx_table, &tx_table } };
