/* The CPU's side of what the GPU says of packets: known hashes and sums, what of a tuple is there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "engines/gpu/gpu_priv.h"
#include "fixtures/engine_fixture.h"

#include <netinet/in.h>

/* FNV-1a, 32 bits, as its reference code has it. */
static uint32_t
fnv1a(const uint8_t *at, size_t n)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < n; i++) {
		hash ^= at[i];
		hash += (hash << 1) + (hash << 4) + (hash << 7) + (hash << 8) + (hash << 24);
	}
	return hash;
}

static struct gpu_result
result_of(const struct engine_fixture_frame *f, unsigned int cut)
{
	struct rte_mbuf *m = engine_fixture_packet(f->bytes, f->n, cut);
	const struct gpu_result r = gpu_reference(m);

	rte_pktmbuf_free(m);
	return r;
}

static uint32_t
sum_of(const struct engine_fixture_frame *f)
{
	uint32_t sum = 0;

	for (unsigned int i = 0; i < f->n; i++)
		sum += (uint32_t)f->bytes[i] << (i % 2 == 0 ? 0 : 8);
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* The published values of the reference code. */
TEST(vectors)
{
	assert_int_equal(fnv1a((const uint8_t *)"", 0), 0x811c9dc5);
	assert_int_equal(fnv1a((const uint8_t *)"a", 1), 0xe40c292c);
	assert_int_equal(fnv1a((const uint8_t *)"foobar", 6), 0xbf9cf968);
}

/* Every kind of IPv4 packet: options, tags, fragments, protocols with and without ports, cut short. */
TEST(ip4)
{
	static const uint16_t tags[] = { 0x8100, 0x88a8, 0 };
	static const uint8_t protos[] = { IPPROTO_TCP, IPPROTO_UDP, IPPROTO_SCTP, IPPROTO_ICMP };

	for (unsigned int i = 0; i < 4 * 2 * 3; i++) {
		const uint8_t proto = protos[i % 4];
		const unsigned int tagged = i / 4 % 2, options = 4 * (i / 8);
		uint8_t tuple[13];
		struct engine_fixture_frame f;
		struct gpu_result r;
		unsigned int n = 8;

		engine_fixture_ether(&f, tagged ? tags : NULL, 0x0800);
		engine_fixture_ip4(&f, proto, options, 20);
		memcpy(tuple, f.bytes + f.l3 + 12, 8);
		if (proto != IPPROTO_ICMP) {
			memcpy(tuple + 8, f.bytes + f.l3 + 20 + options, 4);
			n = 12;
		}
		tuple[n++] = proto;
		r = result_of(&f, 0);
		assert_int_equal(r.found,
			proto == IPPROTO_ICMP ? GPU_RESULT_IP : GPU_RESULT_IP | GPU_RESULT_PORTS);
		assert_int_equal(r.hash, fnv1a(tuple, n));
		assert_int_equal(r.sum, sum_of(&f));
		for (unsigned int cut = 1; cut < 40; cut += 3)
			assert_int_equal(result_of(&f, cut).hash, r.hash);
		f.bytes[f.l3 + 7] = 1; /* a fragment: what lies behind the header are no ports */
		tuple[8] = proto;
		r = result_of(&f, 0);
		assert_int_equal(r.found, GPU_RESULT_IP);
		assert_int_equal(r.hash, fnv1a(tuple, 9));
		f.n = f.l3 + 19u;
		r = result_of(&f, 0);
		assert_int_equal(r.found, 0);
		assert_int_equal(r.hash, 0);
		assert_int_equal(r.sum, sum_of(&f));
	}
}

/* As many tags as are stepped over, and one more. */
TEST(tags)
{
	uint16_t many[GPU_TAGS_MAX + 2];
	struct engine_fixture_frame f;

	for (unsigned int n = GPU_TAGS_MAX; n <= GPU_TAGS_MAX + 1; n++) {
		memset(many, 0, sizeof(many));
		for (unsigned int i = 0; i < n; i++)
			many[i] = 0x8100;
		engine_fixture_ether(&f, many, 0x0800);
		engine_fixture_ip4(&f, IPPROTO_UDP, 0, 20);
		assert_int_equal(result_of(&f, 0).found,
			n == GPU_TAGS_MAX ? GPU_RESULT_IP | GPU_RESULT_PORTS : 0);
	}
}

/* What is no IP has a sum alone; what is shorter than a header, too. */
TEST(others)
{
	struct engine_fixture_frame f;

	engine_fixture_ether(&f, NULL, 0x88b5);
	engine_fixture_add(&f, NULL, 61);
	assert_int_equal(result_of(&f, 0).found, 0);
	assert_int_equal(result_of(&f, 0).sum, sum_of(&f));
	for (f.n = 1; f.n < 14; f.n++)
		assert_int_equal(result_of(&f, 0).sum, sum_of(&f));
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
