/* Find events by perf's names, using the kernel's description of its event sources. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/pmu.h"

struct err;

/*
 * Find the events that a word names:
 *   instructions         one of the kernel's own names
 *   r40f0                a raw event of the CPU, hexadecimal
 *   cpu/event=0xf0,umask=0x40/   terms of a source, or one of its events by name: cpu/l2-misses/
 *   uncore_imc_* /cas_count_read/ (without the blank)   one event of each matching source
 *   A+B                  the events of both
 * event: room for max events; *n becomes their number. EINVAL: bad syntax or name; ENOENT: no such
 * source or term; E2BIG: more than max events.
 */
int pmu_event_find(const char *devices, const char *word, struct pmu_event *event, unsigned int max,
	unsigned int *n, struct err *e);
