/* Make and free what the streams of a run share: per lcore, its transmit queues and each stream's way
 * to each port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/l3fwd/l3fwd_state.h"

struct err;

/*
 * For all siblings of s: state of each. paths is still NULL. Errors: ENOMEM, E2BIG for more streams
 * than an lcore has numbers for; l3fwd_lcore_free() is due all the same. Thread: control.
 */
int l3fwd_lcore_make(struct stream *s, enum l3_lookup lookup, uint64_t drain_us, struct err *e);

/* The run that the stream belongs to; NULL: none was made. Thread: control. */
struct l3fwd *l3fwd_lcore_run(const struct stream *s);

/* Absorb what still waits, and free all but the paths. */
void l3fwd_lcore_free(struct l3fwd *run);

/* Whether an lcore has a transmit queue of the port. */
bool l3fwd_lcore_reaches(const struct l3fwd_lcore *l, uint16_t port);
