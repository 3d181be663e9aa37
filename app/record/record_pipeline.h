/* What a recording knows of a pipeline: its I/O lcores, its workers, its rings, and how it was put
 * together. */
#pragma once

#include "engines/ring/ring_figures.h"

#include <stdbool.h>
#include <stdint.h>

struct json;
struct record_plan;
struct ring_pipeline;

struct record_pipeline_io {
	unsigned int lcore;
	unsigned int mode_in, mode_back; /* enum ring_mode, in force when it was read */
	uint64_t count[RING_FIGURES_IO];
};

struct record_pipeline_worker {
	unsigned int lcore; /* LCORE_ID_ANY: of another process */
	int32_t pid;        /* which has the place now; 0: nobody */
	uint64_t count[RING_FIGURES_WORKER];
};

struct record_pipeline_ring {
	struct ring_figures_place place;
	unsigned int level; /* packets in it when it was read */
	struct ring_figures count;
};

/*
 * Numbers of one moment, or the differences of two with modes, processes and levels of the later.
 */
struct record_pipeline {
	bool remote; /* workers are other processes */
	unsigned int n_io, n_workers, n_rings;
	struct record_pipeline_io *io;
	struct record_pipeline_worker *workers;
	struct record_pipeline_ring *rings;
};

/* Room for a pipeline's figures, zeroed; NULL: no memory. Free with record_pipeline_free(). */
struct record_pipeline *record_pipeline_new(const struct ring_pipeline *p);

/* NULL is fine. */
void record_pipeline_free(struct record_pipeline *rp);

/* Read everything. Thread: any, while the pipeline stays. */
void record_pipeline_take(struct record_pipeline *rp, const struct ring_pipeline *p);

/* to = from; both of one pipeline. */
void record_pipeline_copy(struct record_pipeline *to, const struct record_pipeline *from);

/* Counts of to -= those of before, wrapping; both of one pipeline. */
void record_pipeline_subtract(struct record_pipeline *to, const struct record_pipeline *before);

/* Member pipeline of an interval: rings of streams that are not in the plan are left out. */
void record_pipeline_json(struct json *j, const struct record_pipeline *rp,
	const struct record_plan *plan);

/* Member pipeline of a begin line: what was decided when the run was made. */
void record_pipeline_begin(struct json *j, const struct ring_pipeline *p);
