/* Stage l3fwd: longest prefix match, hop limits, checksums and addresses for a burst; what is to
 * be dropped is marked. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_state.h"

struct err;
struct routes;

/*
 * Tables for a run's workers out of the routes, and each worker's way to each port: feeds and outs
 * must be there. Only families that have routes get tables, of about 32 MiB each, 64 where workers
 * are other processes. NULL with e filled: ENOMEM, ENODEV for a port that no stream transmits to.
 */
struct ring_l3fwd *ring_l3fwd_open(struct ring_pipeline *p, const struct routes *routes,
	struct err *e);
void ring_l3fwd_close(struct ring_l3fwd *l);

/*
 * Route a burst of feed f: which[k] := place among w's outs of packet k, whose pointer in the span
 * is marked when it is to be dropped. Returns whether there is any for another ring than f's own;
 * else which need not be looked at. Thread: the worker.
 */
bool ring_l3fwd(struct ring_worker *w, struct ring_feed *f, const struct ring_slots *slots,
	uint8_t *which);

/* Count what went to other streams' queues, once it is there. Thread: the worker. */
void ring_l3fwd_count(struct ring_worker *w, const struct ring_feed *f, const uint8_t *which,
	uint16_t n);
