/* Receive descriptors of 82599 and X540. Source: Intel 82599 datasheet 7.1.6. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"
#include "pmd_shims/drivers/model_nic/ring_rx.h"

/* Status and errors of a write-back. */
#define RX_DONE UINT32_C(1)
#define RX_EOP (UINT32_C(1) << 1)
#define RX_TAG (UINT32_C(1) << 3)
#define RX_L4_CHECKED (UINT32_C(1) << 5)
#define RX_L3_CHECKED (UINT32_C(1) << 6)
#define RX_STAMPED (UINT32_C(1) << 16)
#define RX_ERROR_MAC (UINT32_C(1) << 29)
#define RX_ERROR_L4 (UINT32_C(1) << 30)
#define RX_ERROR_L3 (UINT32_C(1) << 31)
enum { RX_IPV4 = 0x10, RX_IPV6 = 0x40, RX_TCP = 0x100, RX_UDP = 0x200 }; /* type of packet */
enum { RX_FILTERED = 0x8000, RX_FILTER_PTP = 3 << 4 }; /* type: EtherType filter, its number */
enum { RX_LENGTH = 32, RX_VLAN = 48 };                 /* positions in the second quad word */

static void
word_make(struct ixgbe *s, unsigned flags)
{
	const bool l3 = (flags & (FRAME_IPV4 | FRAME_IPV6)) != 0,
		   l4 = l3 && (flags & (FRAME_TCP | FRAME_UDP)) != 0;
	uint32_t status = RX_DONE;
	unsigned type = 0;

	/* Information about a packet is in its last descriptor. */
	if ((flags & FRAME_EOP) != 0) {
		status |= RX_EOP | ((flags & FRAME_IPV4) != 0 ? RX_L3_CHECKED : 0);
		status |= l4 ? RX_L4_CHECKED : 0;
		status |= (flags & FRAME_VLAN) != 0 ? RX_TAG : 0;
		status |= (flags & FRAME_BAD_L3) != 0 ? RX_ERROR_L3 : 0;
		status |= (flags & FRAME_BAD_L4) != 0 ? RX_ERROR_L4 : 0;
		status |= (flags & FRAME_ERROR) != 0 ? RX_ERROR_MAC : 0;
		type |= (flags & FRAME_IPV4) != 0   ? RX_IPV4
			: (flags & FRAME_IPV6) != 0 ? RX_IPV6
						    : 0;
		type |= !l4 ? 0 : (flags & FRAME_TCP) != 0 ? RX_TCP : RX_UDP;
	}
	s->rx_status[flags] = status;
	s->rx_type[flags] = (uint16_t)type;
}

void
ixgbe_tables_make(struct ixgbe *s)
{
	for (unsigned i = 0; i < IXGBE_RX_WORDS; i++)
		word_make(s, i);
	counts_lanes_make(&s->counts);
}

static inline uint32_t
crc_bytes(const struct ixgbe *s)
{
	return atomic_load_explicit(&s->crc_stays, memory_order_relaxed) ? CRC_BYTES : 0;
}

uint16_t
ixgbe_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max)
{
	if (!atomic_load_explicit(&m->link_up, memory_order_relaxed))
		return 0;
	return rx_peek(r, crc_bytes(ixgbe_state(m)), f, max);
}

/* Data for write-backs. */
struct shown {
	const struct ixgbe *s;
	uint64_t hash_types;
};

static inline quads
write_back(const void *of, const struct frame *f, uint64_t len)
{
	const struct shown *shown = of;
	const unsigned flags = f->flags % IXGBE_RX_WORDS,
		       hashed = (flags & FRAME_RSS) / FRAME_RSS * 15;
	const unsigned hash_type = (unsigned)(shown->hash_types >> flags / FRAME_IPV4 % 16 * 4) &
		hashed;

	const unsigned type = (f->flags & FRAME_PTP) != 0 ? RX_FILTERED | RX_FILTER_PTP
							  : shown->s->rx_type[flags];
	const uint32_t stamped = f->flags / FRAME_STAMPED % 2 * RX_STAMPED;

	return (quads){ (uint64_t)f->rss << 32 | type | hash_type,
		shown->s->rx_status[flags] | stamped | len << RX_LENGTH |
			(uint64_t)f->vlan << RX_VLAN };
}

void
ixgbe_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n)
{
	struct ixgbe *s = ixgbe_state(m);
	uint32_t cause = atomic_load_explicit(&s->rx_cause[r->index], memory_order_relaxed);
	const struct shown shown = { s,
		atomic_load_explicit(&s->hash_types, memory_order_relaxed) };

	if (!ixgbe_ring_stands(r))
		return;
	rx_give(r, &s->counts, crc_bytes(s), write_back, &shown, f, n);
	if (cause != 0)
		ixgbe_cause(m, cause);
}
