/* The configuration of engines: made and let go of, taken over by streams that run, refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_engines.h"

#include "base/base.h"
#include "base/err.h"
#include "engines/engine.h"
#include "fixtures/unit.h"
#include "run/run.h"

#include <stdint.h>
#include <string.h>

/* What is asked of an engine, for one test at a time. */
static struct {
	unsigned int opened, closed, applied;
	int refuse; /* what open() and apply() return */
	bool live;
	unsigned int n, value; /* of the last apply() */
} seen;

static int
open_counted(void *config, const struct engine_env *env, struct err *e)
{
	assert_string_equal(env->version, "1.2.3");
	seen.opened++;
	*(unsigned int *)config = 7;
	return seen.refuse;
}

static void
close_counted(void *config)
{
	seen.closed++;
}

static int
apply_counted(struct stream *const *streams, unsigned int n, const void *config, bool live,
	struct err *e)
{
	seen.applied++;
	seen.live = live;
	seen.n = n;
	seen.value = *(const unsigned int *)config;
	return seen.refuse;
}

static const struct engine plain = { .name = "plain" };
static const struct engine kept = { .name = "kept",
	.config_size = sizeof(unsigned int),
	.open = open_counted,
	.close = close_counted,
	.apply = apply_counted };
static const struct engine *const engines[] = { &plain, &kept, NULL };

static struct stream *streams[3];

/* A run of engine that has 3 streams; NULL: that was never started. */
static void
begin(struct run *r, const struct engine *engine, bool running)
{
	struct err e;

	memset(&seen, 0, sizeof(seen));
	memset(r, 0, sizeof(*r));
	pthread_mutex_init(&r->lock, NULL);
	r->engines = engines;
	r->engine_run = engine;
	r->streams = engine != NULL ? streams : NULL;
	r->plan.n_streams = engine != NULL ? ARRAY_SIZE(streams) : 0;
	r->running = running;
	assert_int_equal(run_engines_open(r, "1.2.3", &e), 0);
}

static unsigned int
value(const struct run *r)
{
	return *(const unsigned int *)run_engines_config(r, &kept);
}

TEST(made_and_let_go)
{
	static struct run r;
	struct err e;

	begin(&r, NULL, false);
	assert_int_equal(seen.opened, 1);
	assert_null(run_engines_config(&r, &plain));
	assert_int_equal(value(&r), 7);
	run_engines_close(&r);
	assert_int_equal(seen.closed, 1);
	seen.refuse = -5;
	assert_int_equal(run_engines_open(&r, "1.2.3", &e), -5);
	run_engines_close(&r);
	assert_int_equal(seen.closed, 2);
	run_engines_close(&r);
	assert_int_equal(seen.closed, 2);
}

/* What the running engine answers is returned; nothing is applied without a run. */
TEST(applied)
{
	static const struct {
		const struct engine *engine; /* of the current or last run */
		bool running;
		int refuse;
		unsigned int applied; /* afterwards */
	} rows[] = { { &kept, true, 0, 1 }, { &kept, true, -22, 1 }, { &plain, true, -22, 0 },
		{ &kept, false, -22, 0 }, { NULL, false, -22, 0 } };
	static struct run r;
	struct err e;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(&r, rows[i].engine, rows[i].running);
		seen.refuse = rows[i].refuse;
		assert_int_equal(run_engines_apply(&r, &e),
			rows[i].applied > 0 ? rows[i].refuse : 0);
		assert_int_equal(seen.applied, rows[i].applied);
		if (seen.applied > 0) {
			assert_int_equal(seen.value, 7);
			assert_int_equal(seen.n, ARRAY_SIZE(streams));
			assert_true(seen.live);
		}
		run_engines_close(&r);
	}
}
