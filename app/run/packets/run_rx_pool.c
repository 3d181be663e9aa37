/* Switch the receive queues of all ports to a pool that the engine chooses, and back, by setting
 * them up again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/packets/run_rx_pool.h"

#include "base/err.h"
#include "base/out.h"
#include "engines/engine.h"
#include "memory/extmem_pin.h"
#include "memory/pool.h"
#include "port/port.h"
#include "port/port_life.h"
#include "port/port_queue.h"
#include "run/run.h"
#include "run/run_engines.h"

#include <pthread.h>

/* Get the pool that the next run's engine chooses for all ports; *pool NULL: the usual pools. */
static int
pool_wanted_by_engine(const struct run *r, struct rte_mempool **pool, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	const struct pool_need need = run_pool_need(r);
	const struct engine_ports ports = { .ids = ids,
		.n = port_ids(r->ports, ids),
		.need = &need,
		.usual = pool_for(r->pools, SOCKET_ID_ANY, 0),
		.instead = r->ports->rx_pool };

	*pool = NULL;
	if (r->engine->prepare == NULL)
		return 0;
	return r->engine->prepare(run_engines_config(r, r->engine), &ports, pool, e);
}

/*
 * Set up all receive queues again. Ports of were_started are restarted, also those that a failed
 * first attempt left stopped.
 */
static int
queues_renew(struct ports *ps, const bool *were_started, struct err *e)
{
	struct port_queue_states states[RTE_MAX_ETHPORTS];
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int n = port_ids(ps, ids);
	struct err other; /* discards further failures: the first one is reported */
	int ret = 0;

	err_clear(&other);
	for (unsigned int i = 0; i < n; i++)
		port_queue_states_read(port_at(ps, ids[i]), &states[i]);
	for (unsigned int i = 0; i < n && ret == 0; i++)
		if (port_at(ps, ids[i])->state == PORT_STARTED)
			ret = port_stop(ps, ids[i], e);
	for (unsigned int i = 0; i < n; i++) {
		struct err *first = ret == 0 ? e : &other;
		struct port *p = port_at(ps, ids[i]);

		p->queues_configured = false;
		if (were_started[ids[i]] && p->state == PORT_STOPPED &&
			(port_start(ps, ids[i], first) != 0 ||
				port_queue_states_apply(p, &states[i], first) != 0))
			ret = ret != 0 ? ret : -EIO;
	}
	return ret;
}

/* The pool may be freed with its memory region: remove it from the statistics of the last run. */
static void
stats_forget(struct run *r, const struct rte_mempool *pool)
{
	pthread_mutex_lock(&r->lock);
	for (unsigned int i = 0; r->streams != NULL && i < r->plan.n_streams; i++)
		if (r->streams[i]->rx_pool == pool)
			r->streams[i]->rx_pool = NULL;
	pthread_mutex_unlock(&r->lock);
}

int
run_rx_pool_prepare(struct run *r, struct err *e)
{
	struct rte_mempool *before = r->ports->rx_pool, *pool;
	bool were_started[RTE_MAX_ETHPORTS] = { false };
	struct err again;
	int ret = pool_wanted_by_engine(r, &pool, e);

	if (ret != 0 || pool == before)
		return ret;
	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++)
		were_started[i] = r->ports->port[i].state == PORT_STARTED;
	r->ports->rx_pool = pool;
	ret = queues_renew(r->ports, were_started, e);
	if (ret != 0) {
		err_clear(&again);
		r->ports->rx_pool = before;
		queues_renew(r->ports, were_started, &again);
	} else if (before != NULL) {
		stats_forget(r, before);
	}
	extmem_pin_received(r->extmems, r->ports->rx_pool);
	return ret;
}

/* Let stopped ports use the usual pools again. Returns false if they already did. */
static bool
abandon(struct run *r)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int n = port_ids(r->ports, ids);
	const struct rte_mempool *before = r->ports->rx_pool;

	if (before == NULL)
		return false;
	r->ports->rx_pool = NULL;
	stats_forget(r, before);
	for (unsigned int i = 0; i < n; i++)
		if (port_at(r->ports, ids[i])->state != PORT_STARTED)
			port_at(r->ports, ids[i])->queues_configured = false;
	extmem_pin_received(r->extmems, NULL);
	return true;
}

int
run_rx_pool_begin(struct run *r, bool forgiving, struct err *e)
{
	int ret = run_rx_pool_prepare(r, e), prepared = ret;

	if (ret == 0)
		ret = port_begin(r->ports, e);
	if (ret == 0 || !forgiving || (!abandon(r) && prepared == 0))
		return ret;
	out_warn(r->out, "%s\nPorts receive into their usual pools\n", e->text);
	err_clear(e);
	return port_begin(r->ports, e);
}
