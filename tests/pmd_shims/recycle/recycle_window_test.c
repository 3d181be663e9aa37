/* Windows of armed descriptors on a ring in plain memory: which slots stay armed, which mbufs come from
 * the pool and return to it, and how an automatic window follows what the NIC has filled. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/recycle_window.h"

#include "base/base.h"
#include "fixtures/own_lcores.h"
#include "fixtures/unit.h"
#include "pmd_shims/recycle/pair.h"
#include "pmd_shims/recycle/recycle.h"

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <errno.h>
#include <string.h>

enum {
	RING = 2048,
	BATCH = 32,
	BURST = 32,
	LOOKS_AHEAD = 8,
	LEAST = 160, /* a burst, what the driver reads ahead, and three batches, in whole batches */
	AUTO_LEAST = 512, /* of an automatic window */
	MBUFS = 8191,
};

/* One ring of a driver that arms batches, and the Tx ring that its packets go to. */
static struct {
	struct rte_mempool *pool;
	struct rte_mbuf *armed[RING], *sent[MBUFS]; /* first in, first out */
	uint16_t n_armed, open;                     /* open: free slots that the driver counts */
	uint16_t n_sent;       /* of those in the Tx ring; the others wait for the NIC */
	uint16_t n_tx, filled; /* filled: descriptors that the NIC has filled */
	uint16_t parked;
	eth_rx_burst_t rx_burst;
	eth_tx_burst_t tx_burst;
	const void *_Atomic ops;
	struct watch port;
	struct recycle pair;
	struct recycle_window window;
} nic;

static uint16_t
room(const struct shim_rx *rx, uint16_t shut)
{
	return nic.open > shut + BATCH ? (nic.open - shut - 1) / BATCH * BATCH : 0;
}

static bool
arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	assert_true(mbufs->n <= nic.open && nic.n_armed + mbufs->n <= RING);
	for (uint16_t i = 0; i < mbufs->n; i++)
		nic.armed[nic.n_armed++] = shim_mbuf(mbufs, i);
	nic.open -= mbufs->n;
	return true;
}

static void
park_dummy(const struct shim_rx *rx)
{
	nic.parked++;
}

static uint16_t
hide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	hidden->n = nic.open;
	nic.open = 0;
	return hidden->n;
}

static uint16_t
unhide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	const uint16_t received = nic.open;

	nic.open += hidden->n;
	hidden->n = 0;
	return received;
}

static bool
filled(const struct shim_rx *rx, uint16_t ahead)
{
	return ahead < nic.filled;
}

static struct shim_mbufs
sent(const struct shim_tx *tx)
{
	return (struct shim_mbufs){ .first = nic.sent,
		.stride = sizeof(nic.sent[0]),
		.n = nic.n_sent < BATCH ? 0 : BATCH };
}

static void
taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
	nic.n_sent -= mbufs->n;
	nic.n_tx -= mbufs->n;
	memmove(nic.sent, nic.sent + mbufs->n, nic.n_tx * sizeof(nic.sent[0]));
}

static uint16_t
held(const struct shim_tx *tx)
{
	return nic.n_tx;
}

static const struct shim_rx_ops rx_ops = { .room = room,
	.arm = arm,
	.park_dummy = park_dummy,
	.hide = hide,
	.unhide = unhide,
	.filled = filled };
static const struct shim_tx_ops tx_ops = { .sent = sent, .taken = taken, .held = held };

static uint16_t
run(struct recycle *r)
{
	return pair_run_window(r, hide, unhide, room, arm, BATCH, sent, taken, BATCH,
		sizeof(nic.sent[0]));
}

static int
group_setup(void **state)
{
	char *args[] = { "window", "--no-huge", "--no-shconf", "--no-pci", "-m", "64",
		"--no-telemetry", own_lcores("0"), "--log-level=error" };

	assert_int_equal(rte_eal_init(ARRAY_SIZE(args), args), ARRAY_SIZE(args) - 1);
	nic.pool = rte_pktmbuf_pool_create("pool", MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	return nic.pool != NULL ? 0 : -1;
}

static int
group_teardown(void **state)
{
	rte_mempool_free(nic.pool);
	return rte_eal_cleanup();
}

/* A ring that is armed in full, and a window for it. */
static int
begin(void **state)
{
	struct rte_mempool *pool = nic.pool;

	memset(&nic, 0, sizeof(nic));
	nic.pool = pool;
	assert_int_equal(rte_mempool_get_bulk(pool, (void **)nic.armed, RING), 0);
	nic.n_armed = RING;
	nic.port.ops = &nic.ops;
	nic.pair = (struct recycle){ .rx_burst = &nic.rx_burst,
		.tx_burst = &nic.tx_burst,
		.rx_port = &nic.port,
		.tx_port = &nic.port,
		.rx_queue = &nic.port.rx[0],
		.tx_queue = &nic.port.tx[0],
		.rx = { .ops = &rx_ops,
			.pool = pool,
			.size = RING,
			.batch = BATCH,
			.looks_ahead = LOOKS_AHEAD },
		.tx = { .ops = &tx_ops, .batch = BATCH },
		.window = &nic.window,
		.run = run };
	return 0;
}

static int
finish(void **state)
{
	rte_mempool_put_bulk(nic.pool, (void *const *)nic.armed, nic.n_armed);
	rte_mempool_put_bulk(nic.pool, (void *const *)nic.sent, nic.n_tx);
	assert_int_equal(rte_mempool_avail_count(nic.pool), MBUFS);
	return 0;
}

/* A poll: what is surplus or missing is moved, a burst is received and handed to the Tx ring. */
static void
poll(uint16_t n)
{
	struct recycle *pairs[] = { &nic.pair };

	recycle_run(&nic.pair);
	if (recycle_window_due(&nic.window))
		recycle_window_check(&nic.window, pairs, 1);
	assert_true(nic.n_armed >= n);
	memcpy(nic.sent + nic.n_tx, nic.armed, n * sizeof(nic.sent[0]));
	memmove(nic.armed, nic.armed + n, (nic.n_armed - n) * sizeof(nic.armed[0]));
	nic.n_tx += n;
	nic.n_armed -= n;
	nic.open += n;
	nic.filled -= RTE_MIN(nic.filled, n);
	assert_true(nic.open <= n || nic.window.hidden.n == 0);
}

/* Polls whose packets the NIC sends at once. */
static void
polls(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		poll(BURST);
		nic.n_sent = nic.n_tx;
	}
}

/* The ring shrinks to the window; then the same mbufs go round, and the pool has all others. */
TEST(keeps_few)
{
	uint64_t freed;

	recycle_window_open(&nic.window, &nic.pair, 256, BURST);
	polls(1000);
	assert_in_range(nic.n_armed, 256 - 4 * BATCH, 256);
	assert_true(nic.n_armed + nic.n_tx <= 256 + BATCH);
	freed = shim_counted(&nic.pair.count.freed);
	polls(1000);
	assert_int_equal(shim_counted(&nic.pair.count.freed), freed);
	assert_int_equal(shim_counted(&nic.pair.count.topped_up), 0);
	assert_int_equal(rte_mempool_avail_count(nic.pool) + nic.n_armed + nic.n_tx, MBUFS);
	recycle_window_close(&nic.window, true);
}

/* At the end the driver counts all free slots, and has a full ring; a second close changes nothing. */
TEST(close_arms_in_full)
{
	recycle_window_open(&nic.window, &nic.pair, 256, BURST);
	polls(100);
	recycle_window_close(&nic.window, true);
	assert_int_equal(nic.n_armed + nic.open, RING);
	assert_true(nic.open <= BATCH);
	nic.open = 100;
	recycle_window_close(&nic.window, true);
	assert_int_equal(nic.open, 100);
	nic.open = RING - nic.n_armed;
	/* It can run again. */
	polls(100);
	assert_true(nic.n_armed <= 256);
	recycle_window_close(&nic.window, false);
	assert_int_equal(nic.n_armed + nic.open, RING);
	assert_true(nic.open > RING / 2);
}

/* When the NIC sends late, the pool stands in; what is surplus then returns bit by bit. */
TEST(late_sends)
{
	uint64_t freed;

	recycle_window_open(&nic.window, &nic.pair, 256, BURST);
	polls(100);
	for (unsigned int i = 0; i < 20; i++) {
		poll(BURST);
		assert_true(nic.n_armed + BURST >= 256 - 4 * BATCH);
	}
	assert_true(shim_counted(&nic.pair.count.topped_up) > 0);
	assert_true(nic.n_tx > 256);
	for (unsigned int i = 0; i < 1000; i++) {
		freed = shim_counted(&nic.pair.count.freed);
		polls(1);
		assert_true(shim_counted(&nic.pair.count.freed) <= freed + BATCH);
	}
	assert_true(nic.n_armed + nic.n_tx <= 256 + 2 * BATCH);
	recycle_window_close(&nic.window, true);
}

/*
 * The NIC sends nothing, and one mbuf more is missing in each poll. The pool stands in at the first
 * poll in which more are missing than may be: three batches less one, or a quarter of a large window.
 */
TEST(pool_is_asked)
{
	static const struct {
		uint16_t window, may_be_missing;
	} rows[] = { { LEAST, 3 * BATCH - 1 }, { 256, 3 * BATCH - 1 }, { 1024, 256 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const unsigned int shut = RING - rows[i].window;
		unsigned int open, left = RING;

		recycle_window_open(&nic.window, &nic.pair, rows[i].window, BURST);
		polls(100);
		nic.n_sent = 0;
		poll(0);
		do {
			open = RING - nic.n_armed;
			poll(1);
		} while (nic.n_armed < RING - open && --left > 0);
		assert_int_equal(open, shut + rows[i].may_be_missing + 1);
		nic.n_sent = nic.n_tx;
		polls(200);
		recycle_window_close(&nic.window, true);
	}
}

/* Without mbufs the driver has its free slots back, so that it counts the refills that fail. */
TEST(pool_runs_dry)
{
	static struct rte_mbuf *others[MBUFS];
	unsigned int n;

	recycle_window_open(&nic.window, &nic.pair, 256, BURST);
	polls(100);
	n = rte_mempool_avail_count(nic.pool);
	assert_int_equal(rte_mempool_get_bulk(nic.pool, (void **)others, n), 0);
	while (nic.n_armed >= 2 * BURST)
		poll(BURST);
	poll(0);
	assert_int_equal(nic.open, RING - nic.n_armed);
	recycle_window_close(&nic.window, true);
	assert_int_equal(nic.open, RING - nic.n_armed);
	assert_int_equal(nic.parked, 1);
	rte_mempool_put_bulk(nic.pool, (void *const *)others, n);
}

/* A queue that was set up again is not touched. */
TEST(another_set_up)
{
	recycle_window_open(&nic.window, &nic.pair, 256, BURST);
	polls(100);
	atomic_fetch_add(&nic.port.rx[0].changes, 1);
	nic.open = 0;
	poll(0);
	recycle_window_close(&nic.window, true);
	assert_int_equal(nic.open, 0);
}

/* The clock of an automatic window: what it does by time is due at its next look at it, or never. */
static void
time_set(bool forgets, bool shrinks)
{
	nic.window.forgets = forgets ? 0 : UINT64_MAX;
	nic.window.shrinks = shrinks ? 0 : UINT64_MAX;
}

/* Polls until the clock was read, with so many packets waiting in the ring. */
static void
polls_filled(uint16_t filled)
{
	for (unsigned int i = 0; i < 64 * 128 / BURST + 8; i++) {
		nic.filled = filled;
		polls(1);
	}
}

/* An automatic window that has learnt that the least one is enough. */
static void
begin_least(void)
{
	recycle_window_open(&nic.window, &nic.pair, ZCFWD_RECYCLE_WINDOW_AUTO, BURST);
	time_set(true, false);
	polls_filled(0);
	for (unsigned int size = RING; size > AUTO_LEAST; size /= 2) {
		assert_int_equal(nic.window.now, size);
		time_set(false, true);
		polls_filled(0);
	}
	assert_int_equal(nic.window.now, AUTO_LEAST);
	time_set(false, false);
}

/* The whole ring is armed at first, for a tenth of a second; then it halves, not faster than every 20 ms. */
TEST(learns_first)
{
	const uint64_t began = rte_rdtsc();
	uint64_t shrank;

	recycle_window_open(&nic.window, &nic.pair, ZCFWD_RECYCLE_WINDOW_AUTO, BURST);
	while (nic.window.now == RING)
		polls(1);
	shrank = rte_rdtsc();
	assert_true(shrank - began >= rte_get_tsc_hz() / 10);
	while (nic.window.now > AUTO_LEAST)
		polls(1);
	assert_true(rte_rdtsc() - shrank >= rte_get_tsc_hz() / 50);
	polls(RING / BURST + 16);
	assert_true(nic.n_armed <= AUTO_LEAST);
	recycle_window_close(&nic.window, true);
}

/* A quarter full: the window doubles at once, to what the burst needs. */
TEST(grows)
{
	static const struct {
		uint16_t filled, size;
	} rows[] = { { 127, 512 }, { 129, 1024 }, { 257, RING }, { 513, RING }, { RING, RING } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin_least();
		for (unsigned int n = 0; n < 3 * 128 / BURST + 3; n++) {
			nic.filled = rows[i].filled;
			polls(1);
		}
		assert_int_equal(nic.window.now, rows[i].size);
		recycle_window_close(&nic.window, true);
	}
}

/* What a burst needed is remembered for the rest of its period and the whole next one. */
TEST(remembers)
{
	begin_least();
	for (unsigned int n = 0; n < 8; n++) {
		nic.filled = 257;
		polls(1);
	}
	assert_int_equal(nic.window.now, RING);
	time_set(false, true);
	polls_filled(0);
	assert_int_equal(nic.window.now, RING);
	time_set(true, true);
	polls_filled(0);
	assert_int_equal(nic.window.now, RING);
	assert_true(nic.window.forgets - rte_rdtsc() <= 10 * rte_get_tsc_hz());
	assert_true(nic.window.forgets - rte_rdtsc() > 9 * rte_get_tsc_hz());
	time_set(true, true);
	polls_filled(0);
	assert_int_equal(nic.window.now, RING / 2);
	recycle_window_close(&nic.window, true);
}

/* Always full: after 64 rings of packets the least window does as well, until the ring was empty. */
TEST(overload)
{
	unsigned int n = 0;

	recycle_window_open(&nic.window, &nic.pair, ZCFWD_RECYCLE_WINDOW_AUTO, BURST);
	do {
		nic.filled = RING;
		polls(1);
	} while (!nic.window.overloaded && ++n < 100000);
	assert_in_range(n, 63 * RING / BURST, 80 * RING / BURST);
	for (n = 0; n < 200; n++) {
		nic.filled = RING;
		polls(1);
		assert_int_equal(nic.window.now, AUTO_LEAST);
	}
	nic.filled = 0;
	polls(20);
	assert_false(nic.window.overloaded);
	assert_int_equal(nic.window.now, RING);
	recycle_window_close(&nic.window, true);
}

static uint32_t
random_below(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)*seed * n) >> 32);
}

/*
 * Bursts of up to `most` packets, half again as fast as the lcore, which pauses once in a while for
 * `pause` polls. Every 4000 polls a period of the window ends. Returns the packets lost after the first period.
 */
static unsigned int
lost(uint16_t window, unsigned int most, unsigned int pause)
{
	unsigned int left = 0, calm = 0, asleep = 0, missed = 0;
	uint32_t seed = 7;

	recycle_window_open(&nic.window, &nic.pair, window, BURST);
	for (unsigned int t = 1; t <= 40000; t++) {
		const unsigned int arrive = calm > 0 ? 0 : RTE_MIN(left, BURST * 3u / 2),
				   room = nic.n_armed - nic.filled;

		time_set(t % 4000 == 0 || nic.window.forgets == 0, true);
		left -= arrive;
		nic.filled += RTE_MIN(arrive, room);
		missed += t > 4000 && arrive > room ? arrive - room : 0;
		if (calm > 0)
			calm--;
		else if (left == 0) {
			left = 1 + random_below(&seed, most);
			calm = random_below(&seed, most / BURST * 2 + 2);
		}
		if (asleep > 0)
			asleep--;
		else if (random_below(&seed, 500) == 0)
			asleep = pause;
		else {
			poll(RTE_MIN(nic.filled, BURST));
			nic.n_sent = nic.n_tx;
		}
	}
	recycle_window_close(&nic.window, true);
	return missed;
}

/* An automatic window loses no more in bursts than the whole ring. A window of 256 does. */
TEST(bursts)
{
	static const struct {
		unsigned int most, pause;
		bool small_loses;
	} rows[] = { { 32, 0, false }, { 256, 5, true }, { 1024, 5, true }, { 4096, 5, true },
		{ 256, 20, true }, { 1024, 20, true }, { 256, 60, true } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const unsigned int whole = lost(RING - 1, rows[i].most, rows[i].pause),
				   small = lost(256, rows[i].most, rows[i].pause),
				   automatic = lost(ZCFWD_RECYCLE_WINDOW_AUTO, rows[i].most,
					   rows[i].pause);

		print_message("# bursts of %u, pauses of %u: lost %u, window 256 %u, auto %u\n",
			rows[i].most, rows[i].pause, whole, small, automatic);
		/* The last batch of a full ring may be armed one poll later. */
		assert_true(automatic <= whole + (whole > 0 ? BATCH : 0));
		assert_int_equal(small > whole, rows[i].small_loses);
	}
}

TEST(valid)
{
	struct shim_rx_ops blind = rx_ops;
	struct zcfwd_recycle_error e = { 0 };

	assert_int_equal(recycle_window_valid(&nic.pair, ZCFWD_RECYCLE_WINDOW_OFF, BURST, &e), 0);
	assert_int_equal(recycle_window_valid(&nic.pair, ZCFWD_RECYCLE_WINDOW_AUTO, 512, &e), 0);
	assert_int_equal(recycle_window_valid(&nic.pair, LEAST, BURST, &e), 0);
	assert_int_equal(recycle_window_valid(&nic.pair, LEAST - 1, BURST, &e), -EINVAL);
	assert_int_equal(recycle_window_valid(&nic.pair, LEAST, BURST + BATCH, &e), -EINVAL);
	blind.filled = NULL;
	nic.pair.rx.ops = &blind;
	assert_int_equal(recycle_window_valid(&nic.pair, LEAST, BURST, &e), 0);
	assert_int_equal(recycle_window_valid(&nic.pair, ZCFWD_RECYCLE_WINDOW_AUTO, BURST, &e),
		-ENOTSUP);
}

/* A ring that is not larger than its window is armed in full. */
TEST(small_rings)
{
	nic.pair.rx.size = AUTO_LEAST;
	recycle_window_open(&nic.window, &nic.pair, ZCFWD_RECYCLE_WINDOW_AUTO, BURST);
	assert_null(nic.window.pair);
	recycle_window_open(&nic.window, &nic.pair, AUTO_LEAST, BURST);
	assert_null(nic.window.pair);
	recycle_window_open(&nic.window, &nic.pair, AUTO_LEAST - 1, BURST);
	assert_ptr_equal(nic.window.pair, &nic.pair);
}

TESTS(.setup = group_setup, .teardown = group_teardown, .before = begin, .after = finish);
