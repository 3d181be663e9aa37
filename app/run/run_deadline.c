/* A timer per lcore whose signal ends the run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_deadline.h"

#include <rte_common.h>
#include <rte_cycles.h>

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id /* glibc has the name since 2.38 */
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void
settime(const struct run_deadline_timer *t, uint64_t cycles)
{
	const uint64_t hz = rte_get_tsc_hz(),
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

/* Search from the last number down, as net_tap takes the first signal without a handler. */
bool
run_deadline_prepare(struct run_deadline *d)
{
	const struct sigaction ours = { .sa_sigaction = reached,
		.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	struct sigaction now;

	for (int i = SIGRTMAX; i >= SIGRTMIN && d->signal == 0; i--)
		if (sigaction(i, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
			now.sa_handler == SIG_DFL && sigaction(i, &ours, NULL) == 0)
			d->signal = i;
	return d->signal != 0;
}

void
run_deadline_arm(const struct run_deadline *d, struct run_deadline_timer *t)
{
	const uint64_t cycles = d->ms * rte_get_tsc_hz() / 1000;
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
