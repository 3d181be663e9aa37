/* Parses the settings of the engine replay: files, rate, and what is rewritten. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/replay/replay_words.h"

#include "base/base.h"
#include "base/err.h"
#include "base/text.h"
#include "cmdline/grammar/words.h"
#include "route/routes.h"

#include <rte_ethdev.h>

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SPEED_MIN 1e-6
#define SPEED_MAX 1e6

static_assert(LINE_BYTES <= PATH_MAX, "a word is a path");

/* Read a file's name, or none. */
static int
file_read(struct words *r, struct replay_source *to, struct err *e)
{
	static const char *const keywords[] = { "port", "truncated", "skip" };

	words_file(r);
	to->path[0] = '\0';
	to->truncated = to->skip = false;
	if (words_is(r, "none", "no packets"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (!r->quoted && strcmp(r->word, keywords[i]) == 0)
			return words_fail(r, EINVAL, NULL, e);
	if (r->word[0] == '\0')
		return words_fail(r, EINVAL, r->n > 0 ? "the file name is empty" : NULL, e);
	strcpy(to->path, r->word);
	words_next(r);
	return 0;
}

int
replay_words_source_read(struct words *r, unsigned int port, struct replay_source *to,
	struct err *e)
{
	struct words_port p = { .own = port, .exists = rte_eth_dev_is_valid_port, .absent = -1 };
	struct replay_source other, *at = to;
	bool named = false, after_port = false;
	char wrong[128];
	int ret;

	*to = (struct replay_source){ .path = "" };
	for (;;) {
		if (named && words_is(r, "truncated", "send the captured part of longer packets")) {
			at->truncated = true;
		} else if (named && words_is(r, "skip", "leave out packets that cannot be sent")) {
			at->skip = true;
		} else if ((named || !after_port) && (ret = words_port(r, &p, e)) != 0) {
			if (ret < 0)
				return ret;
			at = p.other ? &other : to;
			named = false;
			after_port = true;
		} else if (!named && (r->n > 0 || after_port)) {
			if (file_read(r, at, e) != 0)
				return -e->code;
			named = true;
		} else if (r->n > 0) {
			snprintf(wrong, sizeof(wrong), "\"file\": expected the path alone: %.80s",
				r->word);
			return words_fail(r, EINVAL, strcmp(at->path, "file") == 0 ? wrong : NULL,
				e);
		} else {
			break;
		}
	}
	to->absent = p.absent;
	if (!named) {
		words_may(r, "none", "no packets");
		words_file(r);
	}
	return 0;
}

int
replay_words_source(const char *text, unsigned int port, struct replay_source *to, struct err *e)
{
	struct words r;
	int ret;

	words_open(&r, text, 0, NULL);
	ret = replay_words_source_read(&r, port, to, e);
	words_close(&r);
	return ret;
}

int
replay_words_rate(const char *text, struct replay_rate *to, struct err *e)
{
	const char *unit;
	double number;

	*to = (struct replay_rate){ .recorded = true, .speed = 1 };
	if (strcmp(text, "recorded") == 0)
		return 0;
	if (text_amount(text, &number, &unit) && strcmp(unit, "x") == 0) {
		if (number < SPEED_MIN || number > SPEED_MAX)
			return err_set(e, ERANGE, "rate \"%s\": expected 0.000001x to 1000000x",
				text);
		to->speed = number;
		return 0;
	}
	to->recorded = false;
	if (pace_rate_parse(text, &to->rate, e) == 0)
		return 0;
	return e->code == ERANGE
		? -e->code
		: err_set(e, EINVAL,
			  "rate \"%s\": expected recorded, Nx, max, or a number with pps, kpps, Mpps, bps, kbps, Mbps, Gbps or %%",
			  text);
}

/* Read the prefix after "src" or "dst". */
static int
prefix_read(struct words *r, unsigned int which, struct replay_rewrite *to, struct err *e)
{
	struct replay_prefix *prefix;
	struct route parsed;

	if (routes_prefix(r, &parsed, e) != 0)
		return -e->code;
	prefix = parsed.v6 ? &to->v6[which] : &to->v4[which];
	memcpy(prefix->bytes, parsed.addr, sizeof(prefix->bytes));
	prefix->depth = parsed.depth;
	return 0;
}

int
replay_words_rewrite_read(struct words *r, unsigned int port, struct replay_rewrite *to,
	int32_t *absent, struct err *e)
{
	struct words_port p = { .own = port, .exists = rte_eth_dev_is_valid_port, .absent = -1 };
	struct replay_rewrite other = { 0 };
	int ret = 0;

	*to = (struct replay_rewrite){ 0 };
	while (ret >= 0) {
		struct replay_rewrite *at = p.other ? &other : to;

		if (words_is(r, "none", "replace nothing"))
			*at = (struct replay_rewrite){ 0 };
		else if (words_is(r, "mac", "MAC addresses: those of the port and its peer"))
			at->mac = true;
		else if (words_is(r, "src", "first bits of source addresses"))
			ret = prefix_read(r, REPLAY_SRC, at, e);
		else if (words_is(r, "dst", "first bits of destination addresses"))
			ret = prefix_read(r, REPLAY_DST, at, e);
		else {
			ret = words_port(r, &p, e);
			if (ret == 0)
				break;
		}
	}
	*absent = p.absent;
	return ret == 0 && r->n > 0 ? words_fail(r, EINVAL, NULL, e) : ret;
}

int
replay_words_rewrite(const char *text, unsigned int port, struct replay_rewrite *to,
	int32_t *absent, struct err *e)
{
	struct words r;
	int ret;

	words_open(&r, text, 0, NULL);
	ret = replay_words_rewrite_read(&r, port, to, absent, e);
	words_close(&r);
	return ret;
}
