/* Show a mempool of this process: level, caches, blocks, footprint. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct out;
struct pool_history;

/*
 * Answer `show mempool [NAME [block N]]`: one mempool, or all of this process if name is NULL.
 * block: also print the buffer and element sizes that give contiguous blocks of that many; 0: no.
 * JSON: {"mempools":[{"name", "driver", "socket", rows, "seconds":[{"ago_s", "low", "high"}],
 * "lcores":[{"lcore", "cached"}]}], "wanted":{...}}. history: may be NULL. ENOENT: no such mempool;
 * ERANGE: no element size gives such blocks.
 */
int mempool_show(const char *name, unsigned int block, struct pool_history *history,
	struct out *out, struct err *e);
