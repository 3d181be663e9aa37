/* Show a mempool of this process: level, caches, blocks, footprint. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct app;
struct args;
struct err;

/*
 * `show mempool [<name>] [block <n>]`: one mempool, or all of this process. block: also print the
 * buffer and element sizes that give contiguous blocks of n. JSON: {"mempools":[{"name", "driver",
 * "socket", rows, "seconds":[{"ago_s", "low", "high"}], "lcores":[{"lcore", "cached"}]}],
 * "wanted":{...}}. ENOENT: no such mempool; ERANGE: no element size gives such blocks. Thread:
 * control.
 */
int mempool_show(struct app *app, const struct args *a, struct err *e);
