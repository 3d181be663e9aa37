/* Where DPDK releases differ: one small function per difference, that speaks the newer language. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ethdev.h>
#include <rte_telemetry.h>
#include <rte_version.h>

#include <errno.h>
#include <stdint.h>

/*
 * Descriptors in use of a Tx queue: rte_eth_tx_queue_count() came with 24.03. -ENOTSUP before, and
 * from the driver.
 */
static inline int
compat_tx_queue_count(uint16_t port, uint16_t queue)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	return rte_eth_tx_queue_count(port, queue);
#else
	return -ENOTSUP;
#endif
}

/* A number of 64 bits as a member of a telemetry answer: of another name since 23.03. */
static inline int
compat_tel_dict_uint(struct rte_tel_data *d, const char *name, uint64_t value)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	return rte_tel_data_add_dict_uint(d, name, value);
#else
	return rte_tel_data_add_dict_u64(d, name, value);
#endif
}

/* The same as an element of an array. */
static inline int
compat_tel_array_uint(struct rte_tel_data *d, uint64_t value)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	return rte_tel_data_add_array_uint(d, value);
#else
	return rte_tel_data_add_array_u64(d, value);
#endif
}

/* Begin an array of such numbers. */
static inline int
compat_tel_array_begin(struct rte_tel_data *d)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	return rte_tel_data_start_array(d, RTE_TEL_UINT_VAL);
#else
	return rte_tel_data_start_array(d, RTE_TEL_U64_VAL);
#endif
}
