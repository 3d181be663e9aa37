/* The lines with statistics of streams, ports and pools in an interval or in a whole run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record_line.h"

#include <stdbool.h>
#include <stdint.h>

struct record_plan;
struct record_sample;
struct run;
struct run_groups;

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

/*
 * Add member groups to a line, {NAME: [member, ...]}, for recorded streams and for the run. fixed:
 * include groups that do not change during the run. Thread: any, during the run.
 */
void record_json_groups(struct json *j, const struct run_groups *g, const struct record_plan *plan,
	bool fixed);
