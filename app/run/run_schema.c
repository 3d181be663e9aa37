/* List all tables of statistics: those of every run, of each engine, and of DMA devices. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_schema.h"

#include "base/base.h"
#include "engines/engine.h"
#include "features/dma/dma_devices.h"
#include "memory/pool.h"
#include "memory/pool_history.h"
#include "port/port_stats.h"
#include "run/run.h"
#include "run/run_count.h"
#include "run/run_recycle.h"

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
		{ port_stats, NULL, "port" },
		{ pool_stats, NULL, "pool" },
		{ pool_range_stats, NULL, "pool" },
		{ *run_recycle_group.stats, "any engine", "stream" },
		{ *run_count_hw_group.stats, "any engine", "lcore" },
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
