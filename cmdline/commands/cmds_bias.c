/* The command measure bias: a run without a device between the ports, whose latency is kept for
 * show measure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "engines/measure/measured.h"
#include "run/run.h"
#include "run/run_engines.h"
#include "run/timed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Twice the packets that a 99th percentile needs. */
#define RATE "20kpps"
#define LENGTH_MS 1000

/* The settings of a bias run. */
static const char *const names[] = { "generate-rate", "generate-gaps" },
			 *const values[] = { RATE, "even" };

/* Run with the values given, and restore the present ones. */
static int
run_given(struct run *r, int interrupt_fd, struct err *e)
{
	const struct timed_length length = { .n = LENGTH_MS };
	const struct engine *engine = r->engine;
	char *before[ARRAY_SIZE(names)];
	bool cut = false;
	int ret = 0;

	if (settings_save(r->settings, names, ARRAY_SIZE(names), before, e) != 0)
		return -e->code;
	for (size_t i = 0; i < ARRAY_SIZE(names) && ret == 0; i++)
		ret = setting_parse(r->settings, names[i], values[i], e);
	run_engine_choose(r, run_engine(r, "measure"), r->retry);
	if (ret == 0)
		ret = timed_silent(r, interrupt_fd, &length, &cut, e);
	if (ret == 0 && cut)
		ret = err_set(e, EINTR, "stopped by a signal: the bias was not measured");
	run_engine_choose(r, engine, r->retry);
	if (settings_restore(r->settings, names, ARRAY_SIZE(names), before, e) != 0)
		ret = -e->code;
	return ret;
}

/* Keep the bias of all ports, and print it. */
static void
keep_and_show(struct run *r, const struct measured_bias *bias)
{
	struct measured_config *config = run_engines_config(r, r->engine_run);
	uint64_t lost = 0, unsent = 0;

	out_nest(r->out, "ports", OUT_ARRAY);
	for (unsigned int i = 0; i < r->choice.use_ports; i++) {
		const uint16_t port = r->choice.ports[i];

		config->bias[port] = bias[port];
		if (bias[port].n == 0)
			continue;
		out_nest(r->out, NULL, OUT_OBJECT);
		out_u64(r->out, "port", "Port %" PRIu64 ", bias in us:", port);
		measured_bias_show(r->out, &bias[port]);
		out_unnest(r->out);
		out_text(r->out, "\n");
	}
	out_unnest(r->out);
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		const struct measured *m = r->streams[i]->kept;

		lost += m->lost != STAT_NONE ? m->lost : 0;
		unsent += counter_read(&r->streams[i]->count.named[MEASURED_UNSENT]);
	}
	out_u64(r->out, "unsent", NULL, unsent);
	out_u64(r->out, "lost", NULL, lost);
	if (unsent > 0)
		out_note(r->out,
			"%" PRIu64
			" packets were not sent in time: lcores were preempted, so the bias is too high; see \"doctor\"\n",
			unsent);
	if (lost > 0)
		out_note(r->out,
			"%" PRIu64
			" packets were lost: a device may be between the ports, or lcores were preempted\n",
			lost);
}

/* After an error the bias is as it was. */
static int
measure(struct app *app, const struct args *a, struct err *e)
{
	struct measured_bias bias[RTE_MAX_ETHPORTS] = { { 0 } };
	struct run *r = &app->run;
	uint64_t n = 0;
	int ret;

	if (r->secondary)
		return err_set(e, ENOTSUP, "measure bias works only in the primary process");
	if (run_busy(r))
		return err_set(e, EBUSY, "Please stop forwarding first");
	ret = run_given(r, app->interrupt_fd, e);
	for (unsigned int i = 0; i < r->choice.use_ports && ret == 0; i++) {
		const uint16_t port = r->choice.ports[i];

		ret = measured_bias_read(&bias[port], r->streams, r->plan.n_streams, port, e);
		n += bias[port].n;
	}
	if (ret != 0)
		return ret;
	if (n == 0)
		return err_set(e, ENODATA,
			"no packet came back within %d ms: connect the ports to each other, without a device between them",
			LENGTH_MS);
	keep_and_show(r, bias);
	return 0;
}

static int
clear(struct app *app, const struct args *a, struct err *e)
{
	struct run *r = &app->run;
	struct measured_config *config = run_engines_config(r, run_engine(r, "measure"));

	memset(config->bias, 0, sizeof(config->bias));
	return 0;
}

static const struct cmd_row rows[] = {
	{ "measure bias", measure,
		"measure the tool's own latency for 1 s at 20 kpps, with the ports connected to each other; show measure prints it",
		NULL },
	{ "measure bias clear", clear, "forget the bias of all ports", "measure bias clear" },
};

const struct cmd_table cmds_bias = { "bias", "bias of the engine measure", rows, ARRAY_SIZE(rows),
	CMD_ENGINES };
