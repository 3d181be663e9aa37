/* What drivers say against flow rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_flow.h>

struct err;

/*
 * Fill e with a driver's words, as testpmd shows them. The first: of what rte_flow just refused, whose code
 * is rte_errno; the second: code, a positive errno. Returns -code. Thread: control.
 */
int port_flow_error(const struct rte_flow_error *error, struct err *e);
int port_flow_error_of(int code, const struct rte_flow_error *error, struct err *e);

/* 0 where this DPDK is of that release or newer; else fill e: "WORDS needs DPDK 24.03, ...". -ENOTSUP. */
int port_flow_since(unsigned int year, unsigned int month, const char *words, struct err *e);
