/* Parses the settings of the engine replay: files, rate, and what is rewritten. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/replay/replay_words.h"

#include "base/base.h"
#include "base/err.h"
#include "base/text.h"
#include "route/routes.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPEED_MIN 1e-6
#define SPEED_MAX 1e6

struct reader {
	const char *at;
	char word[PATH_MAX];
	bool quoted;
	int32_t absent; /* as in struct replay_source */
};

/* Read the next word, or a text in quotes. Returns 1; 0: there is none left; -EINVAL. */
static int
word_next(struct reader *r, struct err *e)
{
	const char *end;
	size_t n;

	r->at += strspn(r->at, " \t");
	r->quoted = *r->at == '"';
	if (r->quoted) {
		end = strchr(++r->at, '"');
		if (end == NULL)
			return err_set(e, EINVAL, "\"%.40s: expected a closing quote", r->at);
	} else {
		end = r->at + strcspn(r->at, " \t");
	}
	n = (size_t)(end - r->at);
	if (n >= sizeof(r->word))
		return err_set(e, EINVAL, "\"%.40s...\": expected at most %zu characters", r->at,
			sizeof(r->word) - 1);
	memcpy(r->word, r->at, n);
	r->word[n] = '\0';
	r->at = end + r->quoted;
	return n > 0 || r->quoted;
}

static bool
is(const struct reader *r, const char *word)
{
	return !r->quoted && strcmp(r->word, word) == 0;
}

/* Read the number after "port". Returns whether it is that one, or -EINVAL. */
static int
port_next(struct reader *r, unsigned int port, struct err *e)
{
	unsigned long number;
	char *end;
	int ret = word_next(r, e);

	if (ret < 0)
		return ret;
	if (ret == 0)
		return err_set(e, EINVAL, "port: incomplete: expected its number");
	number = strtoul(r->word, &end, 10);
	if (r->word[0] < '0' || r->word[0] > '9' || *end != '\0' || number > UINT16_MAX)
		return err_set(e, EINVAL, "port \"%.40s\": expected 0..%u", r->word, UINT16_MAX);
	if (r->absent < 0 && !rte_eth_dev_is_valid_port((uint16_t)number))
		r->absent = (int32_t)number;
	return number == port;
}

int
replay_words_source(const char *text, unsigned int port, struct replay_source *to, struct err *e)
{
	struct reader r = { .at = text, .absent = -1 };
	struct replay_source other;
	bool own = true, named = false, after_port = false;
	int ret;

	*to = (struct replay_source){ 0 };
	while ((ret = word_next(&r, e)) > 0) {
		struct replay_source *at = own ? to : &other;

		if (is(&r, "port")) {
			if (after_port && !named)
				break;
			ret = port_next(&r, port, e);
			if (ret < 0)
				return ret;
			own = ret != 0;
			named = false;
			after_port = true;
		} else if (!named && !is(&r, "truncated") && !is(&r, "skip")) {
			if (r.word[0] == '\0')
				return err_set(e, EINVAL, "\"\": expected a file");
			if (is(&r, "none"))
				at->path[0] = '\0';
			else
				memcpy(at->path, r.word, strlen(r.word) + 1);
			at->truncated = at->skip = false;
			named = true;
		} else if (named && is(&r, "truncated")) {
			at->truncated = true;
		} else if (named && is(&r, "skip")) {
			at->skip = true;
		} else if (named && strcmp(at->path, "file") == 0) {
			return err_set(e, EINVAL, "\"file\": expected the path alone: %.80s",
				r.word);
		} else {
			return err_set(e, EINVAL, "unexpected argument \"%.80s\": expected %s",
				r.word,
				named ? "truncated, skip or port N FILE" : "a file, or none");
		}
	}
	to->absent = r.absent;
	if (ret >= 0 && after_port && !named)
		return err_set(e, EINVAL, "port: incomplete: expected a file after its number");
	return ret < 0 ? ret : 0;
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
prefix_next(struct reader *r, const char *keyword, unsigned int which, struct replay_rewrite *to,
	struct err *e)
{
	struct replay_prefix *prefix;
	struct route parsed;
	int ret = word_next(r, e);

	if (ret < 0)
		return ret;
	if (ret == 0)
		return err_set(e, EINVAL,
			"%s: incomplete: expected a prefix such as 10.0.0.0/8 or 2001:db8::/32",
			keyword);
	if (routes_prefix(&parsed, r->word, e) != 0)
		return err_context(e, "%s", keyword);
	prefix = parsed.v6 ? &to->v6[which] : &to->v4[which];
	memcpy(prefix->bytes, parsed.addr, sizeof(prefix->bytes));
	prefix->depth = parsed.depth;
	return 0;
}

int
replay_words_rewrite(const char *text, unsigned int port, struct replay_rewrite *to, struct err *e)
{
	struct reader r = { .at = text };
	struct replay_rewrite other = { 0 };
	bool own = true;
	int ret;

	*to = (struct replay_rewrite){ 0 };
	while ((ret = word_next(&r, e)) > 0) {
		struct replay_rewrite *at = own ? to : &other;

		if (is(&r, "port")) {
			ret = port_next(&r, port, e);
			own = ret > 0;
		} else if (is(&r, "none")) {
			*at = (struct replay_rewrite){ 0 };
		} else if (is(&r, "mac")) {
			at->mac = true;
		} else if (is(&r, "src")) {
			ret = prefix_next(&r, "src", REPLAY_SRC, at, e);
		} else if (is(&r, "dst")) {
			ret = prefix_next(&r, "dst", REPLAY_DST, at, e);
		} else {
			ret = err_set(e, EINVAL,
				"unknown word \"%.80s\": expected none, mac, src PREFIX, dst PREFIX or port N",
				r.word);
		}
		if (ret < 0)
			return ret;
	}
	return ret;
}
