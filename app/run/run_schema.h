/* All tables of statistics that there are: what recordings and telemetry tell of their own numbers,
 * so that no reader needs lists. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

struct run;

/* One table. */
struct run_schema {
	struct stat_table stats;
	/* NULL: of every run; "any engine": a group that runs of several engines have */
	const char *engine;
	const char *of; /* what has a struct of it: "stream", "port", "pool", "run", "vchan" */
};

/* Table number i of the program; false: there are no more. */
bool run_schema_at(const struct run *r, unsigned int i, struct run_schema *schema);

/*
 * Tell it: {"table", "engine": of one engine alone, "of", "rows": {NAME: {"unit", "kind",
 * "help"}}}.
 */
void run_schema_put(const struct run_schema *schema, const struct stat_sink *sink);
