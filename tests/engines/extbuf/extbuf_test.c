/* The engine extbuf: in every mode payloads arrive whole and each buffer comes back once, and
 * what is out at the end is known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/extbuf_fixture.h"
#include "memory/extmem.h"
#include "memory/extmem_buffers.h"

#include <rte_malloc.h>
#include <rte_random.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct engine engine_extbuf;

enum { FRAME_MAX = 9018 };

static void
frame_fill(uint8_t *bytes, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		bytes[i] = (uint8_t)rte_rand();
}

/* The next packet that went out has these bytes; pieces: how many segments it has, 0: any. */
static void
expect(const uint8_t *bytes, unsigned int n, unsigned int pieces)
{
	static uint8_t copy[FRAME_MAX];
	struct rte_mbuf *m = engine_fixture_take();

	assert_non_null(m);
	assert_int_equal(m->pkt_len, n);
	if (pieces > 0)
		assert_int_equal(m->nb_segs, pieces);
	assert_memory_equal(rte_pktmbuf_read(m, 0, n, copy), bytes, n);
	rte_mbuf_sanity_check(m, 1);
	rte_pktmbuf_free(m);
}

/* What a stream is set to, and what it makes of packets. */
struct way {
	const char *mode, *shinfo, *split, *threshold, *buffer, *slice;
	unsigned int copied; /* of the lengths below, so many */
};

static const unsigned int lengths[] = { 14, 60, 64, 65, 127, 128, 500, 1024, 1514, 1518, 4000,
	9018 };

static void
way_set(const struct way *w)
{
	engine_fixture_set("extbuf-mode", w->mode);
	engine_fixture_set("extbuf-shinfo", w->shinfo);
	engine_fixture_set("extbuf-split", w->split);
	engine_fixture_set("extbuf-threshold", w->threshold);
	engine_fixture_set("extbuf-buffer", w->buffer);
	engine_fixture_set("extbuf-slice", w->slice);
	engine_fixture_set("extbuf-touch", "128");
}

/* All lengths, in segments of several sizes, by every way: the same bytes come out. */
static void
candidates(void **state)
{
	static const struct way all[] = {
		{ "copy", "private", "off", "0", "0", "0", 12 },
		{ "copy", "shared", "off", "0", "0", "0", 12 },
		{ "attach", "private", "off", "0", "0", "0", 0 },
		{ "attach", "shared", "off", "0", "0", "0", 0 },
		{ "attach", "shared", "off", "0", "131072", "9088", 0 },
		{ "attach", "private", "on", "0", "0", "0", 3 },
		{ "attach", "shared", "on", "0", "0", "0", 3 },
		{ "attach", "tail", "off", "0", "0", "0", 0 },
		{ "attach", "tail", "on", "0", "0", "0", 3 },
		{ "copy", "tail", "off", "0", "9216", "0", 12 },
		{ "auto", "tail", "off", "500", "0", "0", 6 },
		{ "auto", "private", "off", "500", "0", "0", 6 },
		{ "auto", "shared", "on", "1024", "0", "0", 7 },
	};
	static const unsigned int cuts[] = { 0, 64, 700 };
	static uint8_t bytes[ARRAY_SIZE(lengths)][FRAME_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct stream *s;

		way_set(&all[i]);
		s = engine_fixture_begin(extbuf_fixture_stream(9000));
		for (size_t c = 0; c < ARRAY_SIZE(cuts); c++)
			for (unsigned int round = 0; round < 20; round++) {
				for (size_t l = 0; l < ARRAY_SIZE(lengths); l++) {
					frame_fill(bytes[l], lengths[l]);
					/* Rings of segments would outgrow the pool. */
					engine_fixture_put(bytes[l], lengths[l],
						round == 0 ? cuts[c] : 0);
				}
				engine_fixture_poll(s);
				for (size_t l = 0; l < ARRAY_SIZE(lengths); l++)
					expect(bytes[l], lengths[l], 0);
			}
		assert_int_equal(s->count.named[COPIED], 60 * all[i].copied);
		assert_int_equal(s->count.named[ATTACHED],
			60 * (ARRAY_SIZE(lengths) - all[i].copied));
		assert_int_equal(s->count.absorbed, 0);
		extbuf_fixture_end(s);
		extbuf_fixture_all_back();
	}
}

/* auto begins with a threshold of its own, for which it takes nothing out of the pool. */
static void
first_threshold(void **state)
{
	static uint8_t bytes[576];
	struct stream *s = extbuf_fixture_stream(1500);

	engine_fixture_set("extbuf-mode", "auto");
	engine_fixture_begin(s);
	assert_int_equal(rte_mempool_in_use_count(engine_fixture_pool), 0);
	frame_fill(bytes, sizeof(bytes));
	for (unsigned int n = 575; n <= 576; n++) {
		engine_fixture_put(bytes, n, 0);
		engine_fixture_poll(s);
		expect(bytes, n, 1);
	}
	assert_int_equal(s->count.named[COPIED], 1);
	assert_int_equal(s->count.named[ATTACHED], 1);
	extbuf_fixture_end(s);
	extbuf_fixture_all_back();
}

/* Longer than a buffer: not forwarded, counted, and the others go on. */
static void
too_long(void **state)
{
	static const struct {
		const char *shinfo, *buffer, *slice;
	} cuts[] = { { "private", "512", "0" }, { "shared", "512", "0" },
		{ "shared", "8192", "512" } };
	static uint8_t bytes[513];

	frame_fill(bytes, sizeof(bytes));
	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		struct stream *s;

		engine_fixture_set("extbuf-mode", "attach");
		engine_fixture_set("extbuf-shinfo", cuts[i].shinfo);
		engine_fixture_set("extbuf-buffer", cuts[i].buffer);
		engine_fixture_set("extbuf-slice", cuts[i].slice);
		s = engine_fixture_begin(extbuf_fixture_stream(1500));
		engine_fixture_put(bytes, 512, 0);
		engine_fixture_put(bytes, 513, 0);
		engine_fixture_put(bytes, 60, 0);
		engine_fixture_poll(s);
		expect(bytes, 512, 1);
		expect(bytes, 60, 1);
		assert_null(engine_fixture_take());
		assert_int_equal(s->count.named[TOO_LONG], 1);
		assert_int_equal(s->count.absorbed, 1);
		extbuf_fixture_end(s);
		extbuf_fixture_all_back();
	}
}

/*
 * Buffers that do not come back: packets are dropped with that reason, and flow again when they do.
 */
static void
no_buffer(void **state)
{
	static uint8_t bytes[60];
	struct rte_mbuf *out[700];
	unsigned int n = 0;
	struct stream *s;

	extbuf_fixture_memory("small", EXTMEM_ANON, 600 * 64 / 4096 * 4096 + 4096, NULL);
	engine_fixture_set("extbuf-mode", "attach");
	engine_fixture_set("extbuf-memory", "small");
	engine_fixture_set("extbuf-buffer", "64");
	s = engine_fixture_begin(extbuf_fixture_stream(1500));
	while (s->count.named[NO_BUFFER] == 0) {
		for (unsigned int i = 0; i < 32; i++)
			engine_fixture_put(bytes, sizeof(bytes), 0);
		engine_fixture_poll(s);
		while ((out[n] = engine_fixture_take()) != NULL)
			assert_true(++n < ARRAY_SIZE(out));
	}
	assert_int_equal(n, extbuf_fixture_memories.first->buffers->n);
	assert_int_equal(extmem_out(extbuf_fixture_memories.first), n);
	assert_int_equal(s->count.absorbed, s->count.named[NO_BUFFER]);
	while (n > 0)
		rte_pktmbuf_free(out[--n]);
	engine_fixture_put(bytes, sizeof(bytes), 0);
	engine_fixture_poll(s);
	expect(bytes, sizeof(bytes), 1);
	extbuf_fixture_end(s);
	extbuf_fixture_all_back();
}

/* No mbufs left: the same. */
static void
no_mbuf(void **state)
{
	static uint8_t bytes[60];
	struct rte_mbuf *held[ENGINE_FIXTURE_MBUFS];
	unsigned int n = 0;
	struct stream *s;

	engine_fixture_set("extbuf-mode", "attach");
	s = engine_fixture_begin(extbuf_fixture_stream(1500));
	for (unsigned int i = 0; i < 32; i++)
		engine_fixture_put(bytes, sizeof(bytes), 0);
	while (n < ARRAY_SIZE(held) && (held[n] = rte_pktmbuf_alloc(engine_fixture_pool)) != NULL)
		n++;
	rte_pktmbuf_free_bulk(held + n - 5, 5);
	engine_fixture_poll(s);
	assert_int_equal(s->count.tx, 5);
	assert_int_equal(s->count.named[NO_MBUF], 27);
	rte_pktmbuf_free_bulk(held, n - 5);
	extbuf_fixture_end(s);
	extbuf_fixture_all_back();
}

/*
 * Packets on the wire when forwarding ends: their memory stays, may be used again in the same way,
 * and in no other.
 */
static void
in_flight(void **state)
{
	static uint8_t bytes[8][200];
	struct stream *s;
	struct err e;

	static const char *const shinfos[] = { "private", "shared", "tail" };

	extbuf_fixture_memory("app", EXTMEM_MEMFD, 4 << 20, NULL);
	engine_fixture_set("extbuf-memory", "app");
	for (size_t k = 0; k < ARRAY_SIZE(shinfos); k++) {
		const bool shared = k == 1;
		struct rte_mbuf *held[8];

		engine_fixture_set("extbuf-mode", "attach");
		engine_fixture_set("extbuf-shinfo", shinfos[k]);
		engine_fixture_set("extbuf-buffer", shared ? "65536" : "2048");
		s = engine_fixture_begin(extbuf_fixture_stream(1500));
		for (unsigned int i = 0; i < 8; i++) {
			frame_fill(bytes[i], 200);
			engine_fixture_put(bytes[i], 200, 0);
		}
		engine_fixture_poll(s);
		for (unsigned int i = 0; i < 8; i++)
			held[i] = engine_fixture_take();
		engine_extbuf.fini(s);
		assert_int_equal(extmem_out(extbuf_fixture_memories.first), shared ? 1 : 8);
		err_clear(&e);
		assert_int_equal(extmem_delete(&extbuf_fixture_memories, "app", &e), -EBUSY);
		assert_non_null(strstr(e.text, shared ? "app: 1 of its" : "app: 8 of its"));
		engine_extbuf.forget(s);
		s->kept = NULL;

		/* Cut otherwise: refused, as packets would be overwritten. */
		engine_fixture_set("extbuf-buffer", shared ? "32768" : "4096");
		e = extbuf_fixture_refusal(extbuf_fixture_stream(1500));
		assert_int_equal(e.code, EBUSY);

		/* In the same way: the buffers that are out are not handed out again. */
		engine_fixture_set("extbuf-buffer", shared ? "65536" : "2048");
		{
			struct stream *again = engine_fixture_begin(extbuf_fixture_stream(1500));
			static uint8_t other[200];

			for (unsigned int i = 0; i < 32; i++)
				engine_fixture_put(other, sizeof(other), 0);
			engine_fixture_poll(again);
			for (unsigned int i = 0; i < 8; i++) {
				assert_memory_equal(rte_pktmbuf_mtod(held[i], void *), bytes[i],
					200);
				rte_pktmbuf_free(held[i]);
			}
			extbuf_fixture_end(again);
		}
		extbuf_fixture_end(s);
		extbuf_fixture_all_back();
	}
}

/*
 * The shinfo is where rte_pktmbuf_ext_shinfo_init_helper() finds room in the buffer's spare bytes; a
 * clone in front of or behind another segment keeps the buffer until it is freed, too.
 */
static void
tail(void **state)
{
	static uint8_t bytes[1526];
	const struct extmem_buffers *b;
	struct rte_mbuf *m, *last, *clone;
	struct stream *s;

	engine_fixture_set("extbuf-mode", "attach");
	engine_fixture_set("extbuf-shinfo", "tail");
	for (unsigned int split = 0; split < 2; split++) {
		engine_fixture_set("extbuf-split", split ? "on" : "off");
		s = engine_fixture_begin(extbuf_fixture_stream(1500));
		b = extbuf_fixture_memories.first->buffers;
		assert_int_equal(b->bytes, 1536);
		frame_fill(bytes, sizeof(bytes));
		engine_fixture_put(bytes, sizeof(bytes), 0);
		engine_fixture_poll(s);
		m = engine_fixture_take();
		assert_non_null(m);
		last = rte_pktmbuf_lastseg(m);
		assert_int_equal(m->nb_segs, 1 + split);
		assert_int_equal((uint8_t *)last->shinfo - (uint8_t *)last->buf_addr,
			1536 + EXTMEM_BUFFERS_TAIL - sizeof(struct extmem_buffer) -
				split * (m->data_len));
		/* No room is left for anybody who would write over it. */
		assert_int_equal(rte_pktmbuf_tailroom(last), 0);
		clone = rte_pktmbuf_clone(m, engine_fixture_pool);
		assert_int_equal(rte_mbuf_ext_refcnt_read(last->shinfo), 2);
		rte_pktmbuf_free(m);
		assert_int_equal(extmem_buffers_out_of(b), 1);
		assert_memory_equal(rte_pktmbuf_mtod(rte_pktmbuf_lastseg(clone), void *),
			bytes + split * 64, sizeof(bytes) - split * 64);
		rte_pktmbuf_free(clone);
		assert_int_equal(extmem_buffers_out_of(b), 0);
		extbuf_fixture_end(s);
		extbuf_fixture_all_back();
	}
}

/* What does not go together. */
static void
refused(void **state)
{
	static const struct {
		const char *mode, *name, *value, *words;
		int code;
	} cases[] = {
		{ "attach", "extbuf-memory", "nowhere", "no memory \"nowhere\"", ENOENT },
		{ "attach", "extbuf-memory", "list", "memory list is read-only", EINVAL },
		{ "attach", "extbuf-memory", "tiny",
			"64 buffers of 64 bytes to each of 1 streams: expected at least 512",
			ENOSPC },
		{ "attach", "extbuf-buffer", "100", "extbuf-buffer 100: expected a multiple of 64",
			EINVAL },
		{ "attach", "extbuf-buffer", "131072", "expected a multiple of 64 from 64 to 65472",
			EINVAL },
		{ "attach", "extbuf-slice", "100", "extbuf-slice 100: expected a multiple of 64",
			EINVAL },
		{ "pinned", "extbuf-touch", "0",
			"receives into pool fixture, which is not in external memory", EINVAL },
		{ "storage", "extbuf-slice", "9000", "extbuf-slice 9000: expected 14..1514",
			ERANGE },
		{ "attach", "extbuf-shinfo", "tail",
			"extbuf-buffer 1600: expected at least 1664 with extbuf-shinfo tail, 1536 for the longest frame and 128 for",
			EINVAL },
		{ "storage", "extbuf-shinfo", "tail", "expected private or shared", EINVAL },
		{ "storage", "extbuf-tcp", "on", "needs extbuf-split on", EINVAL },
		{ "storage", "extbuf-verify", "on", "needs extbuf-split on", EINVAL },
		{ "storage", "extbuf-memory", "list", "are 0 slices of 1024", ENOSPC },
	};
	char path[64];

	extbuf_fixture_file(path, 1000);
	extbuf_fixture_memory("list", EXTMEM_FILE, 0, path);
	unlink(path);
	extbuf_fixture_memory("tiny", EXTMEM_ANON, 4096, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e;

		extbuf_fixture_defaults(state);
		engine_fixture_set("extbuf-mode", cases[i].mode);
		engine_fixture_set(cases[i].name, cases[i].value);
		if (strcmp(cases[i].value, "tiny") == 0)
			engine_fixture_set("extbuf-buffer", "64");
		if (strcmp(cases[i].value, "tail") == 0)
			engine_fixture_set("extbuf-buffer", "1600");
		e = extbuf_fixture_refusal(extbuf_fixture_stream(1500));
		if (e.code != cases[i].code || strstr(e.text, cases[i].words) == NULL)
			fail_msg("%s %s: %d \"%s\"", cases[i].name, cases[i].value, e.code, e.text);
		extbuf_fixture_all_back();
	}
}

/* Fast free would lose buffers: every mode that attaches copies there; pinned is refused. */
static void
fast_free(void **state)
{
	static const char *const modes[] = { "auto", "attach", "copy", "storage" };
	static uint8_t bytes[1000];
	struct stream *s;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		engine_fixture_set("extbuf-mode", modes[i]);
		s = extbuf_fixture_stream(1500);
		s->tx_end.offloads = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
		engine_fixture_begin(s);
		engine_fixture_put(bytes, sizeof(bytes), 0);
		engine_fixture_poll(s);
		assert_true(s->count.named[COPIED] > 0);
		assert_int_equal(s->count.named[ATTACHED], 0);
		extbuf_fixture_end(s);
	}
	engine_fixture_set("extbuf-mode", "pinned");
	s = extbuf_fixture_stream(1500);
	s->tx_end.offloads = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	e = extbuf_fixture_refusal(s);
	assert_non_null(strstr(e.text, "mbuf_fast_free"));
}

int
main(void)
{
#define EACH(f) cmocka_unit_test_setup_teardown(f, extbuf_fixture_defaults, extbuf_fixture_gone)
	const struct CMUnitTest tests[] = {
		EACH(candidates),
		EACH(first_threshold),
		EACH(too_long),
		EACH(no_buffer),
		EACH(no_mbuf),
		EACH(in_flight),
		EACH(tail),
		EACH(refused),
		EACH(fast_free),
	};

	return cmocka_run_group_tests(tests, extbuf_fixture_open, engine_fixture_close);
}
