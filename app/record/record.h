/* Recordings: a file of samples and optionally a file of single polls, written by a separate thread
 * during forwarding. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"
#include "record/record_sample.h"

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

/* Settings of recordings (record-every, ...), for settings_add(). */
extern const struct setting_table record_settings;

/* Show the state of a recording, active or ended. */

/*
 * Print show record: files and their sizes, runs, lines, lost polls, and the error that ended the
 * recording, if any. Returns 0. Thread: control.
 */
int record_show(struct record *rec, struct out *o, struct err *e);
