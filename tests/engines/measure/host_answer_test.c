/* What a port with addresses answers: requests and their answers byte for byte, and every request that is
 * cut, or has one wrong bit, is left alone. Each packet lies in its own piece of heap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/host_answer.h"

#include "base/err.h"
#include "fixtures/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MAX 2048

static const struct rte_ether_addr own = { { 2, 0, 0, 0, 0, 0xaa } };
static struct hosts hosts;

static int
begin(void **state)
{
	static const struct {
		uint16_t port;
		const char *address;
		struct rte_ether_addr mac;
	} rows[] = { { 0, "10.0.0.2/24" }, { 0, "192.0.2.9" }, { 1, "10.0.0.3/24" },
		{ 0, "2001:db8::2/64" }, { 0, "fe80::aa" }, { 1, "2001:db8::3/64" },
		{ 0, "10.0.0.7/24", { { 2, 0, 0, 0, 0, 0xbb } } },
		{ 0, "2001:db8::7/64", { { 2, 0, 0, 0, 0, 0xbb } } } };
	struct err e;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(hosts_add(&hosts, rows[i].port, rows[i].address, &rows[i].mac, &e),
			0);
	return 0;
}

/* Let port 0 have the frame. Returns the bytes of the answer, which is in frame; 0: there is none. */
static unsigned int
answered(uint8_t *frame, unsigned int n)
{
	struct rte_mbuf m = { .nb_segs = 1, .data_len = (uint16_t)n, .pkt_len = n };
	unsigned int bytes = 0;

	m.buf_addr = malloc(n + HOST_ANSWER_GROWTH);
	assert_non_null(m.buf_addr);
	memcpy(m.buf_addr, frame, n);
	if (host_answer_may(&m) && host_answer_make(&m, &hosts, 0, &own)) {
		bytes = m.data_len;
		assert_int_equal(m.pkt_len, bytes);
		assert_true(bytes <= n + HOST_ANSWER_GROWTH);
		memcpy(frame, m.buf_addr, bytes);
	}
	free(m.buf_addr);
	return bytes;
}

static unsigned int
hex_read(const char *text, uint8_t *to)
{
	unsigned int n = 0;
	int used;

	for (; sscanf(text, "%2hhx%n", &to[n], &used) == 1; text += used)
		n++;
	return n;
}

/* The end of the packet; bytes behind it are padding. */
static unsigned int
end_of(const uint8_t *frame, unsigned int n)
{
	switch (frame[12] << 8 | frame[13]) {
	case RTE_ETHER_TYPE_ARP: return 14 + 28;
	case RTE_ETHER_TYPE_IPV4: return 14 + (frame[16] << 8 | frame[17]);
	case RTE_ETHER_TYPE_IPV6: return 14 + 40 + (frame[18] << 8 | frame[19]);
	default: return n; /* a tag: no case has padding behind one */
	}
}

/* A frame that is cut anywhere, or has a wrong bit where a checksum sees it, has no answer. */
static void
spoilt(const uint8_t *frame, unsigned int n)
{
	const unsigned int whole = end_of(frame, n);
	uint8_t copy[FRAME_MAX];

	for (unsigned int i = 0; i < whole; i++) {
		memcpy(copy, frame, i);
		assert_int_equal(answered(copy, i), 0);
	}
	if (frame[12] != 0x86 && (frame[12] != 0x08 || frame[13] != 0))
		return;
	for (unsigned int i = 14; i < whole; i++) {
		memcpy(copy, frame, n);
		copy[i] ^= (uint8_t)(1 << i % 8);
		/* The version, class, flow label and hop limit of IPv6 are in no checksum. */
		if (frame[12] == 0x08 || (i >= 18 && i != 21))
			assert_int_equal(answered(copy, n), 0);
	}
}

static int
packet_read(const char *input, char *result, size_t size, struct err *e)
{
	uint8_t frame[FRAME_MAX] = { 0 }, before[FRAME_MAX];
	const unsigned int n = hex_read(input, frame);
	unsigned int bytes;

	memcpy(before, frame, n);
	bytes = answered(frame, n);
	if (bytes == 0)
		snprintf(result, size, "-");
	for (unsigned int i = 0; i < bytes; i++)
		snprintf(result + 2 * i, size - 2 * i, "%02x", frame[i]);
	if (bytes > 0)
		spoilt(before, n);
	return 0;
}

CASES("engines/measure/host_answer", { "packets", packet_read, false });

/* Noise in place of a few bytes: nothing is read or written past an end. */
TEST(hostile)
{
	static const char *const seeds[] = {
		"ffffffffffff02000000000108060001080006040001020000000001"
		"0a0000010000000000000a000002",
		"3333ff00000202000000000186dd6000000000203aff20010db8000000000000000000000001"
		"ff0200000000000000000001ff00000287009f2f0000000020010db8000000000000000000000002"
		"0101020000000001",
	};

	for (unsigned int i = 0; i < 40000; i++) {
		uint8_t frame[FRAME_MAX] = { 0 };
		unsigned int n = hex_read(seeds[i % 2], frame);

		for (unsigned int k = 0; k < 3; k++)
			frame[12 + (unsigned int)rand() % (n - 12)] = (uint8_t)rand();
		answered(frame, 1 + (unsigned int)rand() % n);
	}
}

TESTS(.setup = begin);
