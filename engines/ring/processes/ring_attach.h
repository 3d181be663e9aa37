/* Pipelines across processes: what the primary shares, and how a secondary lends its lcores as
 * workers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct engine_env;
struct err;
struct out;

/*
 * As open() of struct engine. Primary: offer to share. Secondary: find what the primary shares, and
 * look after it. Errors, of a secondary alone: ENOENT, ENOEXEC for another version, ENODEV for
 * ports that the primary has not. Thread: control, all of this file.
 */
int ring_attach_open(void *config, const struct engine_env *env, struct err *e);

/* As close() of struct engine. */
void ring_attach_close(void *config);

/*
 * As lend() of struct engine_helpers: the lcores are workers of the primary's pipeline, of this one
 * and of those that follow. Those that find all worker slots taken wait. EINVAL without lcores; E2BIG for
 * more than that pipeline has slots; ESRCH when the primary has ended; EBUSY.
 */
int ring_attach_lend(void *config, const unsigned int *lcores, unsigned int n, struct out *out,
	struct err *e);
