/* Telemetry of a pipeline: how it was put together, its I/O lcores, its workers and its rings, page
 * by page. */
#include "app.h"
#include "engines/ring/ring_figures.h"
#include "engines/ring/ring_setup.h"
#include "run/run_start.h"
#include "watch/telemetry_priv.h"
#include "watch/telemetry_reply.h"

#include <errno.h>
#include <stdio.h>

/* Of the current or last run; NULL: it had none. Lock held. */
static const struct ring_pipeline *
pipeline_of(const struct run *r)
{
	return r->streams != NULL && r->plan.n_routes > 0 ? ring_setup_of(r->streams[0]) : NULL;
}

int
telemetry_pipeline_all(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct run *r = &app->run;
	const struct ring_pipeline *p;
	unsigned int n = 0;

	pthread_mutex_lock(&r->lock);
	p = pipeline_of(r);
	if (p != NULL) {
		for (unsigned int i = 0; i < ring_figures_links(p); i++)
			n += ring_figures_link(p, i).link != NULL;
		telemetry_reply_u64(reply, "running", run_busy(r));
		telemetry_reply_u64(reply, "runs", r->n_runs);
		telemetry_reply_str(reply, "mode", ring_figures_mode(p->mode));
		telemetry_reply_str(reply, "stage", ring_figures_stage(p->stage));
		telemetry_reply_str(reply, "spread", ring_figures_spread(p->spread));
		telemetry_reply_u64(reply, "ring_slots", p->size);
		telemetry_reply_u64(reply, "full_waits", p->wait);
		telemetry_reply_u64(reply, "shared_rings", p->shared);
		telemetry_reply_u64(reply, "other_processes", p->remote);
		telemetry_reply_u64(reply, "n_io", p->n_io);
		telemetry_reply_u64(reply, "n_workers", p->n_workers);
		telemetry_reply_u64(reply, "n_rings", n);
	}
	pthread_mutex_unlock(&r->lock);
	return p != NULL ? 0 : -ENOENT;
}

static void
counts_put(struct telemetry_reply *reply, const char *const *names, const uint64_t *count,
	unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		telemetry_reply_u64(reply, names[i], count[i]);
}

/* Member number i of a page; false: there is none of that number, and the next may be. */
typedef bool member_put(struct telemetry_reply *one, const struct ring_pipeline *p, unsigned int i);

static bool
io_put(struct telemetry_reply *one, const struct ring_pipeline *p, unsigned int i)
{
	const struct ring_io *io = &p->io[i];
	uint64_t count[RING_FIGURES_IO];

	ring_figures_of_io(count, io);
	telemetry_reply_u64(one, "lcore", io->lcore);
	telemetry_reply_u64(one, "n_streams", io->n);
	telemetry_reply_str(one, "mode_in", ring_figures_mode(atomic_load(&io->mode_in)));
	telemetry_reply_str(one, "mode_back", ring_figures_mode(atomic_load(&io->mode_back)));
	counts_put(one, ring_figures_io, count, RING_FIGURES_IO);
	return true;
}

static bool
worker_put(struct telemetry_reply *one, const struct ring_pipeline *p, unsigned int i)
{
	const struct ring_worker *w = &p->workers[i];
	uint64_t count[RING_FIGURES_WORKER];

	ring_figures_of_worker(count, w);
	if (p->remote)
		telemetry_reply_u64(one, "pid", (uint64_t)atomic_load(&w->pid));
	else
		telemetry_reply_u64(one, "lcore", w->lcore);
	counts_put(one, ring_figures_worker, count, RING_FIGURES_WORKER);
	return true;
}

static void
side_put(struct telemetry_reply *one, const char *name, const char *const *names,
	const uint64_t *count)
{
	struct telemetry_reply part;

	telemetry_reply_nest(&part);
	counts_put(&part, names, count, RING_FIGURES_SIDE);
	telemetry_reply_put(one, name, &part);
}

static bool
ring_put(struct telemetry_reply *one, const struct ring_pipeline *p, unsigned int i)
{
	struct ring_figures_place place = ring_figures_link(p, i);
	struct ring_figures count;
	struct telemetry_reply fill;

	if (place.link == NULL)
		return false;
	ring_figures_of_link(&count, place.link);
	telemetry_reply_str(one, "direction", place.in ? "in" : "back");
	telemetry_reply_u64(one, "stream", place.stream);
	telemetry_reply_u64(one, "worker", place.worker);
	telemetry_reply_u64(one, "shared", place.shared);
	side_put(one, "put", ring_figures_put, count.put);
	if (!place.shared) {
		side_put(one, "taken", ring_figures_taken, count.taken);
		telemetry_reply_u64(one, "level", ring_figures_level(place.link));
	}
	telemetry_reply_array(&fill);
	for (unsigned int k = 0; k < RING_FILLS; k++)
		telemetry_reply_add(&fill, count.fill[k]);
	telemetry_reply_put(one, "fill", &fill);
	return true;
}

/* Members first..n-1, as many as fit, under the name of what they are. */
static void
page_put(struct telemetry_reply *reply, const char *what, const struct ring_pipeline *p,
	unsigned int first, unsigned int n, member_put *put)
{
	struct telemetry_reply list, one;
	char name[12];
	unsigned int i;

	telemetry_reply_rest(reply, &list);
	for (i = first; i < n; i++) {
		telemetry_reply_nest(&one);
		snprintf(name, sizeof(name), "%u", i);
		if (!put(&one, p, i))
			telemetry_reply_drop(&one);
		else if (!telemetry_reply_put(&list, name, &one))
			break;
	}
	telemetry_reply_put(reply, what, &list);
	if (i < n)
		telemetry_reply_u64(reply, "next", i);
}

enum page { PAGE_IO, PAGE_WORKERS, PAGE_RINGS };

static int
page_answer(struct app *app, const char *params, struct telemetry_reply *reply, enum page page)
{
	struct run *r = &app->run;
	const struct ring_pipeline *p;
	uint64_t first;
	int ret = telemetry_number(&params, 0, &first);

	if (ret != 0)
		return ret;
	pthread_mutex_lock(&r->lock);
	p = pipeline_of(r);
	if (p != NULL) {
		const struct {
			const char *name;
			unsigned int n;
			member_put *put;
		} pages[] = { { "io", p->n_io, io_put }, { "workers", p->n_workers, worker_put },
			{ "rings", ring_figures_links(p), ring_put } };

		if (first < pages[page].n)
			page_put(reply, pages[page].name, p, (unsigned int)first, pages[page].n,
				pages[page].put);
		else
			ret = -ENOENT;
	}
	pthread_mutex_unlock(&r->lock);
	return p != NULL ? ret : -ENOENT;
}

int
telemetry_pipeline_io(struct app *app, const char *params, struct telemetry_reply *reply)
{
	return page_answer(app, params, reply, PAGE_IO);
}

int
telemetry_pipeline_workers(struct app *app, const char *params, struct telemetry_reply *reply)
{
	return page_answer(app, params, reply, PAGE_WORKERS);
}

int
telemetry_pipeline_rings(struct app *app, const char *params, struct telemetry_reply *reply)
{
	return page_answer(app, params, reply, PAGE_RINGS);
}
