/* The command `measure rate`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/text.h"
#include "cmdline/grammar/grammar.h"
#include "features/rate/rate.h"

#include <errno.h>
#include <strings.h>

/* Read a rate in packets per second; 0 if the argument was omitted. */
static int
pps_read(const struct args *a, const char *name, double *pps, struct err *e)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = { { "", 1 }, { "pps", 1 }, { "kpps", 1e3 }, { "Mpps", 1e6 } };
	const char *text = arg_str(a, name, NULL), *unit;

	*pps = 0;
	if (text == NULL)
		return 0;
	if (text_amount(text, pps, &unit) && *pps > 0)
		for (size_t i = 0; i < ARRAY_SIZE(units); i++)
			if (strcasecmp(unit, units[i].unit) == 0) {
				*pps *= units[i].scale;
				return 0;
			}
	return arg_err(a, name, e, EINVAL, "\"%s\": expected packets per second, such as 2Mpps",
		text);
}

static int
measure_rate(struct app *app, const struct args *a, struct err *e)
{
	struct rate_ask ask = { .sizes = arg_str(a, "sizes", NULL),
		.latency_ms = arg_u64(a, "ms", 5000) };
	const struct arg *goals = arg_find(a, "goals");
	const int n = rate_goals_parse(goals != NULL ? goals->text : "ndr,pdr",
		goals != NULL ? (size_t)goals->column : 0, ask.goal, e);

	if (n < 0)
		return n;
	ask.n_goals = (unsigned int)n;
	if (pps_read(a, "min", &ask.min_pps, e) != 0 || pps_read(a, "max", &ask.max_pps, e) != 0)
		return -e->code;
	if (ask.max_pps > 0 && ask.min_pps >= ask.max_pps)
		return arg_err(a, "min", e, ERANGE, "expected less than %s", arg_str(a, "max", ""));
	return rate_search(&app->run, app->run.interrupt, &ask, e);
}

static void
goals_offer(const struct app *app, const char *params, const char *prefix, struct offers *o)
{
	rate_goals_offer(o);
}

static const struct arg_type types[] = {
	{ "goals", "goals such as ndr,pdr or ndr:trial=10s", arg_rest_parse, goals_offer },
};
const struct arg_table types_rate = { types, ARRAY_SIZE(types) };

static const struct cmd_row rows[] = {
	{ "measure rate {goals <goals:goals>} {sizes <sizes:str>} {from <min:str>} {to <max:str>} {latency <ms:uint 0..3600000 ms>}",
		measure_rate,
		"search the rate without loss of what is between the ports (RFC 9971); goals: ndr, pdr, rfc2544, tst009",
		NULL, NULL },
};

const struct cmd_table cmds_rate = { "rate", "the rate without loss", rows, ARRAY_SIZE(rows),
	CMD_ENGINES };
