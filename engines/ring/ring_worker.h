/* The polls of a pipeline: a worker's, an I/O lcore's, and the distribution of a burst to rings by flow. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"
#include "engines/ring/ring_link.h"
#include "engines/ring/ring_state.h"

#include <rte_cycles.h>

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;

/*
 * Poll every ring that leads to the worker once. Returns the packets moved. Thread: the worker's
 * lcore.
 */
uint16_t ring_worker_poll(struct ring_worker *w);

/*
 * After stop: whether the worker has no packets left and will get none; if so, tells the I/O
 * lcores. Thread: the worker's lcore.
 */
bool ring_worker_finished(struct ring_worker *w);

/* Chooses the worker for a packet's flow by the NIC's RSS hash, or by a software hash over the same
 * fields. */

/*
 * Store in which[k] the worker, 0..n_workers-1, for pkts[k]; all packets of a flow get the same
 * worker. n_workers: 1..256.
 */
void ring_flow_workers(struct rte_mbuf *const *pkts, uint16_t n, unsigned int n_workers,
	uint8_t *which);

/* The I/O lcore of a pipeline: its poll, and adding workers' counts to its streams. */

/*
 * Count the cycles of a part of an I/O lcore's poll if it moved n packets and is timed. begin: from
 * stream_begin(). cycles, packets: counters of struct ring_io_count.
 */
static __rte_always_inline void
ring_io_timed(struct stream *s, uint64_t begin, uint16_t n, counter *cycles, counter *packets)
{
	if (likely(begin == 0) || n == 0)
		return;
	if (begin > STREAM_UNTIMED) {
		counter_add(cycles, rte_rdtsc() - begin);
		counter_add(packets, n);
	}
	stream_end(s, begin);
}

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
