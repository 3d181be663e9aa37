/* Stage l3fwd: longest prefix match, TTL, checksums and addresses for a burst; packets to be
 * dropped are marked. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_state.h"

struct routes;

/*
 * Build routing tables for a run's workers, and find each worker's ring to each port; the workers'
 * feeds and outs must exist. Only IPv4 or IPv6 with routes gets a table, of about 32 MiB, or 64 MiB
 * if workers are other processes. Returns NULL with e set: ENOMEM; ENODEV if no stream transmits to
 * a route's port.
 */
struct ring_l3fwd *ring_l3fwd_open(struct ring_pipeline *p, const struct routes *routes,
	struct err *e);
void ring_l3fwd_close(struct ring_l3fwd *l);

/*
 * Route a burst of feed f: set which[k] to the index in w->outs for packet k, and mark the packet's
 * pointer in its slot if it has to be dropped. Returns whether any packet goes to another ring than
 * f's own; if not, ignore which. Thread: the worker.
 */
bool ring_l3fwd(struct ring_worker *w, struct ring_feed *f, const struct ring_slots *slots,
	uint8_t *which);

/* Count packets that were put into rings of other streams. Call afterwards. Thread: the worker. */
void ring_l3fwd_count(struct ring_worker *w, const struct ring_feed *f, const uint8_t *which,
	uint16_t n);
