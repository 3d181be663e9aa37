/* Pipelines across processes: a secondary process provides its lcores as workers to the primary. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct engine_env;
struct err;
struct out;

/*
 * open() of struct engine. Primary: share the pipeline. Secondary: attach to the primary's pipeline
 * and monitor whether the primary is alive. Errors, in a secondary only: those of
 * ring_worker_slot_find(); ENODEV for a port that the primary does not have. Thread: control, all
 * of this file.
 */
int ring_attach_open(void *config, const struct engine_env *env, struct err *e);

/* close() of struct engine. */
void ring_attach_close(void *config);

/*
 * lend() of struct engine_helpers: the lcores become workers of the primary's current and future
 * pipelines. An lcore waits while all worker slots are taken. Errors: EINVAL without lcores; E2BIG
 * for more lcores than the pipeline has slots; ESRCH if the primary has ended; EBUSY if an lcore is
 * still running.
 */
int ring_attach_lend(void *config, const unsigned int *lcores, unsigned int n, struct out *out,
	struct err *e);
