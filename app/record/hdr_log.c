/* Encodes histograms as HdrHistogram does: counts as ZigZag LEB128 with runs of zeros, zlib,
 * base64. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/hdr_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#define DIGITS 3
/* Cookies of encoding 2; 0x10: words of 64 bits (AbstractHistogram.java). */
#define COOKIE 0x1c849313u
#define COOKIE_COMPRESSED 0x1c849314u
/* Cookie, length, index offset, digits: 4 bytes each; lowest, highest, ratio: 8 bytes each. */
#define HEAD_BYTES 40
#define HEAD_COMPRESSED_BYTES 8
#define LEB_MAX 9 /* bytes of a number */
#define NS_PER_MS 1000000
#define MS_PER_S 1000

/* Write the last n bytes of a number, big endian. Returns where the next one begins. */
static uint8_t *
put(uint8_t *at, uint64_t value, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		at[i] = (uint8_t)(value >> 8 * (n - 1 - i));
	return at + n;
}

/*
 * Write a number as ZigZag LEB128: the sign is the lowest bit, seven bits a byte from the lowest on,
 * eight in the ninth.
 */
static uint8_t *
put_zigzag(uint8_t *at, int64_t value)
{
	uint64_t rest = (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);

	for (unsigned int i = 1; i < LEB_MAX && rest > 0x7f; i++) {
		*at++ = (uint8_t)(rest | 0x80);
		rest >>= 7;
	}
	*at++ = (uint8_t)rest;
	return at;
}

/* Write head and counts to at[0..HEAD_BYTES + HDR_CELLS * LEB_MAX). Returns the number of bytes. */
static size_t
raw(const struct hdr_copy *h, uint8_t *const begin)
{
	const unsigned int n = hdr_index(hdr_max(h)) + 1;
	const double ratio = 1;
	uint64_t ratio_bits;
	uint8_t *at = begin + HEAD_BYTES;

	for (unsigned int i = 0; i < n;) {
		unsigned int zeros = 0;

		while (i + zeros < n && h->cell[i + zeros] == 0)
			zeros++;
		if (zeros > 1)
			at = put_zigzag(at, -(int64_t)zeros);
		else
			at = put_zigzag(at, (int64_t)h->cell[i]);
		i += zeros > 1 ? zeros : 1;
	}
	memcpy(&ratio_bits, &ratio, sizeof(ratio_bits));
	put(begin, COOKIE, 4);
	put(begin + 4, (uint64_t)(at - begin - HEAD_BYTES), 4);
	put(begin + 8, 0, 4);
	put(begin + 12, DIGITS, 4);
	put(begin + 16, 1, 8);
	put(begin + 24, HDR_HIGHEST, 8);
	put(begin + 32, ratio_bits, 8);
	return (size_t)(at - begin);
}

/* Return base64 of from[0..n), RFC 4648; NULL: no memory. */
static char *
base64(const uint8_t *from, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = malloc((n + 2) / 3 * 4 + 1), *to = text;

	if (text == NULL)
		return NULL;
	for (size_t i = 0; i < n; i += 3) {
		const size_t bytes = n - i < 3 ? n - i : 3;
		const uint32_t word = (uint32_t)from[i] << 16 |
			(bytes > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
			(bytes > 2 ? from[i + 2] : 0u);

		for (unsigned int k = 0; k < 4; k++)
			*to++ = k <= bytes ? digits[word >> (18 - 6 * k) & 63] : '=';
	}
	*to = '\0';
	return text;
}

char *
hdr_log_encode(const struct hdr_copy *h)
{
	const size_t most = HEAD_BYTES + (size_t)HDR_CELLS * LEB_MAX;
	uLongf bytes = compressBound(most);
	uint8_t *plain = malloc(most), *packed = malloc(HEAD_COMPRESSED_BYTES + bytes);
	char *text = NULL;

	if (plain != NULL && packed != NULL &&
		compress(packed + HEAD_COMPRESSED_BYTES, &bytes, plain, raw(h, plain)) == Z_OK) {
		put(packed, COOKIE_COMPRESSED, 4);
		put(packed + 4, bytes, 4);
		text = base64(packed, HEAD_COMPRESSED_BYTES + bytes);
	}
	free(plain);
	free(packed);
	return text;
}

char *
hdr_log_head(const char *version, const char *id, uint64_t wall_ns)
{
	const uint64_t ms = wall_ns / NS_PER_MS;
	const time_t seconds = (time_t)(ms / MS_PER_S);
	char *text = NULL, date[32];
	struct tm utc;

	gmtime_r(&seconds, &utc);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
	if (asprintf(&text,
		    "#[Histogram log format version 1.3]\n"
		    "#[Written by zcfwd %s: values are nanoseconds, Interval_Max is in milliseconds, times are seconds]\n"
		    "#[Recording: %s]\n"
		    "#[StartTime: %" PRIu64 ".%03" PRIu64 " (seconds since epoch), %s]\n"
		    "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
		    version, id, ms / MS_PER_S, ms % MS_PER_S, date) < 0)
		return NULL;
	return text;
}

char *
hdr_log_line(const struct hdr_log_interval *interval, const struct hdr_copy *h)
{
	const uint64_t begin = interval->begin_ns / NS_PER_MS,
		       length = (interval->begin_ns + interval->length_ns) / NS_PER_MS - begin,
		       max = hdr_max(h);
	char *code = hdr_log_encode(h), *text = NULL;

	if (code != NULL &&
		asprintf(&text,
			"Tag=%s,%" PRIu64 ".%03" PRIu64 ",%" PRIu64 ".%03" PRIu64 ",%" PRIu64
			".%06" PRIu64 ",%s\n",
			interval->tag, begin / MS_PER_S, begin % MS_PER_S, length / MS_PER_S,
			length % MS_PER_S, max / NS_PER_MS, max % NS_PER_MS, code) < 0)
		text = NULL;
	free(code);
	return text;
}
