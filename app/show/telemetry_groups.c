/* Telemetry of engines' groups of statistics, and of the schema of all statistics, in pages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "engines/engine.h"
#include "run/run_groups.h"
#include "run/run_schema.h"
#include "run/run_start.h"
#include "show/telemetry_priv.h"
#include "show/telemetry_reply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Read the name at *text up to a comma, and advance *text past it. -EINVAL: no name. */
static int
name_parse(const char **text, char *name, size_t bytes)
{
	const size_t n = *text != NULL ? strcspn(*text, ",") : 0;

	if (n == 0 || n >= bytes)
		return -EINVAL;
	memcpy(name, *text, n);
	name[n] = '\0';
	*text += n + ((*text)[n] == ',');
	return 0;
}

/* Add the group's members, starting with number first, as many as fit. -ENOENT: no such member. */
static int
members_put(struct telemetry_reply *reply, const struct run_groups *g, const char *name,
	uint64_t first)
{
	unsigned int begin = 0, end, i;
	struct telemetry_reply list, one;
	struct telemetry_sink to;
	char key[12];

	while (begin < g->n && strcmp(g->member[begin].group->stats->name, name) != 0)
		begin++;
	for (end = begin; end < g->n && g->member[end].group == g->member[begin].group;)
		end++;
	if (first >= end - begin)
		return -ENOENT;
	telemetry_reply_u64(reply, "n_members", end - begin);
	telemetry_reply_rest(reply, &list);
	for (i = begin + (unsigned int)first; i < end; i++) {
		telemetry_reply_nest(&one);
		telemetry_sink_begin(&to, &one);
		run_groups_put(g, i, &to.sink);
		snprintf(key, sizeof(key), "%u", i - begin);
		if (!telemetry_reply_put(&list, key, &one))
			break;
	}
	telemetry_reply_put(reply, "members", &list);
	if (i < end)
		telemetry_reply_u64(reply, "next", i - begin);
	return 0;
}

int
telemetry_groups_one(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct run *r = &app->run;
	struct run_groups g;
	uint64_t first = 0;
	char name[32];
	int ret = name_parse(&params, name, sizeof(name));

	if (ret == 0)
		ret = telemetry_number(&params, 0, &first);
	if (ret != 0)
		return ret;
	pthread_mutex_lock(&r->lock);
	ret = run_groups_open(&g, r);
	if (ret == 0) {
		telemetry_reply_u64(reply, "running", run_busy(r));
		telemetry_reply_u64(reply, "runs", r->n_runs);
		ret = members_put(reply, &g, name, first);
	}
	run_groups_close(&g);
	pthread_mutex_unlock(&r->lock);
	return ret;
}

int
telemetry_groups_schema(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct telemetry_reply list, one;
	struct telemetry_sink to;
	struct run_schema schema;
	uint64_t first;
	bool more;
	char key[12];

	if (telemetry_number(&params, 0, &first) != 0 || first > UINT16_MAX ||
		!run_schema_at(&app->run, (unsigned int)first, &schema))
		return -EINVAL;
	telemetry_reply_rest(reply, &list);
	for (more = true; more; more = run_schema_at(&app->run, (unsigned int)first, &schema)) {
		telemetry_reply_nest(&one);
		telemetry_sink_begin(&to, &one);
		run_schema_put(&schema, &to.sink);
		snprintf(key, sizeof(key), "%u", (unsigned int)first);
		if (!telemetry_reply_put(&list, key, &one))
			break;
		first++;
	}
	telemetry_reply_put(reply, "tables", &list);
	if (more)
		telemetry_reply_u64(reply, "next", first);
	return 0;
}
