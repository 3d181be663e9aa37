/* Which transmit queues feed a receive queue: those that recently sent its packets. Pure functions:
 * samples and times in, a set of queues out. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <zcfwd/recycle.h>

enum {
	RECYCLE_TRAFFIC_QUEUES = ZCFWD_RECYCLE_BOUND, /* candidates at most, a bit each */
	RECYCLE_TRAFFIC_FED = ZCFWD_RECYCLE_FEEDING,  /* that feed at a time, at most */
	RECYCLE_TRAFFIC_CHANGES = 4,                  /* changes per second, at most */
	RECYCLE_TRAFFIC_HZ = 50,                      /* samples per second */
	RECYCLE_TRAFFIC_LEAST = 128, /* packets that a sample needs to be significant */
	RECYCLE_TRAFFIC_JOIN = 32,   /* a queue joins if it sent at least 1 of 32 packets */
	RECYCLE_TRAFFIC_LEAVE = 128, /* a queue is idle if it sent less than 1 of 128 packets */
	RECYCLE_TRAFFIC_IDLE = 50,   /* it leaves after this many idle samples in a row */
};

struct recycle_traffic {
	unsigned int n;                          /* candidates */
	uint32_t can;                            /* bits: candidates that can feed */
	uint32_t feeds;                          /* bits: candidates that feed */
	bool begun;                              /* there was a sample, so before is valid */
	uint64_t hz, next;                       /* clock frequency; time of the next sample */
	uint64_t before[RECYCLE_TRAFFIC_QUEUES]; /* counts at the last significant sample */
	uint16_t idle[RECYCLE_TRAFFIC_QUEUES];   /* idle samples in a row */
	/* Feeding candidates, most packets first; those with similar numbers keep their order. */
	uint8_t order[RECYCLE_TRAFFIC_FED];
	unsigned int n_order;
	/* times of the last changes; change i is at i modulo RECYCLE_TRAFFIC_CHANGES */
	uint64_t changed[RECYCLE_TRAFFIC_CHANGES];
	uint64_t n_changes;
};

/*
 * Begin with n candidates, of which those in the bits can may feed; candidate first feeds if it
 * can. hz: frequency of the clock. Counts begin with the first sample.
 */
void recycle_traffic_begin(struct recycle_traffic *t, unsigned int n, uint32_t can,
	unsigned int first, uint64_t hz);

/*
 * Take a sample if one is due at time now. sent: packets of the receive queue that each candidate
 * has sent in total. A candidate with a share of the packets begins to feed; one with almost none
 * for a second stops feeding. If all places are taken, a candidate replaces one with less than half
 * its packets. feeds changes at most RECYCLE_TRAFFIC_CHANGES times a second. Returns true if it
 * changed; order is updated whenever there was enough traffic.
 */
bool recycle_traffic_sample(struct recycle_traffic *t, const uint64_t *sent, uint64_t now);
