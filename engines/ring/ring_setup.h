/* A pipeline made for a run, emptied after it, and freed when its statistics are no longer
 * wanted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct plan;
struct ring_pipeline;
struct stream;

/* As join() of struct engine_helpers: all streams keep one pipeline afterwards. */
int ring_setup_join(struct stream *const *streams, const struct plan *plan, struct err *e);

/* As fini() of struct engine: what is left in the rings of a stream is freed and counted. */
void ring_setup_end(struct stream *s);

/* Free what streams share, with its statistics; NULL is fine. Thread: control, after fini(). */
void ring_setup_free(struct ring_pipeline *p);

/* As forget() of struct engine. */
void ring_setup_forget(struct stream *s);
