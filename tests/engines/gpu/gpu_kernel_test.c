/* The kernel's own lines, run by the CPU: at every place and length what the reference says, and no
 * byte is read beyond the blocks that a packet lies in. The PTX has registers, labels and arguments
 * that agree. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/gpu/gpu_kernel.cu"

#include "base/base.h"
#include "engines/gpu/gpu_priv.h"
#include "fixtures/engine_fixture.h"

#include <rte_random.h>

#include <netinet/in.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u
#define PAGES 4u

static uint8_t *pages; /* between two that nobody may read */

static int
open_all(void **state)
{
	uint8_t *all =
		mmap(NULL, (PAGES + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	pages = all + PAGE;
	assert_int_equal(mprotect(pages, PAGES * PAGE, PROT_READ | PROT_WRITE), 0);
	return engine_fixture_open(state);
}

/* As a warp does it. */
static struct gpu_result
kernel(const uint8_t *at, unsigned int bytes)
{
	const struct gpu_packet p = { .address = (uintptr_t)at, .bytes = bytes };
	struct words head[HEAD_LANES];
	unsigned int sum = 0;

	memset(head, 0xa5, sizeof(head));
	for (unsigned int lane = 0; lane < LANES; lane++)
		sum += lane_sum(&p, lane, head);
	return packet_result(&p, sum, head);
}

static struct gpu_result
reference(uint8_t *at, unsigned int bytes)
{
	struct rte_mbuf m = { .buf_addr = at, .nb_segs = 1 };

	m.data_len = (uint16_t)bytes;
	m.pkt_len = bytes;
	return gpu_reference(&m);
}

static void
same(uint8_t *at, unsigned int bytes)
{
	const struct gpu_result k = kernel(at, bytes), r = reference(at, bytes);

	if (k.sum != r.sum || k.hash != r.hash || k.found != r.found)
		fail_msg("%u bytes at %#x: sum %#x hash %#x found %u, expected %#x %#x %u", bytes,
			(unsigned int)((uintptr_t)at % PAGE), k.sum, k.hash, k.found, r.sum, r.hash,
			r.found);
}

static void
random_fill(void)
{
	for (unsigned int i = 0; i < PAGES * PAGE; i += 8) {
		const uint64_t word = rte_rand();

		memcpy(pages + i, &word, 8);
	}
}

/* Every length up to some blocks at every place in a block, at both ends of what may be read. */
TEST(places)
{
	random_fill();
	for (unsigned int bytes = 1; bytes < 700; bytes++) {
		for (unsigned int at = 0; at < 64; at++)
			same(pages + at, bytes);
		for (unsigned int at = 0; at < 16; at++)
			same(pages + PAGES * PAGE - bytes - at, bytes);
	}
	for (unsigned int bytes = 8900; bytes < 9100; bytes++)
		same(pages + bytes % 16, bytes);
}

/* All ones and all zeros: where sums carry most, and the only ones that are 0. */
TEST(sums)
{
	memset(pages, 0xff, PAGES * PAGE);
	for (unsigned int bytes = 1; bytes < 9100; bytes += 7)
		same(pages + 3, bytes);
	memset(pages, 0, PAGES * PAGE);
	assert_int_equal(kernel(pages, 9000).sum, 0);
	assert_int_equal(kernel(pages, 0).sum, 0);
	assert_int_equal(kernel(NULL, 0).sum, 0);
}

/* Headers of all kinds at all places, and cut short at every byte. */
TEST(headers)
{
	static const uint16_t tags[][3] = { { 0 }, { 0x8100 }, { 0x88a8, 0x8100 } };
	static const uint8_t protos[] = { IPPROTO_TCP, IPPROTO_UDP, IPPROTO_SCTP, IPPROTO_ICMP };

	for (unsigned int i = 0; i < 3 * 4 * 3 * 16; i++) {
		struct engine_fixture_frame f;
		uint8_t *to = pages + i % 16;

		engine_fixture_ether(&f, tags[i % 3], 0x0800);
		engine_fixture_ip4(&f, protos[i / 3 % 4], 20 * (i / 12 % 3), 24);
		if (i % 5 == 0)
			f.bytes[f.l3 + 6] = 0x20;
		for (unsigned int n = 1; n <= f.n; n++) {
			memcpy(to, f.bytes, n);
			same(to, n);
		}
		same(to, 2000); /* headers are those of the first blocks, not of later ones */
		/* The same as IPv6, whose header is where the other was. */
		f.bytes[f.l3 - 2] = 0x86;
		f.bytes[f.l3 - 1] = 0xdd;
		f.bytes[f.l3] = 0x60;
		f.bytes[f.l3 + 6] = protos[i / 3 % 4];
		memcpy(to, f.bytes, f.n);
		same(to, f.n);
	}
}

/* Random headers, with the types that are looked at. */
TEST(random_headers)
{
	for (unsigned int i = 0; i < 100000; i++) {
		static const uint16_t types[] = { 0x0800, 0x86dd, 0x8100, 0x88a8 };
		uint8_t *to = pages + rte_rand_max(64);
		unsigned int at = 12;

		if (i % 100 == 0)
			random_fill();
		for (unsigned int k = 0; k < 10 && at < 60; k++, at += 4) {
			const uint16_t type = types[rte_rand_max(ARRAY_SIZE(types))];

			to[at] = (uint8_t)(type >> 8);
			to[at + 1] = (uint8_t)type;
			if (type < 0x8000)
				to[at + 2] = (uint8_t)(0x40 | rte_rand_max(16));
		}
		same(to, 1 + (unsigned int)rte_rand_max(200));
	}
}

/* How often a word is in a text. */
static unsigned int
count(const char *text, const char *word)
{
	unsigned int n = 0;

	for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
		n++;
	return n;
}

/* Every label that is branched to is there once; there is one entry, with seven arguments. */
TEST(ptx)
{
	assert_int_equal(count(gpu_kernel_ptx, ".version 6.0\n"), 1);
	assert_int_equal(count(gpu_kernel_ptx, ".target sm_60\n"), 1);
	assert_int_equal(count(gpu_kernel_ptx, ".entry "), 1);
	assert_int_equal(count(gpu_kernel_ptx, ".visible .entry " GPU_KERNEL "("), 1);
	assert_int_equal(count(gpu_kernel_ptx, "\t.param ."), 7);
	assert_int_equal(count(gpu_kernel_ptx, "{\n"), 1);
	assert_int_equal(count(gpu_kernel_ptx, "\n}\n"), 1);
	assert_int_equal(count(gpu_kernel_ptx, "\tcall"), 0);
	for (const char *at = strstr(gpu_kernel_ptx, "bra"); at != NULL;
		at = strstr(at + 1, "bra")) {
		const char *label = strstr(at, "LBB");
		char there[32] = "\n";

		assert_non_null(label);
		strncat(there, label, strcspn(label, ";"));
		strcat(there, ":");
		assert_int_equal(count(gpu_kernel_ptx, there), 1);
	}
}

TESTS(.setup = open_all, .teardown = engine_fixture_close);
