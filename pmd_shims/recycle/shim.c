/* Functions shared by the drivers' shims: find a shim by the driver's name, check that a queue's
 * memory is DPDK's, choose a SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/shim.h"

#include "base/err.h"

#include <rte_cpuflags.h>
#include <rte_memory.h>
#include <rte_vect.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct shim_driver *
shim_driver_of(const char *name)
{
	for (unsigned int i = 0; shim_drivers[i] != NULL; i++)
		if (strcmp(shim_drivers[i]->name, name) == 0 ||
			(shim_drivers[i]->also != NULL && strcmp(shim_drivers[i]->also, name) == 0))
			return shim_drivers[i];
	return NULL;
}

/*
 * Binding fills in the path before it checks the rest of the queue, so its result does not matter.
 */
void
shim_path(uint16_t port, uint16_t queue, bool rx, char path[SHIM_PATH])
{
	const struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[port];
	struct shim_rx rx_queue = { .port = port, .queue = queue };
	struct shim_tx tx_queue = { .port = port, .queue = queue };
	const struct shim_driver *driver;
	struct rte_eth_dev_info info;
	struct err e;

	path[0] = '\0';
	if (rte_eth_dev_info_get(port, &info) != 0)
		return;
	driver = shim_driver_of(info.driver_name);
	if (driver == NULL)
		return;
	if (rx) {
		rx_queue.rxq = ops->rxq.data[queue];
		rx_queue.burst = ops->rx_pkt_burst;
		driver->rx_bind(&rx_queue, &e);
	} else {
		tx_queue.txq = ops->txq.data[queue];
		tx_queue.burst = ops->tx_pkt_burst;
		driver->tx_bind(&tx_queue, &e);
	}
	memcpy(path, rx ? rx_queue.path : tx_queue.path, SHIM_PATH);
}

bool
shim_owned(const void *p, size_t n)
{
	return p != NULL && rte_mem_virt2memseg(p, NULL) != NULL &&
		rte_mem_virt2memseg((const char *)p + n - 1, NULL) != NULL;
}

bool
shim_register(const uint32_t *p)
{
	const uintptr_t at = (uintptr_t)p;
	FILE *maps = at % sizeof(*p) == 0 && !shim_owned(p, 1) ? fopen("/proc/self/maps", "re")
							       : NULL;
	char line[512], mode[5];
	uint64_t from, to;
	bool found = false;

	if (maps == NULL)
		return false;
	/* Modelled NICs map registers as shared memory without access rights; nothing else does. */
	while (!found && fgets(line, sizeof(line), maps) != NULL)
		found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &from, &to, mode) == 3 &&
			from <= at && at < to && (mode[0] == 'r' || mode[3] == 's');
	fclose(maps);
	return found;
}

bool
shim_fast_free(const struct shim_tx *tx)
{
	struct rte_eth_txq_info info;

	return rte_eth_tx_queue_info_get(tx->port, tx->queue, &info) == 0 &&
		(info.conf.offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0;
}

/*
 * NEON functions of net_i40e, net_ixgbe, mlx5_pci and net_virtio (22.11 to 25.11) follow the rules
 * of the SSE ones: refill batches (32, any number for mlx5) and their time, look-ahead (4
 * descriptors, 8 for net_virtio), ring contents when the pool is empty; sent mbufs are freed by the
 * same source. net_i40e's NEON function writes the address into both words of a descriptor, which
 * is fine: the lowest bit, where the NIC reports done, is 0 either way. AltiVec functions were not
 * examined.
 */
bool
shim_processor(void)
{
#if defined(RTE_ARCH_X86_64) || defined(RTE_ARCH_ARM64)
	return true;
#else
	return false;
#endif
}

unsigned int
shim_simd_bits(void)
{
#ifdef RTE_ARCH_X86_64
	unsigned int limit = rte_vect_get_max_simd_bitwidth();

	if (limit >= 512 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512F) == 1 &&
		rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512VL) == 1)
		return 512;
	if (limit >= 256 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) == 1)
		return 256;
#endif
	return 128;
}
