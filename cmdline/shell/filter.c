/* COMMAND | include WORD, COMMAND > FILE: which lines of an answer are shown, and where it goes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/filter.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/shell/pager.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLANKS " \t\r\n\v\f"

/* What a row stands for, in its data. */
struct stage {
	bool file, append, no_more;
	enum filter_kind kind;
};

static int
run_nothing(struct app *app, const struct args *a, struct err *e)
{
	return 0;
}

#define ROW(syntax, help, ...) \
	{ \
		syntax, run_nothing, help, NULL, &(const struct stage) \
		{ \
			__VA_ARGS__ \
		} \
	}

static const struct cmd_row rows[] = {
	ROW("(include|match|grep) <pattern:text>",
		"show lines that match a regular expression, in upper or lower case",
		.kind = FILTER_INCLUDE),
	ROW("(exclude|except) <pattern:text>", "hide lines that match a regular expression",
		.kind = FILTER_EXCLUDE),
	ROW("(begin|find) <pattern:text>", "show lines from the first match on",
		.kind = FILTER_BEGIN),
	ROW("count", "show the number of lines", .kind = FILTER_COUNT),
	ROW("no-more", "show the answer without the pager", .no_more = true),
	ROW("> <file:file> [overwrite]",
		"write the answer to a file; overwrite: even if the file has content",
		.file = true),
	ROW(">> <file:file>", "append the answer to a file", .file = true, .append = true),
};

static const struct cmd_table table = { "filters", "filters of answers", rows, ARRAY_SIZE(rows) };

struct grammar *
filter_grammar(struct err *e)
{
	static const struct cmd_table *const tables[] = { &table };

	return grammar_new(tables, 1, NULL, 0, NULL, e);
}

/*
 * The next word that begins with "|" or ">" outside of quotes and comments; NULL: none. A word may
 * begin at the first character.
 */
static const char *
separator(const char *at)
{
	for (;;) {
		at += strspn(at, BLANKS);
		if (*at == '\0' || *at == '#')
			return NULL;
		if (*at == '>' || *at == '|')
			return at;
		if (*at == '"') {
			for (at++; *at != '\0' && *at != '"'; at++)
				at += *at == '\\' && at[1] != '\0';
			at += *at == '"';
		}
		at += strcspn(at, BLANKS);
	}
}

/* Bytes of a separator. */
static size_t
separator_bytes(const char *at)
{
	return at[0] == '>' && at[1] == '>' ? 2 : 1;
}

size_t
filter_last(const char *line, size_t *filter)
{
	const char *at, *last = NULL;

	for (at = separator(line); at != NULL; at = separator(at + separator_bytes(at)))
		last = at;
	if (last == NULL)
		return SIZE_MAX;
	*filter = (size_t)(last - line) + (*last == '|');
	return (size_t)(last - line);
}

/* Fail at a column of the line. */
static int
line_err(size_t column, const char *word, struct err *e, int code, const char *what)
{
	e->verdict = "Bad arguments";
	e->column = (int)column;
	snprintf(e->word, sizeof(e->word), "%.60s", word);
	return err_set(e, code, "column %zu: %s", column + 1, what);
}

/* A pattern of the line, whose quotes around all of it are no part of it. */
static int
pattern_read(struct filter *filter, const struct arg *pattern, struct err *e)
{
	const size_t n = strlen(pattern->text);
	const bool quoted = n > 1 && pattern->text[0] == '"' && pattern->text[n - 1] == '"';
	char text[LINE_BYTES], why[128];
	int ret;

	snprintf(text, sizeof(text), "%.*s", (int)(quoted ? n - 2 : n), pattern->text + quoted);
	ret = regcomp(&filter->pattern, text, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	if (ret == 0)
		return 0;
	regerror(ret, &filter->pattern, why, sizeof(why));
	line_err((size_t)pattern->column, text, e, EINVAL, "not a regular expression");
	return err_set(e, EINVAL, "column %d: \"%.100s\" is not a regular expression: %s",
		pattern->column + 1, text, why);
}

/* Take one stage, whose text lies behind as many blanks as there are bytes before it in the line. */
static int
stage_read(struct filters *f, const struct grammar *g, const char *padded, struct err *e)
{
	const struct cmd_row *row;
	const struct stage *stage;
	struct args *a = malloc(sizeof(*a)); /* the caller's line needs its own on the stack */
	int ret;

	if (a == NULL)
		return err_set(e, ENOMEM, "no memory to read the line");
	ret = grammar_parse(g, padded, &row, a, e);
	if (ret == 0 && row == NULL) {
		ret = line_err(strlen(padded), "", e, EINVAL,
			"incomplete command: expected include, exclude, begin, count or no-more");
	} else if (ret == 0) {
		stage = row->data;
		f->no_more |= stage->no_more;
		if (stage->file) {
			f->to_file = true;
			f->append = stage->append;
			f->overwrite = arg_given(a, "overwrite");
			snprintf(f->path, sizeof(f->path), "%s", arg_str(a, "file", ""));
		} else if (!stage->no_more) {
			struct filter *filter = &f->filter[f->n];

			*filter = (struct filter){ .kind = stage->kind };
			if (stage->kind != FILTER_COUNT)
				ret = pattern_read(filter, arg_find(a, "pattern"), e);
			f->n += ret == 0;
		}
	}
	free(a);
	return ret;
}

int
filters_read(struct filters *f, const struct grammar *g, const char *line, struct err *e)
{
	/* A line that is too long is refused by who reads its command. */
	const char *at = strlen(line) < LINE_BYTES ? separator(line) : NULL, *next;
	char padded[2 * LINE_BYTES];
	int ret = 0;

	memset(f, 0, offsetof(struct filters, path));
	f->path[0] = '\0';
	f->command_bytes = at != NULL ? (size_t)(at - line) : strlen(line);
	if (at == NULL)
		return 0;
	if (strspn(line, BLANKS) == f->command_bytes)
		return line_err(f->command_bytes, "|", e, EINVAL,
			"incomplete command: expected a command in front");
	for (; at != NULL && ret == 0; at = next) {
		const size_t n = separator_bytes(at);

		next = separator(at + n);
		if (f->to_file)
			return line_err((size_t)(at - line), "|", e, EINVAL,
				"unexpected argument: a file ends the line");
		if (f->n == FILTERS_MAX)
			return line_err((size_t)(at - line), "|", e, E2BIG, "too many filters");
		/* A blank in the place of "|", or behind ">" where there is none. */
		snprintf(padded, sizeof(padded), "%*s%.*s%s%.*s", (int)(at - line), "",
			*at == '>' ? (int)n : 0, at,
			*at == '|' || strcspn(at + n, BLANKS) > 0 ? " " : "",
			(int)(next != NULL ? (size_t)(next - at) - n : strlen(at + n)), at + n);
		ret = stage_read(f, g, padded, e);
	}
	return ret;
}

void
filters_free(struct filters *f)
{
	for (unsigned int i = 0; i < f->n; i++)
		if (f->filter[i].kind != FILTER_COUNT)
			regfree(&f->filter[i].pattern);
	f->n = 0;
}

/* True when a filter lets a line pass, or counts it. */
static bool
passes(struct filter *filter, const char *line)
{
	bool found;

	if (filter->kind == FILTER_COUNT)
		return filter->n++, false;
	found = filter->begun || regexec(&filter->pattern, line, 0, NULL, 0) == 0;
	if (filter->kind == FILTER_BEGIN)
		filter->begun = found;
	return found == (filter->kind != FILTER_EXCLUDE);
}

/* Let a line of text, without its newline, pass through the filters from the first one on. */
static void
text_pass(struct filters *f, unsigned int first, const char *line, const char *newline)
{
	for (unsigned int i = first; i < f->n; i++)
		if (!passes(&f->filter[i], line))
			return;
	fprintf(f->to, "%s%s", line, newline);
}

/* Behind a value of JSON that is valid, as all of ours is. */
static const char *
value_end(const char *at)
{
	unsigned int depth = 0;

	do {
		if (*at == '"') {
			for (at++; *at != '\0' && *at != '"'; at++)
				at += *at == '\\' && at[1] != '\0';
			at += *at == '"';
		} else if (*at == '{' || *at == '[') {
			depth++;
			at++;
		} else if (*at == '}' || *at == ']') {
			depth -= depth > 0;
			at++;
		} else {
			at += depth > 0 ? 1 : strcspn(at, ",]}\n");
		}
	} while (depth > 0 && *at != '\0');
	return at;
}

/* True when a filter lets n bytes of JSON pass: a member, or an element of an array. */
static bool
unit_passes(struct filter *filter, const char *unit, size_t n)
{
	char *copy = strndup(unit, n);
	const bool yes = copy == NULL || passes(filter, copy);

	free(copy);
	return yes;
}

/* Write the elements of the array at *at that pass; *at moves behind it. */
static void
array_filter(struct filter *filter, const char **at, FILE *to)
{
	const char *end;
	bool any = false;

	fputc(*(*at)++, to);
	while (**at != ']' && **at != '\0') {
		end = value_end(*at);
		if (unit_passes(filter, *at, (size_t)(end - *at))) {
			fprintf(to, "%s%.*s", any ? ", " : "", (int)(end - *at), *at);
			any = true;
		}
		*at = end + strspn(end, ", ");
	}
	fputc(*(*at)++, to);
}

/* Members that programs go by, which no filter takes away. */
static bool
is_kept(const char *key)
{
	static const char *const kept[] = { "\"command\": ", "\"ok\": ", "\"time\": ",
		"\"schema\": ", "\"warnings\": ", "\"error\": " };

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		if (strncmp(key, kept[i], strlen(kept[i])) == 0)
			return true;
	return false;
}

/*
 * Write the members of the object at *at that pass, and *at moves behind it: arrays with the elements
 * that do, objects with the members that do. top: of the object of a command.
 */
static void
object_filter(struct filter *filter, const char **at, bool top, FILE *to)
{
	const bool counts = filter->kind == FILTER_COUNT;
	const char *between = "";

	fputc(*(*at)++, to);
	while (**at != '}' && **at != '\0') {
		const char *key = *at, *value = value_end(key) + 2, *end = value_end(value);
		char *part = NULL;
		size_t part_n = 0;
		FILE *inner = top && is_kept(key) ? NULL : open_memstream(&part, &part_n);
		bool keep;

		*at = value;
		if (inner == NULL) {
			keep = true;
		} else if (*value == '[') {
			array_filter(filter, at, inner);
			keep = !counts;
		} else if (*value == '{') {
			object_filter(filter, at, false, inner);
			keep = !counts;
		} else {
			keep = unit_passes(filter, key, (size_t)(end - key));
		}
		if (inner != NULL)
			fclose(inner);
		if (keep && inner != NULL && (*value == '[' || *value == '{'))
			fprintf(to, "%s%.*s%s", between, (int)(value - key), key, part);
		else if (keep)
			fprintf(to, "%s%.*s", between, (int)(end - key), key);
		between = keep ? ", " : between;
		free(part);
		*at = end + strspn(end, ", ");
	}
	if (top && counts)
		fprintf(to, "%s\"count\": %" PRIu64, between, filter->n);
	fputc(*(*at)++, to);
}

/* Let one object of JSON pass through all filters. */
static void
json_pass(struct filters *f, const char *line)
{
	char *now = strdup(line);

	for (unsigned int i = 0; i < f->n && now != NULL; i++) {
		const char *at = now;
		char *next = NULL;
		size_t next_n = 0;
		FILE *to = open_memstream(&next, &next_n);

		if (to == NULL)
			break;
		f->filter[i].n = 0;
		f->filter[i].begun = false;
		object_filter(&f->filter[i], &at, true, to);
		fclose(to);
		free(now);
		now = next;
	}
	fprintf(f->to, "%s\n", now != NULL ? now : line);
	free(now);
}

static void
line_pass(struct filters *f, const char *newline)
{
	f->line[f->line_n] = '\0';
	f->line_n = 0;
	if (f->json && f->line[0] == '{')
		json_pass(f, f->line);
	else
		text_pass(f, 0, f->line, newline);
}

static void
error_keep(struct filters *f, int error)
{
	if (f->error == 0)
		f->error = error;
}

/* Make room for n more bytes and a NUL. */
static bool
room_make(char **text, size_t *room, size_t used, size_t n)
{
	char *more;

	if (used + n + 1 <= *room)
		return true;
	more = realloc(*text, 2 * (used + n + 1));
	if (more == NULL)
		return false;
	*text = more;
	*room = 2 * (used + n + 1);
	return true;
}

/* What is written to f->from comes here. An error is reported by filters_end(). */
static ssize_t
held_write(void *cookie, const char *text, size_t n)
{
	struct filters *f = cookie;

	if (room_make(&f->held, &f->held_room, f->held_n, n)) {
		memcpy(f->held + f->held_n, text, n);
		f->held_n += n;
	} else {
		error_keep(f, ENOMEM);
	}
	return (ssize_t)n;
}

/* What is written to f->to comes here if that is a file. */
static ssize_t
file_write(void *cookie, const char *text, size_t n)
{
	struct filters *f = cookie;
	const int error = f->error == 0 ? plain_file_put(f->file.fd, text, n) : 0;

	if (error != 0)
		error_keep(f, error);
	return (ssize_t)n;
}

/* Let what is held pass through the filters; whole lines go on. */
static void
held_pass(struct filters *f)
{
	if (!room_make(&f->line, &f->line_room, f->line_n, f->held_n)) {
		error_keep(f, ENOMEM);
		return;
	}
	for (size_t i = 0; i < f->held_n; i++) {
		if (f->held[i] == '\n')
			line_pass(f, "\n");
		else if (f->held[i] != '\0')
			f->line[f->line_n++] = f->held[i];
	}
}

/* Write what the filters still hold: an unfinished line, and counts. */
static void
filters_flush(struct filters *f)
{
	char count[64];

	if (f->line_n > 0)
		line_pass(f, "");
	for (unsigned int i = 0; i < f->n && !f->json && !f->failed; i++) {
		if (f->filter[i].kind != FILTER_COUNT)
			continue;
		snprintf(count, sizeof(count), "Count: %" PRIu64 " lines", f->filter[i].n);
		text_pass(f, i + 1, count, "\n");
	}
}

/* Where what passes the filters goes. */
static FILE *
target_open(struct filters *f, struct err *e)
{
	const cookie_io_functions_t functions = { .write = file_write };
	const unsigned int how = f->append ? PLAIN_FILE_APPEND
		: f->overwrite             ? PLAIN_FILE_OVERWRITE
					   : 0;
	FILE *to;

	if (!f->to_file && !f->paged)
		return f->around;
	if (f->to_file && plain_file_begin(&f->file, f->path, how, e) != 0)
		return NULL;
	to = f->to_file ? fopencookie(f, "w", functions) : open_memstream(&f->page, &f->page_n);
	if (to == NULL)
		err_set(e, ENOMEM, "no memory for the answer");
	if (to == NULL && f->to_file)
		plain_file_end(&f->file, false, e);
	return to;
}

static void
page_free(struct filters *f)
{
	free(f->page);
	f->page = NULL;
}

int
filters_begin(struct filters *f, struct out *out, bool paged, struct err *e)
{
	const cookie_io_functions_t functions = { .write = held_write };

	f->paged = paged && !f->no_more && !f->to_file;
	if (f->n == 0 && !f->to_file && !f->paged)
		return 0;
	f->json = out_format(out) == OUT_JSON;
	f->around = out_file(out);
	f->to = target_open(f, e);
	if (f->to == NULL)
		return -e->code;
	/* A page is shown as it is. */
	f->from = f->n > 0 || f->to_file ? fopencookie(f, "w", functions) : f->to;
	if (f->from == NULL) {
		if (f->to != f->around)
			fclose(f->to);
		if (f->to_file)
			plain_file_end(&f->file, false, e);
		page_free(f);
		return err_set(e, ENOMEM, "no memory for the answer");
	}
	f->out = out;
	f->before = out_redirect(out, f->from);
	out_paged(out, f->paged && f->from == f->to);
	return 0;
}

/* What is held goes through the filters, or around them. */
static void
held_settle(struct filters *f, bool failed)
{
	if (!failed)
		held_pass(f);
	else if (f->held_n > 0)
		fwrite(f->held, 1, f->held_n, f->around);
	f->held_n = 0;
	fflush(failed ? f->around : f->to);
}

int
filters_settle(struct filters *f, bool failed)
{
	int error = 0;

	for (; f != NULL; f = f->outer) {
		fflush(f->from);
		if (f->from != f->to)
			held_settle(f, failed);
		error = error == 0 ? f->error : error;
	}
	return error;
}

/* Print what a file would have got, had its command not failed. */
static void
file_print(const struct filters *f)
{
	char text[4096];
	ssize_t n;
	off_t at = 0;

	if (!f->file.apart)
		return;
	while ((n = pread(f->file.fd, text, sizeof(text), at)) > 0) {
		fwrite(text, 1, (size_t)n, f->around);
		at += n;
	}
}

int
filters_end(struct filters *f, struct err *e)
{
	int ret = 0;

	if (f->out == NULL)
		return 0;
	out_redirect(f->out, f->before);
	out_paged(f->out, false);
	if (f->from != f->to) {
		fclose(f->from);
		held_settle(f, f->failed);
		filters_flush(f);
	}
	if (f->to != f->around)
		fclose(f->to);
	else
		fflush(f->to);
	if (f->error != 0)
		ret = err_set(e, f->error, "cannot write %s: %s",
			f->to_file ? f->path : "the answer", strerror(f->error));
	if (f->to_file && f->failed && ret == 0)
		file_print(f);
	if (f->to_file && plain_file_end(&f->file, !f->failed && ret == 0, e) != 0)
		ret = -e->code;
	if (f->page != NULL && f->failed)
		fwrite(f->page, 1, f->page_n, f->around);
	if (f->failed)
		page_free(f);
	free(f->held);
	free(f->line);
	f->held = f->line = NULL;
	f->out = NULL;
	return ret;
}

void
filters_show(struct filters *f, struct interrupt *interrupt)
{
	if (f->page != NULL)
		pager_show(f->page, f->page_n, f->around, interrupt);
	page_free(f);
}
