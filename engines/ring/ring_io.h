/* The I/O lcore of a pipeline: its poll, and what workers counted for its streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"

#include <stdbool.h>
#include <stdint.h>

struct ring_io;

/*
 * One poll, a worker's part too where the lcore is one; receiving: false once forwarding is to
 * stop. Returns packets moved, each part's.
 */
unsigned int ring_io_poll(struct ring_io *io, bool receiving);

/*
 * Bring the counters of io's streams up to what workers counted. Thread: the I/O lcore, or control
 * when it is gone.
 */
void ring_io_fold(struct ring_io *io);

/*
 * Drop what a worker marked among pkts[0..n), counted by reason: those behind move up. Returns how
 * many are left. As ring_sift.
 */
uint16_t ring_io_sift(struct stream *s, struct rte_mbuf **pkts, uint16_t n);
