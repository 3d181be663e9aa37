/* Search goals by name: presets, and presets with changed members. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/rate/mlr.h"

#include <stddef.h>

struct err;
struct offers;

/* A goal, and the words with which it was chosen. */
struct rate_goal {
	char name[96];
	struct mlr_goal goal;
};

/*
 * Read a comma-separated list of up to MLR_GOALS_MAX goals: ndr, pdr, rfc2544 or tst009, with changes
 * such as ndr:trial=0.1s:sum=1s. Members: loss, exceed, width (percent); first, trial, sum (seconds).
 * column: of the text in its line. Returns how many, or -EINVAL, -ERANGE with e set. Thread: any.
 */
int rate_goals_parse(const char *text, size_t column, struct rate_goal *to, struct err *e);

/* Offer what may go on the list that o->prefix begins. Thread: control. */
void rate_goals_offer(struct offers *o);
