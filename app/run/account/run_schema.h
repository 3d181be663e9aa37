/* The list of all tables of statistics, by which recordings and telemetry describe their numbers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

#include <stdbool.h>

struct run;

/* One table. */
struct run_schema {
	struct stat_table stats;
	/* NULL: in every run; "any engine": a group that several engines have */
	const char *engine;
	const char *of; /* what each struct describes: "stream", "port", "pool", "run", "vchan" */
};

/* Get table number i of the program; returns false past the end. */
bool run_schema_at(const struct run *r, unsigned int i, struct run_schema *schema);

/* Report it: {"table", "engine" (if any), "of", "rows": {NAME: {"unit", "kind", "help"}}}. */
void run_schema_put(const struct run_schema *schema, const struct stat_sink *sink);

/*
 * Return a JSON Schema of all answers with its version: the envelope, and in "$defs" a definition
 * for each table, TABLE or ENGINE.TABLE, with "unit" and "kind" beside each type. free() it. NULL
 * if memory is short.
 */
char *run_schema_text(const struct run *r);
