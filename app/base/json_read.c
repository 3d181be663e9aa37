/* Parse JSON token by token. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json_read.h"

#include "base/err.h"

#include <errno.h>
#include <math.h>
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

/* Read four digits of \uXXXX; -1: there are not four. */
static long
hex4(const char *text)
{
	char digits[5] = "";

	if (strspn(text, "0123456789abcdefABCDEF") < 4)
		return -1;
	memcpy(digits, text, 4);
	return strtol(digits, NULL, 16);
}

/* Write a character as UTF-8 to to[4]. Returns its bytes. */
static size_t
utf8_write(char *to, unsigned long c)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	const size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(lead[n] | c);
	return n;
}

/*
 * Read an escape behind its backslash, to[4]. Returns the bytes written; 0: it is none that JSON has,
 * or a NUL, which no text here may contain.
 */
static size_t
escape_read(struct json_read *j, char *to)
{
	static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char c = j->text[j->at++], *letter = c != '\0' ? strchr(letters, c) : NULL;
	long n, low;

	if (letter != NULL) {
		*to = values[letter - letters];
		return 1;
	}
	n = c == 'u' ? hex4(j->text + j->at) : -1;
	if (n <= 0)
		return 0;
	j->at += 4;
	if (n >= 0xdc00 && n < 0xe000)
		return 0;
	if (n < 0xd800 || n >= 0xe000)
		return utf8_write(to, (unsigned long)n);
	low = strncmp(j->text + j->at, "\\u", 2) == 0 ? hex4(j->text + j->at + 2) : -1;
	if (low < 0xdc00 || low >= 0xe000)
		return 0;
	j->at += 6;
	return utf8_write(to,
		0x10000 + (((unsigned long)n - 0xd800) << 10) + (unsigned long)(low - 0xdc00));
}

int
json_read_string(struct json_read *j, char *text, size_t n, struct err *e)
{
	size_t bytes = 0, more, begin;
	char one[4];

	if (next(j) != '"')
		return json_read_fail(j, e, "expected a string");
	begin = ++j->at;
	for (; (one[0] = j->text[j->at]) != '"' && bytes < n; bytes += more) {
		const bool ends = one[0] == '\0' || one[0] == '\n';

		j->at = ends ? begin : j->at + 1;
		if (ends)
			return json_read_fail(j, e, "the string has no end");
		more = one[0] == '\\' ? escape_read(j, one) : 1;
		if (more == 0)
			return json_read_fail(j, e, "unknown escape in the string");
		memcpy(text + bytes, one, more < n - bytes ? more : n - bytes);
	}
	j->at = bytes < n ? j->at + 1 : begin;
	if (bytes >= n)
		return json_read_fail(j, e, "the string is too long");
	text[bytes] = '\0';
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
json_read_object(struct json_read *j,
	int (*member)(struct json_read *j, const char *key, void *ctx, struct err *e), void *ctx,
	struct err *e)
{
	char key[JSON_KEY_BYTES];
	int ret = json_read_begin(j, '{', e);

	while (ret == 0 && (ret = json_read_more(j, '}', e)) == 1) {
		ret = json_read_key(j, key, sizeof(key), e);
		if (ret == 0)
			ret = member(j, key, ctx, e);
	}
	return ret;
}

int
json_read_number(struct json_read *j, double *number, struct err *e)
{
	const char c = next(j);
	const char *begin = j->text + j->at;
	char *end;

	*number = strtod(begin, &end);
	if ((c != '-' && (c < '0' || c > '9')) || !isfinite(*number) ||
		end != begin + strspn(begin, "-+.0123456789eE") || end == begin)
		return json_read_fail(j, e, "expected a number");
	j->at = (size_t)(end - j->text);
	return 0;
}

int
json_read_bool(struct json_read *j, bool *value, struct err *e)
{
	static const char *const words[] = { "false", "true" };

	for (size_t i = 0; i < 2; i++) {
		const size_t n = strlen(words[i]);

		next(j);
		if (strncmp(j->text + j->at, words[i], n) != 0)
			continue;
		j->at += n;
		*value = i == 1;
		return 0;
	}
	return json_read_fail(j, e, "expected true or false");
}

int
json_read_end(struct json_read *j, struct err *e)
{
	return next(j) == '\0' ? 0 : json_read_fail(j, e, "expected the end of the file");
}
