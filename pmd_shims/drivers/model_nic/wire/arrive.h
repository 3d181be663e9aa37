/* Delivery of packets from any source to the driver. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/frame.h"

struct ring;
struct traffic;

/* Result for a packet that has arrived. */
enum arrival {
	ARRIVAL_GIVEN,
	ARRIVAL_WAITS, /* its queue is disabled or has too few descriptors; not counted */
	ARRIVAL_LONG,  /* it is longer than the driver accepts; counted */
};

/* Give a packet of len bytes to the driver, in the queue chosen by filters and RSS. */
enum arrival arrive(struct traffic *t, const uint8_t *pkt, uint32_t len);

/* Give a packet from a wire to the driver; count it as missed if there is no room. */
void arrive_by_wire(struct traffic *t, const uint8_t *pkt, uint32_t len);

/*
 * Distribute a packet to the n buffers at f; flags are set in all of them, FRAME_EOP in the last
 * one. Returns the number of frames used; 0: too few buffers, nothing is written.
 */
uint16_t arrive_spread(struct frame *f, uint16_t n, const uint8_t *pkt, uint32_t len,
	unsigned flags);

/* Give frames to the driver; updates the ownership map and counters, applies descriptor errors. */
void arrive_give(struct traffic *t, struct ring *r, struct frame *f, uint16_t n);
