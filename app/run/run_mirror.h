/* port mirror RX TX: send a port's received packets on another port too, independent of the
 * engine. */
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
 * From the next start on, mirror port rx to port tx, instead of its former target. EBUSY while
 * forwarding; ENODEV; EINVAL: the same port twice. Thread: control, for all of this file.
 */
int run_mirror_set(struct run *r, uint16_t rx, uint16_t tx, struct err *e);

/* Stop mirroring port rx. EBUSY while forwarding; ENOENT: it is not mirrored. */
int run_mirror_off(struct run *r, uint16_t rx, struct err *e);

/*
 * Find a transmit queue that no other lcore uses for each mirrored receive queue of the plan, and
 * decide between clones and copies. The queues of the last run are unchanged. ENETDOWN: the target
 * port is not started; ENOSPC: other lcores use all its queues; ENOMEM.
 */
int run_mirror_prepare(struct run *r, const struct plan *plan, struct err *e);

/*
 * Start the prepared mirrors, before the workers. Errors: as run_mirror_queue_open(); then nothing
 * is mirrored.
 */
int run_mirror_begin(struct run *r, struct err *e);

/* Let the mirrors' statistics count from now on. */
void run_mirror_clear(struct run *r);

/* Stop the mirrors, after the workers. */
void run_mirror_end(struct run *r);

/* Free queues and pool, after the ports are closed. */
void run_mirror_close(struct run *r);
