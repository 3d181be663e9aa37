/* Recycling for net_i40e, net_iavf and net_ice: the shim's functions for a queue by the name of the driver's burst function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/intel/intel.h"
#include "pmd_shims/recycle/intel/intel_rows.h"

#include <errno.h>
#include <string.h>

/* How a transmit function stores the mbufs that are not sent yet. */
struct intel_tx_kind {
	bool bare;   /* as bare pointers, otherwise as pointers in entries of 16 bytes */
	bool simple; /* in entries that it clears after it has freed the mbufs */
};

/* Since this release simple functions keep and free sent mbufs in the same way as vector ones. */
enum { SIMPLE_AS_VECTOR = SHIM_RELEASE(26, 3, 0) };

/* True for the path of a driver that does not report its burst mode. */
static bool
path_unknown(const char *path)
{
	return strstr(path, " unknown") != NULL;
}

/*
 * Find the layout of the running release, then check and bind the queue by intel_rx_bind() or
 * intel_tx_bind(). They also fill path, laid and *kind. Errors: -ENOTSUP.
 */
static int
intel_named_rx_bind(struct shim_rx *rx, const char *driver, const struct shim_table *t,
	struct zcfwd_recycle_error *e)
{
	const struct intel_rx_layout *l = shim_layout_find(rx->known, t, &rx->laid, e);

	intel_path(driver, rx->port, rx->queue, true, rx->path);
	if (l == NULL)
		return -ENOTSUP;
	if (path_unknown(rx->path))
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s of this DPDK does not say which receive function it chose",
			rx->port, driver);
	if (strstr(rx->path, " Vector ") == NULL)
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s: refills its ring while it receives, so no slot is left to recycle into",
			rx->port, rx->path);
	return intel_rx_bind(rx, l, e);
}

static int
intel_named_tx_bind(struct shim_tx *tx, const char *driver, const struct shim_table *t,
	struct intel_tx_kind *kind, struct zcfwd_recycle_error *e)
{
	const struct intel_tx_layout *l = shim_layout_find(tx->known, t, &tx->laid, e);
	bool simple;

	intel_path(driver, tx->port, tx->queue, false, tx->path);
	if (l == NULL)
		return -ENOTSUP;
	if (path_unknown(tx->path))
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s of this DPDK does not say which transmit function it chose",
			tx->port, driver);
	simple = strstr(tx->path, " Scalar Simple") != NULL;
	if (!simple && strstr(tx->path, " Vector ") == NULL)
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s: keeps sent mbufs in chains; selected by any offload other than fast free",
			tx->port, tx->path);
	kind->simple = simple && l->releases.first < SIMPLE_AS_VECTOR;
	kind->bare = !kind->simple && (l->bare || strstr(tx->path, " AVX512") != NULL);
	tx->caches = shim_fast_free(tx) && kind->bare;
	return intel_tx_bind(tx, l, kind->bare ? 8 : 16, kind->simple, e);
}

/* Recycling for net_i40e (Intel XL710 and similar): the vector receive functions; the vector and
 * the simple transmit functions. */

static const struct shim_table rx_table = { "i40e_rx", i40e_rx_layouts, RTE_DIM(i40e_rx_layouts),
	sizeof(i40e_rx_layouts[0]), intel_rx_fields, intel_rx_bytes, INTEL_RX_N_FIELDS };
static const struct shim_table tx_table = { "i40e_tx", i40e_tx_layouts, RTE_DIM(i40e_tx_layouts),
	sizeof(i40e_tx_layouts[0]), intel_tx_fields, intel_tx_bytes, INTEL_TX_N_FIELDS };

static int
rx_bind(struct shim_rx *rx, struct zcfwd_recycle_error *e)
{
	return intel_named_rx_bind(rx, "net_i40e", &rx_table, e);
}

static int
tx_bind(struct shim_tx *tx, struct zcfwd_recycle_error *e)
{
	struct intel_tx_kind kind = { 0 };

	return intel_named_tx_bind(tx, "net_i40e", &tx_table, &kind, e);
}

const struct shim_driver shim_i40e = { .name = "net_i40e",
	.rx_bind = rx_bind,
	.tx_bind = tx_bind,
	.tables = { &rx_table, &tx_table } };

/* Recycling for net_iavf (virtual functions of Intel XL710 and E810) since DPDK 25.07: the vector
 * functions. */

/*
 * Before 25.07 neither the driver nor its queues reveal which functions it uses.
 */
#include "pmd_shims/recycle/intel/intel_rows.h"

#include <errno.h>
#include <string.h>

static const struct shim_table iavf_rx_table = { "iavf_rx", iavf_rx_layouts,
	RTE_DIM(iavf_rx_layouts), sizeof(iavf_rx_layouts[0]), intel_rx_fields, intel_rx_bytes,
	INTEL_RX_N_FIELDS };
static const struct shim_table iavf_tx_table = { "iavf_tx", iavf_tx_layouts,
	RTE_DIM(iavf_tx_layouts), sizeof(iavf_tx_layouts[0]), intel_tx_fields, intel_tx_bytes,
	INTEL_TX_N_FIELDS };

static int
iavf_rx_bind(struct shim_rx *rx, struct zcfwd_recycle_error *e)
{
	struct rte_eth_rxq_info info;
	int ret = intel_named_rx_bind(rx, "net_iavf", &iavf_rx_table, e);

	if (ret != 0)
		return ret;
	/*
	 * It refills a batch once rx_free_thresh slots are free, even if that is less than a batch.
	 */
	if (strstr(rx->path, " SSE") != NULL &&
		rte_eth_rx_queue_info_get(rx->port, rx->queue, &info) == 0 &&
		info.conf.rx_free_thresh < rx->batch)
		return shim_refuse(e, ZCFWD_RECYCLE_SIZES,
			"port %u: %s: refills %u slots when more than %u are free: use rx_free_thresh %u",
			rx->port, rx->path, rx->batch, info.conf.rx_free_thresh, rx->batch);
	return 0;
}

static int
iavf_tx_bind(struct shim_tx *tx, struct zcfwd_recycle_error *e)
{
	struct intel_tx_kind kind = { 0 };
	int ret = intel_named_tx_bind(tx, "net_iavf", &iavf_tx_table, &kind, e);

	if (ret != 0)
		return ret;
	if (strstr(tx->path, " Ctx") != NULL)
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s: has two descriptors for each packet; selected by VLAN insertion and outer checksum offloads",
			tx->port, tx->path);
	return 0;
}

const struct shim_driver shim_iavf = { .name = "net_iavf",
	.rx_bind = iavf_rx_bind,
	.tx_bind = iavf_tx_bind,
	.tables = { &iavf_rx_table, &iavf_tx_table } };

/* Recycling for net_ice (Intel E810 and E830): the vector receive functions; the vector and the
 * simple transmit functions. */

static const struct shim_table ice_rx_table = { "ice_rx", ice_rx_layouts, RTE_DIM(ice_rx_layouts),
	sizeof(ice_rx_layouts[0]), intel_rx_fields, intel_rx_bytes, INTEL_RX_N_FIELDS };
static const struct shim_table ice_tx_table = { "ice_tx", ice_tx_layouts, RTE_DIM(ice_tx_layouts),
	sizeof(ice_tx_layouts[0]), intel_tx_fields, intel_tx_bytes, INTEL_TX_N_FIELDS };

static int
ice_rx_bind(struct shim_rx *rx, struct zcfwd_recycle_error *e)
{
	return intel_named_rx_bind(rx, "net_ice", &ice_rx_table, e);
}

static int
ice_tx_bind(struct shim_tx *tx, struct zcfwd_recycle_error *e)
{
	struct intel_tx_kind kind = { 0 };
	int ret = intel_named_tx_bind(tx, "net_ice", &ice_tx_table, &kind, e);

	if (ret != 0)
		return ret;
	/*
	 * In packages built for all processors, the code that frees mbufs at a stop is compiled for
	 * entries of 16 bytes. This happens with and without recycling.
	 */
	if (kind.bare && tx->layout == &ice_tx_layouts[ICE_TX_22_11])
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s: driver bug up to DPDK 24.11: frees the wrong mbufs when the port stops: use --force-max-simd-bitwidth=256",
			tx->port, tx->path);
	return 0;
}

const struct shim_driver shim_ice = { .name = "net_ice",
	.rx_bind = ice_rx_bind,
	.tx_bind = ice_tx_bind,
	.tables = { &ice_rx_table, &ice_tx_table } };
