/* The life of a model: made, powered, its rings on and off, polls, its link. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

/*
 * Make the models and their traffic as config_current says; none is probed. Returns 0, or -1 and a
 * line in why.
 */
int models_create(char *why, size_t size);

/*
 * The same for one port whose part of config_current is new; it is off. model_forget() ends its
 * traffic, so that nothing reads that part while it changes.
 */
int model_create(unsigned port, char *why, size_t size);
void model_forget(unsigned port);

/*
 * The process ends: disable every ring, finish traffic (files are written). The registers stay, for
 * drivers that still run. No thread moves frames any more.
 */
void models_close(void);

/*
 * Registers at their power-on values, a BAR, the thread: what has to be there when the driver
 * probes. Returns 0 or -errno.
 */
int model_power_on(struct model *m);

/* After the driver has gone: no ring, no BAR. Idempotent. */
void model_power_off(struct model *m);

/* Start moving frames on a ring whose geometry is set up: head and seen become 0. Thread: any. */
void model_ring_enable(struct model *m, struct ring *r);

/*
 * Stop, and return only when no thread of the model touches the ring any more: the driver frees its
 * mbufs next. Idempotent. Thread: any but the model's own.
 */
void model_ring_disable(struct model *m, struct ring *r);

/* Disable every ring. */
void model_rings_disable(struct model *m);

/*
 * Call family->watch before each poll, and poll even while no ring is enabled; or no longer.
 * Idempotent. Thread: any but the model's own in a poll.
 */
void model_watch(struct model *m, bool on);

/*
 * Pull or plug the cable: family->link() runs, under the same lock as its register functions, and
 * link_up follows. Thread: any but the driver's under trap, and in no poll (see model_ask()).
 */
void model_link(struct model *m, bool up);

/*
 * Move frames once for every port that is on. Returns frames moved. Thread: any, one at a time.
 */
unsigned models_poll(void);

/*
 * Act on registers that do not trap, as the next poll would, after the poll that is under way has
 * ended. Thread: any, in no poll and not under trap.
 */
void models_settle(void);

/* Whether a ring is enabled or a model watched: there is something to poll. */
bool models_awake(void);
