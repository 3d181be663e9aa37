/* A JSON writer whose output is always valid: escapes, commas, nesting, repeated keys. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct err;

#define JSON_DEPTH 32 /* deeper objects and arrays are left out */

struct json_level {
	bool array;
	size_t n;    /* elements written */
	char **keys; /* an object's keys so far, ours */
	size_t keys_n, keys_room;
};

struct json {
	FILE *file; /* the caller's */
	bool lost;  /* there was no memory to remember a key */
	unsigned int depth;
	unsigned int skipped; /* levels opened beyond JSON_DEPTH */
	struct json_level level[JSON_DEPTH];
};

/* Begin inside an object (or array) whose first bracket and last bracket are the caller's. */
void out_json_init(struct json *j, FILE *file, bool array);
/* Close all that is open but the outermost level, and free the memory of keys. */
void out_json_finish(struct json *j);

/* A key of the current object is taken: a later value of that name gets another. */
void out_json_reserve(struct json *j, const char *key);

/*
 * Nested objects and arrays. key is ignored in an array; out_json_leave() at the outermost level
 * does nothing.
 */
void out_json_enter(struct json *j, const char *key, bool array);
void out_json_leave(struct json *j);

/* One value. */
void out_json_u64(struct json *j, const char *key, uint64_t value);
void out_json_i64(struct json *j, const char *key, int64_t value);
void out_json_f64(struct json *j, const char *key, double value);
void out_json_bool(struct json *j, const char *key, bool value);
/* value: NULL becomes null; n bytes of it, invalid UTF-8 replaced by U+FFFD. */
void out_json_str(struct json *j, const char *key, const char *value, size_t n);

/* A string with its quotes, to any file. */
void out_json_quote(FILE *file, const char *value, size_t n);

/*
 * A failure as an object, to any file; its column counts from 1, as people and editors do. where:
 * "file:line", or NULL.
 */
void out_json_err(FILE *file, const struct err *e, const char *where);

/* An object or array that is collected in memory, without its brackets. */
struct json_part {
	struct json json;
	FILE *file; /* NULL: not begun, ended, or no memory to begin */
	char *text; /* with a NUL behind it; NULL: nothing was written */
	size_t size, room;
	bool lost; /* there was not enough memory: text is not complete */
};

/*
 * Begin to collect; end it, text, size and lost being good from then on; free it, ended or not. The
 * part must not move in between.
 */
void out_json_part_open(struct json_part *p, bool array);
void out_json_part_close(struct json_part *p);
void out_json_part_free(struct json_part *p);
