/* The store of settings: each file registers a table of rows, and a value is checked against its
 * row before it is stored. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/setting.h"

#include "base/err.h"
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct value {
	const struct setting *row;
	const char *heading; /* of its table */
	uint64_t number;
	char *text;                             /* SETTING_TEXT only */
	int (*apply)(void *ctx, struct err *e); /* NULL: nothing to do */
	void *ctx;
	/* stored by settings_keep() */
	bool kept;
	uint64_t kept_number;
	char *kept_text; /* SETTING_TEXT only */
	/* stored by settings_begin() */
	bool begun;
	uint64_t begun_number;
	char *begun_text; /* SETTING_TEXT only */
};

static const char *const switch_words[] = { "off", "on", NULL };

struct settings {
	struct value *values;
	size_t n;
	pthread_mutex_t lock; /* held to change a value, and by setting_copy() */
	void (*changed)(void *ctx, const char *name); /* NULL: none */
	void *ctx;
};

struct settings *
settings_new(void)
{
	struct settings *s = calloc(1, sizeof(*s));

	if (s != NULL)
		pthread_mutex_init(&s->lock, NULL);
	return s;
}

void
settings_free(struct settings *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < s->n; i++) {
		free(s->values[i].text);
		free(s->values[i].kept_text);
		free(s->values[i].begun_text);
	}
	free(s->values);
	free(s);
}

void
settings_watch(struct settings *s, void (*changed)(void *ctx, const char *name), void *ctx)
{
	s->changed = changed;
	s->ctx = ctx;
}

const char *
setting_words(const struct setting *row)
{
	return row->words == NULL ? row->name : row->words[0] != '\0' ? row->words : NULL;
}

const char *
setting_option(const struct setting *row)
{
	return row->option == NULL ? row->name : row->option[0] != '\0' ? row->option : NULL;
}

static struct value *
value_find(const struct settings *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (strcmp(s->values[i].row->name, name) == 0)
			return &s->values[i];
	return NULL;
}

int
settings_add(struct settings *s, const struct setting_table *t, struct err *e)
{
	struct value *more = realloc(s->values, (s->n + t->n) * sizeof(*more));

	if (more == NULL && s->n + t->n > 0)
		return err_set(e, ENOMEM, "settings: no memory for %zu rows", s->n + t->n);
	s->values = more;
	for (size_t i = 0; i < t->n; i++) {
		const struct setting *row = &t->rows[i];
		struct value *v = &s->values[s->n];

		if (value_find(s, row->name) != NULL)
			return err_set(e, EEXIST, "setting %s: the name is taken", row->name);
		*v = (struct value){ .row = row, .heading = t->heading, .number = row->value };
		if (row->kind == SETTING_TEXT) {
			v->text = strdup(row->text != NULL ? row->text : "");
			if (v->text == NULL)
				return err_set(e, ENOMEM, "setting %s: no memory", row->name);
		}
		s->n++;
	}
	return 0;
}

const struct setting *
setting_find(const struct settings *s, const char *name)
{
	const struct value *v = value_find(s, name);

	return v != NULL ? v->row : NULL;
}

const struct setting *
setting_at(const struct settings *s, size_t i)
{
	return i < s->n ? s->values[i].row : NULL;
}

const char *
setting_heading(const struct settings *s, size_t i)
{
	return s->values[i].heading;
}

void
setting_apply_by(struct settings *s, const char *name, int (*apply)(void *ctx, struct err *e),
	void *ctx)
{
	struct value *v = value_find(s, name);

	assert(v != NULL);
	v->apply = apply;
	v->ctx = ctx;
}

bool
setting_waits(const struct settings *s, const char *name)
{
	const struct value *v = value_find(s, name);

	assert(v != NULL);
	return v->row->when == SETTING_START && v->apply == NULL;
}

void
settings_keep(struct settings *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct value *v = &s->values[i];
		char *text = v->text != NULL ? strdup(v->text) : NULL, *before = v->kept_text;

		pthread_mutex_lock(&s->lock);
		v->kept = v->text == NULL || text != NULL;
		v->kept_number = v->number;
		v->kept_text = text;
		pthread_mutex_unlock(&s->lock);
		free(before);
	}
}

void
settings_begin(struct settings *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct value *v = &s->values[i];

		free(v->begun_text);
		v->begun_number = v->number;
		v->begun_text = v->text != NULL ? strdup(v->text) : NULL;
		v->begun = v->text == NULL || v->begun_text != NULL;
	}
}

bool
setting_begun(const struct settings *s, const char *name)
{
	const struct value *v = value_find(s, name);

	assert(v != NULL);
	return v->begun && v->number == v->begun_number &&
		(v->text == NULL || strcmp(v->text, v->begun_text) == 0);
}

static void
keep(struct settings *s, struct value *v, uint64_t number, char *text)
{
	pthread_mutex_lock(&s->lock);
	v->number = number;
	v->text = text;
	pthread_mutex_unlock(&s->lock);
}

/* Store a number, or a text that the value owns from now on, and apply it. */
static int
give(struct settings *s, struct value *v, uint64_t number, char *text, struct err *e)
{
	uint64_t number_before = v->number;
	char *text_before = v->text;
	int ret;

	keep(s, v, number, text);
	ret = v->apply != NULL ? v->apply(v->ctx, e) : 0;
	if (ret != 0)
		keep(s, v, number_before, text_before);
	else if (s->changed != NULL)
		s->changed(s->ctx, v->row->name);
	free(ret != 0 ? text : text_before);
	return ret;
}

/* Return the index of word among the choices, or -1. */
static int
choice_find(const char *const *choices, const char *word)
{
	int i;

	for (i = 0; choices[i] != NULL; i++)
		if (strcmp(choices[i], word) == 0)
			return i;
	return -1;
}

void
setting_choices_add(struct text *t, const struct setting *row)
{
	size_t i;

	for (i = 0; row->choices[i] != NULL; i++)
		text_add(t, "%s%s", i > 0 ? "|" : "", row->choices[i]);
}

static int
choice_err(const struct setting *row, const char *word, struct err *e)
{
	struct text choices = { 0 };
	int ret;

	setting_choices_add(&choices, row);
	ret = err_set(e, EINVAL, "%s \"%s\": expected one of %s", row->name, word, choices.bytes);
	free(choices.bytes);
	return ret;
}

static int
uint_parse(const struct setting *row, const char *word, uint64_t *number, struct err *e)
{
	const char *space = row->unit != NULL ? " " : "",
		   *unit = row->unit != NULL ? row->unit : "";
	char *end = NULL;

	errno = 0;
	*number = strtoull(word, &end, 0);
	if ((word[0] < '0' || word[0] > '9' || *end != '\0') && !text_quantity(word, unit, number))
		return err_set(e, EINVAL,
			"%s \"%s\": expected a number, %" PRIu64 "..%" PRIu64 "%s%s", row->name,
			word, row->min, row->max, space, unit);
	if (errno == ERANGE || *number < row->min || *number > row->max)
		return err_set(e, ERANGE, "%s %s: expected %" PRIu64 "..%" PRIu64 "%s%s%s%s",
			row->name, word, row->min, row->max, space, unit,
			row->limit != NULL ? ", " : "", row->limit != NULL ? row->limit : "");
	return row->check != NULL ? row->check(word, e) : 0;
}

static int
word_parse(const struct setting *row, const char *word, uint64_t *number, struct err *e)
{
	int choice;

	switch (row->kind) {
	case SETTING_UINT: return uint_parse(row, word, number, e);
	case SETTING_BOOL:
		choice = choice_find(switch_words, word);
		if (choice < 0)
			return err_set(e, EINVAL, "%s \"%s\": expected on or off", row->name, word);
		*number = (uint64_t)choice;
		return 0;
	case SETTING_CHOICE:
		choice = choice_find(row->choices, word);
		if (choice < 0 && row->unit != NULL && text_quantity(word, row->unit, number)) {
			char plain[24];

			snprintf(plain, sizeof(plain), "%" PRIu64, *number);
			choice = choice_find(row->choices, plain);
		}
		if (choice < 0)
			return choice_err(row, word, e);
		*number = (uint64_t)choice;
		return 0;
	case SETTING_TEXT: break;
	}
	return row->check != NULL ? row->check(word, e) : 0;
}

int
setting_check(const struct settings *s, const char *name, const char *word, struct err *e)
{
	const struct setting *row = setting_find(s, name);
	uint64_t number;

	if (row == NULL)
		return err_set(e, ENOENT, "unknown setting \"%s\"", name);
	return word_parse(row, word, &number, e);
}

int
setting_parse(struct settings *s, const char *name, const char *word, struct err *e)
{
	struct value *v = value_find(s, name);
	uint64_t number = 0;
	char *text;
	int ret;

	if (v == NULL)
		return err_set(e, ENOENT, "unknown setting \"%s\"", name);
	ret = word_parse(v->row, word, &number, e);
	if (ret != 0)
		return ret;
	if (v->row->kind != SETTING_TEXT)
		return give(s, v, number, NULL, e);
	text = strdup(word);
	if (text == NULL)
		return err_set(e, ENOMEM, "setting %s: no memory", name);
	return give(s, v, 0, text, e);
}

int
setting_set(struct settings *s, const char *name, uint64_t number, struct err *e)
{
	struct value *v = value_find(s, name);
	char word[24];

	assert(v != NULL && v->row->kind != SETTING_TEXT);
	if (v->row->kind != SETTING_UINT)
		return give(s, v, number, NULL, e);
	snprintf(word, sizeof(word), "%" PRIu64, number);
	return setting_parse(s, name, word, e);
}

uint64_t
setting_u64(const struct settings *s, const char *name)
{
	const struct value *v = value_find(s, name);

	assert(v != NULL && v->row->kind != SETTING_TEXT);
	return v->number;
}

bool
setting_on(const struct settings *s, const char *name)
{
	return setting_u64(s, name) != 0;
}

const char *
setting_text(const struct settings *s, const char *name)
{
	const struct value *v = value_find(s, name);

	assert(v != NULL && v->row->kind == SETTING_TEXT);
	return v->text;
}

static const char *
value_word(const struct value *v, char *buf, size_t bytes)
{
	switch (v->row->kind) {
	case SETTING_UINT: snprintf(buf, bytes, "%" PRIu64, v->number); return buf;
	case SETTING_BOOL: return switch_words[v->number];
	case SETTING_CHOICE: return v->row->choices[v->number];
	case SETTING_TEXT: break;
	}
	return v->text;
}

const char *
setting_word(const struct settings *s, const char *name, char *buf, size_t bytes)
{
	const struct value *v = value_find(s, name);

	assert(v != NULL);
	return value_word(v, buf, bytes);
}

int
settings_save(const struct settings *s, const char *const *names, size_t n, char **words,
	struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		char buf[32];

		words[i] = strdup(setting_word(s, names[i], buf, sizeof(buf)));
		if (words[i] != NULL)
			continue;
		while (i > 0)
			free(words[--i]);
		return err_set(e, ENOMEM, "no memory for the value of a setting");
	}
	return 0;
}

int
settings_restore(struct settings *s, const char *const *names, size_t n, char **words,
	struct err *e)
{
	int ret = 0;

	for (size_t i = 0; i < n; i++) {
		struct err why = { 0 };

		if (setting_parse(s, names[i], words[i], &why) != 0) {
			*e = why;
			ret = err_context(e, "cannot restore %s", names[i]);
		}
		free(words[i]);
	}
	return ret;
}

const char *
setting_choice(const struct settings *s, const char *name, uint64_t which)
{
	const struct setting *row = setting_find(s, name);

	assert(row != NULL && row->kind == SETTING_CHOICE);
	return row->choices[which];
}

bool
setting_defaults_to(const struct setting *row, uint64_t number, const char *text)
{
	if (row->kind != SETTING_TEXT)
		return number == row->value;
	return strcmp(text, row->text != NULL ? row->text : "") == 0;
}

bool
setting_is_default(const struct settings *s, const char *name)
{
	const struct value *v = value_find(s, name);

	assert(v != NULL);
	return setting_defaults_to(v->row, v->number, v->text);
}

static const struct setting *
copy(struct settings *s, size_t i, bool of_run, uint64_t *number, char *word, size_t bytes)
{
	struct value v;
	char buf[32];

	if (i >= s->n)
		return NULL;
	pthread_mutex_lock(&s->lock);
	v = s->values[i];
	if (of_run && v.kept && v.row->when != SETTING_NOW) {
		v.number = v.kept_number;
		v.text = v.kept_text;
	}
	*number = v.number;
	snprintf(word, bytes, "%s", value_word(&v, buf, sizeof(buf)));
	pthread_mutex_unlock(&s->lock);
	return s->values[i].row;
}

const struct setting *
setting_copy(struct settings *s, size_t i, uint64_t *number, char *word, size_t bytes)
{
	return copy(s, i, false, number, word, bytes);
}

const struct setting *
setting_of_run(struct settings *s, size_t i, uint64_t *number, char *word, size_t bytes)
{
	return copy(s, i, true, number, word, bytes);
}
