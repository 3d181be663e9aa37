/* The configuration of the next run (engine, ports, lcores), and the timer that ends a timed run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "port/port.h"
#include "port/port_descriptors.h"

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_lcore.h>

#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A timer per lcore whose signal ends the run. */

#ifndef sigev_notify_thread_id /* glibc has the name since 2.38 */
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void
settime(const struct run_deadline_timer *t, uint64_t cycles)
{
	const uint64_t hz = (uint64_t)t->deadline->tsc_hz,
		       ns = RTE_MAX(cycles % hz * 1000000000 / hz, (uint64_t)1);
	const struct itimerspec at = { .it_value = { .tv_sec = (time_t)(cycles / hz),
					       .tv_nsec = (long)ns } };

	timer_settime(t->id, 0, &at, NULL);
}

static void
reached(int number, siginfo_t *info, void *context)
{
	const struct run_deadline_timer *t = info->si_value.sival_ptr;
	uint64_t now = rte_rdtsc();

	if (info->si_code != SI_TIMER)
		return;
	if (now < t->end_tsc) {
		settime(t, t->end_tsc - now);
		return;
	}
	atomic_store(t->deadline->ending, true);
	atomic_store(t->deadline->stop, true);
}

/* Whether timers send the signal: those of qemu-user do not send the last two. */
static bool
of_timers(int number)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = number };
	timer_t id;

	if (timer_create(CLOCK_MONOTONIC, &event, &id) != 0)
		return false;
	timer_delete(id);
	return true;
}

/* Search from the last number down, as net_tap takes the first signal without a handler. */
bool
run_deadline_prepare(struct run_deadline *d)
{
	const struct sigaction ours = { .sa_sigaction = reached,
		.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	struct sigaction now;

	for (int i = SIGRTMAX; i >= SIGRTMIN && d->signal == 0; i--)
		if (sigaction(i, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
			now.sa_handler == SIG_DFL && of_timers(i) && sigaction(i, &ours, NULL) == 0)
			d->signal = i;
	return d->signal != 0;
}

void
run_deadline_arm(const struct run_deadline *d, struct run_deadline_timer *t)
{
	const uint64_t cycles = (uint64_t)((double)d->ms * d->tsc_hz / 1000);
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = d->signal,
		.sigev_value.sival_ptr = t };

	t->armed = false;
	if (d->ms == 0)
		return;
	event.sigev_notify_thread_id = gettid();
	if (timer_create(CLOCK_MONOTONIC, &event, &t->id) != 0)
		return;
	t->armed = true;
	t->deadline = d;
	t->end_tsc = rte_rdtsc() + cycles;
	settime(t, cycles);
}

/* A pending signal goes to this thread, so its handler has run when timer_delete() returns. */
void
run_deadline_disarm(struct run_deadline_timer *t)
{
	if (t->armed)
		timer_delete(t->id);
}

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
	r->tsc_hz = r->ports->tsc_hz;
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

bool
run_ports_remain(const struct run *r)
{
	const struct port *ports = r->ports->port;

	for (unsigned int i = 0; i < r->plan.n_streams; i++)
		if (!atomic_load(&ports[r->streams[i]->rx_port].removed) ||
			!atomic_load(&ports[r->streams[i]->tx_port].removed))
			return true;
	return false;
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

static int
trial_may(const struct run *r, unsigned int i, struct err *e)
{
	const struct engine_trial *trial = r->engines[i]->trial;

	return trial->may != NULL ? trial->may(r->configs[i], e) : 0;
}

const struct engine *
run_engine_trial(const struct run *r, struct err *e)
{
	for (unsigned int i = 0; r->engines[i] != NULL; i++)
		if (r->engines[i]->trial != NULL)
			return trial_may(r, i, e) == 0 ? r->engines[i] : NULL;
	err_set(e, ENOTSUP,
		"no engine of this build counts the loss of what it sends: it is without measure");
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
	struct pool_need need = { .lcores = r->choice.n_lcores,
		.descriptors = port_descriptors(r->ports) };

	need.n_ports = port_pool_users(r->ports, need.port);
	return need;
}

bool
run_busy(const struct run *r)
{
	return r->running || atomic_load(&r->lending);
}
