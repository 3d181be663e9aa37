/* The mbuf flag for data that must not be written. Needs only DPDK and is installed as
 * zcfwd/mbuf_readonly.h, for other programs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_bitops.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A segment has the flag if its bytes, data_len of them from data_off on, have other readers or lie
 * in read-only memory. The owner of the mbuf must not write these bytes. It may change
 * the mbuf itself: its length, its offset, its place in a chain. Each segment has a flag of its
 * own. A segment without the flag may be written, whatever its reference count is.
 *
 * The flag is a bit of ol_flags. DPDK chooses the bit, the same for a primary process and its
 * secondaries. A program that marks data registers the flag before it sends such packets. A program
 * that writes looks the flag up before it receives them: the mask is 0 while no program has
 * registered the flag, and with mask 0 the functions below do nothing.
 */
#define MBUF_READONLY_NAME "zcfwd_mbuf_readonly"

/*
 * Register the flag; repeated calls return the same bit. Returns its mask, or 0 with rte_errno set:
 * ENOENT if all bits are in use. Thread: control.
 */
static inline uint64_t
mbuf_readonly_register(void)
{
	const struct rte_mbuf_dynflag flag = { MBUF_READONLY_NAME, 0 };
	const int bit = rte_mbuf_dynflag_register(&flag);

	return bit < 0 ? 0 : RTE_BIT64(bit);
}

/* Return the mask of the flag, or 0: it is not registered, so no data is marked. Thread: control. */
static inline uint64_t
mbuf_readonly_lookup(void)
{
	const int bit = rte_mbuf_dynflag_lookup(MBUF_READONLY_NAME, NULL);

	return bit < 0 ? 0 : RTE_BIT64(bit);
}

/* Return whether the segment's data must not be written. mask: from one of the functions above. */
static inline bool
mbuf_readonly_test(const struct rte_mbuf *segment, uint64_t mask)
{
	return (segment->ol_flags & mask) != 0;
}

/* Mark the segment's data. rte_pktmbuf_clone() copies the marks of the original's segments. */
static inline void
mbuf_readonly_set(struct rte_mbuf *segment, uint64_t mask)
{
	segment->ol_flags |= mask;
}

/*
 * Remove the mark, from a segment whose bytes have no other reader: rte_pktmbuf_copy() copies the
 * mark of the first segment although the bytes are new.
 */
static inline void
mbuf_readonly_clear(struct rte_mbuf *segment, uint64_t mask)
{
	segment->ol_flags &= ~mask;
}
