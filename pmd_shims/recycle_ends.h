/* The two queues of a pair, how mbufs go from one to the other, and the pair's counters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"

#include <stdint.h>

/*
 * One Rx queue and one Tx queue that feeds it. Both are used by one lcore, which may feed several
 * Rx queues from one Tx queue, one after the other.
 */
struct recycle;

enum recycle_mode {
	RECYCLE_OFF,
	RECYCLE_RING, /* from ring to ring */
	/*
	 * from the Tx ring into the lcore's mempool cache and from there into the Rx ring, one copy
	 * each
	 */
	RECYCLE_ZC_CACHE,
};

struct recycle_ends {
	uint16_t rx_port, rx_queue, tx_port, tx_queue;
};

/* Mbufs, since bind. Written by the lcore that runs the pair. */
struct recycle_count {
	counter moved;     /* from Tx queue to Rx queue */
	counter topped_up; /* drawn from the pool in place of those that could not be moved */
	counter shared;    /* sent and not movable: somebody else holds them still */
	counter foreign;   /* of another pool: back there */
	counter freed;     /* movable, but with no room or company to fill a batch: to the pool */
};
