/* Chooses the shim's functions for a queue by the name of the driver's burst function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/intel/intel_named.h"

#include "base/err.h"
#include "pmd_shims/recycle/intel/i40e_layout.h"

#include <errno.h>
#include <string.h>

/* Since this release simple functions keep and free sent mbufs in the same way as vector ones. */
enum { SIMPLE_AS_VECTOR = SHIM_RELEASE(26, 3, 0) };

/* True for the path of a driver that does not report its burst mode. */
static bool
path_unknown(const char *path)
{
	return strstr(path, " unknown") != NULL;
}

int
intel_named_rx_bind(struct shim_rx *rx, const char *driver, const struct shim_table *t,
	struct err *e)
{
	const struct intel_rx_layout *l = shim_layout_find(rx->known, t, &rx->laid, e);

	intel_path(driver, rx->port, rx->queue, true, rx->path);
	if (l == NULL)
		return -ENOTSUP;
	if (path_unknown(rx->path))
		return err_set(e, ENOTSUP,
			"port %u: %s of this DPDK does not say which receive function it chose",
			rx->port, driver);
	if (strstr(rx->path, " Vector ") == NULL)
		return err_set(e, ENOTSUP,
			"port %u: %s: refills its ring while it receives, so no slot is left to recycle into",
			rx->port, rx->path);
	return intel_rx_bind(rx, l, e);
}

int
intel_named_tx_bind(struct shim_tx *tx, const char *driver, const struct shim_table *t,
	struct intel_tx_kind *kind, struct err *e)
{
	const struct intel_tx_layout *l = shim_layout_find(tx->known, t, &tx->laid, e);
	bool simple;

	intel_path(driver, tx->port, tx->queue, false, tx->path);
	if (l == NULL)
		return -ENOTSUP;
	if (path_unknown(tx->path))
		return err_set(e, ENOTSUP,
			"port %u: %s of this DPDK does not say which transmit function it chose",
			tx->port, driver);
	simple = strstr(tx->path, " Scalar Simple") != NULL;
	if (!simple && strstr(tx->path, " Vector ") == NULL)
		return err_set(e, ENOTSUP,
			"port %u: %s: keeps sent mbufs in chains; selected by any offload other than fast free",
			tx->port, tx->path);
	kind->simple = simple && l->releases.first < SIMPLE_AS_VECTOR;
	kind->bare = !kind->simple && (l->bare || strstr(tx->path, " AVX512") != NULL);
	tx->caches = tx->caches_once = shim_fast_free(tx) && kind->bare;
	return intel_tx_bind(tx, l, kind->bare ? 8 : 16, kind->simple, e);
}

/* True if two layouts are equal except for their releases. */
#define SAME_FIELDS(a, b) \
	(memcmp((const char *)(a) + sizeof(struct shim_releases), \
		 (const char *)(b) + sizeof(struct shim_releases), \
		 sizeof(*(a)) - sizeof(struct shim_releases)) == 0)

const char *
intel_named_rx_end(const struct intel_rx_layout *l)
{
	return SAME_FIELDS(l, &i40e_rx_layouts[I40E_RX_25_07]) ? "i40e_25" : NULL;
}

const char *
intel_named_tx_end(const struct intel_tx_layout *l)
{
	if (SAME_FIELDS(l, &i40e_tx_layouts[I40E_TX_26_07]))
		return "i40e_26";
	return SAME_FIELDS(l, &i40e_tx_layouts[I40E_TX_25_07]) ? "i40e_25" : NULL;
}
