/* Bursts on the wire: when packets are due, on a clock of the test's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

static const uint64_t begin_ns = 5000;

static struct bursts b;
static struct port_config config;

static void
begin(uint32_t min, uint32_t max, bool random, uint64_t rate, uint64_t line)
{
	config = (struct port_config){ .burst_min = min,
		.burst_max = max,
		.gap_random = random,
		.rate_pps = rate,
		.line_pps = line,
		.seed = 7 };
	bursts_open(&b, &config, 3);
}

/* Take what is due at a time after the beginning. Returns the number; due_ns: since the beginning. */
static unsigned
take(uint64_t now_ns, uint16_t max, uint64_t *due_ns)
{
	uint16_t n = bursts_take(&b, begin_ns + now_ns, max, due_ns);

	for (uint16_t i = 0; i < n; i++)
		due_ns[i] -= begin_ns;
	return n;
}

/* 4 packets 100 ns apart, every 4 us. */
TEST(steady)
{
	static const struct {
		uint64_t now;
		unsigned packets;
		uint64_t first, last;
	} rows[] = { { 0, 1, 0, 0 }, { 99, 0, 0, 0 }, { 100, 1, 100, 100 }, { 350, 2, 200, 300 },
		{ 3999, 0, 0, 0 }, { 4000, 1, 4000, 4000 }, { 8000, 4, 4100, 8000 },
		{ 8300, 3, 8100, 8300 }, { 12000, 1, 12000, 12000 } };
	uint64_t due[64];

	begin(4, 4, false, 1000000, 10000000);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(take(rows[i].now, 64, due), rows[i].packets);
		if (rows[i].packets == 0)
			continue;
		assert_int_equal(due[0], rows[i].first);
		assert_int_equal(due[rows[i].packets - 1], rows[i].last);
	}
	assert_int_equal(b.sent, 3);
	assert_int_equal(b.late_ns, 0);
}

/* A call takes no more than it asks for; the rest stays due at its time. */
TEST(in_parts)
{
	uint64_t due[64];

	begin(10, 10, false, 1000000, 10000000);
	assert_int_equal(take(0, 64, due), 1);
	assert_int_equal(take(900, 5, due), 5);
	assert_int_equal(due[4], 500);
	assert_int_equal(take(901, 64, due), 4);
	assert_int_equal(due[3], 900);
}

/* 10 us late: sent as due. Later: all packets are moved, and none is lost. */
TEST(late)
{
	uint64_t due[64];

	begin(4, 4, false, 1000000, 10000000);
	assert_int_equal(take(0, 64, due), 1);
	assert_int_equal(take(10100, 64, due), 11);
	assert_int_equal(due[0], 100);
	assert_int_equal(b.late_ns, 0);
	/* The next packet was due at 12 us, and is due now. */
	assert_int_equal(take(30000, 64, due), 1);
	assert_int_equal(due[0], 30000);
	assert_int_equal(b.late_ns, 18000);
	assert_int_equal(take(30300, 64, due), 3);
	assert_int_equal(due[2], 30300);
	assert_int_equal(take(33999, 64, due), 0);
	assert_int_equal(take(34000, 64, due), 1);
	assert_int_equal(b.sent, 4);
}

/* During a rest nothing becomes due, and nothing is late. */
TEST(rest)
{
	uint64_t due[64];

	begin(4, 4, false, 1000000, 10000000);
	assert_int_equal(take(100, 64, due), 1);
	bursts_rest(&b);
	assert_int_equal(take(5000000, 64, due), 1);
	assert_int_equal(due[0], 5000000);
	assert_int_equal(take(5000200, 64, due), 2);
	assert_int_equal(b.late_ns, 0);
}

/* Sizes and gaps of seed 7 on port 3, computed in Python with math.log(). */
TEST(random_bursts)
{
	static const struct {
		uint64_t begins;
		unsigned packets;
	} rows[] = { { 0, 4 }, { 2915, 4 }, { 11400, 4 }, { 13436, 4 }, { 19706, 3 }, { 25922, 2 },
		{ 26218, 6 }, { 27275, 4 } };
	uint64_t due[64], now = 0;

	begin(2, 6, true, 1000000, 10000000);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* Poll each ns until the burst is complete. */
		for (unsigned n = 0; n < rows[i].packets; now++) {
			if (take(now, 1, due) == 0)
				continue;
			if (n++ == 0)
				assert_in_range(due[0] + 1, rows[i].begins, rows[i].begins + 2);
		}
		assert_int_equal(b.sent, i + 1);
	}
}

/* The mean rate is the configured one, and a seed gives the same packets again. */
TEST(mean_rate)
{
	static const struct {
		uint32_t min, max;
		bool random;
		uint64_t rate, line;
		unsigned permille; /* tolerance */
	} rows[] = { { 32, 32, false, 5000000, 14880952, 1 }, { 1, 1, true, 7000000, 59523809, 5 },
		{ 1, 511, true, 20000000, 59523809, 20 }, { 4096, 4096, false, 50000, 14880952, 1 },
		{ 1, 63, true, 41000000, 59523809, 10 } };
	uint64_t due[64], again;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t packets = 0, now = 0, expected;
		uint64_t begins[2];

		for (unsigned turn = 0; turn < 2; turn++) {
			begin(rows[i].min, rows[i].max, rows[i].random, rows[i].rate, rows[i].line);
			for (packets = now = 0; packets < 2000000; now += 997)
				packets += take(now, 64, due);
			begins[turn] = b.due;
		}
		again = begins[1];
		assert_int_equal(begins[0], again);
		expected = now * (rows[i].rate / 1000) / 1000000;
		assert_in_range(packets, expected - expected * rows[i].permille / 1000,
			expected + expected * rows[i].permille / 1000 + rows[i].max);
	}
}
