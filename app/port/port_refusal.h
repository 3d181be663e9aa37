/* Errors that a driver returns in a struct (type, cause, message), printed like testpmd does. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

struct err;
struct rte_tm_error;

struct port_refusal {
	unsigned int type;   /* a value of the API's error type enum */
	const void *cause;   /* the bad part of the caller's data; NULL: unknown */
	const char *message; /* NULL: none */
};

/*
 * Fill e with "NAME: MESSAGE (error TYPE)". names[0..n): names of the types, entries may be NULL.
 * code: the driver's negative errno; other values give EIO. Returns -e->code. Thread: control.
 */
int port_refusal(const struct port_refusal *said, const char *const *names, size_t n, int code,
	struct err *e);

/* Error messages of rte_tm in testpmd's words. */

/* Fill e with the driver's error; code: its return value. Returns -e->code. Thread: control. */
int port_refusal_tm(const struct rte_tm_error *error, int code, struct err *e);
