/* Hardware counters by perf_event_open(2): one descriptor per event, of the calling thread and
 * user code only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_perf.h"

#include "base/base.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	uint32_t type;
	uint64_t config;
} events[RING_PERF_EVENTS] = {
	[RING_PERF_CYCLES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	[RING_PERF_INSTRUCTIONS] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	[RING_PERF_STALLED] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	[RING_PERF_REFILLS] = { PERF_TYPE_HW_CACHE,
		PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 |
			PERF_COUNT_HW_CACHE_RESULT_MISS << 16 },
	[RING_PERF_MISSES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
};

void
ring_perf_begin(struct ring_perf *p)
{
	if (atomic_load_explicit(&p->pid, memory_order_relaxed) != 0)
		return;
	for (unsigned int i = 0; i < RING_PERF_EVENTS; i++) {
		struct perf_event_attr attr = { .type = events[i].type,
			.size = sizeof(attr),
			.config = events[i].config,
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				PERF_FORMAT_TOTAL_TIME_RUNNING,
			.exclude_kernel = 1,
			.exclude_hv = 1 };

		p->fd[i] =
			(int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	/* Pairs with the acquire in ring_perf_read(). */
	atomic_store_explicit(&p->pid, (int32_t)getpid(), memory_order_release);
}

bool
ring_perf_read(const struct ring_perf *p, enum ring_perf_event event, uint64_t *n)
{
	struct {
		uint64_t value, enabled, running;
	} now;

	if (atomic_load_explicit(&p->pid, memory_order_acquire) != (int32_t)getpid() ||
		p->fd[event] < 0 || read(p->fd[event], &now, sizeof(now)) != (ssize_t)sizeof(now) ||
		now.running == 0)
		return false;
	*n = (uint64_t)((double)now.value * (double)now.enabled / (double)now.running);
	return true;
}

bool
ring_perf_supported(const struct ring_perf *p)
{
	uint64_t n;

	for (unsigned int i = 0; i < RING_PERF_EVENTS; i++)
		if (ring_perf_read(p, (enum ring_perf_event)i, &n))
			return true;
	return false;
}

void
ring_perf_close(struct ring_perf *p)
{
	for (unsigned int i = 0; p->pid != 0 && i < RING_PERF_EVENTS; i++)
		if (p->fd[i] >= 0)
			close(p->fd[i]);
	p->pid = 0;
}
