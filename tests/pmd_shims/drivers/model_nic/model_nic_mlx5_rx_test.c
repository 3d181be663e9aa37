/* Receive queues of the mlx5 family: what it sees armed, and completions byte by byte as a ConnectX
 * writes them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_mlx5_fixture.h"
#include "fixtures/unit.h"

enum { RECEIVED = 2, COMPRESSED = 3, ERROR = 0xe, LAST = MLX5_BLOCK - 1, SYNDROME = 55 };

static uint16_t
peek(struct frame *f)
{
	return mlx5_rx_peek(&mlx5_fixture, fixture_rx, f, MODEL_BURST);
}

/* n packets of len, len + 1, ... bytes. */
static void
give(uint16_t n, uint32_t len, uint16_t flags)
{
	struct frame f[MODEL_BURST];

	assert_true(peek(f) >= n);
	for (uint16_t i = 0; i < n; i++)
		f[i] = (struct frame){ .data = f[i].data,
			.len = len + i,
			.rss = (flags & FRAME_RSS) != 0 ? 0x1000u + i : 0,
			.vlan = (flags & FRAME_VLAN) != 0 ? 77 : 0,
			.flags = FRAME_EOP | flags };
	mlx5_rx_give(&mlx5_fixture, fixture_rx, f, n);
}

static void
assert_packet(unsigned at, unsigned round, uint16_t element, uint32_t len)
{
	const uint8_t *c = fixture_cq[at];

	assert_int_equal(c[LAST], RECEIVED << 4 | round % 2);
	assert_int_equal(mlx5_be16(c + 60), element);
	assert_int_equal(mlx5_be32(c + 44), len);
}

/* Nothing, some, all: all is not nothing. */
TEST(test_rx_armed)
{
	struct frame f[MODEL_BURST];

	mlx5_fixture_rx_set(0, MLX5_ZIP_NONE);
	assert_int_equal(peek(f), 0);
	mlx5_fixture_rx_post(3);
	assert_int_equal(peek(f), 3);
	mlx5_fixture_rx_post(FIXTURE_ELEMENTS);
	assert_int_equal(peek(f), FIXTURE_ELEMENTS);
	for (unsigned i = 0; i < FIXTURE_ELEMENTS; i++) {
		assert_ptr_equal(f[i].data, mlx5_fixture_buffer(i, 0));
		assert_int_equal(f[i].len, FIXTURE_ROOM);
		assert_ptr_equal(mlx5_buffer(fixture_rx, (uint16_t)i, true),
			mlx5_fixture_buffer(i, 0));
		assert_ptr_equal(mlx5_buffer(fixture_rx, (uint16_t)(i + FIXTURE_ELEMENTS), true),
			mlx5_fixture_buffer(i, 0));
	}
}

/*
 * Many rounds of both rings: owner bits turn, one completion per packet, none written twice or
 * ahead.
 */
TEST(test_rx_rounds)
{
	uint32_t done = 0;

	mlx5_fixture_rx_set(0, MLX5_ZIP_NONE);
	for (unsigned poll = 0; poll < 20000; poll++) {
		unsigned n = poll % FIXTURE_ELEMENTS + 1;

		mlx5_fixture_rx_post(done + FIXTURE_ELEMENTS);
		give((uint16_t)n, 60, 0);
		for (unsigned i = 0; i < n; i++, done++)
			assert_packet(done % FIXTURE_COMPLETIONS, done / FIXTURE_COMPLETIONS,
				(uint16_t)done, 60 + i);
		/* The next place is still as the last round left it. */
		assert_int_not_equal(fixture_cq[done % FIXTURE_COMPLETIONS][LAST],
			RECEIVED << 4 | (done / FIXTURE_COMPLETIONS) % 2);
		mlx5_fixture_consumed(done);
	}
	assert_int_equal(fixture_rx->packets, done);
}

/* A driver that reads no completions gets as many as there is room for. */
TEST(test_rx_room)
{
	struct frame f[MODEL_BURST];

	mlx5_fixture_rx_set(0, MLX5_ZIP_NONE);
	mlx5_fixture_rx_post(FIXTURE_COMPLETIONS);
	give(FIXTURE_COMPLETIONS, 60, 0);
	mlx5_fixture_rx_post(2 * FIXTURE_COMPLETIONS);
	assert_int_equal(peek(f), 0);
	mlx5_fixture_consumed(3);
	assert_int_equal(peek(f), 3);
	assert_int_equal(mlx5_nic(&mlx5_fixture)->faults.overrun, 0);
}

/* What the headers' word says. */
TEST(test_rx_flags)
{
	static const struct {
		uint16_t flags, word;
	} cases[] = {
		{ 0, 0x100 },
		{ FRAME_IPV4, 0x308 },
		{ FRAME_IPV4 | FRAME_BAD_L3, 0x108 },
		{ FRAME_IPV4 | FRAME_UDP, 0x728 },
		{ FRAME_IPV4 | FRAME_TCP, 0x718 },
		{ FRAME_IPV6 | FRAME_UDP | FRAME_BAD_L4, 0x324 },
		{ FRAME_IPV4 | FRAME_UDP | FRAME_VLAN | FRAME_RSS, 0x729 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		mlx5_fixture_rx_set(0, MLX5_ZIP_NONE);
		mlx5_fixture_rx_post(8);
		give(1, 60, cases[i].flags);
		assert_int_equal(mlx5_be16(fixture_cq[0] + 28), cases[i].word);
		assert_int_equal(mlx5_be16(fixture_cq[0] + 30), cases[i].word & 1 ? 77 : 0);
		assert_int_equal(mlx5_be32(fixture_cq[0] + 12),
			(cases[i].flags & FRAME_RSS) != 0 ? 0x1000 : 0);
		assert_int_equal(fixture_cq[0][16], (cases[i].flags & FRAME_RSS) != 0);
	}
}

/* A title and small completions behind it, which take the places of those that they stand for. */
TEST(test_rx_zip)
{
	enum { TOGETHER = 20 };

	for (unsigned zip = MLX5_ZIP_HASH; zip <= MLX5_ZIP_L34;
		zip += MLX5_ZIP_L34 - MLX5_ZIP_HASH) {
		mlx5_fixture_rx_set(0, zip);
		mlx5_fixture_rx_post(FIXTURE_ELEMENTS);
		give(TOGETHER, 60, FRAME_IPV4 | FRAME_UDP | FRAME_RSS);
		assert_int_equal(fixture_cq[0][LAST], RECEIVED << 4 | COMPRESSED << 2);
		assert_int_equal(mlx5_be32(fixture_cq[0] + 44), TOGETHER);
		for (unsigned i = 0; i < TOGETHER; i++) {
			/*
			 * The first 8 right behind the title, later ones at multiples of 8 from it.
			 */
			const uint8_t *mini =
				fixture_cq[i < 8 ? 1 : i / 8 * 8] + (size_t)(i % 8) * 8;

			assert_int_equal(mlx5_be32(mini + 4), 60 + i);
			if (zip == MLX5_ZIP_HASH)
				assert_int_equal(mlx5_be32(mini), 0x1000 + i);
			else
				assert_int_equal(mini[1], 0x28);
		}
		assert_int_equal(fixture_cq[TOGETHER][LAST], FIXTURE_EMPTY);
		mlx5_fixture_consumed(TOGETHER);
		/* Another kind of packet is told alone. */
		mlx5_fixture_rx_post(TOGETHER + FIXTURE_ELEMENTS);
		give(1, 100, FRAME_IPV4 | FRAME_TCP);
		assert_packet(TOGETHER, 0, TOGETHER, 100);
	}
}

/* A packet in several buffers, as many as it needs. */
TEST(test_rx_segments)
{
	struct frame f[MODEL_BURST];

	mlx5_fixture_rx_set(1, MLX5_ZIP_NONE);
	mlx5_fixture_rx_post(2);
	assert_int_equal(peek(f), 2);
	assert_int_equal(f[0].len, 2 * FIXTURE_ROOM);
	for (unsigned k = 0; k < 2; k++) {
		f[k].len = k == 0 ? FIXTURE_ROOM + 10 : 20;
		f[k].flags = FRAME_EOP;
		memset(f[k].data, 'a' + (int)k, f[k].len);
	}
	memset(mlx5_fixture_memory, 0, sizeof(mlx5_fixture_memory));
	mlx5_rx_give(&mlx5_fixture, fixture_rx, f, 2);
	assert_packet(0, 0, 0, FIXTURE_ROOM + 10);
	assert_packet(1, 0, 1, 20);
	assert_int_equal(mlx5_fixture_buffer(0, 0)[FIXTURE_ROOM - 1], 'a');
	assert_int_equal(mlx5_fixture_buffer(0, 1)[9], 'a');
	assert_int_equal(mlx5_fixture_buffer(0, 1)[10], 0);
	assert_int_equal(mlx5_fixture_buffer(1, 0)[19], 'b');
	assert_int_equal(mlx5_fixture_buffer(1, 0)[20], 0);
	assert_int_equal(mlx5_fixture_buffer(1, 1)[0], 0);
	mlx5_rq_clear(&mlx5_fixture, 0);
}

/* A packet with an error is told and passed by. */
TEST(test_rx_error)
{
	mlx5_fixture_rx_set(0, MLX5_ZIP_HASH);
	mlx5_fixture_rx_post(8);
	give(1, 60, FRAME_ERROR);
	assert_int_equal(fixture_cq[0][LAST], ERROR << 4);
	assert_int_equal(fixture_cq[0][SYNDROME], MLX5_ERROR_LENGTH);
	give(1, 60, 0);
	assert_packet(1, 0, 1, 60);
}

/*
 * A buffer that the key does not cover: nothing is written, one completion says so, and the queue
 * stands until it is reset.
 */
TEST(test_rx_key)
{
	struct frame f[MODEL_BURST];

	mlx5_fixture_rx_set(0, MLX5_ZIP_NONE);
	mlx5_fixture_rx_spoil(2);
	mlx5_fixture_rx_post(8);
	assert_int_equal(peek(f), 2);
	give(2, 60, 0);
	assert_int_equal(peek(f), 0);
	assert_int_equal(fixture_cq[2][LAST], ERROR << 4);
	assert_int_equal(fixture_cq[2][SYNDROME], MLX5_ERROR_PROTECTION);
	assert_int_equal(peek(f), 0);
	assert_int_equal(fixture_cq[3][LAST], FIXTURE_EMPTY);
	assert_int_equal(mlx5_nic(&mlx5_fixture)->faults.region, 1);
	mlx5_rq_reset(&mlx5_fixture, 0);
	fixture_rx->head = 3;
	assert_int_equal(peek(f), 5);
}
