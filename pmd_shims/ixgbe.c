/* Intel 82599, X540 and X550: the vector functions. */
/*
 * Of the scalar transmit functions the simple one could be paired, but the driver takes it only where vectors are off, and then no receive
 * function can be.
 */
#include "ixgbe.h"

#include "base.h"
#include "err.h"

#include <rte_ethdev.h>
#include <rte_version.h>

#include <errno.h>
#include <stdio.h>

/* The driver names its functions nowhere; what it chose is told by these, besides what intel.h knows. */
struct choice {
	const char *version;
	uint16_t rx_vector; /* Rx queue: 16 bits, not 0 when a vector function receives */
	uint16_t offloads;  /* Tx queue: 64 bits */
	uint16_t ipsec;     /* Tx queue: 8 bits */
};

static const struct choice choices[] = { { "DPDK 22.11.11", .rx_vector = 92, .offloads = 64,
	.ipsec = 169 } };

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
	bool vector;

	if (l == NULL || choice == NULL)
		return version_refuse(e);
	vector = shim_owned(rx->rxq, choice->rx_vector + sizeof(uint16_t)) &&
		shim_u16(rx->rxq, choice->rx_vector) != 0;
	snprintf(rx->path, sizeof(rx->path), "net_ixgbe %s", vector ? "Vector SSE" : "Scalar");
	if (!vector)
		return err_set(e, ENOTSUP,
			"port %u: %s: refills its ring while it receives, so that nothing is left to fill",
			rx->port, rx->path);
	return intel_rx_bind(rx, l, e);
}

/* Whether one queue asks for the vector function. Its set-up moves the pointer to the entries by one of 8 bytes, from where a cache line begins. */
static bool
vector_wanted(const void *txq, const struct intel_tx_layout *l, const struct choice *choice)
{
	const uint64_t *offloads = shim_at(txq, choice->offloads);
	const uint8_t *ipsec = shim_at(txq, choice->ipsec);

	return *offloads == 0 && *ipsec == 0 && shim_u16(txq, l->rs_thresh) >= INTEL_REARM &&
		(uintptr_t)shim_pointer(txq, l->sw_ring) % RTE_CACHE_LINE_SIZE == sizeof(void *);
}

/* The port's one function is what all of its queues ask for; when they differ, nobody can tell. */
static int
vector_find(const struct shim_tx *tx, const struct intel_tx_layout *l, const struct choice *choice,
	bool *vector, struct err *e)
{
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(tx->port, &info) != 0)
		return err_set(e, ENOTSUP, "port %u: cannot be asked for its queues", tx->port);
	for (uint16_t q = 0; q < info.nb_tx_queues; q++) {
		const void *txq = rte_eth_fp_ops[tx->port].txq.data[q];
		bool wanted;

		if (!shim_owned(txq, choice->ipsec + 1u))
			return err_set(e, ENOTSUP, "port %u: transmit queue %u cannot be read",
				tx->port, q);
		wanted = vector_wanted(txq, l, choice);
		if (q > 0 && wanted != *vector)
			return err_set(e, ENOTSUP,
				"port %u: transmit queues %u and %u ask for different functions",
				tx->port, q - 1, q);
		*vector = wanted;
	}
	return 0;
}

static int
tx_bind(struct shim_tx *tx, struct err *e)
{
	const struct intel_tx_layout *l = shim_layout(ixgbe_tx_layouts,
		ARRAY_SIZE(ixgbe_tx_layouts), sizeof(ixgbe_tx_layouts[0]));
	const struct choice *choice = shim_layout(choices, ARRAY_SIZE(choices), sizeof(choices[0]));
	bool vector = false;
	int ret;

	if (l == NULL || choice == NULL)
		return version_refuse(e);
	ret = vector_find(tx, l, choice, &vector, e);
	if (ret != 0)
		return ret;
	snprintf(tx->path, sizeof(tx->path), "net_ixgbe %s", vector ? "Vector SSE" : "Scalar");
	if (!vector)
		return err_set(e, ENOTSUP,
			"port %u: %s: keeps sent mbufs in chains; any offload selects it", tx->port,
			tx->path);
	return intel_tx_bind(tx, l, sizeof(void *), false, e);
}

static pair_turn *
turn(const struct shim_rx *rx, const struct shim_tx *tx, enum recycle_mode mode)
{
	static const struct intel_turns turns = { ixgbe_turn_128, ixgbe_turn_256, ixgbe_turn_512 };

	return intel_turn(rx, tx, &turns, mode);
}

const struct shim_driver shim_ixgbe = { .name = "net_ixgbe",
	.rx_bind = rx_bind,
	.tx_bind = tx_bind,
	.turn = turn };
