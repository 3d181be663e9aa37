/* A secondary's lcores wait for a place as worker, work, and wait for the next when the primary has
 * stopped. */
#include "run/run_attach.h"

#include "base/err.h"
#include "base/out.h"
#include "engines/ring/ring_loop.h"
#include "engines/ring/ring_seat.h"
#include "engines/ring/ring_setup.h"
#include "run/run.h"

#include <rte_alarm.h>
#include <rte_devargs.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_log.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_US = 500, WATCH_US = 20000 };

#define ORPHANED \
	"the primary process has ended: want this one to quit, and a new one beside the next primary"

/* Whether there is a port of a device, whose address may be given in several ways. */
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

/* EAL goes on without a device that the primary has not. */
static int
ports_check(struct err *e)
{
	struct rte_devargs *one;

	RTE_EAL_DEVARGS_FOREACH(NULL, one)
	if (one->type != RTE_DEVTYPE_BLOCKED && !port_there(one->name))
		return err_set(e, ENODEV,
			"%s is no port of the primary process: want the same devices, or none",
			one->name);
	return 0;
}

/*
 * Lcores find nothing to do in rings that nobody fills, and might wait for one that nobody empties.
 */
static void
watch(void *arg)
{
	struct run *r = arg;

	if (!ring_seat_orphaned(r->attach.shared, &r->attach.primary_fd)) {
		rte_eal_alarm_set(WATCH_US, watch, r);
		return;
	}
	atomic_store(&r->attach.orphaned, true);
	atomic_store(&r->stop, true);
	ring_seat_abandon(r->attach.shared);
	rte_log(RTE_LOG_ERR, RTE_LOGTYPE_USER1, "zcfwd: " ORPHANED "\n");
}

int
run_attach_open(struct run *r, const char *version, struct err *e)
{
	struct run_attach *a = &r->attach;
	int ret;

	a->primary_fd = -1;

	a->secondary = rte_eal_process_type() == RTE_PROC_SECONDARY;
	if (!a->secondary) {
		a->shared = ring_seat_offer(version);
		return 0;
	}
	a->shared = ring_seat_find(version, e);
	if (a->shared == NULL || ports_check(e) != 0)
		return -e->code;
	ret = rte_eal_alarm_set(WATCH_US, watch, r);
	return ret == 0 ? 0
			: err_set(e, -ret, "no alarm to look after the primary process: %s",
				  strerror(-ret));
}

void
run_attach_close(struct run *r)
{
	if (!r->attach.secondary)
		return;
	rte_eal_alarm_cancel(watch, r);
	if (r->attach.primary_fd >= 0)
		close(r->attach.primary_fd);
	r->attach.primary_fd = -1;
}

/*
 * Lcores that no place will ever come free for are a mistake, others are spare. vacant: how many
 * places are free now.
 */
static int
places_check(struct run *r, unsigned int *vacant, struct err *e)
{
	unsigned int all, n = r->choice.use_lcores;

	*vacant = ring_seat_vacant(r->attach.shared, &all);
	if (all > 0 && n > all)
		return err_set(e, E2BIG,
			"%u lcores as workers: want at most %u, the primary's set pipeline processes",
			n, all);
	if (all == 0)
		*vacant = n;
	return 0;
}

static int
lend(void *arg)
{
	struct run_attach_lcore *l = arg;

	while (!atomic_load_explicit(l->stop, memory_order_relaxed)) {
		struct ring_worker *w = ring_seat_claim(l->shared);

		atomic_store(&l->seat, w);
		if (w != NULL)
			ring_loop_remote(w, l->stop);
		else
			rte_delay_us_sleep(WAIT_US);
		atomic_store(&l->seat, NULL);
	}
	return 0;
}

int
run_attach_start(struct run *r, struct err *e)
{
	unsigned int vacant;

	if (atomic_load(&r->attach.orphaned))
		return err_set(e, ESRCH, ORPHANED);
	if (atomic_load(&r->attach.lending))
		return err_set(e, EALREADY, "Packet forwarding already started");
	if (r->choice.use_lcores == 0)
		return err_set(e, EINVAL,
			"no forwarding lcore: the main lcore never forwards, so EAL needs at least two (-l 0-1)");
	if (places_check(r, &vacant, e) != 0)
		return -e->code;
	atomic_store(&r->stop, false);
	/* It may have ended since: then the alarm thread has said stop already. */
	if (atomic_load(&r->attach.orphaned))
		return err_set(e, ESRCH, ORPHANED);
	for (unsigned int i = 0; i < r->choice.use_lcores; i++) {
		struct run_attach_lcore *l = &r->attach.lcore[i];

		l->shared = r->attach.shared;
		l->stop = &r->stop;
		if (rte_eal_remote_launch(lend, l, r->choice.lcores[i]) != 0) {
			atomic_store(&r->stop, true);
			rte_eal_mp_wait_lcore();
			return err_set(e, EBUSY, "lcore %u still runs something else",
				r->choice.lcores[i]);
		}
	}
	atomic_store(&r->attach.lending, true);
	out_u64(r->out, "workers",
		"%" PRIu64 " lcores work for the pipeline of the primary process\n",
		r->choice.use_lcores);
	if (vacant < r->choice.use_lcores)
		out_u64(r->out, "waiting",
			"%" PRIu64 " of them until a place is free: others have the places\n",
			r->choice.use_lcores - vacant);
	return 0;
}

void
run_attach_stopped(struct run *r)
{
	atomic_store(&r->attach.lending, false);
}

const struct ring_pipeline *
run_attach_pipeline(const struct run *r)
{
	if (r->attach.secondary)
		return atomic_load(&r->attach.shared->pipeline);
	return r->streams != NULL && r->plan.n_routes > 0 ? ring_setup_of(r->streams[0]) : NULL;
}
