/* Pace: rates and gaps as text, and when packets are due. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pace.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"
#include "stream/stream.h"

#include <math.h>
#include <string.h>

#define HZ UINT64_C(2600000000)

static const struct {
	const char *text;
	double pps; /* for 60 bytes at 10 Gbit/s; -1: refused */
} rates[] = {
	{ "max", 0 },
	{ "1", 1 },
	{ "1000000", 1e6 },
	{ "1.5Mpps", 1.5e6 },
	{ "250kpps", 2.5e5 },
	{ "1000Mpps", 1e9 },
	{ "10Gbps", 1e10 / 672 },
	{ "10gbps", 1e10 / 672 },
	{ "10G", 1e10 / 672 },
	{ "100000Gbps", 1e14 / 672 },
	{ "2.5mpps", 2.5e6 },
	{ "672bps", 1 },
	{ "672kbps", 1000 },
	{ "67.2Mbps", 1e5 },
	{ "100%", 1e10 / 672 },
	{ "0.5%", 5e7 / 672 },
	{ "", -1 },
	{ "0.001", 0.001 },
	{ "0.0009", -1 },
	{ "0", -1 },
	{ "-1", -1 },
	{ "0%", -1 },
	{ "100.1%", -1 },
	{ "1001Mpps", -1 },
	{ "5 Gbps", -1 },
	{ "5M", -1 },
	{ "100001Gbps", -1 },
	{ "fast", -1 },
	{ "1e6", -1 },
};

TEST(rate_texts)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(rates); i++) {
		struct pace_rate rate;
		struct err e = { 0 };

		if (rates[i].pps < 0) {
			assert_true(pace_rate_parse(rates[i].text, &rate, &e) < 0);
			assert_non_null(strstr(e.text, rates[i].text));
			assert_non_null(strstr(e.text, "expected"));
			continue;
		}
		assert_int_equal(pace_rate_parse(rates[i].text, &rate, &e), 0);
		assert_true(fabs(pace_pps(&rate, 60, 1e10) - rates[i].pps) <= 1e-6 * rates[i].pps);
	}
}

TEST(unknown_line)
{
	const struct pace_rate percent = { PACE_PERCENT, 50 }, bits = { PACE_BITS, 1e9 };

	assert_true(pace_pps(&percent, 60, 0) < 0);
	assert_true(pace_pps(&bits, 60, 0) > 0);
}

TEST(gap_texts)
{
	static const char *const bad[] = { "", "burst", "burst:", "burst:0", "burst:1.5",
		"burst:65536", "burst:4x", "random" };
	enum pace_gaps gaps;
	struct err e = { 0 };
	uint32_t burst;

	assert_int_equal(pace_gaps_parse("even", &gaps, &burst, &e), 0);
	assert_int_equal(gaps, PACE_EVEN);
	assert_int_equal(pace_gaps_parse("poisson", &gaps, &burst, &e), 0);
	assert_int_equal(gaps, PACE_POISSON);
	assert_int_equal(pace_gaps_parse("burst:65535", &gaps, &burst, &e), 0);
	assert_int_equal(gaps, PACE_BURSTS);
	assert_int_equal(burst, 65535);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		assert_true(pace_gaps_parse(bad[i], &gaps, &burst, &e) < 0);
}

/* The n-th packet is due n gaps after the first, without an error that adds up. */
TEST(even)
{
	static const double pps[] = { 1, 3, 999, 1e6, 14880952.38, 148809523.8, 1e9 };

	for (unsigned int i = 0; i < ARRAY_SIZE(pps); i++) {
		struct pace p;

		pace_open(&p, pps[i], PACE_EVEN, 1, 1000, HZ, 1);
		assert_true(p.paced);
		for (unsigned int n = 0; n < 1000000; n++) {
			const double exact = 1000 + n * (double)HZ / pps[i];

			assert_true(fabs((double)p.due - exact) <= 1.001);
			pace_next(&p);
		}
	}
}

TEST(bursts)
{
	struct pace p;

	pace_open(&p, 1e6, PACE_BURSTS, 32, 0, HZ, 1);
	for (unsigned int n = 0; n < 3200; n++) {
		assert_true(fabs((double)p.due - (double)(n / 32) * 32 * 2600) <= 1);
		pace_next(&p);
	}
}

TEST(unpaced)
{
	struct pace p;

	pace_open(&p, 0, PACE_EVEN, 1, 0, HZ, 1);
	assert_false(p.paced);
}

/*
 * Gaps of a Poisson process: mean and standard deviation are equal, 1/e of the gaps are longer than
 * the mean, and e^-8, which only the recursion of the table reaches, longer than 8 times it.
 */
TEST(poisson)
{
	static const double pps[] = { 1000, 1e6, 1e8 };
	enum { N = 4000000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(pps); i++) {
		const double mean = (double)HZ / pps[i];
		double sum = 0, squares = 0, before = 0;
		unsigned int longer = 0, longest = 0;
		struct pace p;

		pace_open(&p, pps[i], PACE_POISSON, 1, 0, HZ, 1);
		for (unsigned int n = 0; n < N; n++) {
			double due, gap;

			pace_next(&p);
			due = (double)p.due + p.due_part / 4294967296.0;
			gap = (due - before) / mean;
			before = due;
			sum += gap;
			squares += gap * gap;
			longer += gap > 1;
			longest += gap > 8;
		}
		/* 5 standard errors of each */
		assert_true(fabs(sum / N - 1) < 5 / sqrt(N));
		assert_true(fabs(squares / N - 2) < 5 * sqrt(20.0 / N));
		assert_true(fabs((double)longer / N - exp(-1)) < 5 * sqrt(0.2325 / N));
		assert_true(fabs((double)longest / N - exp(-8)) < 5 * sqrt(exp(-8) / N));
	}
}

/* Streams that send to the port of each, and how many of them are before it. */
TEST(senders)
{
	static const struct {
		uint16_t port;
		unsigned int n, before;
	} rows[] = { { 0, 3, 0 }, { 1, 1, 0 }, { 0, 3, 1 }, { 2, 1, 0 }, { 0, 3, 2 } };
	static struct stream all[ARRAY_SIZE(rows)];
	struct stream *siblings[ARRAY_SIZE(rows)];

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		siblings[i] = &all[i];
		all[i].tx_port = rows[i].port;
		all[i].siblings = siblings;
		all[i].n_siblings = ARRAY_SIZE(rows);
		all[i].index = i;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned int before;

		assert_int_equal(pace_senders(&all[i], &before), rows[i].n);
		assert_int_equal(before, rows[i].before);
	}
}
