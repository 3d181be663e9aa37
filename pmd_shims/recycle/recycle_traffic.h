/* Which transmit queues are to feed a receive queue: those by which its packets went of late. Pure:
 * samples and times in, a set of queues out. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	RECYCLE_TRAFFIC_QUEUES = 32, /* candidates, at most: a bit each */
	RECYCLE_TRAFFIC_FED = 8,     /* of them, at a time */
	RECYCLE_TRAFFIC_CHANGES = 4, /* in a second, at most */
	RECYCLE_TRAFFIC_HZ = 50,     /* samples a second */
	RECYCLE_TRAFFIC_LEAST = 128, /* packets: of fewer nobody tells where they go */
	RECYCLE_TRAFFIC_JOIN = 32,   /* a queue joins that had one packet of so many, */
	RECYCLE_TRAFFIC_LEAVE = 128, /* and leaves when it had less than one of so many */
	RECYCLE_TRAFFIC_IDLE = 50,   /* in so many samples in a row */
};

struct recycle_traffic {
	unsigned int n;                          /* candidates */
	uint32_t can;                            /* bits: of them, those that can feed */
	uint32_t feeds;                          /* bits: those that do */
	bool begun;                              /* there was a sample: before is of it */
	uint64_t hz, next;                       /* of the clock; when the next sample is due */
	uint64_t before[RECYCLE_TRAFFIC_QUEUES]; /* counts of the last sample that told something */
	uint16_t idle[RECYCLE_TRAFFIC_QUEUES];   /* samples in a row that it had next to nothing */
	/* Those that feed, the most first; two that sent much the same keep their order. */
	uint8_t order[RECYCLE_TRAFFIC_FED];
	unsigned int n_order;
	uint64_t changed
		[RECYCLE_TRAFFIC_CHANGES]; /* when it last did, change i at i modulo their number */
	uint64_t n_changes;
};

/*
 * Begin, by a clock of hz, with n candidates, of which can (bits) can feed, and first, if it can,
 * does. Counts begin with the first sample.
 */
void recycle_traffic_begin(struct recycle_traffic *t, unsigned int n, uint32_t can,
	unsigned int first, uint64_t hz);

/*
 * A look at the clock: nothing until the next sample is due. sent: how many of the receive queue's
 * packets each candidate has sent, since ever. A candidate that had a share of them feeds from then
 * on; one that has had next to none for a second no longer does; when all places are taken, it gives
 * way to one that had twice as many packets. At most RECYCLE_TRAFFIC_CHANGES changes of feeds in a
 * second, of which one joins or leaves or several. Returns whether there was one; order is new
 * whenever there was enough traffic.
 */
bool recycle_traffic_sample(struct recycle_traffic *t, const uint64_t *sent, uint64_t now);
