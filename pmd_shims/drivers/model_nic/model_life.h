/* Making models, powering them on and off, enabling their rings, polling, and their links. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

/*
 * Make the models and their traffic according to config_current, before any is probed. Returns 0,
 * or -1 with one line in why (of size bytes).
 */
int models_create(char *why, size_t size);

/*
 * Make the model and traffic of one port, which is off, after its part of config_current has
 * changed. Before changing that part call model_forget(), which ends the port's traffic, so that
 * nothing reads it. Returns 0, or -1 with one line in why (of size bytes).
 */
int model_create(unsigned port, char *why, size_t size);
void model_forget(unsigned port);

/*
 * Disable all rings and end all traffic, which writes files, when the process ends. Registers
 * remain, since drivers may still run. No thread may be moving frames.
 */
void models_close(void);

/*
 * Prepare for the driver's probe: make the BAR, set registers to their power-on values, start the
 * thread. Returns 0 or -errno.
 */
int model_power_on(struct model *m);

/* Disable all rings and remove the BAR after the driver was removed. Idempotent. */
void model_power_off(struct model *m);

/* Start moving frames on a ring that is set up; sets head and seen to 0. Thread: any. */
void model_ring_enable(struct model *m, struct ring *r);

/*
 * Stop moving frames on a ring. Returns when no thread of the model uses the ring any more, so the
 * driver can free its mbufs. Idempotent. Thread: any except the model's own.
 */
void model_ring_disable(struct model *m, struct ring *r);

/*
 * Take the filters that the driver has programmed by rings without traffic. Thread: any, but not from
 * a poll.
 */
void model_filters_take(struct model *m);

/* Disable all rings of a port, or those whose descriptors begin in a part of memory. */
void model_rings_disable(struct model *m);
void model_rings_leave(struct model *m, uint64_t address, uint64_t size);

/*
 * on: call family->watch before each poll, and poll even while no ring is enabled. Idempotent.
 * Thread: any, but not from a poll.
 */
void model_watch(struct model *m, bool on);

/*
 * Set the link up or down: sets link_up and calls family->link() with trap_lock() held. Thread: any
 * that does not hold trap_lock(), and not from a poll (see model_ask()).
 */
void model_link(struct model *m, bool up);

/* Reset the card from outside, as a reset of its slot does. Thread: as for model_link(). */
void model_reset(struct model *m);

enum { MODEL_MSI = -1 };

/*
 * Let a guest's vector, 0..MODEL_VECTORS_MAX-1, or its MSI raise this event; -1: none. The model closes
 * the event. model_vectors_close(): MSI-X is off, and no vector raises any. Thread: one that does not
 * hold trap_lock(), and not from a poll.
 */
void model_event_set(struct model *m, int vector, int event);
void model_vectors_close(struct model *m);

/*
 * Move frames once for each port that is on. Returns frames moved. Thread: any, one at a time.
 */
unsigned models_poll(void);

/*
 * Wait for the end of a poll that is running, then act on registers that do not trap, as the next
 * poll would. Thread: any that does not hold trap_lock(), and not from a poll.
 */
void models_settle(void);

/* True if a ring is enabled or a model is watched, so that there is something to poll. */
bool models_awake(void);
