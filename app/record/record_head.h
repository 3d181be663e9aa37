/* The lines that explain a recording: what made it and where, how a run was set up, what was
 * changed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record_line.h"
#include "record/record_plan.h"

#include <stdbool.h>
#include <stdint.h>

struct run;

#define RECORD_HEAD_VERSION 2 /* of the format, in every header */

/*
 * Type header, the first line of every file: versions, machine, clocks, ports, engine and settings.
 * version: of the program; id names the recording. Thread: control.
 */
struct record_line record_head_line(const struct run *r, const struct record_plan *plan,
	const char *version, const char *id);

/*
 * Type begin: a run as it starts, or is under way (late): engine, settings, streams with their
 * burst functions. Thread: control.
 */
struct record_line record_head_begin(const struct run *r, const struct record_plan *plan,
	const struct record_at *at, bool late);

/* Type set: a setting got another value. Thread: control. */
struct record_line record_head_set(const struct run *r, const struct record_at *at,
	const char *name);

/* Type stop: the recording ends because it was told to. */
struct record_line record_head_stop(const struct record_at *at);
