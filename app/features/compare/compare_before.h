/* What a comparison changes: remembered, changed for each combination, and restored. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/compare/compare_kind.h"
#include "features/compare/compare_plan.h"
#include "stream/plan.h"

#include <rte_ethdev.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct engine;
struct err;
struct port_queue_states;
struct run;

/* What a comparison may change, as it was before. */
struct compare_before {
	const struct engine *engine;
	bool retry;
	struct plan_choice choice;
	const char *name[COMPARE_KIND_SETTINGS * COMPARE_LISTS]; /* settings */
	char *word[COMPARE_KIND_SETTINGS * COMPARE_LISTS];       /* and their values */
	size_t n;
	bool started[RTE_MAX_ETHPORTS];   /* ports that lists with ports stop and start */
	struct port_queue_states *queues; /* of each port; NULL: no list stops ports */
};

/* Remember what the lists of a plan change. ENOMEM: nothing is remembered. */
int compare_before_read(const struct run *r, const struct compare_plan *p, struct compare_before *b,
	struct err *e);

/*
 * Use the values of a combination. If one of them needs it, or ports are stopped since an earlier
 * failure, the ports that were started before are stopped, changed and started. What ports print
 * meanwhile is discarded, their warnings go to warnings. Errors: those of engines, settings and
 * ports; the ports may be stopped then.
 */
int compare_before_choose(struct run *r, const struct compare_plan *p,
	const struct compare_before *b, unsigned int combination, FILE *warnings, struct err *e);

/* Make everything as it was, and free what is remembered. Errors: the last one; the rest is restored. */
int compare_before_restore(struct run *r, struct compare_before *b, struct err *e);
