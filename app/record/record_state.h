/* What the recorder's thread and control share, and the operations of both on it: whoever calls holds
 * the lock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/err.h"
#include "record/record_bursts.h"
#include "record/record_file.h"
#include "record/record_plan.h"
#include "record/record_sample.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The run that is recorded, while it lasts. */
struct record_run {
	bool on;
	unsigned int number; /* from 1 */
	uint64_t next_ns;    /* when a sample is due */
	/* At the begin, at the last line, now, and what is written. */
	struct record_sample *base, *last, *now, *diff;
};

struct record {
	struct run *run;
	const char *version; /* of the program */
	pthread_t thread;
	/* Control only. */
	bool on, ever;
	/*
	 * What both threads use, under lock; control alone changes plan, and failed only goes up
	 * while the recording is on.
	 */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct record_plan plan;
	struct record_file file;
	struct record_bursts bursts;
	struct record_run now;
	uint64_t lines, intervals, skipped, kept, lost;
	bool stop;
	atomic_bool failed;
	struct err why;
};

/*
 * Write a line and free its text. Errors: ENOMEM for a line that is none, of writing. Thread: any
 * that holds the lock, all of this file.
 */
int record_state_put(struct record *rec, struct record_line line, struct err *e);

/* Now, in the run under way or outside. */
struct record_at record_state_at(const struct record *rec);

/*
 * A run begins, or is under way (late): logs for its streams, its begin line, the statistics that it
 * counts from. On failure nothing of the run is left. Errors: ENOMEM, of writing. Thread: control.
 */
int record_state_begin(struct record *rec, bool late, struct err *e);

/*
 * The run ends: what is left in the logs, the last interval, the totals. Errors: of writing; then
 * the run is on still. Thread: control.
 */
int record_state_end(struct record *rec, struct err *e);

/*
 * Write what is due in the run; *wake_ns: when to look again, CLOCK_MONOTONIC. Errors: of writing.
 */
int record_state_step(struct record *rec, uint64_t *wake_ns, struct err *e);

/* Forget the run; its streams stop timing polls for a recording. */
void record_state_drop(struct record *rec);
