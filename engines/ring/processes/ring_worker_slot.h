/* Worker slots in shared memory: secondary processes find the pipeline, and claim and release
 * slots; the slot of a process that died is recovered. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_state.h"

#include <stdatomic.h>
#include <stdbool.h>

/* The entry point for all processes, in a memzone with a fixed name. */
struct ring_shared {
	char version[96];               /* of the program, DPDK and the memory layout */
	_Atomic(ring_number) processes; /* the latest number given to a process */
	/* the pipeline that needs workers, NULL: none; written by the primary */
	_Atomic(struct ring_pipeline *) pipeline;
	/* The pipeline lock: the number of the process that holds it, 0: unlocked. While it is held
	 * the pipeline is not freed. */
	_Atomic(ring_number) claiming;
};

/*
 * Primary: create the shared entry point and store it in c. c is not changed if memory is short or
 * the process does not share its memory. Thread: control.
 */
void ring_worker_slot_offer(struct ring_config *c, const char *version);

/*
 * Primary: remove the pipeline from the shared memory, and wait until no process looks for a slot
 * in it. Thread: control.
 */
void ring_worker_slot_withdraw(const struct ring_config *c);

/*
 * Secondary: find the shared entry point and store it in c. Errors: ENOENT if the primary shares
 * none; ESRCH if it has ended; ENOEXEC for another version; those of ring_process_join(). Thread:
 * control.
 */
int ring_worker_slot_find(struct ring_config *c, const char *version, struct err *e);

/* Secondary, after ring_worker_slot_find(): whether the primary has ended. Thread: any. */
bool ring_worker_slot_orphaned(const struct ring_config *c);

/*
 * Secondary: after the primary has ended, make workers stop waiting for room in shared rings.
 * Thread: any.
 */
void ring_worker_slot_abandon(struct ring_shared *shared);

/*
 * The number of free slots. Stores in *all the number of slots, 0 if no pipeline needs workers.
 * Thread: any.
 */
unsigned int ring_worker_slot_vacant(const struct ring_config *c, unsigned int *all);

/*
 * Claim a free worker slot. Returns NULL if none is free now or another lcore holds the pipeline
 * lock. Thread: any lcore of a secondary.
 */
struct ring_worker *ring_worker_slot_claim(const struct ring_config *c);

/* Release a slot; w must not be used afterwards. Thread: its lcore, between polls. */
void ring_worker_slot_leave(struct ring_worker *w);

/* Whether a process owns the slot. Thread: any. */
static inline bool
ring_worker_slot_taken(const struct ring_worker *w)
{
	return atomic_load(&w->holder) != 0;
}

/*
 * Recover the slot of a process that died: free the packets that it had taken but not put, count
 * them as lost, and bring the rings into the state between two polls. I/O lcores may be running.
 * Thread: control or EAL's interrupt thread.
 */
void ring_worker_slot_recover(struct ring_worker *w);

/*
 * Begin and end a periodic check, in EAL's alarm thread, that recovers slots of processes that
 * died. Errors: those of rte_eal_alarm_set().
 */
int ring_worker_slot_watch(struct ring_pipeline *p, struct err *e);
void ring_worker_slot_unwatch(struct ring_pipeline *p);
