/* Driver-specific functions beyond ethdev: found by name in the loaded objects, called with the
 * signature from the driver's public header. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_config.h>
#include <rte_ether.h>

#include <stddef.h>
#include <stdint.h>

struct err;
struct ports;

/* Argument types of such a function after the port, in bits. It returns 0 or a negative errno. */
enum port_driver_form {
	PORT_DRIVER_NONE,
	PORT_DRIVER_8,
	PORT_DRIVER_8_8,
	PORT_DRIVER_16,
	PORT_DRIVER_16_8,
	PORT_DRIVER_16_16,
	PORT_DRIVER_16_32,
	PORT_DRIVER_16_8_32,
	PORT_DRIVER_16_16_8,
	PORT_DRIVER_16_32_64,
	PORT_DRIVER_16_64_8,
	PORT_DRIVER_32_8_32,
	PORT_DRIVER_16_MAC,
	PORT_DRIVER_MAC_32, /* the address comes before the number */
};

struct port_driver_function {
	const char *driver; /* prefix of the driver's name */
	const char *name;
	enum port_driver_form form;
};

/* A row of a table of functions; an unknown signature does not compile. */
#define PORT_DRIVER_FUNCTION(driver, function) \
	{ \
		driver, #function, \
			_Generic(&(function), int (*)(uint16_t) \
				 : PORT_DRIVER_NONE, int (*)(uint16_t, uint8_t) \
				 : PORT_DRIVER_8, int (*)(uint16_t, uint8_t, uint8_t) \
				 : PORT_DRIVER_8_8, int (*)(uint16_t, uint16_t) \
				 : PORT_DRIVER_16, int (*)(uint16_t, uint16_t, uint8_t) \
				 : PORT_DRIVER_16_8, int (*)(uint16_t, uint16_t, uint16_t) \
				 : PORT_DRIVER_16_16, int (*)(uint16_t, uint16_t, uint32_t) \
				 : PORT_DRIVER_16_32, \
				 int (*)(uint16_t, uint16_t, uint8_t, uint32_t) \
				 : PORT_DRIVER_16_8_32, \
				 int (*)(uint16_t, uint16_t, uint16_t, uint8_t) \
				 : PORT_DRIVER_16_16_8, \
				 int (*)(uint16_t, uint16_t, uint32_t, uint64_t) \
				 : PORT_DRIVER_16_32_64, \
				 int (*)(uint16_t, uint16_t, uint64_t, uint8_t) \
				 : PORT_DRIVER_16_64_8, \
				 int (*)(uint16_t, uint32_t, uint8_t, uint32_t) \
				 : PORT_DRIVER_32_8_32, \
				 int (*)(uint16_t, uint16_t, struct rte_ether_addr *) \
				 : PORT_DRIVER_16_MAC, \
				 int (*)(uint16_t, struct rte_ether_addr *, uint32_t) \
				 : PORT_DRIVER_MAC_32) \
	}

/* A function with another signature, which its caller knows. */
#define PORT_DRIVER_OWN(driver, function) \
	{ \
		driver, #function, PORT_DRIVER_NONE \
	}

#define PORT_DRIVER_FUNCTIONS 4

struct port_driver_op {
	struct port_driver_function function[PORT_DRIVER_FUNCTIONS]; /* terminated by name NULL */
	/* testpmd's message for EINVAL, with up to three %u for the numbers in order; NULL: none */
	const char *invalid;
	const char *lacks; /* message for ENOTSUP, %u: the port; NULL: "function not implemented" */
	/* message for all other errors, with (%s) for strerror(); NULL: testpmd's default */
	const char *always;
};

struct port_driver_args {
	uint64_t n[4];
	struct rte_ether_addr mac;
};

typedef void (*port_driver_call)(void);

/*
 * Find a function by name in the program and all loaded objects; NULL: not found. Thread: control,
 * for all of this file.
 */
port_driver_call port_driver_symbol(const char *name);

/*
 * Find the op's function for the port's driver; *form: its signature, form may be NULL. NULL with e
 * filled: -ENODEV no such port, -ENOTSUP another driver's port, or not in this DPDK.
 */
port_driver_call port_driver_find(const struct ports *ps, uint16_t id,
	const struct port_driver_op *op, enum port_driver_form *form, struct err *e);

/* Find and call the function. Errors: those of port_driver_find(); the driver's, in testpmd's
 * words. */
int port_driver_do(const struct ports *ps, uint16_t id, const struct port_driver_op *op,
	const struct port_driver_args *args, struct err *e);

/* Convert the function's return value to an error in e; n: its arguments. Returns -e->code or 0. */
int port_driver_result(const struct ports *ps, uint16_t id, const struct port_driver_op *op,
	const uint64_t *n, int ret, struct err *e);

/* Includes the drivers' public headers that this DPDK has. */

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
