/* One's complement sum and CRC32c of a packet's bytes, across segments. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_mbuf.h>

#include <stdint.h>

/*
 * The one's complement sum of the 16-bit words, in memory order, of n bytes at off, an odd last
 * byte followed by 0. off + n: at most the packet's length. Thread: any. Returns 0 only if all
 * bytes are 0. Source: RFC 1071.
 */
uint16_t csum_sum(const struct rte_mbuf *m, uint32_t off, uint32_t n);

/*
 * CRC32c of n bytes at off, begun with all ones and inverted at the end; SCTP stores it low byte
 * first. off + n: at most the packet's length. Thread: any. Source: RFC 9260 appendix A.
 */
uint32_t csum_sum_crc32c(const struct rte_mbuf *m, uint32_t off, uint32_t n);
