/* Includes the drivers' public headers that this DPDK has. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/vendor/port_driver.h"

#include <rte_config.h>

#ifdef RTE_NET_IXGBE
#include <rte_pmd_ixgbe.h>
#define PORT_PMDS_IXGBE(function) PORT_DRIVER_FUNCTION("net_ixgbe", rte_pmd_ixgbe_##function),
#else
#define PORT_PMDS_IXGBE(function)
#endif

#ifdef RTE_NET_I40E
#include <rte_pmd_i40e.h>
#define PORT_PMDS_I40E(function) PORT_DRIVER_FUNCTION("net_i40e", rte_pmd_i40e_##function),
#else
#define PORT_PMDS_I40E(function)
#endif

#ifdef RTE_NET_BNXT
#include <rte_pmd_bnxt.h>
#define PORT_PMDS_BNXT(function) PORT_DRIVER_FUNCTION("net_bnxt", rte_pmd_bnxt_##function),
#else
#define PORT_PMDS_BNXT(function)
#endif

#if defined(RTE_BUS_DPAA) && defined(RTE_NET_DPAA)
#include <rte_pmd_dpaa.h>
#define PORT_PMDS_DPAA(function) PORT_DRIVER_FUNCTION("net_dpaa", rte_pmd_dpaa_##function),
#else
#define PORT_PMDS_DPAA(function)
#endif

#ifdef RTE_NET_MLX5
#include <rte_pmd_mlx5.h>
#define PORT_PMDS_MLX5(function) PORT_DRIVER_FUNCTION("mlx5_", rte_pmd_mlx5_##function),
#else
#define PORT_PMDS_MLX5(function)
#endif
