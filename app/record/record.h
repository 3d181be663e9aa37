/* Recording: a file of samples, and one of single polls if asked, written beside forwarding by a
 * thread of their own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"
#include "record/record_plan.h"

#include <stdbool.h>
#include <stddef.h>

struct err;
struct out;
struct record;
struct run;

/*
 * Nothing is recorded yet. Also told of every run of r and every setting of r->settings. r and the
 * program's version stay the caller's. NULL with e filled: no memory. Thread: control, all of this
 * file.
 */
struct record *record_new(struct run *r, const char *version, struct err *e);

/* End a recording that is on, and free; NULL is fine. */
void record_free(struct record *rec);

/* The plan that the settings record-every and record-polls make. */
struct record_plan record_plan_default(const struct settings *settings);

/*
 * Record into path from now on, over all runs until record_stop(). Errors: EALREADY; ERANGE for a
 * stream that the run under way has not; of files, threads, memory. Then nothing is recorded.
 */
int record_start(struct record *rec, const char *path, const struct record_plan *plan,
	struct err *e);

/* --record=path: by the settings; NULL: nothing. Errors as above. */
int record_option(struct record *rec, const char *path, struct err *e);

/* End the recording. ENOENT: there is none; EIO: it had ended by itself, and why. */
int record_stop(struct record *rec, struct err *e);

/* The settings of this file, for settings_add(). */
extern const struct setting record_settings[];
extern const size_t record_settings_n;
