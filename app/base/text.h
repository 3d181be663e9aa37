/* A string buffer that grows as needed, and parsers of amounts ("0.5s") and lists of numbers ("0,2-4"). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* All zero: an empty buffer. */
struct text {
	char *bytes; /* NUL-terminated, NULL while empty; free() it */
	size_t n, room;
	bool cut; /* out of memory: nothing more is added */
};

/* Append formatted text, truncated to 319 bytes. Thread: the text's owner. */
void text_add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Append words in lines of at most columns; the first begins in column indent, the others get
 * indent blanks in front. Lines break at blanks, and after | or , if a single word is too long.
 * Thread: the text's owner.
 */
void text_wrap(struct text *t, const char *words, size_t indent, size_t columns);

/* Empty the buffer, but keep its memory. */
void text_clear(struct text *t);

#define TEXT_SCALED_BYTES 40

/*
 * Write value with a decimal prefix and its unit: "61 pps", "163.270 kpps", "4.692 Gb/s". decimals:
 * of a number with a prefix; below 0: 4 digits in all, as for numbers without a prefix. Returns to.
 */
const char *text_scaled(char to[TEXT_SCALED_BYTES], int decimals, double value, const char *unit);

/* Parse an amount that a user writes: a decimal number and its unit ("10", "0.5s",
 * "1000packets"). */

/*
 * Split word into a decimal number, with or without a fraction, and its unit ("" if there is none).
 * Signs, exponents and 0x are not accepted. Returns false if word does not begin with a number.
 */
bool text_amount(const char *word, double *number, const char **unit);

/*
 * Split word as text_amount() does, and check that it is a duration or a packet count: above 0, at
 * most 1e15, unit "" or one that text_seconds() or text_packets() knows. EINVAL: not an amount;
 * ERANGE: out of bounds.
 */
int text_amount_check(const char *word, double *number, const char **unit, struct err *e);

/* Return the seconds of a number in a unit of time; without a unit it is in seconds. 0: another unit. */
double text_seconds(double number, const char *unit);

/* Return the packets of a number of "packets", or of thousands "k", "M", "G". 0: another unit. */
double text_packets(double number, const char *unit);

/*
 * Read a number with a unit that is written behind it as a number of another unit of its kind: "10ms"
 * of "us", "2Mpps" or "2M" of "packets/s", "10k" of "flows", "10G" of "Mbit/s". Returns false if word
 * has no such unit, is no whole number of the other one, or units of that kind are not known.
 */
bool text_quantity(const char *word, const char *unit, uint64_t *number);

/* Parse lists of numbers and ranges, "0,2-4", in options and settings. */

/*
 * Parse value into list[0..max) and store the count in *n; the order is kept. what: name of the
 * option or setting, for the error. EINVAL: not a list; E2BIG: more than max numbers.
 */
int text_numbers(const char *what, const char *value, uint16_t *list, unsigned int max,
	unsigned int *n, struct err *e);

/*
 * Read hexadecimal digits, two per byte, into bytes[0..max); digits beyond them are only counted.
 * Returns the number of digits at the begin of word: an odd one has no byte.
 */
size_t text_hex(const char *word, uint8_t *bytes, size_t max);
