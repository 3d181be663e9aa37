/* What drivers' files need of DPDK before they trust a queue's memory. */
#include "shim.h"

#include <rte_cpuflags.h>
#include <rte_memory.h>
#include <rte_vect.h>
#include <rte_version.h>

#include <string.h>

bool
shim_owned(const void *p, size_t n)
{
	return p != NULL && rte_mem_virt2memseg(p, NULL) != NULL &&
		rte_mem_virt2memseg((const char *)p + n - 1, NULL) != NULL;
}

bool
shim_fast_free(const struct shim_tx *tx)
{
	struct rte_eth_txq_info info;

	return rte_eth_tx_queue_info_get(tx->port, tx->queue, &info) == 0 &&
		(info.conf.offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0;
}

const void *
shim_layout(const void *rows, size_t n, size_t row_size)
{
	for (size_t i = 0; i < n; i++) {
		const char *row = (const char *)rows + i * row_size, *version;

		memcpy(&version, row, sizeof(version));
		if (strcmp(version, rte_version()) == 0)
			return row;
	}
	return NULL;
}

unsigned int
shim_simd_bits(void)
{
	unsigned int limit = rte_vect_get_max_simd_bitwidth();

	if (limit >= 512 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512F) == 1 &&
		rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512VL) == 1)
		return 512;
	return limit >= 256 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) == 1 ? 256 : 128;
}
