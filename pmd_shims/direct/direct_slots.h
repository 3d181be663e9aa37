/* Mbufs that stay in one slot of the Rx ring and in one slot of the Tx ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * While the rings advance together, the Tx slot of a packet is its Rx slot plus a constant. So each
 * slot of both rings gets one mbuf, written to both arrays of mbufs once, and its address to the Tx
 * descriptor. Per packet only length and flags of a Tx descriptor change. Half of the mbufs
 * circulate: each is either armed or in the Tx ring.
 *
 * The Rx ring is armed in batches that begin at a multiple of the batch, and sent packets are taken
 * likewise; if the constant is no multiple, the mbufs between the two begins are floating: they
 * belong to the binding.
 *
 * Drops, packets that leave by other functions, and a Tx ring that is not emptied end it. It is
 * tried again after some packets.
 */
#pragma once

#include "pmd_shims/direct/direct_half.h"

#include <rte_branch_prediction.h>

/* Packets from the end of it to the next attempt: to begin takes the time of a ring of packets. */
enum { DIRECT_SLOTS_PAUSE = 65536 };

/* True if both queues have the functions, and rings of one size. Thread: control. */
bool direct_slots_possible(const struct direct *d);

/* Begin if the state of the rings allows it. Thread: the lcore. */
void direct_slots_try(struct direct *d);

/* End it: floating mbufs return to the pool. Nothing happens if it is not on. Thread: as direct_pause(). */
void direct_slots_leave(struct direct *d);

/* Count n received packets, and begin when that is due. Thread: the lcore. */
static inline void
direct_slots_count(struct direct *d, uint16_t n)
{
	d->slots.until_try -= n;
	if (unlikely(d->slots.until_try < 0 && d->slots.allowed))
		direct_slots_try(d);
}
