/* Choose the ports and lcores that forward, and their order, by lists, masks and numbers;
 * everything is checked before anything changes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct run;

/*
 * All return 0, or -errno without a change, with testpmd's message in e. EBUSY while forwarding
 * ("Please stop forwarding first"); ENODEV: no such port or lcore; ERANGE: number out of bounds;
 * EINVAL: empty mask. A list or mask prints a line if it changes the number of ports or lcores.
 * Thread: control.
 */
int choice_portlist(struct run *r, const uint16_t *ids, unsigned int n, struct err *e);
int choice_portmask(struct run *r, uint64_t mask, struct err *e);
int choice_nbport(struct run *r, uint64_t n, struct err *e);
int choice_corelist(struct run *r, const uint16_t *lcores, unsigned int n, struct err *e);
int choice_coremask(struct run *r, uint64_t mask, struct err *e);
int choice_nbcore(struct run *r, uint64_t n, struct err *e);

/* Choose the topology "paired", "chained" or "loop". EINVAL: another word. */
int choice_topology(struct run *r, const char *word, struct err *e);

/* Restore the choice of program start: every port, one lcore, default peers. EBUSY. */
int choice_default(struct run *r, struct err *e);
