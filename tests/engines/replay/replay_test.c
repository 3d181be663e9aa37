/* The engine replay by a scripted clock: each packet is sent when it is due, late ones are skipped and
 * counted, refused ones are sent again, and the last stream ends the run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/setting.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/tsc_script.h"
#include "memory/extmem.h"
#include "memory/extmem_buffers.h"

#include <rte_cycles.h>
#include <rte_malloc.h>

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct engine engine_replay;

#define BASE 1700000000
enum { BYTES = 100, MOST = 8 };

static struct extmems memories;
static atomic_bool stop;
static char path[] = "/tmp/replay_test_XXXXXX";
static void *config;
static struct out *out;

static int
begin(void **state)
{
	struct err e;

	engine_fixture_open(state);
	if (settings_add(engine_fixture_settings, &engine_replay.settings, &e) != 0)
		return -1;
	config = calloc(1, engine_replay.config_size);
	out = out_open(stdout, stderr);
	close(mkstemp(path));
	return engine_replay.open(config,
		&(struct engine_env){ .extmems = &memories, .out = out, .stop = &stop }, &e);
}

static int
finish(void **state)
{
	struct err e;

	unlink(path);
	err_clear(&e);
	while (memories.first != NULL && extmem_delete(&memories, memories.first->name, &e) == 0)
		;
	assert_string_equal(e.text, "");
	free(config);
	out_close(out);
	return engine_fixture_close(state);
}

/* Write a capture of n packets. Packet i begins with the byte i; its time stamp is us[i] after BASE. */
static void
file_make(const uint32_t *us, unsigned int n)
{
	pcap_t *pcap =
		pcap_open_dead_with_tstamp_precision(DLT_EN10MB, 65535, PCAP_TSTAMP_PRECISION_NANO);
	pcap_dumper_t *to = pcap_dump_open(pcap, path);
	uint8_t bytes[BYTES] = { 0 };

	assert_non_null(to);
	for (unsigned int i = 0; i < n; i++) {
		const struct pcap_pkthdr header = { { BASE, (long)us[i] * 1000 }, BYTES, BYTES };

		bytes[0] = (uint8_t)i;
		pcap_dump((uint8_t *)to, &header, bytes);
	}
	pcap_dump_close(to);
	pcap_close(pcap);
}

/* Write a capture of one packet. */
static void
file_of(const uint8_t *bytes, unsigned int n)
{
	const struct pcap_pkthdr header = { { BASE, 0 }, n, n };
	pcap_t *pcap = pcap_open_dead(DLT_EN10MB, 65535);
	pcap_dumper_t *to = pcap_dump_open(pcap, path);

	assert_non_null(to);
	pcap_dump((uint8_t *)to, &header, bytes);
	pcap_dump_close(to);
	pcap_close(pcap);
}

static struct stream *
stream_of(struct stream *const *siblings, struct rte_mempool *pool)
{
	struct stream *s = engine_fixture_stream(&engine_replay);
	struct err e;

	s->pool = pool;
	*(struct stream **)(uintptr_t)siblings = s;
	s->siblings = siblings;
	s->n_siblings = 1;
	s->tx_end.mtu = 1500;
	s->config = config;
	engine_fixture_begin(s);
	err_clear(&e);
	assert_int_equal(engine_replay.apply(siblings, 1, config, false, &e), 0);
	atomic_store(&stop, false);
	return s;
}

static struct stream *
stream_make(struct stream *const *siblings)
{
	return stream_of(siblings, engine_fixture_pool);
}

/* Of what was attached, everything came back, once: so the memory is gone, too. */
static void
stream_end_(struct stream *s)
{
	struct stream kept = { .kept = s->kept };
	struct extmem_buffers_total t;

	assert_non_null(memories.first);
	t = extmem_buffers_total(memories.first->buffers);
	assert_int_equal(t.taken, t.given + 1); /* of the stream */
	assert_int_equal(t.given_twice, 0);
	engine_fixture_end(s);
	engine_replay.forget(&kept);
	assert_null(memories.first);
}

/* Poll once that many ticks later. Returns how many packets went out, and the numbers of them. */
static unsigned int
poll_at(struct stream *s, uint64_t ticks, uint8_t *numbers)
{
	struct rte_mbuf *m;
	unsigned int n = 0;

	tsc_script.now += ticks;
	tsc_script_begin();
	engine_fixture_poll(s);
	tsc_script_end();
	for (; (m = engine_fixture_take()) != NULL; n++) {
		if (numbers != NULL)
			numbers[n] = *rte_pktmbuf_mtod(m, uint8_t *);
		assert_int_equal(m->pkt_len, BYTES);
		rte_pktmbuf_free(m);
	}
	return n;
}

static void
settings(const char *rate, const char *times, const char *late)
{
	engine_fixture_set("replay", path);
	engine_fixture_set("replay-rate", rate);
	engine_fixture_set("replay-times", times);
	engine_fixture_set("generate-late", late);
}

/* At every microsecond exactly the packets that are due then go out, in each of the passes. */
TSC_TEST(gaps)
{
	static const uint32_t us[] = { 0, 3, 3, 10, 40 };
	static const struct {
		const char *rate;
		unsigned int slower; /* times, in hundredths */
	} cases[] = { { "recorded", 100 }, { "2x", 50 }, { "0.1x", 1000 } };
	const double tick_us = (double)rte_get_tsc_hz() / 1e6;
	enum { PASSES = 30 };

	file_make(us, ARRAY_SIZE(us));
	for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
		struct stream *siblings[1], *s;
		const double each = tick_us * cases[k].slower / 100;
		uint64_t sent = 0;

		settings(cases[k].rate, "30", "1000000");
		s = stream_make(siblings);
		tsc_script =
			(struct tsc_script){ .now = UINT64_MAX - 100000 }; /* 0 again meanwhile */
		for (unsigned int step = 0; step < 50 * 3 * PASSES + 3; step++) {
			const double now = step * (double)(uint64_t)(each / 3);
			uint64_t due_least = 0, due_most = 0;

			for (unsigned int i = 0; i < PASSES * ARRAY_SIZE(us); i++) {
				const double at = (i / 5 * 50 + us[i % 5]) * each;

				due_least += at <= now - 2;
				due_most += at <= now + 2;
			}
			sent += poll_at(s, step == 0 ? 0 : (uint64_t)(each / 3), NULL);
			assert_in_range(sent, due_least, due_most);
		}
		assert_int_equal(counter_read(&s->count.named[0]), 0);
		stream_end_(s);
	}
}

/* What is late by more than generate-late is not sent, but counted; the file goes on after it. */
TSC_TEST(late)
{
	static const uint32_t us[] = { 0, 1000, 2000, 3000, 3500, 4000, 9000 };
	const uint64_t tick_us = rte_get_tsc_hz() / 1000000;
	struct stream *siblings[1], *s;
	uint8_t numbers[32];

	file_make(us, ARRAY_SIZE(us));
	settings("recorded", "1", "1001"); /* not the default, with which nothing is left out */
	s = stream_make(siblings);
	tsc_script = (struct tsc_script){ .now = 1000 };
	assert_int_equal(poll_at(s, 0, numbers), 1);
	assert_int_equal(numbers[0], 0);
	assert_int_equal(poll_at(s, 3600 * tick_us, numbers), 2);
	assert_int_equal(numbers[0], 3);
	assert_int_equal(numbers[1], 4);
	assert_int_equal(counter_read(&s->count.named[0]), 2);
	assert_int_equal(poll_at(s, 300 * tick_us, numbers), 0);
	assert_int_equal(poll_at(s, 200 * tick_us, numbers), 1);
	assert_int_equal(numbers[0], 5);
	assert_false(atomic_load(&stop));
	assert_int_equal(poll_at(s, 10000 * tick_us, numbers), 0);
	assert_int_equal(counter_read(&s->count.named[0]), 3);
	/* Everything was sent or counted: the run ends. */
	assert_int_equal(poll_at(s, 0, numbers), 0);
	assert_true(atomic_load(&stop));
	stream_end_(s);
}

/* Four packets, of which all but the first are polled for late. unsent: those that are left out. */
static void
late_poll(const char *rate, const uint32_t us[4], uint64_t late_us, unsigned int unsent)
{
	struct stream *siblings[1], *s;
	uint8_t numbers[32];

	file_make(us, 4);
	settings(rate, "1", "1000");
	s = stream_make(siblings);
	tsc_script = (struct tsc_script){ .now = 1000 };
	assert_int_equal(poll_at(s, 0, numbers), 1);
	assert_int_equal(poll_at(s, late_us * (rte_get_tsc_hz() / 1000000), numbers), 3 - unsent);
	assert_int_equal(numbers[0], 1 + unsent);
	assert_int_equal(counter_read(&s->count.named[0]), unsent);
	stream_end_(s);
}

/* By default packets of recorded times are sent however late they are. */
TSC_TEST(late_but_sent)
{
	late_poll("recorded", (const uint32_t[]){ 0, 1000, 2000, 3000 }, 3000000, 0);
}

/* By default packets of a rate are left out once they are late by more than a millisecond. */
TSC_TEST(late_at_a_rate)
{
	late_poll("1000", (const uint32_t[]){ 0, 0, 0, 0 }, 3500, 2);
}

/* Without a time, packets that the full ring refuses are sent again, none twice, in order. */
TEST(full_ring)
{
	static const uint32_t us[MOST] = { 0 };
	char times[16];

	for (unsigned int n = 1; n <= MOST; n++) {
		const unsigned int passes = 4000 / n;
		struct stream *siblings[1], *s;
		unsigned int next = 0;

		file_make(us, n);
		snprintf(times, sizeof(times), "%u", passes);
		settings("max", times, "1000");
		s = stream_make(siblings);
		while (!atomic_load(&stop)) {
			struct rte_mbuf *m;

			/* More than the ring holds, then some room. */
			for (unsigned int i = 0; i < 40; i++)
				engine_fixture_poll(s);
			for (unsigned int i = 0;
				i < 700 + next % 100 && (m = engine_fixture_take()) != NULL; i++) {
				assert_int_equal(*rte_pktmbuf_mtod(m, uint8_t *), next++ % n);
				rte_pktmbuf_free(m);
			}
		}
		for (struct rte_mbuf *m; (m = engine_fixture_take()) != NULL; rte_pktmbuf_free(m))
			assert_int_equal(*rte_pktmbuf_mtod(m, uint8_t *), next++ % n);
		assert_int_equal(next, passes * n);
		assert_int_equal(counter_read(&s->count.tx), passes * n);
		assert_true(counter_read(&s->count.tx_dropped) > 0);
		stream_end_(s);
	}
}

/* A signal that is pending ends the reading of a long file. Nothing stays; later it can be read. */
TSC_TEST(signals)
{
	enum { LONG = 4096 };
	uint32_t *us = calloc(LONG, sizeof(*us));
	struct stream *s = engine_fixture_stream(&engine_replay), *siblings[1] = { s };
	struct interrupt signal = { .requests = -1 };
	int ends[2];
	struct err e;
	char c = 0;

	assert_non_null(us);
	file_make(us, LONG);
	free(us);
	settings("max", "1", "0");
	assert_int_equal(pipe(ends), 0);
	signal.signals = ends[0];
	memories.interrupt = &signal;
	assert_int_equal(write(ends[1], &c, 1), 1);
	s->siblings = siblings;
	s->n_siblings = 1;
	s->tx_end.mtu = 1500;
	s->config = config;
	e = engine_fixture_refusal(s);
	assert_int_equal(e.code, EINTR);
	assert_non_null(strstr(e.text, "stopped by a signal while reading /tmp/"));
	assert_null(memories.first);
	assert_int_equal(read(ends[0], &c, 1), 1);
	s = stream_make(siblings);
	assert_true(poll_at(s, 0, NULL) > 0);
	stream_end_(s);
	memories.interrupt = NULL;
	close(ends[0]);
	close(ends[1]);
}

/* Two streams of a port: neither begins before the other one was polled, and the last one ends it. */
TSC_TEST(together)
{
	enum { N = 64 };
	const uint64_t tick_us = rte_get_tsc_hz() / 1000000;
	struct stream *siblings[2];
	uint32_t us[N];
	unsigned int sent[2] = { 0 }, most[2] = { 0 };
	struct err e;

	for (unsigned int i = 0; i < N; i++)
		us[i] = i;
	file_make(us, N);
	settings("recorded", "1", "1000000");
	for (unsigned int i = 0; i < 2; i++) {
		siblings[i] = engine_fixture_stream(&engine_replay);
		siblings[i]->siblings = siblings;
		siblings[i]->n_siblings = 2;
		siblings[i]->index = i;
		siblings[i]->tx_end.mtu = 1500;
		siblings[i]->config = config;
	}
	/* All of these packets are of one flow; with another port, each has the file. */
	siblings[1]->tx_port = FIXTURE_IN;
	for (unsigned int i = 0; i < 2; i++)
		engine_fixture_begin(siblings[i]);
	err_clear(&e);
	assert_int_equal(engine_replay.apply(siblings, 2, config, false, &e), 0);
	atomic_store(&stop, false);
	tsc_script = (struct tsc_script){ .now = 5000 };
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(poll_at(siblings[0], 100 * tick_us, NULL), 0);
	for (unsigned int i = 0; i < 2 * N + 10; i++) {
		for (unsigned int k = 2; k-- > 0;) {
			tsc_script_begin();
			engine_fixture_poll(siblings[k]);
			tsc_script_end();
			most[k] = RTE_MAX(most[k],
				(unsigned int)counter_read(&siblings[k]->count.tx) - sent[k]);
			sent[k] = (unsigned int)counter_read(&siblings[k]->count.tx);
		}
		tsc_script.now += tick_us / 2;
	}
	for (unsigned int k = 0; k < 2; k++) {
		assert_int_equal(sent[k], N);
		assert_int_equal(most[k], 1);
	}
	assert_true(atomic_load(&stop));
	for (unsigned int k = 0; k < 2; k++) {
		struct stream kept = { .kept = siblings[k]->kept };

		engine_replay.fini(siblings[k]);
		engine_replay.forget(&kept);
	}
	for (unsigned int k = 0; k < 2; k++) {
		struct rte_mbuf *m;

		while (rte_eth_rx_burst((uint16_t)k, 0, &m, 1) == 1)
			rte_pktmbuf_free(m);
		free(siblings[k]->state);
		rte_free(siblings[k]);
	}
	assert_int_equal(rte_mempool_avail_count(engine_fixture_pool), ENGINE_FIXTURE_MBUFS);
}

/* A pool with contiguous blocks: what a stream has left of its last block goes back at its end. */
TSC_TEST(blocks)
{
	/* Small buffers, of which several are in a page; packets are not copied into them. */
	enum { ROOM = RTE_CACHE_LINE_SIZE == 64 ? 192 : 128 };
	static const uint32_t us[] = { 0, 1 };
	struct rte_mempool *pool =
		rte_pktmbuf_pool_create_by_ops("blocks", 1000, 0, 0, ROOM, SOCKET_ID_ANY, "bucket");
	struct stream *siblings[1], *s;

	assert_non_null(pool);
	file_make(us, ARRAY_SIZE(us));
	settings("recorded", "1", "1000000");
	s = stream_of(siblings, pool);
	tsc_script = (struct tsc_script){ .now = 1000 };
	assert_int_equal(poll_at(s, 0, NULL), 1);
	assert_true(rte_mempool_in_use_count(pool) > 1);
	stream_end_(s);
	assert_true(rte_mempool_full(pool));
	rte_mempool_free(pool);
}

/* Two VLAN tags may be beyond the MTU, further ones not: they are payload to the port. */
TEST(tags)
{
	enum { MTU = 1500, TAGS = 4 };
	static const uint8_t tag[] = { 0x81, 0, 0, 5 }, type[] = { 8, 0 };
	struct stream *s, *siblings[1];
	char said[64];

	settings("max", "1", "1000");
	for (unsigned int n = 0; n <= TAGS; n++) {
		const unsigned int most = MTU + 14 + 4 * RTE_MIN(n, 2u);

		for (unsigned int bytes = most; bytes <= most + 1; bytes++) {
			uint8_t packet[MTU + 64] = { 2 };

			for (unsigned int i = 0; i < n; i++)
				memcpy(packet + 12 + 4 * i, tag, sizeof(tag));
			memcpy(packet + 12 + 4 * n, type, sizeof(type));
			file_of(packet, bytes);
			if (bytes == most) {
				s = stream_make(siblings);
				engine_fixture_poll(s);
				engine_fixture_expect(packet, bytes);
				stream_end_(s);
				continue;
			}
			s = engine_fixture_stream(&engine_replay);
			siblings[0] = s;
			s->siblings = siblings;
			s->n_siblings = 1;
			s->tx_end.mtu = MTU;
			s->config = config;
			snprintf(said, sizeof(said), "packet 1 has %u bytes: port 1 can send %u",
				bytes, most);
			assert_non_null(strstr(engine_fixture_refusal(s).text, said));
		}
	}
}

TESTS(.setup = begin, .teardown = finish);
