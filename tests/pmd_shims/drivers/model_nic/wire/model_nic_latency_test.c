/* Latency of packets of bursts: stamps, and percentiles of the histogram. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <string.h>

static struct latency l, base;
static struct model_nic_report r;

static void
begin(void)
{
	memset(&l, 0, sizeof(l));
	memset(&base, 0, sizeof(base));
	memset(&r, 0, sizeof(r));
}

TEST(stamps)
{
	uint8_t pkt[60] = { 0 }, tagged[64] = { [12] = 0x81 };
	uint64_t due_ns = 0;
	unsigned port = 0;

	assert_false(latency_stamp_read(pkt, sizeof(pkt), &port, &due_ns));
	latency_stamp(pkt, sizeof(pkt), 31, UINT64_C(1) << 60);
	assert_true(latency_stamp_read(pkt, sizeof(pkt), &port, &due_ns));
	assert_int_equal(port, 31);
	assert_true(due_ns == UINT64_C(1) << 60);
	/* The card has inserted a tag meanwhile. */
	memcpy(tagged + 16, pkt + 12, sizeof(pkt) - 12);
	assert_true(latency_stamp_read(tagged, sizeof(tagged), &port, &due_ns));
	/* Too short: nothing is written, nothing read. */
	memset(pkt, 0, sizeof(pkt));
	latency_stamp(pkt, GEN_HEADERS + 15, 31, 1);
	for (size_t i = 0; i < sizeof(pkt); i++)
		assert_int_equal(pkt[i], 0);
	assert_false(latency_stamp_read(pkt, GEN_HEADERS - 1, &port, &due_ns));
}

/* 1..10000 ns, once each. */
TEST(percentiles)
{
	begin();
	for (uint64_t ns = 1; ns <= 10000; ns++)
		latency_add(&l, ns);
	latency_report(&l, &base, &r);
	assert_int_equal(r.latency_packets, 10000);
	assert_in_range(r.latency_p50_ns, 5000, 5000 + 5000 / 64);
	assert_in_range(r.latency_p99_ns, 9900, 9900 + 9900 / 64);
	assert_in_range(r.latency_p999_ns, 9990, 9990 + 9990 / 64);
	assert_in_range(r.latency_max_ns, 10000, 10000 + 10000 / 64);
}

/* One time alone, on both sides of each border of cells. */
TEST(one_time)
{
	for (unsigned bit = 0; bit < 37; bit++) {
		for (int side = -1; side <= 1; side++) {
			uint64_t ns = (UINT64_C(1) << bit) + (uint64_t)side;

			begin();
			latency_add(&l, ns);
			latency_report(&l, &base, &r);
			if (ns >= UINT64_C(1) << 37)
				continue;
			assert_in_range(r.latency_p50_ns, ns, ns + ns / 64);
			assert_int_equal(r.latency_max_ns, r.latency_p50_ns);
		}
	}
	begin();
	latency_add(&l, UINT64_MAX);
	latency_report(&l, &base, &r);
	assert_int_equal(r.latency_p50_ns, (UINT64_C(1) << 37) - 1);
}

/* Of 1000 packets 1 is slow: it is the maximum, not the percentile 99.9; 2 are that too. */
TEST(tail)
{
	begin();
	for (unsigned i = 0; i < 999; i++)
		latency_add(&l, 100);
	latency_add(&l, 1 << 20);
	latency_report(&l, &base, &r);
	assert_int_equal(r.latency_p999_ns, 100);
	assert_true(r.latency_max_ns >= 1 << 20);
	latency_add(&l, 1 << 20);
	latency_report(&l, &base, &r);
	assert_true(r.latency_p999_ns >= 1 << 20);
	assert_int_equal(r.latency_p99_ns, 100);
}

/* A reset forgets what was counted before; without packets all figures are 0. */
TEST(reset)
{
	begin();
	latency_add(&l, 5000000);
	base = l;
	memset(&r, 0, sizeof(r));
	latency_report(&l, &base, &r);
	assert_int_equal(r.latency_packets + r.latency_p50_ns + r.latency_max_ns, 0);
	latency_add(&l, 7);
	latency_report(&l, &base, &r);
	assert_int_equal(r.latency_packets, 1);
	assert_int_equal(r.latency_max_ns, 7);
}
