/* The settings of the engine replay: what port 1 replays, how fast, and what is rewritten. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/replay/replay_words.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/cases.h"
#include "fixtures/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int
source_read(const char *text, char *to, size_t size, struct err *e)
{
	struct replay_source s;

	if (replay_words_source(text, 1, &s, e) != 0)
		return -e->code;
	snprintf(to, size, "[%s]%s%s", s.path, s.truncated ? " truncated" : "",
		s.skip ? " skip" : "");
	return 0;
}

static int
rate_read(const char *text, char *to, size_t size, struct err *e)
{
	struct replay_rate r;

	if (replay_words_rate(text, &r, e) != 0)
		return -e->code;
	if (r.recorded)
		snprintf(to, size, "%gx", r.speed);
	else
		snprintf(to, size, "%g of %d", r.rate.value, (int)r.rate.unit);
	return 0;
}

static size_t
prefix_print(const char *name, const struct replay_prefix *p, int family, char *to, size_t size)
{
	char address[INET6_ADDRSTRLEN];

	if (p->depth == 0)
		return 0;
	inet_ntop(family, p->bytes, address, sizeof(address));
	return (size_t)snprintf(to, size, " %s %s/%u", name, address, p->depth);
}

static int
rewrite_read(const char *text, char *to, size_t size, struct err *e)
{
	static const char *const ends[] = { [REPLAY_SRC] = "src", [REPLAY_DST] = "dst" };
	struct replay_rewrite r;
	int32_t absent;
	size_t n;

	if (replay_words_rewrite(text, 1, &r, &absent, e) != 0)
		return -e->code;
	n = (size_t)snprintf(to, size, r.mac ? "mac" : "none");
	for (unsigned int i = 0; i < REPLAY_ENDS; i++) {
		n += prefix_print(ends[i], &r.v4[i], AF_INET, to + n, size - n);
		n += prefix_print(ends[i], &r.v6[i], AF_INET6, to + n, size - n);
	}
	return 0;
}

CASES("engines/replay/replay_words", { "source", source_read }, { "rate", rate_read },
	{ "rewrite", rewrite_read, true })

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

/* Without EAL no port exists: the first one that the words name is reported, for whatever port. */
static const struct {
	const char *words; /* after a file's name, and as a rewrite */
	int32_t absent;
} ports[] = {
	{ "", -1 },
	{ " port 7 none", 7 },
	{ " port 0 none port 3 none", 0 },
};

TEST(absent_ports)
{
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++)
		for (unsigned int port = 0; port < 8; port += 7) {
			struct replay_source source;
			struct replay_rewrite r;
			char text[64];
			int32_t absent = 0;
			struct err e;

			err_clear(&e);
			snprintf(text, sizeof(text), "none%s", ports[i].words);
			assert_int_equal(replay_words_source(text, port, &source, &e), 0);
			assert_int_equal(source.absent, ports[i].absent);
			assert_int_equal(replay_words_rewrite(text, port, &r, &absent, &e), 0);
			assert_int_equal(absent, ports[i].absent);
		}
}
