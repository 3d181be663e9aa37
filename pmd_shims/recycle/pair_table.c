/* The loops compiled for pairs of two known queues, with the layouts of both as constants. This
 * file is compiled once per SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs without a row, and queues whose layout differs from that of the DPDK release at compile
 * time, run through pointers to their queues' functions. Drivers share nothing but mbufs, so a pair
 * needs no code of its own: at build time pair_loops.py writes its loops to pair_loops.h. The
 * functions of an end have to be inlined there: otherwise struct shim_mbufs is passed in memory, and
 * the load after the partial stores stalls.
 */
#include "pmd_shims/recycle/pair_table.h"

#include "pmd_shims/recycle/pair_loops.h"

#include <string.h>

/* True if a queue has these functions, and a layout that differs in nothing but its releases. */
static bool
is_end(const struct pair_end *end, const void *ops, const void *layout)
{
	const size_t at = sizeof(struct shim_releases);

	return end->ops == ops &&
		memcmp((const char *)end->layout + at, (const char *)layout + at,
			end->bytes - at) == 0;
}

#define PASTE(a, b) a##b
#define TABLE(width) PASTE(pair_table_, width)

pair_run *
TABLE(SHIM_WIDTH)(const struct shim_rx *rx, const struct shim_tx *tx, enum zcfwd_recycle_mode mode,
	bool window)
{
	for (size_t i = 0; i < RTE_DIM(pair_rows); i++)
		if (is_end(pair_rows[i].rx, rx->ops, rx->layout) &&
			is_end(pair_rows[i].tx, tx->ops, tx->layout))
			return mode == ZCFWD_RECYCLE_MODE_CACHE ? pair_rows[i].cache
				: window                        ? pair_rows[i].window
								: pair_rows[i].ring;
	return NULL;
}
