/* A pipeline in a recording: one read of all its counters, the difference of two, and both as
 * members of a line. */
#include "record/record_pipeline.h"

#include "record/record_line.h"
#include "record/record_plan.h"

#include <rte_lcore.h>

#include <stdlib.h>
#include <string.h>

struct record_pipeline *
record_pipeline_new(const struct ring_pipeline *p)
{
	struct record_pipeline *rp = calloc(1, sizeof(*rp));

	if (rp == NULL)
		return NULL;
	rp->remote = p->remote;
	rp->n_io = p->n_io;
	rp->n_workers = p->n_workers;
	for (unsigned int i = 0; i < ring_figures_links(p); i++)
		rp->n_rings += ring_figures_link(p, i).link != NULL;
	rp->io = calloc(rp->n_io, sizeof(*rp->io));
	rp->workers = calloc(rp->n_workers, sizeof(*rp->workers));
	rp->rings = calloc(rp->n_rings, sizeof(*rp->rings));
	if (rp->io != NULL && rp->workers != NULL && rp->rings != NULL)
		return rp;
	record_pipeline_free(rp);
	return NULL;
}

void
record_pipeline_free(struct record_pipeline *rp)
{
	if (rp == NULL)
		return;
	free(rp->io);
	free(rp->workers);
	free(rp->rings);
	free(rp);
}

void
record_pipeline_take(struct record_pipeline *rp, const struct ring_pipeline *p)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < rp->n_io; i++) {
		struct record_pipeline_io *to = &rp->io[i];

		to->lcore = p->io[i].lcore;
		to->mode_in = atomic_load_explicit(&p->io[i].mode_in, memory_order_relaxed);
		to->mode_back = atomic_load_explicit(&p->io[i].mode_back, memory_order_relaxed);
		ring_figures_of_io(to->count, &p->io[i]);
	}
	for (unsigned int i = 0; i < rp->n_workers; i++) {
		struct record_pipeline_worker *to = &rp->workers[i];

		to->lcore = p->workers[i].lcore;
		to->pid = atomic_load_explicit(&p->workers[i].pid, memory_order_relaxed);
		ring_figures_of_worker(to->count, &p->workers[i]);
	}
	for (unsigned int i = 0; n < rp->n_rings; i++) {
		struct record_pipeline_ring *to = &rp->rings[n];

		to->place = ring_figures_link(p, i);
		if (to->place.link == NULL)
			continue;
		to->level = ring_figures_level(to->place.link);
		ring_figures_of_link(&to->count, to->place.link);
		n++;
	}
}

void
record_pipeline_copy(struct record_pipeline *to, const struct record_pipeline *from)
{
	memcpy(to->io, from->io, from->n_io * sizeof(*to->io));
	memcpy(to->workers, from->workers, from->n_workers * sizeof(*to->workers));
	memcpy(to->rings, from->rings, from->n_rings * sizeof(*to->rings));
}

static void
subtract(uint64_t *to, const uint64_t *before, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		to[i] -= before[i];
}

void
record_pipeline_subtract(struct record_pipeline *to, const struct record_pipeline *before)
{
	for (unsigned int i = 0; i < to->n_io; i++)
		subtract(to->io[i].count, before->io[i].count, RING_FIGURES_IO);
	for (unsigned int i = 0; i < to->n_workers; i++)
		subtract(to->workers[i].count, before->workers[i].count, RING_FIGURES_WORKER);
	for (unsigned int i = 0; i < to->n_rings; i++) {
		struct ring_figures *a = &to->rings[i].count;
		const struct ring_figures *b = &before->rings[i].count;

		subtract(a->put, b->put, RING_FIGURES_SIDE);
		subtract(a->taken, b->taken, RING_FIGURES_SIDE);
		subtract(a->fill, b->fill, RING_FILLS);
	}
}

static void
counts(struct json *j, const char *const *names, const uint64_t *count, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		out_json_u64(j, names[i], count[i]);
}

static void
io(struct json *j, const struct record_pipeline_io *one)
{
	out_json_enter(j, NULL, false);
	out_json_u64(j, "lcore", one->lcore);
	record_line_str(j, "mode_in", ring_figures_mode(one->mode_in));
	record_line_str(j, "mode_back", ring_figures_mode(one->mode_back));
	counts(j, ring_figures_io, one->count, RING_FIGURES_IO);
	out_json_leave(j);
}

static void
worker(struct json *j, const struct record_pipeline_worker *one, unsigned int i, bool remote)
{
	out_json_enter(j, NULL, false);
	out_json_u64(j, "worker", i);
	if (remote)
		out_json_i64(j, "pid", one->pid);
	else
		out_json_u64(j, "lcore", one->lcore);
	counts(j, ring_figures_worker, one->count, RING_FIGURES_WORKER);
	out_json_leave(j);
}

static void
side(struct json *j, const char *key, const char *const *names, const uint64_t *count)
{
	out_json_enter(j, key, false);
	counts(j, names, count, RING_FIGURES_SIDE);
	out_json_leave(j);
}

static void
ring(struct json *j, const struct record_pipeline_ring *one)
{
	const struct ring_figures_place *place = &one->place;

	out_json_enter(j, NULL, false);
	record_line_str(j, "direction", place->in ? "in" : "back");
	out_json_u64(j, "stream", place->stream);
	out_json_u64(j, "worker", place->worker);
	out_json_bool(j, "shared", place->shared);
	side(j, "put", ring_figures_put, one->count.put);
	/*
	 * Who empties a ring that several lead into, and what is in it, stands at the first of
	 * them.
	 */
	if (!place->shared) {
		side(j, "taken", ring_figures_taken, one->count.taken);
		out_json_u64(j, "level", one->level);
	}
	out_json_enter(j, "fill", true);
	for (unsigned int i = 0; i < RING_FILLS; i++)
		out_json_u64(j, NULL, one->count.fill[i]);
	out_json_leave(j);
	out_json_leave(j);
}

void
record_pipeline_json(struct json *j, const struct record_pipeline *rp,
	const struct record_plan *plan)
{
	out_json_enter(j, "pipeline", false);
	out_json_enter(j, "io", true);
	for (unsigned int i = 0; i < rp->n_io; i++)
		io(j, &rp->io[i]);
	out_json_leave(j);
	out_json_enter(j, "workers", true);
	for (unsigned int i = 0; i < rp->n_workers; i++)
		worker(j, &rp->workers[i], i, rp->remote);
	out_json_leave(j);
	out_json_enter(j, "rings", true);
	for (unsigned int i = 0; i < rp->n_rings; i++)
		if (record_plan_wants(plan, rp->rings[i].place.stream))
			ring(j, &rp->rings[i]);
	out_json_leave(j);
	out_json_leave(j);
}

void
record_pipeline_begin(struct json *j, const struct ring_pipeline *p)
{
	out_json_enter(j, "pipeline", false);
	record_line_str(j, "mode", ring_figures_mode(p->mode));
	record_line_str(j, "stage", ring_figures_stage(p->stage));
	record_line_str(j, "spread", ring_figures_spread(p->spread));
	out_json_u64(j, "ring_slots", p->size);
	out_json_bool(j, "full_waits", p->wait);
	out_json_bool(j, "shared_rings", p->shared);
	out_json_bool(j, "other_processes", p->remote);
	out_json_enter(j, "io_lcores", true);
	for (unsigned int i = 0; i < p->n_io; i++)
		out_json_u64(j, NULL, p->io[i].lcore);
	out_json_leave(j);
	out_json_u64(j, "workers", p->n_workers);
	if (!p->remote) {
		out_json_enter(j, "worker_lcores", true);
		for (unsigned int i = 0; i < p->n_workers; i++)
			out_json_u64(j, NULL, p->workers[i].lcore);
		out_json_leave(j);
	}
	out_json_leave(j);
}
