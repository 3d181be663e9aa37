/* The names of the hardware counters, and the system calls that open and read them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const pmu_names[PMU_COUNTERS] = { [PMU_CYCLES] = "cycles",
	[PMU_INSTRUCTIONS] = "instructions",
	[PMU_STALLED_FRONTEND] = "stalled_frontend",
	[PMU_STALLED_BACKEND] = "stalled_backend",
	[PMU_L1D_REFILLS] = "l1d_refills",
	[PMU_L1D_WRITEBACKS] = "l1d_writebacks",
	[PMU_L2_REFILLS] = "l2_refills",
	[PMU_L2_WRITEBACKS] = "l2_writebacks",
	[PMU_L3_REFILLS] = "l3_refills",
	[PMU_MC_REQUESTS] = "mc_requests" };

int
pmu_open(const struct pmu_event *event)
{
	struct perf_event_attr attr = { .type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = event->cpu < 0,
		.exclude_hv = event->cpu < 0 };
	const int thread = event->cpu < 0 ? 0 : -1;
	long fd = syscall(SYS_perf_event_open, &attr, thread, event->cpu, -1, PERF_FLAG_FD_CLOEXEC);

	/* Some event sources cannot exclude the kernel. */
	if (fd < 0 && errno == EINVAL && attr.exclude_kernel) {
		attr.exclude_kernel = 0;
		attr.exclude_hv = 0;
		fd = syscall(SYS_perf_event_open, &attr, thread, event->cpu, -1,
			PERF_FLAG_FD_CLOEXEC);
	}
	return fd >= 0 ? (int)fd : -errno;
}

bool
pmu_read(int fd, struct pmu_reading *reading)
{
	return read(fd, reading, sizeof(*reading)) == (ssize_t)sizeof(*reading);
}
