/* Allocate each engine's configuration, whose content only the engine knows; show and lend lcores
 * through the engine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_engines.h"

#include "base/err.h"
#include "base/out.h"
#include "engines/engine.h"
#include "run/run.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

int
run_engines_open(struct run *r, const char *version, struct err *e)
{
	const struct engine_env env = { .settings = r->settings,
		.extmems = r->extmems,
		.routes = r->routes,
		.version = version,
		.out = r->out,
		.stop = &r->stop };
	unsigned int n = 0;
	int ret = 0;

	while (r->engines[n] != NULL)
		n++;
	r->configs = calloc(n, sizeof(*r->configs));
	if (r->configs == NULL)
		return err_set(e, ENOMEM, "no memory for %u engines", n);
	for (unsigned int i = 0; i < n && ret == 0; i++) {
		const struct engine *engine = r->engines[i];

		if (engine->config_size == 0)
			continue;
		r->configs[i] = calloc(1, engine->config_size);
		if (r->configs[i] == NULL)
			ret = err_set(e, ENOMEM, "no memory for engine %s", engine->name);
		else if (engine->open != NULL)
			ret = engine->open(r->configs[i], &env, e);
	}
	for (unsigned int i = 0; i < n && ret == 0; i++)
		if (r->engines[i]->config_of != NULL)
			r->configs[i] = run_engines_config(r, r->engines[i]->config_of);
	return ret;
}

void
run_engines_close(struct run *r)
{
	for (unsigned int i = 0; r->configs != NULL && r->engines[i] != NULL; i++) {
		if (r->engines[i]->config_of != NULL)
			continue;
		if (r->configs[i] != NULL && r->engines[i]->close != NULL)
			r->engines[i]->close(r->configs[i]);
		free(r->configs[i]);
	}
	free(r->configs);
	r->configs = NULL;
}

void *
run_engines_config(const struct run *r, const struct engine *engine)
{
	unsigned int i = 0;

	while (r->engines[i] != engine)
		i++;
	return r->configs[i];
}

uint64_t
run_engines_save(const struct run *r, struct out *to)
{
	uint64_t n = 0;

	for (unsigned int i = 0; r->engines[i] != NULL; i++)
		if (r->engines[i]->save != NULL)
			n += r->engines[i]->save(r->configs[i], to);
	return n;
}

int
run_engines_apply(struct run *r, struct err *e)
{
	const struct engine *engine = r->engine_run;
	int ret;

	if (!r->running || engine->apply == NULL)
		return 0;
	pthread_mutex_lock(&r->lock);
	ret = engine->apply(r->streams, r->plan.n_streams, run_engines_config(r, engine), true, e);
	pthread_mutex_unlock(&r->lock);
	return ret;
}

int
run_engines_show(const struct run *r, const struct engine *engine, struct err *e)
{
	const struct engine_helpers *helpers = engine->helpers;
	const bool its = r->streams != NULL && r->engine_run == engine;
	const unsigned int n = its ? r->plan.n_streams : 0;

	if (helpers != NULL && helpers->show != NULL)
		return helpers->show(r->streams, n, run_engines_config(r, engine), r->out, e);
	if (n == 0)
		return err_set(e, ENOENT, "no statistics yet: use \"set fwd %s\", then \"start\"",
			engine->name);
	out_nest(r->out, "streams", OUT_ARRAY);
	for (unsigned int i = 0; i < n; i++) {
		out_nest(r->out, NULL, OUT_OBJECT);
		engine->show(r->out, r->streams[i], r->running);
		out_unnest(r->out);
	}
	out_unnest(r->out);
	return 0;
}

int
run_engines_lend(struct run *r, struct err *e)
{
	const struct plan_choice *c = &r->choice;
	unsigned int i = 0;
	int ret;

	/* When the primary process ends, it sets stop, and lcores are not lent any more. */
	if (atomic_load(&r->lending) && !atomic_load(&r->stop))
		return err_set(e, EALREADY, "Packet forwarding already started");
	while (r->engines[i] != NULL &&
		(r->engines[i]->helpers == NULL || r->engines[i]->helpers->lend == NULL))
		i++;
	if (r->engines[i] == NULL)
		return err_set(e, ENOTSUP, "no engine can lend lcores to a primary process");
	ret = r->engines[i]->helpers->lend(r->configs[i], c->lcores, c->use_lcores, r->out, e);
	if (ret == 0)
		atomic_store(&r->lending, true);
	return ret;
}

const struct engine *
run_engines_first(const struct run *r)
{
	const struct engine *const *engine = r->engines;

	while (((*engine)->flags & ENGINE_TX_FIRST) == 0)
		engine++;
	return *engine;
}
