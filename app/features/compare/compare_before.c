/* Changes what a combination of compare needs, with ports restarted, and restores it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/compare/compare_before.h"

#include "base/err.h"
#include "base/out.h"
#include "base/out_aside.h"
#include "base/setting.h"
#include "features/compare/compare_kind.h"
#include "port/port.h"
#include "port/port_conf.h"
#include "port/port_life.h"
#include "port/port_queue.h"
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool
stops_ports(const struct compare_plan *p)
{
	for (unsigned int i = 0; i < p->n_lists; i++)
		if (p->list[i].kind->ports)
			return true;
	return false;
}

static int
ports_read(const struct run *r, struct compare_before *b, struct err *e)
{
	b->queues = calloc(RTE_MAX_ETHPORTS, sizeof(*b->queues));
	if (b->queues == NULL)
		return err_set(e, ENOMEM, "no memory for the queues of all ports");
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++) {
		const struct port *p = port_at(r->ports, id);

		b->started[id] = p != NULL && !p->member && p->state == PORT_STARTED;
		if (b->started[id])
			port_queue_states_read(p, &b->queues[id]);
	}
	return 0;
}

int
compare_before_read(const struct run *r, const struct compare_plan *p, struct compare_before *b,
	struct err *e)
{
	int ret;

	*b = (struct compare_before){ .engine = r->engine, .retry = r->retry, .choice = r->choice };
	for (unsigned int i = 0; i < p->n_lists; i++)
		b->n += compare_kind_settings(p->list[i].kind, p->list[i].setting, b->name + b->n);
	ret = stops_ports(p) ? ports_read(r, b, e) : 0;
	if (ret == 0)
		ret = settings_save(r->settings, b->name, b->n, b->word, e);
	if (ret != 0)
		free(b->queues);
	return ret;
}

/* Stop, or start, the ports that were started before the comparison. */
static int
ports_move(struct run *r, const struct compare_before *b, bool start, struct err *e)
{
	int ret = 0;

	for (uint16_t id = 0; ret == 0 && id < RTE_MAX_ETHPORTS; id++) {
		struct port *p = port_at(r->ports, id);

		if (!b->started[id] || p == NULL || (p->state == PORT_STARTED) == start)
			continue;
		ret = start ? port_start(r->ports, id, e) : port_stop(r->ports, id, e);
		if (ret == 0 && start)
			ret = port_queue_states_apply(p, &b->queues[id], e);
	}
	return ret;
}

/* Return whether a port that was started before is stopped, because an earlier start failed. */
static bool
ports_lie(const struct run *r, const struct compare_before *b)
{
	for (uint16_t id = 0; b->queues != NULL && id < RTE_MAX_ETHPORTS; id++) {
		const struct port *p = port_at(r->ports, id);

		if (b->started[id] && p != NULL && p->state != PORT_STARTED)
			return true;
	}
	return false;
}

static int
lists_use(struct run *r, const struct compare_plan *p, const struct compare_before *b,
	unsigned int combination, struct err *e)
{
	int ret = 0;

	for (unsigned int i = 0; ret == 0 && i < p->n_lists; i++) {
		const struct compare_list *list = &p->list[i];
		const char *value = compare_plan_value(p, combination, i);

		if (!list->kind->is(r, list->setting, value))
			ret = list->kind->use(r, list->setting, &b->choice, value, e);
	}
	return ret;
}

/* Discard what ports print while they stop and start, but their warnings. */
static struct out_aside *
quiet(struct run *r, FILE *nowhere, FILE *warnings)
{
	const struct out_reader reader = { .results = nowhere,
		.failures = warnings != NULL ? warnings : nowhere,
		.format = OUT_TEXT };

	return nowhere != NULL ? out_aside_begin(r->out, &reader) : NULL;
}

static void
aloud(struct run *r, struct out_aside *aside, FILE *nowhere)
{
	if (aside != NULL)
		out_aside_end(r->out, aside);
	if (nowhere != NULL)
		fclose(nowhere);
}

int
compare_before_choose(struct run *r, const struct compare_plan *p, const struct compare_before *b,
	unsigned int combination, FILE *warnings, struct err *e)
{
	bool restarts = ports_lie(r, b);
	struct out_aside *aside;
	FILE *nowhere;
	int ret;

	for (unsigned int i = 0; i < p->n_lists; i++)
		restarts |= p->list[i].kind->ports &&
			!p->list[i].kind->is(r, p->list[i].setting,
				compare_plan_value(p, combination, i));
	if (!restarts)
		return lists_use(r, p, b, combination, e);
	nowhere = fopen("/dev/null", "w");
	aside = quiet(r, nowhere, warnings);
	ret = ports_move(r, b, false, e);
	if (ret == 0)
		ret = lists_use(r, p, b, combination, e);
	if (ret == 0)
		ret = ports_move(r, b, true, e);
	aloud(r, aside, nowhere);
	return ret;
}

/* Return whether a remembered setting of ports has another value now. */
static bool
ports_differ(const struct run *r, const struct compare_before *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (port_conf_takes(b->name[i]) && !compare_kind_is_set(r, b->name[i], b->word[i]))
			return true;
	return false;
}

/* Put remembered settings back that differ. The ports are stopped. Errors: the last one. */
static int
words_restore(struct run *r, const struct compare_before *b, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; i < b->n; i++) {
		const char *name = b->name[i], *word = b->word[i];
		struct err why = { 0 };

		if (compare_kind_is_set(r, name, word) ||
			(port_conf_takes(name) ? port_conf_word(r->ports, name, word, &why)
					       : setting_parse(r->settings, name, word, &why)) == 0)
			continue;
		*e = why;
		ret = err_context(e, "cannot restore %s", name);
	}
	return ret;
}

/* Put settings back, with the ports stopped meanwhile. Errors: the last one. */
static int
ports_restore(struct run *r, const struct compare_before *b, struct err *e)
{
	FILE *nowhere = fopen("/dev/null", "w");
	struct out_aside *aside = quiet(r, nowhere, NULL);
	struct err why = { 0 };
	int ret = ports_move(r, b, false, e);

	if (ret == 0)
		ret = words_restore(r, b, e);
	if (ports_move(r, b, true, &why) != 0) {
		*e = why;
		ret = err_context(e, "cannot start ports after the comparison");
	}
	aloud(r, aside, nowhere);
	return ret;
}

int
compare_before_restore(struct run *r, struct compare_before *b, struct err *e)
{
	int ret;

	run_engine_choose(r, b->engine, b->retry);
	r->choice = b->choice;
	run_ports_changed(r); /* a device may have been removed meanwhile */
	ret = ports_lie(r, b) || ports_differ(r, b) ? ports_restore(r, b, e)
						    : words_restore(r, b, e);
	for (size_t i = 0; i < b->n; i++)
		free(b->word[i]);
	free(b->queues);
	return ret;
}
