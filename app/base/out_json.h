/* A JSON writer whose output is always valid: escapes, commas, nesting, repeated keys. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct err;

#define JSON_DEPTH 32 /* more deeply nested objects and arrays are omitted */

struct json_level {
	bool array;
	size_t n;    /* elements written */
	char **keys; /* an object's keys so far, owned by this struct */
	size_t keys_n, keys_room;
};

struct json {
	FILE *file; /* owned by the caller */
	bool lost;  /* a key could not be stored: out of memory */
	unsigned int depth;
	unsigned int skipped; /* levels opened beyond JSON_DEPTH */
	struct json_level level[JSON_DEPTH];
};

/* Begin inside an object (or array); the caller writes its brackets. */
void out_json_init(struct json *j, FILE *file, bool array);
/* Close every open level except the outermost, and free the keys. */
void out_json_finish(struct json *j);

/* Reserve a key of the current object: a later value with this key gets key_2. */
void out_json_reserve(struct json *j, const char *key);

/*
 * Begin and end a nested object or array. key is ignored in an array; out_json_leave() does nothing
 * at the outermost level.
 */
void out_json_enter(struct json *j, const char *key, bool array);
void out_json_leave(struct json *j);

/* Write one value. */
void out_json_u64(struct json *j, const char *key, uint64_t value);
void out_json_i64(struct json *j, const char *key, int64_t value);
void out_json_f64(struct json *j, const char *key, double value);
void out_json_bool(struct json *j, const char *key, bool value);
/* Write the n bytes of value, with invalid UTF-8 replaced by U+FFFD; NULL becomes null. */
void out_json_str(struct json *j, const char *key, const char *value, size_t n);

/* Write a string with its quotes to any file. */
void out_json_quote(FILE *file, const char *value, size_t n);

/*
 * Write a failure as an object to any file; its column counts from 1, as in editors. where:
 * "file:line", or NULL.
 */
void out_json_err(FILE *file, const struct err *e, const char *where);

/* An object or array built in memory, without its brackets. */
struct json_part {
	struct json json;
	FILE *file; /* NULL: not open, or out of memory */
	char *text; /* NUL-terminated; NULL: nothing was written */
	size_t size, room;
	bool lost; /* out of memory: text is incomplete */
};

/*
 * out_json_part_open() begins to collect; out_json_part_close() ends it, and text, size and lost
 * are valid from then on; out_json_part_free() frees the part, also while open. *p must not move.
 */
void out_json_part_open(struct json_part *p, bool array);
void out_json_part_close(struct json_part *p);
void out_json_part_free(struct json_part *p);

/*
 * Version of the answers' envelope, its member "schema" wherever it has "time". It changes when a
 * member is removed or gets another meaning.
 */
#define OUT_JSON_SCHEMA 1

/*
 * Write a JSON Schema of the envelope into the current object. "$defs" stays open: the caller may
 * add definitions to it, and ends it with out_json_finish().
 */
void out_json_schema(struct json *j);

/* Start a new line before the next member, where people read the file, too. */
void out_json_line(struct json *j);
