/* Buffers that receive rings take from their pools when ports start. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_buffers.h"

#include "base/err.h"
#include "base/out.h"
#include "memory/pool.h"
#include "port/port.h"
#include "port/port_setup.h"

#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>

/*
 * True if the port's receive rings hold a buffer for each descriptor. Drivers without a ring
 * (net_null, net_ring) report no descriptor limit.
 */
static bool
fills_rings(const struct port *p)
{
	return p->prepared && p->info.rx_desc_lim.nb_max < UINT16_MAX;
}

static const struct rte_mempool *
pool_of(const struct ports *ps, const struct port *p, uint16_t queue)
{
	const char *ops = p->rxq[queue].pool_ops;

	return ops[0] != '\0' && ps->rx_pool == NULL ? pool_own_find(ps->pools, ops, p->socket)
						     : port_rx_pool(p, queue, p->socket);
}

/*
 * Return the number of descriptors of a receive queue. Before the port is configured the driver's
 * default may still change: then a common minimum is used, and *estimated is set.
 */
static uint64_t
ring_size(const struct port *p, uint16_t queue, bool *estimated)
{
	const uint64_t n = port_setup_descriptors(p, true, queue);

	if (p->configured || p->rxq[queue].descriptors != 0 ||
		setting_u64(p->all->settings, "rxd") != 0)
		return n;
	*estimated = true;
	return RTE_MIN(n, (uint64_t)RTE_ETH_DEV_FALLBACK_RX_RINGSIZE);
}

/* Return the number of buffers that the rings of a port take from the pool. */
static uint64_t
ring_buffers(const struct ports *ps, const struct port *p, const struct rte_mempool *mp,
	bool *estimated)
{
	const uint64_t n = RTE_MIN(setting_u64(ps->settings, "rxq"), (uint64_t)PORT_QUEUES_MAX);
	uint64_t sum = 0;

	for (uint16_t queue = 0; fills_rings(p) && queue < n; queue++)
		if (!p->rxq[queue].deferred_start && pool_of(ps, p, queue) == mp)
			sum += ring_size(p, queue, estimated);
	return sum;
}

/* Return the maximum number of buffers in the lcore caches of a pool. */
static uint64_t
cached(const struct rte_mempool *mp)
{
	return (uint64_t)rte_lcore_count() * mp->cache_size * 3 / 2;
}

#define HOW "Use fewer queues or descriptors, or restart with --total-num-mbufs=%" PRIu64

void
port_buffers_warn(const struct ports *ps)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(ps, ids);

	for (unsigned int i = 0; i < POOL_MAX; i++) {
		const struct rte_mempool *mp = pool_at(ps->pools, i);
		bool estimated = false;
		uint64_t rings = 0;

		for (unsigned int k = 0; mp != NULL && k < n; k++)
			rings += ring_buffers(ps, port_at(ps, ids[k]), mp, &estimated);
		if (rings == 0 || rings + cached(mp) <= mp->size)
			continue;
		out_warn(ps->out,
			"Pool %s has %u buffers; the receive rings of all ports need %s%" PRIu64
			" and the lcores' caches up to %" PRIu64 ": %" PRIu64 " are missing. " HOW
			" or more.\n",
			mp->name, mp->size, estimated ? "at least " : "", rings, cached(mp),
			rings + cached(mp) - mp->size, rings + cached(mp));
	}
}

int
port_buffers_check(const struct ports *ps, const struct port *p, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(ps, ids);

	for (unsigned int i = 0; i < POOL_MAX; i++) {
		const struct rte_mempool *mp = pool_at(ps->pools, i);
		bool estimated = false;
		uint64_t rings = mp != NULL ? ring_buffers(ps, p, mp, &estimated) : 0;

		if (rings == 0)
			continue;
		for (unsigned int k = 0; k < n; k++)
			if (ids[k] != p->id && port_at(ps, ids[k])->state == PORT_STARTED)
				rings += ring_buffers(ps, port_at(ps, ids[k]), mp, &estimated);
		if (rings > mp->size)
			return err_set(e, ENOMEM,
				"Fail to start port %u: its receive rings and those of started ports need %" PRIu64
				" buffers and pool %s has %u: %" PRIu64 " are missing. " HOW
				" or more",
				p->id, rings, mp->name, mp->size, rings - mp->size,
				rings + cached(mp));
	}
	return 0;
}
