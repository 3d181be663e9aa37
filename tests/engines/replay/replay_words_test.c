/* The settings of the engine replay: what is accepted, and which word a refusal names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/replay/replay_words.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *text, *path; /* of port 1; path NULL: refused with text in the line */
	bool truncated;
	const char *said;
} sources[] = {
	{ "", "", false, NULL },
	{ "none", "", false, NULL },
	{ "a.pcap", "a.pcap", false, NULL },
	{ "  a.pcap\ttruncated ", "a.pcap", true, NULL },
	{ "\"a b.pcap\"", "a b.pcap", false, NULL },
	{ "\"none\"", "none", false, NULL },
	{ "\"truncated\" truncated", "truncated", true, NULL },
	{ "\"port\"", "port", false, NULL },
	{ "a port 1 b", "b", false, NULL },
	{ "a truncated port 1 b", "b", false, NULL },
	{ "a port 1 b truncated port 2 c", "b", true, NULL },
	{ "a port 2 c", "a", false, NULL },
	{ "a port 2 c truncated", "a", false, NULL },
	{ "a port 1 none", "", false, NULL },
	{ "none truncated port 0 a", "", true, NULL },
	{ "port 1 b port 0 a", "b", false, NULL },
	{ "a b", NULL, false, "\"b\"" },
	{ "a truncated b", NULL, false, "\"b\"" },
	{ "truncated", NULL, false, "\"truncated\"" },
	{ "port", NULL, false, "expected a number" },
	{ "port 1", NULL, false, "column 7: incomplete command: expected none or a file" },
	{ "port 1 port 2 b", NULL, false,
		"column 8: unknown keyword \"port\": expected none or a file" },
	{ "\"a \\\"b\\\" c\"", "a \"b\" c", false, NULL },
	{ "a port -1 b", NULL, false, "\"-1\"" },
	{ "a port 1x b", NULL, false, "\"1x\"" },
	{ "a port 65536 b", NULL, false, "65536 is too large" },
	{ "\"a b", NULL, false, "closing quote" },
	{ "\"\"", NULL, false, "the file name is empty" },
};

TEST(source_texts)
{
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		struct replay_source s;
		struct err e;
		int ret;

		err_clear(&e);
		ret = replay_words_source(sources[i].text, 1, &s, &e);
		if (sources[i].path == NULL) {
			assert_true(ret < 0);
			assert_non_null(strstr(e.text, sources[i].said));
			continue;
		}
		assert_int_equal(ret, 0);
		assert_string_equal(s.path, sources[i].path);
		assert_int_equal(s.truncated, sources[i].truncated);
	}
}

TEST(long_path)
{
	static char text[PATH_MAX + 1];
	struct replay_source s;
	struct err e;

	memset(text, 'a', PATH_MAX);
	assert_int_equal(replay_words_source(text, 1, &s, &e), -EINVAL);
	text[PATH_MAX - 1] = '\0';
	assert_int_equal(replay_words_source(text, 1, &s, &e), 0);
	assert_string_equal(s.path, text);
}

static const struct {
	const char *text;
	double speed; /* 0: not at recorded times; -1: refused */
} rates[] = {
	{ "recorded", 1 },
	{ "1x", 1 },
	{ "0.25x", 0.25 },
	{ "1000000x", 1e6 },
	{ "0.000001x", 1e-6 },
	{ "max", 0 },
	{ "10", 0 },
	{ "1.5Mpps", 0 },
	{ "50%", 0 },
	{ "x", -1 },
	{ "0x", -1 },
	{ "1000001x", -1 },
	{ "-1x", -1 },
	{ "2xx", -1 },
	{ "2 x", -1 },
	{ "record", -1 },
	{ "", -1 },
	{ "0", -1 },
};

TEST(rate_texts)
{
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		struct replay_rate r;
		struct err e;

		err_clear(&e);
		if (rates[i].speed < 0) {
			assert_true(replay_words_rate(rates[i].text, &r, &e) < 0);
			assert_non_null(strstr(e.text, rates[i].text));
			assert_non_null(strstr(e.text, "expected"));
			continue;
		}
		assert_int_equal(replay_words_rate(rates[i].text, &r, &e), 0);
		assert_int_equal(r.recorded, rates[i].speed > 0);
		if (r.recorded)
			assert_true(r.speed == rates[i].speed);
	}
}

TEST(rewrite_texts)
{
	static const char *const bad[] = { "src", "dst", "src 10.0.0.0/33", "src 10.0.0.1/8",
		"dst ten", "mac off", "dmacs", "port", "port x mac", "src 10.0.0.0-10.0.0.9" };
	struct replay_rewrite r;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		err_clear(&e);
		assert_int_equal(replay_words_rewrite(bad[i], 0, &r, &e), -EINVAL);
		assert_non_null(strstr(e.text, "expected"));
	}
	assert_int_equal(replay_words_rewrite("none", 0, &r, &e), 0);
	assert_false(r.mac);
	assert_int_equal(r.v4[REPLAY_SRC].depth + r.v6[REPLAY_DST].depth, 0);
	assert_int_equal(
		replay_words_rewrite(
			"mac src 10.0.0.0/8 port 1 dst 2001:db8::/32 port 2 dst ::1 src 11.0.0.0/9",
			1, &r, &e),
		0);
	assert_true(r.mac);
	assert_int_equal(r.v4[REPLAY_SRC].depth, 8);
	assert_int_equal(r.v4[REPLAY_SRC].bytes[0], 10);
	assert_int_equal(r.v6[REPLAY_DST].depth, 32);
	assert_int_equal(r.v6[REPLAY_DST].bytes[3], 0xb8);
	assert_int_equal(r.v4[REPLAY_DST].depth + r.v6[REPLAY_SRC].depth, 0);
	assert_int_equal(replay_words_rewrite("mac src 10.0.0.0/8 none port 1 none", 1, &r, &e), 0);
	assert_false(r.mac);
	assert_int_equal(r.v4[REPLAY_SRC].depth, 0);
}
