/* libzcfwd-recycle.so as any program links it, by its header alone, on modelled NICs: it recycles, its
 * queues move while packets are forwarded, and every misuse is an error that costs no packet. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/own_lcores.h"
#include "fixtures/stepped.h"
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/model_nic.h"

#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zcfwd/recycle.h>

enum { PORTS = 3, QUEUES = 2, BURST = 32, RING = 512, MBUFS = 16383, NOWHERE = PORTS };

/* Port p's queue q receives; its packets go out by queue q of the port that to has. */
static struct {
	struct stepped model;
	struct rte_mempool *pool, *other;
	struct zcfwd_recycle *of[PORTS][QUEUES];
	uint16_t to[PORTS];
	uint64_t received, foreign;
	bool foreign_packets; /* send copies in mbufs of another pool */
} t;

#define TX(p, q) ((struct zcfwd_recycle_queue){ p, q })

static int
group_setup(void **state)
{
	char bits[64],
		*args[] = { "library", "--no-huge", "--no-shconf", "--no-pci", "-m", "256",
			"--no-telemetry", own_lcores("0"), "--iova-mode=va", "--log-level=error",
			"-d", getenv("MODEL_NIC_PLUGIN"), "--vdev=net_null0", bits };
	const int n = sizeof(args) / sizeof(args[0]);

	snprintf(bits, sizeof(bits), "--force-max-simd-bitwidth=%s", getenv("SIMD_BITS"));
	assert_int_equal(rte_eal_init(n, args), n - 1);
	assert_int_equal(rte_eth_dev_count_avail(), PORTS + 1);
	stepped_open(&t.model);
	t.pool = rte_pktmbuf_pool_create("pool", MBUFS, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	t.other = rte_pktmbuf_pool_create("other", MBUFS, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	return t.pool != NULL && t.other != NULL ? 0 : -1;
}

static int
group_teardown(void **state)
{
	return rte_eal_cleanup();
}

/* The modelled ports come after the null device, or before. */
static uint16_t
port_of(unsigned int p)
{
	static uint16_t ports[PORTS];
	static unsigned int n;
	struct rte_eth_dev_info info;
	uint16_t id;

	if (n == 0)
		RTE_ETH_FOREACH_DEV(id)
			if (rte_eth_dev_info_get(id, &info) == 0 &&
				strcmp(info.driver_name, "net_null") != 0)
				ports[n++] = id;
	return ports[p];
}

static uint16_t
null_port(void)
{
	uint16_t id;

	assert_int_equal(rte_eth_dev_get_port_by_name("net_null0", &id), 0);
	return id;
}

static void
port_start(unsigned int p, uint64_t offloads)
{
	const struct rte_eth_conf conf = { .rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_NONFRAG_IPV4_UDP,
		.txmode.offloads = offloads };
	struct rte_eth_dev_info info;
	struct rte_eth_txconf tx;

	assert_int_equal(rte_eth_dev_info_get(port_of(p), &info), 0);
	tx = info.default_txconf;
	tx.tx_rs_thresh = tx.tx_free_thresh = 32;
	tx.offloads = offloads;
	assert_int_equal(rte_eth_dev_configure(port_of(p), QUEUES, QUEUES, &conf), 0);
	for (uint16_t q = 0; q < QUEUES; q++) {
		assert_int_equal(rte_eth_rx_queue_setup(port_of(p), q, RING, SOCKET_ID_ANY, NULL,
					 t.pool),
			0);
		assert_int_equal(rte_eth_tx_queue_setup(port_of(p), q, RING, SOCKET_ID_ANY, &tx),
			0);
	}
	assert_int_equal(rte_eth_dev_start(port_of(p)), 0);
	t.model.reset(port_of(p));
}

/* Ports that send to the next one, and a handle for each receive queue, without transmit queues. */
static int
begin(void **state)
{
	t.received = t.foreign = 0;
	t.foreign_packets = false;
	for (unsigned int p = 0; p < PORTS; p++) {
		port_start(p, 0);
		t.to[p] = (uint16_t)((p + 1) % PORTS);
		for (uint16_t q = 0; q < QUEUES; q++) {
			t.of[p][q] = zcfwd_recycle_create(port_of(p), q, NULL);
			assert_non_null(t.of[p][q]);
		}
	}
	return 0;
}

/* Each handle has the transmit queue that its packets go to. */
static void
bind_all(const struct zcfwd_recycle_options *options)
{
	for (unsigned int p = 0; p < PORTS; p++)
		for (uint16_t q = 0; q < QUEUES; q++) {
			struct zcfwd_recycle_error e = { 0 };

			assert_int_equal(zcfwd_recycle_bind(t.of[p][q], &TX(port_of(t.to[p]), q), 1,
						 options, &e),
				1);
			assert_int_equal(e.code, 0);
		}
}

/* Everything comes back: no packet changed, lost or twice, and every mbuf is in its pool. */
static int
finish(void **state)
{
	struct model_nic_report sum = { 0 }, one;

	for (unsigned int i = 0; i < 64; i++)
		t.model.step();
	for (unsigned int p = 0; p < PORTS; p++) {
		assert_true(t.model.report(port_of(p), &one));
		for (size_t i = 0; i < sizeof(sum) / sizeof(uint64_t); i++)
			((uint64_t *)&sum)[i] += ((uint64_t *)&one)[i];
	}
	for (unsigned int p = 0; p < PORTS; p++)
		for (uint16_t q = 0; q < QUEUES; q++)
			if (t.of[p][q] != NULL)
				zcfwd_recycle_stop(t.of[p][q]);
	for (unsigned int p = 0; p < PORTS; p++)
		assert_int_equal(rte_eth_dev_stop(port_of(p)), 0);
	for (unsigned int p = 0; p < PORTS; p++)
		for (uint16_t q = 0; q < QUEUES; q++)
			zcfwd_recycle_destroy(t.of[p][q]);
	assert_int_equal(sum.corrupted + sum.duplicated + sum.foreign, 0);
	assert_int_equal(sum.armed_twice + sum.armed_in_tx + sum.sent_while_armed, 0);
	assert_int_equal(sum.ok, sum.tx_packets);
	assert_int_equal(rte_mempool_in_use_count(t.pool), 0);
	assert_int_equal(rte_mempool_in_use_count(t.other), 0);
	return 0;
}

static struct rte_mbuf *
in_another_pool(struct rte_mbuf *m)
{
	struct rte_mbuf *copy = rte_pktmbuf_copy(m, t.other, 0, UINT32_MAX);

	assert_non_null(copy);
	rte_pktmbuf_free(m);
	t.foreign++;
	return copy;
}

/* The lcore of receive queue q of port p. */
static void
poll_queue(unsigned int p, uint16_t q)
{
	struct rte_mbuf *pkts[BURST];
	uint16_t n, sent;

	if (t.of[p][q] != NULL)
		assert_true(zcfwd_recycle_run(t.of[p][q]) >= 0);
	n = rte_eth_rx_burst(port_of(p), q, pkts, BURST);
	t.received += n;
	for (uint16_t i = 0; t.foreign_packets && i < n; i++)
		if (i % 7 == 0)
			pkts[i] = in_another_pool(pkts[i]);
	sent = rte_eth_tx_burst(port_of(t.to[p]), q, pkts, n);
	rte_pktmbuf_free_bulk(pkts + sent, n - sent);
}

static void
polls(unsigned int n)
{
	while (n-- > 0) {
		for (unsigned int p = 0; p < PORTS; p++)
			for (uint16_t q = 0; q < QUEUES; q++)
				poll_queue(p, q);
		t.model.step();
	}
}

static uint64_t
stat(const struct zcfwd_recycle *r, const char *name)
{
	uint64_t values[64];
	unsigned int n;
	const struct zcfwd_recycle_row *rows = zcfwd_recycle_rows(&n);

	assert_int_equal(zcfwd_recycle_stats(r, values, 64), n);
	for (unsigned int i = 0; i < n; i++)
		if (strcmp(rows[i].name, name) == 0)
			return values[i];
	fail_msg("no row %s", name);
	return 0;
}

static uint64_t
all_moved(void)
{
	uint64_t n = 0;

	for (unsigned int p = 0; p < PORTS; p++)
		for (uint16_t q = 0; q < QUEUES; q++)
			n += stat(t.of[p][q], "moved");
	return n;
}

static enum zcfwd_recycle_reason
reason_of(const struct zcfwd_recycle *r)
{
	struct zcfwd_recycle_pair pair;

	assert_int_equal(zcfwd_recycle_pairs(r, &pair, 1), 1);
	assert_int_equal(pair.reason == ZCFWD_RECYCLE_FINE, pair.text[0] == '\0');
	return pair.reason;
}

/* Most packets come in mbufs that were sent before. */
static void
recycles(void **state)
{
	struct zcfwd_recycle_pair pair;

	bind_all(NULL);
	polls(4000);
	print_message("# %llu moved of %llu received\n", (unsigned long long)all_moved(),
		(unsigned long long)t.received);
	assert_true(t.received > 10000 && all_moved() * 100 > t.received * 95);
	assert_int_equal(zcfwd_recycle_pairs(t.of[0][0], &pair, 1), 1);
	assert_true(pair.bound && pair.feeds && !pair.proving);
	assert_true(pair.tx.port == port_of(1) && pair.tx.queue == 0);
	assert_true(pair.rx_function[0] != '\0' && pair.tx_function[0] != '\0');
	assert_string_equal(pair.rx_layout, "table");
	assert_int_equal(reason_of(t.of[0][0]), ZCFWD_RECYCLE_FINE);
}

/* Rows have names, units and help of their own; the levels come last, and need a window. */
static void
rows(void **state)
{
	uint64_t values[64];
	unsigned int n, levels = 0;
	const struct zcfwd_recycle_row *row = zcfwd_recycle_rows(&n);

	for (unsigned int i = 0; i < n; i++) {
		assert_true(strlen(row[i].name) > 0 && strlen(row[i].unit) > 0);
		assert_true(strlen(row[i].help) > 10);
		for (unsigned int k = 0; k < i; k++)
			assert_string_not_equal(row[i].name, row[k].name);
		assert_true(row[i].level || levels == 0);
		levels += row[i].level;
	}
	bind_all(NULL);
	polls(100);
	assert_int_equal(zcfwd_recycle_stats(t.of[0][0], values, 64), n);
	for (unsigned int i = n - levels; i < n; i++)
		assert_true(values[i] == ZCFWD_RECYCLE_NONE);
	assert_int_equal(zcfwd_recycle_stats(t.of[0][0], values, 2), 2);
	assert_int_equal(zcfwd_recycle_pair_stats(t.of[0][0], 0, values, 64), n - levels);
	assert_int_equal(values[0], stat(t.of[0][0], "moved"));
	assert_int_equal(zcfwd_recycle_pair_stats(t.of[0][0], 1, values, 64), 0);
}

static void
windows(void **state)
{
	static const struct zcfwd_recycle_options window = { .window = 256 },
						  automatic = { .window = 1, .burst = 32 };

	bind_all(&window);
	polls(1000);
	assert_int_equal(stat(t.of[0][0], "window"), 256);
	assert_true(stat(t.of[0][0], "armed") <= 256);
	assert_int_equal(stat(t.of[0][0], "ring"), RING);
	bind_all(&automatic);
	polls(1000);
	bind_all(NULL);
	polls(1000);
	assert_true(all_moved() * 100 > t.received * 90);
}

/* Queues are added, removed and moved while packets are forwarded; counts of old pairs remain. */
static void
moves(void **state)
{
	struct zcfwd_recycle *const a = t.of[0][0], *const b = t.of[2][0];
	uint64_t before;

	bind_all(NULL);
	polls(200);
	/* Port 0's packets go to port 2 from now on. The queue of port 1 goes to the handle of port 2. */
	t.to[0] = 2;
	before = stat(a, "moved");
	assert_true(before > 0);
	assert_int_equal(zcfwd_recycle_add(a, TX(port_of(2), 0), NULL), 0);
	polls(200);
	assert_true(stat(a, "moved") > before + 1000);
	assert_int_equal(zcfwd_recycle_remove(a, TX(port_of(1), 0), NULL), 0);
	assert_int_equal(zcfwd_recycle_pairs(a, NULL, 0), 1);
	assert_int_equal(zcfwd_recycle_move(a, b, TX(port_of(2), 0), NULL), 0);
	assert_int_equal(zcfwd_recycle_pairs(a, NULL, 0), 0);
	assert_int_equal(zcfwd_recycle_pairs(b, NULL, 0), 2);
	before = stat(a, "moved");
	polls(200);
	assert_int_equal(stat(a, "moved"), before);
	assert_int_equal(zcfwd_recycle_bind(a, &TX(port_of(2), 0), 1, NULL, NULL), 1);
	polls(200);
	assert_true(stat(a, "moved") > before);
	assert_int_equal(zcfwd_recycle_bind(a, NULL, 0, NULL, NULL), 0);
	polls(200);
}

/* Mbufs of another pool are counted, and go where they belong. */
static void
foreign_pool(void **state)
{
	uint64_t counted = 0;

	bind_all(NULL);
	t.foreign_packets = true;
	polls(2000);
	for (unsigned int p = 0; p < PORTS; p++)
		for (uint16_t q = 0; q < QUEUES; q++)
			counted += stat(t.of[p][q], "foreign");
	assert_true(t.foreign > 1000 && counted > t.foreign * 9 / 10);
	assert_true(all_moved() > t.received / 2);
}

/* Each bad argument has an error of its own, and changes nothing. */
static void
bad_arguments(void **state)
{
	static uint64_t sent[2];
	static const struct zcfwd_recycle_options mode = { .mode = 9 }, small = { .window = 63 },
						  large = { .window = 40000 },
						  least = { .window = 64, .burst = 512 },
						  counted = { .sent = sent, .first = 7 };
	const struct zcfwd_recycle_queue next = TX(port_of(1), 0), far = TX(99, 0),
					 high = TX(port_of(1), 999), null = TX(null_port(), 0),
					 many[9] = { { 0, 0 } };
	const struct {
		const struct zcfwd_recycle_queue *tx;
		unsigned int n;
		const struct zcfwd_recycle_options *options;
		int ret, code;
		enum zcfwd_recycle_reason reason;
		const char *says;
	} cases[] = {
		{ many, 9, NULL, -EINVAL, EINVAL, ZCFWD_RECYCLE_ARGUMENT, "9 transmit queues" },
		{ &next, 1, &mode, -EINVAL, EINVAL, ZCFWD_RECYCLE_ARGUMENT, "mode 9" },
		{ &next, 1, &small, -EINVAL, EINVAL, ZCFWD_RECYCLE_ARGUMENT, "63 descriptors" },
		{ &next, 1, &large, -EINVAL, EINVAL, ZCFWD_RECYCLE_ARGUMENT, "40000 descriptors" },
		{ &next, 1, &least, -EINVAL, EINVAL, ZCFWD_RECYCLE_ARGUMENT, "bursts of 512" },
		{ &next, 1, &counted, -EINVAL, EINVAL, ZCFWD_RECYCLE_ARGUMENT, "queue 7" },
		{ &far, 1, NULL, 0, EINVAL, ZCFWD_RECYCLE_NO_QUEUE, "port 99" },
		{ &high, 1, NULL, 0, EINVAL, ZCFWD_RECYCLE_NO_QUEUE, "queue 999" },
		{ &null, 1, NULL, 0, ENOTSUP, ZCFWD_RECYCLE_DRIVER, "driver net_null" },
	};
	struct zcfwd_recycle_error e;

	bind_all(NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&e, 0, sizeof(e));
		assert_int_equal(zcfwd_recycle_bind(t.of[0][0], cases[i].tx, cases[i].n,
					 cases[i].options, &e),
			cases[i].ret);
		assert_int_equal(e.code, cases[i].code);
		assert_int_equal(e.reason, cases[i].reason);
		assert_non_null(strstr(e.text, cases[i].says));
		assert_int_equal(reason_of(t.of[0][0]),
			cases[i].ret < 0 ? ZCFWD_RECYCLE_FINE : cases[i].reason);
		polls(20);
	}
	assert_null(zcfwd_recycle_create(99, 0, &e));
	assert_int_equal(e.reason, ZCFWD_RECYCLE_NO_QUEUE);
	assert_null(zcfwd_recycle_create(port_of(0), QUEUES, &e));
	assert_int_equal(e.reason, ZCFWD_RECYCLE_NO_QUEUE);
	bind_all(NULL);
	assert_int_equal(zcfwd_recycle_add(t.of[0][0], next, &e), -EINVAL);
	assert_non_null(strstr(e.text, "bound already"));
	assert_int_equal(zcfwd_recycle_remove(t.of[0][0], TX(port_of(2), 0), &e), -EINVAL);
	assert_non_null(strstr(e.text, "is not bound"));
	assert_int_equal(zcfwd_recycle_add(t.of[0][0], high, &e), -EINVAL);
	assert_int_equal(e.reason, ZCFWD_RECYCLE_NO_QUEUE);
	assert_int_equal(zcfwd_recycle_run(NULL), 0);
	zcfwd_recycle_destroy(NULL);
	assert_int_equal(zcfwd_recycle_layouts("/dev/zero", &e), -EINVAL);
	assert_int_equal(zcfwd_recycle_layouts("/nonexistent", &e), -ENOENT);
	assert_int_equal(e.reason, ZCFWD_RECYCLE_FILE);
	polls(200);
}

/*
 * Queues that were set up again with the same sizes have their old addresses, pool and functions:
 * the handle leaves them alone until it is bound again.
 */
static void
set_up_anew(void **state)
{
	static const struct zcfwd_recycle_options none, window = { .window = 256 };
	const struct zcfwd_recycle_options *const all[] = { &none, &window };
	struct zcfwd_recycle_error e;
	uint64_t before;
	const void *was, *before_that = NULL;
	bool same = false;

	for (unsigned int i = 0; i < 2; i++) {
		bind_all(all[i]);
		polls(500);
		was = rte_eth_fp_ops[port_of(0)].rxq.data[0];
		same = same || was == before_that;
		before_that = was;
		for (unsigned int p = 0; p < PORTS; p++)
			assert_int_equal(rte_eth_dev_stop(port_of(p)), 0);
		assert_int_equal(zcfwd_recycle_run(t.of[0][0]), 0);
		assert_int_equal(zcfwd_recycle_bind(t.of[1][0], &TX(port_of(2), 0), 1, NULL, &e),
			0);
		assert_int_equal(e.reason, ZCFWD_RECYCLE_STOPPED);
		assert_int_equal(e.code, ENETDOWN);
		assert_int_equal(zcfwd_recycle_add(t.of[1][0], TX(port_of(2), 0), &e), -ENETDOWN);
		for (unsigned int p = 0; p < PORTS; p++)
			port_start(p, 0);
		assert_int_equal(zcfwd_recycle_add(t.of[1][0], TX(port_of(2), 0), &e), 0);
		assert_int_equal(zcfwd_recycle_add(t.of[1][0], TX(port_of(2), 0), &e), -EINVAL);
		assert_int_equal(zcfwd_recycle_pairs(t.of[1][0], NULL, 0), 1);
		assert_int_equal(zcfwd_recycle_remove(t.of[1][0], TX(port_of(2), 0), &e), 0);
		same = same || rte_eth_fp_ops[port_of(0)].rxq.data[0] == was;
		assert_int_equal(reason_of(t.of[0][0]), ZCFWD_RECYCLE_CHANGED);
		before = all_moved();
		polls(500);
		assert_int_equal(all_moved(), before);
		bind_all(all[i]);
		polls(500);
		assert_true(all_moved() > before);
	}
	/* Else this is no test of addresses. */
	assert_true(same);
}

/* The port of a handle's transmit queue restarts, its own port does not. */
static void
other_port_restarts(void **state)
{
	uint64_t before;

	bind_all(NULL);
	polls(300);
	assert_int_equal(rte_eth_dev_stop(port_of(1)), 0);
	port_start(1, 0);
	assert_int_equal(reason_of(t.of[0][0]), ZCFWD_RECYCLE_CHANGED);
	assert_int_equal(reason_of(t.of[2][0]), ZCFWD_RECYCLE_FINE);
	before = stat(t.of[0][0], "moved");
	polls(300);
	assert_int_equal(stat(t.of[0][0], "moved"), before);
	bind_all(NULL);
	polls(300);
	assert_true(stat(t.of[0][0], "moved") > before);
}

/* One queue of a started port is set up again: net_i40e allows it. The other one goes on. */
static void
queue_set_up_anew(void **state)
{
	static const struct zcfwd_recycle_options window = { .window = 256 };
	const uint16_t port = port_of(0);
	struct rte_eth_dev_info info;
	uint64_t before, other;

	assert_int_equal(rte_eth_dev_info_get(port, &info), 0);
	if ((info.dev_capa & RTE_ETH_DEV_CAPA_RUNTIME_RX_QUEUE_SETUP) == 0) {
		print_message("# %s sets up no queue of a started port\n", info.driver_name);
		return;
	}
	for (unsigned int i = 0; i < 4; i++) {
		const bool again = i % 2 == 0; /* or stopped and started alone */

		bind_all(i < 2 ? NULL : &window);
		polls(300);
		assert_int_equal(rte_eth_dev_rx_queue_stop(port, 0), 0);
		if (again)
			assert_int_equal(rte_eth_rx_queue_setup(port, 0, RING, SOCKET_ID_ANY, NULL,
						 t.pool),
				0);
		assert_int_equal(rte_eth_dev_rx_queue_start(port, 0), 0);
		assert_int_equal(reason_of(t.of[0][0]), ZCFWD_RECYCLE_CHANGED);
		assert_int_equal(reason_of(t.of[0][1]), ZCFWD_RECYCLE_FINE);
		before = stat(t.of[0][0], "moved");
		other = stat(t.of[0][1], "moved");
		polls(300);
		assert_int_equal(stat(t.of[0][0], "moved"), before);
		assert_true(stat(t.of[0][1], "moved") > other);
		bind_all(NULL);
		polls(300);
		assert_true(stat(t.of[0][0], "moved") > before);
	}
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

static void
second_thread(void **state)
{
	struct zcfwd_recycle *twin = zcfwd_recycle_create(port_of(0), 0, NULL);

	assert_non_null(twin);
	bind_all(NULL);
	polls(100);
	/* A handle that is run here, and another handle of its queue. */
	assert_int_equal(elsewhere(t.of[0][0]), -EBUSY);
	assert_int_equal(zcfwd_recycle_run(twin), -EBUSY);
	assert_int_equal(zcfwd_recycle_bind(twin, &TX(port_of(1), 0), 1, NULL, NULL), 1);
	assert_int_equal(zcfwd_recycle_run(twin), -EBUSY);
	/* A transmit queue whose pairs are run here. */
	zcfwd_recycle_stop(t.of[2][0]);
	assert_int_equal(zcfwd_recycle_bind(t.of[2][0], &TX(port_of(1), 0), 1, NULL, NULL), 1);
	assert_int_equal(elsewhere(t.of[2][0]), 0);
	assert_int_equal(reason_of(t.of[2][0]), ZCFWD_RECYCLE_BUSY);
	/* Stopped there, it is this thread's again. */
	zcfwd_recycle_stop(t.of[2][0]);
	bind_all(NULL);
	polls(100);
	assert_int_equal(reason_of(t.of[2][0]), ZCFWD_RECYCLE_FINE);
	/* And the twin takes over from the first handle. */
	zcfwd_recycle_stop(t.of[0][0]);
	zcfwd_recycle_destroy(t.of[0][0]);
	t.of[0][0] = twin;
	polls(100);
	assert_true(stat(twin, "moved") > 0);
}

/* The thread that ran the handle has ended, without zcfwd_recycle_stop(). */
static void
silent(void **state)
{
	struct zcfwd_recycle_error e;

	assert_int_equal(zcfwd_recycle_bind(t.of[0][0], &TX(port_of(1), 0), 1, NULL, NULL), 1);
	assert_int_equal(elsewhere(t.of[0][0]), 0);
	assert_int_equal(zcfwd_recycle_bind(t.of[0][0], NULL, 0, NULL, &e), -ETIMEDOUT);
	assert_int_equal(e.reason, ZCFWD_RECYCLE_SILENT);
	assert_int_equal(zcfwd_recycle_pairs(t.of[0][0], NULL, 0), 1);
	zcfwd_recycle_stop(t.of[0][0]);
	polls(500);
	assert_true(stat(t.of[0][0], "moved") > 0);
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
static void
restart_in_a_move(void **state)
{
	struct zcfwd_recycle_error e = { 0 };

	bind_all(NULL);
	polls(200);
	assert_int_equal(zcfwd_recycle_bind(t.of[2][0], NULL, 0, NULL, NULL), 0);
	for (unsigned int p = 0; p < PORTS; p++)
		for (uint16_t q = 0; q < QUEUES; q++)
			zcfwd_recycle_stop(t.of[p][q]);
	meanwhile = RESTART_QUEUE;
	assert_int_equal(zcfwd_recycle_move(t.of[0][0], t.of[2][0], TX(port_of(1), 0), &e),
		-ESTALE);
	assert_int_equal(meanwhile, NOTHING);
	assert_int_equal(e.reason, ZCFWD_RECYCLE_CHANGED);
	polls(200);
	assert_int_equal(zcfwd_recycle_pairs(t.of[0][0], NULL, 0), 0);
	bind_all(NULL);
	polls(200);
	assert_int_equal(reason_of(t.of[2][0]), ZCFWD_RECYCLE_FINE);
}

static void
secondary_process(void **state)
{
	struct zcfwd_recycle *r = zcfwd_recycle_create(port_of(0), 0, NULL);
	struct zcfwd_recycle_error e;

	meanwhile = SECONDARY;
	assert_int_equal(zcfwd_recycle_bind(r, &TX(port_of(1), 0), 1, NULL, &e), 0);
	meanwhile = NOTHING;
	assert_int_equal(e.reason, ZCFWD_RECYCLE_PROCESS);
	zcfwd_recycle_destroy(r);
}

/* A port that is closed, and another one in its place: net_null's functions are its own again. */
static void
closed_port(void **state)
{
	struct zcfwd_recycle_error e;
	struct zcfwd_recycle *r;
	uint16_t port = null_port();

	assert_int_equal(rte_eth_dev_configure(port, 1, 1, &(struct rte_eth_conf){ 0 }), 0);
	r = zcfwd_recycle_create(port, 0, NULL);
	assert_non_null(r);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(zcfwd_recycle_bind(r, &TX(port, 0), 1, NULL, &e), 0);
		assert_int_equal(e.reason, ZCFWD_RECYCLE_DRIVER);
		if (i == 0) { /* ethdev closes it, then its bus removes it */
			assert_int_equal(rte_eth_dev_close(port), 0);
			assert_int_equal(zcfwd_recycle_bind(r, &TX(port, 0), 1, NULL, &e), 0);
			assert_int_equal(e.reason, ZCFWD_RECYCLE_NO_QUEUE);
		}
		assert_int_equal(rte_vdev_uninit("net_null0"), 0);
		assert_int_equal(zcfwd_recycle_run(r), 0);
		assert_int_equal(rte_vdev_init("net_null0", NULL), 0);
		assert_int_equal(null_port(), port);
		assert_int_equal(rte_eth_dev_configure(port, 1, 1, &(struct rte_eth_conf){ 0 }), 0);
	}
	zcfwd_recycle_destroy(r);
	polls(100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(recycles, begin, finish),
		cmocka_unit_test_setup_teardown(rows, begin, finish),
		cmocka_unit_test_setup_teardown(windows, begin, finish),
		cmocka_unit_test_setup_teardown(moves, begin, finish),
		cmocka_unit_test_setup_teardown(foreign_pool, begin, finish),
		cmocka_unit_test_setup_teardown(bad_arguments, begin, finish),
		cmocka_unit_test_setup_teardown(set_up_anew, begin, finish),
		cmocka_unit_test_setup_teardown(other_port_restarts, begin, finish),
		cmocka_unit_test_setup_teardown(queue_set_up_anew, begin, finish),
		cmocka_unit_test_setup_teardown(second_thread, begin, finish),
		cmocka_unit_test_setup_teardown(silent, begin, finish),
		cmocka_unit_test_setup_teardown(restart_in_a_move, begin, finish),
		cmocka_unit_test_setup_teardown(secondary_process, begin, finish),
		cmocka_unit_test_setup_teardown(closed_port, begin, finish),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
