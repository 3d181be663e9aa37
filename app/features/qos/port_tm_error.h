/* Error messages of rte_tm in testpmd's words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct rte_tm_error;

/* Fill e with the driver's error; code: its return value. Returns -e->code. Thread: control. */
int port_tm_error_set(const struct rte_tm_error *error, int code, struct err *e);
