/* Where ethdev's driver interface and the drivers' private structs differ between DPDK releases, in
 * words that the mock ports use. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <ethdev_driver.h>
#include <rte_version.h>

/* Counters of queues: in a struct of their own since 25.11, which may be NULL; else in s. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
#define MOCK_STATS_ARGS \
	struct rte_eth_dev *dev, struct rte_eth_stats *s, struct eth_queue_stats *queues
#define MOCK_STATS_PASS dev, s, queues
#define MOCK_STATS_QUEUES queues
#else
#define MOCK_STATS_ARGS struct rte_eth_dev *dev, struct rte_eth_stats *s
#define MOCK_STATS_PASS dev, s
#define MOCK_STATS_QUEUES s
#endif

/* Packet types: counted since 24.03, ended by RTE_PTYPE_UNKNOWN before. */
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
#define MOCK_PTYPES_ARGS struct rte_eth_dev *dev, size_t *n
#define MOCK_PTYPES_COUNT(types) (*n = RTE_DIM(types) - 1)
#else
#define MOCK_PTYPES_ARGS struct rte_eth_dev *dev
#define MOCK_PTYPES_COUNT(types) ((void)0)
#endif

/*
 * Queues of Intel's drivers: of all together since 25.07, with one name for each field, and a note
 * which kind of software ring a transmit queue has; since 26.07 simple functions have that of the
 * vector ones.
 */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 7, 0, 0)
#define MOCK_QUEUE(driver, way) struct ci_##way##_queue
#define MOCK_TX_RING(driver) MOCK_TX_RING_##driver
#if RTE_VERSION >= RTE_VERSION_NUM(26, 7, 0, 0)
#define MOCK_TX_RING_i40e ci_tx_ring
#define MOCK_TX_RING_iavf ci_tx_ring
#define MOCK_TX_RING_ice ci_tx_ring
#define MOCK_TX_KIND_SET(queue, adapter) \
	(((struct ci_tx_queue *)(queue))->use_vec_entry = (adapter)->tx_vec_allowed || \
			(adapter)->tx_simple_allowed)
#else
#define MOCK_TX_RING_i40e i40e_tx_ring
#define MOCK_TX_RING_iavf iavf_tx_ring
#define MOCK_TX_RING_ice ice_tx_ring
#define MOCK_TX_KIND_SET(queue, adapter) \
	(((struct ci_tx_queue *)(queue))->vector_tx = (adapter)->tx_vec_allowed)
#endif
#define MOCK_TX_RING_ixgbe ixgbe_tx_ring
#define MOCK_ICE_RX_RING rx_flex_ring
#define MOCK_IXGBE_POOL mp
#define MOCK_IXGBE_RX_TAIL qrx_tail
#define MOCK_IXGBE_TX_TAIL qtx_tail
#else
#define MOCK_QUEUE(driver, way) struct driver##_##way##_queue
#define MOCK_TX_RING(driver) tx_ring
#define MOCK_ICE_RX_RING rx_ring
#define MOCK_IXGBE_POOL mb_pool
#define MOCK_IXGBE_RX_TAIL rdt_reg_addr
#define MOCK_IXGBE_TX_TAIL tdt_reg_addr
#define MOCK_TX_KIND_SET(queue, adapter) ((void)(adapter))
#endif

/* mlx5 keeps the MTU that is configured beside ethdev's, until 24.11.5 and 25.11.1. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 1, 0) || \
	(RTE_VERSION >= RTE_VERSION_NUM(24, 11, 5, 0) && \
		RTE_VERSION < RTE_VERSION_NUM(25, 3, 0, 0))
#define MOCK_MLX5_MTU_SET(priv, bytes) ((void)0)
#else
#define MOCK_MLX5_MTU_SET(priv, bytes) ((priv)->mtu = (bytes))
#endif

/* iavf says since 25.07 which functions it chose. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 7, 0, 0)
#define MOCK_IAVF_OPS \
	.rx_burst_mode_get = iavf_rx_burst_mode_get, .tx_burst_mode_get = iavf_tx_burst_mode_get,
#else
#define MOCK_IAVF_OPS
#endif

/* iavf notes for itself since 26.07 whether it may transmit by vectors. */
#if RTE_VERSION >= RTE_VERSION_NUM(26, 7, 0, 0)
#define MOCK_IAVF_TX_VECTOR_SET(adapter) ((void)(adapter))
#else
#define MOCK_IAVF_TX_VECTOR_SET(adapter) ((adapter)->tx_vec_allowed = true)
#endif

/* What mlx5 shares with its other files, and since 26.07 calls so. */
#if RTE_VERSION >= RTE_VERSION_NUM(26, 7, 0, 0)
#define rxq_alloc_elts mlx5_rxq_alloc_elts
#define txq_alloc_elts mlx5_txq_alloc_elts
#endif
