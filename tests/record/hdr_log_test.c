/* Logs of histograms: the bytes are those that HdrHistogram 2.2.2 (Java) writes, and lines have times and
 * maximum in their units. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/hdr_log.h"

#include "base/base.h"
#include "fixtures/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct counted {
	uint64_t value, n;
};

/* Histograms, and what encodeIntoByteBuffer() of HdrHistogram's class Histogram wrote for them. */
static const struct {
	struct counted counted[8]; /* up to n 0 */
	const char *bytes;
} vectors[] = {
	{ { { 0, 0 } },
		"1c849313000000010000000000000003000000000000000100000003ffffffff3ff000000000000000" },
	{ { { 0, 2 }, { 1, 1 }, { 3, 70 }, { 2047, 1000000 }, { 2048, 3 },
		  { 123456789, UINT64_C(1) << 40 },
		  { (UINT64_C(1) << 34) - 1, UINT64_C(0x7fffffffffff) } },
		"1c8493130000001d0000000000000003000000000000000100000003ffffffff3ff0000000000000"
		"0402008c01f51f80897a06b3fd01808080808040c572feffffffffff3f" },
};

static struct hdr_copy *
filled(const struct counted *counted)
{
	struct hdr_copy *h = calloc(1, sizeof(*h));

	for (unsigned int i = 0; i < 8 && counted[i].n > 0; i++) {
		h->cell[hdr_index(counted[i].value)] += counted[i].n;
		h->total += counted[i].n;
	}
	return h;
}

/* Decode base64 into to[]. Returns the number of bytes. */
static size_t
decode(const char *text, uint8_t *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t word = 0;
	size_t n = 0;

	assert_int_equal(strlen(text) % 4, 0);
	for (size_t i = 0; text[i] != '\0'; i++) {
		const char *at = text[i] == '=' ? digits : strchr(digits, text[i]);

		assert_non_null(at);
		word = word << 6 | (uint32_t)(at - digits);
		if (i % 4 != 3)
			continue;
		to[n++] = (uint8_t)(word >> 16);
		to[n++] = (uint8_t)(word >> 8);
		to[n++] = (uint8_t)word;
	}
	return n - (strchr(text, '=') != NULL ? strlen(strchr(text, '=')) : 0);
}

TEST(bytes)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct hdr_copy *h = filled(vectors[i].counted);
		char *text = hdr_log_encode(h), hex[2 * 512 + 1];
		uint8_t packed[1024], plain[512];
		uLongf n = sizeof(plain);
		size_t got;

		assert_non_null(text);
		got = decode(text, packed);
		/* Its cookie, and the length of the rest. */
		assert_memory_equal(packed, "\x1c\x84\x93\x14\x00\x00", 6);
		assert_int_equal((size_t)packed[6] << 8 | packed[7], got - 8);
		assert_int_equal(uncompress(plain, &n, packed + 8, got - 8), Z_OK);
		for (size_t k = 0; k < n; k++)
			snprintf(hex + 2 * k, 3, "%02x", plain[k]);
		assert_string_equal(hex, vectors[i].bytes);
		free(text);
		free(h);
	}
}

/* Counts of every length, in cells that follow each other or not, come back as they were. */
TEST(counts)
{
	struct hdr_copy *h = calloc(1, sizeof(*h));
	uint8_t *packed, *plain = malloc(512 * 1024);
	uLongf n = 512 * 1024;
	unsigned int cell = 0;
	const uint8_t *at;
	size_t got;
	char *text;

	for (unsigned int i = 0; i < HDR_CELLS; i += 1 + i / 3 % 9)
		h->cell[i] = (UINT64_C(1) << i % 63) + i;
	text = hdr_log_encode(h);
	packed = malloc(strlen(text));
	got = decode(text, packed);
	assert_int_equal(uncompress(plain, &n, packed + 8, got - 8), Z_OK);
	for (at = plain + 40; at < plain + n;) {
		uint64_t number = 0;

		for (unsigned int i = 0; i < 9; i++) {
			const uint64_t byte = *at++;

			number |= (i < 8 ? byte & 0x7f : byte) << 7 * i;
			if (i < 8 && byte < 0x80)
				break;
		}
		if ((number & 1) == 0) {
			assert_true(h->cell[cell++] == number >> 1);
			continue;
		}
		for (uint64_t zeros = (number >> 1) + 1; zeros > 0; zeros--)
			assert_true(h->cell[cell++] == 0);
	}
	while (cell < HDR_CELLS)
		assert_true(h->cell[cell++] == 0);
	free(plain);
	free(packed);
	free(text);
	free(h);
}

TEST(lines)
{
	static const struct counted counted[8] = { { 5000, 1 }, { 1234567, 2 } };
	struct hdr_copy *h = filled(counted);
	char *head = hdr_log_head("1.2.3", "4.5-6", UINT64_C(1795791855044999999)),
	     *code = hdr_log_encode(h),
	     *line = hdr_log_line(&(struct hdr_log_interval){ "port0.queue1.latency",
					  UINT64_C(1999999), UINT64_C(61000000001) },
		     h);
	char expected[256];

	assert_string_equal(head,
		"#[Histogram log format version 1.3]\n"
		"#[Written by zcfwd 1.2.3: values are nanoseconds, Interval_Max is in milliseconds, times are seconds]\n"
		"#[Recording: 4.5-6]\n"
		"#[StartTime: 1795791855.044 (seconds since epoch), 2026-11-27T15:04:15Z]\n"
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n");
	/* The maximum is the end of its cell; intervals that follow each other meet. */
	snprintf(expected, sizeof(expected), "Tag=port0.queue1.latency,0.001,61.001,1.234943,%s\n",
		code);
	assert_string_equal(line, expected);
	free(line);
	free(code);
	free(head);
	free(h);
}
