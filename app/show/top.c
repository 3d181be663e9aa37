/* top: samples the counters periodically and handles keys in between. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/top.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/setting.h"
#include "base/terminal.h"
#include "base/text.h"
#include "run/account/run_count.h"
#include "run/run.h"
#include "show/top_priv.h"

#include <rte_cycles.h>

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_S 0.2 /* length of the first interval, so that the first picture has rates soon */
#define ESCAPE 27
#define CTRL_C 3
#define CTRL_D 4

struct top {
	struct run *run;
	struct top_stats stats;
	struct top_view view;
	struct text text;
	struct interrupt *interrupt;
	int resize_fd;
	bool leave;
	uint64_t count, n; /* pictures to show, 0: no limit; shown */
	/* Of what the statistics are. */
	struct stream **streams;
	uint64_t begin_tsc;
};

static uint64_t
ticks(const struct top *t, double seconds)
{
	return (uint64_t)(seconds * t->run->tsc_hz);
}

static void
draw(struct top *t)
{
	if (t->stats.seconds == 0)
		return; /* rates need two samples */
	(void)out_terminal(t->run->out, &t->view.columns, &t->view.rows);
	top_stats_sort(&t->stats, t->view.order, t->view.reverse);
	top_screen_draw(&t->text, &t->stats, &t->view);
	if (t->text.bytes != NULL)
		out_prompt(t->run->out, "%s", t->text.bytes);
}

static void
toggle(struct top *t, const char *setting)
{
	setting_set(t->run->settings, setting, !setting_on(t->run->settings, setting), NULL);
}

/* Multiply the period, within its limits. */
static void
period_scale(struct top *t, double by)
{
	const double period = t->view.period * by;

	if (period >= TOP_PERIOD_MIN && period <= TOP_PERIOD_MAX)
		t->view.period = period;
}

static void
scroll(struct top *t, int rows)
{
	const int first = (int)t->view.first + rows;

	t->view.first = first > 0 ? (unsigned int)first : 0;
}

/* Handle an escape sequence: arrow and page keys. */
static void
escape_key(struct top *t, const char *sequence, char last)
{
	const int page = (int)t->view.rows / 2;

	if (last == 'A' || last == 'B')
		scroll(t, last == 'A' ? -1 : 1);
	else if (last == 'C')
		t->view.left++;
	else if (last == 'D' && t->view.left > 0)
		t->view.left--;
	else if (last == '~' && (*sequence == '5' || *sequence == '6'))
		scroll(t, *sequence == '5' ? -page : page);
}

static void
page_show(struct top *t, unsigned int page)
{
	t->view.page = page;
	t->view.first = t->view.left = 0;
	t->view.help = false;
}

static void
help_toggle(struct top *t)
{
	t->view.help = !t->view.help;
	t->view.first = 0;
}

static void
key(struct top *t, char c)
{
	switch (c) {
	case 'q':
	case 'Q':
	case CTRL_C:
	case CTRL_D: t->leave = true; break;
	case 's':
	case '>': t->view.order = (t->view.order + 1) % TOP_ORDERS; break;
	case '<': t->view.order = (t->view.order + TOP_ORDERS - 1) % TOP_ORDERS; break;
	case 'h':
	case '?': help_toggle(t); break;
	case '\t': page_show(t, (t->view.page + 1) % (top_pages_n + 1)); break;
	case 'r': t->view.reverse = !t->view.reverse; break;
	case '+': period_scale(t, 2); break;
	case '-': period_scale(t, 0.5); break;
	case ' ': t->view.paused = !t->view.paused; break;
	case 'b': toggle(t, "record-burst-stats"); break;
	case 'c': toggle(t, "record-core-cycles"); break;
	default:
		if (c >= '1' && c <= (char)('1' + top_pages_n))
			page_show(t, (unsigned int)(c - '1'));
		break;
	}
}

/* Handle all pending keys; end of file means that the terminal is gone. */
static void
keys(struct top *t)
{
	char bytes[64];
	ssize_t n = read(t->interrupt->keys, bytes, sizeof(bytes)), i;

	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		t->leave = true;
	for (i = 0; i < n; i++) {
		ssize_t begin = i + 2;

		if (bytes[i] != ESCAPE || i + 1 == n ||
			(bytes[i + 1] != '[' && bytes[i + 1] != 'O')) {
			key(t, bytes[i]);
			continue;
		}
		for (i = begin; i < n && (bytes[i] < '@' || bytes[i] > '~'); i++)
			;
		if (i < n)
			escape_key(t, bytes + begin, bytes[i]);
	}
}

/* Discard pending SIGWINCH: draw() reads the size anyway. */
static void
resized(const struct top *t)
{
	char bytes[512];

	while (read(t->resize_fd, bytes, sizeof(bytes)) > 0)
		;
}

/* Wait until due, handling keys and resizing as they come. */
static void
wait_until(struct top *t, uint64_t due)
{
	struct pollfd fds[] = { { t->interrupt->keys, POLLIN, 0 }, { t->resize_fd, POLLIN, 0 } };

	while (!t->leave) {
		uint64_t now = rte_rdtsc();
		int ms = now < due ? (int)((double)(due - now) * 1000 / t->run->tsc_hz) + 1 : 0;

		if (interrupt_poll(t->interrupt, fds, 2, t->view.paused ? -1 : ms) < 0 ||
			interrupt_pending(t->interrupt))
			t->leave = true;
		if (fds[0].revents != 0)
			keys(t);
		if (fds[1].revents != 0)
			resized(t);
		if (!t->leave && (fds[0].revents != 0 || fds[1].revents != 0))
			draw(t);
		if (!t->view.paused && rte_rdtsc() >= due)
			return;
	}
}

/* Take a sample and show it. */
static void
next(struct top *t)
{
	top_stats_next(&t->stats);
	top_pages_remember(&t->stats);
	draw(t);
	t->n++;
}

static bool
complete(const struct top *t)
{
	return t->count > 0 && t->n >= t->count;
}

static void
full_screen(struct top *t)
{
	uint64_t due = rte_rdtsc() + ticks(t, fmin(t->view.period, FIRST_S));

	t->resize_fd = interrupt_resize();
	out_prompt(t->run->out, TERMINAL_ENTER);
	while (!complete(t)) {
		wait_until(t, due);
		if (t->leave)
			break;
		next(t);
		due = rte_rdtsc() + ticks(t, t->view.period);
	}
	out_prompt(t->run->out, TERMINAL_LEAVE);
	if (t->resize_fd >= 0)
		close(t->resize_fd);
}

/* Print lines to a pipe or a file, or samples as JSON. */
static void
plain(struct top *t)
{
	const bool json = out_format(t->run->out) == OUT_JSON;
	double at_s = 0;

	if (json && t->count == 0)
		t->count = 1;
	out_nest(t->run->out, "samples", OUT_ARRAY);
	if (!json)
		top_screen_titles(&t->text);
	for (; !complete(t); t->n++) {
		if (interrupt_wait(t->interrupt, t->interrupt->keys, (int)(t->view.period * 1000)))
			break;
		top_stats_next(&t->stats);
		at_s += t->stats.seconds;
		if (json) {
			top_screen_json(t->run->out, &t->stats, at_s);
			continue;
		}
		top_screen_lines(&t->text, &t->stats, at_s);
		out_prompt(t->run->out, "%s", t->text.bytes != NULL ? t->text.bytes : "");
		text_clear(&t->text);
		if (out_gone(t->run->out))
			break;
	}
	out_unnest(t->run->out);
	interrupt_discard(t->interrupt);
}

static int
stats_open(struct top *t, struct err *e)
{
	t->streams = t->run->streams;
	t->begin_tsc = t->run->begin_tsc;
	if (t->streams == NULL)
		t->view.page = TOP_PAGE_PORTS;
	return top_stats_open(&t->stats, t->run, e);
}

static void
top_free(struct top *t)
{
	free(t->text.bytes);
	top_stats_close(&t->stats);
	free(t);
}

/* The steps of a full screen between which other commands run. */

/* Begin again if streams have come or gone since the last step. Returns false without memory. */
static bool
stats_follow(struct top *t)
{
	struct err e;

	if (t->streams == t->run->streams && t->begin_tsc == t->run->begin_tsc)
		return true;
	top_stats_close(&t->stats);
	t->stats = (struct top_stats){ .run = t->run };
	if (stats_open(t, &e) == 0)
		return true;
	t->stats = (struct top_stats){ .run = t->run };
	return false;
}

static int
task_step(void *ctx)
{
	struct top *t = ctx;

	if (t->view.paused)
		return (int)(FIRST_S * 1000);
	if (!stats_follow(t))
		return -1;
	next(t);
	return complete(t) ? -1 : (int)(t->view.period * 1000);
}

static bool
task_keys(void *ctx)
{
	struct top *t = ctx;

	keys(t);
	if (!t->leave && stats_follow(t))
		draw(t);
	return !t->leave;
}

static bool
task_end(void *ctx)
{
	struct top *t = ctx;

	out_prompt(t->run->out, TERMINAL_LEAVE);
	top_free(t);
	return true;
}

/* Show a full screen. Ends with t. */
static void
screen_run(struct top *t)
{
	const struct interrupt_task task = { task_step, task_keys, task_end, t, false };
	struct terminal_screen screen;

	if (interrupt_hand_over(t->interrupt, &task)) {
		out_prompt(t->run->out, TERMINAL_ENTER);
		return;
	}
	if (terminal_screen_begin(&screen, t->interrupt->keys)) {
		full_screen(t);
		terminal_screen_end(&screen);
	} else {
		plain(t);
	}
	top_free(t);
}

int
top_run(struct run *r, struct interrupt *interrupt, double period, uint64_t count, struct err *e)
{
	const bool screens = interrupt->keys >= 0 && out_clears(r->out);
	struct top *t;

	if (r->streams == NULL && !screens)
		return err_set(e, ENOENT, "no statistics yet: forwarding was never started");
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return err_set(e, ENOMEM, "no memory for top");
	t->run = r;
	t->interrupt = interrupt;
	t->count = count;
	t->view.period = period;
	t->view.blocks = terminal_blocks();
	if (stats_open(t, e) != 0) {
		free(t);
		return -e->code;
	}
	if (screens) {
		screen_run(t);
	} else {
		plain(t);
		top_free(t);
	}
	return 0;
}
