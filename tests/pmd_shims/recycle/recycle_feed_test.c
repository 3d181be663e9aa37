/* One receive queue fed by several transmit queues on modelled NICs that move when told to: each moves
 * its share, and the lcore's choice follows the traffic. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/stepped.h"
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/model_nic.h"
#include "pmd_shims/recycle/handle.h"

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <errno.h>
#include <string.h>

enum {
	PORTS = 3,
	QUEUES = 8,
	BURST = 32,
	RING = 512,
	MBUFS = 32767,
	HZ = 1000000,
	POLL = HZ / 5000
};

/* Port 0 receives; a packet may go out by any of the candidates. */
static struct fixture {
	struct stepped model;
	struct rte_mempool *pool;
	struct zcfwd_recycle *feed;
	struct zcfwd_recycle_queue tx[RECYCLE_TRAFFIC_QUEUES];
	unsigned int n;
	uint64_t sent[RECYCLE_TRAFFIC_QUEUES];
	uint64_t now, received;
} fixture;

static int
group_setup(void **state)
{
	stepped_eal(&fixture.model, NULL, NULL);
	fixture.pool = rte_pktmbuf_pool_create("pool", MBUFS, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	return fixture.pool != NULL ? 0 : -1;
}

static int
group_teardown(void **state)
{
	return rte_eal_cleanup();
}

/* A feed of port 0's queue from each of those n; sent NULL: all of them feed. */
static void
begin(const struct zcfwd_recycle_queue *tx, unsigned int n, const uint64_t *sent)
{
	const struct zcfwd_recycle_options options = { .sent = sent };
	const struct stepped_port how = { .pool = fixture.pool,
		.queues = { 1, QUEUES },
		.rx_ring = RING,
		.rs = 32 };

	for (uint16_t p = 0; p < PORTS; p++)
		stepped_start(&fixture.model, p, &how);
	memcpy(fixture.tx, tx, n * sizeof(tx[0]));
	memset(fixture.sent, 0, sizeof(fixture.sent));
	fixture.n = n;
	fixture.received = 0;
	fixture.now = 0;
	fixture.feed = zcfwd_recycle_create(0, 0, NULL);
	assert_non_null(fixture.feed);
	assert_int_equal(zcfwd_recycle_bind(fixture.feed, fixture.tx, n, &options, NULL), n);
	if (sent != NULL) { /* the test's clock, which only the test looks at */
		struct recycle_pairs *p = atomic_load(&fixture.feed->published);

		p->traffic.hz = HZ;
		p->traffic.next = 0;
	}
}

static void
look(void)
{
	struct recycle_pairs *p = atomic_load(&fixture.feed->published);

	p->polls = 0;
	fixture.now += POLL;
	if (p->sent != NULL)
		recycle_look(p, fixture.now);
}

/* Send pkts[0..n) by a candidate. */
static void
send_by(unsigned int i, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t sent = rte_eth_tx_burst(fixture.tx[i].port, fixture.tx[i].queue, pkts, n);

	assert_int_equal(sent, n);
	fixture.sent[i] += sent;
}

/* Which candidate a packet goes by. flow: of the packet. */
typedef unsigned int route(unsigned int flow);

/* One receive, packets gathered by where they go, and what is on the way moved. */
static void
poll_once(route *to)
{
	struct rte_mbuf *pkts[BURST], *out[RECYCLE_TRAFFIC_QUEUES][BURST];
	uint16_t n_out[RECYCLE_TRAFFIC_QUEUES] = { 0 }, got;

	zcfwd_recycle_run(fixture.feed);
	got = rte_eth_rx_burst(0, 0, pkts, BURST);
	fixture.received += got;
	for (uint16_t i = 0; i < got; i++) {
		const uint8_t *udp = rte_pktmbuf_mtod_offset(pkts[i], const uint8_t *, 34);
		unsigned int by = to((unsigned int)udp[0] << 8 | udp[1]);

		out[by][n_out[by]++] = pkts[i];
	}
	for (unsigned int i = 0; i < fixture.n; i++)
		if (n_out[i] > 0)
			send_by(i, out[i], n_out[i]);
	fixture.model.step();
	look();
}

static struct recycle_total
total_of(unsigned int i)
{
	struct recycle_total t = { 0 };

	zcfwd_recycle_pair_stats(fixture.feed, i, &t.moved, sizeof(t) / sizeof(t.moved));
	return t;
}

/* Ports closed, every mbuf back, the model content. */
static void
finish(void)
{
	struct model_nic_report r;

	for (unsigned int i = 0; i < 64; i++)
		fixture.model.step();
	stepped_reports(&fixture.model, PORTS, &r);
	for (uint16_t p = 0; p < PORTS; p++)
		assert_int_equal(rte_eth_dev_stop(p), 0);
	zcfwd_recycle_destroy(fixture.feed);
	stepped_law(&r);
	assert_true(r.ok > 0 && r.ok == r.tx_packets && r.tx_packets == fixture.received);
	assert_int_equal(rte_mempool_in_use_count(fixture.pool), 0);
}

static unsigned int
by_flow(unsigned int flow)
{
	return flow % fixture.n;
}

/* Four queues of one port, four of another: each moves most of what it sent. */
TEST(eight_feed_one)
{
	struct zcfwd_recycle_queue tx[QUEUES];

	for (uint16_t i = 0; i < QUEUES; i++)
		tx[i] = (struct zcfwd_recycle_queue){ 1 + i % 2, i };
	begin(tx, QUEUES, NULL);
	for (unsigned int i = 0; i < 20000; i++)
		poll_once(by_flow);
	for (unsigned int i = 0; i < QUEUES; i++) {
		const struct recycle_total t = total_of(i);

		print_message("# TX %u/%u: %llu moved of %llu sent\n", tx[i].port, tx[i].queue,
			(unsigned long long)t.moved, (unsigned long long)fixture.sent[i]);
		assert_true(fixture.sent[i] > fixture.received / 16);
		assert_true(t.moved > fixture.sent[i] * 9 / 10);
		assert_int_equal(t.topped_up + t.foreign + t.shared, 0);
	}
	finish();
}

static unsigned int now_by; /* the candidate that all packets go by */

static unsigned int
by_now(unsigned int flow)
{
	return now_by;
}

/* Let what is under way arrive, so that flows stay in order over another port. */
static void
routes_flip(unsigned int to)
{
	for (unsigned int i = 0; i < 64; i++)
		fixture.model.step();
	now_by = to;
}

static const struct zcfwd_recycle_queue three[] = { { 0, 0 }, { 1, 0 }, { 2, 0 } };

/* Bits of the queues that feed. */
static uint32_t
feeds(void)
{
	struct zcfwd_recycle_pair pairs[RECYCLE_TRAFFIC_QUEUES];
	const unsigned int n =
		zcfwd_recycle_pairs(fixture.feed, pairs, sizeof(pairs[0]), RECYCLE_TRAFFIC_QUEUES);
	uint32_t bits = 0;

	for (unsigned int i = 0; i < n; i++)
		bits |= (uint32_t)pairs[i].feeds << i;
	return bits;
}

/* Each change begins with what the one before it led to. */
static void
assert_history(const struct zcfwd_recycle_change *change, unsigned int n)
{
	for (unsigned int i = 1; i < n; i++) {
		assert_int_equal(change[i].from, change[i - 1].to);
		assert_true(change[i].from != change[i].to && change[i].tsc > change[i - 1].tsc);
	}
}

/* Routes lead to another port each second, pairs go with them. */
TEST(pairs_follow)
{
	struct zcfwd_recycle_change change[RECYCLE_HISTORY];
	struct recycle_total t;
	unsigned int n;

	begin(three, ARRAY_SIZE(three), fixture.sent);
	assert_int_equal(feeds(), 1 << 0);
	for (unsigned int second = 0; second < 6; second++) {
		routes_flip(1 + second % 2);
		for (unsigned int i = 0; i < HZ / POLL; i++)
			poll_once(by_now);
		assert_true(feeds() >> now_by & 1);
	}
	zcfwd_recycle_stats(fixture.feed, &t.moved, sizeof(t) / sizeof(t.moved));
	n = zcfwd_recycle_changes(fixture.feed, change, sizeof(change[0]), RECYCLE_HISTORY);
	print_message("# %llu moved of %llu received, %u changes\n", (unsigned long long)t.moved,
		(unsigned long long)fixture.received, n);
	assert_true(t.moved * 100 >= fixture.received * 95);
	assert_true(n >= 2 && n <= 6 * RECYCLE_TRAFFIC_CHANGES);
	assert_int_equal(change[0].from, 1 << 0);
	assert_int_equal(change[0].to & 1 << 1, 1 << 1);
	assert_history(change, n);
	assert_int_equal(total_of(0).moved, 0);
	assert_true(total_of(1).moved > 0 && total_of(2).moved > 0);
	finish();
}

/*
 * After more changes than are kept, all but the oldest can be read: the lcore may be writing over
 * that one. Counts of packets that nobody sends make the changes.
 */
TEST(last_changes)
{
	enum { HOLD = 2 * HZ / POLL }; /* a queue leaves after a second without packets */
	const struct recycle_history *history;
	struct zcfwd_recycle_change change[RECYCLE_HISTORY + 1];

	begin(three, ARRAY_SIZE(three), fixture.sent);
	now_by = 0;
	for (unsigned int i = 0; i < 100; i++)
		poll_once(by_now);
	history = &atomic_load(&fixture.feed->published)->history;
	for (unsigned int i = 0; shim_counted(&history->n) <= RECYCLE_HISTORY; i++) {
		assert_true(i < RECYCLE_HISTORY * HOLD);
		fixture.sent[1 + i / HOLD % 2] += 2 * RECYCLE_TRAFFIC_LEAST;
		look();
	}
	assert_int_equal(zcfwd_recycle_changes(fixture.feed, change, sizeof(change[0]),
				 RECYCLE_HISTORY + 1),
		RECYCLE_HISTORY - 1);
	assert_history(change, RECYCLE_HISTORY - 1);
	assert_int_equal(change[RECYCLE_HISTORY - 2].to, feeds());
	assert_int_equal(zcfwd_recycle_changes(fixture.feed, change, sizeof(change[0]), 2), 2);
	assert_int_equal(change[1].to, feeds());
	finish();
}

/* More queues than may feed, more than can be chosen from. */
TEST(too_many)
{
	struct zcfwd_recycle_queue tx[RECYCLE_TRAFFIC_QUEUES + 1];
	struct zcfwd_recycle_options o = { .mode = ZCFWD_RECYCLE_MODE_OFF };
	struct zcfwd_recycle *feed = zcfwd_recycle_create(0, 0, NULL);

	for (uint16_t i = 0; i < ARRAY_SIZE(tx); i++)
		tx[i] = (struct zcfwd_recycle_queue){ 0, i };
	assert_int_equal(zcfwd_recycle_bind(feed, tx, ZCFWD_RECYCLE_FEEDING + 1, &o, NULL),
		-EINVAL);
	o.sent = fixture.sent;
	assert_int_equal(zcfwd_recycle_bind(feed, tx, ZCFWD_RECYCLE_FEEDING + 1, &o, NULL), 0);
	assert_int_equal(zcfwd_recycle_bind(feed, tx, RECYCLE_TRAFFIC_QUEUES + 1, &o, NULL),
		-EINVAL);
	zcfwd_recycle_destroy(feed);
}

TESTS(.setup = group_setup, .teardown = group_teardown);
