/* The loops of a pipeline's lcores, from start until the last packet has been sent. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/engine.h"

/* The engine_loop of lcores that own streams: I/O, and work if the lcore is a worker too. */
void ring_loop_io(struct stream *const *streams, unsigned int n, const atomic_bool *stop);

/* The same for streams with recycling: both queues of a stream belong to its I/O lcore. */
void ring_loop_io_recycling(struct stream *const *streams, unsigned int n, const atomic_bool *stop);

struct ring_worker;

/*
 * Run a worker in a secondary process until *stop or the end of the pipeline's run. Thread: an
 * lcore of that process.
 */
void ring_loop_remote(struct ring_worker *w, const atomic_bool *stop);

/* The engine_loop of workers. */
void ring_loop_worker(struct stream *const *streams, unsigned int n, const atomic_bool *stop);
