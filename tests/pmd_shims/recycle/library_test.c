/* libzcfwd-recycle.so as any program links it, by its header alone, on modelled NICs: it recycles, its
 * queues move while packets are forwarded, and queues that changed are left alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/library_fixture.h"
#include "fixtures/skip.h"
#include "fixtures/unit.h"

#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <zcfwd/recycle.h>

#define DIM(array) (sizeof(array) / sizeof((array)[0]))

/* Most packets come in mbufs that were sent before. */
TEST(recycles)
{
	struct zcfwd_recycle_pair pair;

	library_bind(NULL);
	library_poll(4000);
	print_message("# %llu moved of %llu received\n", (unsigned long long)library_moved(),
		(unsigned long long)library.received);
	assert_true(library.received > 10000 && library_moved() * 100 > library.received * 95);
	assert_int_equal(zcfwd_recycle_pairs(library.of[0][0], &pair, sizeof(pair), 1), 1);
	assert_true(pair.bound && pair.feeds && !pair.proving);
	assert_true(pair.tx.port == library_port(1) && pair.tx.queue == 0);
	assert_true(pair.rx_function[0] != '\0' && pair.tx_function[0] != '\0');
	assert_string_equal(pair.rx_layout, "table");
	assert_int_equal(library_reason(library.of[0][0]), ZCFWD_RECYCLE_FINE);
}

/*
 * Rows have names, units and help of their own; the number of each is fixed, and levels need a
 * window.
 */
TEST(rows)
{
	/* Version 1.0; newer ones append. */
	static const char *const names[] = { "moved", "topped_up", "shared", "foreign", "freed",
		"from_blocks", "contig_gets", "blocks", "blocks_cached", "window", "armed",
		"in_flight", "working_set", "ring", "inlined" };
	uint64_t values[64];
	const struct zcfwd_recycle_row *row;
	unsigned int n = 0, levels = 0;

	while ((row = zcfwd_recycle_row(n)) != NULL) {
		assert_true(strlen(row->name) > 0 && strlen(row->unit) > 0);
		assert_true(strlen(row->help) > 10);
		for (unsigned int k = 0; k < n; k++)
			assert_string_not_equal(row->name, zcfwd_recycle_row(k)->name);
		levels += row->level;
		n++;
	}
	assert_null(zcfwd_recycle_row(UINT_MAX));
	assert_true(n >= DIM(names));
	for (unsigned int i = 0; i < DIM(names); i++) {
		assert_string_equal(zcfwd_recycle_row(i)->name, names[i]);
		assert_int_equal(zcfwd_recycle_row(i)->level, i >= 9 && i < 14);
	}
	library_bind(NULL);
	library_poll(100);
	assert_int_equal(zcfwd_recycle_stats(library.of[0][0], values, 64), n);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(values[i] == ZCFWD_RECYCLE_NONE, zcfwd_recycle_row(i)->level);
	assert_int_equal(zcfwd_recycle_stats(library.of[0][0], values, 2), 2);
	assert_int_equal(zcfwd_recycle_pair_stats(library.of[0][0], 0, values, 64), n - levels);
	assert_int_equal(values[0], library_stat(library.of[0][0], "moved"));
	assert_int_equal(values[n - levels - 1], 0);
	assert_int_equal(zcfwd_recycle_pair_stats(library.of[0][0], 1, values, 64), 0);
}

TEST(windows)
{
	static const struct zcfwd_recycle_options window = { .window = 256 },
						  automatic = { .window = 1, .burst = 32 };

	library_bind(&window);
	library_poll(1000);
	assert_int_equal(library_stat(library.of[0][0], "window"), 256);
	assert_true(library_stat(library.of[0][0], "armed") <= 256);
	assert_int_equal(library_stat(library.of[0][0], "ring"), LIBRARY_RING);
	library_bind(&automatic);
	library_poll(1000);
	library_bind(NULL);
	library_poll(1000);
	assert_true(library_moved() * 100 > library.received * 90);
}

/* Queues are added, removed and moved while packets are forwarded; counts of old pairs remain. */
TEST(moves)
{
	struct zcfwd_recycle *const a = library.of[0][0], *const b = library.of[2][0];
	uint64_t before;

	library_bind(NULL);
	library_poll(200);
	/* Port 0's packets go to port 2 from now on. The queue of port 1 goes to the handle of port 2. */
	library.to[0] = 2;
	before = library_stat(a, "moved");
	assert_true(before > 0);
	assert_int_equal(zcfwd_recycle_add(a, LIBRARY_TX(2, 0), NULL), 0);
	library_poll(200);
	assert_true(library_stat(a, "moved") > before + 1000);
	assert_int_equal(zcfwd_recycle_remove(a, LIBRARY_TX(1, 0), NULL), 0);
	assert_int_equal(zcfwd_recycle_pairs(a, NULL, 0, 0), 1);
	assert_int_equal(zcfwd_recycle_move(a, b, LIBRARY_TX(2, 0), NULL), 0);
	assert_int_equal(zcfwd_recycle_pairs(a, NULL, 0, 0), 0);
	assert_int_equal(zcfwd_recycle_pairs(b, NULL, 0, 0), 2);
	before = library_stat(a, "moved");
	library_poll(200);
	assert_int_equal(library_stat(a, "moved"), before);
	assert_int_equal(zcfwd_recycle_bind(a, &LIBRARY_TX(2, 0), 1, NULL, NULL), 1);
	library_poll(200);
	assert_true(library_stat(a, "moved") > before);
	assert_int_equal(zcfwd_recycle_bind(a, NULL, 0, NULL, NULL), 0);
	library_poll(200);
}

/* Mbufs of another pool are counted, and go where they belong. */
TEST(foreign_pool)
{
	uint64_t counted = 0;

	library_bind(NULL);
	library.foreign_packets = true;
	library_poll(2000);
	for (unsigned int p = 0; p < LIBRARY_PORTS; p++)
		for (uint16_t q = 0; q < LIBRARY_QUEUES; q++)
			counted += library_stat(library.of[p][q], "foreign");
	assert_true(library.foreign > 1000 && counted > library.foreign * 9 / 10);
	assert_true(library_moved() > library.received / 2);
}

/*
 * Queues that were set up again with the same sizes have their old addresses, pool and functions:
 * the handle leaves them alone until it is bound again.
 */
TEST(set_up_anew)
{
	static const struct zcfwd_recycle_options none, window = { .window = 256 };
	const struct zcfwd_recycle_options *const all[] = { &none, &window };
	struct zcfwd_recycle_error e;
	uint64_t before;
	const void *was, *before_that = NULL;
	bool same = false;

	for (unsigned int i = 0; i < 2; i++) {
		library_bind(all[i]);
		library_poll(500);
		was = rte_eth_fp_ops[library_port(0)].rxq.data[0];
		same = same || was == before_that;
		before_that = was;
		for (unsigned int p = 0; p < LIBRARY_PORTS; p++)
			assert_int_equal(rte_eth_dev_stop(library_port(p)), 0);
		assert_int_equal(zcfwd_recycle_run(library.of[0][0]), 0);
		assert_int_equal(zcfwd_recycle_bind(library.of[1][0], &LIBRARY_TX(2, 0), 1, NULL,
					 &e),
			0);
		assert_int_equal(e.reason, ZCFWD_RECYCLE_STOPPED);
		assert_int_equal(e.code, ENETDOWN);
		assert_int_equal(zcfwd_recycle_add(library.of[1][0], LIBRARY_TX(2, 0), &e),
			-ENETDOWN);
		for (unsigned int p = 0; p < LIBRARY_PORTS; p++)
			library_port_start(p);
		assert_int_equal(zcfwd_recycle_add(library.of[1][0], LIBRARY_TX(2, 0), &e), 0);
		assert_int_equal(zcfwd_recycle_add(library.of[1][0], LIBRARY_TX(2, 0), &e),
			-EINVAL);
		assert_int_equal(zcfwd_recycle_pairs(library.of[1][0], NULL, 0, 0), 1);
		assert_int_equal(zcfwd_recycle_remove(library.of[1][0], LIBRARY_TX(2, 0), &e), 0);
		same = same || rte_eth_fp_ops[library_port(0)].rxq.data[0] == was;
		assert_int_equal(library_reason(library.of[0][0]), ZCFWD_RECYCLE_CHANGED);
		before = library_moved();
		library_poll(500);
		assert_int_equal(library_moved(), before);
		library_bind(all[i]);
		library_poll(500);
		assert_true(library_moved() > before);
	}
	/* Else this is no test of addresses. */
	assert_true(same);
}

/* The port of a handle's transmit queue restarts, its own port does not. */
TEST(other_port_restarts)
{
	uint64_t before;

	library_bind(NULL);
	library_poll(300);
	assert_int_equal(rte_eth_dev_stop(library_port(1)), 0);
	library_port_start(1);
	assert_int_equal(library_reason(library.of[0][0]), ZCFWD_RECYCLE_CHANGED);
	assert_int_equal(library_reason(library.of[2][0]), ZCFWD_RECYCLE_FINE);
	before = library_stat(library.of[0][0], "moved");
	library_poll(300);
	assert_int_equal(library_stat(library.of[0][0], "moved"), before);
	library_bind(NULL);
	library_poll(300);
	assert_true(library_stat(library.of[0][0], "moved") > before);
}

/* One queue of a started port is set up again: net_i40e allows it. The other one goes on. */
TEST(queue_set_up_anew)
{
	static const struct zcfwd_recycle_options window = { .window = 256 };
	const uint16_t port = library_port(0);
	struct rte_eth_dev_info info;
	uint64_t before, other;

	assert_int_equal(rte_eth_dev_info_get(port, &info), 0);
	if ((info.dev_capa & RTE_ETH_DEV_CAPA_RUNTIME_RX_QUEUE_SETUP) == 0)
		skip_because("%s sets up no queue of a started port", info.driver_name);
	for (unsigned int i = 0; i < 4; i++) {
		const bool again = i % 2 == 0; /* or stopped and started alone */

		library_bind(i < 2 ? NULL : &window);
		library_poll(300);
		assert_int_equal(rte_eth_dev_rx_queue_stop(port, 0), 0);
		if (again)
			assert_int_equal(rte_eth_rx_queue_setup(port, 0, LIBRARY_RING,
						 SOCKET_ID_ANY, NULL, library.pool),
				0);
		assert_int_equal(rte_eth_dev_rx_queue_start(port, 0), 0);
		assert_int_equal(library_reason(library.of[0][0]), ZCFWD_RECYCLE_CHANGED);
		assert_int_equal(library_reason(library.of[0][1]), ZCFWD_RECYCLE_FINE);
		before = library_stat(library.of[0][0], "moved");
		other = library_stat(library.of[0][1], "moved");
		library_poll(300);
		assert_int_equal(library_stat(library.of[0][0], "moved"), before);
		assert_true(library_stat(library.of[0][1], "moved") > other);
		library_bind(NULL);
		library_poll(300);
		assert_true(library_stat(library.of[0][0], "moved") > before);
	}
}

/* Packets that were sent reach the wire, so that a driver can stop the queues. */
static void
settle(void)
{
	for (unsigned int i = 0; i < 64; i++)
		library.model.step();
}

/*
 * A queue is stopped alone, bound while it is stopped, and started alone. Each is a change of a bound
 * queue; a stopped receive queue has no mbufs in its ring and is not bound.
 */
TEST(queue_stops_and_starts)
{
	const struct {
		int (*stop)(uint16_t port, uint16_t queue);
		int (*start)(uint16_t port, uint16_t queue);
		unsigned int port;
		int bound; /* of the stopped queue */
		enum zcfwd_recycle_reason stopped, started;
	} cases[] = {
		{ rte_eth_dev_rx_queue_stop, rte_eth_dev_rx_queue_start, 0, 0, ZCFWD_RECYCLE_LAYOUT,
			ZCFWD_RECYCLE_LAYOUT },
		{ rte_eth_dev_tx_queue_stop, rte_eth_dev_tx_queue_start, 1, 1, ZCFWD_RECYCLE_FINE,
			ZCFWD_RECYCLE_CHANGED },
	};
	struct zcfwd_recycle *const r = library.of[0][0];

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint16_t port = library_port(cases[i].port);
		uint64_t before;

		library_bind(NULL);
		library_poll(300);
		settle();
		assert_int_equal(cases[i].stop(port, 0), 0);
		assert_int_equal(library_reason(r), ZCFWD_RECYCLE_CHANGED);
		assert_int_equal(library_reason(library.of[0][1]), ZCFWD_RECYCLE_FINE);
		assert_int_equal(zcfwd_recycle_run(r), 0);
		assert_int_equal(zcfwd_recycle_bind(r, &LIBRARY_TX(1, 0), 1, NULL, NULL),
			cases[i].bound);
		assert_int_equal(library_reason(r), cases[i].stopped);
		assert_int_equal(cases[i].start(port, 0), 0);
		assert_int_equal(library_reason(r), cases[i].started);
		before = library_stat(r, "moved");
		library_poll(300);
		assert_int_equal(library_stat(r, "moved"), before);
		library_bind(NULL);
		library_poll(300);
		assert_true(library_stat(r, "moved") > before);
	}
}

/* A port is reset: its driver sets its functions and queues up anew. The library sees all of it. */
TEST(port_reset)
{
	struct zcfwd_recycle *const from = library.of[0][0], *const to = library.of[2][0];

	for (unsigned int i = 0; i < 2; i++) {
		uint64_t before;

		library_bind(NULL);
		library_poll(300);
		settle();
		assert_int_equal(rte_eth_dev_reset(library_port(0)), 0);
		assert_int_equal(library_reason(from), ZCFWD_RECYCLE_CHANGED);
		assert_int_equal(library_reason(to), ZCFWD_RECYCLE_CHANGED);
		assert_int_equal(library_reason(library.of[1][0]), ZCFWD_RECYCLE_FINE);
		assert_int_equal(zcfwd_recycle_run(from), 0);
		library_port_start(0);
		assert_int_equal(library_reason(from), ZCFWD_RECYCLE_CHANGED);
		before = library_stat(from, "moved") + library_stat(to, "moved");
		library_poll(300);
		assert_int_equal(library_stat(from, "moved") + library_stat(to, "moved"), before);
		library_bind(NULL);
		library_poll(300);
		assert_true(library_stat(from, "moved") + library_stat(to, "moved") > before);
	}
}

/* Whether the handles move mbufs while packets are forwarded. */
static bool
moves_now(void)
{
	const uint64_t before = library_moved();

	library_poll(200);
	return library_moved() > before;
}

static void
all_pause(bool pause)
{
	for (unsigned int p = 0; p < LIBRARY_PORTS; p++)
		for (uint16_t q = 0; q < LIBRARY_QUEUES; q++)
			zcfwd_recycle_pause(library.of[p][q], pause);
}

/* A handle pauses until it is told to go on, is bound again, or is stopped. */
TEST(pauses)
{
	library_bind(NULL);
	assert_true(moves_now());
	all_pause(true);
	assert_false(moves_now());
	all_pause(false);
	assert_true(moves_now());
	all_pause(true);
	assert_false(moves_now());
	library_bind(NULL);
	assert_true(moves_now());
	all_pause(true);
	assert_false(moves_now());
	for (unsigned int p = 0; p < LIBRARY_PORTS; p++)
		for (uint16_t q = 0; q < LIBRARY_QUEUES; q++)
			zcfwd_recycle_stop(library.of[p][q]);
	assert_true(moves_now());
}

/* What the other thread is to do, and what it got. */
static struct {
	struct zcfwd_recycle *r;
	int ret;
} thread;

static void *
run_elsewhere(void *unused)
{
	thread.ret = zcfwd_recycle_run(thread.r);
	return NULL;
}

/* Run a handle on another thread. */
static int
elsewhere(struct zcfwd_recycle *r)
{
	pthread_t id;

	thread.r = r;
	assert_int_equal(pthread_create(&id, NULL, run_elsewhere, NULL), 0);
	assert_int_equal(pthread_join(id, NULL), 0);
	return thread.ret;
}

TEST(second_thread)
{
	struct zcfwd_recycle *twin = zcfwd_recycle_create(library_port(0), 0, NULL);

	assert_non_null(twin);
	library_bind(NULL);
	library_poll(100);
	/* A handle that is run here, and another handle of its queue. */
	assert_int_equal(elsewhere(library.of[0][0]), -EBUSY);
	assert_int_equal(zcfwd_recycle_run(twin), -EBUSY);
	assert_int_equal(zcfwd_recycle_bind(twin, &LIBRARY_TX(1, 0), 1, NULL, NULL), 1);
	assert_int_equal(zcfwd_recycle_run(twin), -EBUSY);
	/* A transmit queue whose pairs are run here. */
	zcfwd_recycle_stop(library.of[2][0]);
	assert_int_equal(zcfwd_recycle_bind(library.of[2][0], &LIBRARY_TX(1, 0), 1, NULL, NULL), 1);
	assert_int_equal(elsewhere(library.of[2][0]), 0);
	assert_int_equal(library_reason(library.of[2][0]), ZCFWD_RECYCLE_BUSY);
	/* Stopped there, it is this thread's again. */
	zcfwd_recycle_stop(library.of[2][0]);
	library_bind(NULL);
	library_poll(100);
	assert_int_equal(library_reason(library.of[2][0]), ZCFWD_RECYCLE_FINE);
	/* And the twin takes over from the first handle. */
	zcfwd_recycle_stop(library.of[0][0]);
	zcfwd_recycle_destroy(library.of[0][0]);
	library.of[0][0] = twin;
	library_poll(100);
	assert_true(library_stat(twin, "moved") > 0);
}

/* The thread that ran the handle has ended, without zcfwd_recycle_stop(). */
TEST(silent)
{
	struct zcfwd_recycle_error e;

	assert_int_equal(zcfwd_recycle_bind(library.of[0][0], &LIBRARY_TX(1, 0), 1, NULL, NULL), 1);
	assert_int_equal(elsewhere(library.of[0][0]), 0);
	assert_int_equal(zcfwd_recycle_bind(library.of[0][0], NULL, 0, NULL, &e), -ETIMEDOUT);
	assert_int_equal(e.reason, ZCFWD_RECYCLE_SILENT);
	assert_int_equal(zcfwd_recycle_pairs(library.of[0][0], NULL, 0, 0), 1);
	zcfwd_recycle_stop(library.of[0][0]);
	library_poll(500);
	assert_true(library_stat(library.of[0][0], "moved") > 0);
}

/* What happens while a pair is bound; ethdev's functions that the library calls do it. */
static enum { NOTHING, RESTART_QUEUE, SECONDARY } meanwhile;

/* In place of ethdev's. */
int
rte_eth_rx_queue_info_get(uint16_t port, uint16_t queue, struct rte_eth_rxq_info *info)
{
	int (*real)(uint16_t, uint16_t, struct rte_eth_rxq_info *);
	void *symbol = dlsym(RTLD_NEXT, "rte_eth_rx_queue_info_get");

	assert_non_null(symbol);
	memcpy(&real, &symbol, sizeof(real));
	if (meanwhile == RESTART_QUEUE) {
		meanwhile = NOTHING;
		assert_int_equal(rte_eth_dev_stop(port), 0);
		assert_int_equal(rte_eth_dev_start(port), 0);
	}
	return real(port, queue, info);
}

/* In place of EAL's. */
enum rte_proc_type_t
rte_eal_process_type(void)
{
	return meanwhile == SECONDARY ? RTE_PROC_SECONDARY : RTE_PROC_PRIMARY;
}

/* A port that restarts in the middle of a move: the queue is bound to nothing, and packets go on. */
TEST(restart_in_a_move)
{
	struct zcfwd_recycle_error e = { 0 };

	library_bind(NULL);
	library_poll(200);
	assert_int_equal(zcfwd_recycle_bind(library.of[2][0], NULL, 0, NULL, NULL), 0);
	for (unsigned int p = 0; p < LIBRARY_PORTS; p++)
		for (uint16_t q = 0; q < LIBRARY_QUEUES; q++)
			zcfwd_recycle_stop(library.of[p][q]);
	meanwhile = RESTART_QUEUE;
	assert_int_equal(zcfwd_recycle_move(library.of[0][0], library.of[2][0], LIBRARY_TX(1, 0),
				 &e),
		-ESTALE);
	assert_int_equal(meanwhile, NOTHING);
	assert_int_equal(e.reason, ZCFWD_RECYCLE_CHANGED);
	library_poll(200);
	assert_int_equal(zcfwd_recycle_pairs(library.of[0][0], NULL, 0, 0), 0);
	library_bind(NULL);
	library_poll(200);
	assert_int_equal(library_reason(library.of[2][0]), ZCFWD_RECYCLE_FINE);
}

TEST(secondary_process)
{
	struct zcfwd_recycle *r = zcfwd_recycle_create(library_port(0), 0, NULL);
	struct zcfwd_recycle_error e;

	meanwhile = SECONDARY;
	assert_int_equal(zcfwd_recycle_bind(r, &LIBRARY_TX(1, 0), 1, NULL, &e), 0);
	meanwhile = NOTHING;
	assert_int_equal(e.reason, ZCFWD_RECYCLE_PROCESS);
	zcfwd_recycle_destroy(r);
}

/* A port that is closed, and another one in its place: net_null's functions are its own again. */
TEST(closed_port)
{
	struct zcfwd_recycle_error e;
	struct zcfwd_recycle *r;
	uint16_t port = library_null_port();

	assert_int_equal(rte_eth_dev_configure(port, 1, 1, &(struct rte_eth_conf){ 0 }), 0);
	r = zcfwd_recycle_create(port, 0, NULL);
	assert_non_null(r);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(zcfwd_recycle_bind(r, &(struct zcfwd_recycle_queue){ port, 0 }, 1,
					 NULL, &e),
			0);
		assert_int_equal(e.reason, ZCFWD_RECYCLE_DRIVER);
		if (i == 0) { /* ethdev closes it, then its bus removes it */
			assert_int_equal(rte_eth_dev_close(port), 0);
			assert_int_equal(zcfwd_recycle_bind(r,
						 &(struct zcfwd_recycle_queue){ port, 0 }, 1, NULL,
						 &e),
				0);
			assert_int_equal(e.reason, ZCFWD_RECYCLE_NO_QUEUE);
		}
		assert_int_equal(rte_vdev_uninit("net_null0"), 0);
		assert_int_equal(zcfwd_recycle_run(r), 0);
		assert_int_equal(rte_vdev_init("net_null0", NULL), 0);
		assert_int_equal(library_null_port(), port);
		assert_int_equal(rte_eth_dev_configure(port, 1, 1, &(struct rte_eth_conf){ 0 }), 0);
	}
	zcfwd_recycle_destroy(r);
	library_poll(100);
}

TESTS(.setup = library_setup, .teardown = library_teardown, .before = library_begin,
	.after = library_finish);
