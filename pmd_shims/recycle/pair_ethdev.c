/* rte_eth_recycle_mbufs() with the drivers' own callbacks, and the known bugs of these
 * callbacks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/pair_ethdev.h"

#include "base/err.h"
#include "pmd_shims/recycle/pair.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_version.h>

#include <errno.h>
#include <string.h>

#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)

#define FORCE "; mode ethdev_force allows it anyway"

int
pair_ethdev_there(struct err *e)
{
	return 0;
}

static uint16_t
run(struct recycle *r)
{
	return rte_eth_recycle_mbufs(r->rx.port, r->rx.queue, r->tx.port, r->tx.queue, r->upstream);
}

/* doc/recycle.md describes each bug with a run that shows it. */
static int
faults_check(const struct shim_tx *tx, struct err *e)
{
	struct rte_eth_txq_info info;

	if (strncmp(tx->path, "net_ixgbe", strlen("net_ixgbe")) == 0)
		return err_set(e, ENOTSUP,
			"port %u: net_ixgbe's callback takes mbufs that were not sent, or none at all" FORCE,
			tx->port);
	if (RTE_VERSION >= RTE_VERSION_NUM(25, 3, 0, 0))
		return err_set(e, ENOTSUP,
			"port %u: since 25.03 net_i40e's callback takes mbufs that were not sent" FORCE,
			tx->port);
	if (strstr(tx->path, " Vector SSE") == NULL && strstr(tx->path, " Vector AVX2") == NULL)
		return err_set(e, ENOTSUP,
			"port %u: %s: its mbufs are freed twice when the port stops, or never moved" FORCE,
			tx->port, tx->path);
	if (rte_eth_tx_queue_info_get(tx->port, tx->queue, &info) != 0 ||
		info.conf.tx_rs_thresh + info.conf.tx_free_thresh >= info.nb_desc)
		return err_set(e, ENOTSUP,
			"port %u: tx_rs_thresh and tx_free_thresh add up to the whole ring, so unused descriptors look as if they were sent" FORCE,
			tx->port);
	return 0;
}

int
pair_ethdev_bind(struct recycle *r, bool force, struct err *e)
{
	int ret = force ? 0 : faults_check(&r->tx, e);

	if (ret != 0)
		return ret;
	r->upstream = rte_zmalloc("recycle_ethdev", sizeof(struct rte_eth_recycle_rxq_info), 0);
	if (r->upstream == NULL)
		return err_set(e, ENOMEM, "no memory to pair queues");
	if (rte_eth_recycle_rx_queue_info_get(r->rx.port, r->rx.queue, r->upstream) != 0 ||
		rte_eth_fp_ops[r->rx.port].recycle_rx_descriptors_refill == NULL)
		return err_set(e, ENOTSUP,
			"port %u: its driver has no ethdev callback to recycle into a receive queue",
			r->rx.port);
	if (rte_eth_fp_ops[r->tx.port].recycle_tx_mbufs_reuse == NULL)
		return err_set(e, ENOTSUP,
			"port %u: its driver has no ethdev callback to recycle from a transmit queue",
			r->tx.port);
	r->run = run;
	return 0;
}

#else

int
pair_ethdev_there(struct err *e)
{
	return err_set(e, ENOTSUP, "%s has no rte_eth_recycle_mbufs(): use 23.11 or newer",
		rte_version());
}

int
pair_ethdev_bind(struct recycle *r, bool force, struct err *e)
{
	return pair_ethdev_there(e);
}

#endif
