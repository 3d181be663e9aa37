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
	 * from the Tx ring onto the top of the lcore's mempool cache and from there into the Rx
	 * ring at once, one copy each
	 */
	RECYCLE_ZC_CACHE,
	/*
	 * from the Tx ring into the lcore's mempool cache, one copy; the driver's own refill takes
	 * them from there
	 */
	RECYCLE_CACHE,
	/* by rte_eth_recycle_mbufs(), where what is known of the drivers' callbacks lets it */
	RECYCLE_ETHDEV,
	RECYCLE_ETHDEV_FORCE, /* wherever drivers have callbacks */
	/* out of contiguous blocks of the pool; the Tx queue has no part in it */
	RECYCLE_CONTIG,
};

/* Their names, as initialisers of an array. */
#define RECYCLE_MODES \
	[RECYCLE_OFF] = "off", [RECYCLE_RING] = "ring", [RECYCLE_ZC_CACHE] = "zc_cache", \
	[RECYCLE_CACHE] = "cache", [RECYCLE_ETHDEV] = "ethdev", \
	[RECYCLE_ETHDEV_FORCE] = "ethdev_force", [RECYCLE_CONTIG] = "contig"

/* Who may say how a driver lays out its queues, as the setting names them. */
enum recycle_layouts { RECYCLE_LAYOUTS_TABLE, RECYCLE_LAYOUTS_CHECK };

#define RECYCLE_LAYOUTS [RECYCLE_LAYOUTS_TABLE] = "table", [RECYCLE_LAYOUTS_CHECK] = "check"

/* Where a pair stands whose drivers' layouts no table vouches for. */
enum recycle_proof {
	RECYCLE_PROVED,  /* it moves mbufs; so do pairs that need no proof */
	RECYCLE_PROVING, /* it watches the driver at work for some bursts, and moves nothing */
	RECYCLE_REFUTED, /* what it saw cannot be: it never moves anything */
};

struct recycle_ends {
	uint16_t rx_port, rx_queue, tx_port, tx_queue;
};

/* Mbufs, since bind. Written by the lcore that runs the pair. */
struct recycle_count {
	counter moved;       /* from Tx queue to Rx queue */
	counter topped_up;   /* drawn from the pool in place of those that could not be moved */
	counter shared;      /* sent and not movable: somebody else holds them still */
	counter foreign;     /* of another pool: back there */
	counter freed;       /* movable, but with no room or company to fill a batch: to the pool */
	counter from_blocks; /* of contiguous blocks */
};
