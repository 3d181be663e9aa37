/* The output layer: prints every result, as testpmd's exact text or as one JSON object per
 * command. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct err;
struct out;

enum out_format { OUT_TEXT, OUT_JSON };

enum out_nest { OUT_OBJECT, OUT_ARRAY };

/*
 * Open an output layer that writes to the files results and failures; the caller keeps owning both.
 * Returns NULL without memory.
 */
struct out *out_open(FILE *results, FILE *failures);

/*
 * Close it. If results could not be written, print one line to failures. Returns 0, or the positive
 * errno value of the first failed write.
 */
int out_close(struct out *o);

/*
 * Return whether, at the last flush, results had nowhere to go: the pipe has no reader, the
 * terminal is gone, or the file is not open.
 */
bool out_gone(const struct out *o);

/* Choose text or JSON, from the next outermost out_begin() on; return the current format. */
void out_format_set(struct out *o, enum out_format format);
enum out_format out_format(const struct out *o);

/* Add "time" to each JSON object from now on: when the command finished, in UTC. */
void out_stamp(struct out *o);

/*
 * Return where results of this thread go: the file of out_open(), or that of out_redirect(). Use it
 * for isatty() and the line editor only.
 */
FILE *out_file(const struct out *o);

/* Return whether results of this thread are text that a person reads on a terminal. */
bool out_on_terminal(const struct out *o);

/* The size of a terminal. */
struct out_screen {
	unsigned int columns, rows;
};

/*
 * Get the columns and rows of the terminal that results of this thread go to, 80 and 24 if unknown.
 * Returns false, with these, if they go elsewhere.
 */
bool out_terminal(const struct out *o, unsigned int *columns, unsigned int *rows);

/* Return whether results of this thread are text on a terminal with cursor control. */
bool out_clears(const struct out *o);

/* Return the width of that terminal; UINT_MAX: results go elsewhere. */
unsigned int out_columns(const struct out *o);

/*
 * Say that results which are redirected now are shown on the terminal later, as they are. Thread: the
 * one that opened o.
 */
void out_paged(struct out *o, bool paged);

/*
 * Send results of the thread that opened o to another file from now on; NULL: to their own again.
 * Output of other threads is not redirected. Returns the previous file, NULL for their own. Thread:
 * the one that opened o.
 */
FILE *out_redirect(struct out *o, FILE *to);

/*
 * Print the shell's own text, also in JSON mode: prompts, echoed lines, lists of candidates.
 * Flushes.
 */
void out_prompt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Replace the line of progress by text, cut or padded to so many columns. On a narrower terminal it is
 * cut to fit, because a line that wraps cannot be replaced. An empty text removes the line. Thread: as for out_columns().
 */
void out_progress(struct out *o, unsigned int columns, const char *text);

/*
 * Enclose the output of one command. In JSON, everything between the two calls becomes one object
 * on one line: {"command": line, "ok": true, ...}, or {"command": line, "ok": false, "error":
 * {...}} if e holds a failure (e->code != 0). In text, out_end() prints the failure: the verdict to
 * results, the message to failures; an empty e->text prints nothing (it was printed already).
 * where: "file:line" of a script, or NULL. Flushes both files. Pairs nest (a script runs commands);
 * the inner command's object is printed before the outer one's. The caller keeps command until
 * out_end(). Without memory, an object has only the command ("" in a script) and the error ENOMEM,
 * unless the command itself failed. Output outside any pair (start-up, link events) becomes a
 * separate object, {"messages": ["..."]}.
 */
void out_begin(struct out *o, const char *command);
void out_end(struct out *o, const struct err *e, const char *where);

/*
 * Tell how a command goes on, before its answer: values that are printed between the two calls are
 * members of an object on a line of its own, {"name": name, "time": ..., ...}. Returns false if no one
 * reads events; then out_event_end() must not be called. No out_nest() may be open within. The
 * caller keeps name until then. Thread: the one that opened o.
 */
bool out_event_begin(struct out *o, const char *name);
void out_event_end(struct out *o);

/* Return whether somebody reads events. */
bool out_has_events(const struct out *o);

/* Print headings, borders and padding in text; nothing in JSON. */
void out_text(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Print a sentence for the operator ("Done"); in JSON, add it to "messages" without its surrounding
 * newlines.
 */
void out_say(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * As out_say(), but to failures: for sentences that testpmd prints to stderr although nothing
 * failed.
 */
void out_note(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * As out_say(), for a sentence that testpmd prints after a failure: in text, out_end() prints it
 * below the failure. last: a literal; a later call replaces it.
 */
void out_say_last(struct out *o, const char *last);

/* Print a warning to failures; the command continues. In JSON, add it to "warnings". */
void out_warn(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Begin and end a nested object or array, in JSON only. key is ignored inside an array. */
void out_nest(struct out *o, const char *key, enum out_nest kind);
void out_unnest(struct out *o);

/*
 * Print one value. fmt is used in text and has exactly one conversion (%PRIu64, %PRId64, %f, %s);
 * NULL: JSON only. key is the member's name in JSON; NULL: text only. The compiler checks fmt
 * against the value. A key that the object already has becomes key_2, key_3; NaN, infinities and a
 * NULL string become null.
 */
#define out_u64(o, key, fmt, value) \
	(OUT_CHECK(fmt, "%" PRIu64, (uint64_t)(value)), out_u64_fmt(o, key, fmt, (uint64_t)(value)))
#define out_i64(o, key, fmt, value) \
	(OUT_CHECK(fmt, "%" PRId64, (int64_t)(value)), out_i64_fmt(o, key, fmt, (int64_t)(value)))
#define out_f64(o, key, fmt, value) \
	(OUT_CHECK(fmt, "%f", (double)(value)), out_f64_fmt(o, key, fmt, (double)(value)))
#define out_str(o, key, fmt, value) \
	(OUT_CHECK(fmt, "%s", (const char *)(value)), out_str_fmt(o, key, fmt, value))
void out_u64_fmt(struct out *o, const char *key, const char *fmt, uint64_t value);
void out_i64_fmt(struct out *o, const char *key, const char *fmt, int64_t value);
void out_f64_fmt(struct out *o, const char *key, const char *fmt, double value);

/* Print microseconds in a column of 10 characters, NaN as a dash; null in JSON. */
void out_us(struct out *o, const char *key, double us);
void out_str_fmt(struct out *o, const char *key, const char *fmt, const char *value);
/* Print a truth value: in text, fmt with yes or no for its %s; in JSON, true or false. */
void out_bool(struct out *o, const char *key, const char *fmt, bool value, const char *yes,
	const char *no);

/*
 * Never called or defined: lets the compiler check fmt, which gcc does not do if fmt is a plain
 * NULL.
 */
int out_check(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define OUT_CHECK(fmt, like, value) \
	((void)sizeof(out_check(_Generic((fmt), void * : (like), default : (fmt)), value)))

/* A counter that a device may not have: its bit in a mask, its name, its text, its value. */
struct out_count {
	uint64_t bit;
	const char *key, *text;
	uint64_t n;
};

/* Print those of n counters whose bit is in mask, one per line. */
void out_counts(struct out *o, const struct out_count *counts, size_t n, uint64_t mask);

/* Print numeric members of a struct from a table, such as the capabilities that a device reports.
 * libc only. */

enum field_kind {
	FIELD_U32,
	FIELD_INT,
	FIELD_U64,
	FIELD_HEX, /* 64 bits */
};

struct field {
	const char *name; /* in text and in JSON */
	size_t at;        /* offset in the struct, bytes */
	enum field_kind kind;
	const char *before; /* text in front of the number; NULL: none */
};

#define FIELD(kind, of, member) \
	{ \
#member, offsetof(struct of, member), FIELD_##kind, NULL \
	}

/*
 * Print one line per field, "PREFIX.NAME VALUE"; in JSON, add members to the open object. base: the
 * struct. Thread: control.
 */
void out_fields(struct out *o, const char *prefix, const struct field *fields, size_t n,
	const void *base);
