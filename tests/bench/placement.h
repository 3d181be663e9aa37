/* How near to each other two CPUs are: the round trip of a cache line. On virtual machines it
 * changes while one looks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;

/*
 * The median round trip of a cache line between the calling thread and one on that CPU, ns. Costs
 * milliseconds; a few seconds where others hold the CPUs. Errors: EINVAL when no thread can run
 * there, ETIMEDOUT when none ever did. Returns 0 or -errno.
 */
int placement_round_trip(int cpu, double *ns, struct err *e);

/* The CPU of the calling thread, which is pinned. */
int placement_cpu(void);
