/* port mirror RX TX: what a port receives, sent once more by another port, whatever the engine does
 * with it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_config.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct plan;
struct rte_mempool;
struct run;
struct run_mirror_queue;

/*
 * From the next start on, mirror port rx to port tx, instead of where it was mirrored to. EBUSY
 * while forwarding; ENODEV; EINVAL for itself. Thread: control, all of this file.
 */
int run_mirror_set(struct run *r, uint16_t rx, uint16_t tx, struct err *e);

/* No longer. EBUSY while forwarding; ENOENT when it is not mirrored. */
int run_mirror_off(struct run *r, uint16_t rx, struct err *e);

/*
 * Find a transmit queue for each mirrored receive queue of the plan, that no other lcore uses, and
 * decide between clones and copies. Changes nothing of the last run. Errors: ENETDOWN for a
 * mirror's port that is not started, ENOSPC when all its queues are other lcores', ENOMEM.
 */
int run_mirror_prepare(struct run *r, const struct plan *plan, struct err *e);

/*
 * Begin with what was prepared, right before the workers do. Errors: as run_mirror_queue_open();
 * then nothing is mirrored.
 */
int run_mirror_begin(struct run *r, struct err *e);

/* Count what mirrors do from here. */
void run_mirror_clear(struct run *r);

/* The workers are gone. */
void run_mirror_end(struct run *r);

/* Free all; the ports are closed. */
void run_mirror_close(struct run *r);
