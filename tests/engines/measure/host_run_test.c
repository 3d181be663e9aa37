/* Ports that answer while the engine measure runs: who makes and who sends an answer, full rings, and in
 * which row each packet is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/host_run.h"

#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "engines/measure/measured.h"
#include "engines/measure/sender.h"
#include "fixtures/engine_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const struct engine engine_generate, engine_measure;

enum { HELD = 1024 };

/* The ports' other ends, and the streams between them: 0 receives from IN, 1 sends to it. */
static struct {
	struct rte_mbuf *in[HELD], *out[HELD];
	unsigned int n_in, n_out;
	unsigned int room; /* packets that port IN still takes */
	struct stream *streams[2];
	struct measured_config *config;
} world;

static uint16_t
receive(uint16_t port, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t got = 0;

	while (port == FIXTURE_IN && got < n && got < world.n_in) {
		pkts[got] = world.in[got];
		got++;
	}
	world.n_in -= got;
	memmove(world.in, world.in + got, world.n_in * sizeof(world.in[0]));
	return got;
}

static uint16_t
transmit(uint16_t port, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t taken = 0;

	for (; taken < n && (port == FIXTURE_OUT || world.room > 0); taken++) {
		if (port == FIXTURE_OUT) {
			rte_pktmbuf_free(pkts[taken]);
			continue;
		}
		world.room--;
		assert_true(world.n_out < HELD);
		world.out[world.n_out++] = pkts[taken];
	}
	return taken;
}

ENGINE_FIXTURE_BURSTS(0)
ENGINE_FIXTURE_BURSTS(1)

static int
begin(void **state)
{
	struct err e;

	engine_fixture_open(state);
	settings_add(engine_fixture_settings, &engine_generate.settings, &e);
	return settings_add(engine_fixture_settings, &engine_measure.settings, &e);
}

static int
before(void **state)
{
	world.n_in = world.n_out = 0;
	world.room = HELD;
	world.config = calloc(1, engine_measure.config_size);
	ENGINE_FIXTURE_PLUG(0);
	ENGINE_FIXTURE_PLUG(1);
	for (uint16_t i = 0; i < 2; i++) {
		struct stream *s = engine_fixture_stream(&engine_measure);

		world.streams[i] = s;
		s->rx_port = i;
		s->tx_port = 1 - i;
		s->index = i;
		s->n_siblings = 2;
		s->siblings = world.streams;
		s->tx_end.mtu = 1500;
		s->rx_end.mac = (struct rte_ether_addr){ { 2, 0, 0, 0, 0, 0xaa } };
		s->config = world.config;
	}
	return 0;
}

/* Start a run with these words of traffic; port IN has an address. */
static int
start(const char *words, struct err *e)
{
	err_clear(e);
	engine_fixture_set("generate", words);
	if (world.config->hosts.n == 0)
		assert_int_equal(hosts_add(&world.config->hosts, FIXTURE_IN, "10.0.0.2", NULL, e),
			0);
	for (unsigned int i = 0; i < 2; i++)
		engine_fixture_begin(world.streams[i]);
	return engine_measure.apply(world.streams, 2, world.config, false, e);
}

static void
run_begin(const char *words)
{
	struct err e;

	assert_int_equal(start(words, &e), 0);
}

static int
after(void **state)
{
	struct stream kept[2] = { { 0 } };

	while (world.n_out > 0)
		rte_pktmbuf_free(world.out[--world.n_out]);
	for (unsigned int i = 0; i < 2; i++)
		kept[i] = (struct stream){ .kept = world.streams[i]->kept, .index = i };
	engine_fixture_end_all(world.streams, 2);
	for (unsigned int i = 0; i < 2; i++)
		engine_measure.forget(&kept[i]);
	free(world.config);
	return 0;
}

static void
poll_streams(void)
{
	static const atomic_bool stop = true;

	engine_measure.loop(world.streams, 2, &stop);
}

static uint64_t
counted(unsigned int stream, unsigned int which)
{
	return counter_read(&world.streams[stream]->count.named[which]);
}

static const uint8_t request[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 8, 6, 0, 1,
	8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2 };
static const uint8_t reply[] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0xaa, 8, 6, 0, 1, 8, 0, 6, 4, 0,
	2, 2, 0, 0, 0, 0, 0xaa, 10, 0, 0, 2, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1 };

/* A request comes in, in segments of cut bytes. */
static struct rte_mbuf *
ask(unsigned int cut)
{
	struct rte_mbuf *m = engine_fixture_packet(request, sizeof(request), cut);

	assert_true(world.n_in < HELD);
	world.in[world.n_in++] = m;
	return m;
}

static void
expect(const uint8_t *bytes, unsigned int n)
{
	assert_true(world.n_out > 0);
	assert_int_equal(world.out[0]->pkt_len, n);
	assert_memory_equal(rte_pktmbuf_mtod(world.out[0], const uint8_t *), bytes, n);
	assert_int_equal(world.out[0]->ol_flags & ~RTE_MBUF_F_EXTERNAL, 0);
	rte_pktmbuf_free(world.out[0]);
	memmove(world.out, world.out + 1, --world.n_out * sizeof(world.out[0]));
}

/* The receiver of a request makes the answer, the stream that sends to its port sends it. */
TEST(one)
{
	run_begin("flows 0");
	for (unsigned int cut = 0; cut < sizeof(request); cut++)
		ask(cut);
	for (unsigned int i = 0; i < 4; i++)
		poll_streams();
	for (unsigned int cut = 0; cut < sizeof(request); cut++)
		expect(reply, sizeof(reply));
	assert_int_equal(counted(0, MEASURED_ANSWERED), sizeof(request));
	assert_int_equal(counted(0, MEASURED_FOREIGN), 0);
	assert_int_equal(world.streams[1]->count.made, sizeof(request));
	assert_int_equal(world.streams[1]->count.tx, sizeof(request));
	assert_int_equal(world.streams[0]->count.absorbed, sizeof(request));
}

/* Padding of zeros is no probe of a run before the first one. */
TEST(padded)
{
	uint8_t frame[60] = { 0 }, answer[60] = { 0 };

	memcpy(frame, request, sizeof(request));
	memcpy(answer, reply, sizeof(reply));
	run_begin("flows 0");
	world.in[world.n_in++] = engine_fixture_packet(frame, sizeof(frame), 0);
	poll_streams();
	expect(answer, sizeof(answer));
	assert_int_equal(counted(0, MEASURED_FOREIGN), 0);
}

/* What others hold, too, is not written: a capture has the request as it came. */
TEST(shared)
{
	struct rte_mbuf *m;

	run_begin("flows 0");
	m = ask(0);
	rte_mbuf_refcnt_set(m, 2);
	poll_streams();
	expect(reply, sizeof(reply));
	assert_memory_equal(rte_pktmbuf_mtod(m, const uint8_t *), request, sizeof(request));
	rte_pktmbuf_free(m);
}

/* A tag that the NIC removed is in the answer; of two, the type of the outer one is not known. */
TEST(stripped)
{
	uint8_t tagged[sizeof(reply) + 4];
	struct rte_mbuf *m;

	memcpy(tagged, reply, 12);
	memcpy(tagged + 12, (uint8_t[]){ 0x81, 0, 0x60, 5 }, 4);
	memcpy(tagged + 16, reply + 12, sizeof(reply) - 12);
	run_begin("flows 0");
	m = ask(0);
	m->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	m->vlan_tci = 0x6005;
	poll_streams();
	expect(tagged, sizeof(tagged));
	m = ask(0);
	m->ol_flags |= RTE_MBUF_F_RX_QINQ_STRIPPED | RTE_MBUF_F_RX_VLAN_STRIPPED;
	poll_streams();
	assert_int_equal(world.n_out, 0);
	assert_int_equal(counted(0, MEASURED_FOREIGN), 1);
}

/* A full Tx ring drops answers, which are neither lost nor refused. */
TEST(full_port)
{
	run_begin("flows 0");
	world.room = 3;
	for (unsigned int i = 0; i < 10; i++)
		ask(0);
	poll_streams();
	assert_int_equal(world.n_out, 3);
	assert_int_equal(counted(0, MEASURED_ANSWERED), 10);
	assert_int_equal(counted(1, MEASURED_ANSWERS_DROPPED), 7);
	assert_int_equal(world.streams[1]->count.tx, 3);
	assert_int_equal(world.streams[1]->count.tx_dropped, 0);
}

/* More requests than the ring holds, while the lcore that sends does not run; the rest ends with the run. */
TEST(full_ring)
{
	run_begin("flows 0");
	for (unsigned int i = 0; i < 300; i++)
		ask(0);
	for (unsigned int i = 0; i < 10; i++)
		engine_fixture_poll(world.streams[0]);
	assert_int_equal(counted(0, MEASURED_ANSWERED), 300);
	assert_int_equal(counted(0, MEASURED_ANSWERS_DROPPED), 300 - 255);
	engine_fixture_poll(world.streams[1]);
	host_run_end(world.streams[1], &world.config->hosts);
	assert_int_equal(counted(1, MEASURED_ANSWERS_DROPPED), 255 - 32);
}

/* Answers are no part of a number of packets that a run sends. */
TEST(limited)
{
	atomic_llong left = 100;
	struct stream_limit *limit = &world.streams[1]->limit;

	run_begin("flows 0");
	*limit = (struct stream_limit){ .left = &left, .burst = 32, .made = true };
	for (unsigned int i = 0; i < 5; i++)
		ask(0);
	poll_streams();
	assert_int_equal(world.n_out, 5);
	assert_int_equal(stream_limit_take(limit, &world.streams[1]->count), 32);
	assert_int_equal(left, 100 - 32);
	*limit = (struct stream_limit){ 0 };
}

/* Fill in an echo request that ends like a packet of this run; error: into its checksum. */
static unsigned int
echo_like_probe(uint8_t *frame, uint16_t error)
{
	static const uint8_t head[] = { 2, 0, 0, 0, 0, 0xaa, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 46,
		0, 0, 0, 0, 64, 1, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 8, 0, 0, 0 };
	const uint32_t word = world.config->mark << 20;
	uint16_t sum;

	memset(frame, 0, 60);
	memcpy(frame, head, sizeof(head));
	memcpy(frame + 60 - 14, &word, sizeof(word));
	sum = (uint16_t)~rte_raw_cksum(frame + 14, 20);
	memcpy(frame + 24, &sum, sizeof(sum));
	sum = (uint16_t)~rte_raw_cksum(frame + 34, 26) ^ error;
	memcpy(frame + 36, &sum, sizeof(sum));
	return 60;
}

/* The end of a request may look like a packet of this run: it is answered, and not damaged. */
TEST(like_a_probe)
{
	uint8_t frame[60];

	run_begin("flows 3");
	world.in[world.n_in++] = engine_fixture_packet(frame, echo_like_probe(frame, 0), 0);
	world.in[world.n_in++] = engine_fixture_packet(frame, echo_like_probe(frame, 1), 0);
	poll_streams();
	assert_int_equal(counted(0, MEASURED_ANSWERED), 1);
	assert_int_equal(counted(0, MEASURED_DAMAGED), 1);
	assert_int_equal(counted(0, MEASURED_FOREIGN), 0);
}

/* Without an address nothing is answered, and a port that nothing is sent to is refused at the start. */
TEST(none)
{
	struct err e;

	assert_int_equal(hosts_add(&world.config->hosts, FIXTURE_OUT, "10.0.0.3", NULL, &e), 0);
	run_begin("flows 0");
	assert_int_equal(hosts_add(&world.config->hosts, FIXTURE_IN, "10.0.0.2", NULL, &e), -EBUSY);
	ask(0);
	poll_streams();
	assert_int_equal(world.n_out, 0);
	assert_int_equal(counted(0, MEASURED_FOREIGN), 1);
	assert_int_equal(counted(0, MEASURED_ANSWERED), 0);
}

TEST(unreachable)
{
	struct err e;

	world.streams[1]->tx_stopped = true;
	assert_int_equal(start("flows 0", &e), -ENODEV);
	assert_non_null(strstr(e.text, "port 0 host: no queue of this run sends to port 0"));
}

TESTS(.setup = begin, .teardown = engine_fixture_close, .before = before, .after = after);
