/* Test whether an lcore can get buffers from a pool: the mempool driver bucket may keep them for
 * other lcores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/pool_probe.h"

#include "memory/pool_ops.h"

#include <rte_common.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

struct probe {
	struct rte_mempool *pool;
	bool got;
};

/* Get a whole block if possible, so that no block is broken up for the test. Thread: the lcore. */
static int
ask(void *probe)
{
	struct probe *p = probe;
	struct rte_mempool *mp = p->pool;
	void *objects[POOL_OPS_BLOCK_MAX];
	unsigned int n = RTE_MIN(pool_ops_block(mp), (unsigned int)POOL_OPS_BLOCK_MAX);

	if (rte_mempool_get_contig_blocks(mp, objects, 1) == 0) {
		for (unsigned int i = 1; i < n; i++)
			objects[i] = RTE_PTR_ADD(objects[i - 1], pool_ops_stride(mp));
	} else {
		n = rte_mempool_get(mp, objects) == 0 ? 1 : 0;
	}
	p->got = n > 0;
	rte_mempool_generic_put(mp, objects, n, NULL);
	return 0;
}

bool
pool_probe_starved(struct rte_mempool *mp, unsigned int lcore)
{
	struct probe p = { .pool = mp };

	if (!pool_ops_has_blocks(pool_ops_name(mp)) || rte_mempool_avail_count(mp) == 0 ||
		rte_eal_get_lcore_state(lcore) != WAIT ||
		rte_eal_remote_launch(ask, &p, lcore) != 0)
		return false;
	rte_eal_wait_lcore(lcore);
	return !p.got;
}
