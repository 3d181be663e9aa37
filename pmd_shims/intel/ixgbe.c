/* Recycling for net_ixgbe (Intel 82599, X540 and X550): the vector receive functions; the vector
 * and the simple transmit functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With vectors on, the driver never chooses its simple function (it takes no rs_thresh over 32); a
 * mock port can be given it all the same.
 */
#include "base/base.h"
#include "base/err.h"
#include "pmd_shims/intel/ixgbe_layout.h"

#include <rte_ethdev.h>
#include <rte_version.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * Up to 24.11 the driver names its functions nowhere; what it chose is told by these, besides what
 * intel.h knows.
 */
struct choice {
	const char *version;
	uint16_t rx_vector; /* Rx queue: 16 bits, not 0 when a vector function receives */
	uint16_t offloads;  /* Tx queue: 64 bits */
	uint16_t ipsec;     /* Tx queue: 8 bits */
};

static const struct choice choices[] = {
	{ "DPDK 22.11.11", .rx_vector = 92, .offloads = 64, .ipsec = 169 },
	{ "DPDK 24.11.4", .rx_vector = 92, .offloads = 64, .ipsec = 169 },
};

enum { SIMPLE_BATCH_MIN = 32 };

enum tx_function { TX_FULL, TX_SIMPLE, TX_VECTOR };

static int
version_refuse(struct err *e)
{
	return err_set(e, ENOTSUP, "net_ixgbe: nobody has looked at the queues of %s",
		rte_version());
}

static int
rx_bind(struct shim_rx *rx, struct err *e)
{
	const struct intel_rx_layout *l = shim_layout(ixgbe_rx_layouts,
		ARRAY_SIZE(ixgbe_rx_layouts), sizeof(ixgbe_rx_layouts[0]));
	const struct choice *choice = shim_layout(choices, ARRAY_SIZE(choices), sizeof(choices[0]));
	if (l == NULL)
		return version_refuse(e);
	if (choice == NULL)
		intel_path("net_ixgbe", rx->port, rx->queue, true, rx->path);
	else
		snprintf(rx->path, sizeof(rx->path), "net_ixgbe %s",
			shim_owned(rx->rxq, choice->rx_vector + sizeof(uint16_t)) &&
					shim_u16(rx->rxq, choice->rx_vector) != 0
				? "Vector SSE"
				: "Scalar");
	if (strstr(rx->path, " Vector ") == NULL)
		return err_set(e, ENOTSUP,
			"port %u: %s: refills its ring while it receives, so that nothing is left to fill",
			rx->port, rx->path);
	return intel_rx_bind(rx, l, e);
}

/*
 * What one queue asks for. The vector set-up moves the pointer to the entries by one of 8 bytes,
 * from where a cache line begins.
 */
static enum tx_function
function_wanted(const void *txq, const struct intel_tx_layout *l, const struct choice *choice)
{
	const uint64_t *offloads = shim_at(txq, choice->offloads);
	const uint8_t *ipsec = shim_at(txq, choice->ipsec);

	if (*offloads != 0 || *ipsec != 0 || shim_u16(txq, l->rs_thresh) < SIMPLE_BATCH_MIN)
		return TX_FULL;
	return (uintptr_t)shim_pointer(txq, l->sw_ring) % RTE_CACHE_LINE_SIZE == sizeof(void *)
		? TX_VECTOR
		: TX_SIMPLE;
}

/* The port's one function is what all of its queues ask for; when they differ, nobody can tell. */
static int
function_find(const struct shim_tx *tx, const struct intel_tx_layout *l,
	const struct choice *choice, enum tx_function *function, struct err *e)
{
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(tx->port, &info) != 0)
		return err_set(e, ENOTSUP, "port %u: cannot be asked for its queues", tx->port);
	for (uint16_t q = 0; q < info.nb_tx_queues; q++) {
		const void *txq = rte_eth_fp_ops[tx->port].txq.data[q];
		enum tx_function wanted;

		if (!shim_owned(txq, choice->ipsec + 1u))
			return err_set(e, ENOTSUP, "port %u: transmit queue %u cannot be read",
				tx->port, q);
		wanted = function_wanted(txq, l, choice);
		if (q > 0 && wanted != *function)
			return err_set(e, ENOTSUP,
				"port %u: transmit queues %u and %u ask for different functions",
				tx->port, q - 1, q);
		*function = wanted;
	}
	return 0;
}

/* As the driver calls it, which goes into the path. */
static enum tx_function
function_named(struct shim_tx *tx)
{
	intel_path("net_ixgbe", tx->port, tx->queue, false, tx->path);
	if (strstr(tx->path, " Vector ") != NULL)
		return TX_VECTOR;
	return strstr(tx->path, " Scalar simple") != NULL ? TX_SIMPLE : TX_FULL;
}

static int
tx_bind(struct shim_tx *tx, struct err *e)
{
	static const char *const names[] = { "Scalar", "Scalar Simple", "Vector SSE" };
	const struct intel_tx_layout *l = shim_layout(ixgbe_tx_layouts,
		ARRAY_SIZE(ixgbe_tx_layouts), sizeof(ixgbe_tx_layouts[0]));
	const struct choice *choice = shim_layout(choices, ARRAY_SIZE(choices), sizeof(choices[0]));
	enum tx_function function = TX_FULL;
	int ret;

	if (l == NULL)
		return version_refuse(e);
	if (choice == NULL) {
		function = function_named(tx);
	} else {
		ret = function_find(tx, l, choice, &function, e);
		if (ret != 0)
			return ret;
		snprintf(tx->path, sizeof(tx->path), "net_ixgbe %s", names[function]);
	}
	if (function == TX_FULL)
		return err_set(e, ENOTSUP,
			"port %u: %s: keeps sent mbufs in chains; any offload selects it", tx->port,
			tx->path);
	return intel_tx_bind(tx, l, function == TX_VECTOR ? 8 : 16, function == TX_SIMPLE, e);
}

const struct shim_driver shim_ixgbe = { .name = "net_ixgbe",
	.rx_bind = rx_bind,
	.tx_bind = tx_bind };
