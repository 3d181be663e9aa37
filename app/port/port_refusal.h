/* How a driver says no in a struct of its own: type, cause, message; in testpmd's words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

struct err;

struct port_refusal {
	unsigned int type;   /* of the enum of such errors */
	const void *cause;   /* in the caller's memory; NULL: not said */
	const char *message; /* NULL: not said */
};

/*
 * Fill e: "WHAT: MESSAGE (error TYPE)". names: what types are about, NULL where they have no name.
 * code: what the driver returned, a negative errno, or any other number for EIO. Returns -e->code.
 * Thread: control.
 */
int port_refusal(const struct port_refusal *said, const char *const *names, size_t n, int code,
	struct err *e);
