/* The packets of one burst into several rings, in their order: each ring gets its own in one
 * piece. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_link.h"
#include "engines/ring/ring_state.h"

/* At least want, or as much room as there is now. */
static __rte_always_inline unsigned int
ring_room(struct ring_out *o, unsigned int want)
{
	if (unlikely(o->room < want))
		o->room = rte_ring_free_count(o->link->ring);
	return o->room;
}

/*
 * Put all of a span into one ring: there is room (ring_room()), or the ring is shared and this
 * waits until there is. Thread: as below.
 */
void ring_put(struct ring_out *o, const struct ring_slots *from, bool zero_copy);

/*
 * Put packet k of from into outs[which[k]]. zero_copy: as
 * ring_link_put(). Returns how many
 * there was no room for: they are at the begin of rest, which is NULL where there is room
 * (ring_room()) or where rings are shared and this waits until there is. n_outs: 1..256. Thread:
 * the producer of all those rings.
 */
uint16_t ring_scatter(struct ring_out *outs, unsigned int n_outs, const struct ring_slots *from,
	const uint8_t *which, bool zero_copy, struct rte_mbuf **rest);
