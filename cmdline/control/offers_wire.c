/* The words that may follow a line, as JSON: written by the program, read by zcfwd attach. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/control/offers_wire.h"

#include "base/base.h"
#include "base/err.h"
#include "base/json_read.h"
#include "base/out_json.h"
#include "cmdline/grammar/offers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HELP_BYTES 1024 /* of a member: a byte that is no UTF-8 was replaced by three */

static void
text_json(struct json *to, const char *key, const char *text)
{
	out_json_str(to, key, text, strlen(text));
}

void
offers_wire_write(const struct offers *o, bool filter, const struct err *why, struct json *to)
{
	text_json(to, "prefix", o->prefix);
	out_json_u64(to, "column", o->prefix_at + 1);
	out_json_bool(to, "complete", o->complete);
	out_json_bool(to, "quoted", o->quoted);
	out_json_bool(to, "literal", o->literal);
	out_json_bool(to, "filter", filter);
	if (why->code != 0)
		text_json(to, "why", why->text);
	out_json_enter(to, "words", true);
	for (size_t i = 0; i < o->n; i++) {
		const struct offers_item *item = &o->items[i];

		out_json_enter(to, NULL, false);
		text_json(to, "word", item->word);
		text_json(to, "help", item->help);
		text_json(to, "topic", item->topic);
		out_json_bool(to, "final", item->final);
		out_json_bool(to, "hint", item->hint);
		out_json_leave(to);
	}
	out_json_leave(to);
}

struct word {
	char word[HELP_BYTES], help[HELP_BYTES], topic[HELP_BYTES];
	bool final, hint;
};

static int
word_member_read(struct json_read *j, const char *key, void *ctx, struct err *e)
{
	struct word *w = ctx;
	const struct {
		const char *key;
		char *to;
	} texts[] = { { "word", w->word }, { "help", w->help }, { "topic", w->topic } };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (strcmp(key, texts[i].key) == 0)
			return json_read_string(j, texts[i].to, HELP_BYTES, e);
	return json_read_bool(j, strcmp(key, "hint") == 0 ? &w->hint : &w->final, e);
}

static int
word_read(struct json_read *j, struct offers *o, struct err *e)
{
	struct word w = { .topic = "" };
	const int ret = json_read_object(j, word_member_read, &w, e);

	if (ret != 0)
		return ret;
	o->topic = w.topic;
	if (w.hint)
		offers_hint(o, w.word, w.help);
	else
		offer(o, w.word, w.help, w.final);
	o->topic = NULL;
	return 0;
}

static int
words_read(struct json_read *j, struct offers *o, struct err *e)
{
	int ret = json_read_begin(j, '[', e);

	while (ret == 0 && (ret = json_read_more(j, ']', e)) == 1)
		ret = word_read(j, o, e);
	return ret;
}

/* What is read of an answer. */
struct wire {
	struct offers *offers;
	bool filter;
	struct err *why;
};

static int
member_read(struct json_read *j, const char *key, void *ctx, struct err *e)
{
	struct wire *w = ctx;
	struct offers *o = w->offers;
	const struct {
		const char *key;
		bool *to;
	} flags[] = { { "complete", &o->complete }, { "quoted", &o->quoted },
		{ "literal", &o->literal }, { "filter", &w->filter } };
	double column;
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (strcmp(key, flags[i].key) == 0)
			return json_read_bool(j, flags[i].to, e);
	if (strcmp(key, "prefix") == 0)
		return json_read_string(j, o->prefix, sizeof(o->prefix), e);
	if (strcmp(key, "words") == 0)
		return words_read(j, o, e);
	if (strcmp(key, "why") == 0) {
		w->why->code = EINVAL;
		return json_read_string(j, w->why->text, sizeof(w->why->text), e);
	}
	ret = json_read_number(j, &column, e);
	if (ret == 0 && column >= 1 && column <= LINE_BYTES)
		o->prefix_at = (size_t)column - 1;
	return ret;
}

int
offers_wire_read(struct json_read *j, struct offers *o, bool *filter, struct err *why,
	struct err *e)
{
	struct wire w = { .offers = o, .why = why };
	int ret;

	*o = (struct offers){ .topic = NULL };
	ret = json_read_object(j, member_read, &w, e);
	*filter = w.filter;
	return ret;
}
