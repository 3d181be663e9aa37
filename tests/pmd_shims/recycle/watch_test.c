/* The functions in front of those of a port's driver: each counts a change of its queues before the
 * driver's function runs and after it, and of no other queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/watch.h"

#include "base/base.h"
#include "fixtures/own_lcores.h"
#include "fixtures/skip.h"
#include "fixtures/unit.h"

#include <rte_eal.h>
#include <rte_ethdev.h>

#include <stdlib.h>
#include <string.h>

enum { QUEUES = 2, QUEUE = 1, ANSWER = -77, OPS_MAX = 8192 };

struct rte_eth_dev;
extern char rte_eth_devices[];

typedef int of_port(struct rte_eth_dev *dev);
typedef int of_queue(struct rte_eth_dev *dev, uint16_t queue);
typedef void release(struct rte_eth_dev *dev, uint16_t queue);
typedef int rx_setup(struct rte_eth_dev *dev, uint16_t queue, uint16_t n, unsigned int socket,
	const struct rte_eth_rxconf *conf, struct rte_mempool *mp);
typedef int tx_setup(struct rte_eth_dev *dev, uint16_t queue, uint16_t n, unsigned int socket,
	const struct rte_eth_txconf *conf);

/* The changes of the first queues, and whether the port is watched. */
struct counts {
	unsigned int rx[QUEUES], tx[QUEUES];
	bool stands;
};

/* A port of net_null with a driver's functions that look at the counts. */
static struct {
	uint16_t port;
	char *dev;
	const struct ethdev_layout *layout;
	struct watch *watch;
	const void *real;              /* net_null's functions */
	_Alignas(8) char ops[OPS_MAX]; /* a copy of them, with those below */
	unsigned int calls;
	struct counts meanwhile; /* while the driver's function ran */
} driver;

static struct counts
counts_now(void)
{
	struct counts c = { .stands = watch_stands(driver.watch) };

	for (unsigned int q = 0; q < QUEUES; q++) {
		c.rx[q] = watch_changes(&driver.watch->rx[q]);
		c.tx[q] = watch_changes(&driver.watch->tx[q]);
	}
	return c;
}

/* All functions of the driver: note the counts. */
static int
note(const struct rte_eth_dev *dev)
{
	assert_ptr_equal(dev, driver.dev);
	driver.calls++;
	driver.meanwhile = counts_now();
	return ANSWER;
}

static int
port_function(struct rte_eth_dev *dev)
{
	return note(dev);
}

static int
queue_function(struct rte_eth_dev *dev, uint16_t queue)
{
	assert_int_equal(queue, QUEUE);
	return note(dev);
}

static void
queue_release(struct rte_eth_dev *dev, uint16_t queue)
{
	assert_int_equal(queue, QUEUE);
	note(dev);
}

static int
rx_function(struct rte_eth_dev *dev, uint16_t queue, uint16_t n, unsigned int socket,
	const struct rte_eth_rxconf *conf, struct rte_mempool *mp)
{
	assert_true(queue == QUEUE && n == 512 && socket == 3);
	assert_true((const char *)conf == driver.ops && (char *)mp == driver.ops + 1);
	return note(dev);
}

static int
tx_function(struct rte_eth_dev *dev, uint16_t queue, uint16_t n, unsigned int socket,
	const struct rte_eth_txconf *conf)
{
	assert_true(queue == QUEUE && n == 512 && socket == 3);
	assert_true((const char *)conf == driver.ops);
	return note(dev);
}

/* A function that ethdev calls now. */
#define THE(type, name) \
	(*(type *const *)shim_at(atomic_load(driver.watch->ops), driver.layout->name))
#define DEV ((struct rte_eth_dev *)(void *)driver.dev)

#define CALL_PORT(name) \
	static int call_##name(void) \
	{ \
		return THE(of_port, name)(DEV); \
	}
#define CALL_QUEUE(name) \
	static int call_##name(void) \
	{ \
		return THE(of_queue, name)(DEV, QUEUE); \
	}
#define CALL_RELEASE(name) \
	static int call_##name(void) \
	{ \
		THE(release, name)(DEV, QUEUE); \
		return ANSWER; \
	}

CALL_PORT(dev_start)
CALL_PORT(dev_stop)
CALL_PORT(dev_reset)
CALL_PORT(dev_close)
CALL_QUEUE(rx_queue_start)
CALL_QUEUE(rx_queue_stop)
CALL_QUEUE(tx_queue_start)
CALL_QUEUE(tx_queue_stop)
CALL_RELEASE(rx_queue_release)
CALL_RELEASE(tx_queue_release)

static int
call_rx_queue_setup(void)
{
	return THE(rx_setup, rx_queue_setup)(DEV, QUEUE, 512, 3, (const void *)driver.ops,
		(void *)(driver.ops + 1));
}

static int
call_tx_queue_setup(void)
{
	return THE(tx_setup, tx_queue_setup)(DEV, QUEUE, 512, 3, (const void *)driver.ops);
}

enum reach { OF_RX = 1, OF_TX = 2, OF_ALL = 4 };

#define ROW(name, function, reach) \
	{ \
#name, offsetof(struct ethdev_layout, name), (const void *)(uintptr_t)(function), \
			call_##name, reach \
	}

/* The intercepted functions: where the layout has their offsets, and which queues they change. */
static const struct {
	const char *name;
	size_t field;
	const void *function;
	int (*call)(void);
	unsigned int reach;
} rows[] = {
	ROW(dev_start, port_function, OF_ALL),
	ROW(dev_stop, port_function, OF_ALL),
	ROW(dev_reset, port_function, OF_ALL),
	ROW(rx_queue_setup, rx_function, OF_RX),
	ROW(rx_queue_release, queue_release, OF_RX),
	ROW(rx_queue_start, queue_function, OF_RX),
	ROW(rx_queue_stop, queue_function, OF_RX),
	ROW(tx_queue_setup, tx_function, OF_TX),
	ROW(tx_queue_release, queue_release, OF_TX),
	ROW(tx_queue_start, queue_function, OF_TX),
	ROW(tx_queue_stop, queue_function, OF_TX),
	ROW(dev_close, port_function, OF_ALL),
};

/* The offset of a row's function in struct eth_dev_ops. */
static uint16_t
offset_of(size_t row)
{
	return shim_u16(driver.layout, (uint16_t)rows[row].field);
}

static void
function_set(size_t row, const void *function)
{
	memcpy(driver.ops + offset_of(row), &function, sizeof(function));
}

static void
ops_set(const void *ops)
{
	memcpy(driver.dev + driver.layout->ops, &ops, sizeof(ops));
}

static int
group_setup(void **state)
{
	char *args[] = { "watch", "--no-huge", "--no-shconf", "--no-pci", "-m", "64",
		"--no-telemetry", own_lcores("0"), "--log-level=error", "--vdev=net_null0" };
	struct zcfwd_recycle_error e;
	struct shim_laid laid;

	assert_int_equal(rte_eal_init(ARRAY_SIZE(args), args), ARRAY_SIZE(args) - 1);
	assert_int_equal(rte_eth_dev_get_port_by_name("net_null0", &driver.port), 0);
	driver.layout = shim_layout_find(NULL, &watch_table, &laid, &e);
	assert_non_null(driver.layout);
	assert_true(driver.layout->ops_bytes <= OPS_MAX);
	driver.dev = rte_eth_devices + (size_t)driver.port * driver.layout->port_bytes;
	driver.real = shim_pointer(driver.dev, driver.layout->ops);
	driver.watch = watch_entry(driver.port, &e);
	return driver.watch != NULL ? 0 : -1;
}

static int
group_teardown(void **state)
{
	return rte_eal_cleanup();
}

/* The port has the test's functions, and is not watched. */
static int
begin(void **state)
{
	memcpy(driver.ops, driver.real, driver.layout->ops_bytes);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		function_set(i, rows[i].function);
	ops_set(driver.ops);
	return 0;
}

static int
finish(void **state)
{
	ops_set(driver.real);
	return 0;
}

static void
assert_counted(const char *name, const unsigned int *now, const unsigned int *before, bool one,
	bool all, unsigned int by)
{
	for (unsigned int q = 0; q < QUEUES; q++)
		if (now[q] != before[q] + (all || (one && q == QUEUE) ? by : 0))
			fail_msg("%s: queue %u has %u changes, %u before", name, q, now[q],
				before[q]);
}

/*
 * Before the driver's function and after it. A port that closes is no longer watched in its driver's
 * function, which finds the driver's own functions in place.
 */
TEST(each_function)
{
	struct zcfwd_recycle_error e = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const bool closes = strcmp(rows[i].name, "dev_close") == 0;
		const bool all = rows[i].reach == OF_ALL;
		struct counts before, after;

		assert_int_equal(watch_port(driver.watch, driver.port, NULL, &e), 0);
		before = counts_now();
		assert_true(before.stands);
		driver.calls = 0;
		assert_int_equal(rows[i].call(), ANSWER);
		after = counts_now();
		assert_int_equal(driver.calls, 1);
		for (unsigned int late = 0; late < 2; late++) {
			const struct counts *now = late ? &after : &driver.meanwhile;
			const unsigned int by = late && !closes ? 2 : 1;

			assert_counted(rows[i].name, now->rx, before.rx, rows[i].reach == OF_RX,
				all, by);
			assert_counted(rows[i].name, now->tx, before.tx, rows[i].reach == OF_TX,
				all, by);
			assert_int_equal(now->stands, !closes);
		}
	}
	assert_ptr_equal(shim_pointer(driver.dev, driver.layout->ops), driver.ops);
}

/* A port that is watched again has changed, although its queues are where they were. */
TEST(watched_again)
{
	struct zcfwd_recycle_error e = { 0 };
	struct counts before, after;

	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(watch_port(driver.watch, driver.port, NULL, &e), 0);
		before = counts_now();
		assert_int_equal(watch_port(driver.watch, driver.port, NULL, &e), 0);
		after = counts_now();
		assert_counted("watched", after.rx, before.rx, false, true, 0);
		/* As drivers do when a port is reset. */
		ops_set(driver.ops);
		assert_false(watch_stands(driver.watch));
		assert_int_equal(watch_port(driver.watch, driver.port, NULL, &e), 0);
		after = counts_now();
		assert_counted("watched again", after.rx, before.rx, false, true, 1);
		assert_counted("watched again", after.tx, before.tx, false, true, 1);
		assert_true(after.stands);
	}
}

/* ethdev asks whether a driver has a function: one that it lacks stays away. */
TEST(lacks_functions)
{
	struct zcfwd_recycle_error e = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strstr(rows[i].name, "_queue_st") != NULL ||
			strcmp(rows[i].name, "dev_reset") == 0 ||
			strstr(rows[i].name, "release") != NULL)
			function_set(i, NULL);
	assert_int_equal(watch_port(driver.watch, driver.port, NULL, &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const void *here = shim_pointer(driver.ops, offset_of(i)),
			   *there = shim_pointer(atomic_load(driver.watch->ops), offset_of(i));

		assert_int_equal(here == NULL, there == NULL);
		assert_true(here == NULL || here != there);
	}
}

/* The plugin's functions, and what they saw of one call. */
static struct {
	unsigned int before, after, info;
	enum watch_event event;
	struct counts counts; /* in `before` */
} seen;

static void
hook_before(uint16_t port, enum watch_event event)
{
	assert_int_equal(port, driver.port);
	seen.before++;
	seen.event = event;
	seen.counts = counts_now();
	assert_int_equal(driver.calls, 0);
}

static void
hook_after(uint16_t port, enum watch_event event)
{
	assert_int_equal(port, driver.port);
	assert_int_equal(seen.event, event);
	assert_int_equal(driver.calls, 1);
	seen.after++;
}

static void
hook_info(uint16_t port, uint16_t queue, struct rte_eth_recycle_rxq_info *info)
{
	assert_int_equal(port, driver.port);
	assert_int_equal(queue, QUEUE);
	assert_ptr_equal((char *)info, driver.ops);
	seen.info++;
}

/* Addresses are enough: nothing calls these two here. */
static const struct watch_hooks hooks = { hook_before, hook_after, hook_info, driver.ops,
	driver.ops + 1 };

/* The event that hooks see of a row; -1: none. */
static int
event_of(const char *name)
{
	return strcmp(name, "dev_start") == 0          ? WATCH_START
		: strcmp(name, "dev_stop") == 0        ? WATCH_STOP
		: strcmp(name, "dev_reset") == 0       ? WATCH_RESET
		: strcmp(name, "dev_close") == 0       ? WATCH_CLOSE
		: strstr(name, "_queue_setup") != NULL ? WATCH_SETUP
						       : -1;
}

/* Before a change is counted and the driver's function runs, and after it: but not after a close. */
TEST(hooks_see)
{
	struct zcfwd_recycle_error e = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const int event = event_of(rows[i].name);
		struct counts was;

		assert_int_equal(zcfwd_recycle_hook(driver.port, &hooks, &e), 0);
		was = counts_now();
		driver.calls = 0;
		memset(&seen, 0, sizeof(seen));
		assert_int_equal(rows[i].call(), ANSWER);
		assert_int_equal(driver.calls, 1);
		assert_int_equal(seen.before, event >= 0);
		assert_int_equal(seen.after, event >= 0 && event != WATCH_CLOSE);
		if (event < 0)
			continue;
		assert_int_equal(seen.event, event);
		assert_memory_equal(seen.counts.rx, was.rx, sizeof(was.rx));
		assert_memory_equal(seen.counts.tx, was.tx, sizeof(was.tx));
	}
	driver.watch->hooks = NULL;
}

typedef int rxq_info(struct rte_eth_dev *dev, uint16_t queue, void *info);

/* The functions of a port's driver for recycling, which are another driver's otherwise. */
static void
assert_recycling(bool offered)
{
	const struct ethdev_layout *const l = driver.layout;
	const void *const info =
		shim_pointer(atomic_load(driver.watch->ops), l->recycle_rxq_info_get);

	assert_ptr_equal(shim_pointer(driver.dev, l->reuse), hooks.reuse);
	assert_ptr_equal(shim_pointer(driver.dev, l->refill), hooks.refill);
	assert_int_equal(info != NULL, offered);
	if (!offered)
		return;
	seen.info = 0;
	THE(rxq_info, recycle_rxq_info_get)(DEV, QUEUE, driver.ops);
	assert_int_equal(seen.info, 1);
}

/*
 * The driver's own functions for recycling are out of place from the hook on, also after a start or
 * a reset in which the driver restores them.
 */
TEST(hooks_recycle)
{
	struct zcfwd_recycle_error e = { 0 };
	const struct ethdev_layout *const l = driver.layout;
	const void *none = NULL;

	if (l->reuse == SHIM_NONE)
		skip_because("rte_eth_recycle_mbufs() came with DPDK 23.11");
	memcpy(driver.ops + l->recycle_rxq_info_get, &driver.real, sizeof(driver.real));
	assert_int_equal(zcfwd_recycle_hook(driver.port, &hooks, &e), 0);
	assert_recycling(false);
	zcfwd_recycle_offer(driver.port);
	assert_recycling(true);
	memcpy(driver.dev + l->reuse, &none, sizeof(none));
	memcpy(driver.dev + l->refill, &none, sizeof(none));
	driver.calls = 0;
	call_dev_start();
	assert_recycling(true);
	/* As drivers do when a port is reset, or by themselves. */
	ops_set(driver.ops);
	assert_int_equal(watch_port(driver.watch, driver.port, NULL, &e), 0);
	assert_recycling(true);
	ops_set(driver.ops);
	assert_int_equal(zcfwd_recycle_hook(driver.port, &hooks, &e), 0);
	assert_recycling(false);
	driver.watch->hooks = NULL;
}

/* What every driver has must be functions. */
TEST(no_functions)
{
	unsigned int refused = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct zcfwd_recycle_error e = { 0 };
		void *memory = malloc(64);

		function_set(i, memory);
		if (watch_port(driver.watch, driver.port, NULL, &e) != 0) {
			assert_int_equal(e.reason, ZCFWD_RECYCLE_LAYOUT);
			assert_ptr_equal(shim_pointer(driver.dev, driver.layout->ops), driver.ops);
			refused++;
		}
		free(memory);
		function_set(i, rows[i].function);
		ops_set(driver.ops);
	}
	/* dev_start, dev_stop, dev_close and both set-ups. */
	assert_int_equal(refused, 5);
}

TESTS(.setup = group_setup, .teardown = group_teardown, .before = begin, .after = finish);
