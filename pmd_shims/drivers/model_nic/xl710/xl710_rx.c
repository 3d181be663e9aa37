/* Receive descriptors of the XL710. Source: datasheet 8.3.2. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ring_rx.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

/* Bits of the second quad word of an Rx write-back. */
#define RX_DONE UINT64_C(1)
#define RX_EOP (UINT64_C(1) << 1)
#define RX_TAG (UINT64_C(1) << 2)
#define RX_CHECKED (UINT64_C(1) << 3)
#define RX_HASH (UINT64_C(3) << 12)
#define RX_ERROR_MAC (UINT64_C(1) << 19)
#define RX_ERROR_L3 (UINT64_C(1) << 22)
#define RX_ERROR_L4 (UINT64_C(1) << 23)
enum { RX_TYPE = 30, RX_LENGTH = 38 };

static uint64_t
rx_word(unsigned flags)
{
	/* Packet types; bits 0..3 of the index: IPv4, IPv6, TCP, UDP. */
	static const uint8_t types[16] = { 1, 23, 89, 1, 1, 26, 92, 1, 1, 24, 90, 1, 1, 1, 1, 1 };
	uint64_t word = RX_DONE;

	/* Information about a packet is in its last descriptor. */
	if ((flags & FRAME_EOP) == 0)
		return word;
	word |= RX_EOP | (uint64_t)types[flags / FRAME_IPV4 & 15] << RX_TYPE;
	word |= (flags & (FRAME_IPV4 | FRAME_IPV6)) != 0 ? RX_CHECKED : 0;
	word |= (flags & FRAME_VLAN) != 0 ? RX_TAG : 0;
	word |= (flags & FRAME_RSS) != 0 ? RX_HASH : 0;
	word |= (flags & FRAME_BAD_L3) != 0 ? RX_ERROR_L3 : 0;
	word |= (flags & FRAME_BAD_L4) != 0 ? RX_ERROR_L4 : 0;
	word |= (flags & FRAME_ERROR) != 0 ? RX_ERROR_MAC : 0;
	return word;
}

void
xl710_tables_make(struct xl710 *s)
{
	for (unsigned i = 0; i < XL710_RX_WORDS; i++)
		s->rx_word[i] = rx_word(i);
	counts_lanes_make(&s->counts);
}

/* True if the ring's bit is set. */
static inline bool
among_rings(const _Atomic uint64_t *bits, const struct ring *r)
{
	return (atomic_load_explicit(bits, memory_order_relaxed) >> r->index & 1) != 0;
}

static inline uint32_t
crc_bytes(const struct xl710 *s, const struct ring *r)
{
	return among_rings(&s->crc_stays, r) ? CRC_BYTES : 0;
}

uint16_t
xl710_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max)
{
	const struct xl710 *s = xl710_state(m);

	if (!atomic_load_explicit(&s->link_up, memory_order_relaxed))
		return 0;
	return rx_peek(r, crc_bytes(s, r), f, max);
}

static inline quads
write_back(const void *of, const struct frame *f, uint64_t len)
{
	const struct xl710 *s = of;

	return (quads){ (uint64_t)f->rss << 32 | (uint32_t)f->vlan << 16,
		s->rx_word[f->flags % XL710_RX_WORDS] | len << RX_LENGTH };
}

void
xl710_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n)
{
	struct xl710 *s = xl710_state(m);

	rx_give(r, &s->counts, crc_bytes(s, r), write_back, s, f, n);
	if (among_rings(&s->rx_interrupts, r))
		xl710_rx_interrupt(m);
}
