/* When packets of a capture are due: at recorded times, scaled, at rates; and what is refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "engines/replay/replay_priv.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define HZ UINT64_C(2600000000)
#define LINE 1e10
enum { N = 5 };

/* Lengths, and times in ns after the first packet. */
static const uint32_t lengths[N] = { 60, 1514, 60, 100, 266 };
static const uint64_t times[N] = { 0, 1000, 1000, 5000000, 8000000 };

static int
due(struct replay_load *l, const char *rate, bool once, double line, struct replay_loaded *packets,
	struct err *e)
{
	struct replay_ask ask = { .rate_text = rate,
		.once = once,
		.line_bps = line,
		.tsc_hz = HZ,
		.port = 3 };

	err_clear(e);
	*l = (struct replay_load){ .packets = packets, .n = N };
	for (unsigned int i = 0; i < N; i++) {
		packets[i] = (struct replay_loaded){ .ns = UINT64_C(1700000000123456789) + times[i],
			.bytes = lengths[i] };
		l->bytes += lengths[i];
	}
	assert_int_equal(replay_words_rate(rate, &ask.rate, e), 0);
	return replay_load_times(l, &ask, e);
}

static double
period(const struct replay_load *l)
{
	return (double)l->period + l->period_part / 4294967296.0;
}

/* Each packet is due when it was captured, by the factor sooner; the next pass a mean gap later. */
TEST(recorded)
{
	static const struct {
		const char *rate;
		double faster;
	} cases[] = { { "recorded", 1 }, { "1x", 1 }, { "2x", 2 }, { "0.01x", 0.01 },
		{ "2.5x", 2.5 } };
	struct replay_loaded packets[N];
	struct replay_load l;
	struct err e;

	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		assert_int_equal(due(&l, cases[k].rate, false, LINE, packets, &e), 0);
		assert_true(l.paced);
		for (unsigned int i = 0; i < N; i++)
			assert_true(fabs((double)packets[i].due -
					    (double)times[i] * 2.6 / cases[k].faster) <= 1);
		assert_true(fabs(period(&l) - 1e7 * 2.6 / cases[k].faster) <= 1);
	}
}

/* Packets per second: equal gaps. Bits per second: each packet's bits pass before the next one. */
TEST(rates)
{
	struct replay_loaded packets[N];
	double bits = 0;
	struct replay_load l;
	struct err e;

	assert_int_equal(due(&l, "3Mpps", false, 0, packets, &e), 0);
	for (unsigned int i = 0; i < N; i++)
		assert_true(fabs((double)packets[i].due - i * 2600 / 3.0) <= 1);
	/* A fraction that is lost here would make the rate wrong. */
	assert_true(fabs(period(&l) - N * 2600 / 3.0) < 1e-6);
	for (unsigned int k = 0; k < 2; k++) {
		assert_int_equal(due(&l, k == 0 ? "1Gbps" : "10%", false, LINE, packets, &e), 0);
		bits = 0;
		for (unsigned int i = 0; i < N; i++) {
			assert_true(fabs((double)packets[i].due - bits * 2.6) <= 1);
			bits += 8 * (lengths[i] + 24);
		}
		assert_true(fabs(period(&l) - bits * 2.6) < 1e-3);
	}
	assert_int_equal(due(&l, "max", false, LINE, packets, &e), 0);
	assert_false(l.paced);
	assert_int_equal(due(&l, "100%", false, LINE, packets, &e), 0);
	assert_int_equal(due(&l, "10Gbps", false, LINE, packets, &e), 0);
}

TEST(refused)
{
	static const struct {
		const char *rate;
		double line;
		const char *said;
	} cases[] = {
		{ "10.1Gbps", LINE, "port 3 can send 2948113 at 10000 Mbit/s" },
		{ "3Mpps", LINE, "port 3 can send" },
		{ "10000x", LINE, "port 3 can send" },
		{ "50%", 0, "link speed of port 3 is unknown" },
		{ "1bps", 0, "expected 0.001 to 1e+09" },
		{ "1000Gbps", 0, "" },
		{ "0.000001x", LINE, "" },
	};
	struct replay_loaded packets[N];
	struct replay_load l;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const int ret = due(&l, cases[i].rate, false, cases[i].line, packets, &e);

		assert_int_equal(ret != 0, cases[i].said[0] != '\0');
		assert_non_null(strstr(e.text, cases[i].said));
	}
}

/* Packets of one time cannot be repeated; times that go backwards are refused, but not for rates. */
TEST(odd_times)
{
	struct replay_loaded packets[3] = { { .ns = 9, .bytes = 60, .number = 1 },
		{ .ns = 9, .bytes = 60, .number = 2 }, { .ns = 8, .bytes = 60, .number = 7 } };
	struct replay_load l = { .packets = packets, .n = 2, .bytes = 120 };
	struct replay_ask ask = { .rate_text = "recorded", .once = true, .tsc_hz = HZ };
	struct err e;

	err_clear(&e);
	assert_int_equal(replay_words_rate("recorded", &ask.rate, &e), 0);
	assert_int_equal(replay_load_times(&l, &ask, &e), 0);
	assert_int_equal(packets[1].due, 0);
	ask.once = false;
	assert_int_equal(replay_load_times(&l, &ask, &e), -EINVAL);
	assert_non_null(strstr(e.text, "same time stamp"));
	l.n = 1;
	assert_int_equal(replay_load_times(&l, &ask, &e), -EINVAL);
	ask.once = true;
	assert_int_equal(replay_load_times(&l, &ask, &e), 0);
	l.n = 3;
	assert_int_equal(replay_load_times(&l, &ask, &e), -EINVAL);
	assert_non_null(strstr(e.text, "packet 7 has an earlier time stamp"));
	assert_int_equal(replay_words_rate("1Mpps", &ask.rate, &e), 0);
	assert_int_equal(replay_load_times(&l, &ask, &e), 0);
	/* 584 years */
	packets[2].ns = UINT64_MAX;
	assert_int_equal(replay_words_rate("0.000001x", &ask.rate, &e), 0);
	assert_int_equal(replay_load_times(&l, &ask, &e), -ERANGE);
}
