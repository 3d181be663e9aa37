/* Send queues of the mlx5 family: elements of one packet or of many, with data inline or by
 * reference; completions where asked for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mlx5_nic.h"
#include "model_nic/mock/mlx5_region.h"

enum { SEND = 0x0a, SEGMENTATION = 0x0e, MULTI_PACKET = 0x29, LEGACY = 1 << 24 | SEGMENTATION };
enum { OPCODE = 0xff0000ff, SEND_ERROR = 0xd };
/* Of an element, control and Ethernet segment among them. */
enum { SEGMENTS_MAX = 60, HEADERS = 2 };
enum { REPORT_ALWAYS = 2 };

/* In the Ethernet segment; INLINE_HERE: bytes of inline data that lie in it. */
enum { CHECKSUMS = 4, SEGMENT_BYTES = 6, INLINE_BYTES = 12, INLINE_DATA = 14, INLINE_HERE = 2 };
enum { CHECKSUM_L3 = 1 << 6, CHECKSUM_L4 = 1 << 7, TAG_INSERT = 0x8000 };

#define DATA_INLINE (UINT32_C(1) << 31)

enum { ETHERNET = 14, TAG = 4, TCP = 6, TCP_OFFSET = 12 };
enum { HEADERS_MAX = ETHERNET + TAG + 60 + 20 };

static inline struct mlx5_sq *
queue(struct model *m, const struct ring *r)
{
	return &mlx5_nic(m)->sq[r->index];
}

/* Segment i behind the start of the queue, which may be over its end. */
static inline const uint8_t *
segment(const struct mlx5_sq *sq, uint32_t i)
{
	return sq->wqe + (size_t)(i & (sq->size * 4u - 1)) * MLX5_UNIT;
}

static inline struct mlx5_sent *
sent_add(struct mlx5_sq *sq, uint8_t *data, uint32_t len, uint16_t element, bool in_line)
{
	struct mlx5_sent *s = &sq->sent[sq->tail];

	*s = (struct mlx5_sent){ .frame = { .data = data, .len = len },
		.element = element,
		.in_line = in_line };
	sq->tail = (sq->tail + 1) & (MLX5_SENT - 1);
	return s;
}

static inline struct mlx5_sent *
sent_last(struct mlx5_sq *sq)
{
	return &sq->sent[(sq->tail - 1) & (MLX5_SENT - 1)];
}

/*
 * len bytes at p in the queue, in one piece. One element at a time lies over the queue's end, so
 * that there is one place to join it.
 */
static uint8_t *
in_one_piece(struct mlx5_sq *sq, const uint8_t *p, uint32_t len)
{
	size_t to_end = (size_t)(sq->wqe + (size_t)sq->size * MLX5_BLOCK - p);

	if (len <= to_end)
		return (uint8_t *)(uintptr_t)p;
	memcpy(sq->straight, p, to_end);
	memcpy(sq->straight + to_end, sq->wqe, len - to_end);
	return sq->straight;
}

static void
complain(struct model *m, const struct ring *r, uint32_t element, const char *what)
{
	if (atomic_fetch_add(&mlx5_nic(m)->faults.wqe, 1) < 4)
		model_log(m, 1, "send queue %u, element %u: %s", r->index, element, what);
}

/* A data segment. Returns the segments that it takes, 0: malformed. */
static uint32_t
data_parse(struct model *m, struct ring *r, struct mlx5_sq *sq, uint32_t i, uint32_t left,
	uint16_t element)
{
	const uint8_t *s = segment(sq, i);
	uint32_t bytes = mlx5_be32(s), units;

	if ((bytes & DATA_INLINE) == 0) {
		uint8_t *data = (uint8_t *)(uintptr_t)mlx5_be64(s + 8);

		if (!mlx5_region_covers(mlx5_be32(s + 4), data, bytes)) {
			mlx5_region_complain(m, r, s);
			sq->error = MLX5_ERROR_PROTECTION;
			return 0;
		}
		if (bytes != 0)
			sent_add(sq, data, bytes, element, false);
		return 1;
	}
	bytes &= ~DATA_INLINE;
	units = (bytes + 4 + MLX5_UNIT - 1) / MLX5_UNIT;
	if (bytes == 0 || bytes >= MLX5_STRAIGHT || units > left)
		return 0;
	sent_add(sq, in_one_piece(sq, s + 4, bytes), bytes, element, true);
	return units;
}

/*
 * The first bytes of the packet whose frames stand from began on; the rest of them is 0. Returns
 * how many of them it has.
 */
static uint32_t
headers_copy(const struct mlx5_sq *sq, uint32_t began, uint8_t to[HEADERS_MAX])
{
	uint32_t n = 0;

	memset(to, 0, HEADERS_MAX);
	for (uint32_t i = began; i != sq->tail && n < HEADERS_MAX; i = (i + 1) & (MLX5_SENT - 1)) {
		const struct frame *f = &sq->sent[i].frame;
		uint32_t part = f->len < HEADERS_MAX - n ? f->len : HEADERS_MAX - n;

		memcpy(to + n, f->data, part);
		n += part;
	}
	return n;
}

/*
 * What the NIC is to compute for the packet whose frames stand from began on, told by its own
 * headers.
 */
static void
checksums_ask(struct mlx5_sq *sq, uint32_t began, uint8_t asked)
{
	struct frame *f = &sq->sent[began].frame;
	uint8_t pkt[HEADERS_MAX];
	uint32_t l3 = ETHERNET;

	if ((asked & (CHECKSUM_L3 | CHECKSUM_L4)) == 0 ||
		headers_copy(sq, began, pkt) < ETHERNET + TAG + 20)
		return;
	if (pkt[12] == 0x81 && pkt[13] == 0)
		l3 += TAG;
	f->l2_len = (uint16_t)l3;
	if (pkt[l3] >> 4 == 4) {
		f->flags |= FRAME_IPV4 | ((asked & CHECKSUM_L3) != 0 ? FRAME_CSUM_L3 : 0);
		f->l3_len = (uint16_t)((pkt[l3] & 15) * 4);
	} else {
		f->flags |= FRAME_IPV6;
		f->l3_len = 40;
	}
	if ((asked & CHECKSUM_L4) == 0)
		return;
	f->flags |= FRAME_CSUM_L4 |
		(pkt[l3 + ((f->flags & FRAME_IPV4) != 0 ? 9 : 6)] == TCP ? FRAME_TCP : FRAME_UDP);
	if ((f->flags & FRAME_TCP) != 0)
		f->l4_len = (uint16_t)((pkt[l3 + f->l3_len + TCP_OFFSET] >> 4) * 4);
}

/*
 * One packet: bytes of it behind the Ethernet segment, then data segments. segmentation: the
 * headers are those bytes.
 */
static bool
send_parse(struct model *m, struct ring *r, struct mlx5_sq *sq, uint32_t segments, uint16_t element,
	bool segmentation)
{
	const uint32_t first = element * 4u;
	const uint8_t *ethernet = segment(sq, first + 1);
	uint32_t word = mlx5_be32(ethernet + INLINE_BYTES), bytes = word >> 16, i = HEADERS,
		 began = sq->tail, units;
	struct frame *f;

	if ((bytes & TAG_INSERT) == 0 && bytes != 0) {
		if (bytes >= MLX5_STRAIGHT || bytes <= INLINE_HERE)
			return false;
		sent_add(sq, in_one_piece(sq, ethernet + INLINE_DATA, bytes), bytes, element, true);
		i += (bytes - INLINE_HERE + MLX5_UNIT - 1) / MLX5_UNIT;
		if (i > segments)
			return false;
	}
	for (; i < segments; i += units) {
		units = data_parse(m, r, sq, first + i, segments - i, element);
		if (units == 0)
			return false;
	}
	if (sq->tail == began)
		return true;
	f = &sq->sent[began].frame;
	checksums_ask(sq, began, ethernet[CHECKSUMS]);
	f->mss = segmentation ? mlx5_be16(ethernet + SEGMENT_BYTES) : 0;
	if (segmentation && (f->mss == 0 || f->l4_len == 0))
		return false;
	if ((bytes & TAG_INSERT) != 0) {
		f->flags |= FRAME_VLAN;
		f->vlan = (uint16_t)word;
	}
	sent_last(sq)->frame.flags |= FRAME_EOP;
	return true;
}

/* A packet in each data segment. */
static bool
multi_parse(struct model *m, struct ring *r, struct mlx5_sq *sq, uint32_t segments,
	uint16_t element)
{
	const uint32_t first = element * 4u;
	uint8_t asked = segment(sq, first + 1)[CHECKSUMS];

	for (uint32_t i = HEADERS, units; i < segments; i += units) {
		uint32_t began = sq->tail;

		units = data_parse(m, r, sq, first + i, segments - i, element);
		if (units == 0)
			return false;
		if (sq->tail == began)
			continue;
		checksums_ask(sq, began, asked);
		sq->sent[began].frame.flags |= FRAME_EOP;
	}
	return true;
}

/* Packets of one length: a data segment each, or all of them inline in one. */
static bool
legacy_parse(struct model *m, struct ring *r, struct mlx5_sq *sq, uint32_t segments,
	uint16_t element)
{
	const uint32_t first = element * 4u;
	const uint8_t *ethernet = segment(sq, first + 1), *s = segment(sq, first + HEADERS);
	uint32_t each = mlx5_be16(ethernet + SEGMENT_BYTES), bytes = mlx5_be32(s), began;
	uint8_t *data;

	if ((bytes & DATA_INLINE) == 0)
		return multi_parse(m, r, sq, segments, element);
	bytes &= ~DATA_INLINE;
	if (each == 0 || bytes % each != 0 || bytes >= MLX5_STRAIGHT ||
		(bytes + 4 + MLX5_UNIT - 1) / MLX5_UNIT != segments - HEADERS)
		return false;
	data = in_one_piece(sq, s + 4, bytes);
	for (uint32_t done = 0; done < bytes; done += each) {
		began = sq->tail;
		sent_add(sq, data + done, each, element, true);
		checksums_ask(sq, began, ethernet[CHECKSUMS]);
		sq->sent[began].frame.flags |= FRAME_EOP;
	}
	return true;
}

static void
completion_write(struct model *m, struct mlx5_sq *sq, uint16_t element)
{
	uint8_t *entry = mlx5_cq_next(m, &sq->cq);

	if (entry != NULL)
		mlx5_cq_give(&sq->cq, entry,
			(uint64_t)__builtin_bswap32(sq->number) |
				(uint64_t)__builtin_bswap16(element) << 32);
}

/*
 * After an error nothing more is sent: the driver is told once what was under way is done, and
 * makes the queue ready again.
 */
static void
error_write(struct model *m, struct mlx5_sq *sq)
{
	uint8_t *entry = mlx5_cq_next(m, &sq->cq);

	if (entry == NULL)
		return;
	memset(entry, 0, MLX5_BLOCK - 8);
	entry[MLX5_SYNDROME] = sq->error;
	sq->error_told = true;
	mlx5_cq_give(&sq->cq, entry,
		(uint64_t)__builtin_bswap32(sq->number) |
			(uint64_t)__builtin_bswap16(sq->parsed) << 32 | (uint64_t)SEND_ERROR << 60);
}

static bool
segments_parse(struct model *m, struct ring *r, struct mlx5_sq *sq, uint32_t segments,
	uint32_t opcode)
{
	const uint16_t element = sq->parsed;

	switch (opcode & OPCODE) {
	case SEND:
	case SEGMENTATION:
		return send_parse(m, r, sq, segments, element, (opcode & OPCODE) == SEGMENTATION);
	case MULTI_PACKET: return multi_parse(m, r, sq, segments, element);
	case LEGACY: return legacy_parse(m, r, sq, segments, element);
	default: return false;
	}
}

/*
 * The element at sq->parsed, which was posted, and what follows it is next. sq->error: it was none.
 */
static void
element_parse(struct model *m, struct ring *r, struct mlx5_sq *sq)
{
	const uint8_t *control = segment(sq, sq->parsed * 4u);
	uint32_t opcode = mlx5_be32(control), segments = mlx5_be32(control + 4) & 0x3f,
		 began = sq->tail;
	const uint16_t element = sq->parsed;
	bool report = (mlx5_be32(control + 8) >> 2 & 3) == REPORT_ALWAYS;

	if ((uint16_t)(opcode >> 8) != element || mlx5_be32(control + 4) >> 8 != sq->number ||
		segments < HEADERS || segments > SEGMENTS_MAX) {
		complain(m, r, element, "another index, queue or length than there should be");
		sq->error = MLX5_ERROR_OPERATION;
		return;
	}
	if (!segments_parse(m, r, sq, segments, opcode)) {
		sq->tail = began;
		if (sq->error == 0) {
			complain(m, r, element, "unknown opcode or bad segments");
			sq->error = MLX5_ERROR_OPERATION;
		}
		return;
	}
	if (report && sq->tail == began)
		completion_write(m, sq, element); /* nothing to wait for */
	else if (report)
		sent_last(sq)->report = true;
	sq->parsed += (uint16_t)((segments + 3) / 4);
}

/*
 * As a packet leaves: segmentation makes several of it, each with the headers; a tag is inserted.
 */
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
		((first->flags & FRAME_VLAN) != 0 ? packets * TAG : 0);
}

uint16_t
mlx5_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max, uint16_t *descs)
{
	struct mlx5_sq *sq = queue(m, r);
	const uint16_t posted = (uint16_t)mlx5_record(sq->posted);
	uint32_t i = r->head, bytes = 0;
	uint16_t n = 0, whole = 0;

	while (sq->error == 0 && (int16_t)(posted - sq->parsed) > 0 &&
		((r->head - sq->tail - 1) & (MLX5_SENT - 1)) >= SEGMENTS_MAX) {
		element_parse(m, r, sq);
		__builtin_prefetch(segment(sq, sq->parsed * 4u));
	}
	if (sq->error != 0 && !sq->error_told && i == sq->tail)
		error_write(m, sq);
	for (; n < max && i != sq->tail; i = (i + 1) & (MLX5_SENT - 1)) {
		f[n] = sq->sent[i].frame;
		bytes += f[n].len;
		if ((f[n++].flags & FRAME_EOP) != 0) {
			packet_count(r, &f[whole], bytes);
			whole = n;
			bytes = 0;
		}
	}
	*descs = whole;
	return whole;
}

void
mlx5_tx_done(struct model *m, struct ring *r, uint16_t descs)
{
	struct mlx5_sq *sq = queue(m, r);

	for (; descs > 0; descs--) {
		const struct mlx5_sent *s = &sq->sent[r->head];

		if (s->report)
			completion_write(m, sq, s->element);
		r->head = (uint16_t)((r->head + 1) & (MLX5_SENT - 1));
	}
}

uint8_t *
mlx5_buffer(const struct ring *r, uint16_t i, bool rx)
{
	const struct mlx5_sent *s = (const struct mlx5_sent *)(const void *)r->desc + i;

	if (!rx)
		return s->in_line ? NULL : s->frame.data;
	/*
	 * Packets of several buffers are gathered before: which of the buffers they fill, nobody
	 * outside asks.
	 */
	if (r->desc_size != MLX5_UNIT)
		return NULL;
	return (uint8_t *)(uintptr_t)mlx5_be64(
		r->desc + (size_t)(i & (r->size / 2 - 1)) * MLX5_UNIT + 8);
}
