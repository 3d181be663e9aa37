/* Recycling for net_i40e (Intel XL710 and its kin): the vector receive functions; the vector and
 * the simple transmit functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "pmd_shims/intel/i40e_layout.h"

#include <rte_ethdev.h>
#include <rte_version.h>

#include <errno.h>
#include <string.h>

static int
rx_bind(struct shim_rx *rx, struct err *e)
{
	const struct intel_rx_layout *l = shim_layout(i40e_rx_layouts, ARRAY_SIZE(i40e_rx_layouts),
		sizeof(i40e_rx_layouts[0]));

	intel_path("net_i40e", rx->port, rx->queue, true, rx->path);
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
	const struct intel_tx_layout *l = shim_layout(i40e_tx_layouts, ARRAY_SIZE(i40e_tx_layouts),
		sizeof(i40e_tx_layouts[0]));
	bool simple, bare;

	intel_path("net_i40e", tx->port, tx->queue, false, tx->path);
	simple = strstr(tx->path, " Scalar Simple") != NULL;
	if (l == NULL)
		return err_set(e, ENOTSUP, "net_i40e: nobody has looked at the queues of %s",
			rte_version());
	if (!simple && strstr(tx->path, " Vector ") == NULL)
		return err_set(e, ENOTSUP,
			"port %u: %s: keeps sent mbufs in chains; offloads other than fast free select it",
			tx->port, tx->path);
	bare = !simple && (l->bare || strstr(tx->path, " AVX512") != NULL);
	/* Of AVX2's batches zc_cache saves a little, of the others nothing (doc/benchmarks.md). */
	tx->caches = shim_fast_free(tx) && strstr(tx->path, " AVX2") == NULL;
	tx->caches_once = tx->caches && bare;
	return intel_tx_bind(tx, l, bare ? 8 : 16, simple, e);
}

const struct shim_driver shim_i40e = { .name = "net_i40e", .rx_bind = rx_bind, .tx_bind = tx_bind };
