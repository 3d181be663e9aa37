/* ethdev's statistics of net_async_vhost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ethdev.h>
#include <rte_version.h>

struct eth_queue_stats;
struct rte_eth_dev;

/* eth_stats_get_t, eth_stats_reset_t, eth_xstats_get_t, eth_xstats_get_names_t. Thread: control. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
int vhost_port_stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *to,
	struct eth_queue_stats *queues);
#else
int vhost_port_stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *to);
#endif
int vhost_port_stats_reset(struct rte_eth_dev *dev);
int vhost_port_stats_xstats(struct rte_eth_dev *dev, struct rte_eth_xstat *to, unsigned int n);
int vhost_port_stats_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *to, unsigned int n);
