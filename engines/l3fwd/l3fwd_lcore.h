/* Creates and frees the shared state of a run: per lcore the Tx queues, and per stream the queue
 * for each port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/l3fwd/l3fwd_state.h"

struct err;

/*
 * Initialise the state of s and all its siblings; paths remains NULL. Errors: ENOMEM, E2BIG for too
 * many streams on an lcore; l3fwd_lcore_free() has to be called even then. Thread: control.
 */
int l3fwd_lcore_make(struct stream *s, enum l3_lookup lookup, uint64_t drain_us, struct err *e);

/* The run that the stream belongs to; NULL if none was created. Thread: control. */
struct l3fwd *l3fwd_lcore_run(const struct stream *s);

/* Free waiting packets, counted as absorbed, and everything else except the paths. */
void l3fwd_lcore_free(struct l3fwd *run);

/* Whether the lcore has a Tx queue on the port. */
bool l3fwd_lcore_reaches(const struct l3fwd_lcore *l, uint16_t port);
