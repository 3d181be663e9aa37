/* Transmit descriptors of 82599 and X540: plain packets take a short way in batches, others one by
 * one. Source: Intel 82599 datasheet 7.2.3. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/ixgbe/ixgbe_priv.h"
#include "model_nic/mixed.h"

enum { DESC = 16 };

/* Of the second quad word of a data descriptor, which has the length in its first 16 bits. */
#define TX_KIND (UINT64_C(0xf) << 20 | UINT64_C(1) << 29)
#define TX_CONTEXT (UINT64_C(2) << 20 | UINT64_C(1) << 29)
#define TX_DATA (UINT64_C(3) << 20 | UINT64_C(1) << 29)
#define TX_EOP (UINT64_C(1) << 24)
#define TX_REPORT (UINT64_C(1) << 27)
#define TX_TAG (UINT64_C(1) << 30)
#define TX_TSO (UINT64_C(1) << 31)
#define TX_SUM_L3 (UINT64_C(1) << 40)
#define TX_SUM_L4 (UINT64_C(1) << 41)
#define TX_OFFLOADS (UINT64_C(0x3f) << 40 | TX_TAG | TX_TSO)
enum { TX_CONTEXT_AT = 36 };

void
ixgbe_tx_begin(struct model *m, const struct ring *r)
{
	struct ixgbe *s = ixgbe_state(m);

	s->taken[r->index].plain = 0;
	memset(s->context[r->index], 0, sizeof(s->context[r->index]));
	ixgbe_tx_head_set(m, r, IXGBE_HEAD_HIDDEN);
}

/*
 * Returns what is not plain in any of n descriptors: a packet of one descriptor without offloads
 * is.
 */
static inline uint64_t
take_run(const uint8_t *desc, struct frame *f, uint16_t n, unsigned at, const uint8_t *lanes,
	struct tx_taken *t)
{
	const uint64_t plain = TX_DATA | TX_EOP, mask = TX_KIND | TX_EOP | TX_OFFLOADS;
	const __m128i rest = _mm_cvtsi32_si128(FRAME_EOP);
	uint64_t odd = 0;

	for (uint16_t i = 0; i < n; i++) {
		uint64_t second = quad(desc + i * DESC + 8), len = second & 0xffff;

		odd |= (second & mask) ^ plain;
		_mm_storeu_si128((__m128i *)(void *)&f[i],
			_mm_set_epi64x((long long)len, (long long)quad(desc + i * DESC)));
		_mm_storeu_si128((__m128i *)(void *)&f[i].flags, rest);
		t->bytes += len;
		t->sizes += UINT64_C(1) << size_lane(lanes, (uint32_t)len);
		t->reports |= (second / TX_REPORT & 1) << (at + i);
	}
	return odd;
}

static void
context_read(struct ixgbe_context *contexts, uint64_t first, uint64_t second)
{
	enum { L4_UDP, L4_TCP };
	unsigned l4 = second >> 11 & 3;
	bool v4 = (second >> 10 & 1) != 0;

	contexts[second >> TX_CONTEXT_AT & (IXGBE_CONTEXTS - 1)] = (struct ixgbe_context){
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

static void
offloads(struct frame *f, uint64_t second, const struct ixgbe_context *contexts)
{
	const struct ixgbe_context *c = &contexts[second >> TX_CONTEXT_AT & (IXGBE_CONTEXTS - 1)];

	if ((second & TX_OFFLOADS) == 0)
		return;
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

/* As mixed_read, of contexts that hold until the next; silent: what has an older form. */
static bool
packet_read(const struct ring *r, uint16_t at, uint16_t n, void *of_queue, struct frame *f,
	uint16_t max, struct mixed_packet *p)
{
	struct ixgbe_context *contexts = of_queue;

	memset(p, 0, sizeof(*p));
	while (p->descs < n) {
		const uint8_t *desc = r->desc + (size_t)advanced(r, at, p->descs++) * DESC;
		uint64_t first = quad(desc), second = quad(desc + 8);
		struct frame one = { .data = (uint8_t *)(uintptr_t)first };

		if ((second & TX_KIND) == TX_CONTEXT) {
			context_read(contexts, first, second);
			continue;
		}
		if ((second & TX_KIND) != TX_DATA) {
			p->silent = true;
			return true;
		}
		one.len = (uint32_t)(second & 0xffff);
		one.flags = (second & TX_EOP) != 0 ? FRAME_EOP : 0;
		offloads(&one, second, contexts);
		if (p->frames < max)
			f[p->frames] = one;
		p->frames++;
		p->bytes += one.len;
		if ((second & TX_EOP) != 0)
			return true;
	}
	return false;
}

uint16_t
ixgbe_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max, uint16_t *descs)
{
	struct ixgbe *s = ixgbe_state(m);
	struct tx_taken *taken = &s->taken[r->index], t = { .head = r->head };
	uint16_t n = handed(r, max < MODEL_BURST ? max : MODEL_BURST), first = straight(r, n);
	const uint8_t *from = r->desc + (size_t)r->head * DESC;
	uint64_t odd;

	*descs = 0;
	if (n == 0)
		return 0;
	if (s->tx_head[r->index] != IXGBE_HEAD_HIDDEN) {
		if (*ixgbe_queue_reg(r, IXGBE_HEAD) != s->tx_head[r->index])
			return 0;
		ixgbe_tx_head_set(m, r, IXGBE_HEAD_HIDDEN);
	}
	lines_for_reading(from, (size_t)first * DESC);
	lines_for_reading(r->desc, (size_t)(n - first) * DESC);
	odd = take_run(from, f, first, 0, s->size_lane, &t) |
		take_run(r->desc, f + first, (uint16_t)(n - first), first, s->size_lane, &t);
	if (odd != 0) {
		struct ixgbe_context contexts[IXGBE_CONTEXTS];

		taken->plain = 0;
		memcpy(contexts, s->context[r->index], sizeof(contexts));
		return mixed_take(m, r, packet_read, contexts, f, max, descs);
	}
	t.plain = n;
	*taken = t;
	*descs = n;
	return n;
}

static inline void
report(const struct ring *r, uint16_t at)
{
	volatile uint32_t *status =
		(volatile uint32_t *)(volatile void *)(r->desc + (size_t)at * DESC + 12);

	*status = 1;
}

/* What was taken was not plain, or is done in other portions: read it again. */
static void
done_mixed(struct ixgbe *s, struct ring *r, uint16_t descs)
{
	struct frame f = { 0 };
	struct mixed_packet p;

	while (descs > 0) {
		bool whole = packet_read(r, r->head, descs, s->context[r->index], &f, 1, &p);

		if (whole && !p.silent && p.frames <= MODEL_BURST)
			packet_count(r, &f, p.bytes, s->size_lane, s->tx_sizes);
		for (uint16_t i = 0; i < p.descs; i++) {
			uint64_t second = quad(r->desc + (size_t)r->head * DESC + 8);

			if ((second & TX_KIND) != TX_CONTEXT && (second & TX_REPORT) != 0)
				report(r, r->head);
			r->head = advanced(r, r->head, 1);
		}
		descs = (uint16_t)(descs - p.descs);
	}
}

void
ixgbe_tx_done(struct model *m, struct ring *r, uint16_t descs)
{
	struct ixgbe *s = ixgbe_state(m);
	struct tx_taken *t = &s->taken[r->index];

	if (descs == 0 || !ixgbe_ring_stands(r))
		return;
	if (t->plain != descs || t->head != r->head) {
		done_mixed(s, r, descs);
	} else {
		for (uint64_t reports = t->reports; reports != 0; reports &= reports - 1)
			report(r, advanced(r, r->head, (uint16_t)__builtin_ctzll(reports)));
		r->head = advanced(r, r->head, descs);
		r->packets += descs;
		r->bytes += t->bytes;
		sizes_add(s->tx_sizes, t->sizes);
	}
	t->plain = 0;
}

uint8_t *
ixgbe_buffer(const struct ring *r, uint16_t i, bool rx)
{
	const uint8_t *desc = r->desc + (size_t)i * DESC;

	if (!rx && (quad(desc + 8) & TX_KIND) != TX_DATA)
		return NULL;
	return (uint8_t *)(uintptr_t)quad(desc);
}
