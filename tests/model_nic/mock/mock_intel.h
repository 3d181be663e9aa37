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

/* Length of receive buffers as queues of 32-byte descriptors give it. */
uint16_t mock_intel_room(struct rte_mempool *pool);

/* Buffers into a stopped queue of such descriptors; -ENOMEM. */
enum { MOCK_RX_32 = 32 };
int mock_intel_fill(const struct ring *r, struct rte_mempool *pool, struct rte_mbuf **slots);

/* Let the driver choose its functions, by options rx_path and tx_path. */
int mock_intel_choose(struct mock *p, void (*rx)(struct rte_eth_dev *dev),
	void (*tx)(struct rte_eth_dev *dev));

/*
 * mock_driver.stop of drivers that empty a queue only with the NIC's help: each is set up anew,
 * which frees what it held.
 */
void mock_intel_queues_renew(struct mock *p);

/* Of families whose state is struct xl710; the rings are all there is of the NIC. */
void mock_intel_reset(struct model *m);
void mock_intel_link(struct model *m, bool up);

/* Queue i as the model's ring: descriptors of bytes each, where the driver rings. */
struct ring mock_intel_ring(uint16_t i, uint16_t descs, uint8_t bytes, volatile void *desc,
	volatile void *tail);
