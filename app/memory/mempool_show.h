/* Show a mempool of this process: level, caches, blocks, footprint. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct out;
struct pool_history;
struct pools;

/*
 * Answer `show mempool [NAME [block N]]`: one mempool, or all of this process if name is NULL.
 * block: also print the buffer and element sizes that give contiguous blocks of that many; 0: no.
 * JSON: {"mempools":[{"name", "driver", "driver_reason", "socket", rows, "seconds":[{"ago_s", "low", "high"}],
 * "lcores":[{"lcore", "cached"}]}], "wanted":{...}}. pools: the program's own, which have a reason. history: may be NULL. ENOENT: no such mempool;
 * ERANGE: no element size gives such blocks.
 */
int mempool_show(const char *name, unsigned int block, const struct pools *pools,
	struct pool_history *history, struct out *out, struct err *e);
