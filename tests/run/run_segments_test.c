/* Which ports get multi_segs for a run, and what is refused: ports, plan and drivers are the test's.
 * The linker puts the functions named __wrap_* in the place of those of the program. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/packets/run_segments.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "engines/engine.h"
#include "fixtures/out_check.h"
#include "fixtures/unit.h"
#include "pmd_shims/extbuf.h"
#include "port/port.h"
#include "port/port_queue.h"
#include "run/run.h"
#include "run/run_classes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PORTS = 3, LCORE = 1 };

#define SEVERAL RTE_ETH_TX_OFFLOAD_MULTI_SEGS

/* Port i receives for port i + 1; port 0 splits packets. Ports 0 and 1 are one lcore's. */
static struct {
	struct ports ports;
	struct port_queue rxq[PORTS][PORT_QUEUES_MAX], txq[PORTS][PORT_QUEUES_MAX];
	struct rte_mempool *pools[PORTS][PORT_QUEUES_MAX][PORT_POOLS_MAX];
	struct run run;
	bool never[PORTS]; /* the driver never sends several segments */
	bool fails;        /* a restart fails */
	unsigned int restarts[PORTS], starts[PORTS];
	struct out_check out;
} world;

int __wrap_run_plan(const struct run *, const struct engine *, struct plan *, struct err *);
int __wrap_run_plan_started(const struct run *, bool, struct plan *, struct err *);
int __wrap_port_start(struct ports *, uint16_t, struct err *);
int __wrap_port_queue_restart(struct ports *, struct port *, struct err *);
int __wrap_extbuf_tx_judge(uint16_t, uint16_t, uint64_t, struct extbuf_queue *, struct err *);
int __wrap_extbuf_tx_check(uint16_t, uint16_t, uint64_t, unsigned int, struct err *);
int __wrap_rte_eth_dev_get_mtu(uint16_t, uint16_t *);

int
__wrap_rte_eth_dev_get_mtu(uint16_t port, uint16_t *mtu)
{
	return -ENODEV;
}

int
__wrap_run_plan(const struct run *r, const struct engine *engine, struct plan *plan, struct err *e)
{
	*plan = (struct plan){ .streams = calloc(PORTS, sizeof(*plan->streams)),
		.n_streams = PORTS };
	for (uint16_t i = 0; i < PORTS; i++)
		plan->streams[i] = (struct plan_stream){ .rx_port = i,
			.tx_port = (uint16_t)((i + 1) % PORTS),
			.lcore = LCORE + i / 2 };
	return 0;
}

int
__wrap_run_plan_started(const struct run *r, bool sends, struct plan *plan, struct err *e)
{
	return 0;
}

int
__wrap_port_queue_restart(struct ports *ps, struct port *p, struct err *e)
{
	world.restarts[p->id]++;
	assert_false(p->configured);
	return world.fails ? err_set(e, EIO, "port %u: no restart", p->id) : 0;
}

int
__wrap_port_start(struct ports *ps, uint16_t id, struct err *e)
{
	world.starts[id]++;
	assert_false(ps->port[id].configured);
	return 0;
}

static bool
refuses(uint16_t port, uint64_t offloads)
{
	return world.never[port] || (offloads & SEVERAL) == 0;
}

int
__wrap_extbuf_tx_judge(uint16_t port, uint16_t queue, uint64_t offloads, struct extbuf_queue *q,
	struct err *e)
{
	memset(q, 0, sizeof(*q));
	q->verdict[EXTBUF_TX_SEGMENTS].support = refuses(port, offloads) ? EXTBUF_REFUSED
									 : EXTBUF_OK;
	return 0;
}

int
__wrap_extbuf_tx_check(uint16_t port, uint16_t queue, uint64_t offloads, unsigned int uses,
	struct err *e)
{
	assert_int_equal(uses, 1u << EXTBUF_TX_SEGMENTS);
	return refuses(port, offloads)
		? err_set(e, EOPNOTSUPP,
			  "port %u queue %u cannot send packets of several segments: X does not",
			  port, queue)
		: 0;
}

static enum engine_reach
reach_lcore(const struct settings *settings)
{
	return ENGINE_REACH_LCORE;
}

static enum engine_reach
reach_run(const struct settings *settings)
{
	return ENGINE_REACH_RUN;
}

static unsigned int
sends_taken(const struct settings *settings)
{
	return ENGINE_SENDS_TAKEN;
}

static const struct engine own = { .name = "own" },
			   lcore = { .name = "lcore", .reach = reach_lcore },
			   all = { .name = "all", .reach = reach_run },
			   taken = { .name = "taken", .sends = sends_taken },
			   made = { .name = "made", .flags = ENGINE_MAKES },
			   none = { .name = "none", .flags = ENGINE_NO_TX },
			   bare = { .name = "bare", .flags = ENGINE_NO_MBUFS };

static int
begin(void **state)
{
	static struct rte_mempool *const some = (void *)&world;

	memset(&world, 0, sizeof(world));
	for (uint16_t i = 0; i < PORTS; i++) {
		struct port *p = &world.ports.port[i];

		p->id = i;
		p->state = PORT_STARTED;
		p->rxq = world.rxq[i];
		p->txq = world.txq[i];
		p->rx_pools = world.pools[i];
		p->n_queues = p->n_rxq = p->n_txq = 1;
		p->info.tx_offload_capa = SEVERAL;
		p->configured = true;
	}
	world.rxq[0][0].offloads = RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT;
	world.pools[0][0][0] = world.pools[0][0][1] = some;
	world.run.ports = &world.ports;
	if (!out_check_open(&world.out))
		return -1;
	world.run.out = world.out.out;
	return 0;
}

static int
end(void **state)
{
	out_check_close(&world.out);
	return 0;
}

/* One preparation of a run; the ports that have the offload then, as bits. */
static unsigned int
prepare(const struct engine *engine, int ret, const char *text)
{
	unsigned int has = 0;
	struct err e;

	err_clear(&e);
	world.run.engine = engine;
	assert_int_equal(run_segments_prepare(&world.run, false, &e), ret);
	assert_string_equal(e.text, text);
	for (unsigned int i = 0; i < PORTS; i++) {
		const bool port = (world.ports.port[i].conf.txmode.offloads & SEVERAL) != 0;

		assert_int_equal((world.txq[i][0].offloads & SEVERAL) != 0, port);
		has |= (unsigned int)port << i;
	}
	return has;
}

/* The ports that an engine may send split packets by, one restart each; none once they have it. */
static void
who_sends(void **state)
{
	static const struct {
		const struct engine *engine;
		unsigned int ports;
	} rows[] = { { &own, 1 << 1 }, { &lcore, 1 << 1 | 1 << 2 },
		{ &all, 1 << 0 | 1 << 1 | 1 << 2 }, { &taken, 0 }, { &made, 0 }, { &none, 0 },
		{ &bare, 0 } };

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(state);
		for (unsigned int run = 0; run < 2; run++)
			assert_int_equal(prepare(rows[i].engine, 0, ""), rows[i].ports);
		for (unsigned int p = 0; p < PORTS; p++)
			assert_int_equal(world.restarts[p], rows[i].ports >> p & 1);
		if (i + 1 < ARRAY_SIZE(rows))
			end(state);
	}
}

/* It goes when a run of such an engine needs it not, but not where the operator set it. */
static void
not_longer(void **state)
{
	world.ports.port[2].conf.txmode.offloads = world.txq[2][0].offloads = SEVERAL;
	assert_int_equal(prepare(&all, 0, ""), 7);
	assert_int_equal(prepare(&own, 0, ""), 1 << 1 | 1 << 2);
	assert_non_null(strstr(out_check_failures(&world.out),
		"Port 0: multi_segs disabled again: its packets have one segment\n"));
	world.rxq[0][0].offloads = 0;
	assert_int_equal(prepare(&own, 0, ""), 1 << 2);
	assert_int_equal(world.restarts[2], 0);
}

/* Why a queue gives several segments: two pools and the offload, or joined packets. */
static void
origins(void **state)
{
	world.pools[0][0][1] = NULL;
	assert_int_equal(prepare(&own, 0, ""), 0);
	world.rxq[1][0].offloads = RTE_ETH_RX_OFFLOAD_TCP_LRO;
	assert_int_equal(prepare(&own, 0, ""), 1 << 2);
}

#define REFUSED \
	"port 0 splits packets (buffer_split): port 1 queue 0 cannot send packets of several segments: X does not"

/* A driver that cannot send them: refused, with or without the offload; nothing is restarted in vain. */
static void
refused(void **state)
{
	world.never[1] = true;
	world.ports.port[1].info.tx_offload_capa = 0;
	assert_int_equal(prepare(&own, -EOPNOTSUPP, REFUSED), 0);
	assert_int_equal(world.restarts[1], 0);
	world.ports.port[1].info.tx_offload_capa = SEVERAL;
	prepare(&own, -EOPNOTSUPP, REFUSED);
	assert_int_equal(world.restarts[1], 1);
	prepare(&own, -EOPNOTSUPP, REFUSED);
	assert_int_equal(world.restarts[1], 1);
}

/* A port that does not restart is as it was before. */
static void
restart_fails(void **state)
{
	world.fails = true;
	assert_int_equal(prepare(&own, -EIO, "port 1: no restart"), 0);
	assert_int_equal(world.starts[1], 1);
}

#define IN_A_WORLD(test) cmocka_unit_test_setup_teardown(test, begin, end)

int
main(void)
{
	const struct CMUnitTest tests[] = { IN_A_WORLD(who_sends), IN_A_WORLD(not_longer),
		IN_A_WORLD(origins), IN_A_WORLD(refused), IN_A_WORLD(restart_fails) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
