/* Packets of 82599 and X540: RSS, descriptors, interrupts, the clock. Source: Intel 82599 datasheet 7.1, 7.2, 7.9. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"
#include "pmd_shims/drivers/model_nic/ring_tx.h"

#include <string.h>
#include <time.h>

/* Types of hash as in a descriptor, and the bits of MRQC that enable them. */
enum type { TYPE_NONE, IPV4_TCP, IPV4, IPV6_TCP, IPV6 = 5, IPV4_UDP = 7, IPV6_UDP };

enum {
	HASH_ON = 1, /* value of four bits; all others divide the queues among pools */
	IPV4_TCP_BIT = 1 << 16,
	IPV4_BIT = 1 << 17,
	IPV6_BIT = 1 << 20,
	IPV6_TCP_BIT = 1 << 21,
	IPV4_UDP_BIT = 1 << 22,
	IPV6_UDP_BIT = 1 << 23,
};

static enum type
type_of(uint32_t control, bool v4, bool tcp, bool udp)
{
	if ((control & 15) != HASH_ON)
		return TYPE_NONE;
	if (tcp && (control & (v4 ? IPV4_TCP_BIT : IPV6_TCP_BIT)) != 0)
		return v4 ? IPV4_TCP : IPV6_TCP;
	if (udp && (control & (v4 ? IPV4_UDP_BIT : IPV6_UDP_BIT)) != 0)
		return v4 ? IPV4_UDP : IPV6_UDP;
	if ((control & (v4 ? IPV4_BIT : IPV6_BIT)) != 0)
		return v4 ? IPV4 : IPV6;
	return TYPE_NONE;
}

void
ixgbe_hash_types(struct model *m)
{
	uint32_t control = model_reg(m, IXGBE_HASH_CONTROL);
	uint64_t types = 0;

	for (unsigned i = 0; i < 16; i++) {
		unsigned flags = i * FRAME_IPV4;

		if ((flags & (FRAME_IPV4 | FRAME_IPV6)) != 0)
			types |= (uint64_t)type_of(control, (flags & FRAME_IPV4) != 0,
					 (flags & FRAME_TCP) != 0, (flags & FRAME_UDP) != 0)
				<< 4 * i;
	}
	atomic_store(&ixgbe_state(m)->hash_types, types);
}

/* Copy the fields that a type of hash covers to to. Returns their bytes. */
static unsigned
input_copy(const struct packet_parts *p, enum type type, uint8_t *to)
{
	unsigned n = p->address_len;

	memcpy(to, p->address[0], n);
	memcpy(to + n, p->address[1], n);
	if (type == IPV4 || type == IPV6)
		return 2 * n;
	memcpy(to + 2 * (size_t)n, p->port[0], 4);
	return 2 * n + 4;
}

uint16_t
ixgbe_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash)
{
	struct ixgbe *s = ixgbe_state(m);
	const struct toeplitz *toeplitz;
	uint32_t entry;
	uint8_t input[TOEPLITZ_BYTES];
	struct packet_parts parts;
	enum type type;
	bool ip = packet_parts_find(&parts, pkt, len);
	int filtered;

	*hash = 0;
	if (!ip)
		parts.address_len = 0; /* an incomplete IP header must not be used */
	filtered = ixgbe_filter(m, &parts, pkt, len);
	if (!ip)
		return filtered >= 0 ? (uint16_t)filtered : 0;
	type = type_of(model_reg(m, IXGBE_HASH_CONTROL), parts.address_len == 4,
		!parts.fragment && parts.protocol == PROTOCOL_TCP,
		!parts.fragment && parts.protocol == PROTOCOL_UDP);
	if (type == TYPE_NONE)
		return filtered >= 0 ? (uint16_t)filtered : 0;
	toeplitz = rss_toeplitz(m, &s->hash, IXGBE_KEY, IXGBE_KEY_WORDS, 4);
	*hash = toeplitz_hash(toeplitz, input, input_copy(&parts, type, input));
	if (filtered >= 0)
		return (uint16_t)filtered;
	entry = *hash % (4 * IXGBE_TABLE_WORDS);
	return model_reg(m, IXGBE_TABLE + (entry & ~3u)) >> entry % 4 * 8 & (IXGBE_DATA_QUEUES - 1);
}

/* Receive descriptors of 82599 and X540. Source: Intel 82599 datasheet 7.1.6. */

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

/* Transmit descriptors of 82599 and X540. Source: Intel 82599 datasheet 7.2.3. */

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
		/* Drivers set the version for IPv4's own checksum and for TSO, not for L4 alone. */
		.flags = (uint16_t)((v4 ? FRAME_IPV4 : 0) |
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

/* The NIC writes the whole descriptor at once; only the state means something. */
static inline void
done(uint8_t *desc)
{
	*(volatile quads *)(volatile void *)desc = (quads){ 0, UINT64_C(1) << 32 };
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
	struct ixgbe *s = ixgbe_state(m);
	uint32_t cause = atomic_load_explicit(&s->tx_cause[r->index], memory_order_relaxed);

	if (!ixgbe_ring_stands(r))
		return;
	tx_done(&format, r, &s->counts, descs);
	if (cause != 0)
		ixgbe_cause(m, cause);
}

uint8_t *
ixgbe_buffer(const struct ring *r, uint16_t i, bool rx)
{
	return tx_buffer(&format, r, i, rx);
}

/* Interrupts of 82599 and X540: causes, masks, and the cause of each queue's packets. Source: Intel
 * 82599 datasheet 8.2.3.5. */

enum {
	CAUSE = 0x800,
	CAUSE_SET = 0x808,
	CAUSE_CLEARS = 0x810, /* EIAC: causes that are cleared when raised */
	MASK_SET = 0x880,
	MASK_CLEAR = 0x888,
	READ_CLEARS = 0x890,       /* EIAM: causes that are masked when CAUSE is read */
	INTERRUPT_CONTROL = 0x898, /* GPIE */
	QUEUES_SET = 0xa90, /* EICS_EX(0), EIMS_EX(0), EIMC_EX(0): the same for queues alone */
	QUEUES_MASK_SET = 0xaa0,
	QUEUES_MASK_CLEAR = 0xab0,
	VECTORS = 0x900,       /* IVAR: a byte for each receive and transmit queue */
	MASK_CLEARS = 0xad0,   /* EIAM_EX(0): causes that are masked when raised */
	OTHER_VECTORS = 0xa00, /* IVAR_MISC: its second byte is of all causes but queues */
	QUEUE_CAUSES = 0xffff,
};

enum { VECTOR_VALID = 0x80, VECTOR = 0x3f }; /* of a byte of IVAR */

/* Raise the vectors of these causes. Those of queues have the numbers of their vectors. */
static void
vectors_raise(struct model *m, uint32_t causes)
{
	const uint32_t other = model_reg(m, OTHER_VECTORS) >> 8;

	for (uint32_t left = causes & QUEUE_CAUSES; left != 0; left &= left - 1)
		model_interrupt_vector(m, (unsigned)__builtin_ctz(left));
	if ((causes & ~(uint32_t)QUEUE_CAUSES) != 0 && (other & VECTOR_VALID) != 0)
		model_interrupt_vector(m, other & VECTOR);
}

/*
 * Raise an interrupt if a cause is not masked. Needs no lock: the later of cause and mask raises
 * it.
 */
static void
raise_due(struct model *m)
{
	const uint32_t once = UINT32_C(1) << 30, vectored = 1 << 4;
	struct ixgbe *s = ixgbe_state(m);
	uint32_t control = model_reg(m, INTERRUPT_CONTROL);
	uint32_t due = atomic_load(&s->cause) & atomic_load(&s->mask);

	if (due == 0)
		return;
	if ((control & once) != 0)
		atomic_fetch_and(&s->mask, ~(due & model_reg(m, MASK_CLEARS)));
	atomic_fetch_and(&s->cause, ~(due & model_reg(m, CAUSE_CLEARS)));
	if ((control & vectored) != 0)
		vectors_raise(m, due);
	else
		model_interrupt_vector(m, 0);
}

void
ixgbe_cause(struct model *m, uint32_t causes)
{
	atomic_fetch_or(&ixgbe_state(m)->cause, causes);
	raise_due(m);
}

void
ixgbe_interrupts_reset(struct model *m)
{
	struct ixgbe *s = ixgbe_state(m);

	atomic_store(&s->cause, 0);
	atomic_store(&s->mask, 0);
	for (unsigned i = 0; i < IXGBE_DATA_QUEUES; i++) {
		atomic_store(&s->rx_cause[i], 0);
		atomic_store(&s->tx_cause[i], 0);
	}
}

/* The cause that a byte of IVAR stands for; 0: none. */
static uint32_t
vector_cause(uint32_t entry)
{
	enum { CAUSES = 16 };
	uint32_t cause = entry & VECTOR;

	return (entry & VECTOR_VALID) != 0 && cause < CAUSES ? UINT32_C(1) << cause : 0;
}

/* Set the causes of the packets of two queues, which share a register. */
static void
vector_write(struct model *m, unsigned pair, uint32_t value)
{
	struct ixgbe *s = ixgbe_state(m);

	for (unsigned i = 0; i < 2 && 2 * pair + i < IXGBE_DATA_QUEUES; i++) {
		atomic_store(&s->rx_cause[2 * pair + i], vector_cause(value >> 16 * i));
		atomic_store(&s->tx_cause[2 * pair + i], vector_cause(value >> (16 * i + 8)));
	}
}

void
ixgbe_interrupt_written(struct model *m, uint32_t offset, uint32_t value)
{
	struct ixgbe *s = ixgbe_state(m);

	switch (offset) {
	case CAUSE: atomic_fetch_and(&s->cause, ~value); break;
	case QUEUES_SET:
	case CAUSE_SET: ixgbe_cause(m, value); break;
	case QUEUES_MASK_CLEAR:
	case MASK_CLEAR: atomic_fetch_and(&s->mask, ~value); break;
	case QUEUES_MASK_SET:
	case MASK_SET:
		atomic_fetch_or(&s->mask, value);
		raise_due(m);
		break;
	default:
		if (offset >= VECTORS && offset < VECTORS + 2 * IXGBE_DATA_QUEUES)
			vector_write(m, (offset - VECTORS) / 4, value);
	}
}

void
ixgbe_interrupt_read(struct model *m, uint32_t offset)
{
	struct ixgbe *s = ixgbe_state(m);

	if (offset == CAUSE) {
		model_reg_set(m, offset, atomic_exchange(&s->cause, 0));
		atomic_fetch_and(&s->mask, ~model_reg(m, READ_CLEARS));
	} else if (offset == CAUSE_SET) { /* shows the causes and leaves them */
		model_reg_set(m, offset, atomic_load(&s->cause));
	} else if (offset == MASK_SET) {
		model_reg_set(m, offset, atomic_load(&s->mask));
	}
}

/* The clock of 82599 and X540, and time stamps of received and sent PTP messages. Source: Intel
 * 82599 datasheet 7.9 and 8.2.3.26. */

enum {
	RX_MESSAGE = 0x5120, /* RXMTRL: message type of version 2 in its second byte */
	RX_CONTROL = 0x5188, /* TSYNCRXCTL */
	RX_STAMP_HIGH = 0x51a4,
	RX_STAMP_LOW = 0x51e8,
	TX_CONTROL = 0x8c00, /* TSYNCTXCTL */
	TX_STAMP_LOW = 0x8c04,
	TX_STAMP_HIGH = 0x8c08,
	CLOCK_LOW = 0x8c0c, /* SYSTIM */
	CLOCK_HIGH = 0x8c10,
	CLOCK_INCREMENT = 0x8c14, /* TIMINCA */
	STAMP_VALID = 1,
	STAMP_KIND = 7 << 1,
	STAMP_ENABLED = 1 << 4,
};

/* Kinds of PTP messages that are stamped; modelled for layer 2 and version 2. */
enum { KIND_L2 = 0, KIND_L2_L4 = 4, KIND_ALL = 8, KIND_EVENTS = 10 };

enum {
	ETHERTYPE_1588 = 0x88f7,
	MESSAGE_AT = 14, /* message type, then the version, in the lower halves of two bytes */
	MESSAGE_END = 16,
	EVENTS = 4, /* event messages are 0..3 */
	CLOCK_TICK_PS = 6400,
	X540_ID = 0x1528,
};

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/*
 * The clock's value: the increment is added every 6.4 ns, in the 82599 every N times 6.4 ns, where
 * N is the upper byte of the increment register.
 */
static uint64_t
clock_now(const struct model *m)
{
	const uint32_t control = model_reg(m, CLOCK_INCREMENT);
	const bool x540 = m->family->device_id == X540_ID;
	const uint64_t step = x540 ? control : control & 0xffffff,
		       ticks_of = x540 || control >> 24 == 0 ? 1 : control >> 24,
		       ns = now_ns() - atomic_load(&ixgbe_state(m)->clock_began);

	if (step == 0)
		return 0;
	return ns * 1000 / (CLOCK_TICK_PS * ticks_of) * step;
}

/* Store the time until the driver reads it. Returns false if the last one was not read yet. */
static bool
stamp(struct model *m, uint32_t control, uint32_t low, uint32_t high)
{
	const uint64_t now = clock_now(m);

	if ((model_reg(m, control) & (STAMP_ENABLED | STAMP_VALID)) != STAMP_ENABLED)
		return false;
	model_reg_set(m, low, (uint32_t)now);
	model_reg_set(m, high, (uint32_t)(now >> 32));
	model_reg_set(m, control, model_reg(m, control) | STAMP_VALID);
	return true;
}

static bool
wanted(const struct model *m, unsigned message)
{
	switch (model_reg(m, RX_CONTROL) & STAMP_KIND) {
	case KIND_L2:
	case KIND_L2_L4: return message == (model_reg(m, RX_MESSAGE) >> 8 & 0xf);
	case KIND_ALL: return true;
	case KIND_EVENTS: return message < EVENTS;
	default: return false;
	}
}

uint16_t
ixgbe_time_arrived(struct model *m, const uint8_t *pkt, uint32_t len)
{
	enum { VERSION = 2 };

	if (len < MESSAGE_END || pkt[12] != ETHERTYPE_1588 >> 8 ||
		pkt[13] != (ETHERTYPE_1588 & 0xff) || !ixgbe_filter_ptp(m))
		return 0;
	if ((pkt[MESSAGE_AT + 1] & 0xf) != VERSION || !wanted(m, pkt[MESSAGE_AT] & 0xf) ||
		!stamp(m, RX_CONTROL, RX_STAMP_LOW, RX_STAMP_HIGH))
		return FRAME_PTP;
	return FRAME_PTP | FRAME_STAMPED;
}

void
ixgbe_time_sent(struct model *m, struct frame *f, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		if ((f[i].flags & FRAME_STAMPED) == 0)
			continue;
		stamp(m, TX_CONTROL, TX_STAMP_LOW, TX_STAMP_HIGH);
		f[i].flags &= (uint16_t)~FRAME_STAMPED;
	}
}

void
ixgbe_time_written(struct model *m, uint32_t offset)
{
	if (offset == CLOCK_INCREMENT)
		atomic_store(&ixgbe_state(m)->clock_began, now_ns());
}

void
ixgbe_time_read(struct model *m, uint32_t offset)
{
	uint64_t now;

	if (offset != CLOCK_LOW)
		return;
	now = clock_now(m);
	model_reg_set(m, CLOCK_LOW, (uint32_t)now);
	model_reg_set(m, CLOCK_HIGH, (uint32_t)(now >> 32));
}

void
ixgbe_time_was_read(struct model *m, uint32_t offset)
{
	const uint32_t control = offset == RX_STAMP_HIGH ? RX_CONTROL
		: offset == TX_STAMP_HIGH                ? TX_CONTROL
							 : 0;

	if (control != 0)
		model_reg_set(m, control, model_reg(m, control) & ~(uint32_t)STAMP_VALID);
}
