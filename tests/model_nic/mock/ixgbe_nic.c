/* Descriptors of the 82599: advanced ones, of receiving and of sending. Source: its datasheet, 7.1.6 and 7.2.3. */
#include "ixgbe_nic.h"

#include "../ring.h"

/* Of a received packet: its first word tells type and kind of hash, ... */
enum { IS_IPV4 = 1 << 4, IS_IPV6 = 1 << 6, IS_TCP = 1 << 8, IS_UDP = 1 << 9 };
enum { HASH_IPV4 = 2, HASH_IPV4_TCP = 1, HASH_IPV4_UDP = 7 };

/* ... its third what became of it. */
enum {
	RX_DONE = 1 << 0,
	RX_EOP = 1 << 1,
	RX_TAG = 1 << 3,
	RX_UDP_CHECKED = 1 << 4,
	RX_L4_CHECKED = 1 << 5,
	RX_L3_CHECKED = 1 << 6,
	RX_ERROR_MAC = 1 << 29,
	RX_ERROR_L4 = 1 << 30
};
#define RX_ERROR_L3 (UINT32_C(1) << 31)

/* Of a descriptor to send: its third and its fourth word. */
enum {
	TX_KIND = 0xf << 20,
	TX_CONTEXT = 2 << 20,
	TX_DATA = 3 << 20,
	TX_EOP = 1 << 24,
	TX_REPORT = 1 << 27,
	TX_TAG = 1 << 30
};
#define TX_SEGMENTATION (UINT32_C(1) << 31)
enum { TX_DONE = 1 << 0, TX_CHECKED = 1 << 7, TX_L3 = 1 << 8, TX_L4 = 1 << 9 };
enum { CONTEXT_IPV4 = 1 << 10, CONTEXT_TCP = 1 << 11 };

static inline uint32_t
word(const uint8_t *desc, unsigned i)
{
	uint32_t v;

	memcpy(&v, desc + 4 * i, sizeof(v));
	return v;
}

static inline uint8_t *
desc_at(const struct ring *r, uint16_t i)
{
	return r->desc + (size_t)i * IXGBE_DESC;
}

uint16_t
ixgbe_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max)
{
	uint16_t n = handed(r, max), first = straight(r, n);

	lines_for_writing(desc_at(r, r->head), (size_t)first * IXGBE_DESC);
	lines_for_writing(r->desc, (size_t)(n - first) * IXGBE_DESC);
	for (uint16_t i = 0; i < n; i++)
		f[i] = (struct frame){ .data = ixgbe_buffer(r, advanced(r, r->head, i), true),
			.len = r->buf_len };
	return n;
}

static inline uint32_t
rx_kind(uint16_t flags)
{
	uint32_t kind = ((flags & FRAME_IPV4) != 0 ? IS_IPV4 : 0) |
		((flags & FRAME_IPV6) != 0 ? IS_IPV6 : 0) |
		((flags & FRAME_TCP) != 0 ? IS_TCP : 0) | ((flags & FRAME_UDP) != 0 ? IS_UDP : 0);

	if ((flags & FRAME_RSS) != 0)
		kind |= (flags & FRAME_TCP) != 0   ? HASH_IPV4_TCP
			: (flags & FRAME_UDP) != 0 ? HASH_IPV4_UDP
						   : HASH_IPV4;
	return kind;
}

static inline uint32_t
rx_status(const struct model *m, uint16_t flags)
{
	uint32_t status = RX_DONE;

	/* What is known of the packet stands in its last descriptor. */
	if ((flags & FRAME_EOP) == 0)
		return status;
	status |= RX_EOP | ((flags & FRAME_VLAN) != 0 ? RX_TAG : 0) |
		((flags & FRAME_ERROR) != 0 ? RX_ERROR_MAC : 0);
	if (!atomic_load_explicit(&m->rx_csum, memory_order_relaxed))
		return status;
	if ((flags & FRAME_IPV4) != 0)
		status |= RX_L3_CHECKED | ((flags & FRAME_BAD_L3) != 0 ? RX_ERROR_L3 : 0);
	if ((flags & (FRAME_TCP | FRAME_UDP)) != 0)
		status |= RX_L4_CHECKED | ((flags & FRAME_UDP) != 0 ? RX_UDP_CHECKED : 0) |
			((flags & FRAME_BAD_L4) != 0 ? RX_ERROR_L4 : 0);
	return status;
}

void
ixgbe_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		_mm_store_si128((__m128i *)(void *)desc_at(r, r->head),
			_mm_set_epi32((int)((uint32_t)f[i].vlan << 16 | f[i].len),
				(int)rx_status(m, f[i].flags), (int)f[i].rss,
				(int)rx_kind(f[i].flags)));
		/* Drivers count done bits from the ring's front on; x86 keeps stores in order, the compiler has to. */
		atomic_signal_fence(memory_order_release);
		r->head = advanced(r, r->head, 1);
		r->bytes += f[i].len;
		r->packets += (f[i].flags & FRAME_EOP) != 0;
	}
}

static void
context_read(struct model *m, const struct ring *r, const uint8_t *desc)
{
	struct ixgbe_nic *nic = m->state;
	uint32_t lengths = word(desc, 0), type = word(desc, 2), more = word(desc, 3);

	nic->context[r->index][more >> 4 & (IXGBE_CONTEXTS - 1)] = (struct frame){
		.vlan = (uint16_t)(lengths >> 16),
		.l2_len = (uint16_t)(lengths >> 9 & 0x7f),
		.l3_len = (uint16_t)(lengths & 0x1ff),
		.l4_len = (uint16_t)(more >> 8 & 0xff),
		.mss = (uint16_t)(more >> 16),
		.flags = (uint16_t)(((type & CONTEXT_IPV4) != 0 ? FRAME_IPV4 : FRAME_IPV6) |
			((type & CONTEXT_TCP) != 0 ? FRAME_TCP : FRAME_UDP)),
	};
}

/* The packet's data, with what the context that it names says. */
static struct frame
data_read(const struct model *m, const struct ring *r, const uint8_t *desc)
{
	const struct ixgbe_nic *nic = m->state;
	uint32_t command = word(desc, 2), more = word(desc, 3);
	const struct frame *context = &nic->context[r->index][more >> 4 & (IXGBE_CONTEXTS - 1)];
	struct frame f = { .data = (uint8_t *)(uintptr_t)quad(desc), .len = command & 0xffff };

	f.flags = (command & TX_EOP) != 0 ? FRAME_EOP : 0;
	if ((more & TX_CHECKED) == 0 && (command & TX_TAG) == 0)
		return f;
	f.l2_len = context->l2_len;
	if ((more & (TX_L3 | TX_L4)) != 0) {
		f.l3_len = context->l3_len;
		f.l4_len = context->l4_len;
		f.flags |= (context->flags & (FRAME_IPV4 | FRAME_IPV6)) |
			((more & TX_L3) != 0 ? FRAME_CSUM_L3 : 0);
	}
	if ((more & TX_L4) != 0)
		f.flags |= FRAME_CSUM_L4 | (context->flags & (FRAME_TCP | FRAME_UDP));
	if ((command & TX_SEGMENTATION) != 0)
		f.mss = context->mss;
	if ((command & TX_TAG) != 0) {
		f.flags |= FRAME_VLAN;
		f.vlan = context->vlan;
	}
	return f;
}

/* As a packet leaves: segmentation makes several of it, each with the headers; a tag is inserted. */
static void
packet_count(struct ring *r, const struct frame *first, uint32_t bytes)
{
	uint32_t headers = first->mss != 0 ? (uint32_t)first->l2_len + first->l3_len + first->l4_len
					   : 0;
	uint32_t packets = first->mss != 0 && bytes > headers
		? (bytes - headers + first->mss - 1) / first->mss
		: 1;

	r->packets += packets;
	r->bytes += bytes + (packets - 1) * headers +
		((first->flags & FRAME_VLAN) != 0 ? packets * 4 : 0);
}

uint16_t
ixgbe_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max, uint16_t *descs)
{
	uint16_t there = handed(r, r->size), n = 0, whole = 0;
	uint32_t bytes = 0;

	*descs = 0;
	for (uint16_t i = 0; i < there && n < max; i++) {
		const uint8_t *desc = desc_at(r, advanced(r, r->head, i));

		if ((word(desc, 2) & TX_KIND) == TX_CONTEXT) {
			context_read(m, r, desc);
			continue;
		}
		f[n] = data_read(m, r, desc);
		bytes += f[n].len;
		if ((f[n++].flags & FRAME_EOP) == 0)
			continue;
		packet_count(r, &f[whole], bytes);
		whole = n;
		bytes = 0;
		*descs = i + 1;
	}
	return whole;
}

void
ixgbe_tx_done(struct model *m, struct ring *r, uint16_t descs)
{
	for (; descs > 0; descs--) {
		uint8_t *desc = desc_at(r, r->head);

		if ((word(desc, 2) & TX_KIND) == TX_DATA && (word(desc, 2) & TX_REPORT) != 0)
			*(volatile uint32_t *)(volatile void *)(desc + 12) = TX_DONE;
		r->head = advanced(r, r->head, 1);
	}
}

uint8_t *
ixgbe_buffer(const struct ring *r, uint16_t i, bool rx)
{
	const uint8_t *desc = desc_at(r, i);

	if (!rx && (word(desc, 2) & TX_KIND) != TX_DATA)
		return NULL;
	return (uint8_t *)(uintptr_t)quad(desc);
}
