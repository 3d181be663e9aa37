/* Transmit descriptors of 82599 and X540. Source: Intel 82599 datasheet 7.2.3. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"
#include "pmd_shims/drivers/model_nic/ring_tx.h"

/* Bits of the second quad word of a descriptor; that of data has the length in bits 0..15. */
#define TX_KIND (UINT64_C(0xf) << 20 | UINT64_C(1) << 29)
#define TX_CONTEXT (UINT64_C(2) << 20 | UINT64_C(1) << 29)
#define TX_DATA (UINT64_C(3) << 20 | UINT64_C(1) << 29)
#define TX_STAMP (UINT64_C(1) << 19)
#define TX_EOP (UINT64_C(1) << 24)
#define TX_REPORT (UINT64_C(1) << 27)
#define TX_TAG (UINT64_C(1) << 30)
#define TX_TSO (UINT64_C(1) << 31)
#define TX_SUM_L3 (UINT64_C(1) << 40)
#define TX_SUM_L4 (UINT64_C(1) << 41)
#define TX_OFFLOADS (UINT64_C(0x3f) << 40 | TX_TAG | TX_TSO | TX_STAMP)
enum { TX_CONTEXT_AT = 36 };

static inline void
context_read(struct tx_context *contexts, uint64_t first, uint64_t second)
{
	enum { L4_UDP, L4_TCP };
	unsigned l4 = second >> 11 & 3;
	bool v4 = (second >> 10 & 1) != 0;

	contexts[second >> TX_CONTEXT_AT & (MODEL_TX_CONTEXTS - 1)] = (struct tx_context){
		.l3_len = first & 0x1ff,
		.l2_len = first >> 9 & 0x7f,
		.vlan = (uint16_t)(first >> 16),
		.l4_len = second >> 40 & 0xff,
		.mss = (uint16_t)(second >> 48),
		.flags = (uint16_t)((v4 ? FRAME_IPV4 : FRAME_IPV6) |
			(l4 == L4_UDP                  ? FRAME_UDP
					: l4 == L4_TCP ? FRAME_TCP
						       : 0)),
	};
}

static inline void
offloads_read(struct frame *f, uint64_t second, const struct tx_context *contexts)
{
	const struct tx_context *c = &contexts[second >> TX_CONTEXT_AT & (MODEL_TX_CONTEXTS - 1)];

	if ((second & TX_OFFLOADS) == 0)
		return;
	if ((second & TX_STAMP) != 0)
		f->flags |= FRAME_STAMPED;
	if ((second & TX_TAG) != 0) {
		f->flags |= FRAME_VLAN;
		f->vlan = c->vlan;
	}
	f->l2_len = c->l2_len;
	if ((second & (TX_SUM_L3 | TX_SUM_L4 | TX_TSO)) == 0)
		return;
	f->flags |= c->flags & (FRAME_IPV4 | FRAME_IPV6);
	f->l3_len = c->l3_len;
	if ((second & TX_SUM_L3) != 0)
		f->flags |= FRAME_CSUM_L3;
	if ((second & TX_SUM_L4) != 0 && (c->flags & (FRAME_TCP | FRAME_UDP)) != 0)
		f->flags |= FRAME_CSUM_L4 | (c->flags & (FRAME_TCP | FRAME_UDP));
	if ((second & (TX_SUM_L4 | TX_TSO)) != 0)
		f->l4_len = c->l4_len;
	f->mss = (second & TX_TSO) != 0 ? c->mss : 0;
}

static inline void
done(uint8_t *desc)
{
	*(volatile uint32_t *)(volatile void *)(desc + 12) = 1;
}

static const struct tx_format format = {
	.kind = TX_KIND,
	.data = TX_DATA,
	.context = TX_CONTEXT,
	.eop = TX_EOP,
	.report = TX_REPORT,
	.offloads = TX_OFFLOADS,
	.length_mask = 0xffff,
	.contexts_stay = true,
	.context_read = context_read,
	.offloads_read = offloads_read,
	.done = done,
};

/*
 * Hide the head of an idle queue as soon as there is work. Returns false if there is no work or the
 * driver has stopped or restarted the queue.
 */
static bool
head_hide(struct model *m, const struct ring *r)
{
	uint32_t shown = ixgbe_state(m)->tx_head[r->index];

	if (shown == IXGBE_HEAD_HIDDEN)
		return ixgbe_ring_stands(r);
	if (handed(r, 1) == 0 || *ixgbe_queue_reg(r, IXGBE_HEAD) != shown)
		return false;
	ixgbe_tx_head_set(m, r, IXGBE_HEAD_HIDDEN);
	return true;
}

uint16_t
ixgbe_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max, uint16_t *descs)
{
	uint16_t n;

	*descs = 0;
	if (!head_hide(m, r))
		return 0;
	n = tx_take(&format, m, r, &ixgbe_state(m)->counts, f, max, descs);
	if (n > 0 && r->taken.plain == 0)
		ixgbe_time_sent(m, f, n);
	return n;
}

void
ixgbe_tx_done(struct model *m, struct ring *r, uint16_t descs)
{
	if (ixgbe_ring_stands(r))
		tx_done(&format, r, &ixgbe_state(m)->counts, descs);
}

uint8_t *
ixgbe_buffer(const struct ring *r, uint16_t i, bool rx)
{
	return tx_buffer(&format, r, i, rx);
}
