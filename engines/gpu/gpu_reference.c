/* The expected result of the engine gpu's kernel for a packet, computed by the CPU. It shares no
 * code with the kernel: it uses DPDK's headers and the checksum code of other engines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/gpu/gpu_reference.h"

#include "engines/common/csum_sum.h"

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>

#include <netinet/in.h>
#include <stdbool.h>

static uint32_t
fnv(uint32_t hash, const void *bytes, size_t n)
{
	for (const uint8_t *at = bytes, *end = at + n; at < end; at++)
		hash = (hash ^ *at) * UINT32_C(0x01000193);
	return hash;
}

/* The offset of layer 3, and its type in host order; type 0 if the packet is too short. */
static uint32_t
l3_find(const struct rte_mbuf *m, uint16_t *type)
{
	uint32_t at = 2 * RTE_ETHER_ADDR_LEN;
	const rte_be16_t *word;
	rte_be16_t copy;

	*type = 0;
	for (unsigned int tags = 0; tags <= GPU_TAGS_MAX; tags++) {
		word = rte_pktmbuf_read(m, at, sizeof(copy), &copy);
		if (word == NULL)
			break;
		memcpy(&copy, word, sizeof(copy));
		*type = rte_be_to_cpu_16(copy);
		at += sizeof(copy);
		if (*type != RTE_ETHER_TYPE_VLAN && *type != RTE_ETHER_TYPE_QINQ)
			break;
		at += 2;
	}
	return at;
}

/*
 * Hash the ports at off, if the protocol has ports and the packet is long enough, and the protocol.
 */
static void
l4_hash(const struct rte_mbuf *m, uint32_t off, uint8_t proto, bool whole, struct gpu_result *r)
{
	const bool has_ports = proto == IPPROTO_TCP || proto == IPPROTO_UDP ||
		proto == IPPROTO_SCTP;
	uint32_t copy;
	const void *ports = whole && has_ports ? rte_pktmbuf_read(m, off, sizeof(copy), &copy)
					       : NULL;

	r->found = GPU_RESULT_IP;
	if (ports != NULL) {
		r->hash = fnv(r->hash, ports, sizeof(copy));
		r->found |= GPU_RESULT_PORTS;
	}
	r->hash = fnv(r->hash, &proto, sizeof(proto));
}

static void
ip4_hash(const struct rte_mbuf *m, uint32_t off, struct gpu_result *r)
{
	struct rte_ipv4_hdr copy;
	const struct rte_ipv4_hdr *ip = rte_pktmbuf_read(m, off, sizeof(copy), &copy);
	const rte_be16_t part = RTE_BE16(RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK);

	if (ip == NULL)
		return;
	memcpy(&copy, ip, sizeof(copy));
	if (copy.version != 4 || copy.ihl < 5)
		return;
	r->hash = fnv(UINT32_C(0x811c9dc5), &copy.src_addr, 2 * sizeof(copy.src_addr));
	l4_hash(m, off + copy.ihl * RTE_IPV4_IHL_MULTIPLIER, copy.next_proto_id,
		(copy.fragment_offset & part) == 0, r);
}

static void
ip6_hash(const struct rte_mbuf *m, uint32_t off, struct gpu_result *r)
{
	uint8_t copy[40];
	const uint8_t *ip = rte_pktmbuf_read(m, off, sizeof(copy), copy);

	if (ip == NULL || ip[0] >> 4 != 6)
		return;
	r->hash = fnv(UINT32_C(0x811c9dc5), ip + 8, 32);
	l4_hash(m, off + sizeof(copy), ip[6], true, r);
}

struct gpu_result
gpu_reference(const struct rte_mbuf *m)
{
	struct gpu_result r = { .sum = csum_sum(m, 0, m->pkt_len) };
	uint16_t type;
	const uint32_t off = l3_find(m, &type);

	if (type == RTE_ETHER_TYPE_IPV4)
		ip4_hash(m, off, &r);
	else if (type == RTE_ETHER_TYPE_IPV6)
		ip6_hash(m, off, &r);
	return r;
}
