/* Reports to the thread sanitizer what it cannot see in DPDK: the order that EAL's launch and wait and
 * telemetry's registration make, that of its alarms, and the counters of a port. Preloaded into a program built with
 * -fsanitize=thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_alarm.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_telemetry.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of the sanitizer's runtime. */
void __tsan_acquire(void *at);
void __tsan_release(void *at);
void __tsan_write8(void *at);

static struct {
	lcore_function_t *function;
	void *arg;
} work[RTE_MAX_LCORE];

static int
run(void *arg)
{
	const unsigned int lcore = rte_lcore_id();
	int ret;

	(void)arg;
	__tsan_acquire(&work[lcore]);
	ret = work[lcore].function(work[lcore].arg);
	__tsan_release(&work[lcore]);
	return ret;
}

int
rte_eal_remote_launch(lcore_function_t *f, void *arg, unsigned int lcore)
{
	int (*own)(lcore_function_t *, void *, unsigned int);

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eal_remote_launch");
	if (rte_eal_get_lcore_state(lcore) == WAIT) {
		work[lcore].function = f;
		work[lcore].arg = arg;
	}
	__tsan_release(&work[lcore]);
	return own(run, NULL, lcore);
}

int
rte_eal_wait_lcore(unsigned int lcore)
{
	int (*own)(unsigned int), ret;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eal_wait_lcore");
	ret = own(lcore);
	__tsan_acquire(&work[lcore]);
	return ret;
}

void
rte_eal_mp_wait_lcore(void)
{
	unsigned int lcore;

	RTE_LCORE_FOREACH_WORKER(lcore)
		rte_eal_wait_lcore(lcore);
}

/* One entry per function and argument. Entries are not removed: a periodic alarm's function sets it again. */
enum { ALARMS = 256 };
static struct alarm {
	rte_eal_alarm_callback function;
	void *arg;
} alarms[ALARMS];
static pthread_mutex_t alarms_lock = PTHREAD_MUTEX_INITIALIZER;

static void
ring(void *alarm)
{
	const struct alarm *a = alarm;

	__tsan_acquire(alarm);
	a->function(a->arg);
}

static struct alarm *
alarm_of(rte_eal_alarm_callback function, void *arg)
{
	struct alarm *a = alarms;

	pthread_mutex_lock(&alarms_lock);
	while (a->function != NULL && (a->function != function || a->arg != arg))
		if (++a == alarms + ALARMS)
			abort();
	a->function = function;
	a->arg = arg;
	pthread_mutex_unlock(&alarms_lock);
	return a;
}

/* Released twice, since EAL frees what it allocates here after the alarm. */
int
rte_eal_alarm_set(uint64_t us, rte_eal_alarm_callback function, void *arg)
{
	struct alarm *a = alarm_of(function, arg);
	int (*own)(uint64_t, rte_eal_alarm_callback, void *), ret;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eal_alarm_set");
	__tsan_release(a);
	ret = own(us, ring, a);
	__tsan_release(a);
	return ret;
}

int
rte_eal_alarm_cancel(rte_eal_alarm_callback function, void *arg)
{
	int (*own)(rte_eal_alarm_callback, void *);

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eal_alarm_cancel");
	return own(ring, alarm_of(function, arg));
}

/* A program has one function for all its endpoints. */
static telemetry_cb answer;

static int
on_command(const char *command, const char *params, struct rte_tel_data *data)
{
	__tsan_acquire(&answer);
	return answer(command, params, data);
}

int
rte_telemetry_register_cmd(const char *command, telemetry_cb function, const char *help)
{
	int (*own)(const char *, telemetry_cb, const char *);
	const bool program = strncmp(command, "/zcfwd/", 7) == 0;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_telemetry_register_cmd");
	if (program) {
		answer = function;
		__tsan_release(&answer);
	}
	return own(command, program ? on_command : function, help);
}

/*
 * Drivers have no lock for a port's counters: each call adds up what the card counted since the last
 * one. A write for every call makes two threads in these calls a race.
 */
static uint64_t counters[RTE_MAX_ETHPORTS];

static void *
counted(uint16_t port, const char *function)
{
	if (port < RTE_MAX_ETHPORTS)
		__tsan_write8(&counters[port]);
	return dlsym(RTLD_NEXT, function);
}

int
rte_eth_stats_get(uint16_t port, struct rte_eth_stats *stats)
{
	int (*own)(uint16_t, struct rte_eth_stats *);

	*(void **)&own = counted(port, "rte_eth_stats_get");
	return own(port, stats);
}

int
rte_eth_stats_reset(uint16_t port)
{
	int (*own)(uint16_t);

	*(void **)&own = counted(port, "rte_eth_stats_reset");
	return own(port);
}

int
rte_eth_xstats_get(uint16_t port, struct rte_eth_xstat *xstats, unsigned int n)
{
	int (*own)(uint16_t, struct rte_eth_xstat *, unsigned int);

	*(void **)&own = counted(port, "rte_eth_xstats_get");
	return own(port, xstats, n);
}

int
rte_eth_xstats_reset(uint16_t port)
{
	int (*own)(uint16_t);

	*(void **)&own = counted(port, "rte_eth_xstats_reset");
	return own(port);
}
