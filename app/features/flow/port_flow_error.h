/* Errors of drivers for flow rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_flow.h>

struct err;

/*
 * Fill e with the driver's error in testpmd's format. port_flow_error() takes the code from
 * rte_errno; port_flow_error_of() takes it as a positive errno. Returns -code. Thread: control.
 */
int port_flow_error(const struct rte_flow_error *error, struct err *e);
int port_flow_error_of(int code, const struct rte_flow_error *error, struct err *e);

/* Returns 0 if this DPDK is at least this release, else -ENOTSUP with e: "WORDS needs DPDK ...". */
int port_flow_since(unsigned int year, unsigned int month, const char *words, struct err *e);
