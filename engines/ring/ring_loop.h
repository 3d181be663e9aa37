/* The loops of a pipeline's lcores, from the start until the last packet is through. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"

/* engine_loop of lcores that own streams: I/O, and a worker's part where the lcore is one. */
void ring_loop_io(struct stream *const *streams, unsigned int n, const atomic_bool *stop);

struct ring_worker;

/*
 * A worker of another process, until *stop or the pipeline's end. Thread: an lcore of that process.
 */
void ring_loop_remote(struct ring_worker *w, const atomic_bool *stop);

/* engine_loop of workers. */
void ring_loop_worker(struct stream *const *streams, unsigned int n, const atomic_bool *stop);
