/* A secondary's lcores wait for a place as worker, work, and wait for the next when the primary has stopped. */
#include "run_attach.h"

#include "err.h"
#include "out.h"
#include "ring_loop.h"
#include "ring_seat.h"
#include "run.h"

#include <rte_devargs.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>

enum { WAIT_US = 500 };

/* EAL goes on without a device that the primary has not. */
static int
ports_check(struct err *e)
{
	struct rte_devargs *one;
	uint16_t id;

	RTE_EAL_DEVARGS_FOREACH("vdev", one)
	if (rte_eth_dev_get_port_by_name(one->name, &id) != 0)
		return err_set(e, ENODEV,
			"%s is no port of the primary process: want the same devices, or none",
			one->name);
	return 0;
}

int
run_attach_open(struct run *r, const char *version, struct err *e)
{
	struct run_attach *a = &r->attach;

	a->secondary = rte_eal_process_type() == RTE_PROC_SECONDARY;
	if (!a->secondary) {
		a->shared = ring_seat_offer(version);
		return 0;
	}
	a->shared = ring_seat_find(version, e);
	return a->shared != NULL ? ports_check(e) : -e->code;
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
	if (r->running)
		return err_set(e, EALREADY, "Packet forwarding already started");
	if (r->choice.use_lcores == 0)
		return err_set(e, EINVAL,
			"no forwarding lcore: the main lcore never forwards, so EAL needs at least two (-l 0-1)");
	atomic_store(&r->stop, false);
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
	r->running = true;
	out_u64(r->out, "workers",
		"%" PRIu64 " lcores work for the pipeline of the primary process\n",
		r->choice.use_lcores);
	return 0;
}

void
run_attach_stopped(struct run *r)
{
	r->running = false;
	out_text(r->out, "\nDone.\n");
}

const struct ring_pipeline *
run_attach_pipeline(const struct run *r)
{
	if (r->attach.secondary)
		return atomic_load(&r->attach.shared->pipeline);
	return r->streams != NULL && r->plan.n_routes > 0 ? r->streams[0]->pipeline : NULL;
}
