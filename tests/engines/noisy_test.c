/* noisy: the FIFO keeps every packet and its order, flushes in time, and is empty after stop. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/tsc_script.h"

#include <rte_cycles.h>
#include <rte_random.h>

#include <stdlib.h>

extern const struct engine engine_5tswap, engine_io, engine_mac, engine_macswap, engine_noisy;

static int
defaults(void **state)
{
	size_t i;

	for (i = 0; i < engine_noisy.settings.n; i++)
		engine_fixture_reset(engine_noisy.settings.rows[i].name);
	return 0;
}

/* Let packets come in, numbered on from *number. */
static void
put(uint32_t *number, unsigned int n)
{
	for (; n-- > 0; (*number)++) {
		struct engine_fixture_frame f;

		engine_fixture_ether(&f, NULL, 0x9000);
		engine_fixture_add(&f, number, sizeof(*number));
		engine_fixture_put(f.bytes, f.n, 0);
	}
}

/* Packets that went out must be numbered on from *number. Returns how many there were. */
static unsigned int
take(uint32_t *number)
{
	struct rte_mbuf *m;
	unsigned int n;

	for (n = 0; (m = engine_fixture_take()) != NULL; n++, (*number)++) {
		assert_memory_equal(rte_pktmbuf_mtod_offset(m, uint8_t *, 14), number,
			sizeof(*number));
		rte_pktmbuf_free(m);
	}
	return n;
}

/*
 * FIFOs smaller and larger than a burst, bursts of all sizes: what comes out is what overflows,
 * oldest first.
 */
TEST(fifo)
{
	static const char *const sizes[] = { "0", "1", "7", "31", "32", "33", "100", "1000" };
	unsigned int r, i;

	for (r = 0; r < ARRAY_SIZE(sizes); r++) {
		unsigned int size = (unsigned int)strtoul(sizes[r], NULL, 10), held = 0;
		uint32_t in = 0, out = 0;
		struct stream *s;

		engine_fixture_set("noisy-tx-sw-buffer-size", sizes[r]);
		s = engine_fixture_begin(engine_fixture_stream(&engine_noisy));
		for (i = 0; i < 300; i++) {
			unsigned int n = (unsigned int)rte_rand_max(33),
				     over = held + n > size ? held + n - size : 0;

			put(&in, n);
			engine_fixture_poll(s);
			assert_int_equal(take(&out), over);
			held += n - over;
		}
		assert_int_equal(s->count.absorbed, 0);
		engine_noisy.fini(s);
		assert_int_equal(s->count.absorbed, held);
		assert_int_equal(s->count.named[0], held);
		assert_string_equal(engine_noisy.counters[0].name, "held_at_stop");
		engine_fixture_end(s);
	}
}

/* Packets that go out with a poll. */
static unsigned int
polled(struct stream *s, uint32_t *out)
{
	tsc_script_begin();
	engine_fixture_poll(s);
	tsc_script_end();
	return take(out);
}

/*
 * A flush is due after 20 ms, not one cycle before. It empties the FIFO burst by burst, also while
 * new packets come; those wait for the next one.
 */
TSC_TEST(flush)
{
	const uint64_t due = rte_get_tsc_hz() / 50;
	uint32_t in = 0, out = 0;
	struct stream *s;

	engine_fixture_set("noisy-tx-sw-buffer-size", "500");
	engine_fixture_set("noisy-tx-sw-buffer-flushtime", "20");
	tsc_script = (struct tsc_script){ .now = UINT64_MAX - due / 2 }; /* 0 again meanwhile */
	tsc_script_begin();
	s = engine_fixture_begin(engine_fixture_stream(&engine_noisy));
	tsc_script_end();
	put(&in, 70);
	assert_int_equal(polled(s, &out), 0);
	assert_int_equal(polled(s, &out), 0);
	tsc_script.now += due - 1;
	assert_int_equal(polled(s, &out), 0);
	tsc_script.now += 1;
	assert_int_equal(polled(s, &out), 32);
	put(&in, 5);
	assert_int_equal(polled(s, &out), 32);
	assert_int_equal(polled(s, &out), 6);
	assert_int_equal(polled(s, &out), 0);
	tsc_script.now += due - 1;
	assert_int_equal(polled(s, &out), 0);
	tsc_script.now += 1;
	assert_int_equal(polled(s, &out), 5);
	assert_int_equal(s->count.tx, in);
	engine_fixture_end(s);
}

/* Without a flush time, nothing leaves by itself. */
TSC_TEST(no_flush)
{
	uint32_t in = 0, out = 0;
	struct stream *s;

	engine_fixture_set("noisy-tx-sw-buffer-size", "500");
	s = engine_fixture_begin(engine_fixture_stream(&engine_noisy));
	put(&in, 10);
	tsc_script = (struct tsc_script){ .step = rte_get_tsc_hz() };
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(polled(s, &out), 0);
	engine_fixture_end(s);
}

/* A poll that only takes packets into the FIFO is a busy one. */
TEST(busy)
{
	uint32_t in = 0;
	uint64_t cycles;
	struct stream *s;

	engine_fixture_set("noisy-tx-sw-buffer-size", "500");
	s = engine_fixture_begin(engine_fixture_stream(&engine_noisy));
	s->timed = STREAM_TIMED_ALL;
	put(&in, 10);
	engine_fixture_poll(s);
	cycles = s->count.busy_cycles;
	assert_true(cycles > 0);
	engine_fixture_poll(s);
	assert_int_equal(s->count.busy_cycles, cycles);
	engine_fixture_end(s);
}

/* The headers as the engine of that name writes them, with and without FIFO. */
TEST(modes)
{
	static const struct {
		const char *mode, *size;
		const struct engine *like;
	} rows[] = { { "io", "0", &engine_io }, { "mac", "0", &engine_mac },
		{ "macswap", "0", &engine_macswap }, { "5tswap", "0", &engine_5tswap },
		{ "mac", "1", &engine_mac }, { "5tswap", "1", &engine_5tswap } };
	const struct engine_fixture_frame f = engine_fixture_words("eth ip4 udp 12");

	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++) {
		struct stream *s = engine_fixture_begin(engine_fixture_stream(rows[r].like));
		uint8_t expected[ENGINE_FIXTURE_FRAME_MAX];
		struct rte_mbuf *m;

		engine_fixture_put(f.bytes, f.n, 0);
		engine_fixture_poll(s);
		m = engine_fixture_take();
		memcpy(expected, rte_pktmbuf_mtod(m, uint8_t *), f.n);
		rte_pktmbuf_free(m);
		engine_fixture_end(s);
		engine_fixture_set("noisy-forward-mode", rows[r].mode);
		engine_fixture_set("noisy-tx-sw-buffer-size", rows[r].size);
		s = engine_fixture_begin(engine_fixture_stream(&engine_noisy));
		engine_fixture_put(f.bytes, f.n, 0);
		engine_fixture_put(f.bytes, f.n, 0);
		engine_fixture_poll(s);
		engine_fixture_expect(expected, f.n);
		engine_fixture_end(s);
	}
}

/* Memory accesses do not stop packets; the smallest memory has room for all of them. */
TEST(lookups)
{
	uint32_t in = 0, out = 0;
	struct stream *s;
	int i;

	engine_fixture_set("noisy-lkup-memory", "1");
	engine_fixture_set("noisy-lkup-num-reads", "100");
	engine_fixture_set("noisy-lkup-num-writes", "100");
	engine_fixture_set("noisy-lkup-num-reads-writes", "100");
	s = engine_fixture_begin(engine_fixture_stream(&engine_noisy));
	for (i = 0; i < 20; i++) {
		put(&in, 32);
		engine_fixture_poll(s);
		assert_int_equal(take(&out), 32);
	}
	engine_fixture_end(s);
}

TEST(refusals)
{
	static const char *const accesses[] = { "noisy-lkup-num-reads", "noisy-lkup-num-writes",
		"noisy-lkup-num-reads-writes" };
	struct err e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(accesses); i++) {
		defaults(NULL);
		engine_fixture_set(accesses[i], "1");
		e = engine_fixture_refusal(engine_fixture_stream(&engine_noisy));
		assert_non_null(strstr(e.text, "noisy-lkup-memory 0: expected 1 or more for"));
	}
	defaults(NULL);
	engine_fixture_set("noisy-lkup-memory", "100000");
	engine_fixture_set("noisy-tx-sw-buffer-size", "10");
	e = engine_fixture_refusal(engine_fixture_stream(&engine_noisy));
	assert_int_equal(e.code, ENOMEM);
	assert_non_null(strstr(e.text, "100000 MiB"));
	for (i = 0; i < engine_noisy.settings.n; i++)
		if (engine_noisy.settings.rows[i].kind == SETTING_UINT)
			assert_int_equal(setting_parse(engine_fixture_settings,
						 engine_noisy.settings.rows[i].name, "99999999",
						 &e),
				-ERANGE);
	/* What init() never reached is let go of as well. */
	engine_fixture_end(engine_fixture_stream(&engine_noisy));
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close, .before = defaults);
