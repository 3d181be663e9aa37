/* Forwarding for a while. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch/timed.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "engines/engine.h"
#include "port/port_stats.h"
#include "run/run.h"
#include "watch/forward.h"

#include <rte_cycles.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_MS 500

struct wait {
	struct run *run;
	int interrupt_fd;
	bool terminal;
	uint64_t begin_tsc;
	uint64_t next_ms; /* when the progress line is due */
};

static double
elapsed_s(const struct wait *w)
{
	return (double)(rte_rdtsc() - w->begin_tsc) / (double)rte_get_tsc_hz();
}

static uint64_t
elapsed_ms(const struct wait *w)
{
	return (uint64_t)(elapsed_s(w) * 1000);
}

static uint64_t
packets(const struct run *r)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < r->plan.n_streams; i++) {
		const struct stream_count *c = &r->streams[i]->count;

		n += counter_read((r->engine_run->flags & ENGINE_MAKES) != 0 ? &c->tx : &c->rx);
	}
	return n;
}

static void
progress(struct wait *w, bool last)
{
	const double seconds = elapsed_s(w);
	uint64_t n;

	if (!w->terminal || (!last && elapsed_ms(w) < w->next_ms))
		return;
	w->next_ms = elapsed_ms(w) + PROGRESS_MS;
	n = packets(w->run);
	out_prompt(w->run->out, "\r%.*f s, %" PRIu64 " packets, %.3f Mpps%s", last ? 6 : 1, seconds,
		n, (double)n / seconds / 1e6, last ? "\n" : "   ");
}

static int
begin(struct wait *w, struct run *r, int interrupt_fd, struct err *e)
{
	int ret;

	out_nest(r->out, "start", OUT_OBJECT);
	ret = forward_start(r, 0, e);
	out_unnest(r->out);
	*w = (struct wait){ .run = r,
		.interrupt_fd = interrupt_fd,
		.terminal = isatty(STDOUT_FILENO) != 0 && out_format(r->out) == OUT_TEXT,
		.begin_tsc = rte_rdtsc(),
		.next_ms = PROGRESS_MS };
	return ret;
}

static int
end(struct wait *w, struct err *e)
{
	progress(w, true);
	return forward_stop_summed(w->run, e);
}

int
timed_ms(struct run *r, int interrupt_fd, uint64_t ms, struct err *e)
{
	struct wait w;
	uint64_t now;
	int ret = begin(&w, r, interrupt_fd, e);

	if (ret != 0)
		return ret;
	while ((now = elapsed_ms(&w)) < ms) {
		if (interrupt_wait(interrupt_fd, false,
			    ms - now < PROGRESS_MS ? (int)(ms - now) : PROGRESS_MS))
			break;
		progress(&w, false);
	}
	return end(&w, e);
}

int
timed_packets(struct run *r, int interrupt_fd, uint64_t n, struct err *e)
{
	struct wait w;
	int ret;

	if (r->secondary)
		return err_set(e, ENOTSUP,
			"packets are counted in the primary process: want start for SECONDS");
	r->limit = n;
	ret = begin(&w, r, interrupt_fd, e);
	r->limit = 0;
	if (ret != 0)
		return ret;
	while (packets(r) < n) {
		if (interrupt_wait(interrupt_fd, false, 1))
			break;
		progress(&w, false);
	}
	return end(&w, e);
}

int
timed_alone(struct run *r, int interrupt_fd, unsigned int period_s, bool tx_first, struct err *e)
{
	const int period_ms = (int)(period_s > 1000000 ? 1000000 : period_s) * 1000;
	ssize_t got = 1;
	char key;
	int ret;

	out_say(r->out, "No commandline core given, start packet forwarding\n");
	ret = forward_start(r, tx_first ? 1 : 0, e);
	if (ret != 0)
		return ret;
	if (period_s == 0) {
		out_prompt(r->out, "Press enter to exit\n");
		while (!interrupt_wait(interrupt_fd, true, -1))
			;
		if (!interrupt_pending(interrupt_fd))
			got = read(STDIN_FILENO, &key, 1);
		if (got < 0)
			return err_set(e, errno, "stdin: %s", strerror(errno));
		if (got == 0)
			out_warn(r->out,
				"stdin is at its end, and so is forwarding: want --stats-period=SECONDS to go on until a signal, or -i\n");
		return 0;
	}
	while (!interrupt_wait(interrupt_fd, false, period_ms)) {
		out_begin(r->out, "stats-period");
		ret = port_stats_period(r->ports, r->choice.ports, r->choice.use_ports, e);
		out_end(r->out, NULL, NULL);
		if (ret != 0 || out_gone(r->out))
			return ret;
	}
	return 0;
}
