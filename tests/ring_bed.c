/* The bed: streams, a plan with this lcore for all, the engine's own functions in the order of a run. */
#include "ring_bed.h"

#include "base.h"
#include "err.h"
#include "plan.h"
#include "rig.h"
#include "ring_io.h"
#include "ring_setup.h"
#include "setting.h"

#include <rte_malloc.h>

#include <stdlib.h>

extern const struct engine engine_ring_pipeline;

struct ring_routes ring_bed_routes;
struct ring_shared *ring_bed_shared;
static struct stream *streams[2];

int
ring_bed_open(void **state)
{
	struct err e = { 0 };

	rig_open(state);
	return settings_add(rig_settings, engine_ring_pipeline.settings,
		engine_ring_pipeline.n_settings, &e);
}

int
ring_bed_defaults(void **state)
{
	for (size_t i = 0; i < engine_ring_pipeline.n_settings; i++)
		setting_reset(rig_settings, engine_ring_pipeline.settings[i].name);
	ring_routes_clear(&ring_bed_routes);
	return 0;
}

static struct stream *
stream_new(unsigned int index)
{
	struct stream *s = rig_stream(&engine_ring_pipeline);

	s->mates = streams;
	s->n_mates = ARRAY_SIZE(streams);
	s->index = index;
	s->routes = &ring_bed_routes;
	s->shared = ring_bed_shared;
	if (index == 1) {
		s->rx_port = RIG_OUT;
		s->tx_port = RIG_IN;
		s->tx_end.port = RIG_IN;
		s->tx_end.mac.addr_bytes[5] = 0xcc;
		s->tx_end.peer.addr_bytes[5] = 0xdd;
	}
	return s;
}

static void
streams_gone(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(streams); i++) {
		free(streams[i]->state);
		rte_free(streams[i]);
	}
}

struct ring_pipeline *
ring_bed_begin(unsigned int workers, const char *fail)
{
	struct plan plan = { .n_routes = ARRAY_SIZE(streams),
		.lcores = { { rte_lcore_id(), 0, ARRAY_SIZE(streams) } },
		.n_lcores = 1,
		.n_helpers = workers };
	struct err e = { 0 };

	for (unsigned int i = 0; i < workers; i++)
		plan.helpers[i] = rte_lcore_id() + i;
	for (unsigned int i = 0; i < ARRAY_SIZE(streams); i++)
		streams[i] = stream_new(i);
	if (engine_ring_pipeline.team->join(streams, &plan, &e) == 0) {
		assert_null(fail);
		return streams[0]->pipeline;
	}
	assert_non_null(strstr(e.text, fail != NULL ? fail : ""));
	assert_non_null(fail);
	streams_gone();
	return NULL;
}

void
ring_bed_turn(struct ring_pipeline *p)
{
	ring_io_turn(p->io, true);
}

void
ring_bed_end(struct ring_pipeline *p)
{
	static const atomic_bool stop = true;
	struct rte_mbuf *m;

	if (p->n_workers == 1)
		engine_ring_pipeline.loop(streams, ARRAY_SIZE(streams), &stop);
	for (unsigned int i = 0; i < ARRAY_SIZE(streams); i++)
		engine_ring_pipeline.fini(streams[i]);
	for (unsigned int i = 0; i < ARRAY_SIZE(streams); i++) {
		const struct stream_count *c = &streams[i]->count;

		assert_int_equal(c->rx + c->made, c->tx + c->tx_dropped + c->absorbed);
		while (rte_eth_rx_burst(i == 0 ? RIG_IN : RIG_OUT, 0, &m, 1) == 1)
			rte_pktmbuf_free(m);
	}
	ring_setup_free(p);
	streams_gone();
	assert_int_equal(rte_mempool_avail_count(rig_pool), RIG_MBUFS);
}
