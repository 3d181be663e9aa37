/* Transmit descriptors of the XL710: plain packets take a short way in batches, others one by one.
 * Source: datasheet 8.4.2. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mixed.h"
#include "model_nic/xl710/xl710_priv.h"

#include <emmintrin.h>
#include <string.h>

/* Of the second quad word of a Tx descriptor. */
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

/*
 * Returns what is not plain in any of n descriptors: a packet of one descriptor without offloads
 * is.
 */
static inline uint64_t
take_run(const uint8_t *desc, struct frame *f, uint16_t n, unsigned at, const uint8_t *lanes,
	struct tx_taken *t)
{
	const uint64_t plain = TX_EOP, mask = TX_KIND | TX_EOP | TX_TAG | TX_OFFLOADS;
	const __m128i rest = _mm_cvtsi32_si128(FRAME_EOP);
	uint64_t odd = 0;

	for (uint16_t i = 0; i < n; i++) {
		uint64_t second = quad(desc + i * 16 + 8), len = second >> TX_BYTES & 0x3fff;

		odd |= (second & mask) ^ plain;
		_mm_storeu_si128((__m128i *)(void *)&f[i],
			_mm_set_epi64x((long long)len, (long long)quad(desc + i * 16)));
		_mm_storeu_si128((__m128i *)(void *)&f[i].flags, rest);
		t->bytes += len;
		t->sizes += UINT64_C(1) << size_lane(lanes, (uint32_t)len);
		t->reports |= (second / TX_REPORT & 1) << (at + i);
	}
	return odd;
}

static inline void
offloads(struct frame *f, uint64_t second, uint16_t mss)
{
	static const uint16_t l3[4] = { 0, FRAME_IPV6, FRAME_IPV4, FRAME_IPV4 | FRAME_CSUM_L3 };
	static const uint16_t l4[4] = { 0, FRAME_TCP | FRAME_CSUM_L4, 0,
		FRAME_UDP | FRAME_CSUM_L4 };

	f->flags |= l3[second >> 9 & 3] | l4[second >> 12 & 3];
	f->l2_len = (uint16_t)((second >> TX_L2_WORDS & 0x7f) * 2);
	f->l3_len = (uint16_t)((second >> TX_L3_DWORDS & 0x7f) * 4);
	f->l4_len = (uint16_t)((second >> TX_L4_DWORDS & 0xf) * 4);
	f->mss = mss;
	if ((second & TX_TAG) != 0) {
		f->flags |= FRAME_VLAN;
		f->vlan = (uint16_t)(second >> TX_TAG_AT);
	}
}

/*
 * What lies before a tunnel's inner addresses, beyond the outer MAC header: first quad word of a
 * context.
 */
static uint16_t
tunnel_bytes(uint64_t first)
{
	return (uint16_t)((first >> 2 & 0x3f) * 4 + (first >> 12 & 0x7f) * 2);
}

/*
 * As mixed_read; silent: what is for the filter engine. A context holds for the one packet behind
 * it.
 */
static bool
packet_read(const struct ring *r, uint16_t at, uint16_t n, void *unused, struct frame *f,
	uint16_t max, struct mixed_packet *p)
{
	uint16_t mss = 0, tunnel = 0, outer = 0;

	memset(p, 0, sizeof(*p));
	while (p->descs < n) {
		const uint8_t *desc = r->desc + (size_t)advanced(r, at, p->descs++) * 16;
		uint64_t first = quad(desc), second = quad(desc + 8);
		struct frame one = { .data = (uint8_t *)(uintptr_t)first };

		if ((second & TX_KIND) == TX_CONTEXT) {
			mss = (second & CONTEXT_TSO) != 0
				? (uint16_t)(second >> CONTEXT_MSS & 0x3fff)
				: 0;
			tunnel = tunnel_bytes(first);
			outer = (first & OUTER_KIND) == OUTER_IPV4_SUM ? FRAME_CSUM_OUTER : 0;
			continue;
		}
		if ((second & TX_KIND) != TX_DATA || (second & TX_DUMMY) != 0) {
			p->silent = true;
			return true;
		}
		one.len = (uint32_t)(second >> TX_BYTES & 0x3fff);
		one.flags = (second & TX_EOP) != 0 ? FRAME_EOP : 0;
		offloads(&one, second, mss);
		one.l2_len = (uint16_t)(one.l2_len + tunnel);
		one.flags |= outer;
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
xl710_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max, uint16_t *descs)
{
	struct xl710 *s = xl710_state(m);
	struct tx_taken *taken = &s->taken[r->index], t = { .head = r->head };
	uint16_t n = handed(r, max < MODEL_BURST ? max : MODEL_BURST), first = straight(r, n);
	const uint8_t *from = r->desc + (size_t)r->head * 16;
	uint64_t odd;

	*descs = 0;
	/*
	 * Filters are programmed through a queue that carries no traffic: nobody answers there, and
	 * the driver says so.
	 */
	if (n == 0 || r->data_queue < 0)
		return 0;
	lines_for_reading(from, (size_t)first * 16);
	lines_for_reading(r->desc, (size_t)(n - first) * 16);
	odd = take_run(from, f, first, 0, s->size_lane, &t) |
		take_run(r->desc, f + first, (uint16_t)(n - first), first, s->size_lane, &t);
	if (odd != 0) {
		taken->plain = 0;
		return mixed_take(m, r, packet_read, NULL, f, max, descs);
	}
	t.plain = n;
	*taken = t;
	*descs = n;
	return n;
}

static inline void
report(const struct ring *r, uint16_t at)
{
	*(volatile uint64_t *)(volatile void *)(r->desc + (size_t)at * 16 + 8) = TX_DONE;
}

/* What was taken was not plain, or is done in other portions: read it again. */
static void
done_mixed(struct xl710 *s, struct ring *r, uint16_t descs)
{
	struct frame f = { 0 };
	struct mixed_packet p;

	while (descs > 0) {
		bool whole = packet_read(r, r->head, descs, NULL, &f, 1, &p);

		if (whole && !p.silent && p.frames <= MODEL_BURST)
			packet_count(r, &f, p.bytes, s->size_lane, s->tx_sizes);
		for (uint16_t i = 0; i < p.descs; i++) {
			uint64_t second = quad(r->desc + (size_t)r->head * 16 + 8);

			if ((second & TX_KIND) != TX_CONTEXT && (second & TX_REPORT) != 0)
				report(r, r->head);
			r->head = advanced(r, r->head, 1);
		}
		descs = (uint16_t)(descs - p.descs);
	}
}

void
xl710_tx_done(struct model *m, struct ring *r, uint16_t descs)
{
	struct xl710 *s = xl710_state(m);
	struct tx_taken *t = &s->taken[r->index];

	if (descs == 0)
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
xl710_buffer(const struct ring *r, uint16_t i, bool rx)
{
	const uint8_t *desc = r->desc + (size_t)i * r->desc_size;

	if (!rx && (quad(desc + 8) & TX_KIND) != TX_DATA)
		return NULL;
	return (uint8_t *)(uintptr_t)quad(desc);
}
