/* The output layer: prints every result, as testpmd's exact text or as one JSON object per command; numeric members of structs go by a table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/out.h"

#include "base/err.h"
#include "base/out_json.h"
#include "base/out_priv.h"
#include "base/terminal.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct out *
out_open(FILE *results, FILE *failures)
{
	struct out *o = calloc(1, sizeof(*o));

	if (o == NULL)
		return NULL;
	o->results = results;
	o->failures = failures;
	o->opener = pthread_self();
	return o;
}

/* Where this thread's results go. */
static FILE *
results(const struct out *o)
{
	FILE *to = o->redirected;

	return to != NULL && pthread_equal(pthread_self(), o->opener) ? to : o->results;
}

FILE *
out_redirect(struct out *o, FILE *to)
{
	fflush(results(o));
	return atomic_exchange(&o->redirected, to);
}

static void
frame_free(struct out *o, struct frame *f)
{
	out_json_part_free(&f->body);
	out_json_part_free(&f->messages);
	out_json_part_free(&f->warnings);
	if (f != &o->outermost)
		free(f);
}

/* Flush the results; a write error shows here. */
static void
flush_results(struct out *o)
{
	int error;

	/* Whoever redirects checks for errors of that file. */
	if (results(o) != o->results)
		fflush(results(o));
	error = fflush(o->results) != 0 ? errno : ferror(o->results) ? EIO : 0;

	if (o->error == 0)
		o->error = error;
}

bool
out_gone(const struct out *o)
{
	return o->error == EPIPE || o->error == EIO || o->error == EBADF;
}

int
out_close(struct out *o)
{
	int error;

	if (o == NULL)
		return 0;
	while (o->top != NULL) {
		struct frame *f = o->top;

		o->top = f->below;
		frame_free(o, f);
	}
	out_json_part_free(&o->stray);
	flush_results(o);
	error = o->error;
	if (error != 0)
		fprintf(o->failures, "zcfwd: results could not be written: %s\n", strerror(error));
	fflush(o->failures);
	free(o);
	return error;
}

void
out_format_set(struct out *o, enum out_format format)
{
	o->next = format;
	if (o->top == NULL && o->stray.file == NULL)
		o->format = format;
}

enum out_format
out_format(const struct out *o)
{
	return o->format;
}

/* True if a file is the terminal of somebody else (out_aside_begin()). */
static bool
is_screen(const struct out *o, const FILE *to)
{
	return o->screen != NULL && to == o->screen_file;
}

bool
out_on_terminal(const struct out *o)
{
	FILE *to = o->paged ? o->results : out_file(o);

	return o->format == OUT_TEXT && (is_screen(o, to) || isatty(fileno(to)) != 0);
}

bool
out_terminal(const struct out *o, unsigned int *columns, unsigned int *rows)
{
	FILE *to = out_file(o);

	if (!is_screen(o, to))
		return terminal_size(to, columns, rows);
	*columns = o->screen->columns;
	*rows = o->screen->rows;
	return true;
}

bool
out_clears(const struct out *o)
{
	FILE *to = out_file(o);

	return o->format == OUT_TEXT && (is_screen(o, to) || terminal_clears(to));
}

void
out_paged(struct out *o, bool paged)
{
	o->paged = paged;
}

unsigned int
out_columns(const struct out *o)
{
	unsigned int columns = UINT_MAX, rows;

	if (out_on_terminal(o))
		(void)(o->screen != NULL ? out_terminal(o, &columns, &rows)
					 : terminal_size(o->results, &columns, &rows));
	return columns;
}

void
out_prompt(struct out *o, const char *fmt, ...)
{
	va_list ap;

	fflush(o->failures);
	va_start(ap, fmt);
	vfprintf(results(o), fmt, ap);
	va_end(ap);
	flush_results(o);
}

void
out_progress(struct out *o, unsigned int columns, const char *text)
{
	const unsigned int fit = out_columns(o);
	/* The cursor stays in the line, if one column is left. */
	const int width = (int)(columns < fit ? columns : fit - 1);

	out_prompt(o, "\r%-*.*s%s", width, width, text, text[0] == '\0' ? "\r" : "");
}

void
out_stamp(struct out *o)
{
	o->stamps = true;
}

FILE *
out_file(const struct out *o)
{
	return results(o);
}

void
out_begin(struct out *o, const char *command)
{
	struct frame *f = o->top == NULL ? &o->outermost : o->lost == 0 ? malloc(sizeof(*f)) : NULL;

	if (o->top == NULL)
		o->format = o->next;
	if (f == NULL) {
		o->lost++;
		return;
	}
	*f = (struct frame){ .below = o->top, .command = command };
	o->top = f;
	if (!out_is_json(o))
		return;
	out_json_part_open(&f->messages, true);
	out_json_part_open(&f->warnings, true);
	out_json_part_open(&f->body, false);
	if (f->body.file == NULL)
		return;
	out_json_reserve(&f->body.json, "command");
	out_json_reserve(&f->body.json, "ok");
	if (o->stamps) {
		out_json_reserve(&f->body.json, "time");
		out_json_reserve(&f->body.json, "schema");
	}
	out_json_reserve(&f->body.json, "messages");
	out_json_reserve(&f->body.json, "warnings");
	out_json_reserve(&f->body.json, "error");
}

/* Print a list of sentences, if it is not empty. */
static void
print_list(struct out *o, const char *key, const struct json_part *p)
{
	if (p->size > 0 && !p->lost)
		fprintf(results(o), ", \"%s\": [%s]", key, p->text);
}

/* Print members with the current time, to the millisecond, and the version of the envelope. */
static void
print_time(FILE *file)
{
	struct timespec now;
	char text[32];
	struct tm utc;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
	fprintf(file, ", \"time\": \"%s.%03ldZ\", \"schema\": %d", text, now.tv_nsec / 1000000,
		OUT_JSON_SCHEMA);
}

/* The command itself may have succeeded, but its output is lost. */
static const struct err incomplete = { .code = ENOMEM,
	.column = -1,
	.text = "out of memory: the output is incomplete" };

static void
end_json(struct out *o, struct frame *f, const struct err *e, const char *where)
{
	out_json_part_close(&f->body);
	out_json_part_close(&f->messages);
	out_json_part_close(&f->warnings);
	if (e == NULL && (f->body.lost || f->messages.lost || f->warnings.lost))
		e = &incomplete;
	fputs("{\"command\": ", results(o));
	out_json_quote(results(o), f->command, strlen(f->command));
	fprintf(results(o), ", \"ok\": %s", e != NULL ? "false" : "true");
	if (o->stamps)
		print_time(results(o));
	if (f->body.size > 0 && !f->body.lost)
		fprintf(results(o), ", %s", f->body.text);
	print_list(o, "messages", &f->messages);
	print_list(o, "warnings", &f->warnings);
	if (e != NULL) {
		fputs(", \"error\": ", results(o));
		out_json_err(results(o), e, where);
	}
	fputs("}\n", results(o));
}

/* A message may quote user input: replace control characters, which would act on the terminal. */
static void
print_safe(FILE *file, const char *text, const char *tail)
{
	for (; *text != '\0'; text++)
		fputc(iscntrl((unsigned char)*text) && *text != '\n' ? '?' : *text, file);
	fputs(tail, file);
}

static void
fail_text(struct out *o, const struct err *e, const char *where)
{
	if (e->verdict != NULL)
		fprintf(results(o), "%s\n", e->verdict);
	flush_results(o);
	if (e->text[0] == '\0')
		return;
	if (where != NULL)
		print_safe(o->failures, where, ": ");
	print_safe(o->failures, e->text, "\n");
}

static void
end_text(struct out *o, const struct frame *f, const struct err *e, const char *where)
{
	if (e != NULL)
		fail_text(o, e, where);
	if (f == NULL || f->last == NULL)
		return;
	fflush(o->failures);
	fputs(f->last, results(o));
}

bool
out_has_events(const struct out *o)
{
	return o->events != NULL && out_is_json(o);
}

bool
out_event_begin(struct out *o, const char *name)
{
	struct frame *f = out_has_events(o) && o->lost == 0 ? malloc(sizeof(*f)) : NULL;

	if (f == NULL)
		return false;
	*f = (struct frame){ .below = o->top, .command = name };
	out_json_part_open(&f->body, false);
	if (f->body.file == NULL) {
		out_json_part_free(&f->body);
		free(f);
		return false;
	}
	out_json_reserve(&f->body.json, "name");
	out_json_reserve(&f->body.json, "time");
	out_json_reserve(&f->body.json, "schema");
	o->top = f;
	return true;
}

void
out_event_end(struct out *o)
{
	struct frame *f = o->top;

	out_json_part_close(&f->body);
	fputs("{\"name\": ", o->events);
	out_json_quote(o->events, f->command, strlen(f->command));
	print_time(o->events);
	if (f->body.size > 0 && !f->body.lost)
		fprintf(o->events, ", %s", f->body.text);
	fputs("}\n", o->events);
	fflush(o->events);
	out_json_part_free(&f->body);
	o->top = f->below;
	free(f);
}

void
out_end(struct out *o, const struct err *e, const char *where)
{
	struct frame *f = o->lost > 0 ? NULL : o->top, none = { .command = "", .body.lost = true };

	if (e != NULL && e->code == 0)
		e = NULL;
	if (!out_is_json(o))
		end_text(o, f, e, where);
	else if (f != NULL || o->lost > 0)
		end_json(o, f != NULL ? f : &none, e, where);
	if (f != NULL) {
		o->top = f->below;
		frame_free(o, f);
	} else if (o->lost > 0) {
		o->lost--;
	}
	if (o->top == NULL)
		o->format = o->next;
	flush_results(o);
	fflush(o->failures);
}

/* Return the JSON object for a value; NULL in text mode or without memory. */
static struct json *
json_body(struct out *o)
{
	struct json_part *p = o->top != NULL ? &o->top->body : &o->stray;

	if (!out_is_json(o) || o->lost > 0)
		return NULL;
	if (o->top == NULL && p->file == NULL)
		out_json_part_open(p, false);
	return p->file != NULL ? &p->json : NULL;
}

/* After a value between commands, print its object unless something is still open in it. */
static void
stray_end(struct out *o)
{
	struct json_part *p = &o->stray;

	if (o->top != NULL || p->file == NULL || p->json.depth > 0)
		return;
	out_json_part_close(p);
	if (p->size > 0 && !p->lost)
		fprintf(results(o), "{%s}\n", p->text);
	flush_results(o);
	out_json_part_free(p);
	o->format = o->next;
}

void
out_text(struct out *o, const char *fmt, ...)
{
	va_list ap;

	if (out_is_json(o))
		return;
	va_start(ap, fmt);
	vfprintf(results(o), fmt, ap);
	va_end(ap);
}

/*
 * Add a sentence without its surrounding newlines to the command's list, or print it as a separate
 * object between commands.
 */
static void
json_sentence(struct out *o, const char *key, const char *fmt, va_list ap)
{
	struct json_part *list = o->top == NULL ? NULL
		: strcmp(key, "messages") == 0  ? &o->top->messages
						: &o->top->warnings;
	char *text, *start;
	size_t n;

	if (o->lost > 0)
		return;
	if (vasprintf(&text, fmt, ap) < 0) {
		if (list != NULL)
			list->lost = true;
		return;
	}
	start = text + strspn(text, "\n\r");
	for (n = strlen(start); n > 0 && strchr("\n\r", start[n - 1]) != NULL; n--)
		;
	if (n > 0 && list != NULL && list->file != NULL) {
		out_json_str(&list->json, NULL, start, n);
	} else if (n > 0 && list == NULL && o->stray.file == NULL) {
		fprintf(results(o), "{\"%s\": [", key);
		out_json_quote(results(o), start, n);
		fputs("]}\n", results(o));
		flush_results(o);
	} else if (n > 0 && list == NULL) {
		out_json_str(&o->stray.json, key, start, n);
	}
	free(text);
}

void
out_say(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (out_is_json(o))
		json_sentence(o, "messages", fmt, ap);
	else
		vfprintf(results(o), fmt, ap);
	va_end(ap);
}

void
out_say_last(struct out *o, const char *last)
{
	if (out_is_json(o) || o->lost > 0 || o->top == NULL)
		out_say(o, "%s", last);
	else
		o->top->last = last;
}

/* Print a sentence where failures go, or add it to a list in JSON. */
static void
beside(struct out *o, const char *key, const char *fmt, va_list ap)
{
	if (out_is_json(o)) {
		json_sentence(o, key, fmt, ap);
	} else {
		flush_results(o);
		vfprintf(o->failures, fmt, ap);
		fflush(o->failures);
	}
}

void
out_note(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	beside(o, "messages", fmt, ap);
	va_end(ap);
}

void
out_warn(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	beside(o, "warnings", fmt, ap);
	va_end(ap);
}

void
out_nest(struct out *o, const char *key, enum out_nest kind)
{
	struct json *j = json_body(o);

	if (j != NULL)
		out_json_enter(j, key, kind == OUT_ARRAY);
}

void
out_unnest(struct out *o)
{
	struct json *j = json_body(o);

	if (j != NULL)
		out_json_leave(j);
	stray_end(o);
}

/* Print one value in text, or pass it to the JSON writer. */
#define OUT_VALUE(o, key, fmt, value, write) \
	do { \
		struct json *j_ = (key) != NULL ? json_body(o) : NULL; \
		if (!out_is_json(o) && (fmt) != NULL) \
			fprintf(results(o), (fmt), (value)); \
		if (j_ != NULL) \
			write; \
		stray_end(o); \
	} while (0)

void
out_u64_fmt(struct out *o, const char *key, const char *fmt, uint64_t value)
{
	OUT_VALUE(o, key, fmt, value, out_json_u64(j_, key, value));
}

void
out_i64_fmt(struct out *o, const char *key, const char *fmt, int64_t value)
{
	OUT_VALUE(o, key, fmt, value, out_json_i64(j_, key, value));
}

void
out_f64_fmt(struct out *o, const char *key, const char *fmt, double value)
{
	OUT_VALUE(o, key, fmt, value, out_json_f64(j_, key, value));
}

void
out_us(struct out *o, const char *key, double us)
{
	out_f64_fmt(o, key, NULL, us);
	if (isnan(us))
		out_text(o, " %10s", "-");
	else
		out_text(o, " %10.3f", us);
}

void
out_str_fmt(struct out *o, const char *key, const char *fmt, const char *value)
{
	OUT_VALUE(o, key, fmt, value,
		out_json_str(j_, key, value, value != NULL ? strlen(value) : 0));
}

void
out_bool(struct out *o, const char *key, const char *fmt, bool value, const char *yes,
	const char *no)
{
	OUT_VALUE(o, key, fmt, value ? yes : no, out_json_bool(j_, key, value));
}

void
out_counts(struct out *o, const struct out_count *counts, size_t n, uint64_t mask)
{
	for (size_t i = 0; i < n; i++) {
		if ((mask & counts[i].bit) == 0)
			continue;
		out_text(o, "\t%s: ", counts[i].text);
		out_u64(o, counts[i].key, "%" PRIu64 "\n", counts[i].n);
	}
}

static void
field_show(struct out *o, const struct field *f, const uint8_t *at)
{
	uint64_t u64;
	uint32_t u32;
	int number;

	switch (f->kind) {
	case FIELD_U32:
		memcpy(&u32, at, sizeof(u32));
		out_u64(o, f->name, "%" PRIu64 "\n", u32);
		break;
	case FIELD_INT:
		memcpy(&number, at, sizeof(number));
		out_i64(o, f->name, "%" PRId64 "\n", number);
		break;
	case FIELD_U64:
		memcpy(&u64, at, sizeof(u64));
		out_u64(o, f->name, "%" PRIu64 "\n", u64);
		break;
	case FIELD_HEX:
		memcpy(&u64, at, sizeof(u64));
		out_u64(o, f->name, "%" PRIx64 "\n", u64);
		break;
	}
}

void
out_fields(struct out *o, const char *prefix, const struct field *fields, size_t n,
	const void *base)
{
	for (size_t i = 0; i < n; i++) {
		out_text(o, "%s.%s %s", prefix, fields[i].name,
			fields[i].before != NULL ? fields[i].before : "");
		field_show(o, &fields[i], (const uint8_t *)base + fields[i].at);
	}
}
