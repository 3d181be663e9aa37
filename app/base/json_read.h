/* JSON of small files, read from left to right: the caller asks for what it expects. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct err;

struct json_read {
	const char *text; /* the caller's, with its NUL */
	size_t at;
	bool first; /* of the members or elements of what was begun last */
};

/*
 * Begin an object '{' or an array '['; whether another member or element follows, else its end is
 * read: '}' or ']'. All: -EINVAL with e filled, line and column in it, where the text is no such
 * thing; json_read_more() else 0 or 1.
 */
int json_read_begin(struct json_read *j, char begin, struct err *e);
int json_read_more(struct json_read *j, char end, struct err *e);

/* The name of a member; a string, a number. n: bytes of text with its NUL; longer ones are refused. */
int json_read_key(struct json_read *j, char *text, size_t n, struct err *e);
int json_read_string(struct json_read *j, char *text, size_t n, struct err *e);
int json_read_number(struct json_read *j, double *number, struct err *e);

/* Whether a string comes next. */
bool json_read_is_string(struct json_read *j);

/* Nothing may follow. */
int json_read_end(struct json_read *j, struct err *e);

/* Fail at the place that is read: "line 3, column 7: WHAT". Returns -EINVAL. */
int json_read_fail(const struct json_read *j, struct err *e, const char *what);
