/* Recycling for net_ixgbe and net_ixgbe_vf (Intel 82599, X540 and X550, and their virtual
 * functions): the vector receive functions; the vector and the simple transmit functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Minimum rs_thresh of the simple and vector functions. Where vector functions are available, the
 * driver never chooses the simple one, since rs_thresh is at most 32; a mock port can use it.
 */
#include "pmd_shims/recycle/intel/intel_rows.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SIMPLE_BATCH_MIN = 32 };

/* The names by which net_i40e reports such functions. */
#ifdef RTE_ARCH_ARM64
#define VECTOR "Vector Neon"
#else
#define VECTOR "Vector SSE"
#endif

enum tx_function { TX_FULL, TX_SIMPLE, TX_VECTOR };

static const struct shim_table rx_table = { "ixgbe_rx", ixgbe_rx_layouts, RTE_DIM(ixgbe_rx_layouts),
	sizeof(ixgbe_rx_layouts[0]), intel_rx_fields, intel_rx_bytes, INTEL_RX_N_FIELDS };
static const struct shim_table tx_table = { "ixgbe_tx", ixgbe_tx_layouts, RTE_DIM(ixgbe_tx_layouts),
	sizeof(ixgbe_tx_layouts[0]), intel_tx_fields, intel_tx_bytes, INTEL_TX_N_FIELDS };

/*
 * Up to 25.03 the driver does not report its functions; fields of its queues reveal which it uses.
 */
static bool
names_functions(const struct intel_rx_layout *l)
{
	return l->vector == SHIM_NONE;
}

/* The port's driver: net_ixgbe or net_ixgbe_vf. */
static const char *
driver_name(uint16_t port)
{
	struct rte_eth_dev_info info;

	return rte_eth_dev_info_get(port, &info) == 0 ? info.driver_name : "net_ixgbe";
}

static int
rx_bind(struct shim_rx *rx, struct zcfwd_recycle_error *e)
{
	const struct intel_rx_layout *l = shim_layout_find(rx->known, &rx_table, &rx->laid, e);

	if (l == NULL)
		return -ENOTSUP;
	if (names_functions(l))
		intel_path(driver_name(rx->port), rx->port, rx->queue, true, rx->path);
	else
		snprintf(rx->path, sizeof(rx->path), "%s %s", driver_name(rx->port),
			shim_owned(rx->rxq, l->vector + sizeof(uint16_t)) &&
					shim_u16(rx->rxq, l->vector) != 0
				? VECTOR
				: "Scalar");
	if (strstr(rx->path, " Vector ") == NULL)
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s: refills its ring while it receives, so no slot is left to recycle into",
			rx->port, rx->path);
	return intel_rx_bind(rx, l, e);
}

/*
 * The function that one queue selects. The vector set-up moves the pointer to the entries by one
 * entry of 8 bytes from the start of a cache line.
 */
static enum tx_function
function_wanted(const void *txq, const struct intel_tx_layout *l)
{
	const uint64_t *offloads = shim_at(txq, l->offloads);
	const uint8_t *ipsec = shim_at(txq, l->ipsec);

	if (*offloads != 0 || *ipsec != 0 || shim_u16(txq, l->rs_thresh) < SIMPLE_BATCH_MIN)
		return TX_FULL;
	return (uintptr_t)shim_pointer(txq, l->sw_ring) % RTE_CACHE_LINE_SIZE == sizeof(void *)
		? TX_VECTOR
		: TX_SIMPLE;
}

/*
 * Find the transmit function, of which a port has only one: that which all queues select. If they
 * select different ones, the function in use is unknown.
 */
static int
function_find(const struct shim_tx *tx, const struct intel_tx_layout *l, enum tx_function *function,
	struct zcfwd_recycle_error *e)
{
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(tx->port, &info) != 0)
		return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
			"port %u: cannot read its number of transmit queues", tx->port);
	for (uint16_t q = 0; q < info.nb_tx_queues; q++) {
		const void *txq = rte_eth_fp_ops[tx->port].txq.data[q];
		enum tx_function wanted;

		if (!shim_owned(txq, l->ipsec + 1u))
			return shim_refuse(e, ZCFWD_RECYCLE_LAYOUT,
				"port %u: transmit queue %u cannot be read", tx->port, q);
		wanted = function_wanted(txq, l);
		if (q > 0 && wanted != *function)
			return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
				"port %u: transmit queues %u and %u select different transmit functions",
				tx->port, q - 1, q);
		*function = wanted;
	}
	return 0;
}

/* The function by the driver's name for it; also sets tx->path. */
static enum tx_function
function_named(struct shim_tx *tx)
{
	intel_path(driver_name(tx->port), tx->port, tx->queue, false, tx->path);
	if (strstr(tx->path, " Vector ") != NULL)
		return TX_VECTOR;
	return strstr(tx->path, " Scalar simple") != NULL ? TX_SIMPLE : TX_FULL;
}

static int
tx_bind(struct shim_tx *tx, struct zcfwd_recycle_error *e)
{
	static const char *const names[] = { "Scalar", "Scalar Simple", VECTOR };
	const struct intel_rx_layout *rx_layout;
	const struct intel_tx_layout *l;
	enum tx_function function = TX_FULL;
	struct shim_laid laid;
	int ret;

	rx_layout = shim_layout_find(tx->known, &rx_table, &laid, e);
	l = shim_layout_find(tx->known, &tx_table, &tx->laid, e);
	if (rx_layout == NULL || l == NULL)
		return -ENOTSUP;
	if (names_functions(rx_layout)) {
		function = function_named(tx);
	} else {
		ret = function_find(tx, l, &function, e);
		if (ret != 0)
			return ret;
		snprintf(tx->path, sizeof(tx->path), "%s %s", driver_name(tx->port),
			names[function]);
	}
	if (function == TX_FULL)
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s: keeps sent mbufs in chains; selected by any offload",
			tx->port, tx->path);
	return intel_tx_bind(tx, l, function == TX_VECTOR ? 8 : 16, function == TX_SIMPLE, e);
}

const struct shim_driver shim_ixgbe = { .name = "net_ixgbe",
	.also = "net_ixgbe_vf",
	.rx_bind = rx_bind,
	.tx_bind = tx_bind,
	.tables = { &rx_table, &tx_table } };
