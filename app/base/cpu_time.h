/* The CPU time of a thread, as the kernel counts it: how long it ran, how long it waited for a CPU,
 * how often a CPU was taken from it. libc only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Since the thread's creation; STAT_NONE: the kernel does not count it. */
struct cpu_time {
	uint64_t run_ns;    /* on a CPU */
	uint64_t wait_ns;   /* ready to run, without a CPU; a wait counts when it has ended */
	uint64_t slices;    /* how often it got a CPU */
	uint64_t preempted; /* how often a CPU was taken from it: involuntary context switches */
	bool known;         /* false: no such thread, all members are 0 */
};

#define CPU_TIME_TASKS "/proc/self/task"

/*
 * Read the times of a thread of this process; tid is from gettid(). Costs about 12 microseconds and
 * does not disturb the thread. tasks: folder CPU_TIME_TASKS. Returns t->known. Thread: any.
 */
bool cpu_time_read(const char *tasks, pid_t tid, struct cpu_time *t);

/* t -= base, which was read before; what is unknown in one of them is unknown in t. */
void cpu_time_subtract(struct cpu_time *t, const struct cpu_time *base);
