/* Packets on their way to the driver, from whatever source. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/frame.h"

struct ring;
struct traffic;

/* What became of a packet that came. */
enum arrival {
	ARRIVAL_GIVEN,
	ARRIVAL_WAITS, /* its queue is off or has too few descriptors: not given, not counted */
	ARRIVAL_LONG,  /* longer than the driver accepts: counted */
};

/* A packet of len bytes for the driver, from whatever source, into the queue that RSS says. */
enum arrival arrive(struct traffic *t, const uint8_t *pkt, uint32_t len);

/* The same from a wire, which does not wait: what finds no room is counted as missed. */
void arrive_by_wire(struct traffic *t, const uint8_t *pkt, uint32_t len);

/*
 * Cut a packet over the buffers at f, n of them; flags go to all, FRAME_EOP to the last. Returns
 * frames used; 0: too few, nothing is written.
 */
uint16_t arrive_spread(struct frame *f, uint16_t n, const uint8_t *pkt, uint32_t len,
	unsigned flags);

/* Frames to the driver: owners, counters and pending descriptor errors with them. */
void arrive_give(struct traffic *t, struct ring *r, struct frame *f, uint16_t n);
