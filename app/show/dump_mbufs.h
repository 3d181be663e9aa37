/* Shows the mbuf history that DPDK records if built with RTE_MBUF_HISTORY_DEBUG. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct out;

/*
 * Show the history of mbufs. which: "all" or an mbuf's address "0x..."; NULL: all mbufs of pool.
 * path: file to write to; NULL: the normal output. Errors: -ENOSYS before DPDK 25.11; -EINVAL no
 * such mbuf; -ENOENT no such pool; those of fopen(3). Thread: control.
 */
int dump_mbuf_history(struct out *o, const char *which, const char *pool, const char *path,
	struct err *e);
