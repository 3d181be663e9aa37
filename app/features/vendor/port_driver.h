/* Functions that a driver has beyond ethdev's: found in its shared object, called in the form that
 * the driver's public header gives them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>

#include <stddef.h>
#include <stdint.h>

struct err;
struct ports;

/* What such a function takes behind the port, in bits; it returns 0 or a negative errno. */
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
	PORT_DRIVER_MAC_32, /* the first number and the address the other way round */
};

struct port_driver_function {
	const char *driver; /* names of drivers begin so */
	const char *name;
	enum port_driver_form form;
};

/* A row of a table of functions; a form that is not known does not compile. */
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

/* A function of a form of its own, that its caller knows. */
#define PORT_DRIVER_OWN(driver, function) \
	{ \
		driver, #function, PORT_DRIVER_NONE \
	}

#define PORT_DRIVER_FUNCTIONS 4

struct port_driver_op {
	struct port_driver_function function[PORT_DRIVER_FUNCTIONS]; /* up to one without a name */
	/* testpmd's words for EINVAL, with up to three %u for the numbers in their order; NULL: none */
	const char *invalid;
	const char *lacks; /* for ENOTSUP, %u: the port; NULL: "function not implemented" */
	/* what begins the line of any other error, "(%s)" in it for strerror(); NULL: as above */
	const char *always;
};

struct port_driver_args {
	uint64_t n[4];
	struct rte_ether_addr mac;
};

typedef void (*port_driver_call)(void);

/*
 * A function by its name, of the program or of any object that is loaded; NULL: none has it. Thread:
 * control, all of this file.
 */
port_driver_call port_driver_symbol(const char *name);

/*
 * That of the op's functions which the port's driver has; *form: its form, may be NULL. NULL with e:
 * -ENODEV no such port, -ENOTSUP another driver's port, or none has it in this DPDK.
 */
port_driver_call port_driver_find(const struct ports *ps, uint16_t id,
	const struct port_driver_op *op, enum port_driver_form *form, struct err *e);

/* Find and call it. Errors as above; what the driver returned, in testpmd's words. */
int port_driver_do(const struct ports *ps, uint16_t id, const struct port_driver_op *op,
	const struct port_driver_args *args, struct err *e);

/* What a function of the op returned, into e; n: the numbers of its words. Returns -e->code or 0. */
int port_driver_result(const struct ports *ps, uint16_t id, const struct port_driver_op *op,
	const uint64_t *n, int ret, struct err *e);
