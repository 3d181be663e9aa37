/* Reads the words of named generate streams, and keeps the table of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/lanes.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/text.h"
#include "cmdline/grammar/words.h"
#include "engines/measure/traffic/traffic.h"

#include <rte_ethdev.h>

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of a lane beside those of traffic. */

struct lane_keyword {
	const char *word, *help, *expected;
	int (*read)(struct words *r, struct lane *l, struct err *e);
	bool fixed;  /* cannot change during a run */
	bool renews; /* counts packets and time anew */
};

static int
port_read(struct words *r, struct lane *l, struct err *e)
{
	uint64_t port;

	if (words_number(r, NULL, 0, RTE_MAX_ETHPORTS - 1, &port, e) != 0)
		return -e->code;
	l->port = (uint16_t)port;
	l->has_port = true;
	return 0;
}

/* Fail at the word to be read with what its own reader says about it. */
static int
fail_with(struct words *r, const struct err *why, struct err *e)
{
	if (r->n == 0)
		return words_fail(r, EINVAL, NULL, e);
	offers_free(&r->offers);
	return words_fail(r, why->code, why->text, e);
}

static int
rate_read(struct words *r, struct lane *l, struct err *e)
{
	struct err why;

	words_hint(r, "max, or a number with pps, kpps, Mpps, bps, kbps, Mbps, Gbps or %");
	err_clear(&why);
	if (r->n == 0 || pace_rate_parse(r->word, &l->rate, &why) != 0)
		return fail_with(r, &why, e);
	words_next(r);
	return 0;
}

static int
gaps_read(struct words *r, struct lane *l, struct err *e)
{
	struct err why;

	words_may(r, "even", "equal gaps (default)");
	words_may(r, "poisson", "random gaps");
	words_hint(r, "burst:N");
	words_hint(r, "burst:N:TIME");
	err_clear(&why);
	if (r->n == 0 || pace_gaps_parse(r->word, &l->gaps, &why) != 0)
		return fail_with(r, &why, e);
	words_next(r);
	return 0;
}

static int
count_read(struct words *r, struct lane *l, struct err *e)
{
	return words_number(r, "packets", 0, UINT64_C(1) << 62, &l->count, e);
}

/* Read a time: least or more seconds, or 0. */
static int
time_read(struct words *r, const char *hint, double least, double *to, struct err *e)
{
	const char *unit;
	double number, seconds = -1;

	words_hint(r, hint);
	if (r->n > 0 && text_amount(r->word, &number, &unit))
		seconds = number == 0 ? 0 : text_seconds(number, unit);
	if (seconds < 0 || seconds > 1e6 || (seconds > 0 && seconds < least) ||
		(seconds == 0 && number != 0))
		return words_fail(r, EINVAL, NULL, e);
	*to = seconds;
	words_next(r);
	return 0;
}

static int
duration_read(struct words *r, struct lane *l, struct err *e)
{
	return time_read(r, "a time such as 10s or 500ms, up to 1000000s; 0: no end", 1e-6,
		&l->seconds, e);
}

static int
delay_read(struct words *r, struct lane *l, struct err *e)
{
	return time_read(r, "a time such as 2s or 50us, up to 1000000s; 0: none", 1e-9, &l->delay,
		e);
}

static int
on_off(struct words *r, bool *value, struct err *e)
{
	*value = words_is(r, "on", "");
	return *value || words_is(r, "off", "") ? 0 : words_fail(r, EINVAL, NULL, e);
}

static int
state_read(struct words *r, struct lane *l, struct err *e)
{
	return on_off(r, &l->on, e);
}

static int
latency_read(struct words *r, struct lane *l, struct err *e)
{
	return on_off(r, &l->latency, e);
}

static const char state_word[] = "state";

static const struct lane_keyword keywords[] = {
	{ "port", "the port that sends it; required", "a port", port_read, .fixed = true },
	{ "rate", "packets or bits per second, share of line rate, or max (default)", "a rate",
		rate_read },
	{ "gaps", "times between packets: even, poisson, burst:N or burst:N:TIME", "gaps",
		gaps_read },
	{ "count", "stop after that many packets; 0: no end (default)", "packets", count_read,
		.renews = true },
	{ "duration", "stop after that time; 0: no end (default)", "a time", duration_read,
		.renews = true },
	{ "delay", "time before its first packet (default 0)", "a time", delay_read },
	{ state_word, "on (default) or off; on begins again a stream that has ended", "on or off",
		state_read },
	{ "latency", "measure percentiles of its latency, with engine measure (default off)",
		"on or off", latency_read, .fixed = true },
};

/* Keep the text of a value, which ended in front of the word to be read. ENOMEM. */
static int
value_keep(struct lane *l, const char *word, const struct words *r, size_t from, struct err *e)
{
	size_t n = r->at - from, i = 0;
	char *value;

	while (n > 0 && isspace((unsigned char)r->text[from + n - 1]))
		n--;
	while (i < l->n_words && strcmp(l->words[i].word, word) != 0)
		i++;
	assert(i < LANE_WORDS_MAX);
	value = strndup(r->text + from, n);
	if (value == NULL)
		return err_set(e, ENOMEM, "no memory for a stream's description");
	if (i < l->n_words)
		free(l->words[i].value);
	else
		l->n_words++;
	l->words[i] = (struct lane_word){ word, value };
	return 0;
}

/* Read one of the lane's own words. Returns 1; 0: another word is next. */
static int
own_read(struct lane *l, struct words *r, uint32_t *seen, struct lane_change *change, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++) {
		const struct lane_keyword *k = &keywords[i];
		size_t from;

		if ((*seen & 1u << i) != 0 || !words_is(r, k->word, k->help))
			continue;
		*seen |= 1u << i;
		from = r->at;
		if (k->read(r, l, e) != 0 || value_keep(l, k->word, r, from, e) != 0)
			return -e->code;
		if (k->fixed && change->fixed == NULL)
			change->fixed = k->word;
		change->renews |= k->renews;
		change->wakes |= k->word == state_word && l->on;
		return 1;
	}
	return 0;
}

/* Read one of the words of traffic, without its effect. Returns 1; 0: another word is next. */
static int
traffic_read_word(struct lane *l, struct words *r, uint32_t *seen, struct lane_change *change,
	struct err *e)
{
	const size_t at = r->at, word_bytes = r->n;
	const char *word;
	int ret = traffic_word(&l->traffic, r, seen, &word, e);
	size_t from = at + word_bytes;

	if (ret <= 0)
		return ret;
	while (isspace((unsigned char)r->text[from]))
		from++;
	if (value_keep(l, word, r, from, e) != 0)
		return -e->code;
	if (strcmp(word, "size") != 0 && change->fixed == NULL)
		change->fixed = word;
	return 1;
}

static int
unknown_fail(struct words *r, struct err *e)
{
	char wrong[128];

	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (strcmp(keywords[i].word, r->word) == 0) {
			snprintf(wrong, sizeof(wrong), "%s: given twice: expected once",
				keywords[i].word);
			offers_free(&r->offers);
			return words_fail(r, EINVAL, wrong, e);
		}
	return words_fail(r, EINVAL, NULL, e);
}

int
lanes_read(struct lane *l, struct words *r, struct lane_change *change, struct err *e)
{
	uint32_t seen = 0, seen_traffic = 0;
	int ret;

	*change = (struct lane_change){ 0 };
	/* Those of lists that the lane had: lanes_set() reads all words again. */
	l->traffic.n_values = 0;
	do {
		ret = own_read(l, r, &seen, change, e);
		if (ret == 0)
			ret = traffic_read_word(l, r, &seen_traffic, change, e);
	} while (ret > 0);
	if (ret < 0)
		return ret;
	return r->n > 0 || seen + seen_traffic == 0 ? unknown_fail(r, e) : 0;
}

void
lanes_clear(struct lane *l)
{
	for (unsigned int i = 0; i < l->n_words; i++)
		free(l->words[i].value);
	l->n_words = 0;
}

/* The table. */

static void
lane_free(struct lane *l)
{
	if (l != NULL)
		lanes_clear(l);
	free(l);
}

/* A copy of a lane, or a new one if there is none. NULL: no memory. */
static struct lane *
lane_copy(const struct lane *from, const char *name)
{
	struct lane *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	if (from == NULL) {
		l->on = true;
		l->gaps = (struct pace_shape){ .gaps = PACE_EVEN, .burst = 1 };
		snprintf(l->name, sizeof(l->name), "%s", name);
		return l;
	}
	*l = *from;
	l->n_words = 0;
	for (unsigned int i = 0; i < from->n_words; i++) {
		l->words[i] =
			(struct lane_word){ from->words[i].word, strdup(from->words[i].value) };
		if (l->words[i].value == NULL) {
			lane_free(l);
			return NULL;
		}
		l->n_words++;
	}
	return l;
}

/* text_add() cuts each piece to 319 bytes. */
static void
whole_add(struct text *to, const char *piece)
{
	for (size_t n = strlen(piece), at = 0; at < n; at += 300)
		text_add(to, "%.300s", piece + at);
}

/* Append the words of traffic, or all. */
static void
words_add(const struct lane *l, bool all, struct text *to)
{
	for (unsigned int i = 0; i < l->n_words; i++) {
		bool own = false;

		for (size_t k = 0; k < ARRAY_SIZE(keywords); k++)
			own |= l->words[i].word == keywords[k].word;
		if (own && !all)
			continue;
		text_add(to, "%s%s ", to->n > 0 ? " " : "", l->words[i].word);
		whole_add(to, l->words[i].value);
	}
}

void
lanes_text(const struct lane *l, struct text *to)
{
	words_add(l, true, to);
}

/* Complete the traffic of a lane from its words, and check what depends on several of them. */
static int
lane_finish(struct lane *l, struct err *e)
{
	struct text text = { 0 };
	double pps;
	int ret;

	if (!l->has_port)
		return err_set(e, EINVAL,
			"generate stream %s: new: expected \"port N\" among its words, the port that sends it",
			l->name);
	if (!rte_eth_dev_is_valid_port(l->port))
		return err_set(e, ENODEV,
			"generate stream %s: port %u: no such port: expected one of \"show port summary all\"",
			l->name, l->port);
	words_add(l, false, &text);
	ret = text.cut ? err_set(e, ENOMEM, "no memory for a stream's description")
		       : traffic_parse(&l->traffic, text.bytes != NULL ? text.bytes : "",
				 TRAFFIC_SIZE_DESCRIBED, l->port, e);
	free(text.bytes);
	if (ret != 0)
		return err_context(e, "generate stream %s", l->name);
	if (l->traffic.flows == 0)
		return err_set(e, ERANGE,
			"generate stream %s: flows 0: expected at least 1; \"state off\" stops a stream",
			l->name);
	if (l->delay > 0 && l->rate.unit == PACE_MAX)
		return err_set(e, EINVAL,
			"generate stream %s: delay: expected a rate other than max, too, since packets are not due at any time",
			l->name);
	pps = lane_pps(l, 0);
	if (pps > 0 && (pps < PACE_PPS_MIN || pps > PACE_PPS_MAX))
		return err_set(e, ERANGE,
			"generate stream %s: %g packets/s of %.1f bytes: expected %g to %g packets/s",
			l->name, pps, l->traffic.size_mean, PACE_PPS_MIN, PACE_PPS_MAX);
	return 0;
}

int
lanes_name_check(const char *name, struct err *e)
{
	size_t n = 0;

	while (isalnum((unsigned char)name[n]) || (name[n] != '\0' && strchr("-_.", name[n])))
		n++;
	if (n == 0 || name[n] != '\0' || n >= LANE_NAME_BYTES)
		return err_set(e, EINVAL,
			"stream name \"%.60s\": expected up to %d letters, digits, - _ and .", name,
			LANE_NAME_BYTES - 1);
	if (strcmp(name, "all") == 0)
		return err_set(e, EINVAL,
			"stream name \"all\": expected another one: \"clear generate stream all\" clears all streams");
	return 0;
}

static unsigned int
index_of(const struct lanes *all, const char *name)
{
	unsigned int i = 0;

	while (i < all->n && strcmp(all->lane[i]->name, name) != 0)
		i++;
	return i;
}

struct lane *
lanes_find(const struct lanes *all, const char *name)
{
	const unsigned int i = index_of(all, name);

	return i < all->n ? all->lane[i] : NULL;
}

/* Bring a change to the run that sends the lane; there is none: nothing to do. old: NULL: it is new. */
static int
live_change(struct lanes *all, const struct lane *old, const struct lane *l,
	const struct lane_change *change, struct err *e)
{
	if (all->live == NULL)
		return 0;
	if (old == NULL)
		return err_set(e, EBUSY,
			"generate stream %s: new: Please stop forwarding first; only rate, gaps, size, count, duration, delay and state of a stream may change while it runs",
			l->name);
	if (change->fixed != NULL)
		return err_set(e, EBUSY,
			"generate stream %s: %s: Please stop forwarding first; only rate, gaps, size, count, duration, delay and state may change while it runs",
			l->name, change->fixed);
	return all->change(all, l, change, e);
}

int
lanes_set(struct lanes *all, const char *name, struct words *r, struct err *e)
{
	const unsigned int i = index_of(all, name);
	struct lane *old = i < all->n ? all->lane[i] : NULL, *l;
	struct lane_change change;

	if (lanes_name_check(name, e) != 0)
		return -e->code;
	if (i == LANES_MAX)
		return err_set(e, ENOSPC,
			"generate stream %s: there are %u streams already, the most: use \"clear generate stream NAME\"",
			name, LANES_MAX);
	l = lane_copy(old, name);
	if (l == NULL)
		return err_set(e, ENOMEM, "generate stream %s: no memory", name);
	if (lanes_read(l, r, &change, e) != 0 || lane_finish(l, e) != 0 ||
		live_change(all, old, l, &change, e) != 0) {
		lane_free(l);
		return -e->code;
	}
	lane_free(old);
	if (old == NULL) {
		l->serial = ++all->serials;
		all->n++;
	}
	all->lane[i] = l;
	return 0;
}

int
lanes_delete(struct lanes *all, const char *name, struct err *e)
{
	const unsigned int i = index_of(all, name);

	if (strcmp(name, "all") != 0 && i == all->n)
		return err_set(e, ENOENT,
			"generate stream \"%.60s\": there is none of that name: see \"show generate streams\"",
			name);
	if (all->live != NULL)
		return err_set(e, EBUSY,
			"Please stop forwarding first; \"set generate stream NAME state off\" stops a stream");
	if (strcmp(name, "all") == 0) {
		lanes_close(all);
		return 0;
	}
	lane_free(all->lane[i]);
	memmove(&all->lane[i], &all->lane[i + 1], (--all->n - i) * sizeof(all->lane[0]));
	return 0;
}

void
lanes_close(struct lanes *all)
{
	for (unsigned int i = 0; i < all->n; i++)
		lane_free(all->lane[i]);
	all->n = 0;
}

uint64_t
lanes_save(const struct lanes *all, struct out *to)
{
	for (unsigned int i = 0; i < all->n; i++) {
		struct text text = { 0 };

		lanes_text(all->lane[i], &text);
		out_text(to, "set generate stream %s ", all->lane[i]->name);
		out_text(to, "%s\n", text.bytes != NULL ? text.bytes : "");
		free(text.bytes);
	}
	return all->n;
}
