/* One time slice of the mempool benchmark on one lcore. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/pool_bench_slice.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_mempool.h>
#include <rte_pause.h>

#define LOOK 8 /* passes between two reads of the TSC */

/* Read an object, the least that its user does. */
static __rte_always_inline void
object_read(const void *object)
{
	(void)*(const volatile uint64_t *)object;
}

/*
 * Get a bulk from contiguous blocks, computing the objects' addresses instead of reading a table.
 */
static __rte_always_inline bool
blocks_get(const struct pool_bench_work *w, void **objects)
{
	for (unsigned int n = w->get; n > 0; n -= w->block) {
		void *object;

		if (unlikely(rte_mempool_get_contig_blocks(w->pool, &object, 1) != 0)) {
			rte_mempool_generic_put(w->pool, objects - (w->get - n), w->get - n, NULL);
			return false;
		}
		for (unsigned int k = 0; k < w->block; k++) {
			*objects++ = object;
			object_read(object);
			object = RTE_PTR_ADD(object, w->stride);
		}
	}
	return true;
}

static __rte_always_inline bool
bulk_get(const struct pool_bench_work *w, struct rte_mempool_cache *cache, void **objects)
{
	if (unlikely(rte_mempool_generic_get(w->pool, objects, w->get, cache) != 0))
		return false;
	for (unsigned int i = 0; i < w->get; i++)
		object_read(objects[i]);
	return true;
}

/* Get the objects, read them, put them back. False: the pool became empty; all were put back. */
static __rte_always_inline bool
pass(const struct pool_bench_work *w, struct rte_mempool_cache *cache, bool contiguous)
{
	void *objects[POOL_BENCH_KEEP_MAX];
	unsigned int n = 0;

	for (; n < w->keep; n += w->get) {
		if (contiguous ? !blocks_get(w, &objects[n]) : !bulk_get(w, cache, &objects[n])) {
			rte_mempool_generic_put(w->pool, objects, n, cache);
			return false;
		}
	}
	for (n = 0; n < w->keep; n += w->put)
		rte_mempool_generic_put(w->pool, &objects[n], w->put, cache);
	return true;
}

static __rte_always_inline double
run(struct pool_bench_slice *s, bool contiguous)
{
	const uint64_t count_at = rte_rdtsc() + s->warm_tsc;
	uint64_t begin = 0, now, passes = 0;

	for (;;) {
		for (unsigned int i = 0; i < LOOK; i++)
			if (unlikely(!pass(&s->work, s->cache, contiguous)))
				return 0;
		now = rte_rdtsc();
		if (unlikely(begin == 0)) {
			begin = now >= count_at ? now : 0;
			continue;
		}
		passes += LOOK;
		if (now - begin >= s->count_tsc)
			return (double)passes * s->work.keep / (double)(now - begin);
	}
}

int
pool_bench_slice(void *slice)
{
	struct pool_bench_slice *s = slice;

	atomic_fetch_add(s->arrived, 1);
	while (atomic_load(s->arrived) < s->lcores)
		rte_pause();
	s->rate = s->work.contiguous ? run(s, true) : run(s, false);
	if (s->cache != NULL)
		rte_mempool_cache_flush(s->cache, s->work.pool);
	return 0;
}
