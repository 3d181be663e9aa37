/* Forward for a duration or a number of packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/timed.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/text.h"
#include "engines/engine.h"
#include "port/port_stats.h"
#include "run/account/run_account.h"
#include "run/run.h"
#include "run/run_start.h"

#include <rte_common.h>
#include <rte_cycles.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_MS 1000
#define MS_MAX 1e12 /* as TSC ticks, it fits into 64 bits at any frequency */

/* Packets of all streams. */
struct moved {
	uint64_t received, sent, dropped;
};

struct wait {
	struct run *run;
	struct interrupt *interrupt;
	bool shown; /* its progress: on a terminal, or to who reads events */
	uint64_t begin_tsc;
	uint64_t next_ms; /* when the next line is due */
	uint64_t last_ms; /* time of the last one, and the packets until then */
	struct moved last;
};

static double
elapsed_s(const struct wait *w, uint64_t tsc)
{
	return (double)(tsc - w->begin_tsc) / w->run->tsc_hz;
}

static uint64_t
elapsed_ms(const struct wait *w)
{
	return (uint64_t)(elapsed_s(w, rte_rdtsc()) * 1000);
}

static struct moved
moved_read(const struct run *r)
{
	struct moved m = { .sent = 0 };

	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		const struct stream_count *c = &r->streams[i]->count;

		m.received += counter_read(&c->rx);
		m.sent += counter_read(&c->tx);
		m.dropped += counter_read(&c->tx_dropped);
	}
	return m;
}

/* Packets that count for a limit: what an engine makes, else what is received. */
static uint64_t
packets(const struct run *r)
{
	const struct moved m = moved_read(r);

	return (r->engine_run->flags & ENGINE_MAKES) != 0 ? m.sent : m.received;
}

/* Tell what has moved in so many seconds. */
static void
moved_tell(struct out *o, double at_s, double seconds, uint64_t rx, uint64_t tx, uint64_t dropped)
{
	const double rx_pps = (double)rx / seconds, tx_pps = (double)tx / seconds;
	char received[TEXT_SCALED_BYTES], sent[TEXT_SCALED_BYTES];

	if (!out_event_begin(o, "progress")) {
		out_prompt(o, "%5.1f s: received %s, sent %s, dropped %" PRIu64 "\n", at_s,
			text_scaled(received, 3, rx_pps, "pps"),
			text_scaled(sent, 3, tx_pps, "pps"), dropped);
		return;
	}
	out_f64(o, "seconds", NULL, at_s);
	out_f64(o, "rx_pps", NULL, rx_pps);
	out_f64(o, "tx_pps", NULL, tx_pps);
	out_u64(o, "dropped", NULL, dropped);
	out_event_end(o);
}

/* Tell of each second that has passed: the rates in it. */
static void
progress(struct wait *w)
{
	const uint64_t ms = elapsed_ms(w);
	struct moved m;

	if (!w->shown || ms < w->next_ms)
		return;
	m = moved_read(w->run);
	moved_tell(w->run->out, (double)ms / 1000, (double)(ms - w->last_ms) / 1000,
		m.received - w->last.received, m.sent - w->last.sent, m.dropped - w->last.dropped);
	w->last = m;
	w->last_ms = ms;
	w->next_ms = (ms / PROGRESS_MS + 1) * PROGRESS_MS;
}

static struct wait
waits(struct run *r, struct interrupt *interrupt)
{
	return (struct wait){ .run = r,
		.interrupt = interrupt,
		.begin_tsc = r->secondary ? rte_rdtsc() : r->begin_tsc,
		.next_ms = PROGRESS_MS };
}

/* Return the milliseconds until the next check of the progress; 0: the run is over. */
static int
left_ms(const struct wait *w, const struct timed_length *length)
{
	const uint64_t now = length->packets ? packets(w->run) : elapsed_ms(w);
	const bool ends = !w->run->secondary && (w->run->engine_run->flags & ENGINE_ENDS) != 0;

	if ((ends && atomic_load(&w->run->stop)) || (!length->done && now >= length->n))
		return 0;
	if (length->packets || ends)
		return 1;
	if (w->shown && w->next_ms <= now)
		return 1;
	return (int)RTE_MIN(length->n - now, w->shown ? w->next_ms - now : (uint64_t)PROGRESS_MS);
}

/* Wait until the run is over. Returns false if a signal arrived before. */
static bool
wait_for(struct wait *w, const struct timed_length *length)
{
	int ms;

	while ((ms = left_ms(w, length)) > 0) {
		if (interrupt_wait(w->interrupt, -1, ms))
			return false;
		progress(w);
	}
	return true;
}

/* Set the limit of the next start; length NULL: none. */
static void
limit_set(struct run *r, const struct timed_length *length)
{
	const bool timed = length != NULL && !length->packets && !length->done;

	r->limit = length != NULL && length->packets ? length->n : 0;
	r->deadline.ms = timed && run_deadline_prepare(&r->deadline) ? length->n : 0;
	r->deadline.tsc_hz = r->tsc_hz;
	r->deadline.stop = &r->stop;
	r->deadline.ending = &r->ending;
}

int
timed_read(const char *word, const char *unit, struct timed_length *to, const char **bad,
	struct err *e)
{
	const char *own = "";
	double amount = 0;

	*bad = word;
	if (text_amount_check(word, &amount, &own, e) != 0)
		return -e->code;
	if (strlen(own) == 1 && text_packets(1, own) > 0 &&
		(unit == NULL || strcmp(unit, "packets") != 0)) {
		if (unit != NULL)
			*bad = unit;
		return err_set(e, EINVAL, "\"%s\": expected packets after it", word);
	}
	if (unit != NULL && *own != '\0' && text_packets(1, own) == 0) {
		*bad = unit;
		return err_set(e, EINVAL, "\"%s %s\": expected one unit, not two", word, unit);
	}
	own = *own != '\0' ? own : unit != NULL ? unit : "s";
	*to = (struct timed_length){ .packets = text_packets(1, own) > 0 };
	if (to->packets)
		amount = text_packets(amount, own);
	else
		amount = text_seconds(amount, own) * 1e3;
	if (amount < 1 || (to->packets && amount != floor(amount)))
		return err_set(e, ERANGE, "\"%s\": expected %s", word,
			to->packets ? "a whole number of packets" : "at least 1 ms");
	if (!to->packets && amount > MS_MAX)
		return err_set(e, ERANGE, "\"%s\": expected at most 1000000000 s", word);
	to->n = (uint64_t)amount;
	return 0;
}

/*
 * Check that a run of a number of packets, or until its engine was done, did all of it. cut: a signal
 * ended it. EIO: it did not.
 */
static int
complete_check(const struct run *r, const struct timed_length *length, bool cut, struct err *e)
{
	const char *did = (r->engine_run->flags & ENGINE_MAKES) != 0 ? "sent" : "received";
	const char *name = r->engine_run->name;
	struct run_account a;

	if (!length->packets && !length->done)
		return 0;
	run_account_read(r, &a);
	if (cut && length->packets)
		return err_set(e, EIO,
			"engine %s %s %" PRIu64 " of %" PRIu64
			" packets, then a signal ended the run",
			name, did, packets(r), length->n);
	if (cut)
		return err_set(e, EIO,
			"a signal ended the run after engine %s had sent %" PRIu64 " packets", name,
			a.sent);
	if ((r->engine_run->flags & ENGINE_ENDS) == 0 || a.sent == a.asked)
		return 0;
	return err_set(e, EIO,
		"engine %s sent %" PRIu64 " of %" PRIu64 " packets: %" PRIu64
		" were not sent in time, %" PRIu64 " were refused by ports, %" PRIu64
		" were not sent by ports that had accepted them",
		name, a.sent, a.asked, a.unsent, a.refused, a.tx_errors);
}

int
timed_run(struct run *r, struct interrupt *interrupt, const struct timed_length *length,
	struct err *e)
{
	struct wait w;
	bool cut;
	int ret;

	if (r->secondary && length->packets)
		return err_set(e, ENOTSUP,
			"a secondary process cannot count packets: use \"start for SECONDS\"");
	if (length->done && (r->secondary || (r->engine->flags & ENGINE_ENDS) == 0))
		return err_set(e, ENOTSUP, "engine %s never ends a run: use \"start for SECONDS\"",
			r->engine->name);
	limit_set(r, length);
	out_nest(r->out, "start", OUT_OBJECT);
	ret = run_start(r, 0, true, e);
	out_unnest(r->out);
	limit_set(r, NULL);
	if (ret != 0)
		return ret;
	w = waits(r, interrupt);
	w.shown = out_on_terminal(r->out) || out_has_events(r->out);
	cut = !wait_for(&w, length);
	(void)run_halt(r);
	ret = run_stop_summary(r, e);
	return ret == 0 && !r->secondary ? complete_check(r, length, cut, e) : ret;
}

int
timed_silent(struct run *r, struct interrupt *interrupt, const struct timed_length *length,
	bool *cut, struct err *e)
{
	struct wait w;
	int ret;

	*cut = true;
	limit_set(r, length);
	ret = run_start(r, 0, false, e);
	limit_set(r, NULL);
	if (ret != 0)
		return ret;
	w = waits(r, interrupt);
	*cut = !wait_for(&w, length);
	run_stop(r);
	return r->secondary ? 0 : run_account_valid(r, e);
}

const char *
timed_left(double seconds, char to[TIMED_LEFT_BYTES])
{
	const double minutes = ceil(seconds / 60);

	to[0] = '\0';
	if (isnan(seconds))
		return to;
	if (seconds < 100)
		snprintf(to, TIMED_LEFT_BYTES, ", about %.0f s left", fmax(1, ceil(seconds)));
	else if (minutes < 100)
		snprintf(to, TIMED_LEFT_BYTES, ", about %.0f min left", minutes);
	else
		snprintf(to, TIMED_LEFT_BYTES, ", about %.0f h left", ceil(minutes / 60));
	return to;
}

int
timed_alone(struct run *r, struct interrupt *interrupt, unsigned int period_s, bool tx_first,
	struct err *e)
{
	const int period_ms = (int)(period_s > 1000000 ? 1000000 : period_s) * 1000;
	ssize_t got = 1;
	char key;
	int ret;

	out_say(r->out, "No commandline core given, start packet forwarding\n");
	ret = run_start(r, tx_first ? 1 : 0, true, e);
	if (ret != 0)
		return ret;
	if (period_s == 0) {
		out_prompt(r->out, "Press enter to exit\n");
		while (!interrupt_wait(interrupt, STDIN_FILENO, -1))
			;
		if (!interrupt_pending(interrupt))
			got = read(STDIN_FILENO, &key, 1);
		if (got < 0)
			return err_set(e, errno, "stdin: %s", strerror(errno));
		if (got == 0)
			out_warn(r->out,
				"End of input: stopping. To keep forwarding without a terminal use --stats-period=SECONDS; for a shell use -i.\n");
		return 0;
	}
	while (!interrupt_wait(interrupt, -1, period_ms)) {
		out_begin(r->out, "stats-period");
		ret = port_stats_period(r->ports, r->choice.ports, r->choice.use_ports, e);
		out_end(r->out, NULL, NULL);
		if (ret != 0 || out_gone(r->out))
			return ret;
	}
	return 0;
}
