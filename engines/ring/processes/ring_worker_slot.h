/* Worker slots in shared memory: where other processes find the pipeline, how they take and
 * leave a slot, and what becomes of that of one that died. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_config.h"
#include "engines/ring/ring_state.h"

#include <stdatomic.h>
#include <stdbool.h>

struct err;

/* What all processes see, in a memzone of a fixed name. */
struct ring_shared {
	char version[96];               /* of program, DPDK and memory layout */
	_Atomic(ring_number) processes; /* the number that the last one got */
	_Atomic(struct ring_pipeline *)
		pipeline; /* that wants workers; NULL: none. Written by the primary */
	/* the process that looks for a slot in the pipeline, which meanwhile stays; 0: none */
	_Atomic(ring_number) claiming;
};

/*
 * Primary: make it, for a program of that version, into c, which stays as it is when memory is short
 * or the process shares none. Thread: control.
 */
void ring_worker_slot_offer(struct ring_config *c, const char *version);

/*
 * Primary: no process finds the pipeline any more, and none is still looking for a slot in it.
 * Thread: control.
 */
void ring_worker_slot_withdraw(const struct ring_config *c);

/*
 * Secondary: find it, into c. Errors: ENOENT, ESRCH when the primary has ended, ENOEXEC for another
 * version, those of ring_process_join(). Thread: control.
 */
int ring_worker_slot_find(struct ring_config *c, const char *version, struct err *e);

/* Secondary that found it: whether the primary process has ended. Thread: any. */
bool ring_worker_slot_orphaned(const struct ring_config *c);

/*
 * Secondary, when it has: whoever waits in a shared ring for the primary is to give up. Thread:
 * any.
 */
void ring_worker_slot_abandon(struct ring_shared *shared);

/*
 * How many slots nobody has; all: how many there are, 0 while no pipeline wants workers. Thread:
 * any.
 */
unsigned int ring_worker_slot_vacant(const struct ring_config *c, unsigned int *all);

/*
 * A worker slot that nobody has; NULL: there is none now, or another lcore is looking. Thread: any
 * lcore of a secondary.
 */
struct ring_worker *ring_worker_slot_claim(const struct ring_config *c);

/* Give it back: w is no longer to be touched. Thread: as above, between polls. */
void ring_worker_slot_leave(struct ring_worker *w);

/* Whether a process has the slot. Thread: any. */
static inline bool
ring_worker_slot_taken(const struct ring_worker *w)
{
	return atomic_load(&w->holder) != 0;
}

/*
 * Clear a slot whose process is gone: packets that it had taken and not put are freed and counted
 * lost, rings are as between two polls. I/O lcores may run meanwhile. Thread: control or EAL's
 * interrupt thread.
 */
void ring_worker_slot_recover(struct ring_worker *w);

/*
 * Look after the worker slots of a pipeline every few milliseconds, by EAL's alarm thread; and end that.
 * Errors: what rte_eal_alarm_set() says.
 */
int ring_worker_slot_watch(struct ring_pipeline *p, struct err *e);
void ring_worker_slot_unwatch(struct ring_pipeline *p);
