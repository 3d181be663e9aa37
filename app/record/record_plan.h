/* What is asked of a recording: how often, which streams, which bursts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RECORD_PLAN_LISTED 256

/* What was asked of a recording. */
struct record_plan {
	unsigned int every_ms;
	unsigned int bursts;               /* of so many polls one is kept; 0: none */
	uint16_t list[RECORD_PLAN_LISTED]; /* streams that are recorded, n of them; n 0: all */
	unsigned int n;
	bool overwrite; /* files that have content */
};

/* True when stream i is recorded. */
bool record_plan_wants(const struct record_plan *plan, unsigned int i);
