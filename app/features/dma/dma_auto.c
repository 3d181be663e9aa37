/* dma placement auto: a thread measures the load of the vhost queues with dmas=auto, and moves them
 * between DMA channels and the CPU while they are in use. At a start their streams get lcores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "features/dma/dma_auto_priv.h"
#include "features/dma/dma_place.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"
#include "port/port_feature.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	PERCENT = 10, /* by which a new placement has to be cheaper */
	PERIODS = 3   /* consecutive periods in which it has to be cheaper */
};

/* Compare the cheapest placement with the present one, and move queues. */
static void
plan(struct dma_auto *a, struct guest_queues *qs, const struct dma_queue *queue)
{
	struct dma_places now = dma_plan_present(a, qs, queue), best;
	struct err e;
	double cost;
	bool adopt;

	if (now.place == NULL)
		return;
	err_clear(&e);
	if (dma_place_all(&best, &a->now, queue, qs->n, &now, &e) == 0) {
		cost = dma_place_cost(&a->now, queue, &now);
		adopt = a->before.queue == NULL || dma_cost_adopt(&a->patience, cost, best.cost);
		dma_plan_choose(a, qs, queue, adopt ? &best : NULL);
		dma_move_all(a, qs);
		dma_place_free(&best);
	} else if (strcmp(e.text, a->why) != 0) {
		report(ERR, "%s", e.text);
		snprintf(a->why, sizeof(a->why), "%s", e.text);
	}
	dma_place_free(&now);
}

static void
period(struct dma_auto *a)
{
	struct dma_queue *queue;
	struct guest_queues qs;
	bool there;

	pthread_mutex_lock(&a->ports->reading);
	there = dma_guests_read(&qs);
	dma_plan_topology(a, &qs);
	pthread_mutex_unlock(&a->ports->reading);
	queue = there && qs.n > 0 ? dma_plan_loads(a, &qs) : NULL;
	if (queue != NULL) {
		dma_plan_watch(a, &qs);
		plan(a, &qs, queue);
	}
	free(queue);
	dma_guests_free(&a->before);
	a->before = qs;
}

static void *
place(void *arg)
{
	struct dma_auto *a = arg;

	do
		period(a);
	while (dma_move_wait(a, a->period_ms));
	return NULL;
}

static void
halt(struct dma_auto *a)
{
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->wake);
	pthread_mutex_unlock(&a->lock);
	if (a->on)
		pthread_join(a->thread, NULL);
	a->stop = a->on = false;
}

static int
go(struct dma_auto *a, struct err *e)
{
	const int ret = pthread_create(&a->thread, NULL, place, a);

	a->on = ret == 0;
	return ret == 0
		? 0
		: err_set(e, ret, "dma placement: cannot create a thread: %s", strerror(ret));
}

/* End the thread; then the CPU copies for all queues, except those with copies in flight. */
static void
off(struct dma_auto *a)
{
	struct guest_queues qs;

	halt(a);
	pthread_mutex_lock(&a->ports->reading);
	if (!dma_guests_read(&qs))
		qs.n = 0;
	pthread_mutex_unlock(&a->ports->reading);
	dma_move_all(a, &qs);
	dma_guests_free(&qs);
	dma_guests_free(&a->before);
}

extern const struct port_feature port_feature_placement;

static struct dma_auto **
placement_of(const struct ports *ps)
{
	return port_feature_shared(ps, &port_feature_placement);
}

static void
end(struct ports *ps)
{
	struct dma_auto *a = *placement_of(ps);
	uint16_t port;

	if (a == NULL)
		return;
	off(a);
	/* Received packets that no lcore took kept some engines in use; stopped ports drop them. */
	RTE_ETH_FOREACH_DEV(port)
		if (net_async_vhost_is(port))
			rte_eth_dev_stop(port);
	off(a);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->wake);
	free(a);
	*placement_of(ps) = NULL;
}

const struct port_feature port_feature_placement = {
	.name = "placement",
	.shared_size = sizeof(struct dma_auto *),
	.end = end,
	.dma_queues = dma_guests_add,
};

/* Choose the lcores of a run's streams by topology and by the loads of the last run. */
static int
assign(void *context, const struct plan_choice *c, struct plan *plan, struct err *e)
{
	struct dma_auto *a = context;
	struct dma_topology *t = &a->now;
	struct dma_queue *queue = NULL;
	bool measured = false;
	struct guest_queues qs;
	unsigned int *lcore;

	if (!a->on)
		return 0;
	halt(a); /* its state is used here */
	lcore = calloc(plan->n_streams, sizeof(*lcore));
	pthread_mutex_lock(&a->ports->reading);
	if (dma_guests_read(&qs) && qs.n > 0) {
		dma_plan_topology(a, &qs);
		queue = dma_plan_queues(a, &qs);
	}
	pthread_mutex_unlock(&a->ports->reading);
	t->n_lcores = 0;
	for (unsigned int i = 0; i < c->use_lcores; i++)
		for (unsigned int k = 0; k < a->base.n_lcores; k++)
			if (a->base.lcore[k].id == c->lcores[i])
				t->lcore[t->n_lcores++] = a->base.lcore[k];
	for (unsigned int i = 0; queue != NULL && i < GUEST_WAYS * qs.n; i++) {
		const struct guest_queue *before = dma_plan_before(a, &qs.queue[i / GUEST_WAYS]);

		queue[i / GUEST_WAYS].load[i % GUEST_WAYS] = before != NULL
			? before->way[i % GUEST_WAYS].load
			: (struct dma_load){ 0, 1 };
		measured = measured || queue[i / GUEST_WAYS].load[i % GUEST_WAYS].bytes > 0;
	}
	for (unsigned int i = 0; !measured && queue != NULL && i < GUEST_WAYS * qs.n; i++)
		queue[i / GUEST_WAYS].load[i % GUEST_WAYS] = dma_plan_assumed;
	if (queue != NULL && t->n_lcores == 0)
		err_set(e, EINVAL, "the topology has no forwarding lcore");
	else if (queue != NULL && lcore != NULL &&
		dma_streams_place(lcore, plan, t, queue, qs.n, e) == 0)
		plan_assign(plan, lcore, e);
	if (e->code != 0)
		report(ERR, "%s: streams are divided evenly among the lcores", e->text);
	err_clear(e);
	free(queue);
	dma_guests_free(&qs);
	free(lcore);
	return go(a, e);
}

/* The state of the program's placement, created if needed. NULL: no memory. */
static struct dma_auto *
state_of(struct app *app)
{
	struct dma_auto *a = *placement_of(&app->ports);
	pthread_condattr_t monotonic;

	if (a != NULL)
		return a;
	a = calloc(1, sizeof(*a));
	if (a == NULL)
		return NULL;
	a->ports = &app->ports;
	a->run = &app->run;
	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&a->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	*placement_of(&app->ports) = a;
	app->run.assign = assign;
	app->run.assign_context = a;
	return a;
}

/* Errors: ENODEV no port has dmas=auto; those of the topology; ENOMEM. Thread: control. */
static int
placement_auto(struct app *app, const struct args *args, struct err *e)
{
	struct dma_auto *a = state_of(app);
	struct guest_queues qs;
	unsigned int n;

	if (a == NULL)
		return err_set(e, ENOMEM, "no memory for a placement");
	pthread_mutex_lock(&app->ports.reading);
	n = dma_guests_read(&qs) ? qs.n : 0;
	pthread_mutex_unlock(&app->ports.reading);
	dma_guests_free(&qs);
	if (n == 0)
		return err_set(e, ENODEV,
			"no port with dmas=auto is configured: add one with --vdev net_async_vhost0,iface=SOCKET,dmas=auto");
	if (a->on)
		off(a);
	if (dma_topology_read(&a->base, app->settings, e) != 0)
		return -e->code;
	a->file = strcmp(setting_text(app->settings, "dma-topology"), DMA_TOPOLOGY_HERE) != 0;
	a->period_ms = (unsigned int)setting_u64(app->settings, "dma-placement-period");
	a->patience = (struct dma_patience){ PERCENT, PERIODS, 0 };
	a->why[0] = '\0';
	for (unsigned int i = 0; i < a->n_engines; i++)
		a->engine[i].broken = false;
	return go(a, e);
}

static int
placement_off(struct app *app, const struct args *args, struct err *e)
{
	struct dma_auto *a = *placement_of(&app->ports);
	struct guest_queues qs;

	if (a == NULL)
		return err_set(e, EALREADY, "dma placement was never on");
	off(a);
	pthread_mutex_lock(&a->ports->reading);
	if (!dma_guests_read(&qs))
		qs.n = 0;
	pthread_mutex_unlock(&a->ports->reading);
	for (unsigned int i = 0; i < GUEST_WAYS * qs.n; i++) {
		const struct guest_queue *q = &qs.queue[i / GUEST_WAYS];
		const struct guest_way *w = &q->way[i % GUEST_WAYS];

		if (w->at.dma >= 0)
			out_warn(app->out,
				GUEST_WAY
				": %s has %" PRIu64
				" packets in flight: \"start\", then enter this command again\n",
				GUEST_WAY_OF(q, i % GUEST_WAYS), dma_move_channel_name(w->at),
				w->in_flight);
	}
	dma_guests_free(&qs);
	return 0;
}

static const struct cmd_row rows[] = {
	{ "dma placement auto", placement_auto,
		"assign DMA channels to the queues of ports with dmas=auto by topology and load, again when the load changes",
		NULL },
	{ "dma placement off", placement_off,
		"release the DMA channels of queues of ports with dmas=auto; the CPU copies",
		NULL },
};

const struct cmd_table cmds_dma_auto = { "dma_auto", "DMA engines assigned to vhost ports", rows,
	ARRAY_SIZE(rows), CMD_DMA };
