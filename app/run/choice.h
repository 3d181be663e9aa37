/* Which ports and lcores forward, in which order: lists, masks and numbers, checked before anything
 * changes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct run;

/*
 * All: 0, or -errno with e in testpmd's words, and then nothing changed. EBUSY while forwarding
 * ("Please stop forwarding first"); ENODEV for a port or lcore that is not there; ERANGE for a
 * number out of bounds; EINVAL for an empty mask. A list or mask says when it changes the number of
 * ports or lcores. Thread: control.
 */
int choice_portlist(struct run *r, const uint16_t *ids, unsigned int n, struct err *e);
int choice_portmask(struct run *r, uint64_t mask, struct err *e);
int choice_nbport(struct run *r, uint64_t n, struct err *e);
int choice_corelist(struct run *r, const uint16_t *lcores, unsigned int n, struct err *e);
int choice_coremask(struct run *r, uint64_t mask, struct err *e);
int choice_nbcore(struct run *r, uint64_t n, struct err *e);

/* "paired", "chained" or "loop". EINVAL for another word. */
int choice_topology(struct run *r, const char *word, struct err *e);

/* Every port, one lcore of all there are, default peers: as at start-up. */
int choice_default(struct run *r, struct err *e);
