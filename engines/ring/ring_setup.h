/* Creates a pipeline for a run, empties it afterwards, and frees it with its statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct plan;
struct plan_choice;
struct ring_pipeline;
struct settings;
struct stream;

/* join() of struct engine_helpers: creates one pipeline, to which kept of all streams points. */
int ring_setup_join(struct stream *const *streams, const struct plan *plan, struct err *e);

/* fini() of struct engine: frees and counts the packets left in a stream's rings. */
void ring_setup_end(struct stream *s);

/* Free the pipeline with its statistics; p may be NULL. Thread: control, after fini(). */
void ring_setup_free(struct ring_pipeline *p);

/* forget() of struct engine: frees the pipeline after the last stream. */
void ring_setup_forget(struct stream *s);

/* Divides a pipeline's lcores into I/O lcores and workers: as set, or half of each. */

/* split() of struct engine_helpers. Errors: ENODEV, EINVAL for lcores that cannot be used. */
int ring_split(const struct settings *settings, struct plan_choice *c, struct err *e);

/*
 * check() of the lcore settings: accepts "" or a list of lcores. Errors: those of text_numbers().
 */
int ring_split_check(const char *text, struct err *e);
