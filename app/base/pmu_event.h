/* Events by name: perf's words turned into numbers, by what the kernel says of its sources of
 * events. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/pmu.h"

struct err;

/*
 * Find the events that a word means:
 *   instructions         one of the kernel's own names
 *   r40f0                a raw event of the CPU, hexadecimal
 *   cpu/event=0xf0,umask=0x40/   terms of a source, or one of its events by name: cpu/l2-misses/
 *   uncore_imc_* /cas_count_read/ (without the blank)   all sources of such names, one event each
 *   A+B                  the events of both
 * event: room for max; *n of them. EINVAL it is no such word; ENOENT there is no such source, term
 * or name; E2BIG.
 */
int pmu_event_find(const char *devices, const char *word, struct pmu_event *event, unsigned int max,
	unsigned int *n, struct err *e);
