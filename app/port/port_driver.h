/* Driver-specific functions beyond ethdev: found by name in the loaded objects, called with the
 * type that the driver's public header declares, or the caller where there is no such header. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_config.h>

#include <stdint.h>

/* Public headers of drivers, as far as this DPDK has them. */
#ifdef RTE_NET_IXGBE
#include <rte_pmd_ixgbe.h>
#endif
#ifdef RTE_NET_I40E
#include <rte_pmd_i40e.h>
#endif
#ifdef RTE_NET_BNXT
#include <rte_pmd_bnxt.h>
#endif
#if defined(RTE_BUS_DPAA) && defined(RTE_NET_DPAA)
#include <rte_pmd_dpaa.h>
#endif
#ifdef RTE_NET_MLX5
#include <rte_pmd_mlx5.h>
#endif

struct err;
struct ports;

/* The driver of a command's function, and testpmd's messages for its errors. */
struct port_driver_op {
	const char *driver; /* prefix of the driver's name */
	/* message for EINVAL, with up to three %u for the numbers of the call; NULL: none */
	const char *invalid;
	const char *lacks; /* message for ENOTSUP, %u: the port; NULL: "function not implemented" */
	/* message for all other errors, with (%s) for strerror(); NULL: testpmd's default */
	const char *always;
};

/* A function that several drivers have, each under its own name. */
struct port_driver_function {
	const char *driver; /* prefix of the driver's name */
	const char *name;
};

#define PORT_DRIVER_FUNCTIONS 5 /* in a list, with its end: a name NULL */

typedef void (*port_driver_call)(void);

/*
 * Find a function by name in the program and all loaded objects; NULL: not found. Thread: control,
 * for all of this file.
 */
port_driver_call port_driver_symbol(const char *name);

/* Find a declared function, as a pointer of its type, so that the compiler checks calls. The
 * function need not be linked. */
#define PORT_DRIVER_SYMBOL(function) ((__typeof__(&(function)))port_driver_symbol(#function))

/*
 * Find the function for the port's driver. NULL with e filled: -ENODEV no such port, -ENOTSUP
 * another driver's port, or not in this DPDK.
 */
port_driver_call port_driver_find(const struct ports *ps, uint16_t id,
	const struct port_driver_op *op, const char *name, struct err *e);

/* Find the one of f[0..PORT_DRIVER_FUNCTIONS) for the port's driver; op->driver is not used. */
port_driver_call port_driver_find_any(const struct ports *ps, uint16_t id,
	const struct port_driver_function *f, const struct port_driver_op *op, struct err *e);

/*
 * Convert the function's return value to an error in e; n: three numbers for op->invalid, NULL if
 * it shows none. Returns -e->code or 0.
 */
int port_driver_result(const struct ports *ps, uint16_t id, const struct port_driver_op *op,
	const uint64_t *n, int ret, struct err *e);

/*
 * Find a declared function, as a pointer of its type; NULL as from port_driver_find(). The
 * declaration is the driver's, or the caller's where a driver has no public header; where both
 * are there, the compiler compares them. The function need not be linked.
 */
#define PORT_DRIVER_FIND(ps, id, op, function, e) \
	((__typeof__(&(function)))port_driver_find(ps, id, op, #function, e))

/*
 * Find a declared function and call it with the port and the other arguments, which the compiler
 * checks; then as port_driver_result(). Its value is 0 or -e->code.
 */
#define PORT_DRIVER_CALL(ps, id, op, n, e, function, ...) \
	({ \
		const __typeof__(&(function)) call_ = PORT_DRIVER_FIND(ps, id, op, function, e); \
		call_ == NULL ? -(e)->code \
			      : port_driver_result(ps, id, op, n, call_(id, ##__VA_ARGS__), e); \
	})
