/* Mode storage of extbuf: a file's bytes are sent whole, by pointer or by copy, and a receiver
 * finds one wrong bit. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/extbuf_fixture.h"
#include "memory/extmem.h"
#include "memory/extmem_buffers.h"

#include <rte_tcp.h>

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A file's slices go out one after the other, by pointer or by copy, however the file changes
 * meanwhile.
 */
static void
storage(void **state)
{
	static const struct {
		const char *how, *shinfo;
	} kinds[] = { { "attach", "private" }, { "attach", "shared" }, { "copy", "private" } };
	const uint32_t slice = 1000, n = 100;

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		const uint8_t *file;
		char path[64];
		struct stream *s;

		extbuf_fixture_file(path, slice * n);
		extbuf_fixture_memory("file", EXTMEM_FILE, 0, path);
		assert_int_equal(truncate(path, 10), 0);
		unlink(path);
		engine_fixture_set("extbuf-mode", "storage");
		engine_fixture_set("extbuf-memory", "file");
		engine_fixture_set("extbuf-storage", kinds[k].how);
		engine_fixture_set("extbuf-shinfo", kinds[k].shinfo);
		engine_fixture_set("extbuf-slice", "1000");
		s = engine_fixture_begin(extbuf_fixture_stream(1500));
		file = extbuf_fixture_memories.first->addr;
		for (uint32_t at = 0; at < 3 * n;) {
			struct rte_mbuf *m;

			engine_fixture_poll(s);
			for (; (m = engine_fixture_take()) != NULL; at++) {
				const uint32_t from = at % n * slice;

				assert_int_equal(m->pkt_len, slice);
				assert_memory_equal(rte_pktmbuf_mtod(m, void *), file + from,
					slice);
				for (uint32_t i = 0; i < slice; i++)
					assert_int_equal(file[from + i],
						(uint8_t)((from + i) * 31 + (from + i) / 251));
				if (k < 2)
					assert_ptr_equal(rte_pktmbuf_mtod(m, void *), file + from);
				rte_pktmbuf_free(m);
			}
		}
		extbuf_fixture_end(s);
		extbuf_fixture_all_back();
		extbuf_fixture_gone(NULL);
	}
}

/*
 * With headers of its own, what storage sends is checked by who receives it; one bit wrong is
 * found.
 */
static void
verified(void **state)
{
	struct stream *s;
	unsigned int n = 0;
	struct rte_mbuf *m;

	engine_fixture_set("extbuf-mode", "storage");
	engine_fixture_set("extbuf-shinfo", "shared");
	engine_fixture_set("extbuf-split", "on");
	engine_fixture_set("extbuf-verify", "on");
	s = engine_fixture_begin(extbuf_fixture_stream(1500));
	engine_fixture_poll(s);
	for (; (m = engine_fixture_take()) != NULL; n++) {
		assert_int_equal(m->nb_segs, 2);
		if (n % 4 == 3) {
			/* The payload is shared: damage a copy. */
			struct rte_mbuf *copy =
				rte_pktmbuf_copy(m, engine_fixture_pool, 0, UINT32_MAX);

			rte_pktmbuf_mtod(copy, uint8_t *)[copy->data_len - 1] ^= 1;
			rte_pktmbuf_free(m);
			m = copy;
		}
		assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
	}
	assert_int_equal(n, 32);
	engine_fixture_poll(s);
	assert_int_equal(s->count.named[VERIFIED], 24);
	assert_int_equal(s->count.named[CORRUPT], 8);
	extbuf_fixture_end(s);
	extbuf_fixture_all_back();
}

/*
 * What a packet says of its length is what anybody wrote: less than its headers, or more than there
 * is, is corrupt.
 */
static void
lengths_that_lie(void **state)
{
	enum { UDP_LENGTH = 38, BEFORE = 24 };
	struct engine_fixture_frame f = { 0 };
	struct rte_mbuf *m;
	struct stream *s;
	unsigned int n = 0;
	uint16_t bytes;

	engine_fixture_set("extbuf-mode", "storage");
	engine_fixture_set("extbuf-slice", "64");
	engine_fixture_set("extbuf-split", "on");
	engine_fixture_set("extbuf-verify", "on");
	s = engine_fixture_begin(extbuf_fixture_stream(1500));
	engine_fixture_poll(s);
	m = engine_fixture_take();
	f.n = m->pkt_len;
	assert_int_equal(f.n, 14 + 20 + BEFORE + 64);
	assert_ptr_equal(rte_pktmbuf_read(m, 0, f.n, f.bytes), f.bytes);
	rte_pktmbuf_free(m);
	while ((m = engine_fixture_take()) != NULL)
		rte_pktmbuf_free(m);
	for (uint32_t said = 0; said <= UINT16_MAX; said += said <= BEFORE + 65 ? 1 : 21815) {
		if (said == BEFORE + 64)
			continue;
		bytes = rte_cpu_to_be_16((uint16_t)said);
		memcpy(f.bytes + UDP_LENGTH, &bytes, sizeof(bytes));
		engine_fixture_put(f.bytes, f.n, 0);
		engine_fixture_put(f.bytes, f.n, 50);
		engine_fixture_poll(s);
		n += 2;
		while ((m = engine_fixture_take()) != NULL)
			rte_pktmbuf_free(m);
	}
	assert_int_equal(s->count.named[CORRUPT], n);
	assert_int_equal(s->count.named[VERIFIED], 0);
	bytes = rte_cpu_to_be_16(BEFORE + 64);
	memcpy(f.bytes + UDP_LENGTH, &bytes, sizeof(bytes));
	engine_fixture_put(f.bytes, f.n, 50);
	engine_fixture_poll(s);
	assert_int_equal(s->count.named[VERIFIED], 1);
	extbuf_fixture_end(s);
	extbuf_fixture_all_back();
}

/*
 * More packets out than a 16-bit count holds: the region is in use until the last of them is freed,
 * whatever their order.
 */
static void
many_references(void **state)
{
	enum { MANY = 70000 };
	struct rte_mempool *pool =
		rte_pktmbuf_pool_create("many", MANY, 0, 0, RTE_PKTMBUF_HEADROOM, SOCKET_ID_ANY);
	struct rte_mbuf **held = calloc(MANY + 1, sizeof(*held));
	const struct extmem_buffers *b;
	struct stream *s;
	unsigned int n = 0;

	assert_non_null(pool);
	assert_non_null(held);
	engine_fixture_set("extbuf-mode", "storage");
	engine_fixture_set("extbuf-shinfo", "shared");
	s = extbuf_fixture_stream(1500);
	s->pool = pool;
	engine_fixture_begin(s);
	b = extbuf_fixture_memories.first->buffers;
	while (s->count.named[NOT_MADE] == 0) {
		engine_fixture_poll(s);
		while ((held[n] = engine_fixture_take()) != NULL)
			assert_true(++n <= MANY);
	}
	assert_true(n > UINT16_MAX);
	assert_int_equal(s->count.made, n);
	assert_int_equal(extmem_buffers_out_of(b), MANY / EXTMEM_BUFFERS_SHARED + 1);
	/* From the middle on, then round to it. */
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *m = held[(i + n / 2) % n];

		assert_true(rte_mbuf_ext_refcnt_read(m->shinfo) > 0);
		assert_true(rte_mbuf_ext_refcnt_read(m->shinfo) <= EXTMEM_BUFFERS_SHARED + 1);
		rte_pktmbuf_free(m);
		if (i == n - 2)
			assert_int_equal(extmem_buffers_out_of(b), 2);
	}
	/* The stream holds the one to which it attaches. */
	assert_int_equal(extmem_buffers_out_of(b), 1);
	extbuf_fixture_end(s);
	extbuf_fixture_all_back();
	assert_int_equal(rte_mempool_avail_count(pool), pool->size);
	rte_mempool_free(pool);
	free(held);
}

/*
 * The next packet that goes out is TCP with the memory's bytes from its sequence number on, attached
 * or copied.
 */
static void
tcp_expect(const struct rte_mbuf *m, uint32_t at, uint32_t bytes, bool tso)
{
	enum { HEADERS = 54 };
	const uint8_t *memory = extbuf_fixture_memories.first->addr;
	static uint8_t copy[HEADERS + UINT16_MAX];
	const uint8_t *frame = rte_pktmbuf_read(m, 0, m->pkt_len, copy);
	const uint32_t n = m->pkt_len - HEADERS;
	struct rte_ipv4_hdr ip;
	struct rte_tcp_hdr tcp;

	memcpy(&ip, frame + 14, sizeof(ip));
	memcpy(&tcp, frame + 34, sizeof(tcp));
	assert_int_equal(m->nb_segs, 2);
	assert_int_equal(n, bytes);
	assert_int_equal(rte_be_to_cpu_16(ip.total_length), 40 + n);
	assert_int_equal(ip.next_proto_id, IPPROTO_TCP);
	assert_int_equal(rte_be_to_cpu_32(tcp.sent_seq), at);
	assert_memory_equal(frame + HEADERS, memory + at, n);
	if (tso) {
		assert_int_equal(m->tso_segsz, 1460);
		assert_int_equal(m->l2_len, 14);
		assert_int_equal(m->l3_len, 20);
		assert_int_equal(m->l4_len, 20);
		assert_int_equal(m->ol_flags,
			RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM);
		assert_int_equal(tcp.cksum, rte_ipv4_phdr_cksum(&ip, RTE_MBUF_F_TX_TCP_SEG));
		return;
	}
	assert_int_equal(m->ol_flags, 0);
	assert_int_equal(rte_ipv4_cksum(&ip), 0);
	assert_int_equal(rte_ipv4_udptcp_cksum_verify((const struct rte_ipv4_hdr *)(frame + 14),
				 frame + 34),
		0);
}

/*
 * TCP segments of the whole memory: as large as slices if the port divides them, else as a frame;
 * a slice that does not fill its place in the memory is not sent.
 */
static void
tcp(void **state)
{
	static const struct {
		const char *slice, *how;
		bool tso;
		uint32_t bytes;
	} cases[] = {
		{ "0", "attach", false, 1460 },
		{ "65472", "attach", false, 1460 },
		{ "1001", "attach", false, 1001 },
		{ "14", "attach", false, 14 },
		{ "1460", "copy", false, 1460 },
		{ "0", "attach", true, 65472 },
		{ "65472", "attach", true, 65472 },
		{ "20001", "attach", true, 20001 },
		{ "2000", "copy", true, 2000 },
	};
	const uint32_t size = 300001;
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stream *s = extbuf_fixture_stream(1500);
		const uint32_t n = size / cases[i].bytes;
		uint32_t sent = 0;

		extbuf_fixture_file(path, size);
		extbuf_fixture_memory("file", EXTMEM_FILE, 0, path);
		unlink(path);
		engine_fixture_set("extbuf-mode", "storage");
		engine_fixture_set("extbuf-memory", "file");
		engine_fixture_set("extbuf-split", "on");
		engine_fixture_set("extbuf-tcp", "on");
		engine_fixture_set("extbuf-slice", cases[i].slice);
		engine_fixture_set("extbuf-storage", cases[i].how);
		engine_fixture_set("extbuf-shinfo", i % 2 ? "shared" : "private");
		if (cases[i].tso)
			s->tx_end.offloads |= RTE_ETH_TX_OFFLOAD_TCP_TSO;
		engine_fixture_begin(s);
		while (sent < 2 * n) {
			struct rte_mbuf *m;

			engine_fixture_poll(s);
			for (; (m = engine_fixture_take()) != NULL; sent++) {
				tcp_expect(m, sent % n * cases[i].bytes, cases[i].bytes,
					cases[i].tso);
				rte_pktmbuf_free(m);
			}
		}
		extbuf_fixture_end(s);
		extbuf_fixture_all_back();
		extbuf_fixture_gone(NULL);
	}
}

/*
 * Descriptions of buffers run out before mbufs do: the packets that there is everything for are made,
 * the mbufs for the others go back.
 */
static void
few_descriptions(void **state)
{
	static struct extmem_buffer *held[UINT16_MAX];
	struct extmem_buffers *b;
	struct stream *s;
	unsigned int available;
	uint16_t n = 0;

	engine_fixture_set("extbuf-mode", "storage");
	engine_fixture_set("extbuf-shinfo", "private");
	s = engine_fixture_begin(extbuf_fixture_stream(1500));
	b = extbuf_fixture_memories.first->buffers;
	while (n < ARRAY_SIZE(held) && extmem_buffers_take(b, &held[n], 1) == 1)
		n++;
	for (unsigned int i = 0; i < 10; i++)
		extmem_buffers_drop(held[--n]);
	available = rte_mempool_avail_count(engine_fixture_pool);
	engine_fixture_poll(s);
	assert_int_equal(s->count.made, 10);
	assert_int_equal(s->count.named[NOT_MADE], 22);
	assert_true(available - rte_mempool_avail_count(engine_fixture_pool) <= 20);
	for (struct rte_mbuf *m; (m = engine_fixture_take()) != NULL;)
		rte_pktmbuf_free(m);
	assert_int_equal(rte_mempool_avail_count(engine_fixture_pool), available);
	extbuf_fixture_end(s);

	/* Packets that share a description need one at least. */
	engine_fixture_set("extbuf-shinfo", "shared");
	s = engine_fixture_begin(extbuf_fixture_stream(1500));
	while (n < b->n && extmem_buffers_take(b, &held[n], 1) == 1)
		n++;
	engine_fixture_poll(s);
	assert_int_equal(s->count.made, 0);
	assert_int_equal(s->count.named[NOT_MADE], 32);
	assert_int_equal(rte_mempool_avail_count(engine_fixture_pool), available);
	while (n > 0)
		extmem_buffers_drop(held[--n]);
	engine_fixture_poll(s);
	assert_int_equal(s->count.made, 32);
	for (struct rte_mbuf *m; (m = engine_fixture_take()) != NULL;)
		rte_pktmbuf_free(m);
	extbuf_fixture_end(s);
	extbuf_fixture_all_back();
}

int
main(void)
{
#define EACH(f) cmocka_unit_test_setup_teardown(f, extbuf_fixture_defaults, extbuf_fixture_gone)
	const struct CMUnitTest tests[] = {
		EACH(storage),
		EACH(few_descriptions),
		EACH(tcp),
		EACH(verified),
		EACH(lengths_that_lie),
		EACH(many_references),
	};

	return cmocka_run_group_tests(tests, extbuf_fixture_open, engine_fixture_close);
}
