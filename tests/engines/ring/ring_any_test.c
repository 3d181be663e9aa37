/* Several workers that take bursts from one ring: each packet comes back once, whoever took it, and
 * one that does nothing holds nobody up. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "engines/ring/ring_setup.h"
#include "engines/ring/ring_worker.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/ring_fixture.h"
#include "fixtures/wait.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { WORKERS = 3, PACKETS = 30000, BURST = 29 };

static const char *const modes[] = { "copy", "zc", "compressed", "auto" };
static bool came_back[PACKETS];

/* Rings of 64 slots; all workers but this lcore's I/O are other threads', or nobody's. */
static struct ring_pipeline *
begin(const char *mode)
{
	struct ring_pipeline *p;

	engine_fixture_set("pipeline-mode", mode);
	engine_fixture_set("pipeline-sync", "hts");
	engine_fixture_set("pipeline-spread", "any");
	engine_fixture_set("pipeline-ring", "64");
	p = ring_fixture_begin(WORKERS, NULL);
	p->io[0].own = NULL;
	memset(came_back, 0, sizeof(came_back));
	return p;
}

static void
put(uint32_t number)
{
	struct engine_fixture_frame f;

	engine_fixture_ether(&f, NULL, 0x9000);
	engine_fixture_add(&f, &number, sizeof(number));
	engine_fixture_put(f.bytes, f.n, 0);
}

/* What was sent: each number once. Returns packets. */
static uint32_t
take(void)
{
	struct rte_mbuf *m;
	uint32_t n, number;

	for (n = 0; (m = engine_fixture_take()) != NULL; n++) {
		memcpy(&number, rte_pktmbuf_mtod_offset(m, uint8_t *, 14), sizeof(number));
		assert_true(number < PACKETS && !came_back[number]);
		came_back[number] = true;
		rte_pktmbuf_free(m);
	}
	return n;
}

struct turn {
	struct ring_worker *worker;
	const atomic_bool *stop;
};

static void *
work(void *arg)
{
	const struct turn *turn = arg;

	engine_fixture_any_cpu();
	while (!atomic_load(turn->stop))
		if (ring_worker_poll(turn->worker) == 0)
			sched_yield();
	return NULL;
}

/* Through rings that wrap all the time, from one thread to three, two at a time each, and back. */
TEST(threads)
{
	engine_fixture_set("pipeline-burst", "2");
	for (unsigned int mode = 0; mode < ARRAY_SIZE(modes); mode++) {
		struct ring_pipeline *p = begin(modes[mode]);
		struct turn turns[WORKERS];
		pthread_t others[WORKERS];
		atomic_bool stop = false;
		uint32_t in = 0, out = 0;
		uint64_t taken = 0;
		time_t end = 0;

		for (unsigned int k = 0; k < WORKERS; k++) {
			turns[k] = (struct turn){ &p->workers[k], &stop };
			assert_int_equal(pthread_create(&others[k], NULL, work, &turns[k]), 0);
		}
		while (out < PACKETS) {
			for (unsigned int n = 0; n < BURST && in < PACKETS && in - out < 100; n++)
				put(in++);
			ring_io_poll(p->io, true);
			out += take();
			wait_step(&end, "all packets through the workers", __FILE__, __LINE__);
		}
		atomic_store(&stop, true);
		for (unsigned int k = 0; k < WORKERS; k++) {
			const struct ring_link *l = *ring_in(p, 0, k);

			pthread_join(others[k], NULL);
			assert_int_equal(l->take.packets, p->workers[k].count.packets);
			assert_int_equal(l->take.zero_copy, 0);
			taken += l->take.packets;
		}
		assert_int_equal(taken, PACKETS);
		assert_int_equal((*ring_in(p, 0, 0))->put.packets, PACKETS);
		ring_fixture_end(p);
	}
}

/* Of three workers any one alone gets all there is. */
TEST(alone)
{
	for (unsigned int mode = 0; mode < ARRAY_SIZE(modes); mode++)
		for (unsigned int k = 0; k < WORKERS; k++) {
			struct ring_pipeline *p = begin(modes[mode]);
			uint32_t in = 0, out = 0;

			while (in < 400) {
				for (unsigned int n = 0; n < 20; n++)
					put(in++);
				ring_io_poll(p->io, true);
				assert_int_equal(ring_worker_poll(&p->workers[k]), 20);
				ring_io_poll(p->io, true);
				out += take();
			}
			assert_int_equal(out, in);
			ring_fixture_end(p);
		}
}

/* What nobody took is counted at the end. */
TEST(left)
{
	struct ring_pipeline *p = begin("zc");

	for (uint32_t i = 0; i < 30; i++)
		put(i);
	ring_io_poll(p->io, true);
	ring_setup_end(p->streams[0]);
	assert_int_equal(p->streams[0]->count.named[RING_LEFT], 30);
	ring_fixture_end(p);
}

TEST(refused)
{
	engine_fixture_set("pipeline-spread", "any");
	assert_null(ring_fixture_begin(1,
		"pipeline-spread any: several workers share a ring; use \"set pipeline sync hts\""));
}

TESTS(.setup = ring_fixture_open, .teardown = engine_fixture_close,
	.before = ring_fixture_defaults);
