/* The members of an engine's groups of statistics: found once, read repeatedly. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_groups.h"

#include "base/base.h"
#include "engines/engine.h"
#include "run/account/run_count.h"
#include "run/run.h"
#include "run/run_cpu.h"
#include "run/run_recycle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Add a member. -ENOMEM. */
static int
member_add(struct run_groups *g, const struct run_group_member *one)
{
	struct run_group_member *member = realloc(g->member, (g->n + 1) * sizeof(*g->member));
	unsigned char *values;

	if (member == NULL)
		return -ENOMEM;
	g->member = member;
	values = realloc(g->values, g->bytes + one->group->size);
	if (values == NULL)
		return -ENOMEM;
	g->values = values;
	g->member[g->n] = *one;
	g->member[g->n].at = g->bytes;
	memset(values + g->bytes, 0, one->group->size);
	return 0;
}

/* Add the existing members of one stream's group. */
static int
stream_add(struct run_groups *g, const struct run *r, const struct engine_group *group,
	unsigned int number)
{
	const struct stream *s = r->streams[number];
	const unsigned int n = group->members != NULL ? group->members(s) : 1;
	int ret = 0;

	for (unsigned int i = 0; i < n && ret == 0; i++) {
		const struct run_group_member one = { group, s, number, i, 0 };

		ret = member_add(g, &one);
		if (ret == 0 && group->read(s, i, r->running, g->values + g->bytes)) {
			g->bytes += group->size;
			g->n++;
		}
	}
	return ret;
}

int
run_groups_open(struct run_groups *g, const struct run *r)
{
	const unsigned int n = r->streams != NULL ? r->plan.n_streams : 0;
	const struct engine *engine = n > 0 ? r->streams[0]->engine : NULL;
	static const struct engine_group *const any[] = { &run_recycle_group, &run_count_hw_group,
		&run_cpu_group };
	const size_t groups = engine != NULL ? engine->n_groups + ARRAY_SIZE(any) : 0;
	int ret = 0;

	*g = (struct run_groups){ 0 };
	for (size_t k = 0; k < groups; k++) {
		const struct engine_group *group = k < engine->n_groups ? &engine->groups[k]
									: any[k - engine->n_groups];

		for (unsigned int i = 0; i < (group->per_run ? 1 : n) && ret == 0; i++)
			ret = stream_add(g, r, group, i);
	}
	return ret;
}

void
run_groups_close(struct run_groups *g)
{
	free(g->member);
	free(g->values);
	*g = (struct run_groups){ 0 };
}

void
run_groups_read(struct run_groups *g, bool running)
{
	if (g->bytes > 0)
		memset(g->values, 0, g->bytes);
	for (unsigned int i = 0; i < g->n; i++) {
		const struct run_group_member *m = &g->member[i];

		m->group->read(m->stream, m->index, running, g->values + m->at);
	}
}

void
run_groups_copy(struct run_groups *to, const struct run_groups *from)
{
	if (from->bytes > 0)
		memcpy(to->values, from->values, from->bytes);
}

void
run_groups_subtract(struct run_groups *to, const struct run_groups *base)
{
	for (unsigned int i = 0; i < to->n; i++) {
		const struct run_group_member *m = &to->member[i];

		stat_subtract(m->group->stats, to->values + m->at, base->values + m->at);
	}
}

void
run_groups_put(const struct run_groups *g, unsigned int i, const struct stat_sink *sink)
{
	const struct run_group_member *m = &g->member[i];

	if (!m->group->per_run)
		sink->number(sink->to, "stream", m->number);
	if (m->group->words != NULL)
		m->group->words(m->stream, m->index, sink);
	stat_put(sink, m->group->stats, g->values + m->at);
}
