/* Checksums of packets between guests and ports, which guests leave incomplete. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * Complete the TCP or UDP checksum of a received packet whose checksum field has only that of the
 * pseudo header. Returns true if it was completed.
 */
bool vhost_csum_complete(struct rte_mbuf *m);

/*
 * Compute the checksums that Tx offload flags ask for and the guest cannot compute, and clear the
 * flags. features: of the guest. Returns false if the flags ask for a segmentation that the guest
 * does not accept.
 */
bool vhost_csum_before_tx(struct rte_mbuf *m, uint64_t features);
