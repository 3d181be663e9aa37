/* The I/O lcore of a pipeline: its poll, and adding workers' counts to its streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"

#include <stdbool.h>
#include <stdint.h>

struct ring_io;

/*
 * One poll, including a worker's poll if the lcore is a worker too. receiving: false after stop.
 * Returns the number of packets moved, summed over receive, work and transmit.
 */
unsigned int ring_io_poll(struct ring_io *io, bool receiving);

/*
 * Add to the counters of io's streams what workers have counted since the last call. Thread: the
 * I/O lcore, or control after it has ended.
 */
void ring_io_fold(struct ring_io *io);

/*
 * Drop the packets of pkts[0..n) that a worker marked, count them by reason, and close the gaps.
 * Returns how many are left. A ring_sift function.
 */
uint16_t ring_io_sift(struct stream *s, struct rte_mbuf **pkts, uint16_t n);
