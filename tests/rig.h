/* A rig for tests of engines: EAL in the process, a stream from one loopback port to another, the law at the end. */
#pragma once

#include "engine.h"
#include "err.h"
#include "setting.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The ports that the stream receives from and transmits to; what is sent to a port comes in by it. */
enum { RIG_IN, RIG_OUT };

#define RIG_MBUFS 3071 /* more than the rings of both ports take, 1023 each */

static struct rte_mempool *rig_pool;
static struct settings *rig_settings;

extern const struct engine engine_txonly, engine_flowgen, engine_noisy;

static inline void
rig_port(uint16_t port)
{
	static const struct rte_eth_conf conf;

	assert_int_equal(rte_eth_dev_configure(port, 1, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(port, 0, 64, SOCKET_ID_ANY, NULL, rig_pool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(port, 0, 64, SOCKET_ID_ANY, NULL), 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
}

/* Begin a group of tests. */
static inline int
rig_open(void **state)
{
	static char *args[] = { "rig", "--no-huge", "--no-shconf", "--no-pci", "-m", "64",
		"--no-telemetry", "--lcores=0", "--log-level=error", "--vdev=net_ring0",
		"--vdev=net_ring1" };
	const struct engine *engines[] = { &engine_txonly, &engine_flowgen, &engine_noisy };
	struct err e;
	size_t i;

	assert_int_equal(rte_eal_init(ARRAY_SIZE(args), args), ARRAY_SIZE(args) - 1);
	rig_pool = rte_pktmbuf_pool_create("rig", RIG_MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	assert_non_null(rig_pool);
	rig_port(RIG_IN);
	rig_port(RIG_OUT);
	rig_settings = settings_new();
	for (i = 0; i < ARRAY_SIZE(engines); i++)
		assert_int_equal(settings_add(rig_settings, engines[i]->settings,
					 engines[i]->n_settings, &e),
			0);
	return 0;
}

static inline int
rig_close(void **state)
{
	settings_free(rig_settings);
	rte_eal_cleanup();
	return 0;
}

static inline void
rig_set(const char *name, const char *word)
{
	struct err e;

	err_clear(&e);
	setting_parse(rig_settings, name, word, &e);
	assert_string_equal(e.text, "");
}

/* A stream that init() has not seen yet. */
static inline struct stream *
rig_stream(const struct engine *engine)
{
	struct stream *s = rte_zmalloc(NULL, sizeof(*s), CACHE_PAIR);

	assert_non_null(s);
	s->state = rte_zmalloc(NULL, engine->state_size + 1, CACHE_PAIR);
	s->engine = engine;
	s->burst = 32;
	s->pool = rig_pool;
	s->settings = rig_settings;
	s->lcore = rte_lcore_id();
	s->rx_port = RIG_IN;
	s->tx_port = RIG_OUT;
	s->tx_end = (struct stream_end){ .port = RIG_OUT,
		.mac = { { 2, 0, 0, 0, 0, 0xaa } },
		.peer = { { 2, 0, 0, 0, 0, 0xbb } },
		.vlan = 0x123,
		.vlan_outer = 0x456 };
	return s;
}

static inline struct stream *
rig_begin(struct stream *s)
{
	struct err e;

	err_clear(&e);
	if (s->engine->init != NULL)
		s->engine->init(s, &e);
	assert_string_equal(e.text, "");
	return s;
}

/* What init() says now; the stream is gone afterwards. */
static inline struct err
rig_refusal(struct stream *s)
{
	struct err e;

	err_clear(&e);
	assert_int_equal(s->engine->init(s, &e), -e.code);
	if (s->engine->fini != NULL)
		s->engine->fini(s);
	rte_free(s->state);
	rte_free(s);
	return e;
}

/* One turn of the stream. */
static inline void
rig_turn(struct stream *s)
{
	static const atomic_bool stop = true;

	s->engine->loop(&s, 1, &stop);
}

/* Let the stream go: the law holds, and every packet is back in the pool once the ports have been emptied. */
static inline void
rig_end(struct stream *s)
{
	const struct stream_count *c = &s->count;
	struct rte_mbuf *m;
	uint16_t port;

	if (s->engine->fini != NULL)
		s->engine->fini(s);
	assert_int_equal(c->rx + c->made, c->tx + c->tx_dropped + c->absorbed);
	rte_free(s->state);
	rte_free(s);
	for (port = RIG_IN; port <= RIG_OUT; port++)
		while (rte_eth_rx_burst(port, 0, &m, 1) == 1)
			rte_pktmbuf_free(m);
	assert_int_equal(rte_mempool_avail_count(rig_pool), RIG_MBUFS);
}
