/* A string buffer that grows as needed, and parsers of amounts and lists of numbers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include "base/base.h"
#include "base/err.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES 320
#define ROOM_BYTES 4096

void
text_add(struct text *t, const char *fmt, ...)
{
	char piece[PIECE_BYTES];
	va_list ap;
	char *more;
	size_t n;

	va_start(ap, fmt);
	vsnprintf(piece, sizeof(piece), fmt, ap);
	va_end(ap);
	n = strlen(piece);
	if (t->n + n + 1 > t->room && !t->cut) {
		more = realloc(t->bytes, 2 * t->room + n + ROOM_BYTES);
		t->cut = more == NULL;
		if (more != NULL) {
			t->bytes = more;
			t->room = 2 * t->room + n + ROOM_BYTES;
		}
	}
	if (t->cut)
		return;
	memcpy(t->bytes + t->n, piece, n + 1);
	t->n += n;
}

/*
 * Return the length of the next piece that must not be broken: at most room bytes, if there is a
 * place to break.
 */
static size_t
piece_bytes(const char *words, size_t room)
{
	const size_t whole = strcspn(words, " ");
	size_t n = 0, next;

	if (whole <= room)
		return whole;
	for (;;) {
		next = n + strcspn(words + n, "|, ");
		if (words[next] != '|' && words[next] != ',')
			return n > 0 ? n : whole;
		if (n > 0 && next + 1 > room)
			return n;
		n = next + 1;
	}
}

void
text_wrap(struct text *t, const char *words, size_t indent, size_t columns)
{
	const size_t room = columns > indent + 8 ? columns - indent : 8;
	size_t used = 0, n, i;
	bool blank = false;

	for (; *words != '\0'; words += n) {
		if (*words == ' ') {
			blank = true;
			n = 1;
			continue;
		}
		n = piece_bytes(words, room);
		if (used > 0 && used + blank + n > room) {
			text_add(t, "\n%*s", (int)indent, "");
			used = 0;
		} else if (blank && used > 0) {
			text_add(t, " ");
			used++;
		}
		for (i = 0; i < n; i += 256)
			text_add(t, "%.*s", (int)(n - i < 256 ? n - i : 256), words + i);
		used += n;
		blank = false;
	}
}

void
text_clear(struct text *t)
{
	t->n = 0;
	if (t->bytes != NULL)
		t->bytes[0] = '\0';
}

const char *
text_scaled(char to[TEXT_SCALED_BYTES], int decimals, double value, const char *unit)
{
	static const char prefix[] = { 'k', 'M', 'G', 'T' };
	size_t n = 0;

	while (n < ARRAY_SIZE(prefix) && value >= 999.95) {
		value /= 1000;
		n++;
	}
	if (n == 0)
		snprintf(to, TEXT_SCALED_BYTES, "%.4g %s", value, unit);
	else if (decimals < 0)
		snprintf(to, TEXT_SCALED_BYTES, "%.4g %c%s", value, prefix[n - 1], unit);
	else
		snprintf(to, TEXT_SCALED_BYTES, "%.*f %c%s", decimals, value, prefix[n - 1], unit);
	return to;
}

/* Parse an amount that a user writes: a decimal number and its unit. */

#define DIGITS "0123456789"

bool
text_amount(const char *word, double *number, const char **unit)
{
	size_t whole = strspn(word, DIGITS), part = 0;
	char *end;

	if (word[whole] == '.')
		part = strspn(word + whole + 1, DIGITS);
	if (whole == 0 || (word[whole] == '.' && part == 0))
		return false;
	*unit = word + whole + (part > 0 ? part + 1 : 0);
	*number = strtod(word, &end);
	return end == *unit; /* refuses 0x10 and 1e3, which strtod() accepts */
}

enum kind { TIME, COUNT, PACKETS, RATE, BITS };

/*
 * Units and prefixes that are written behind a number, and how many of the least of its kind one is.
 * Bytes, descriptors and mbufs have no prefix: half of the readers take "1k" of them for 1024 (as fio
 * does), and testpmd, whose scripts run here, has only plain numbers.
 */
static const struct unit {
	const char *name;
	enum kind kind;
	double n;
} units[] = {
	{ "ns", TIME, 1 },
	{ "us", TIME, 1e3 },
	{ "ms", TIME, 1e6 },
	{ "s", TIME, 1e9 },
	{ "min", TIME, 60e9 },
	{ "h", TIME, 3600e9 },
	{ "flows", COUNT, 1 },
	{ "k", COUNT, 1e3 },
	{ "M", COUNT, 1e6 },
	{ "packets", PACKETS, 1 },
	{ "k", PACKETS, 1e3 },
	{ "M", PACKETS, 1e6 },
	{ "G", PACKETS, 1e9 },
	{ "packets/s", RATE, 1 },
	{ "pps", RATE, 1 },
	{ "kpps", RATE, 1e3 },
	{ "Mpps", RATE, 1e6 },
	{ "k", RATE, 1e3 },
	{ "M", RATE, 1e6 },
	{ "Mbit/s", BITS, 1 },
	{ "Mbps", BITS, 1 },
	{ "Gbps", BITS, 1e3 },
	{ "M", BITS, 1 },
	{ "G", BITS, 1e3 },
};

static const struct unit *
unit_find(const char *name, enum kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (units[i].kind == kind && strcmp(units[i].name, name) == 0)
			return &units[i];
	return NULL;
}

double
text_seconds(double number, const char *unit)
{
	const struct unit *of = unit_find(*unit == '\0' ? "s" : unit, TIME);

	return of != NULL ? number * of->n / 1e9 : 0;
}

double
text_packets(double number, const char *unit)
{
	const struct unit *of = unit_find(unit, PACKETS);

	return of != NULL ? number * of->n : 0;
}

int
text_amount_check(const char *word, double *number, const char **unit, struct err *e)
{
	if (!text_amount(word, number, unit) ||
		(**unit != '\0' && unit_find(*unit, TIME) == NULL &&
			unit_find(*unit, PACKETS) == NULL))
		return err_set(e, EINVAL,
			"\"%s\" is not an amount: expected a number, then ns, us, ms, s, min, h, packets, or k, M, G packets",
			word);
	if (*number <= 0)
		return err_set(e, ERANGE, "%s: expected a number above 0", word);
	if (*number > 1e15)
		return err_set(e, ERANGE, "%s: expected at most 1e15", word);
	return 0;
}

bool
text_quantity(const char *word, const char *unit, uint64_t *number)
{
	const struct unit *own = NULL, *typed;
	const char *name;
	double value;

	for (size_t i = 0; i < ARRAY_SIZE(units) && own == NULL; i++)
		own = strcmp(units[i].name, unit) == 0 ? &units[i] : NULL;
	if (own == NULL || !text_amount(word, &value, &name) ||
		(typed = unit_find(name, own->kind)) == NULL)
		return false;
	value = value * typed->n / own->n;
	*number = (uint64_t)(value + 0.5);
	return value < 1e15 && fabs(value - (double)*number) <= 1e-9 * value;
}

/* Parse lists of numbers and ranges, "0,2-4", in options and settings. */

/* Parse one "a" or "a-b" at *p and advance *p past it. */
static int
range(const char **p, unsigned long *from, unsigned long *to)
{
	char *end;

	if (**p < '0' || **p > '9')
		return -EINVAL;
	*from = *to = strtoul(*p, &end, 10);
	if (*end == '-') {
		if (end[1] < '0' || end[1] > '9')
			return -EINVAL;
		*to = strtoul(end + 1, &end, 10);
	}
	*p = end;
	return *to < *from || *to > UINT16_MAX ? -ERANGE : 0;
}

int
text_numbers(const char *what, const char *value, uint16_t *list, unsigned int max, unsigned int *n,
	struct err *e)
{
	unsigned long from, to;
	const char *p = value;

	for (*n = 0;; p++) {
		if (range(&p, &from, &to) != 0 || (*p != ',' && *p != '\0'))
			return err_set(e, EINVAL,
				"%s \"%s\": expected numbers and ranges such as 0,2-4", what,
				value);
		for (; from <= to; from++) {
			if (*n == max)
				return err_set(e, E2BIG, "%s \"%s\": expected at most %u numbers",
					what, value, max);
			list[(*n)++] = (uint16_t)from;
		}
		if (*p == '\0')
			return 0;
	}
}

size_t
text_hex(const char *word, uint8_t *bytes, size_t max)
{
	const size_t digits = strspn(word, "0123456789abcdefABCDEF");

	for (size_t i = 0; i < digits / 2 && i < max; i++)
		bytes[i] = (uint8_t)strtoul((const char[]){ word[2 * i], word[2 * i + 1], '\0' },
			NULL, 16);
	return digits;
}
