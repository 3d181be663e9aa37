/* Queues of Intel's drivers with vector functions: i40e and ixgbe keep the same books in other places. */
#pragma once

#include "shim.h"

/* Byte offsets in the driver's Rx queue of one DPDK release. */
struct intel_rx_layout {
	const char *version; /* rte_version() */
	uint16_t pool, ring, sw_ring, size, tail, rearm_n, rearm_start, port, queue, doorbell, fake;
	uint8_t desc_size;
};

/* The same of its Tx queue. */
struct intel_tx_layout {
	const char *version;
	uint16_t ring, sw_ring, size, tail, free, rs_thresh, next_done, port, queue;
	uint8_t done_offset; /* in a descriptor of 16 bytes: a word that ... */
	uint32_t done_mask;  /* ... has all of these bits when the packet was sent */
};

/* Check a queue whose burst function is known to be a vector one, and fill the rest of *rx. Errors: -ENOTSUP. */
int intel_rx_bind(struct shim_rx *rx, const struct intel_rx_layout *layout, struct err *e);

/* The same; stride: of the entries that the function keeps, 8 or 16; clears: it wants taken entries to be NULL. */
int intel_tx_bind(struct shim_tx *tx, const struct intel_tx_layout *layout, size_t stride,
	bool clears, struct err *e);
