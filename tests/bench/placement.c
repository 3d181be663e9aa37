/* Ping-pong over one cache line: one thread writes odd numbers, the other even ones. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/placement.h"

#include "base/err.h"
#include "bench/spread.h"

#include <rte_cycles.h>
#include <rte_pause.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { LAPS = 4000, PATIENCE_S = 5 };

struct ball {
	alignas(128) atomic_uint at;   /* odd: the other's turn; both write */
	alignas(128) atomic_bool stop; /* written by the one who asked */
};

static void *
answer(void *arg)
{
	struct ball *b = arg;

	while (!atomic_load_explicit(&b->stop, memory_order_relaxed)) {
		unsigned int at = atomic_load_explicit(&b->at, memory_order_acquire);

		if ((at & 1) != 0)
			atomic_store_explicit(&b->at, at + 1, memory_order_release);
		else
			rte_pause();
	}
	return NULL;
}

/* Play until enough laps are there; false: the other side is not heard of. */
static bool
play(struct ball *b, struct spread *laps)
{
	const uint64_t end = rte_get_tsc_cycles() + PATIENCE_S * rte_get_tsc_hz();
	const double ns = 1e9 / (double)rte_get_tsc_hz();

	for (unsigned int lap = 0; lap < LAPS; lap++) {
		uint64_t begin = rte_rdtsc();

		atomic_store_explicit(&b->at, 2 * lap + 1, memory_order_release);
		while (atomic_load_explicit(&b->at, memory_order_acquire) != 2 * lap + 2)
			if (rte_get_tsc_cycles() > end)
				return false;
		if (!spread_add(laps, (double)(rte_rdtsc() - begin) * ns))
			return false;
	}
	return true;
}

int
placement_round_trip(int cpu, double *ns, struct err *e)
{
	struct ball ball = { 0 };
	struct spread laps = { 0 };
	pthread_attr_t attr;
	pthread_t other;
	cpu_set_t set;
	bool played;
	int ret;

	CPU_ZERO(&set);
	CPU_SET((unsigned int)cpu, &set);
	pthread_attr_init(&attr);
	ret = pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	if (ret == 0)
		ret = pthread_create(&other, &attr, answer, &ball);
	pthread_attr_destroy(&attr);
	if (ret != 0)
		return err_set(e, EINVAL, "no thread can run on CPU %d: %s", cpu, strerror(ret));
	played = play(&ball, &laps);
	atomic_store(&ball.stop, true);
	pthread_join(other, NULL);
	*ns = spread_quantile(&laps, 0.5);
	spread_free(&laps);
	return played ? 0 : err_set(e, ETIMEDOUT, "CPU %d does not answer", cpu);
}

int
placement_cpu(void)
{
	return sched_getcpu();
}
