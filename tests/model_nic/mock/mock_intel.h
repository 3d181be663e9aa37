/* What mock ports of Intel's drivers share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "model_nic/mock/mock.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

/* What differs between them, in the words of their headers. */
struct mock_intel {
	/* How a driver starts: each queue, and then its choice of functions, by rx_path and tx_path. */
	int (*rx_start)(struct mock *p, uint16_t i);
	int (*tx_start)(struct mock *p, uint16_t i);
	void (*rx_choose)(struct rte_eth_dev *dev);
	void (*tx_choose)(struct rte_eth_dev *dev); /* NULL: the last queue that is set up does */
	eth_tx_queue_setup_t tx_setup;
	uint32_t frame_max, overhead; /* overhead: of a frame over its MTU */
	struct rte_eth_desc_lim descs;
	uint32_t speed; /* RTE_ETH_LINK_SPEED_... */
	uint64_t rx_lacks, tx_queue_offloads;
	/*
	 * Drivers that split packets behind a header (ethdev's buffer split): into so many segments,
	 * and what a queue was set up with; 0 and NULL: none.
	 */
	uint16_t rx_segments;
	const struct rte_eth_rxseg_split *(*rx_split)(const void *rxq, uint16_t *n);
};

/* eth_dev_ops and mock_driver.start of all: the model serves the capabilities. */
int mock_intel_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info);
int mock_intel_tx_setup(struct rte_eth_dev *dev, uint16_t i, uint16_t descs, unsigned socket,
	const struct rte_eth_txconf *conf);
int mock_intel_start(struct mock *p);
#define MOCK_INTEL_OPS \
	MOCK_COMMON_OPS, .stats_get = mock_stats_get, .dev_infos_get = mock_intel_info, \
			 .tx_queue_setup = mock_intel_tx_setup

/* Length of receive buffers as queues of 32-byte descriptors give it. */
uint16_t mock_intel_room(struct rte_mempool *pool);

/*
 * Buffers into a stopped queue of such descriptors; -ENOMEM. payload: a second one behind each, for
 * what follows the header; NULL: packets are not split.
 */
enum { MOCK_RX_32 = 32 };
int mock_intel_fill(const struct ring *r, struct rte_mempool *pool, struct rte_mempool *payload,
	struct rte_mbuf **slots);

/*
 * mock_driver.stop of drivers that empty a queue only with the NIC's help: each is set up anew,
 * which frees what it held.
 */
void mock_intel_queues_renew(struct mock *p);

/* Of families whose state is struct xl710; the rings are all there is of the NIC. */
void mock_intel_reset(struct model *m);
void mock_intel_link(struct model *m, bool up);
#define MOCK_INTEL_FAMILY \
	.state_size = sizeof(struct xl710), .queues_max = MOCK_QUEUES, .reset = mock_intel_reset, \
	.link = mock_intel_link, .rss = mock_rss, .rx_peek = xl710_rx_peek, \
	.tx_take = xl710_tx_take, .tx_done = xl710_tx_done, .buffer = xl710_buffer

/* Queue i as the model's ring: descriptors of bytes each, where the driver rings. */
struct ring mock_intel_ring(uint16_t i, uint16_t descs, uint8_t bytes, volatile void *desc,
	volatile void *tail);
