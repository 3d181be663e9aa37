/* A fair lock: waiting threads get it in order of arrival, so that the control path is not starved
 * by a thread that takes it all the time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <sched.h>
#include <stdatomic.h>

struct ticket {
	atomic_uint next, serving;
};

static inline void
ticket_lock(struct ticket *t)
{
	unsigned mine = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);

	/* Pairs with the release in ticket_unlock(). */
	while (atomic_load_explicit(&t->serving, memory_order_acquire) != mine)
		sched_yield();
}

static inline void
ticket_unlock(struct ticket *t)
{
	unsigned mine = atomic_load_explicit(&t->serving, memory_order_relaxed);

	atomic_store_explicit(&t->serving, mine + 1, memory_order_release);
}
