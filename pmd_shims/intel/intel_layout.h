/* Fields of Intel's private queue structs whose offsets a shim has to know. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Byte offsets in the driver's Rx queue of one DPDK release. */
struct intel_rx_layout {
	const char *version; /* rte_version() */
	const char *end;     /* of struct shim_rx */
	uint16_t pool, ring, sw_ring, size, tail, rearm_n, rearm_start, port, queue, doorbell, fake;
	uint8_t desc_size;
	/* mbufs that the driver rearms at a time, without a look at the ring's end */
	uint8_t rearm;
};

/* The same of its Tx queue. */
struct intel_tx_layout {
	const char *version;
	const char *end_8, *end_16; /* of struct shim_tx, by the size of entries */
	uint16_t ring, sw_ring, size, tail, free, rs_thresh, next_done, port, queue;
	uint8_t done_offset; /* in a descriptor of 16 bytes: a word that ... */
	uint32_t done_mask;  /* ... has all of these bits when the packet was sent */
	uint8_t least;       /* handed out at a time: what receive functions of the release arm */
	/*
	 * every vector function keeps bare pointers, and copies them into the mempool cache under
	 * fast free
	 */
	bool bare;
};

/* Since 25.03 and 25.07, Intel's drivers have their queues in common. */
/* clang-format off */
#define INTEL_RX_25 .pool = 0, .ring = 8, .doorbell = 16, .sw_ring = 24, .size = 576, .tail = 578, .rearm_n = 590, \
	.rearm_start = 592, .queue = 594, .port = 596, .fake = 704, .rearm = 64
#define INTEL_TX_25 .ring = 0, .sw_ring = 16, .size = 24, .tail = 26, .free = 32, .rs_thresh = 36, .port = 38, \
	.queue = 40, .next_done = 44, .least = 64, .bare = true
/* clang-format on */
