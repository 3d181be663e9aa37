/* The lines that carry statistics: what streams, ports and pools did in an interval or in a whole
 * run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record_line.h"

#include <stdbool.h>
#include <stdint.h>

struct record_plan;
struct record_sample;
struct run;
struct run_groups;

/* Polls that were kept in the burst file, in the whole run, by stream. */
struct record_kept {
	uint64_t kept, lost;
};

/*
 * Type interval, or end (totals of the run): the differences in d, which cover dt_ns. kept: by
 * stream, NULL: no bursts are kept. Thread: any, while the run lasts.
 */
struct record_line record_json_line(const char *type, const struct run *r,
	const struct record_plan *plan, const struct record_at *at, uint64_t dt_ns,
	const struct record_sample *d, const struct record_kept *kept);

/*
 * Member groups of a line, {NAME: [member, ...]}: those of streams that are in the plan, and of the
 * run. fixed: with groups that were decided before the run. Thread: as above.
 */
void record_json_groups(struct json *j, const struct run_groups *g, const struct record_plan *plan,
	bool fixed);
