/* Lcores of a plan, each with its part of the streams and its loop. */
#include "run_launch.h"

#include "err.h"
#include "run.h"

#include <rte_launch.h>
#include <rte_lcore.h>

#include <errno.h>

static int
worker(void *arg)
{
	const struct run_work *w = arg;

	w->loop(w->streams, w->n, w->stop);
	return 0;
}

/* One lcore that nothing ran on; r->stop ends it. */
static int
launch_one(struct run *r, struct run_work *work, unsigned int lcore, struct err *e)
{
	int ret = rte_eal_remote_launch(worker, work, lcore);

	if (ret == 0)
		return 0;
	atomic_store(&r->stop, true);
	rte_eal_mp_wait_lcore();
	return err_set(e, -ret, "launch lcore %u failed - diag=%d", lcore, ret);
}

int
run_launch(struct run *r, const struct plan *plan, struct stream *const *streams,
	struct run_work *work, struct err *e)
{
	const struct engine *engine = streams[0]->engine;
	unsigned int i, lcore;
	int ret = 0;

	/* Lcores that wait for each other cannot be told to stop while some of them were never launched. */
	RTE_LCORE_FOREACH_WORKER(lcore)
		if (rte_eal_get_lcore_state(lcore) != WAIT)
			return err_set(e, EBUSY, "lcore %u still runs something else", lcore);
	for (i = 0; i < plan->n_lcores && ret == 0; i++) {
		const struct plan_lcore *l = &plan->lcores[i];

		*work = (struct run_work){ engine->loop, streams + l->first, l->n, &r->stop };
		ret = launch_one(r, work++, l->lcore, e);
	}
	for (i = 0; i < plan->n_helpers && engine->team != NULL && ret == 0; i++) {
		if (plan_deals(plan, plan->helpers[i]))
			continue;
		*work = (struct run_work){ engine->team->help, streams, plan->n_routes, &r->stop };
		ret = launch_one(r, work++, plan->helpers[i], e);
	}
	return ret;
}
