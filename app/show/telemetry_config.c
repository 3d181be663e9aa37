/* Telemetry of the configuration: versions, settings, engine, pools. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "engines/engine.h"
#include "memory/pool_history.h"
#include "run/run_loss.h"
#include "run/run_start.h"
#include "show/telemetry_priv.h"
#include "show/telemetry_reply.h"

#include <rte_cycles.h>
#include <rte_telemetry.h>
#include <rte_version.h>

#include <string.h>
#include <unistd.h>

static void
setting_put(struct telemetry_reply *to, const struct setting *row, uint64_t number,
	const char *word)
{
	if (row->kind == SETTING_UINT || row->kind == SETTING_BOOL)
		telemetry_reply_u64(to, row->name, number);
	else
		telemetry_reply_str(to, row->name, word);
}

int
telemetry_config_config(struct app *app, const char *params, struct telemetry_reply *reply)
{
	const struct setting *row;
	struct telemetry_reply settings, of_run;
	char word[RTE_TEL_MAX_STRING_LEN], ran[RTE_TEL_MAX_STRING_LEN];
	uint64_t number, ran_number;

	telemetry_reply_str(reply, "version", app->version);
	telemetry_reply_str(reply, "dpdk", rte_version());
	telemetry_reply_u64(reply, "pid", (uint64_t)getpid());
	telemetry_reply_u64(reply, "tsc_hz", rte_get_tsc_hz());
	telemetry_reply_nest(&of_run);
	telemetry_reply_rest(reply, &settings);
	for (size_t i = 0;
		(row = setting_copy(app->settings, i, &number, word, sizeof(word))) != NULL; i++) {
		setting_put(&settings, row, number, word);
		setting_of_run(app->settings, i, &ran_number, ran, sizeof(ran));
		if (ran_number != number || strcmp(ran, word) != 0)
			setting_put(&of_run, row, ran_number, ran);
	}
	telemetry_reply_put(reply, "settings", &settings);
	telemetry_reply_put(reply, "run_settings", &of_run);
	return 0;
}

int
telemetry_config_engine(struct app *app, const char *params, struct telemetry_reply *reply)
{
	uint64_t named[STREAM_NAMED_MAX], sum[STREAM_NAMED_MAX] = { 0 };
	struct stat_loss loss = { 0 };
	struct telemetry_sink to;
	struct run *r = &app->run;
	const struct engine *engine;
	struct stat_table own;

	pthread_mutex_lock(&r->lock);
	engine = r->streams != NULL ? r->engine_run : r->engine;
	own = engine_counters(engine);
	telemetry_reply_str(reply, "engine", engine->name);
	telemetry_reply_str(reply, "next", r->engine->name);
	telemetry_reply_u64(reply, "retry", r->retry);
	telemetry_reply_u64(reply, "running", run_busy(r));
	telemetry_reply_u64(reply, "runs", r->n_runs);
	telemetry_reply_u64(reply, "n_lcores", r->streams != NULL ? r->plan.n_lcores : 0);
	telemetry_reply_u64(reply, "n_ports", r->streams != NULL ? r->plan.n_ports : 0);
	telemetry_reply_u64(reply, "n_streams", r->streams != NULL ? r->plan.n_streams : 0);
	telemetry_reply_u64(reply, "cycles",
		r->begin_tsc != 0 ? (r->running ? rte_rdtsc() : r->end_tsc) - r->begin_tsc : 0);
	telemetry_reply_u64(reply, "tsc_hz", rte_get_tsc_hz());
	for (unsigned int i = 0; r->streams != NULL && i < r->plan.n_streams; i++) {
		stat_read(named, r->streams[i]->count.named, sizeof(named));
		stat_add(&own, sum, named);
	}
	if (r->streams != NULL)
		run_loss_read(r, &loss);
	telemetry_reply_u64(reply, "offered", loss.offered);
	telemetry_reply_u64(reply, "lost", loss.lost);
	telemetry_sink_begin(&to, reply);
	to.sink.open(&to, "counters", false);
	stat_put(&to.sink, &own, sum);
	to.sink.close(&to);
	pthread_mutex_unlock(&r->lock);
	return 0;
}

static void
pool_put(struct pool_history *history, struct telemetry_reply *list, const struct rte_mempool *mp)
{
	struct pool_second second[POOL_HISTORY_SECONDS];
	struct pool_range range;
	struct telemetry_reply one;
	struct telemetry_sink to;
	struct pool_level level;

	if (mp == NULL)
		return;
	level = pool_level(mp);
	telemetry_reply_nest(&one);
	telemetry_sink_begin(&to, &one);
	telemetry_reply_u64(&one, "socket", (uint64_t)mp->socket_id);
	stat_put(&to.sink, &pool_stats, &level);
	if (pool_history_read(history, mp, &range, second))
		stat_put(&to.sink, &pool_range_stats, &range);
	telemetry_reply_u64(&one, "buffer_bytes",
		rte_pktmbuf_data_room_size((struct rte_mempool *)(uintptr_t)mp));
	telemetry_reply_u64(&one, "cache", mp->cache_size);
	telemetry_reply_put(list, mp->name, &one);
}

int
telemetry_config_pools(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct telemetry_reply list;

	telemetry_reply_rest(reply, &list);
	/* Pools are used, released and recreated only with the run's lock held. */
	pthread_mutex_lock(&app->run.lock);
	for (unsigned int i = 0; i < POOL_MAX; i++)
		pool_put(app->pool_history, &list, pool_at(&app->pools, i));
	pool_put(app->pool_history, &list, app->ports.rx_pool);
	pthread_mutex_unlock(&app->run.lock);
	telemetry_reply_put(reply, "pools", &list);
	return 0;
}
