/* What mock ports of Intel's drivers share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "model_nic/mock/mock.h"

/* Capabilities that all have: the model serves them. */
void mock_intel_info(struct rte_eth_dev_info *info);

/*
 * A Tx queue's configuration with what tx_path=full stands for: an offload that only the full
 * function has.
 */
struct rte_eth_txconf mock_intel_txconf(const struct mock *p, const struct rte_eth_txconf *conf);

/* Queue i as the model's ring: descriptors of bytes each, where the driver rings. */
struct ring mock_intel_ring(uint16_t i, uint16_t descs, uint8_t bytes, volatile void *desc,
	volatile void *tail);
