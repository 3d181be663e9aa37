/* Where DPDK releases differ: one small function per difference, that speaks the newer language. */
#pragma once

#include <rte_ethdev.h>
#include <rte_version.h>

#include <errno.h>
#include <stdint.h>

/* Descriptors in use of a Tx queue: rte_eth_tx_queue_count() came with 24.03. -ENOTSUP before, and from the driver. */
static inline int
compat_tx_queue_count(uint16_t port, uint16_t queue)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	return rte_eth_tx_queue_count(port, queue);
#else
	return -ENOTSUP;
#endif
}
