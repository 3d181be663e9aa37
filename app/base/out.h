/* The output layer: every result leaves the program here, as testpmd's exact text or as one JSON
 * object per command. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct err;
struct out;

enum out_format { OUT_TEXT, OUT_JSON };

enum out_nest { OUT_OBJECT, OUT_ARRAY };

/*
 * Open an output layer that writes results to results and failures to failures (both stay the
 * caller's). Returns NULL when memory is short.
 */
struct out *out_open(FILE *results, FILE *failures);

/*
 * Close it. Results that could not be written are told of with the failures, in one line. Returns
 * 0, or a positive errno value of the first.
 */
int out_close(struct out *o);

/*
 * True, as of the last flush, when nobody will ever read them: the reader of the pipe went away,
 * the terminal did, or there never was a file.
 */
bool out_gone(const struct out *o);

/* Text or JSON from the next out_begin() on. */
void out_format_set(struct out *o, enum out_format format);
enum out_format out_format(const struct out *o);

/* From now on each JSON object has "time", when its answer was complete, in UTC. */
void out_stamp(struct out *o);

/* Where results go (the file that out_open() was given): for isatty() and the line editor only. */
FILE *out_file(const struct out *o);

/*
 * The shell's own words, in text and in JSON: prompts, echoed lines, lists of candidates. Flushes.
 */
void out_prompt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Bracket the answer to one command: in JSON, everything between the two becomes one object on one
 * line, {"command": line, "ok": true, ...} or {"command": line, "ok": false, "error": {...}} when e
 * holds a failure. In text, out_end() prints the failure: the verdict with the results, the message
 * with the failures. where: "file:line" of a script, or NULL. Flushes both files. Pairs nest (a
 * script runs commands): the inner command's object comes out before the outer one's. command is
 * the caller's and stays until out_end(). If memory is short an object has no more than the command
 * ("" in a script) and the error ENOMEM, unless the command itself failed. What is said
 * outside any pair (start-up, link events) becomes an object of its own, {"messages": ["..."]}. A
 * failure is e->code != 0; an empty e->text prints nothing (it was shown already).
 */
void out_begin(struct out *o, const char *command);
void out_end(struct out *o, const struct err *e, const char *where);

/* Text only: headings, borders, padding. Nothing in JSON. */
void out_text(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * A sentence for the operator ("Done"): printed as it is; in JSON an element of "messages",
 * newlines trimmed.
 */
void out_say(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As out_say(), where testpmd says it on stderr though nothing is wrong. */
void out_note(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * As out_say(), where testpmd says it behind what failed: in text out_end() prints it below the
 * failure. last: a literal; the one given last counts.
 */
void out_say_last(struct out *o, const char *last);

/*
 * A sentence that testpmd puts on stderr though the command goes on; in JSON an element of
 * "warnings".
 */
void out_warn(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Begin and end a nested object or array; JSON only. key is ignored directly inside an array. */
void out_nest(struct out *o, const char *key, enum out_nest kind);
void out_unnest(struct out *o);

/*
 * One value in both forms. fmt has exactly one conversion, for the value (%PRIu64, %PRId64, %f,
 * %s), and is printed in text; NULL: JSON only. key names the member in JSON; NULL: text only. The
 * compiler checks fmt against the value. A key that its object has already becomes key_2, key_3;
 * NaN, infinities and a NULL string become null.
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
void out_str_fmt(struct out *o, const char *key, const char *fmt, const char *value);
/* As above for a truth value; fmt takes the %s that is yes or no. */
void out_bool(struct out *o, const char *key, const char *fmt, bool value, const char *yes,
	const char *no);

/*
 * Never called, never defined: lets the compiler check fmt, which gcc would not do for a plain
 * NULL.
 */
int out_check(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define OUT_CHECK(fmt, like, value) \
	((void)sizeof(out_check(_Generic((fmt), void * : (like), default : (fmt)), value)))
