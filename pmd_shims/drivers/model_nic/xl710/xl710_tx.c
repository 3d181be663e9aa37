/* Transmit descriptors of the XL710. Source: datasheet 8.4.2. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ring_tx.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

/* Bits of the second quad word of a Tx descriptor. */
#define TX_KIND UINT64_C(0xf)
#define TX_EOP (UINT64_C(1) << 4)
#define TX_REPORT (UINT64_C(1) << 5)
#define TX_TAG (UINT64_C(1) << 7)
#define TX_DUMMY (UINT64_C(1) << 8)
#define TX_OFFLOADS (UINT64_C(0x3f) << 8)
enum { TX_DATA = 0, TX_CONTEXT = 1, TX_DONE = 15 };
enum { TX_L2_WORDS = 16, TX_L3_DWORDS = 23, TX_L4_DWORDS = 30, TX_BYTES = 34, TX_TAG_AT = 48 };
#define CONTEXT_TSO (UINT64_C(1) << 4)
enum { CONTEXT_MSS = 50, OUTER_KIND = 3, OUTER_IPV4_SUM = 3 };

/* Headers of a tunnel between the outer MAC header and the inner IP header are added to l2_len. */
static inline void
context_read(struct tx_context *contexts, uint64_t first, uint64_t second)
{
	contexts[0] = (struct tx_context){
		.mss = (second & CONTEXT_TSO) != 0 ? (uint16_t)(second >> CONTEXT_MSS & 0x3fff) : 0,
		.l2_len = (uint16_t)((first >> 2 & 0x3f) * 4 + (first >> 12 & 0x7f) * 2),
		.flags = (first & OUTER_KIND) == OUTER_IPV4_SUM ? FRAME_CSUM_OUTER : 0,
	};
}

static inline void
offloads_read(struct frame *f, uint64_t second, const struct tx_context *contexts)
{
	static const uint16_t l3[4] = { 0, FRAME_IPV6, FRAME_IPV4, FRAME_IPV4 | FRAME_CSUM_L3 };
	static const uint16_t l4[4] = { 0, FRAME_TCP | FRAME_CSUM_L4, 0,
		FRAME_UDP | FRAME_CSUM_L4 };

	f->flags |= l3[second >> 9 & 3] | l4[second >> 12 & 3] | contexts[0].flags;
	f->l2_len = (uint16_t)((second >> TX_L2_WORDS & 0x7f) * 2 + contexts[0].l2_len);
	f->l3_len = (uint16_t)((second >> TX_L3_DWORDS & 0x7f) * 4);
	f->l4_len = (uint16_t)((second >> TX_L4_DWORDS & 0xf) * 4);
	f->mss = contexts[0].mss;
	if ((second & TX_TAG) != 0) {
		f->flags |= FRAME_VLAN;
		f->vlan = (uint16_t)(second >> TX_TAG_AT);
	}
}

static inline void
done(uint8_t *desc)
{
	*(volatile uint64_t *)(volatile void *)(desc + 8) = TX_DONE;
}

/* TX_DUMMY marks packets for the filter engine, which are not sent. */
static const struct tx_format format = {
	.kind = TX_KIND,
	.data = TX_DATA,
	.context = TX_CONTEXT,
	.eop = TX_EOP,
	.report = TX_REPORT,
	.silent = TX_DUMMY,
	.offloads = TX_TAG | TX_OFFLOADS,
	.length_at = TX_BYTES,
	.length_mask = 0x3fff,
	.context_read = context_read,
	.offloads_read = offloads_read,
	.done = done,
};

uint16_t
xl710_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max, uint16_t *descs)
{
	*descs = 0;
	if (r->data_queue < 0) { /* the ring carries filters, no traffic */
		*descs = xl710_filters_take(m, r);
		return 0;
	}
	return tx_take(&format, m, r, &xl710_state(m)->counts, f, max, descs);
}

void
xl710_tx_done(struct model *m, struct ring *r, uint16_t descs)
{
	tx_done(&format, r, &xl710_state(m)->counts, descs);
}

uint8_t *
xl710_buffer(const struct ring *r, uint16_t i, bool rx)
{
	return tx_buffer(&format, r, i, rx);
}
