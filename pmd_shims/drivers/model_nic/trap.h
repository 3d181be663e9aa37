/* Registers that act when touched: the driver's accesses to the BAR fault and are done in its
 * place, hooks included. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

/*
 * Make m's BAR: m->bar, and m->bar_driver whose pages fault but for the family's open ones. Returns
 * 0 or -errno. Installs handlers for SIGSEGV and SIGTRAP; faults elsewhere go to whoever handled
 * them before.
 */
int trap_open(struct model *m);
void trap_close(struct model *m);

/* What runs the family's register functions holds this. Not recursive. */
void trap_lock(struct model *m);
void trap_unlock(struct model *m);

/*
 * Accesses done in the driver's place since trap_open(), and those of them that had to be
 * single-stepped.
 */
void trap_counts(const struct model *m, uint64_t *accesses, uint64_t *stepped);
