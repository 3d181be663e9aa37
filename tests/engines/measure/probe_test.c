/* The probe: what was written is read, the sum is always zero, and every damaged bit is noticed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/probe.h"

#include "base/base.h"
#include "fixtures/unit.h"

#include <rte_ip.h>

#include <stdlib.h>

enum { MOST = 300, KEY = 12345 };

static struct probe
some(void)
{
	return (struct probe){ .flow = (uint32_t)rand() & (PROBE_FLOWS_MAX - 1),
		.mark = (uint32_t)rand() & 0xfff,
		.sequence = (uint32_t)rand() * 3u,
		.due = ((uint64_t)rand() << 31 ^ (uint64_t)rand()) & PROBE_DUE_MASK };
}

/* As the receiver of a packet judges it. */
static bool
intact(const uint8_t *at, unsigned int bytes)
{
	struct probe p;
	const uint32_t sums = probe_read(at + bytes - PROBE_BYTES, &p);

	return probe_agrees(&p, KEY, sums) && probe_intact(at, bytes, &p, sums);
}

TEST(lengths)
{
	uint8_t *at = malloc(MOST); /* so that a sanitizer sees a byte too far */

	for (unsigned int bytes = PROBE_BYTES; bytes <= MOST; bytes++) {
		struct probe in = some(), out;
		uint32_t sums;

		probe_write(at, bytes, &in, KEY);
		sums = probe_read(at + bytes - PROBE_BYTES, &out);
		assert_int_equal(out.flow, in.flow);
		assert_int_equal(out.mark, in.mark);
		assert_int_equal(out.sequence, in.sequence);
		assert_int_equal(out.due, in.due);
		assert_true(probe_agrees(&out, KEY, sums));
		assert_false(probe_agrees(&out, KEY + 1, sums));
		assert_true(probe_intact(at, bytes, &out, sums));
		/* Zero in ones' complement, whatever the alignment. */
		assert_int_equal(rte_raw_cksum(at, bytes), 0xffff);
	}
	free(at);
}

TEST(bits)
{
	uint8_t at[MOST];

	for (unsigned int bytes = PROBE_BYTES; bytes <= 80; bytes++) {
		const struct probe in = some();

		probe_write(at, bytes, &in, KEY);
		for (unsigned int bit = 0; bit < bytes * 8; bit++) {
			at[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_false(intact(at, bytes));
			at[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		assert_true(intact(at, bytes));
	}
}

/* The payload of another packet, or of this one at another place. */
TEST(stale)
{
	uint8_t at[MOST], other[MOST];
	struct probe in = some(), next = in;

	next.sequence++;
	probe_write(at, MOST, &in, KEY);
	probe_write(other, MOST, &next, KEY);
	memcpy(at, other, MOST - PROBE_BYTES);
	assert_false(intact(at, MOST));
	assert_false(intact(other + 8, MOST - 16));
}

/* A probe without payload has the same bytes by both functions, whatever the sums carry. */
TEST(alone)
{
	static const uint64_t edges[] = { 0, 1, 0xffff, 0x10000, 0xffff0000, 0xfffffffe,
		0xffffffff };
	uint8_t one[PROBE_BYTES], other[PROBE_BYTES];

	for (unsigned int i = 0; i < 1000000; i++) {
		struct probe p = some();
		struct probe_due due;

		if (i % 2 == 0) {
			p.sequence = (uint32_t)edges[i / 2 % ARRAY_SIZE(edges)];
			p.due = edges[i / 14 % ARRAY_SIZE(edges)] << (i % 3) * 8 & PROBE_DUE_MASK;
		}
		due = probe_due(p.due | (uint64_t)rand() << 48, KEY);
		probe_write(one, PROBE_BYTES, &p, KEY);
		probe_write_alone(other, probe_word(&p), &due, KEY);
		assert_memory_equal(one, other, PROBE_BYTES);
	}
}
