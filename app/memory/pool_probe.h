/* Whether an lcore can get buffers of a pool at all: the mempool driver bucket may keep them for
 * others. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct rte_mempool;

/*
 * True when the lcore gets nothing of a pool that has contiguous blocks and free buffers. Asks on
 * that lcore, which has to be idle; false where it is not. Thread: control.
 */
bool pool_probe_starved(struct rte_mempool *mp, unsigned int lcore);
