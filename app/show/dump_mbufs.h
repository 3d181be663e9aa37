/* What became of mbufs, by the history that DPDK keeps when it is built to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct out;

/*
 * Show the history of which: "all", or an mbuf's address, "0x..."; or, which NULL, of the pool's mbufs. path:
 * into that file instead; NULL: with the answers. Errors: -ENOSYS before DPDK 25.11; -EINVAL no
 * such mbuf; -ENOENT no such pool; of fopen(3). Thread: control.
 */
int dump_mbuf_history(struct out *o, const char *which, const char *pool, const char *path,
	struct err *e);
