/* What the kernel of the engine gpu has to say of a packet, by the CPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/gpu/gpu_kernel.h"

#include <rte_mbuf.h>

/*
 * The result of a packet: the one's complement sum of all its bytes, and FNV-1a (32 bits) of its
 * IP addresses, the ports of TCP, UDP or SCTP behind an unfragmented header, and its protocol, as
 * they stand in the packet; up to GPU_TAGS_MAX VLAN tags are stepped over, IPv6 extension headers
 * are not. Thread: any. Source: RFC 1071, draft-eastlake-fnv.
 */
struct gpu_result gpu_reference(const struct rte_mbuf *m);
