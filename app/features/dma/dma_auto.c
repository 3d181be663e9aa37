/* dma placement auto: a thread measures the load of the vhost queues with dmas=auto, and moves them
 * between DMA channels and the CPU while they are in use. At a start their streams get lcores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_auto.h"

#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "features/dma/dma_auto_priv.h"
#include "features/dma/dma_place.h"
#include "features/dma/dma_speeds.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"
#include "port/port_feature.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * Find a cheaper placement with other lcores than best has. Returns their streams' lcores, to be freed,
 * with best and moved, the queues on these lcores; NULL: there is none.
 */
static unsigned int *
other_lcores(struct dma_auto *a, const struct guest_queues *qs, const struct dma_queue *queue,
	struct dma_places *best, struct dma_queue *moved, unsigned int *n)
{
	unsigned int *lcore = dma_plan_lcores(a, qs, queue, moved, n);
	struct dma_places other = { 0 };
	struct err e;

	err_clear(&e);
	if (lcore != NULL && dma_place_all(&other, &a->now, moved, qs->n, NULL, &e) == 0 &&
		other.cost < best->cost - DMA_COST_NOTHING) {
		dma_place_free(best);
		*best = other;
		return lcore;
	}
	dma_place_free(&other);
	free(lcore);
	return NULL;
}

/* Compare the cheapest placement with the present one, and move streams, pools and queues. */
static void
plan(struct dma_auto *a, struct guest_queues *qs, const struct dma_queue *queue,
	struct dma_queue *moved)
{
	struct dma_places now = dma_plan_present(a, qs, queue), best;
	unsigned int *lcore, n;
	struct err e;
	double cost;
	bool adopt;

	if (now.place == NULL)
		return;
	err_clear(&e);
	if (dma_place_all(&best, &a->now, queue, qs->n, &now, &e) == 0) {
		cost = dma_place_cost(&a->now, queue, &now);
		lcore = other_lcores(a, qs, queue, &best, moved, &n);
		adopt = a->before.queue == NULL || (a->waits && lcore != NULL) ||
			dma_cost_adopt(&a->patience, cost, best.cost);
		if (adopt && lcore != NULL) /* the channels are for these lcores */
			adopt = dma_memory_streams(a, lcore, n);
		dma_plan_choose(a, qs, queue, adopt ? &best : NULL);
		dma_memory_plan(a, qs, adopt && lcore != NULL ? moved : queue);
		dma_move_all(a, qs);
		free(lcore);
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
	struct dma_queue *queue, *moved;
	struct guest_queues qs;
	bool there;

	pthread_mutex_lock(&a->ports->reading);
	there = dma_guests_read(&qs);
	dma_plan_topology(a, &qs);
	pthread_mutex_unlock(&a->ports->reading);
	a->rest -= a->rest > 0;
	a->pools_rest -= a->pools_rest > 0;
	queue = there && qs.n > 0 ? dma_plan_loads(a, &qs) : NULL;
	moved = queue != NULL ? calloc(qs.n, sizeof(*moved)) : NULL;
	if (moved != NULL) {
		dma_plan_watch(a, &qs);
		plan(a, &qs, queue, moved);
	}
	free(moved);
	free(queue);
	dma_guests_free(&a->before);
	a->before = qs;
}

static uint64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void
acts(struct dma_auto *a, bool now)
{
	pthread_mutex_lock(&a->lock);
	a->acts = now;
	pthread_cond_signal(&a->rests);
	pthread_mutex_unlock(&a->lock);
}

/* One that resumes keeps its time, or commands that show the placement would hold it up for ever. */
static void *
place(void *arg)
{
	struct dma_auto *a = arg;
	uint64_t now = now_ms();

	if (!a->resumes)
		a->due_ms = now;
	while (dma_move_wait(a, a->due_ms > now ? (unsigned int)(a->due_ms - now) : 0)) {
		acts(a, true);
		period(a);
		now = now_ms();
		a->due_ms = now + a->period_ms;
		acts(a, false);
	}
	acts(a, false);
	return NULL;
}

/*
 * Wait until the thread has ended its period, and begun it if it is due, for a second at most. A thread
 * that is halted in a period leaves queues where they are.
 */
static void
settle(struct dma_auto *a)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	pthread_mutex_lock(&a->lock);
	while (a->acts && pthread_cond_timedwait(&a->rests, &a->lock, &until) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&a->lock);
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
	a->stop = a->on = a->resumes = false;
}

extern const struct port_feature port_feature_placement;

static struct dma_auto **
placement_of(const struct ports *ps)
{
	return port_feature_shared(ps, &port_feature_placement);
}

/* The speeds that the lcores of a run are placed by: before they begin, once for all ports. */
static int
speeds_say(struct ports *ps, struct port *p, struct err *e)
{
	struct dma_auto *a = *placement_of(ps);
	struct guest_queues qs;

	if (a == NULL || !a->on)
		return 0;
	pthread_mutex_lock(&ps->reading);
	if (dma_guests_read(&qs) && qs.n > 0 && qs.queue[0].port == p->id)
		dma_speeds_say(&a->base, ps->out);
	pthread_mutex_unlock(&ps->reading);
	dma_guests_free(&qs);
	return 0;
}

static int
go(struct dma_auto *a, struct err *e)
{
	int ret;

	a->acts = !a->resumes || a->due_ms <= now_ms();
	ret = pthread_create(&a->thread, NULL, place, a);
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
	pthread_cond_destroy(&a->rests);
	free(a);
	*placement_of(ps) = NULL;
}

const struct port_feature port_feature_placement = {
	.name = "placement",
	.shared_size = sizeof(struct dma_auto *),
	.run = speeds_say,
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
		dma_memory_announce(a, &qs);
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

bool
dma_auto_present(struct app *app, struct dma_topology *t, struct dma_queue **queue, unsigned int *n,
	struct dma_places *p)
{
	struct dma_auto *a = *placement_of(&app->ports);
	struct guest_queues qs;
	struct err e;

	if (a == NULL || !a->on)
		return false;
	settle(a);
	halt(a); /* its state is used here */
	*queue = NULL;
	*p = (struct dma_places){ 0 };
	pthread_mutex_lock(&a->ports->reading);
	if (dma_guests_read(&qs))
		dma_plan_topology(a, &qs);
	pthread_mutex_unlock(&a->ports->reading);
	*n = qs.n;
	if (qs.n > 0)
		*queue = dma_plan_loads(a, &qs);
	if (*queue != NULL)
		*p = dma_plan_present(a, &qs, *queue);
	*t = a->now;
	if (p->place != NULL)
		p->cost = dma_place_cost(t, *queue, p);
	dma_guests_free(&qs);
	a->resumes = true;
	err_clear(&e);
	go(a, &e);
	if (p->place != NULL)
		return true;
	free(*queue);
	return false;
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
	pthread_cond_init(&a->rests, &monotonic);
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
	if (!run_busy(a->run))
		dma_speeds_measure(&a->base, app->ports.tsc_hz, app->out, &app->interrupt);
	dma_speeds_say(&a->base, app->out);
	a->patience = (struct dma_patience){ DMA_PERCENT, DMA_PERIODS, 0 };
	a->why[0] = '\0';
	a->rest = a->pools_rest = 0;
	a->fixed = 0;
	a->waits = false;
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
