/* dma placement auto by itself: its thread runs when the test says so, on queues, DMA devices and a clock
 * that the test has made. The linker puts the functions named __wrap_* in the place of those of the vhost
 * driver, dmadev and libc. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_auto.h"

#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "features/dma/dma_auto_priv.h"
#include "fixtures/out_check.h"
#include "fixtures/unit.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"
#include "port/dma_devices.h"
#include "port/port_feature.h"

#include <rte_dmadev.h>
#include <rte_log.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	PORT = 7,
	ENGINES = 2,
	CHANNELS = 2,
	PERIOD_MS = 100,
	COPIES_MS = 250, /* of each direction in a millisecond */
	LONG = 2048,     /* bytes of a copy that an engine makes at less cost than a CPU */
	SHORT = 64,
	CPU = -1,
	/* Periods after which an engine that completes nothing is given up. */
	STUCK = DMA_STUCK_TRIES * DMA_TRY_MS / PERIOD_MS
};

extern const struct cmd_table cmds_dma_auto;
extern const struct port_feature port_feature_placement;

static const struct port_feature *const features[] = { &port_feature_placement, NULL };

static const char *const names[ENGINES] = { "e0", "e1" };

static struct {
	struct app app;
	char topology[32];
	void *(*thread)(void *);
	void *arg;
	unsigned int periods_left;
	uint64_t ms;   /* the time */
	uint64_t seen; /* until when the counters of queues are */
	/* A queue of the port: what a guest makes of it. */
	unsigned int length; /* bytes of its copies */
	uint64_t in_flight;
	unsigned int slow, tries; /* a stuck engine completes a copy in so many attempts; 0: none */
	bool no_guests;           /* there are no queues */
	int thread_ret, take_ret, lost_ret; /* what is returned in place of others */
	bool idle; /* its channels have no copies to make: in_flight waits for a poll */
	struct guest_queue queue;
	struct world_engine {
		bool stuck, taken, lost;
		unsigned int takes;
	} engine[ENGINES];
	struct out_check out;
	FILE *log;
	char *logged;
	size_t logged_n;
} world;

static struct dma_auto *
placement(void)
{
	return *(struct dma_auto **)port_feature_shared(&world.app.ports, &port_feature_placement);
}

static struct guest_way *
ways(void)
{
	return world.queue.way;
}

static bool
is_stuck(const struct guest_way *w)
{
	return w->at.dma >= 0 && world.engine[w->at.dma].stuck && !world.engine[w->at.dma].lost;
}

static uint64_t
in_flight(const struct guest_way *w)
{
	return w->at.dma >= 0 ? world.in_flight : 0;
}

/* Count the guest's traffic since the last call. A stuck engine keeps its queues waiting. */
static void
count(void)
{
	const uint64_t copies = COPIES_MS * (world.ms - world.seen);

	world.seen = world.ms;
	for (int i = 0; i < GUEST_WAYS; i++) {
		struct guest_way *w = &ways()[i];

		w->in_flight = in_flight(w);
		if (is_stuck(w))
			continue;
		w->packets += copies;
		w->bytes += copies * world.length;
	}
}

/* In the place of others. */

int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_join(pthread_t, void **);
int __wrap_clock_gettime(clockid_t, struct timespec *);
int __wrap_pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
int16_t __wrap_rte_dma_next_dev(int16_t);
int __wrap_rte_dma_info_get(int16_t, struct rte_dma_info *);
const char *__wrap_dma_devices_name(int16_t);
bool __wrap_dma_devices_free(int16_t);
bool __wrap_dma_guests_read(struct guest_queues *);
bool __wrap_dma_guests_idle(struct dma_channel);
int __wrap_net_async_vhost_virtqueue(uint16_t, uint16_t, bool, struct net_async_vhost_virtqueue *);
int __wrap_net_async_vhost_move(uint16_t, uint16_t, bool, int16_t, uint16_t);
int __wrap_net_async_vhost_engine_take(int16_t);
void __wrap_net_async_vhost_engine_release(int16_t);
int __wrap_net_async_vhost_engine_lost(int16_t);
void __wrap_dma_speeds_measure(struct dma_topology *, double, struct out *, struct interrupt *);
void __wrap_dma_speeds_say(const struct dma_topology *, struct out *);

void
__wrap_dma_speeds_measure(struct dma_topology *t, double tsc_hz, struct out *out,
	struct interrupt *interrupt)
{
}

void
__wrap_dma_speeds_say(const struct dma_topology *t, struct out *out)
{
}

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
	void *arg)
{
	world.thread = run;
	world.arg = arg;
	return world.thread_ret;
}

int
__wrap_pthread_join(pthread_t thread, void **result)
{
	return 0;
}

int
__wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	*now = (struct timespec){ (time_t)(world.ms / 1000), (long)(world.ms % 1000) * 1000000 };
	return 0;
}

/* All waits of the thread are here; a wait of one period ends its turn when the test says so. */
int
__wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
	const struct timespec *until)
{
	const uint64_t end = (uint64_t)until->tv_sec * 1000 + (uint64_t)until->tv_nsec / 1000000;
	const bool whole = end - world.ms == PERIOD_MS;

	world.ms = end;
	if (whole && --world.periods_left == 0)
		placement()->stop = true;
	return ETIMEDOUT;
}

int16_t
__wrap_rte_dma_next_dev(int16_t from)
{
	return from < ENGINES ? from : -1;
}

int
__wrap_rte_dma_info_get(int16_t dma, struct rte_dma_info *info)
{
	*info = (struct rte_dma_info){ .dev_name = names[dma], .max_vchans = CHANNELS };
	return 0;
}

const char *
__wrap_dma_devices_name(int16_t dma)
{
	return names[dma];
}

bool
__wrap_dma_devices_free(int16_t dma)
{
	return true;
}

bool
__wrap_dma_guests_read(struct guest_queues *to)
{
	count();
	*to = (struct guest_queues){ .queue = malloc(sizeof(world.queue)),
		.n = !world.no_guests,
		.tsc = world.ms * 1000 };
	*to->queue = world.queue;
	return true;
}

bool
__wrap_dma_guests_idle(struct dma_channel c)
{
	return world.idle;
}

int
__wrap_net_async_vhost_virtqueue(uint16_t port, uint16_t queue, bool rx,
	struct net_async_vhost_virtqueue *to)
{
	memset(to, 0, sizeof(*to));
	to->stats.in_flight = in_flight(&ways()[rx ? GUEST_RX : GUEST_TX]);
	return 0;
}

int
__wrap_net_async_vhost_move(uint16_t port, uint16_t queue, bool rx, int16_t dma, uint16_t vchan)
{
	struct guest_way *w = &ways()[rx ? GUEST_RX : GUEST_TX],
			 *other = &ways()[rx ? GUEST_TX : GUEST_RX];

	assert_true(port == PORT && queue == 0);
	if (is_stuck(w) && in_flight(w) > 0) {
		world.in_flight -= world.slow > 0 && ++world.tries % world.slow == 0;
		return -EAGAIN;
	}
	assert_true(dma < 0 || world.engine[dma].taken);
	if (dma >= 0 && other->at.dma == dma && other->at.vchan == vchan)
		return -EBUSY;
	w->at = (struct dma_channel){ dma, vchan };
	w->lost = false;
	return 0;
}

int
__wrap_net_async_vhost_engine_take(int16_t dma)
{
	assert_false(world.engine[dma].taken);
	if (world.take_ret != 0)
		return world.take_ret;
	world.engine[dma].taken = true;
	world.engine[dma].takes++;
	return 0;
}

void
__wrap_net_async_vhost_engine_release(int16_t dma)
{
	assert_true(world.engine[dma].taken);
	for (int i = 0; i < GUEST_WAYS; i++)
		assert_true(ways()[i].at.dma != dma);
	world.engine[dma].taken = false;
}

int
__wrap_net_async_vhost_engine_lost(int16_t dma)
{
	assert_false(world.engine[dma].lost);
	if (world.lost_ret != 0)
		return world.lost_ret;
	world.engine[dma].lost = true;
	return 0;
}

/* The world of a test. */

/* Enter "dma placement auto" (0) or "dma placement off" (1). */
static void
enter(unsigned int row)
{
	struct err e;

	err_clear(&e);
	assert_int_equal(cmds_dma_auto.rows[row].run(&world.app, NULL, &e), 0);
}

/* Let the thread run for some periods. Each begins with traffic of a period, as the world is now. */
static void
periods(unsigned int n)
{
	world.periods_left = n;
	placement()->stop = false;
	world.thread(world.arg);
}

/* Both directions are copied by that engine, or by the CPU; engines run while they are used. */
static void
check_at(int rx, int tx)
{
	assert_int_equal(ways()[GUEST_RX].at.dma, rx);
	assert_int_equal(ways()[GUEST_TX].at.dma, tx);
	for (int i = 0; i < ENGINES; i++)
		assert_int_equal(world.engine[i].taken, rx == i || tx == i);
}

static unsigned int
said(const char *line)
{
	unsigned int n = 0;

	fflush(world.log);
	for (const char *at = world.logged; (at = strstr(at, line)) != NULL; at++)
		n++;
	return n;
}

/* A machine with n engines on one node, and lcores 3 and 5. */
static void
machine(unsigned int n)
{
	FILE *f = fopen(world.topology, "w");
	struct err e;

	assert_non_null(f);
	fprintf(f, "node 0\nlcores 3,5 node 0\nport %d node 0\n", PORT);
	for (unsigned int i = 0; i < n; i++)
		fprintf(f, "engine %s node 0 channels %d\n", names[i], CHANNELS);
	fclose(f);
	err_clear(&e);
	assert_int_equal(setting_parse(world.app.settings, "dma-topology", world.topology, &e), 0);
	assert_int_equal(setting_parse(world.app.settings, "dma-placement-period", "100", &e), 0);
}

static int
begin(void **state)
{
	memset(&world, 0, sizeof(world));
	strcpy(world.topology, "/tmp/dma_auto_XXXXXX");
	close(mkstemp(world.topology));
	pthread_mutex_init(&world.app.ports.reading, NULL);
	pthread_mutex_init(&world.app.run.lock, NULL);
	world.app.settings = settings_new();
	world.app.ports.tsc_hz = 1e6; /* a tick is a microsecond */
	world.length = LONG;
	world.ms = world.seen = 1000;
	world.queue = (struct guest_queue){ .port = PORT,
		.room = UINT16_MAX,
		.pool = { -1, -1 },
		.pool_to = -1 };
	for (int i = 0; i < GUEST_WAYS; i++)
		ways()[i] = (struct guest_way){ .engines = true,
			.load = { 0, 1 },
			.at = { CPU, 0 },
			.to = { CPU, 0 } };
	world.log = open_memstream(&world.logged, &world.logged_n);
	rte_openlog_stream(world.log);
	if (!out_check_open(&world.out))
		return -1;
	world.app.out = world.out.out;
	if (port_features_open(&world.app.ports, features, NULL) != 0)
		return -1;
	return settings_add(world.app.settings, &dma_topology_settings, NULL);
}

static int
end(void **state)
{
	if (placement() != NULL) {
		dma_guests_free(&placement()->before);
		free(placement());
	}
	port_features_close(&world.app.ports);
	rte_openlog_stream(NULL);
	fclose(world.log);
	free(world.logged);
	settings_free(world.app.settings);
	out_check_close(&world.out);
	unlink(world.topology);
	return 0;
}

/*
 * Another placement has to be cheaper in three periods in a row; then the CPU copies, and the engine
 * that no queue uses any more is stopped while the placement goes on.
 */
static void
three_periods(void **state)
{
	machine(1);
	check_at(CPU, CPU);
	enter(0);
	periods(1);
	check_at(0, 0);
	periods(10);
	check_at(0, 0);
	world.length = SHORT;
	periods(2);
	check_at(0, 0);
	/* A period in which the present placement is the cheaper one: the count begins anew. */
	world.length = LONG;
	periods(1);
	check_at(0, 0);
	world.length = SHORT;
	periods(2);
	check_at(0, 0);
	periods(1);
	check_at(CPU, CPU);
	assert_int_equal(said("port 7 queue 0 rx: the CPU\n"), 1);
	assert_int_equal(said("port 7 queue 0 tx: the CPU\n"), 1);
	/* The engine is started again when it is cheaper. */
	world.length = LONG;
	periods(2);
	check_at(CPU, CPU);
	periods(1);
	check_at(0, 0);
	assert_int_equal(world.engine[0].takes, 2);
	enter(1);
	check_at(CPU, CPU);
}

/* An engine that completes nothing is left after a second, and used again after the next command. */
static void
stuck(void **state)
{
	machine(1);
	enter(0);
	periods(1);
	/* As many copies in flight in each period are no fault while packets pass. */
	world.in_flight = 5;
	periods(2 * STUCK);
	check_at(0, 0);
	/* Nor are those that the engine has made, and that nobody polls. */
	world.engine[0].stuck = world.idle = true;
	periods(2 * STUCK);
	check_at(0, 0);
	/* Copies that it has to make, and does not. */
	world.idle = false;
	periods(STUCK - 1);
	check_at(0, 0);
	assert_int_equal(said("does not work"), 0);
	periods(1);
	check_at(CPU, CPU);
	assert_int_equal(
		said("port 7 queue 0 rx: DMA device e0 does not work: the CPU makes its copies of 5 packets and all later ones\n"),
		1);
	assert_int_equal(said("does not work"), 1);
	world.engine[0].stuck = world.engine[0].lost = false;
	world.in_flight = 0;
	periods(2 * STUCK);
	check_at(CPU, CPU);
	assert_int_equal(world.engine[0].takes, 1);
	/* Repaired, it is used again when the user says so. */
	enter(0);
	periods(1);
	check_at(0, 0);
	assert_int_equal(world.engine[0].takes, 2);
}

/* Commands that show the placement do not hold it up: the period goes on where it was. */
static void
shown(void **state)
{
	static struct dma_topology t;
	struct dma_queue *queue;
	struct dma_places p;
	unsigned int n;
	uint64_t before;

	machine(1);
	enter(0);
	periods(1);
	before = world.ms;
	placement()->due_ms = before + PERIOD_MS * 6 / 10;
	for (unsigned int i = 0; i < 3; i++) {
		assert_true(dma_auto_present(&world.app, &t, &queue, &n, &p));
		assert_int_equal(p.n, GUEST_WAYS);
		assert_int_equal(t.engine[p.place[GUEST_RX].engine].node, 0);
		free(queue);
		dma_place_free(&p);
	}
	periods(1);
	assert_int_equal(world.ms - before, PERIOD_MS * 16 / 10);
}

/* An engine that its driver cannot stop, or whose copies nobody can repeat, keeps its packets: one line. */
static void
lost(void **state)
{
	static const struct {
		int ret;
		const char *why;
	} cases[] = {
		{ -ENOTSUP, "it is not a dma_adaptive" },
		{ -EBUSY, "Device or resource busy" },
	};
	char line[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (i > 0) {
			end(state);
			begin(state);
		}
		machine(1);
		enter(0);
		periods(1);
		world.in_flight = 5;
		world.lost_ret = cases[i].ret;
		world.engine[0].stuck = true;
		periods(2 * STUCK);
		snprintf(line, sizeof(line),
			"port 7 queue 0 rx: DMA device e0 does not work: its copies of 5 packets are not completed: %s\n",
			cases[i].why);
		assert_int_equal(said(line), 1);
		check_at(0, 0); /* for ever */
		periods(2 * STUCK);
		assert_int_equal(said("does not work"), 1);
		/* The command ends, and the next one tries again. */
		enter(1);
		check_at(0, 0);
		assert_non_null(strstr(out_check_failures(&world.out),
			"port 7 queue 0 tx: e0 has 5 packets in flight: \"start\", then enter this command again\n"));
		world.engine[0].stuck = false;
		enter(1);
		check_at(CPU, CPU);
	}
}

/* An engine that is slow, but not broken, does not hold up a command for longer than ten seconds. */
static void
slow(void **state)
{
	uint64_t before;

	machine(1);
	enter(0);
	periods(1);
	world.in_flight = 100;
	world.slow = DMA_STUCK_TRIES / 2;
	world.engine[0].stuck = true;
	before = world.ms;
	enter(1);
	assert_in_range(world.ms - before, 1, 2 * GUEST_WAYS * DMA_TRIES * DMA_TRY_MS);
	check_at(0, 0);
	assert_int_equal(
		said("port 7 queue 0 rx: DMA device e0 is slow: it keeps 80 packets after 10 s\n"),
		1);
	assert_int_equal(said("does not work"), 0);
	/* In time it is released. */
	world.in_flight = 2;
	enter(1);
	check_at(CPU, CPU);
}

/* An engine that does not start, or is another device by now, is left: one line for each direction at most. */
static void
takes(void **state)
{
	machine(1);
	world.take_ret = -EIO;
	enter(0);
	periods(5);
	check_at(CPU, CPU);
	assert_int_equal(
		said("port 7 queue 0 rx: cannot start DMA device e0: Input/output error: the CPU copies\n"),
		1);
	assert_int_equal(said("cannot start"), 1);
	world.take_ret = 0;
	enter(0);
	periods(1);
	check_at(0, 0);
}

/* A planner that cannot is heard once: here an engine came on a node that the machine has not. */
static void
no_plan(void **state)
{
	machine(1);
	enter(0);
	periods(1);
	check_at(0, 0);
	placement()->base.engine[0].node = 9;
	periods(5);
	check_at(0, 0);
	assert_int_equal(said("dma placement: engine e0 is on node 9, which does not exist\n"), 1);
	placement()->base.engine[0].node = 0;
	world.length = SHORT;
	periods(DMA_PERIODS);
	check_at(CPU, CPU);
}

/* Commands that cannot are refused by one line. */
static void
refused(void **state)
{
	static const char *const thread =
		"dma placement: cannot create a thread: Resource temporarily unavailable";
	struct err e;

	machine(1);
	err_clear(&e);
	assert_int_equal(cmds_dma_auto.rows[1].run(&world.app, NULL, &e), -EALREADY);
	assert_string_equal(e.text, "dma placement was never on");
	world.no_guests = true;
	err_clear(&e);
	assert_int_equal(cmds_dma_auto.rows[0].run(&world.app, NULL, &e), -ENODEV);
	assert_string_equal(e.text,
		"no port with dmas=auto is configured: add one with --vdev net_async_vhost0,iface=SOCKET,dmas=auto");
	world.no_guests = false;
	world.thread_ret = EAGAIN;
	err_clear(&e);
	assert_int_equal(cmds_dma_auto.rows[0].run(&world.app, NULL, &e), -EAGAIN);
	assert_string_equal(e.text, thread);
	/* The next one works. */
	world.thread_ret = 0;
	enter(0);
	periods(1);
	check_at(0, 0);
}

/* Beside an engine that does not work another one is used; the first is not stopped twice. */
static void
another(void **state)
{
	machine(2);
	enter(0);
	periods(1);
	assert_true(ways()[GUEST_RX].at.dma >= 0 && ways()[GUEST_TX].at.dma >= 0);
	world.in_flight = 1;
	world.engine[0].stuck = true;
	periods(3 * STUCK);
	check_at(1, 1);
	assert_int_equal(said("DMA device e0 does not work"), 1);
}

/* An engine that was stopped as a guest left is no queue's again, until the user says so: one line. */
static void
stopped(void **state)
{
	machine(1);
	enter(0);
	periods(1);
	check_at(0, 0);
	assert_int_equal(said("did not complete its copies"), 0);
	ways()[GUEST_RX].lost = ways()[GUEST_TX].lost = true;
	periods(1);
	check_at(CPU, CPU);
	periods(10);
	check_at(CPU, CPU);
	assert_int_equal(world.engine[0].takes, 1);
	assert_int_equal(said("did not complete its copies"), 1);
	assert_int_equal(
		said("port 7 queue 0 rx: DMA device e0 did not complete its copies and was stopped: no queue gets it before \"dma placement auto\" is entered again\n"),
		1);
	enter(0);
	periods(1);
	check_at(0, 0);
	assert_int_equal(world.engine[0].takes, 2);
}

/* Beside an engine that was stopped another one is used. */
static void
stopped_beside(void **state)
{
	machine(2);
	enter(0);
	periods(1);
	for (int i = 0; i < GUEST_WAYS; i++)
		ways()[i].lost = ways()[i].at.dma == 0;
	periods(5);
	check_at(1, 1);
	assert_int_equal(world.engine[0].takes, 1);
}

#define IN_A_WORLD(test) cmocka_unit_test_setup_teardown(test, begin, end)

int
main(void)
{
	const struct CMUnitTest tests[] = { IN_A_WORLD(three_periods), IN_A_WORLD(stuck),
		IN_A_WORLD(shown), IN_A_WORLD(lost), IN_A_WORLD(slow), IN_A_WORLD(takes),
		IN_A_WORLD(no_plan), IN_A_WORLD(refused), IN_A_WORLD(another), IN_A_WORLD(stopped),
		IN_A_WORLD(stopped_beside) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
