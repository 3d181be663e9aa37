/* Recordings: a file of samples and optionally a file of single polls, written by a separate thread
 * during forwarding. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: a burst statistic is wanted for each 100 ms of a run, or for each poll, while the
 * program forwards at full speed, the user waits in the line editor, and the disk may stop for a
 * second. Nothing of that may delay a worker, and the file must be readable after a crash.
 *
 * The idea: the recorder is a thread that only reads. Workers write the counters they always write
 * (stream.h); the recorder keeps baselines of its own and writes the difference of an interval as
 * one JSON line. Single polls go through a log per stream, a ring with one writer and one reader,
 * from which the recorder takes chunks. A log that is full drops polls and counts them, so a slow
 * disk costs data, which the file says, but no packet.
 *
 * A file is cut only between complete lines or chunks: a partial write is undone, a full disk ends
 * the recording with its reason, and each file of a rotation begins with the header again, so that it
 * is readable alone.
 *
 * Why not from the shell's thread: it may be in an editor or wait for a peer. Why not from workers:
 * a write may take longer than the descriptors of a ring last. Why not a binary format for all:
 * a line of JSON per interval is read by any tool, and costs nothing at ten lines per second. Polls
 * are millions per second, so they are 16-byte records.
 *
 * Limits: intervals are in [1, 3600000] ms; with more than RECORD_PLAN_LISTED streams listed a start
 * is refused; polls that are sampled are one of n in [1, 4294967295].
 */
#pragma once

#include "base/setting.h"
#include "record/record_sample.h"

#include <stdbool.h>
#include <stddef.h>

struct err;
struct out;
struct record;

/*
 * Create the recorder, with no recording active, and register it for the runs of r and changes of
 * r->settings. The caller owns r and version (the program's). Returns NULL with ENOMEM in e.
 * Thread: control, all of this file.
 */
struct record *record_new(struct run *r, const char *version, struct err *e);

/* End an active recording and free rec, which may be NULL. */
void record_free(struct record *rec);

/* Return the plan given by the settings record-every and record-polls. */
struct record_plan record_plan_default(const struct settings *settings);

/*
 * Record to path until record_stop(), across runs. Errors: EALREADY a recording is active; ERANGE a
 * stream does not exist in the current run; errors of files, threads, memory.
 */
int record_start(struct record *rec, const char *path, const struct record_plan *plan,
	struct err *e);

/*
 * Start the recording of --record=path with record_plan_default(); path NULL: do nothing. Errors as
 * record_start().
 */
int record_option(struct record *rec, const char *path, struct err *e);

/*
 * End the recording. Errors: ENOENT no recording is active; EIO it ended earlier, with the reason.
 */
int record_stop(struct record *rec, struct err *e);

/* The last recording since the program began. */
struct record_last {
	unsigned int number; /* from 1; 0: none yet */
	bool on;             /* it is active */
	bool failed;         /* it ended with an error, which show record has */
};
struct record_last record_last(const struct record *rec);

/* Settings of recordings (record-every, ...), for settings_add(). */
extern const struct setting_table record_settings;

/* Show the state of a recording, active or ended. */

/*
 * Print show record: files and their sizes, runs, lines, lost polls, and the error that ended the
 * recording, if any. Returns 0. Thread: control.
 */
int record_show(struct record *rec, struct out *o, struct err *e);
