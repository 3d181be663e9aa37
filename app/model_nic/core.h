/* What the parts of the plugin that know no chip share: models, the thread that moves frames,
 * reports. */
#pragma once

#include "model_nic/config.h"
#include "model_nic/model.h"

/* What MODEL_NIC and its like said. Written once, when the bus is scanned first. */
extern struct model_config core_config;

/*
 * Make the models and their traffic as core_config says; none is probed. Returns 0, or -1 and a
 * line in why.
 */
int models_create(char *why, size_t size);

/*
 * The same for one port whose part of core_config is new; it is off. model_forget() ends its
 * traffic, so that nothing reads that part while it changes.
 */
int model_create(unsigned port, char *why, size_t size);
void model_forget(unsigned port);

/*
 * The process ends: disable every ring, finish traffic (files are written). The registers stay, for
 * drivers that still run. No thread moves frames any more.
 */
void models_close(void);

/* After models_close() and model_power_off(), where nothing runs any more: tests. */
void models_free(void);

/*
 * Registers at their power-on values, a BAR, the thread: what has to be there when the driver
 * probes. Returns 0 or -errno.
 */
int model_power_on(struct model *m);

/* After the driver has gone: no ring, no BAR. Idempotent. */
void model_power_off(struct model *m);

/*
 * Move frames once for every port that is on. Returns frames moved. Thread: any, they take turns.
 */
unsigned model_turns(void);

/* Whether a ring is enabled or a model watched: there are turns to take. */
bool models_awake(void);

/*
 * The thread of MODEL_NIC_MODE=thread; nothing in the other mode. Start: 0 or -errno; a second
 * start does nothing.
 */
int mover_start(void);
void mover_stop(void);

/* Whether a thread may run there: such a CPU exists, and nobody keeps this process from it. */
bool mover_cpu_usable(int cpu);

/* There are turns to take again. Thread: any, signal handlers too. */
void mover_wake(void);

/* Make telemetry's commands, when the application has telemetry. */
void control_register(void);

/* Write MODEL_NIC_REPORT's file. */
void control_report_write(void);
