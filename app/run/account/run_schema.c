/* Lists all tables of statistics: those of every run, of each engine, and of DMA devices. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/account/run_schema.h"

#include "base/base.h"
#include "base/out_json.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "memory/pool_history.h"
#include "port/dma_devices.h"
#include "port/port_stats.h"
#include "run/account/run_account.h"
#include "run/account/run_count.h"
#include "run/run.h"
#include "run/run_cpu.h"
#include "run/run_recycle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Get table number i of an engine: its counters, then its groups. */
static bool
engine_at(const struct engine *engine, unsigned int i, struct run_schema *schema)
{
	const unsigned int counters = engine->n_counters > 0;
	const struct engine_group *group;

	if (i < counters) {
		*schema = (struct run_schema){ engine_counters(engine), engine->name, "stream" };
		schema->stats.name = "counters";
		return true;
	}
	if (i - counters >= engine->n_groups)
		return false;
	group = &engine->groups[i - counters];
	*schema = (struct run_schema){ *group->stats, engine->name,
		group->per_run ? "run" : "stream" };
	return true;
}

bool
run_schema_at(const struct run *r, unsigned int i, struct run_schema *schema)
{
	static const struct stat_table *const devices[] = { &dma_devices_adaptive_stats,
		&dma_devices_stats };
	const struct run_schema common[] = {
		{ stream_stats, NULL, "stream" },
		{ run_count_bursts, NULL, "stream" },
		{ run_account_stats, NULL, "run" },
		{ port_stats, NULL, "port" },
		{ pool_stats, NULL, "pool" },
		{ pool_range_stats, NULL, "pool" },
		{ *run_recycle_group.stats, "any engine", "stream" },
		{ *run_count_hw_group.stats, "any engine", "lcore" },
		{ run_cpu_stats, "any engine", "lcore" },
	};

	if (i < ARRAY_SIZE(common)) {
		*schema = common[i];
		return true;
	}
	i -= ARRAY_SIZE(common);
	for (const struct engine *const *e = r->engines; e != NULL && *e != NULL; e++) {
		const unsigned int n = ((*e)->n_counters > 0) + (unsigned int)(*e)->n_groups;

		if (i < n)
			return engine_at(*e, i, schema);
		i -= n;
	}
	if (i >= ARRAY_SIZE(devices))
		return false;
	*schema = (struct run_schema){ *devices[i], NULL, "vchan" };
	return true;
}

void
run_schema_put(const struct run_schema *schema, const struct stat_sink *sink)
{
	sink->text(sink->to, "table", schema->stats.name);
	if (schema->engine != NULL)
		sink->text(sink->to, "engine", schema->engine);
	sink->text(sink->to, "of", schema->of);
	sink->open(sink->to, "rows", false);
	stat_put_rows(sink, &schema->stats);
	sink->close(sink->to);
}

static void
json_text(struct json *j, const char *key, const char *value)
{
	out_json_str(j, key, value, strlen(value));
}

/* Counters that were not counted are null in answers; gauges that are not known are left out. */
static void
row_schema(struct json *j, const struct stat_row *row)
{
	out_json_line(j);
	out_json_enter(j, row->name, false);
	if (row->kind == STAT_HISTOGRAM) {
		json_text(j, "$ref", "#/$defs/histogram");
	} else if (row->kind == STAT_COUNTER) {
		out_json_enter(j, "type", true);
		json_text(j, NULL, "integer");
		json_text(j, NULL, "null");
		out_json_leave(j);
	} else {
		json_text(j, "type", "integer");
	}
	json_text(j, "unit", stat_unit(row));
	json_text(j, "kind", stat_kind_word(row));
	json_text(j, "description", row->help);
	out_json_leave(j);
}

/* A histogram of any table: its sum has the name of its unit. */
static void
histogram_schema(struct json *j)
{
	static const char *const arrays[] = { "sizes", "counts" };

	out_json_line(j);
	out_json_enter(j, "histogram", false);
	json_text(j, "type", "object");
	out_json_enter(j, "properties", false);
	out_json_enter(j, "bursts", false);
	json_text(j, "type", "integer");
	out_json_leave(j);
	for (const struct stat_percentile *p = stat_percentiles; p->share <= STAT_HISTOGRAM_UPTO;
		p++) {
		out_json_enter(j, p->name, false);
		out_json_enter(j, "type", true);
		json_text(j, NULL, "integer");
		json_text(j, NULL, "null");
		out_json_leave(j);
		out_json_leave(j);
	}
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++) {
		out_json_enter(j, arrays[i], false);
		json_text(j, "type", "array");
		out_json_enter(j, "items", false);
		json_text(j, "type", "integer");
		out_json_leave(j);
		out_json_leave(j);
	}
	out_json_leave(j);
	out_json_enter(j, "additionalProperties", false);
	json_text(j, "type", "integer");
	out_json_leave(j);
	out_json_leave(j);
}

/* Write the schema of all answers into the current object. */
static void
answers_schema(const struct run *r, struct json *j)
{
	struct run_schema schema;
	char last[128] = "";

	out_json_schema(j);
	histogram_schema(j);
	for (unsigned int i = 0; run_schema_at(r, i, &schema); i++) {
		const bool one = schema.engine != NULL && strcmp(schema.engine, "any engine") != 0;
		char name[128];

		snprintf(name, sizeof(name), "%s%s%s", one ? schema.engine : "", one ? "." : "",
			schema.stats.name);
		/* Two tables may have one name: the counters of a stream and its histograms. */
		if (strcmp(name, last) != 0) {
			if (last[0] != '\0') {
				out_json_leave(j);
				out_json_leave(j);
			}
			out_json_line(j);
			out_json_enter(j, name, false);
			json_text(j, "title", schema.of);
			json_text(j, "type", "object");
			out_json_enter(j, "properties", false);
			snprintf(last, sizeof(last), "%s", name);
		}
		for (size_t k = 0; k < schema.stats.n; k++)
			row_schema(j, &schema.stats.row[k]);
	}
}

char *
run_schema_text(const struct run *r)
{
	char *text = NULL;
	size_t bytes = 0;
	struct json j;
	FILE *f = open_memstream(&text, &bytes);

	if (f == NULL)
		return NULL;
	fwrite("{", 1, 1, f);
	out_json_init(&j, f, false);
	out_json_u64(&j, "version", OUT_JSON_SCHEMA);
	answers_schema(r, &j);
	out_json_finish(&j);
	fwrite("}\n", 1, 2, f);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}
