/* Parse JSON token by token. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json_read.h"

#include "base/err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char
next(struct json_read *j)
{
	j->at += strspn(j->text + j->at, " \t\r\n");
	return j->text[j->at];
}

int
json_read_fail(const struct json_read *j, struct err *e, const char *what)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < j->at; i++) {
		column = j->text[i] == '\n' ? 1 : column + 1;
		line += j->text[i] == '\n';
	}
	return err_set(e, EINVAL, "line %zu, column %zu: %s", line, column, what);
}

int
json_read_begin(struct json_read *j, char begin, struct err *e)
{
	if (next(j) != begin)
		return json_read_fail(j, e, begin == '{' ? "expected {" : "expected [");
	j->at++;
	j->first = true;
	return 0;
}

int
json_read_more(struct json_read *j, char end, struct err *e)
{
	const bool first = j->first;

	j->first = false;
	if (next(j) == end) {
		j->at++;
		return 0;
	}
	if (first)
		return 1;
	if (j->text[j->at] != ',')
		return json_read_fail(j, e, end == '}' ? "expected , or }" : "expected , or ]");
	j->at++;
	return 1;
}

bool
json_read_is_string(struct json_read *j)
{
	return next(j) == '"';
}

/* Escapes are refused: the files hold names, numbers and words of flow rules, which need none. */
int
json_read_string(struct json_read *j, char *text, size_t n, struct err *e)
{
	size_t bytes;

	if (next(j) != '"')
		return json_read_fail(j, e, "expected a string");
	j->at++;
	bytes = strcspn(j->text + j->at, "\"\\\n");
	if (j->text[j->at + bytes] != '"')
		return json_read_fail(j, e, "the string has no end, or contains a \\");
	if (bytes >= n)
		return json_read_fail(j, e, "the string is too long");
	memcpy(text, j->text + j->at, bytes);
	text[bytes] = '\0';
	j->at += bytes + 1;
	return 0;
}

int
json_read_key(struct json_read *j, char *text, size_t n, struct err *e)
{
	int ret = json_read_string(j, text, n, e);

	if (ret == 0 && next(j) != ':')
		ret = json_read_fail(j, e, "expected :");
	if (ret == 0)
		j->at++;
	return ret;
}

int
json_read_number(struct json_read *j, double *number, struct err *e)
{
	const char c = next(j);
	char *end;

	*number = strtod(j->text + j->at, &end);
	if ((c != '-' && (c < '0' || c > '9')) || end == j->text + j->at)
		return json_read_fail(j, e, "expected a number");
	j->at = (size_t)(end - j->text);
	return 0;
}

int
json_read_end(struct json_read *j, struct err *e)
{
	return next(j) == '\0' ? 0 : json_read_fail(j, e, "expected the end of the file");
}
