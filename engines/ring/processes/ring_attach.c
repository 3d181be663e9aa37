/* Runs lcores of a secondary process as workers: each claims a free worker slot, works until the
 * primary stops, and then waits for the next run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/processes/ring_attach.h"

#include "base/err.h"
#include "base/out.h"
#include "engines/engine.h"
#include "engines/ring/processes/ring_worker_slot.h"
#include "engines/ring/ring_loop.h"
#include "engines/ring/ring_state.h"

#include <rte_alarm.h>
#include <rte_devargs.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_log.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_US = 500, WATCH_US = 20000 };

#define ORPHANED \
	"the primary process has ended; quit this process and start it again after the primary"

struct ring_attach {
	const struct ring_config *config;
	atomic_bool *stop;    /* tells the lcores to stop */
	atomic_bool orphaned; /* the primary has ended; written by the alarm thread */
};

/* Whether a device has a port; its address may be written in several ways. */
static bool
port_there(const char *device)
{
	struct rte_dev_iterator it;
	uint16_t id = RTE_MAX_ETHPORTS;

	if (rte_eth_dev_get_port_by_name(device, &id) == 0)
		return true;
	if (rte_eth_iterator_init(&it, device) == 0) {
		id = rte_eth_iterator_next(&it);
		rte_eth_iterator_cleanup(&it);
	}
	return id != RTE_MAX_ETHPORTS;
}

/*
 * Check that the primary has all given devices: EAL silently ignores those that it does not have.
 */
static int
ports_check(struct err *e)
{
	struct rte_devargs *one;

	RTE_EAL_DEVARGS_FOREACH(NULL, one)
	if (one->type != RTE_DEVTYPE_BLOCKED && !port_there(one->name))
		return err_set(e, ENODEV,
			"%s is not a port of the primary process; give the same devices, or none",
			one->name);
	return 0;
}

/*
 * Stop the lcores when the primary has ended: otherwise they would poll empty rings, or wait
 * forever for room in a full one.
 */
static void
watch(void *arg)
{
	struct ring_attach *a = arg;

	if (!ring_worker_slot_orphaned(a->config)) {
		rte_eal_alarm_set(WATCH_US, watch, a);
		return;
	}
	atomic_store(&a->orphaned, true);
	atomic_store(a->stop, true);
	ring_worker_slot_abandon(a->config->shared);
	rte_log(RTE_LOG_ERR, RTE_LOGTYPE_USER1, "zcfwd: " ORPHANED "\n");
}

int
ring_attach_open(void *config, const struct engine_env *env, struct err *e)
{
	struct ring_config *c = config;
	struct ring_attach *a;
	int ret;

	c->routes = env->routes;
	if (rte_eal_process_type() != RTE_PROC_SECONDARY) {
		ring_worker_slot_offer(c, env->version);
		return 0;
	}
	a = c->attach = calloc(1, sizeof(*a));
	if (a == NULL)
		return err_set(e, ENOMEM, "no memory to monitor the primary process");
	a->stop = env->stop;
	a->config = c;
	if (ring_worker_slot_find(c, env->version, e) != 0 || ports_check(e) != 0)
		return -e->code;
	ret = rte_eal_alarm_set(WATCH_US, watch, a);
	return ret == 0 ? 0
			: err_set(e, -ret, "cannot set an alarm to monitor the primary process: %s",
				  strerror(-ret));
}

void
ring_attach_close(void *config)
{
	struct ring_config *c = config;

	if (c->attach != NULL)
		rte_eal_alarm_cancel(watch, c->attach);
	free(c->attach);
	c->attach = NULL;
	ring_process_leave(&c->process);
}

/*
 * Refuse more lcores than there are worker slots; fewer free slots are allowed, because lcores wait
 * for one. Store in *vacant the number of free slots.
 */
static int
slots_check(const struct ring_config *c, unsigned int n, unsigned int *vacant, struct err *e)
{
	unsigned int all;

	*vacant = ring_worker_slot_vacant(c, &all);
	if (all > 0 && n > all)
		return err_set(e, E2BIG,
			"%u lcores as workers: expected at most %u, the primary's \"set pipeline processes\"",
			n, all);
	if (all == 0)
		*vacant = n;
	return 0;
}

static int
lcore_lend(void *arg)
{
	const struct ring_attach *a = arg;

	while (!atomic_load_explicit(a->stop, memory_order_relaxed)) {
		struct ring_worker *w = ring_worker_slot_claim(a->config);

		if (w != NULL)
			ring_loop_remote(w, a->stop);
		else
			rte_delay_us_sleep(WAIT_US);
	}
	return 0;
}

static int
lcores_launch(struct ring_attach *a, const unsigned int *lcores, unsigned int n, struct err *e)
{
	atomic_store(a->stop, false);
	/* If the primary has ended meanwhile, the alarm thread has already set stop. */
	if (atomic_load(&a->orphaned))
		return err_set(e, ESRCH, ORPHANED);
	for (unsigned int i = 0; i < n; i++) {
		if (rte_eal_remote_launch(lcore_lend, a, lcores[i]) == 0)
			continue;
		atomic_store(a->stop, true);
		rte_eal_mp_wait_lcore();
		return err_set(e, EBUSY, "lcore %u is busy", lcores[i]);
	}
	return 0;
}

int
ring_attach_lend(void *config, const unsigned int *lcores, unsigned int n, struct out *out,
	struct err *e)
{
	const struct ring_config *c = config;
	unsigned int vacant;

	if (atomic_load(&c->attach->orphaned))
		return err_set(e, ESRCH, ORPHANED);
	if (n == 0)
		return err_set(e, EINVAL,
			"no forwarding lcore: the main lcore never forwards, so EAL needs at least two (-l 0-1; on one CPU --lcores 0@0,1@0)");
	if (slots_check(c, n, &vacant, e) != 0 || lcores_launch(c->attach, lcores, n, e) != 0)
		return -e->code;
	out_u64(out, "workers",
		"%" PRIu64 " lcores are workers of the primary process's pipeline\n", n);
	if (vacant < n)
		out_u64(out, "waiting", "%" PRIu64 " of them wait for a free worker slot\n",
			n - vacant);
	return 0;
}
