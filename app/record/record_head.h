/* The lines that explain a recording: what made it and where, how a run was set up, what was
 * changed. */
#pragma once

#include "record/record_line.h"

#include <stdbool.h>
#include <stdint.h>

struct run;

#define RECORD_HEAD_VERSION 1 /* of the format, in every header */
#define RECORD_HEAD_LISTED 256

/* What was asked of a recording. */
struct record_plan {
	unsigned int every_ms;
	unsigned int bursts;               /* of so many turns one is kept; 0: none */
	uint16_t list[RECORD_HEAD_LISTED]; /* streams that are recorded, n of them; n 0: all */
	unsigned int n;
};

/* True when stream i is recorded. */
bool record_head_wants(const struct record_plan *plan, unsigned int i);

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
