/* Registers with side effects: the driver's accesses to the BAR fault and are emulated, together
 * with calls of the family's functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

/*
 * Make m's BAR: m->bar, and m->bar_driver, whose pages fault except for the family's open ones.
 * Installs handlers for SIGSEGV and SIGTRAP; faults at other addresses are passed to the previous
 * handler. Returns 0 or -errno. trap_close() removes the BAR.
 */
int trap_open(struct model *m);
void trap_close(struct model *m);

/* Lock that is held while register functions of the family run. Not recursive. */
void trap_lock(struct model *m);
void trap_unlock(struct model *m);

/*
 * Access the BAR for a driver that is not in this process: 1, 2, 4 or 8 bytes. Returns false if the
 * access is misaligned or beyond the BAR. Thread: any that does not hold trap_lock().
 */
bool trap_read(struct model *m, uint32_t offset, uint8_t bytes, uint64_t *value);
bool trap_write(struct model *m, uint32_t offset, uint8_t bytes, uint64_t value);

/*
 * Number of emulated accesses since trap_open(), and how many of them had to be single-stepped.
 */
void trap_counts(const struct model *m, uint64_t *accesses, uint64_t *stepped);
