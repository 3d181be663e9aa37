/* The published forms of the ring pipeline: every packet once and in order, over rings that wrap and
 * fill up, with a driver that refuses small bursts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/ring_fixture.h"
#include "fixtures/ring_wire.h"
#include "stream/plan.h"

#include <rte_lcore.h>
#include <rte_random.h>

enum { RING = 64, PACKETS = 20 * RING };

extern const struct engine engine_published_traditional, engine_published_zc,
	engine_published_hybrid;

static const struct engine *const forms[] = { &engine_published_traditional, &engine_published_zc,
	&engine_published_hybrid };
static atomic_bool stop;
static unsigned int idle;

/* A number of packets arrives before each receive call, until enough have come. */
static uint16_t
receive(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	const uint16_t most = (uint16_t)(1 + rte_rand_max(n)); /* else bursts of 4 may never wrap */
	uint16_t got;

	ring_wire.waiting += (uint16_t)rte_rand_max(RING);
	got = ring_wire_rx(queue, pkts, most);
	idle = got == 0 ? idle + 1 : 0;
	assert_true(idle < 1000); /* however few slots are left before the wrap, it goes on */
	if (ring_wire.next_in >= PACKETS)
		atomic_store(&stop, true);
	return got;
}

/* A stream whose pipeline has one worker, on the same lcore; what join() says of it goes to e. */
static struct stream *
begin(const struct engine *form, uint16_t burst, struct err *e)
{
	static void *config = &ring_fixture_config;
	static struct stream *streams[1];
	const struct plan plan = { .n_streams = 1,
		.lcores = { { rte_lcore_id(), 0, 1 } },
		.n_lcores = 1,
		.n_helpers = 1,
		.helpers = { rte_lcore_id() } };
	struct stream *s = streams[0] = ring_wire_stream(burst);
	int ret;

	s->engine = form;
	s->config = &config;
	s->siblings = streams;
	s->n_siblings = 1;
	*e = (struct err){ 0 };
	ret = form->helpers->join(streams, &plan, e);
	assert_int_equal(ret, -e->code);
	return s;
}

static void
end(struct stream *s)
{
	s->engine->fini(s);
	s->engine->forget(s);
	ring_wire_close(s);
}

/* The statistics of the ring say which way bursts went. */
static void
ways(const struct engine *form, const struct ring_side *put, uint16_t least)
{
	if (form == &engine_published_traditional) {
		assert_int_equal(put->zero_copy, 0);
		return;
	}
	assert_true(put->wraps > 0 && put->zero_copy > 0);
	if (form == &engine_published_hybrid)
		assert_int_equal(put->copied, put->wraps);
	else if (least > 1)
		assert_true(put->copied > 0 && put->copied <= put->wraps);
}

static void
run(const struct engine *form, uint16_t burst, uint16_t least)
{
	struct err e;
	struct stream *s = begin(form, burst, &e);
	struct ring_pipeline *p = s->kept;
	struct ring_link *in, *back;

	assert_string_equal(e.text, "");
	in = p->in[0];
	back = p->back[0];
	ring_fixture_index(in, RING_FIXTURE_INDEX);
	ring_fixture_index(back, RING_FIXTURE_INDEX);
	ring_wire_plug(least);
	rte_eth_fp_ops[FIXTURE_IN].rx_pkt_burst = receive;
	atomic_store(&stop, false);
	idle = 0;
	form->loop(s->siblings, 1, &stop);
	assert_true(ring_wire.next_in >= PACKETS);
	assert_int_equal(ring_wire.next_out, ring_wire.next_in);
	assert_int_equal(ring_wire.skipped, 0);
	assert_int_equal(s->count.rx, ring_wire.next_in);
	assert_int_equal(s->count.tx, ring_wire.next_in);
	assert_int_equal(s->count.absorbed, 0);
	assert_int_equal(in->put.packets, ring_wire.next_in);
	assert_int_equal(in->take.packets, ring_wire.next_in);
	assert_int_equal(back->put.packets, ring_wire.next_in);
	assert_int_equal(back->take.packets, ring_wire.next_in);
	ways(form, &in->put, least);
	end(s);
}

/* Workers that keep up, and one that takes fewer than are received, so that the ring fills up. */
TEST(in_order)
{
	static const uint16_t bursts[] = { 4, 8, 13, 32 }, least[] = { 1, 4 };

	for (unsigned int f = 0; f < ARRAY_SIZE(forms); f++)
		for (unsigned int i = 0; i < ARRAY_SIZE(bursts); i++)
			for (unsigned int k = 0; k < ARRAY_SIZE(least); k++)
				for (unsigned int slow = 0; slow < 2; slow++) {
					engine_fixture_set("pipeline-mode", "copy");
					engine_fixture_set("pipeline-ring", "64");
					engine_fixture_set("pipeline-burst", slow ? "3" : "0");
					run(forms[f], bursts[i], least[k]);
				}
}

/* What the forms do not have is refused, and nothing is left. */
TEST(refused)
{
	static const struct {
		const char *setting, *value, *words;
	} rows[] = {
		{ "pipeline-mode", "zc", "pipeline-mode=copy" },
		{ "pipeline-full", "drop", "pipeline-full=wait" },
		{ "pipeline-spread", "flow", "pipeline-spread=queue" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e;

		engine_fixture_set("pipeline-mode", "copy");
		engine_fixture_set(rows[i].setting, rows[i].value);
		end(begin(&engine_published_zc, 32, &e));
		assert_non_null(strstr(e.text, rows[i].words));
		ring_fixture_defaults(state);
	}
}

TESTS(.setup = ring_fixture_open, .teardown = engine_fixture_close,
	.before = ring_fixture_defaults);
