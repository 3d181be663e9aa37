/* State shared by the recorder's thread and control, and its operations; the caller holds the
 * lock. */
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

/* The current run. */
struct record_run {
	bool on;
	unsigned int number; /* from 1 */
	uint64_t next_ns;    /* time of the next sample */
	/* Samples at the begin of the run, at the last line, now, and their difference. */
	struct record_sample *base, *last, *now, *diff;
};

struct record {
	struct run *run;
	const char *version; /* program version */
	pthread_t thread;
	/* Used by control only. */
	bool on, ever;
	/*
	 * Used by both threads, under lock. Only control changes plan. While the recording is on,
	 * failed changes only from false to true.
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
 * Write a line and free its text. Errors: ENOMEM line.text is NULL; as record_file_write(). Thread:
 * any that holds the lock, all of this file.
 */
int record_state_put(struct record *rec, struct record_line line, struct err *e);

/* Return the present time with the current run, or with run 0. */
struct record_at record_state_at(const struct record *rec);

/*
 * Start to record a run: create logs for its streams, write its begin line and take the first
 * sample. late: the run started earlier. On failure all of it is undone. Errors: ENOMEM; as
 * record_file_write(). Thread: control.
 */
int record_state_begin(struct record *rec, bool late, struct err *e);

/*
 * End the run: write the rest of the logs, the last interval and the totals. Errors: as
 * record_file_write(); then the run is still on. Thread: control.
 */
int record_state_end(struct record *rec, struct err *e);

/*
 * Write the lines and polls that are due. *wake_ns: time of the next call, CLOCK_MONOTONIC. Errors:
 * as record_file_write().
 */
int record_state_step(struct record *rec, uint64_t *wake_ns, struct err *e);

/* Stop recording the run: its streams no longer time polls for the recording. */
void record_state_drop(struct record *rec);
