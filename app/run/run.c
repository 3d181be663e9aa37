/* The configuration of the next run: engine, ports and lcores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "port/port.h"
#include "port/port_setup.h"

#include <rte_cycles.h>
#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void
run_lcores_default(struct run *r)
{
	unsigned int lcore;

	r->choice.n_lcores = 0;
	RTE_LCORE_FOREACH_WORKER(lcore)
		r->choice.lcores[r->choice.n_lcores++] = lcore;
	r->choice.use_lcores = r->choice.n_lcores > 0 ? 1 : 0;
}

void
run_init(struct run *r)
{
	r->engine = r->engines[0];
	r->choice.topology = PLAN_PAIRED;
	run_lcores_default(r);
	run_ports_changed(r);
}

/* Remove mirrors from and to ports that no longer exist. */
static void
mirrors_forget(struct run *r)
{
	for (uint16_t i = 0; i < RTE_MAX_ETHPORTS; i++)
		if (port_at(r->ports, i) == NULL ||
			port_at(r->ports, r->mirror.target[i].to) == NULL)
			r->mirror.target[i].on = false;
}

/* The bonding port polls the queues of its members. */
static bool
is_for_itself(const struct port *p)
{
	return p != NULL && !p->member;
}

void
run_ports_changed(struct run *r)
{
	struct plan_choice *c = &r->choice;
	bool all = c->use_ports == c->n_ports;
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n, kept = 0;

	for (i = 0; i < c->n_ports; i++)
		if (is_for_itself(port_at(r->ports, c->ports[i])))
			c->ports[kept++] = c->ports[i];
	n = port_ids(r->ports, ids);
	for (i = 0; i < n; i++)
		if (!r->known[ids[i]] && is_for_itself(port_at(r->ports, ids[i])))
			c->ports[kept++] = ids[i];
	memset(r->known, 0, sizeof(r->known));
	for (i = 0; i < n; i++)
		r->known[ids[i]] = is_for_itself(port_at(r->ports, ids[i]));
	c->n_ports = kept;
	mirrors_forget(r);
	if (all || c->use_ports > kept)
		c->use_ports = kept;
}

void
run_odd_warn(struct run *r)
{
	if (r->odd_warned || r->choice.topology != PLAN_PAIRED || r->choice.use_ports % 2 == 0)
		return;
	r->odd_warned = true;
	out_warn(r->out,
		"\nWarning! port-topology=paired and odd forward ports number, the last port will pair with "
		"itself.\n\n");
}

const struct engine *
run_engine(const struct run *r, const char *name)
{
	unsigned int i;

	for (i = 0; r->engines[i] != NULL; i++)
		if (strcmp(r->engines[i]->name, name) == 0)
			return r->engines[i];
	return NULL;
}

void
run_engine_choose(struct run *r, const struct engine *engine, bool retry)
{
	pthread_mutex_lock(&r->lock);
	r->engine = engine;
	r->retry = retry;
	pthread_mutex_unlock(&r->lock);
}

struct pool_need
run_pool_need(const struct run *r)
{
	return (struct pool_need){ .ports = r->choice.n_ports,
		.lcores = r->choice.n_lcores,
		.descriptors = port_descriptors(r->ports) };
}
