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
	 * from the Tx ring to the memory above the lcore's mempool cache and from there into the
	 * Rx ring, one copy each
	 */
	RECYCLE_ZC_CACHE,
	/*
	 * from the Tx ring into the lcore's mempool cache, one copy; the driver refills its Rx ring
	 * from there
	 */
	RECYCLE_CACHE,
	/* by rte_eth_recycle_mbufs(), unless the drivers' callbacks have a known bug */
	RECYCLE_ETHDEV,
	RECYCLE_ETHDEV_FORCE, /* by rte_eth_recycle_mbufs(), even if they have one */
	/* from contiguous blocks of the pool into the Rx ring; the Tx queue is not used */
	RECYCLE_CONTIG,
};

/* Names of the modes, as initialisers of an array. */
#define RECYCLE_MODES \
	[RECYCLE_OFF] = "off", [RECYCLE_RING] = "ring", [RECYCLE_ZC_CACHE] = "zc_cache", \
	[RECYCLE_CACHE] = "cache", [RECYCLE_ETHDEV] = "ethdev", \
	[RECYCLE_ETHDEV_FORCE] = "ethdev_force", [RECYCLE_CONTIG] = "contig"

/* Accepted sources of queue layouts: values of the setting recycle layouts. */
enum recycle_layouts { RECYCLE_LAYOUTS_TABLE, RECYCLE_LAYOUTS_CHECK };

#define RECYCLE_LAYOUTS [RECYCLE_LAYOUTS_TABLE] = "table", [RECYCLE_LAYOUTS_CHECK] = "check"

/* State of a pair with respect to layouts that are not from the table. */
enum recycle_proof {
	RECYCLE_PROVED,  /* moves mbufs: the layouts are proved or need no proof */
	RECYCLE_PROVING, /* compares queues and layouts for some bursts, moves nothing */
	RECYCLE_REFUTED, /* a queue contradicted its layout: never moves anything */
};

struct recycle_ends {
	uint16_t rx_port, rx_queue, tx_port, tx_queue;
};

/* Counts of mbufs since the pair was bound. Written by the lcore that runs the pair. */
struct recycle_count {
	counter moved;       /* from Tx queue to Rx queue */
	counter topped_up;   /* taken from the pool in place of mbufs that could not be moved */
	counter shared;      /* sent but not moved: they have other references */
	counter foreign;     /* sent but not moved: returned to another pool */
	counter freed;       /* returned to the pool: no free slot, or too few for a batch */
	counter from_blocks; /* armed from contiguous blocks */
};
