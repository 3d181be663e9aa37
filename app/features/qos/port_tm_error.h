/* What rte_tm's errors are about, in testpmd's words; for the files of traffic management. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct rte_tm_error;

/* Fill e with what the driver said. code: what it returned. Returns -e->code. Thread: control. */
int port_tm_error_set(const struct rte_tm_error *error, int code, struct err *e);
