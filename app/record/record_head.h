/* The lines of a recording: program and machine, setup of a run, changed settings, statistics of an interval or a run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record_sample.h"

#include <stdbool.h>
#include <stdint.h>

struct record_plan;
struct record_sample;
struct run;

/* The lines with statistics of streams, ports and pools in an interval or in a whole run. */

/* Polls of one stream in the whole run: in the burst file, and lost. */
struct record_kept {
	uint64_t kept, lost;
};

/*
 * Return the line of type interval, or end (totals of the run), with the differences d over dt_ns.
 * kept: by stream, NULL: no burst file. Thread: any, during the run.
 */
struct record_line record_json_line(const char *type, const struct run *r,
	const struct record_plan *plan, const struct record_at *at, uint64_t dt_ns,
	const struct record_sample *d, const struct record_kept *kept);

#define RECORD_HEAD_VERSION 2 /* format version, in every header */

/*
 * Return the line of type header, the first one of every file: versions, machine, clocks, ports,
 * engine and settings. version: of the program; id: name of the recording. Thread: control.
 */
struct record_line record_head_line(const struct run *r, const struct record_plan *plan,
	const char *version, const char *id);

/*
 * Return the line of type begin for a run: engine, settings, streams and ports with their burst
 * functions. late: the run started before the recording. Thread: control.
 */
struct record_line record_head_begin(const struct run *r, const struct record_plan *plan,
	const struct record_at *at, bool late);

/* Return the line of type set: the new value of a setting. Thread: control. */
struct record_line record_head_set(const struct run *r, const struct record_at *at,
	const char *name);

/* Return the line of type stop: the recording ended on request. */
struct record_line record_head_stop(const struct record_at *at);
