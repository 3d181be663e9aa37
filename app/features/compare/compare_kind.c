/* Kinds of lists of compare: settings, engines, lcores, queues, drivers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/compare/compare_kind.h"

#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/offers.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_conf.h"
#include "run/run.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const both_queues[] = { "rxq", "txq" };

/* Read a decimal number of min..max. what: in the error. */
static int
number_read(const char *what, const char *value, uint64_t min, uint64_t max, uint64_t *n,
	struct err *e)
{
	char *end;

	errno = 0;
	*n = strtoull(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != '\0')
		return err_set(e, EINVAL, "%s \"%.64s\": expected a number", what, value);
	if (errno != 0 || *n < min || *n > max)
		return err_set(e, ERANGE, "%s %.64s: expected %" PRIu64 "..%" PRIu64, what, value,
			min, max);
	return 0;
}

/* Engines. */

static void
engines_offer(const struct run *r, const struct setting *s, struct offers *o, const char *before)
{
	char word[LINE_BYTES + 64];

	for (unsigned int i = 0; r->engines[i] != NULL; i++) {
		snprintf(word, sizeof(word), "%s%s", before, r->engines[i]->name);
		offer(o, word, r->engines[i]->help, false);
	}
}

static bool
engine_is(const struct run *r, const struct setting *s, const char *value)
{
	return r->engine == run_engine(r, value);
}

static int
engine_use(struct run *r, const struct setting *s, const struct plan_choice *choice,
	const char *value, struct err *e)
{
	run_engine_choose(r, run_engine(r, value), r->retry);
	return 0;
}

/* The number of forwarding lcores. */

static int
cores_check(const struct run *r, const struct setting *s, const char *value, struct err *e)
{
	/* A script is checked without lcores. */
	const uint64_t most = r->choice.n_lcores > 0 ? r->choice.n_lcores : RTE_MAX_LCORE;
	uint64_t n;

	if (number_read("cores", value, 1, most, &n, e) == 0)
		return 0;
	return e->code == ERANGE && n > 0 ? err_set(e, ERANGE,
						    "cores %s: this program has %" PRIu64
						    " forwarding lcore%s: start it with more in -l",
						    value, most, most == 1 ? "" : "s")
					  : -e->code;
}

static bool
cores_is(const struct run *r, const struct setting *s, const char *value)
{
	return r->choice.use_lcores == strtoul(value, NULL, 10);
}

static int
cores_use(struct run *r, const struct setting *s, const struct plan_choice *choice,
	const char *value, struct err *e)
{
	r->choice.use_lcores = (unsigned int)strtoul(value, NULL, 10);
	return 0;
}

/* Rx and Tx queues per port, equally many. */

static int
queues_check(const struct run *r, const struct setting *s, const char *value, struct err *e)
{
	uint64_t n;
	int ret = number_read("queues", value, 1, PORT_QUEUES_MAX, &n, e);

	for (size_t i = 0; ret == 0 && i < ARRAY_SIZE(both_queues); i++)
		ret = port_conf_word_check(r->ports, both_queues[i], value, e);
	return ret;
}

static bool
queues_is(const struct run *r, const struct setting *s, const char *value)
{
	const uint64_t n = strtoull(value, NULL, 10);

	return setting_u64(r->settings, both_queues[0]) == n &&
		setting_u64(r->settings, both_queues[1]) == n;
}

static int
queues_use(struct run *r, const struct setting *s, const struct plan_choice *choice,
	const char *value, struct err *e)
{
	int ret = port_conf_word(r->ports, both_queues[0], value, e);

	return ret == 0 ? port_conf_word(r->ports, both_queues[1], value, e) : ret;
}

/* Drivers: the forwarding ports are those that have the driver. */

static const char *
driver_of(const struct run *r, const struct plan_choice *c, unsigned int i)
{
	const struct port *p = port_at(r->ports, c->ports[i]);

	return p != NULL ? p->info.driver_name : "";
}

static void
drivers_offer(const struct run *r, const struct setting *s, struct offers *o, const char *before)
{
	const struct plan_choice *c = &r->choice;
	char word[LINE_BYTES + 64];

	for (unsigned int i = 0; i < c->use_ports; i++) {
		bool seen = false;

		for (unsigned int k = 0; k < i; k++)
			seen |= strcmp(driver_of(r, c, k), driver_of(r, c, i)) == 0;
		snprintf(word, sizeof(word), "%s%s", before, driver_of(r, c, i));
		if (!seen)
			offer(o, word, "forwarding ports of this driver", false);
	}
}

static bool
driver_is(const struct run *r, const struct setting *s, const char *value)
{
	return false; /* other ports of the driver may have been left out */
}

static int
driver_use(struct run *r, const struct setting *s, const struct plan_choice *choice,
	const char *value, struct err *e)
{
	struct plan_choice *c = &r->choice;

	c->n_ports = 0;
	for (unsigned int i = 0; i < choice->use_ports; i++)
		if (strcmp(driver_of(r, choice, i), value) == 0)
			c->ports[c->n_ports++] = choice->ports[i];
	c->use_ports = c->n_ports;
	return c->n_ports > 0 ? 0 : err_set(e, ENODEV, "no port has the driver %s any more", value);
}

/* Settings of a run, and of ports. */

static int
setting_value_check(const struct run *r, const struct setting *s, const char *value, struct err *e)
{
	return setting_check(r->settings, s->name, value, e);
}

static int
port_value_check(const struct run *r, const struct setting *s, const char *value, struct err *e)
{
	return port_conf_word_check(r->ports, s->name, value, e);
}

static void
choices_offer(const struct run *r, const struct setting *s, struct offers *o, const char *before)
{
	static const char *const switches[] = { "off", "on", NULL };
	const char *const *choice = s->kind == SETTING_CHOICE ? s->choices : switches;
	char word[LINE_BYTES + 64];

	for (; (s->kind == SETTING_CHOICE || s->kind == SETTING_BOOL) && *choice != NULL;
		choice++) {
		snprintf(word, sizeof(word), "%s%s", before, *choice);
		offer(o, word, "", false);
	}
}

bool
compare_kind_is_set(const struct run *r, const char *setting, const char *word)
{
	char now[32];

	return strcmp(setting_word(r->settings, setting, now, sizeof(now)), word) == 0;
}

static bool
setting_is(const struct run *r, const struct setting *s, const char *value)
{
	return compare_kind_is_set(r, s->name, value);
}

static int
setting_use(struct run *r, const struct setting *s, const struct plan_choice *choice,
	const char *value, struct err *e)
{
	return setting_parse(r->settings, s->name, value, e);
}

static int
port_use(struct run *r, const struct setting *s, const struct plan_choice *choice,
	const char *value, struct err *e)
{
	return port_conf_word(r->ports, s->name, value, e);
}

static const struct compare_kind kinds[] = {
	{ .word = "engines",
		.name = "engine",
		.help = "engines to compare",
		.offer = engines_offer,
		.is = engine_is,
		.use = engine_use },
	{ .word = "cores",
		.name = "cores",
		.help = "numbers of forwarding lcores to compare",
		.number = true,
		.check = cores_check,
		.is = cores_is,
		.use = cores_use },
	{ .word = "queues",
		.name = "queues",
		.help = "numbers of Rx and Tx queues per port to compare",
		.number = true,
		.ports = true,
		.check = queues_check,
		.is = queues_is,
		.use = queues_use },
	{ .word = "drivers",
		.name = "driver",
		.help = "drivers to compare: each with its ports of the forwarding ports",
		.offer = drivers_offer,
		.is = driver_is,
		.use = driver_use },
};
static const struct compare_kind run_setting = { .check = setting_value_check,
	.offer = choices_offer,
	.is = setting_is,
	.use = setting_use };
static const struct compare_kind port_setting = { .ports = true,
	.check = port_value_check,
	.offer = choices_offer,
	.is = setting_is,
	.use = port_use };

/* The kind of a setting; NULL if it cannot be compared, with why. */
static const struct compare_kind *
setting_kind(const struct setting *s, const char **why)
{
	if (port_conf_takes(s->name))
		return &port_setting;
	if (s->when != SETTING_CONFIGURE && s->kind != SETTING_TEXT)
		return &run_setting;
	*why = s->when == SETTING_CONFIGURE
		? "cannot be compared, because it is set up once, when the program starts"
		: "text settings cannot be compared";
	return NULL;
}

const struct compare_kind *
compare_kind_find(const struct run *r, const char *name, const struct setting **setting,
	const char **why)
{
	*setting = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].word, name) == 0)
			return &kinds[i];
	*setting = setting_find(r->settings, name);
	return *setting != NULL ? setting_kind(*setting, why) : NULL;
}

void
compare_kind_names(const struct run *r, struct offers *o, const char *end)
{
	const struct setting *s;
	const char *why;
	char word[64];

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		snprintf(word, sizeof(word), "%s%s", kinds[i].word, end);
		offer(o, word, kinds[i].help, false);
	}
	for (size_t i = 0; (s = setting_at(r->settings, i)) != NULL; i++) {
		snprintf(word, sizeof(word), "%s%s", s->name, end);
		if (setting_kind(s, &why) != NULL)
			offer(o, word, s->help, false);
	}
}

size_t
compare_kind_settings(const struct compare_kind *kind, const struct setting *s,
	const char *names[COMPARE_KIND_SETTINGS])
{
	if (s != NULL) {
		names[0] = s->name;
		return 1;
	}
	if (kind->use != queues_use)
		return 0;
	static_assert(ARRAY_SIZE(both_queues) <= COMPARE_KIND_SETTINGS, "");
	memcpy(names, both_queues, sizeof(both_queues));
	return ARRAY_SIZE(both_queues);
}
