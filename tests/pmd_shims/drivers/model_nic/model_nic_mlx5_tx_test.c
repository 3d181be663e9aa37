/* Send queues of the mlx5 family: elements as the driver's functions write them, frames out of
 * them, completions where asked for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_mlx5_fixture.h"
#include "fixtures/unit.h"

enum { SEND = 0x0a, SEGMENTATION = 0x0e, MULTI = 0x29, LEGACY = 1 << 24 | SEGMENTATION };
enum { LAST = MLX5_BLOCK - 1, ERROR = 0xd, SYNDROME = 55 };
enum { ETHERNET = 1, CHECKSUMS = 4, SEGMENT_BYTES = 6, INLINE_BYTES = 12 };

static uint16_t descs;

static uint16_t
take(struct frame *f)
{
	return mlx5_tx_take(&mlx5_fixture, mlx5_fixture_tx, f, MODEL_BURST, &descs);
}

static void
done(void)
{
	mlx5_tx_done(&mlx5_fixture, mlx5_fixture_tx, descs);
}

/* One packet by reference in an element of one block. */
static void
packet_post(uint16_t element, const uint8_t *p, uint32_t len, bool report)
{
	mlx5_fixture_control(element, SEND, 3, report);
	mlx5_fixture_data(element * 4u + 2, p, len);
	mlx5_fixture_tx_post((uint16_t)(element + 1));
}

static void
assert_told(unsigned at, unsigned round, uint16_t element)
{
	assert_int_equal(fixture_cq[at][LAST], round % 2);
	assert_int_equal(mlx5_be16(fixture_cq[at] + 60), element);
}

/*
 * More elements, and completions, than a 16-bit counter has, each round of completions with the
 * other owner bit; told only where asked.
 */
TEST(test_tx_rounds)
{
	struct frame f[MODEL_BURST];
	uint32_t told = 0;
	uint64_t before;

	mlx5_fixture_tx_set();
	before = mlx5_fixture_tx->packets;
	for (uint32_t i = 0; i < 200000; i++) {
		packet_post((uint16_t)i, mlx5_fixture_memory + i % 1024, 60 + i % 100, i % 3 == 0);
		assert_int_equal(take(f), 1);
		assert_ptr_equal(f[0].data, mlx5_fixture_memory + i % 1024);
		assert_int_equal(f[0].len, 60 + i % 100);
		assert_int_equal(f[0].flags, FRAME_EOP);
		done();
		if (i % 3 != 0)
			continue;
		assert_told(told % FIXTURE_COMPLETIONS, told / FIXTURE_COMPLETIONS, (uint16_t)i);
		mlx5_fixture_consumed((uint16_t)++told); /* as the driver counts them */
	}
	assert_int_equal(take(f), 0);
	assert_int_equal(mlx5_fixture_tx->packets - before, 200000);
}

/* Data in and behind the Ethernet segment: two frames of one packet. */
TEST(test_tx_inline)
{
	struct frame f[MODEL_BURST];
	uint8_t *ethernet;

	mlx5_fixture_tx_set();
	mlx5_fixture_control(0, SEND, 4, true);
	ethernet = mlx5_fixture_segment(ETHERNET);
	mlx5_fixture_put16(ethernet + INLINE_BYTES, 18);
	memcpy(ethernet + 14, "ab", 2);
	memcpy(mlx5_fixture_segment(2), "cdefghijklmnopqr", 16);
	mlx5_fixture_data(3, mlx5_fixture_memory, 100);
	mlx5_fixture_tx_post(1);
	assert_int_equal(take(f), 2);
	assert_memory_equal(f[0].data, "abcdefghijklmnopqr", 18);
	assert_int_equal(f[0].len, 18);
	assert_int_equal(f[0].flags, 0);
	assert_int_equal(f[1].len, 100);
	assert_int_equal(f[1].flags, FRAME_EOP);
	assert_null(mlx5_buffer(mlx5_fixture_tx, 0, false));
	assert_ptr_equal(mlx5_buffer(mlx5_fixture_tx, 1, false), mlx5_fixture_memory);
	done();
	assert_told(0, 0, 0);
}

/* Many packets in an element: told when the last of them is done. */
TEST(test_tx_multi)
{
	struct frame f[MODEL_BURST];
	uint32_t segments = 2;

	mlx5_fixture_tx_set();
	for (unsigned i = 0; i < 3; i++)
		segments += mlx5_fixture_data(segments, mlx5_fixture_memory + i, 60 + i);
	for (unsigned i = 0; i < 70; i++)
		mlx5_fixture_memory[1000 + i] = (uint8_t)i;
	segments += mlx5_fixture_inline(segments, mlx5_fixture_memory + 1000, 70);
	mlx5_fixture_control(0, MULTI, segments, true);
	mlx5_fixture_tx_post((uint16_t)((segments + 3) / 4));
	assert_int_equal(take(f), 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(f[i].flags, FRAME_EOP);
	assert_ptr_equal(f[2].data, mlx5_fixture_memory + 2);
	assert_memory_equal(f[3].data, mlx5_fixture_memory + 1000, 70);
	mlx5_tx_done(&mlx5_fixture, mlx5_fixture_tx, 3);
	assert_int_equal(fixture_cq[0][LAST], FIXTURE_EMPTY);
	mlx5_tx_done(&mlx5_fixture, mlx5_fixture_tx, 1);
	assert_told(0, 0, 0);
}

/* Inline data that begins before the queue's end and goes on at its start. */
TEST(test_tx_over_end)
{
	struct frame f[MODEL_BURST];
	uint32_t segments;

	mlx5_fixture_tx_set();
	for (uint16_t i = 0; i < FIXTURE_BLOCKS - 1; i++)
		packet_post(i, mlx5_fixture_memory, 60, false);
	assert_int_equal(take(f), FIXTURE_BLOCKS - 1);
	done();
	for (unsigned i = 0; i < 200; i++)
		mlx5_fixture_memory[i] = (uint8_t)(7 * i);
	segments = 2 + mlx5_fixture_inline((FIXTURE_BLOCKS - 1) * 4 + 2, mlx5_fixture_memory, 200);
	mlx5_fixture_control(FIXTURE_BLOCKS - 1, MULTI, segments, true);
	mlx5_fixture_tx_post((uint16_t)(FIXTURE_BLOCKS - 1 + (segments + 3) / 4));
	assert_int_equal(take(f), 1);
	assert_int_equal(f[0].len, 200);
	assert_memory_equal(f[0].data, mlx5_fixture_memory, 200);
	done();
	assert_told(0, 0, FIXTURE_BLOCKS - 1);
}

/* As older cards have it: one length, and inline data of all packets in one piece. */
TEST(test_tx_legacy)
{
	struct frame f[MODEL_BURST];
	uint32_t segments;

	mlx5_fixture_tx_set();
	segments = 2 + mlx5_fixture_inline(2, mlx5_fixture_memory, 3 * 70);
	mlx5_fixture_control(0, LEGACY, segments, true);
	mlx5_fixture_put16(mlx5_fixture_segment(ETHERNET) + SEGMENT_BYTES, 70);
	mlx5_fixture_tx_post((uint16_t)((segments + 3) / 4));
	assert_int_equal(take(f), 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(f[i].len, 70);
		assert_memory_equal(f[i].data, mlx5_fixture_memory + (size_t)70 * i, 70);
		assert_int_equal(f[i].flags, FRAME_EOP);
	}
	done();
	assert_told(0, 0, 0);
}

/* TCP over IPv4, 54 bytes of headers. */
static void
headers_write(uint8_t *p)
{
	memset(p, 0, 54);
	p[12] = 8;
	p[14] = 0x45;
	p[23] = 6;
	p[46] = 5 << 4;
}

/*
 * What is asked for goes with the packet; segmentation counts the packets that leave, a tag its
 * bytes.
 */
TEST(test_tx_offloads)
{
	struct frame f[MODEL_BURST];
	uint64_t packets, bytes;
	uint8_t *ethernet;

	mlx5_fixture_tx_set();
	headers_write(mlx5_fixture_memory);
	packets = mlx5_fixture_tx->packets;
	bytes = mlx5_fixture_tx->bytes;
	mlx5_fixture_control(0, SEND, 3, false);
	mlx5_fixture_segment(ETHERNET)[CHECKSUMS] = 0xc0;
	mlx5_fixture_put32(mlx5_fixture_segment(ETHERNET) + INLINE_BYTES, 0x8000u << 16 | 99);
	mlx5_fixture_data(2, mlx5_fixture_memory, 100);
	mlx5_fixture_control(1, SEGMENTATION, 7, true);
	ethernet = mlx5_fixture_segment(4 + ETHERNET);
	ethernet[CHECKSUMS] = 0xc0;
	mlx5_fixture_put16(ethernet + SEGMENT_BYTES, 1000);
	mlx5_fixture_put16(ethernet + INLINE_BYTES, 54);
	memcpy(ethernet + 14, mlx5_fixture_memory, 2);
	for (unsigned i = 0; i < 52; i++)
		mlx5_fixture_segment(6 + i / 16)[i % 16] = mlx5_fixture_memory[2 + i];
	mlx5_fixture_data(10, mlx5_fixture_memory, 2500);
	mlx5_fixture_tx_post(3);
	assert_int_equal(take(f), 3);
	assert_int_equal(f[0].flags,
		FRAME_EOP | FRAME_VLAN | FRAME_IPV4 | FRAME_TCP | FRAME_CSUM_L3 | FRAME_CSUM_L4);
	assert_int_equal(f[0].vlan, 99);
	assert_int_equal(f[0].mss, 0);
	assert_int_equal(f[1].mss, 1000);
	assert_int_equal(f[1].l2_len + f[1].l3_len + f[1].l4_len, 54);
	assert_int_equal(mlx5_fixture_tx->packets - packets, 1 + 3);
	assert_int_equal(mlx5_fixture_tx->bytes - bytes, 104 + 2500 + 3 * 54);
}

/*
 * Whatever is wrong: what went before it is sent, one completion says what is wrong, nothing more
 * happens until a reset.
 */
TEST(test_tx_errors)
{
	static const struct {
		uint32_t opcode, segments;
		uint16_t index;
		bool key;
		uint8_t syndrome;
	} cases[] = {
		{ SEND, 3, 1, true, MLX5_ERROR_PROTECTION },
		{ MULTI, 3, 1, true, MLX5_ERROR_PROTECTION },
		{ SEND, 3, 2, false, MLX5_ERROR_OPERATION },
		{ SEND, 1, 1, false, MLX5_ERROR_OPERATION },
		{ SEND, 63, 1, false, MLX5_ERROR_OPERATION },
		{ 0x11, 3, 1, false, MLX5_ERROR_OPERATION },
		{ SEGMENTATION, 3, 1, false, MLX5_ERROR_OPERATION },
	};
	struct frame f[MODEL_BURST];

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mlx5_faults *faults = &mlx5_nic(&mlx5_fixture)->faults;

		mlx5_fixture_tx_set();
		packet_post(0, mlx5_fixture_memory, 60, true);
		packet_post(1, mlx5_fixture_memory, 60, true);
		mlx5_fixture_control(1, cases[i].opcode, cases[i].segments, true);
		mlx5_fixture_put32(mlx5_fixture_segment(4),
			cases[i].opcode | (uint32_t)cases[i].index << 8);
		if (cases[i].key)
			mlx5_fixture_put32(mlx5_fixture_segment(6) + 4, 1);
		packet_post(2, mlx5_fixture_memory, 60, true);
		assert_int_equal(take(f), 1);
		done();
		assert_told(0, 0, 0);
		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(take(f), 0);
		assert_int_equal(fixture_cq[1][LAST], ERROR << 4);
		assert_int_equal(fixture_cq[1][SYNDROME], cases[i].syndrome);
		assert_int_equal(mlx5_be16(fixture_cq[1] + 60), 1);
		assert_int_equal(fixture_cq[2][LAST], FIXTURE_EMPTY);
		assert_int_equal(faults->wqe + faults->region, 1);
		mlx5_sq_reset(&mlx5_fixture, 0);
		mlx5_fixture_tx->head = 0;
		assert_int_equal(take(f), 0);
		packet_post(0, mlx5_fixture_memory, 60, true);
		assert_int_equal(take(f), 1);
		done();
		assert_told(2, 0, 0);
	}
}

/* More completions asked for than the queue holds. */
TEST(test_tx_overrun)
{
	struct frame f[MODEL_BURST];

	mlx5_fixture_tx_set();
	for (uint16_t i = 0; i < FIXTURE_COMPLETIONS + 2; i++) {
		packet_post(i, mlx5_fixture_memory, 60, true);
		assert_int_equal(take(f), 1);
		done();
	}
	assert_int_equal(mlx5_nic(&mlx5_fixture)->faults.overrun, 2);
}
