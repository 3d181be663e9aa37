/* The lines that carry figures: what streams, ports and pools did in an interval or in a whole
 * run. */
#pragma once

#include "record/record_line.h"

#include <stdint.h>

struct record_plan;
struct record_sample;
struct run;

/* Turns that were kept in the burst file, in the whole run, by stream. */
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
