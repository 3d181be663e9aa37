/* Checksums of packets between guests and ports: a guest leaves them to be made. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * Complete the TCP or UDP checksum of a received packet whose field holds that of the pseudo header.
 * Returns whether there was one to make.
 */
bool vhost_csum_complete(struct rte_mbuf *m);

/*
 * Make what Tx offload flags ask for and the guest cannot be left with, flags cleared. features: the
 * guest's. False: it asks for a segmentation that the guest does not take.
 */
bool vhost_csum_before_tx(struct rte_mbuf *m, uint64_t features);
