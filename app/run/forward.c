/* The commands start and stop: begin or end a run and print what testpmd prints. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/forward.h"

#include "base/err.h"
#include "base/out.h"
#include "engines/engine.h"
#include "run/run.h"
#include "run/run_engines.h"
#include "run/run_show.h"
#include "run/run_start.h"
#include "run/run_stats.h"

#include <errno.h>
#include <inttypes.h>

/* Print "number of flows for port 0: 1024"; text only, as show settings has the value in JSON. */
static void
shown_say(const struct run *r, const struct setting *s)
{
	for (unsigned int i = 0; s != NULL && i < r->choice.use_ports; i++)
		out_text(r->out, "  number of %s for port %u: %" PRIu64 "\n", s->unit,
			r->choice.ports[i], setting_u64(r->settings, s->name));
}

static void
flushed_say(const struct run *r)
{
	out_u64(r->out, "flushed", NULL, r->flushed);
	if (r->flushed > 0)
		out_note(r->out,
			"flush_rx discarded %" PRIu64
			" packets that waited in receive queues; \"set flush_rx off\" keeps them\n",
			r->flushed);
}

int
forward_start(struct run *r, unsigned int tx_first, struct err *e)
{
	int ret;

	if (r->secondary)
		return run_engines_lend(r, e);
	ret = run_prepare(r, e);
	if (ret == 0)
		ret = run_show_fwd(r, e);
	if (ret != 0)
		return ret;
	shown_say(r, r->engine->shown);
	out_nest(r->out, "config", OUT_OBJECT);
	run_show_rxtx(r);
	out_unnest(r->out);
	ret = run_begin(r, tx_first, e);
	if (ret == 0)
		flushed_say(r);
	return ret;
}

/* summed: print the summary line after testpmd's statistics. */
static int
stop(struct run *r, bool summed, struct err *e)
{
	if (!run_busy(r))
		return err_set(e, ENOENT, "Packet forwarding not started");
	out_text(r->out, "Telling cores to stop...");
	out_text(r->out, "\nWaiting for lcores to finish...\n");
	run_stop(r);
	if (!r->secondary)
		run_stats_show(r);
	if (summed && !r->secondary)
		run_summary_text(r);
	out_text(r->out, "\nDone.\n");
	return 0;
}

int
forward_stop(struct run *r, struct err *e)
{
	return stop(r, setting_on(r->settings, "run-summary"), e);
}

int
forward_stop_summed(struct run *r, struct err *e)
{
	return stop(r, true, e);
}
