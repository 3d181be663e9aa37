/* Whether the core is all ours: hyperthreads of a host's other guests take half of it, and no guest
 * is told. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* A reading more than so much above the lowest one was taken on a shared core. */
#define YARDSTICK_LIMIT 1.1

/*
 * TSC cycles per instruction of a loop that keeps all of the core's integer units busy, and no
 * memory: lowest where nobody shares them and the clock is fastest. Takes about a microsecond.
 * Thread: any.
 */
double yardstick(void);
