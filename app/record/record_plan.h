/* Options of a recording: interval, streams, polls. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RECORD_PLAN_LISTED 256

/* Options of `record start`, or of the settings for --record. */
struct record_plan {
	unsigned int every_ms;
	unsigned int bursts;               /* record one of that many polls; 0: none */
	uint16_t list[RECORD_PLAN_LISTED]; /* recorded streams list[0..n); n 0: all */
	unsigned int n;
	bool overwrite; /* also files that are not empty */
};

/* True if stream i is recorded. */
bool record_plan_wants(const struct record_plan *plan, unsigned int i);
