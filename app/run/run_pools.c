/* Recreate the packet pools when a setting changes them, while all ports are stopped. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_pools.h"

#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "memory/pool.h"
#include "port/port.h"
#include "run/run.h"
#include "run/run_start.h"

#include <errno.h>
#include <pthread.h>

/* Receive queues refer to their pool, so they must be set up again at the next start. */
static void
queues_forget(struct ports *ps)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(ps, ids);

	for (unsigned int i = 0; i < n; i++)
		port_at(ps, ids[i])->queues_configured = false;
}

static int
renew(void *run, struct err *e)
{
	struct run *r = run;
	const struct pool_need need = run_pool_need(r);
	int ret;

	if (r->pools->config.n_sizes == 0)
		return 0; /* set by an option, before the pools are created */
	if (run_busy(r) || !port_all_stopped(r->ports))
		return err_set(e, EBUSY, "Please stop all ports first");
	run_close(r); /* streams of the last run refer to their pool */
	pthread_mutex_lock(&r->lock);
	ret = pool_renew_all(r->pools, r->settings, &need, r->out, e);
	pthread_mutex_unlock(&r->lock);
	queues_forget(r->ports);
	return ret;
}

void
run_pools_apply(struct run *r)
{
	static const char *const names[] = { "mbuf-pool-ops", "mbcache", "mbuf-size" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		setting_apply_by(r->settings, names[i], renew, r);
}
