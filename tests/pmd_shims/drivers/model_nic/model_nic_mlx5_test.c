/* Queues of the mlx5 family, elements written by hand: what the driver never does, and a driver that reads
 * no completions. What it does, model_nic_mock_port sees by the driver's own functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "model_nic/mock/mlx5_nic.h"
#include "model_nic/mock/mlx5_region.h"

#include <string.h>

enum {
	COMPLETIONS = 32, /* of either queue */
	ELEMENTS = 32,    /* of the receive queue */
	BLOCKS = 16,      /* of the send queue */
	NUMBER = 0x123,   /* the send queue's */
	ROOM = 256,       /* bytes of a receive buffer */
	EMPTY = 0xff,     /* what completions hold before they are written */
	LAST = MLX5_BLOCK - 1,
	SYNDROME = 55,
};
enum { RECEIVED = 2, SEND_ERROR = 0xd, RECEIVE_ERROR = 0xe };
enum { SEND = 0x0a, SEGMENTATION = 0x0e, MULTI = 0x29 };

static struct mlx5_nic nic;
static struct model model = { .state = &nic };
static struct ring *const rx = &model.rx[0], *const tx = &model.tx[0];
static uint8_t elements[4096], cq[COMPLETIONS][MLX5_BLOCK];
static uint8_t memory[ELEMENTS * ROOM]; /* packets; one region covers it */
static uint32_t key;
static volatile uint32_t posted, consumed;
static struct frame f[MODEL_BURST];
static uint16_t descs;

/* The one function of the core that the family calls. */
void
model_log(const struct model *m, int level, const char *format, ...)
{
}

static void
put32(uint8_t *p, uint32_t v)
{
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

/* A segment of the queue that refers to data. */
static void
data_put(uint8_t *segment, const uint8_t *p, uint32_t len)
{
	const uint64_t address = __builtin_bswap64((uint64_t)(uintptr_t)p);

	put32(segment, len);
	put32(segment + 4, key);
	memcpy(segment + 8, &address, sizeof(address));
}

/* Both queues as new, with receive buffers in all elements. */
static int
set_up(void **state)
{
	static struct mlx5_sq sq;
	struct mlx5_rq rq = { .wqe = elements, .size = ELEMENTS, .posted = &posted };
	const struct mlx5_cq completions = { .entry = cq[0],
		.stride = sizeof(cq[0]),
		.size = COMPLETIONS,
		.consumed = &consumed };

	if (key == 0)
		key = mlx5_region_add(memory, sizeof(memory));
	memset(cq, EMPTY, sizeof(cq));
	memset(elements, 0, sizeof(elements));
	memset(&nic.faults, 0, sizeof(nic.faults));
	posted = consumed = 0;
	for (unsigned i = 0; i < ELEMENTS; i++)
		data_put(elements + (size_t)i * MLX5_UNIT, memory + (size_t)i * ROOM, ROOM);
	rq.cq = completions;
	mlx5_rq_set(&model, 0, &rq);
	sq = (struct mlx5_sq){ .cq = completions,
		.wqe = elements,
		.size = BLOCKS,
		.number = NUMBER,
		.posted = &posted };
	mlx5_sq_set(&model, 0, &sq);
	return 0;
}

static uint16_t
peek(uint32_t n)
{
	posted = __builtin_bswap32(n);
	return mlx5_rx_peek(&model, rx, f, MODEL_BURST);
}

/* n packets of 60 bytes. */
static void
give(uint16_t n, uint16_t flags)
{
	for (uint16_t i = 0; i < n; i++) {
		f[i].len = 60;
		f[i].flags = FRAME_EOP | flags;
	}
	mlx5_rx_give(&model, rx, f, n);
}

/* A completion, and which element it is about. */
static void
assert_told(unsigned at, unsigned last, uint16_t element)
{
	assert_int_equal(cq[at][LAST], last);
	assert_int_equal(mlx5_be16(cq[at] + 60), element);
}

/* Nothing, some, all: all is not nothing. A driver that reads no completions gets as many as there is
 * room for. */
TEST(receive_room)
{
	assert_int_equal(peek(0), 0);
	assert_int_equal(peek(3), 3);
	assert_int_equal(peek(ELEMENTS), ELEMENTS);
	give(COMPLETIONS, 0);
	assert_int_equal(peek(2 * ELEMENTS), 0);
	consumed = __builtin_bswap32(3);
	assert_int_equal(peek(2 * ELEMENTS), 3);
	assert_int_equal(nic.faults.overrun, 0);
}

/* A packet with an error is told and passed by. */
TEST(receive_error)
{
	nic.rq[0].zip = MLX5_ZIP_HASH;
	assert_int_equal(peek(8), 8);
	give(1, FRAME_ERROR);
	assert_told(0, RECEIVE_ERROR << 4, 0);
	assert_int_equal(cq[0][SYNDROME], MLX5_ERROR_LENGTH);
	assert_int_equal(peek(8), 7);
	give(1, 0);
	assert_told(1, RECEIVED << 4, 1);
}

/*
 * A buffer that the key does not cover: nothing is written, one completion says so, and the queue
 * stands until it is reset.
 */
TEST(receive_key)
{
	put32(elements + (size_t)2 * MLX5_UNIT + 4, 1);
	assert_int_equal(peek(8), 2);
	give(2, 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(peek(8), 0);
	assert_told(2, RECEIVE_ERROR << 4, 2);
	assert_int_equal(cq[2][SYNDROME], MLX5_ERROR_PROTECTION);
	assert_int_equal(cq[3][LAST], EMPTY);
	assert_int_equal(nic.faults.region, 1);
	mlx5_rq_reset(&model, 0);
	rx->head = 3;
	assert_int_equal(peek(8), 5);
}

/* One packet by reference in an element of one block, with a completion. */
static uint8_t *
element_post(uint16_t element, uint32_t opcode, uint32_t segments)
{
	const uint32_t always = 2 << 2;
	uint8_t *control = elements + (size_t)(element % BLOCKS) * MLX5_BLOCK;

	memset(control, 0, MLX5_BLOCK);
	put32(control, opcode | (uint32_t)element << 8);
	put32(control + 4, NUMBER << 8 | segments);
	put32(control + 8, always);
	data_put(control + (size_t)2 * MLX5_UNIT, memory, 60);
	posted = __builtin_bswap32(element + 1u);
	return control;
}

static uint16_t
take(void)
{
	return mlx5_tx_take(&model, tx, f, MODEL_BURST, &descs);
}

static void
sent_one(void)
{
	assert_int_equal(take(), 1);
	mlx5_tx_done(&model, tx, descs);
}

/*
 * Whatever is wrong: what went before it is sent, one completion says what is wrong, nothing more
 * happens until a reset.
 */
TEST(send_errors)
{
	static const struct {
		uint32_t opcode, segments;
		uint16_t index;
		bool key;
		uint8_t syndrome;
	} rows[] = {
		{ SEND, 3, 1, true, MLX5_ERROR_PROTECTION },
		{ MULTI, 3, 1, true, MLX5_ERROR_PROTECTION },
		{ SEND, 3, 2, false, MLX5_ERROR_OPERATION },
		{ SEND, 1, 1, false, MLX5_ERROR_OPERATION },
		{ SEND, 63, 1, false, MLX5_ERROR_OPERATION },
		{ 0x11, 3, 1, false, MLX5_ERROR_OPERATION },
		{ SEGMENTATION, 3, 1, false, MLX5_ERROR_OPERATION },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t *bad;

		set_up(NULL);
		element_post(0, SEND, 3);
		bad = element_post(1, rows[i].opcode, rows[i].segments);
		put32(bad, rows[i].opcode | (uint32_t)rows[i].index << 8);
		if (rows[i].key)
			put32(bad + (size_t)2 * MLX5_UNIT + 4, 1);
		element_post(2, SEND, 3);
		sent_one();
		assert_told(0, 0, 0);
		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(take(), 0);
		assert_told(1, SEND_ERROR << 4, 1);
		assert_int_equal(cq[1][SYNDROME], rows[i].syndrome);
		assert_int_equal(cq[2][LAST], EMPTY);
		assert_int_equal(nic.faults.wqe + nic.faults.region, 1);
		mlx5_sq_reset(&model, 0);
		tx->head = 0;
		assert_int_equal(take(), 0);
		element_post(0, SEND, 3);
		sent_one();
		assert_told(2, 0, 0);
	}
}

/* More completions asked for than the queue holds. */
TEST(send_overrun)
{
	for (uint16_t i = 0; i < COMPLETIONS + 2; i++) {
		element_post(i, SEND, 3);
		sent_one();
	}
	assert_int_equal(nic.faults.overrun, 2);
}

/* A tag, and TCP over IPv4 that is cut: what the frames ask for, and the packets and bytes that leave. */
TEST(send_offloads)
{
	enum { CHECKSUMS = 4, SEGMENT_BYTES = 6, INLINE_BYTES = 12, BOTH = 0xc0, HEADERS = 54 };
	uint8_t *ethernet = element_post(0, SEND, 3) + MLX5_UNIT;

	memset(memory, 0, HEADERS);
	memory[12] = 8;
	memory[14] = 0x45;
	memory[23] = 6;
	memory[46] = 5 << 4;
	ethernet[CHECKSUMS] = BOTH;
	put32(ethernet + INLINE_BYTES, 0x8000u << 16 | 99);
	/* Its headers begin in the second segment, and end in the sixth. */
	ethernet = element_post(1, SEGMENTATION, 7) + MLX5_UNIT;
	memset(ethernet, 0, 5 * MLX5_UNIT);
	ethernet[CHECKSUMS] = BOTH;
	ethernet[SEGMENT_BYTES] = 1000 >> 8;
	ethernet[SEGMENT_BYTES + 1] = 1000 & 0xff;
	put32(ethernet + INLINE_BYTES, HEADERS << 16);
	memcpy(ethernet + INLINE_BYTES + 2, memory, HEADERS);
	data_put(ethernet + (size_t)5 * MLX5_UNIT, memory, 2500);
	posted = __builtin_bswap32(3);
	assert_int_equal(take(), 3);
	assert_int_equal(f[0].flags,
		FRAME_EOP | FRAME_VLAN | FRAME_IPV4 | FRAME_TCP | FRAME_CSUM_L3 | FRAME_CSUM_L4);
	assert_int_equal(f[0].vlan, 99);
	assert_int_equal(f[0].mss, 0);
	assert_int_equal(f[1].mss, 1000);
	assert_int_equal(f[1].l2_len + f[1].l3_len + f[1].l4_len, HEADERS);
	assert_int_equal(tx->packets, 1 + 3);
	assert_int_equal(tx->bytes, 64 + 2500 + 3 * HEADERS);
}

TESTS(.before = set_up);
