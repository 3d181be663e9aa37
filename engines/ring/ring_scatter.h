/* Distributes the packets of a burst to several rings in order, with one put per ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_link.h"
#include "engines/ring/ring_state.h"

/* A number of slots known to be free: at least want, or else all that are free now. */
static __rte_always_inline unsigned int
ring_room(struct ring_out *o, unsigned int want)
{
	if (unlikely(o->room < want))
		o->room = rte_ring_free_count(o->link->ring);
	return o->room;
}

/*
 * Put all packets into one ring. ring_room() must have found room; if the ring is shared, wait
 * until there is room. Thread: a producer of the ring.
 */
void ring_put(struct ring_out *o, const struct ring_slots *from, bool zero_copy);

/*
 * Put packet k of from into outs[which[k]]. n_outs: 1..256. zero_copy: as for ring_link_put().
 * Returns the number of packets that did not fit, which are stored in rest. rest may be NULL if
 * ring_room() found room; into shared rings this then waits for room. Thread: a producer of all
 * these rings.
 */
uint16_t ring_scatter(struct ring_out *outs, unsigned int n_outs, const struct ring_slots *from,
	const uint8_t *which, bool zero_copy, struct rte_mbuf **rest);
