/* Test whether an lcore can get buffers from a pool: the mempool driver bucket may keep them for
 * other lcores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct rte_mempool;

/*
 * Return whether the lcore gets no buffer from a pool that has contiguous blocks and free buffers.
 * The lcore tries it itself; false if it is not idle. Thread: control.
 */
bool pool_probe_starved(struct rte_mempool *mp, unsigned int lcore);
