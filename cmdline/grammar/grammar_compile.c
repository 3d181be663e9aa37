/* Compiles a row of syntax, as struct cmd_row describes it, into rules that a line is matched with. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "cmdline/grammar/grammar_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS_MAX 8 /* of one row: each doubles its rules */

/* A row being compiled. */
struct compile {
	const struct grammar *g;
	struct rule *rule;
	char *at;                /* next character */
	char **choice;           /* next free choice */
	unsigned int depth;      /* optional tails open */
	unsigned int depth_seen; /* that have been opened */
	bool pending;            /* a "[" stands before the next element */
	bool closed;             /* a "]" was seen: only another tail may follow */
};

/* Fail with the row named. */
static int
row_err(const struct compile *c, struct err *e, const char *what)
{
	return err_set(e, EINVAL, "command row \"%s\", column %zu: %s", c->rule->row->syntax,
		(size_t)(c->at - c->rule->text) + 1, what);
}

/* Characters of keywords and names. */
static size_t
name_bytes(const char *s)
{
	return strcspn(s, " []<>()|:\t\n");
}

/* Cut "a|b|c" that ends before end into choices. */
static int
compile_choices(struct compile *c, struct elem *elem, char *text, char *end, struct err *e)
{
	elem->choices = c->choice;
	*end = '\0';
	for (;;) {
		size_t n = strcspn(text, "|");

		if (n == 0 || (strspn(text, ">") < n && strcspn(text, " []<>()\t\n\"#") < n))
			return row_err(c, e, "a keyword is empty or has an invalid character");
		*c->choice++ = text;
		elem->n_choices++;
		if (text[n] == '\0')
			return 0;
		text[n] = '\0';
		text += n + 1;
	}
}

/* True when the row has an argument of that name among the elements before elem. */
static bool
name_taken(const struct rule *r, const struct elem *elem)
{
	const struct elem *other;

	for (other = r->elems; other < elem; other++)
		if (other->name != NULL && strcmp(other->name, elem->name) == 0)
			return true;
	return false;
}

/* <name:type params> with c->at on the "<". */
static int
compile_argument(struct compile *c, struct elem *elem, struct err *e)
{
	char *name = c->at + 1, *type, *end = strchr(name, '>');
	size_t type_n;

	if (end == NULL)
		return row_err(c, e, "\"<\" without \">\"");
	type = name + name_bytes(name);
	if (*type != ':' || type == name)
		return row_err(c, e, "expected <name:type>");
	*type++ = '\0';
	*end = '\0';
	type_n = strcspn(type, " ");
	elem->name = name;
	elem->params = type[type_n] == ' ' ? type + type_n + 1 : type + type_n;
	if (name_taken(c->rule, elem))
		return row_err(c, e, "two arguments have this name");
	elem->exact = type_n == strlen("choice") && memcmp(type, "choice", type_n) == 0;
	if (elem->exact || (type_n == strlen("word") && memcmp(type, "word", type_n) == 0)) {
		if (compile_choices(c, elem, type + type_n + (type[type_n] == ' '), end, e) < 0)
			return -EINVAL;
	} else {
		elem->type = grammar_type(c->g, type, type_n);
		if (elem->type == NULL)
			return row_err(c, e, "no such type of argument");
		if (!grammar_type_params_ok(elem->type, elem->params))
			return row_err(c, e, "invalid parameters of the type");
	}
	c->at = end + 1;
	return 0;
}

/* keyword, (one|several), <argument> with c->at on its first character. */
static int
compile_element(struct compile *c, struct err *e)
{
	struct elem *elem = &c->rule->elems[c->rule->n];
	char *end, after;
	int ret;

	if (c->rule->n == GRAMMAR_WORDS_MAX)
		return row_err(c, e, "too many words");
	if (c->rule->n > 0 && elem[-1].type != NULL && grammar_type_is_rest(elem[-1].type))
		return row_err(c, e, "nothing may follow the rest of the line");
	if (c->closed && !c->pending)
		return row_err(c, e, "only another optional tail may follow an optional one");
	elem->may_end = c->pending;
	elem->optional = c->depth_seen > 0;
	c->pending = false;
	c->closed = false;
	c->rule->n++;
	if (*c->at == '<')
		return compile_argument(c, elem, e);
	if (*c->at == '(') {
		end = strchr(c->at, ')');
		if (end == NULL)
			return row_err(c, e, "\"(\" without \")\"");
		ret = compile_choices(c, elem, c->at + 1, end, e);
		c->at = end + 1;
		return ret;
	}
	end = c->at + strcspn(c->at, " ]");
	after = *end;
	if (memchr(c->at, '|', (size_t)(end - c->at)) != NULL)
		return row_err(c, e, "put several keywords in parentheses");
	ret = compile_choices(c, elem, c->at, end, e);
	*end = after;
	c->at = end;
	return ret;
}

/* Elements that struct args may have to hold. */
static unsigned int
arguments(const struct rule *r)
{
	unsigned int i, n = 0;

	for (i = 0; i < r->n; i++)
		n += r->elems[i].name != NULL || r->elems[i].optional || r->elems[i].n_choices > 1;
	return n;
}

/*
 * A keyword's end may be the "]" behind it, which must survive until it is read: keywords get their
 * NUL when the character behind them has been read.
 */
static int
compile_row(struct compile *c, struct err *e)
{
	char *cut;

	for (;;) {
		for (; *c->at == '['; c->at++) {
			if (c->pending || c->rule->n == 0)
				return row_err(c, e,
					"\"[\" without an element before and behind it");
			c->pending = true;
			c->depth++;
			c->depth_seen++;
		}
		if (compile_element(c, e) < 0)
			return -EINVAL;
		cut = c->at;
		for (; *c->at == ']'; c->at++) {
			if (c->depth-- == 0)
				return row_err(c, e, "\"]\" without \"[\"");
			c->closed = true;
		}
		if (*c->at == '\0')
			break;
		if (*c->at != ' ')
			return row_err(c, e, "expected one space between words");
		c->at++;
		*cut = '\0';
	}
	*cut = '\0';
	if (c->depth > 0)
		return row_err(c, e, "\"[\" without \"]\"");
	if (arguments(c->rule) > ARGS_MAX)
		return row_err(c, e, "too many arguments");
	if (c->rule->elems[0].name != NULL)
		return row_err(c, e, "a row begins with a keyword");
	return 0;
}

unsigned int
grammar_compile_rules(const char *syntax)
{
	unsigned int groups = 0;

	for (; syntax != NULL && *syntax != '\0' && groups < GROUPS_MAX; syntax++)
		groups += *syntax == '{';
	return 1u << groups;
}

/* The syntax with those groups that with has a bit for, and without the others; NULL: no memory. */
static char *
with_groups(const char *syntax, unsigned int with)
{
	char *text = strdup(syntax), *to = text;
	bool left_out = false;

	for (; text != NULL && *syntax != '\0'; syntax++) {
		if (*syntax == '{') {
			left_out = (with & 1) == 0;
			with >>= 1;
			to -= left_out && to > text; /* the space before it */
		} else if (*syntax == '}') {
			left_out = false;
		} else if (!left_out) {
			*to++ = *syntax;
		}
	}
	if (text != NULL)
		*to = '\0';
	return text;
}

int
grammar_compile(struct rule *rule, const struct grammar *g, const struct cmd_table *table,
	const struct cmd_row *row, unsigned int with, struct err *e)
{
	struct compile c = { .g = g, .rule = rule };
	const char *syntax = row->syntax;
	size_t choices = 1;

	if (syntax == NULL || row->run == NULL || row->help == NULL)
		return err_set(e, EINVAL,
			"command row \"%s\" of topic %s: a row needs a syntax, a handler and a help line",
			syntax != NULL ? syntax : "", table->topic);
	rule->table = table;
	rule->row = row;
	for (; *syntax != '\0'; syntax++)
		choices += *syntax == '|' || *syntax == ' ';
	rule->text = with_groups(row->syntax, with);
	rule->choices = calloc(choices, sizeof(*rule->choices));
	if (rule->text == NULL || rule->choices == NULL)
		return err_set(e, ENOMEM, "no memory for the commands");
	c.at = rule->text;
	c.choice = rule->choices;
	return compile_row(&c, e);
}
