/* Recycling for net_i40e (Intel XL710 and its kin): the vector receive functions; the vector and
 * the simple transmit functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "pmd_shims/intel/i40e_layout.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <string.h>

static const struct shim_table rx_table = { "i40e_rx", i40e_rx_layouts, ARRAY_SIZE(i40e_rx_layouts),
	sizeof(i40e_rx_layouts[0]), intel_rx_fields, intel_rx_bytes, INTEL_RX_N_FIELDS };
static const struct shim_table tx_table = { "i40e_tx", i40e_tx_layouts, ARRAY_SIZE(i40e_tx_layouts),
	sizeof(i40e_tx_layouts[0]), intel_tx_fields, intel_tx_bytes, INTEL_TX_N_FIELDS };

static int
rx_bind(struct shim_rx *rx, struct err *e)
{
	const struct intel_rx_layout *l = shim_layout_find(rx->known, &rx_table, &rx->laid, e);

	intel_path("net_i40e", rx->port, rx->queue, true, rx->path);
	if (l == NULL)
		return -ENOTSUP;
	if (strstr(rx->path, " Vector ") == NULL)
		return err_set(e, ENOTSUP,
			"port %u: %s: refills its ring while it receives, so that nothing is left to fill",
			rx->port, rx->path);
	rx->end = l == &i40e_rx_layouts[I40E_RX_22_11] ? "i40e_22"
		: l == &i40e_rx_layouts[I40E_RX_25_07] ? "i40e_25"
						       : NULL;
	return intel_rx_bind(rx, l, e);
}

static const char *
tx_end(const struct intel_tx_layout *l, bool bare)
{
	/* They differ in what no loop reads. */
	if (l == &i40e_tx_layouts[I40E_TX_22_11] || l == &i40e_tx_layouts[I40E_TX_24_03])
		return bare ? "i40e_22_8" : "i40e_22_16";
	return l == &i40e_tx_layouts[I40E_TX_25_07] ? "i40e_25" : NULL;
}

static int
tx_bind(struct shim_tx *tx, struct err *e)
{
	const struct intel_tx_layout *l = shim_layout_find(tx->known, &tx_table, &tx->laid, e);
	bool simple, bare;

	intel_path("net_i40e", tx->port, tx->queue, false, tx->path);
	simple = strstr(tx->path, " Scalar Simple") != NULL;
	if (l == NULL)
		return -ENOTSUP;
	if (!simple && strstr(tx->path, " Vector ") == NULL)
		return err_set(e, ENOTSUP,
			"port %u: %s: keeps sent mbufs in chains; offloads other than fast free select it",
			tx->port, tx->path);
	bare = !simple && (l->bare || strstr(tx->path, " AVX512") != NULL);
	/* Of AVX2's batches zc_cache saves a little, of the others nothing (doc/benchmarks.md). */
	tx->caches = shim_fast_free(tx) && strstr(tx->path, " AVX2") == NULL;
	tx->caches_once = tx->caches && bare;
	tx->end = simple ? NULL : tx_end(l, bare);
	return intel_tx_bind(tx, l, bare ? 8 : 16, simple, e);
}

const struct shim_driver shim_i40e = { .name = "net_i40e",
	.rx_bind = rx_bind,
	.tx_bind = tx_bind,
	.tables = { &rx_table, &tx_table } };
