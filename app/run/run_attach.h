/* Pipelines across processes: what a primary shares, and how a secondary lends its lcores as
 * workers. */
#pragma once

#include <rte_config.h>

#include <stdatomic.h>
#include <stdbool.h>

struct err;
struct ring_pipeline;
struct ring_shared;
struct run;

/* What one lcore of a secondary is handed, and has. */
struct run_attach_lcore {
	struct ring_shared *shared;
	const atomic_bool *stop;
	_Atomic(struct ring_worker *) seat; /* NULL: it waits for one; written by the lcore */
};

struct run_attach {
	bool secondary;
	struct ring_shared *shared; /* NULL: this process shares no memory */
	int primary_fd;             /* secondary: of the primary process, for the alarm thread */
	atomic_bool orphaned; /* secondary: the primary has ended; written by the alarm thread */
	atomic_bool lending;  /* secondary: its lcores are workers; written by the control thread */
	struct run_attach_lcore lcore[RTE_MAX_LCORE];
};

/*
 * Primary: offer to share. Secondary: find what the primary shares. Errors, of a secondary alone:
 * ENOENT, ENOEXEC for another version, ENODEV for ports that the primary has not. version: of the
 * program. Thread: control, all of this file.
 */
int run_attach_open(struct run *r, const char *version, struct err *e);

/* No more looking after the primary; without effect in one. */
void run_attach_close(struct run *r);

/*
 * Secondary: let the forwarding lcores in use be workers of the primary's pipeline, of this one and
 * of those that follow. Those that find all places taken wait. EALREADY; EINVAL without lcores;
 * E2BIG for more than that pipeline has places; ESRCH when the primary has ended.
 */
int run_attach_start(struct run *r, struct err *e);

/* Secondary: the lcores have ended; say what they did. */
void run_attach_stopped(struct run *r);

/* The pipeline of this run or the last one, of the primary in a secondary; NULL: there is none. */
const struct ring_pipeline *run_attach_pipeline(const struct run *r);
