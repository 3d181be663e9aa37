/* Read-only data in front of engines that write: which segments are copied, that the shared bytes
 * do not change, that the packets are what they would be without other readers, and where mbufs are
 * short. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/packets/run_writable.h"

#include "base/base.h"
#include "fixtures/csum_fixture.h"
#include "fixtures/csum_frames.h"
#include "memory/mbuf_readonly.h"
#include "run/run.h"
#include "run/run_mirror.h"

#include <rte_malloc.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SEALED = 1 << 17, MARK_NONE = 0, MARK_ALL = -1 };

extern const struct engine engine_io, engine_mac, engine_macswap, engine_5tswap, engine_icmpecho,
	engine_noisy, engine_flowgen;

static uint64_t mark;

/* Memory that must not be written while packets point at it, and its reference count. */
static uint8_t *sealed;
static unsigned int sealed_used;
static struct rte_mbuf_ext_shared_info sealed_info;

/* The run of one stream. */
static struct run run;
static struct stream *streams[1];

static void
nothing(void *addr, void *opaque)
{
}

/* An mbuf that points at n bytes of sealed memory. */
static struct rte_mbuf *
sealed_segment(const uint8_t *bytes, unsigned int n)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(engine_fixture_pool);
	uint8_t *to = sealed + sealed_used;

	assert_non_null(m);
	assert_true(sealed_used + n <= SEALED);
	assert_int_equal(mprotect(sealed, SEALED, PROT_READ | PROT_WRITE), 0);
	memcpy(to, bytes, n);
	assert_int_equal(mprotect(sealed, SEALED, PROT_READ), 0);
	sealed_used += n;
	rte_mbuf_ext_refcnt_update(&sealed_info, 1);
	rte_pktmbuf_attach_extbuf(m, to, RTE_BAD_IOVA, (uint16_t)n, &sealed_info);
	m->data_len = m->pkt_len = (uint16_t)n;
	mbuf_readonly_set(m, mark);
	return m;
}

/*
 * A packet of segments of cut bytes each (0: one); bit i of marks: segment i is sealed and marked,
 * bit 30 also for those after it.
 */
static struct rte_mbuf *
packet(const uint8_t *bytes, unsigned int n, unsigned int cut, int marks)
{
	const unsigned int part = cut == 0 ? n : cut;
	struct rte_mbuf *m = NULL, *more;

	for (unsigned int at = 0, i = 0; at < n; at += part, i++) {
		const unsigned int some = RTE_MIN(part, n - at);

		more = (marks >> RTE_MIN(i, 30u) & 1) != 0
			? sealed_segment(bytes + at, some)
			: engine_fixture_packet(bytes + at, some, 0);
		if (m == NULL)
			m = more;
		else
			assert_int_equal(rte_pktmbuf_chain(m, more), 0);
	}
	return m;
}

static void
put(struct rte_mbuf *m)
{
	assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
}

static struct stream *
begin(struct stream *s)
{
	struct err e;

	err_clear(&e);
	s->tx_end.offloads |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	engine_fixture_begin(s);
	streams[0] = s;
	run = (struct run){ .engine_run = s->engine, .streams = streams };
	run.plan.n_streams = 1;
	assert_int_equal(run_writable_begin(&run, &e), 0);
	assert_string_equal(e.text, "");
	return s;
}

static struct stream *
begin_engine(const struct engine *engine)
{
	return begin(engine_fixture_stream(engine));
}

/* Every mbuf is back, and nothing points at the sealed memory. */
static void
end(struct stream *s)
{
	run_writable_end(&run);
	engine_fixture_end(s);
	assert_int_equal(rte_mbuf_ext_refcnt_read(&sealed_info), 1);
	sealed_used = 0;
}

/* The next packet that went out has exactly these bytes; freed. */
static void
expect(const uint8_t *bytes, unsigned int n)
{
	static uint8_t copy[FRAME_BYTES];
	struct rte_mbuf *m = engine_fixture_take();

	assert_non_null(m);
	rte_mbuf_sanity_check(m, 1);
	assert_int_equal(m->pkt_len, n);
	assert_memory_equal(rte_pktmbuf_read(m, 0, n, copy), bytes, n);
	rte_pktmbuf_free(m);
}

static void
fill(uint8_t *bytes, unsigned int n, unsigned int number)
{
	for (unsigned int i = 0; i < n; i++)
		bytes[i] = (uint8_t)(number * 31 + i);
	bytes[0] = bytes[6] = 2;
}

static void
swap(uint8_t *bytes)
{
	engine_fixture_swap(bytes, bytes + 6, 6);
}

/* The step is there only if data may be marked and the engine writes. First of all tests. */
TEST(unused)
{
	assert_int_equal(mbuf_readonly_lookup(), 0);
	end(begin_engine(&engine_macswap));
	assert_int_equal(run.n_writable, 0);
	mark = mbuf_readonly_register();
	assert_true(mark != 0 && mbuf_readonly_lookup() == mark);
	assert_int_equal(mbuf_readonly_register(), mark);
	begin_engine(&engine_macswap);
	assert_int_equal(run.n_writable, 1);
	end(streams[0]);
	begin_engine(&engine_io);
	assert_int_equal(run.n_writable, 0);
	end(streams[0]);
}

/* Marked packets among others: all come out in order; only marked ones are copied. */
TEST(order)
{
	struct stream *s = begin_engine(&engine_macswap);
	const struct rte_mbuf *own[32];
	uint8_t bytes[64];

	for (unsigned int i = 0; i < 32; i++) {
		struct rte_mbuf *m;

		fill(bytes, sizeof(bytes), i);
		m = packet(bytes, sizeof(bytes), 0, i % 3 == 0 ? MARK_ALL : MARK_NONE);
		own[i] = i % 3 == 0 ? NULL : m;
		put(m);
	}
	engine_fixture_poll(s);
	assert_int_equal(s->count.rx, 32);
	assert_int_equal(s->count.readonly_copied, 11);
	assert_int_equal(s->count.readonly_dropped, 0);
	for (unsigned int i = 0; i < 32; i++) {
		struct rte_mbuf *m = engine_fixture_take();

		fill(bytes, sizeof(bytes), i);
		swap(bytes);
		assert_non_null(m);
		assert_memory_equal(rte_pktmbuf_mtod(m, void *), bytes, sizeof(bytes));
		assert_false(mbuf_readonly_test(m, mark));
		assert_true(own[i] == NULL || own[i] == m);
		rte_pktmbuf_free(m);
	}
	for (unsigned int i = 0; i < 11; i++) {
		fill(bytes, sizeof(bytes), 3 * i);
		assert_memory_equal(sealed + i * sizeof(bytes), bytes, sizeof(bytes));
	}
	end(s);
}

/* A read-only segment between two others: copied if the engine writes there, else as it was. */
TEST(middle)
{
	static const struct {
		const struct engine *engine;
		unsigned int segment, copied;
	} rows[] = { { &engine_csum, 1, 1 }, { &engine_csum, 2, 0 }, { &engine_csum, 3, 0 },
		{ &engine_mac, 1, 0 }, { &engine_5tswap, 1, 1 }, { &engine_5tswap, 3, 1 },
		{ &engine_5tswap, 5, 0 } };

	frame_build(&csum_fixture_frame, "eth ip4 udp 200", true);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stream *s = begin_engine(rows[i].engine);
		struct rte_mbuf *m, *before[9], *in;
		unsigned int n = 0;
		uint8_t bytes[300];

		m = packet(csum_fixture_frame.wrong, csum_fixture_frame.n, 30,
			1 << rows[i].segment);
		put(packet(csum_fixture_frame.wrong, csum_fixture_frame.n, 30, MARK_NONE));
		for (in = m; in != NULL && n < ARRAY_SIZE(before); in = in->next)
			before[n++] = in;
		put(m);
		engine_fixture_poll(s);
		m = engine_fixture_take();
		assert_non_null(m);
		memcpy(bytes, csum_fixture_copy(m), m->pkt_len);
		rte_pktmbuf_free(m);
		assert_int_equal(s->count.readonly_copied, rows[i].copied);
		m = engine_fixture_take();
		assert_non_null(m);
		in = m;
		for (unsigned int k = 0; k < n; k++, in = in->next) {
			const bool marked = k == rows[i].segment;

			assert_true((in == before[k]) == !(marked && rows[i].copied > 0));
			assert_true(
				mbuf_readonly_test(in, mark) == (marked && rows[i].copied == 0));
		}
		assert_int_equal(m->pkt_len, csum_fixture_frame.n);
		csum_fixture_expect(m, bytes, "middle");
		end(s);
	}
}

/* Send a packet without other readers, and then one with: both come out alike. */
static void
compare(struct stream *s, const uint8_t *bytes, unsigned int n, unsigned int cut, int marks)
{
	static uint8_t expected[FRAME_BYTES], actual[FRAME_BYTES];
	struct rte_mbuf *m, *first[64];
	unsigned int out = 0, k = 0;

	put(packet(bytes, n, cut, MARK_NONE));
	engine_fixture_poll(s);
	while ((m = engine_fixture_take()) != NULL && out < ARRAY_SIZE(first))
		first[out++] = m;
	put(packet(bytes, n, cut, marks));
	engine_fixture_poll(s);
	for (; (m = engine_fixture_take()) != NULL && k < out; k++) {
		const uint8_t *was = rte_pktmbuf_read(first[k], 0, first[k]->pkt_len, expected);
		const uint8_t *is = rte_pktmbuf_read(m, 0, m->pkt_len, actual);

		rte_mbuf_sanity_check(m, 1);
		assert_int_equal(m->pkt_len, first[k]->pkt_len);
		assert_memory_equal(is, was, m->pkt_len);
		assert_int_equal(m->tx_offload, first[k]->tx_offload);
		assert_int_equal(m->ol_flags & RTE_MBUF_F_TX_OFFLOAD_MASK,
			first[k]->ol_flags & RTE_MBUF_F_TX_OFFLOAD_MASK);
		rte_pktmbuf_free(first[k]);
		rte_pktmbuf_free(m);
	}
	assert_null(m);
	assert_int_equal(k, out);
}

/* Engines, frames, ends of segments, and which of the segments are read-only. */
TEST(all_alike)
{
	static const struct engine *const engines[] = { &engine_mac, &engine_macswap,
		&engine_5tswap, &engine_csum, &engine_icmpecho, &engine_noisy };
	static const unsigned int cuts[] = { 0, 1, 7, 14, 20, 34, 54, 61 };
	static const int marks[] = { MARK_ALL, 1, 2, 4, 0x15555555, 0x2aaaaaaa, MARK_ALL - 1 };
	static const struct stream_csum csum = { .parse_tunnel = true, .mac_swap = true };
	uint64_t copied = 0;

	engine_fixture_set("noisy-forward-mode", "5tswap");
	for (unsigned int g = 0; g < ARRAY_SIZE(engines); g++) {
		struct stream *s = engine_fixture_stream(engines[g]);

		s->tx_end.csum = csum;
		begin(s);
		for (unsigned int i = 0; i < ARRAY_SIZE(csum_frames); i++) {
			frame_build(&csum_fixture_frame, csum_frames[i], true);
			if (csum_fixture_frame.n > 1000)
				continue;
			for (unsigned int c = 0; c < ARRAY_SIZE(cuts); c++)
				for (unsigned int k = 0; k < ARRAY_SIZE(marks); k++) {
					compare(s, csum_fixture_frame.wrong, csum_fixture_frame.n,
						cuts[c], marks[k]);
					sealed_used = 0;
				}
		}
		assert_int_equal(s->count.readonly_dropped, 0);
		copied += s->count.readonly_copied;
		end(s);
	}
	assert_true(copied > 10000);
	engine_fixture_reset("noisy-forward-mode");
}

/* GSO cuts a read-only packet into pieces, TSO asks the port to: as without other readers. */
TEST(segmentation)
{
	static const struct stream_csum ways[] = { { .gso = true },
		{ .gso = true, .parse_tunnel = true }, { .tso_segsz = 500, .ip_hw = true },
		{ .tunnel_tso_segsz = 500, .parse_tunnel = true, .ip_hw = true } };
	static const char *const lines[] = { "eth ip4 tcp 3000", "eth ip4 udp 3000",
		"eth ip4 udp vxlan eth ip4 tcp 3000" };
	static const unsigned int cuts[] = { 0, 200, 1000 };

	engine_fixture_set("gso-segsz", "600");
	for (unsigned int w = 0; w < ARRAY_SIZE(ways); w++) {
		struct stream *s = engine_fixture_stream(&engine_csum);

		s->tx_end.csum = ways[w];
		begin(s);
		for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++)
			for (unsigned int c = 0; c < ARRAY_SIZE(cuts); c++)
				for (int marks = MARK_ALL; marks < 4; marks++) {
					frame_build(&csum_fixture_frame, lines[i], true);
					compare(s, csum_fixture_frame.wrong, csum_fixture_frame.n,
						cuts[c], marks);
					sealed_used = 0;
				}
		assert_true(s->count.made > 0 || !ways[w].gso);
		end(s);
	}
	engine_fixture_reset("gso-segsz");
}

/* No mbuf for a copy: the packet is dropped and counted; the others go on, in order. */
TEST(pool_empty)
{
	struct rte_mempool *few =
		rte_pktmbuf_pool_create("few", 4, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	struct stream *s = engine_fixture_stream(&engine_macswap);
	unsigned int out = 0, marked = 0;
	uint8_t bytes[300];

	assert_non_null(few);
	s->pool = few;
	begin(s);
	for (unsigned int i = 0; i < 20; i++) {
		fill(bytes, sizeof(bytes), i);
		put(packet(bytes, sizeof(bytes), i % 4 == 1 ? 100 : 0,
			i % 4 == 3 ? MARK_NONE : MARK_ALL));
	}
	engine_fixture_poll(s);
	for (unsigned int i = 0; i < 20; i++) {
		if (i % 4 != 3 && marked++ >= 4)
			continue;
		fill(bytes, sizeof(bytes), i);
		swap(bytes);
		expect(bytes, sizeof(bytes));
		out++;
	}
	assert_null(engine_fixture_take());
	assert_int_equal(out, 4 + 5);
	assert_int_equal(s->count.rx, 20);
	assert_int_equal(s->count.tx, out);
	assert_int_equal(s->count.readonly_copied, 4);
	assert_int_equal(s->count.readonly_dropped, 11);
	assert_int_equal(s->count.absorbed, 11);
	assert_int_equal(rte_mempool_avail_count(few), 4);
	/* The rest of a packet whose second segment has no copy is freed too. */
	s->engine = &engine_5tswap;
	fill(bytes, sizeof(bytes), 7);
	put(packet(bytes, sizeof(bytes), 10, MARK_ALL));
	run.writable[0].stream = s;
	engine_fixture_poll(s);
	assert_null(engine_fixture_take());
	assert_int_equal(s->count.readonly_dropped, 12);
	assert_int_equal(rte_mempool_avail_count(few), 4);
	end(s);
	rte_mempool_free(few);
}

/* A segment longer than an mbuf becomes several, unless a Tx queue sends only one. */
TEST(long_segment)
{
	struct stream *s = begin_engine(&engine_macswap);
	uint8_t bytes[5000];
	struct err e;

	fill(bytes, sizeof(bytes), 1);
	put(packet(bytes, sizeof(bytes), 0, MARK_ALL));
	put(packet(bytes, sizeof(bytes), 2500, 1));
	engine_fixture_poll(s);
	swap(bytes);
	expect(bytes, sizeof(bytes));
	expect(bytes, sizeof(bytes));
	assert_true(run.writable[0].segments);
	run_writable_end(&run);
	s->tx_end.offloads = 0;
	assert_int_equal(run_writable_begin(&run, &e), 0);
	assert_false(run.writable[0].segments);
	put(packet(bytes, sizeof(bytes), 0, MARK_ALL));
	put(packet(bytes, 1000, 0, MARK_ALL));
	put(packet(bytes, 1000, 500, MARK_ALL));
	engine_fixture_poll(s);
	swap(bytes);
	expect(bytes, 1000);
	expect(bytes, 1000);
	assert_int_equal(s->count.readonly_copied, 4);
	assert_int_equal(s->count.readonly_dropped, 1);
	end(s);
}

/* A copy goes out without the mark, also through an engine that leaves the flags alone. */
TEST(copy_unmarked)
{
	struct stream *s = begin_engine(&engine_noisy); /* in mode io */
	struct rte_mbuf *m;
	uint8_t bytes[64];

	fill(bytes, sizeof(bytes), 1);
	put(packet(bytes, sizeof(bytes), 0, MARK_ALL));
	engine_fixture_poll(s);
	m = engine_fixture_take();
	assert_non_null(m);
	assert_false(mbuf_readonly_test(m, mark));
	rte_pktmbuf_free(m);
	end(s);
}

/* A segment that was replaced goes back to its pool without the mark, which not every driver resets. */
TEST(stale_mark)
{
	struct stream *s = begin_engine(&engine_macswap);
	struct rte_mbuf *m = rte_pktmbuf_alloc(engine_fixture_pool), *kept = m;

	assert_non_null(m);
	fill((uint8_t *)rte_pktmbuf_append(m, 64), 64, 1);
	mbuf_readonly_set(m, mark);
	put(m);
	engine_fixture_poll(s);
	assert_int_equal(s->count.readonly_copied, 1);
	assert_false(mbuf_readonly_test(kept, mark));
	m = engine_fixture_take();
	assert_true(m != NULL && m != kept);
	rte_pktmbuf_free(m);
	end(s);
}

/* Copies in a pinned pool keep their external buffers. */
TEST(pinned_pool)
{
	enum { N = 16, ROOM = 2048 };
	struct rte_pktmbuf_extmem memory = { .buf_iova = RTE_BAD_IOVA,
		.buf_len = N * ROOM,
		.elt_size = ROOM };
	struct stream *s = engine_fixture_stream(&engine_macswap);
	struct rte_mempool *pinned;
	uint8_t bytes[3000];

	memory.buf_ptr = aligned_alloc(4096, memory.buf_len);
	assert_non_null(memory.buf_ptr);
	pinned = rte_pktmbuf_pool_create_extbuf("pinned", N, 0, 0, ROOM, SOCKET_ID_ANY, &memory, 1);
	assert_non_null(pinned);
	s->pool = pinned;
	begin(s);
	fill(bytes, sizeof(bytes), 1);
	swap(bytes);
	for (unsigned int turn = 0; turn < 3 * N; turn++) {
		struct rte_mbuf *m;
		unsigned int segments = 0;

		swap(bytes);
		put(packet(bytes, sizeof(bytes), 0, MARK_ALL));
		swap(bytes);
		sealed_used = 0;
		engine_fixture_poll(s);
		m = engine_fixture_take();
		assert_non_null(m);
		for (struct rte_mbuf *part = m; part != NULL; part = part->next, segments++)
			assert_true(part->pool == pinned && RTE_MBUF_HAS_EXTBUF(part));
		assert_int_equal(segments, 2);
		assert_memory_equal(rte_pktmbuf_mtod(m, void *), bytes, m->data_len);
		rte_pktmbuf_free(m);
	}
	end(s);
	assert_int_equal(rte_mempool_avail_count(pinned), N);
	rte_mempool_free(pinned);
	free(memory.buf_ptr);
}

/* What went out comes in again. Returns how many packets. */
static unsigned int
around(void)
{
	unsigned int n = 0;
	struct rte_mbuf *m;

	for (; (m = engine_fixture_take()) != NULL; n++)
		put(m);
	return n;
}

/* Clones of flowgen share an mbuf: each comes out with its addresses swapped, once. */
TEST(flowgen_clones)
{
	static const char *const clones[] = { "0", "1", "3", "7" };
	static const uint8_t swapped[] = { 0, 1, 2, 3, 4, 0, 0, 1, 2, 3, 4, 1 };

	for (unsigned int i = 0; i < ARRAY_SIZE(clones); i++) {
		struct stream *from, *s;
		struct rte_mbuf *m;
		unsigned int n;

		engine_fixture_set("flowgen-clones", clones[i]);
		from = engine_fixture_begin(engine_fixture_stream(&engine_flowgen));
		engine_fixture_poll(from);
		n = around();
		assert_int_equal(n, 32);
		s = begin_engine(&engine_macswap);
		engine_fixture_poll(s);
		for (; n > 0; n--) {
			m = engine_fixture_take();
			assert_non_null(m);
			assert_memory_equal(rte_pktmbuf_mtod(m, void *), swapped, sizeof(swapped));
			rte_pktmbuf_free(m);
		}
		assert_int_equal(s->count.readonly_copied, i == 0 ? 0 : 32);
		/* Both streams are gone when the pool is counted. */
		from->engine->fini(from);
		free(from->state);
		rte_free(from);
		end(s);
	}
	engine_fixture_reset("flowgen-clones");
}

/* A mirror's clones and the packets that were forwarded: each is swapped once; copies are free. */
TEST(mirror)
{
	uint8_t bytes[200];

	for (unsigned int clones = 0; clones < 2; clones++) {
		struct run_mirror_queue *mq = rte_zmalloc(NULL, sizeof(*mq), CACHE_PAIR);
		struct stream *s = begin_engine(&engine_io);
		struct err e = { 0 };

		assert_non_null(mq);
		*mq = (struct run_mirror_queue){ .rx_port = FIXTURE_IN,
			.tx_port = FIXTURE_OUT,
			.clones = clones == 1,
			.segments = true,
			.readonly = mark,
			.pool = engine_fixture_pool };
		assert_int_equal(run_mirror_queue_open(mq, &e), 0);
		for (unsigned int i = 0; i < 20; i++) {
			fill(bytes, sizeof(bytes), i);
			put(packet(bytes, sizeof(bytes), i % 2 == 0 ? 0 : 80, i % 5 == 0));
		}
		engine_fixture_poll(s);
		run_mirror_queue_close(mq);
		rte_free(mq);
		run_writable_end(&run);
		free(s->state);
		rte_free(s);
		s = engine_fixture_stream(&engine_macswap);
		s->burst = 64;
		begin(s);
		assert_int_equal(around(), 40);
		engine_fixture_poll(s);
		for (unsigned int i = 0; i < 40; i++) {
			fill(bytes, sizeof(bytes), i % 20);
			swap(bytes);
			expect(bytes, sizeof(bytes));
		}
		/* Copies of the mirror have no other reader; the four sealed originals have. */
		assert_int_equal(s->count.readonly_copied, clones == 1 ? 40 : 4);
		end(s);
	}
}

static int
open_all(void **state)
{
	const int ret = csum_fixture_open(state);

	sealed = mmap(NULL, SEALED, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(sealed != MAP_FAILED);
	sealed_info.free_cb = nothing;
	rte_mbuf_ext_refcnt_set(&sealed_info, 1);
	return ret;
}

TESTS(.setup = open_all, .teardown = engine_fixture_close);
