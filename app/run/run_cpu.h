/* The CPU time of a run's lcores, as the kernel counts it: how long each had its CPU, and how long
 * it waited for it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine_group;
struct out;
struct run;
struct run_cpu_thread;
struct stream;

/* The share of a CPU below which a report names the lcore. */
#define RUN_CPU_ENOUGH 0.95

/* What the kernel counted while an lcore was in its loop. */
struct run_cpu_count {
	uint64_t run_ns;    /* on its CPU */
	uint64_t wait_ns;   /* waiting for it; STAT_NONE: this kernel does not count it */
	uint64_t preempted; /* how often it lost its CPU; STAT_NONE as above */
	uint64_t loop_ns;   /* in the loop */
};

/* An lcore of the current or last run. */
struct run_cpu {
	unsigned int lcore; /* id */
	struct run_cpu_count count;
	double share; /* of run_cpu_share() */
};

/* The rows of struct run_cpu_count, and the group of lcores that recordings and telemetry have. */
extern const struct stat_table run_cpu_stats;
extern const struct engine_group run_cpu_group;

/* Return the id of the lcore that is member i of the group. Thread: as of a group. */
unsigned int run_cpu_member(const struct stream *s, unsigned int i);

/*
 * Return the share of a CPU that a busy-polling lcore had, 0..1: time on the CPU, divided by time
 * on it and waiting for it. If the waiting time is unknown, the divisor is the time in the loop.
 * An lcore that was in its loop, and neither ran nor ended a wait, had no share. NAN: the lcore was
 * not in its loop. Thread: any.
 */
double run_cpu_share(const struct run_cpu_count *count);

/*
 * Forget the last run's times; call when the streams of the next run exist, before its lcores
 * begin. No memory: the times of all lcores are unknown. Thread: control, under no lock.
 */
void run_cpu_begin(struct run *r);

/* Return the place for the times of an lcore in the run of these streams; NULL: none is needed. */
struct run_cpu_thread *run_cpu_thread(const struct run *r, unsigned int lcore);

/* Begin and end to count the calling lcore; t may be NULL. Thread: the lcore, outside its loop. */
void run_cpu_enter(struct run_cpu_thread *t);
void run_cpu_leave(struct run_cpu_thread *t);

/* Count from now on: `clear fwd stats`. Thread: control, holding the run's lock. */
void run_cpu_clear(struct run *r);

/* Free the times. Thread: control, holding the run's lock. */
void run_cpu_free(struct run *r);

/*
 * Read lcore i of the current or last run, 0..plan_lcores(), since the start or the last clear:
 * those with streams in the plan's order, then helpers. After the end of its loop an lcore's times
 * do not change. Returns false if there is no such lcore. Thread: control, or any that holds the
 * run's lock; for the functions below too.
 */
bool run_cpu_read(const struct run *r, unsigned int i, struct run_cpu *c);

/* Read the lcore with the smallest share. Returns false if no share is known. */
bool run_cpu_least(const struct run *r, struct run_cpu *c);

enum { RUN_CPU_TEXT = 128 };

/*
 * Write "lcore 1 had its CPU for 41 % of the run (274 preemptions)"; of: "the run". Returns text.
 */
const char *run_cpu_say(const struct run_cpu *c, const char *of, char text[RUN_CPU_TEXT]);

/* Add "cpu" to an answer in JSON: [{"lcore", rows of run_cpu_stats, "share"}]; a share may be null. */
void run_cpu_put(const struct run *r, struct out *o);
