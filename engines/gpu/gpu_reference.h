/* The expected result of the engine gpu's kernel for a packet, computed by the CPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/gpu/gpu_kernel.h"

#include <rte_mbuf.h>

/*
 * Compute the one's complement sum of all bytes of a packet, and the 32-bit FNV-1a hash of its IP
 * addresses, its TCP, UDP or SCTP ports if it is not a fragment, and its protocol, in network
 * order. Up to GPU_TAGS_MAX VLAN tags are skipped, IPv6 extension headers are not. Thread: any.
 * Source: RFC 1071, draft-eastlake-fnv.
 */
struct gpu_result gpu_reference(const struct rte_mbuf *m);
