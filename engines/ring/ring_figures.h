/* A pipeline's counts as plain numbers that have names, for those who look from outside: recordings
 * and telemetry. */
#pragma once

#include "engines/ring/ring_state.h"

#include <stdbool.h>
#include <stdint.h>

/* How many numbers there are of each kind. */
enum {
	RING_FIGURES_SIDE = 6,   /* one end of a ring */
	RING_FIGURES_WORKER = 7, /* a worker */
	RING_FIGURES_IO = 4,     /* an I/O lcore, beside its streams' counters */
};

/* Of one ring; fill: bursts put, by how full, in eighths, the ring was after them. */
struct ring_figures {
	uint64_t put[RING_FIGURES_SIDE], taken[RING_FIGURES_SIDE], fill[RING_FILLS];
};

/* Names of the numbers, in their order. */
extern const char *const ring_figures_put[RING_FIGURES_SIDE];
extern const char *const ring_figures_taken[RING_FIGURES_SIDE];
extern const char *const ring_figures_worker[RING_FIGURES_WORKER];
extern const char *const ring_figures_io[RING_FIGURES_IO];

/* The words of enum ring_mode, enum ring_stage and enum ring_spread, then NULL: settings' choices. */
extern const char *const ring_figures_modes[];
extern const char *const ring_figures_stages[];
extern const char *const ring_figures_spreads[];

/* The word of one of them. */
const char *ring_figures_mode(unsigned int mode);
const char *ring_figures_stage(unsigned int stage);
const char *ring_figures_spread(unsigned int spread);

/* Counts since the begin of the run. Thread: any, while the pipeline stays, all of this file. */
void ring_figures_of_link(struct ring_figures *to, const struct ring_link *l);
void ring_figures_of_worker(uint64_t to[RING_FIGURES_WORKER], const struct ring_worker *w);
void ring_figures_of_io(uint64_t to[RING_FIGURES_IO], const struct ring_io *io);

/* Where a ring leads. */
struct ring_figures_place {
	const struct ring_link *link; /* NULL: nothing goes there */
	unsigned int stream, worker;
	bool in; /* to the worker, else back */
	/* another way into a ring that was numbered before: who empties it counts there */
	bool shared;
};

/* Rings are numbered from 0: stream by stream, worker by worker, the way in before the way back. */
unsigned int ring_figures_links(const struct ring_pipeline *p);
struct ring_figures_place ring_figures_link(const struct ring_pipeline *p, unsigned int number);

/* Packets that are in the ring now. */
unsigned int ring_figures_level(const struct ring_link *l);
