/* Parse small JSON files from left to right: the caller asks for the token that it expects. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct err;

struct json_read {
	const char *text; /* owned by the caller, NUL-terminated */
	size_t at;
	bool first; /* no member or element of the last begun object or array was read yet */
};

/*
 * json_read_begin() reads the begin of an object '{' or of an array '['. json_read_more() returns 1
 * if another member or element follows; else it reads the end, '}' or ']', and returns 0. Both
 * return -EINVAL with line and column in e if the text is something else.
 */
int json_read_begin(struct json_read *j, char begin, struct err *e);
int json_read_more(struct json_read *j, char end, struct err *e);

/*
 * Read an object: member() is called for each member, has to read its value, and returns 0, or -errno
 * with e filled, which ends this. Returns 0; what member() returned; -EINVAL as json_read_begin(), also
 * for a key of JSON_KEY_BYTES and more.
 */
#define JSON_KEY_BYTES 32
int json_read_object(struct json_read *j,
	int (*member)(struct json_read *j, const char *key, void *ctx, struct err *e), void *ctx,
	struct err *e);

/*
 * Read a member's name with its colon, a string, or a number. Escapes become UTF-8; a NUL is refused.
 * n: size of text with its NUL; longer strings are refused. EINVAL, as json_read_begin().
 */
int json_read_key(struct json_read *j, char *text, size_t n, struct err *e);
int json_read_string(struct json_read *j, char *text, size_t n, struct err *e);
int json_read_number(struct json_read *j, double *number, struct err *e);

/* Read true or false. EINVAL. */
int json_read_bool(struct json_read *j, bool *value, struct err *e);

/* Return whether a string comes next. */
bool json_read_is_string(struct json_read *j);

/* Check that nothing follows. EINVAL. */
int json_read_end(struct json_read *j, struct err *e);

/* Fill e with an error at the current position: "line 3, column 7: WHAT". Returns -EINVAL. */
int json_read_fail(const struct json_read *j, struct err *e, const char *what);
