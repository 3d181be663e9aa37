/* One's complement sum and CRC32c of a packet's bytes over all segments. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_mbuf.h>

#include <stdint.h>

/*
 * The one's complement sum of n bytes at off as 16-bit words in memory order; an odd last byte is
 * padded with 0. off + n: at most the packet's length. Thread: any. Returns 0 only if all bytes are
 * 0. Source: RFC 1071.
 */
uint16_t csum_sum(const struct rte_mbuf *m, uint32_t off, uint32_t n);

/*
 * CRC32c of n bytes at off, with initial value and final XOR of all ones; SCTP stores it low byte
 * first. off + n: at most the packet's length. Thread: any. Source: RFC 9260 appendix A.
 */
uint32_t csum_sum_crc32c(const struct rte_mbuf *m, uint32_t off, uint32_t n);
