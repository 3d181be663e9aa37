/* Proves queues' layouts that are not from the table, before packets are forwarded without mbufs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/direct/direct_half.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Compare both queues with their layouts, after a burst of the drivers' own functions. Returns the
 * new state of the proof. Thread: the lcore that owns the queues.
 */
enum recycle_proof direct_proof_step(struct direct *d);

/*
 * For a direct_prove: true if a queue's count of packets and its position have moved by the same
 * number, at least 1, since the last call. size: positions. A count that was reset since then agrees
 * the next time. Thread: the lcore.
 */
bool direct_counted_alike(struct direct_counted *last, uint64_t packets, uint32_t at,
	uint64_t size);
