/* What a description of traffic says: flows, sizes, headers. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A flow is a five-tuple (for ICMP: the two addresses). Ranges of addresses and ports make the
 * flows: counting ranges count like the digits of a number, or all at once if they count together;
 * random ones are drawn by the seed so that no two flows are equal. Other ranges (MAC, VLAN, DSCP) count or vary by flow, too,
 * but make no flows.
 */
#pragma once

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_tcp.h>
#include <rte_udp.h>
#include <rte_vxlan.h>

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/* Bytes of the longest header: VLAN tags, MPLS labels, SRv6 with all segments, TCP over IPv6. */
#define TRAFFIC_HEAD_MAX 320
#define TRAFFIC_LABELS_MAX 8                  /* of MPLS */
#define TRAFFIC_SEGMENTS_MAX 8                /* of SRv6 */
#define TRAFFIC_RAW_MAX 256                   /* bytes of a header as typed */
#define TRAFFIC_VARY_MAX 24                   /* fields of it that change */
#define TRAFFIC_LENGTHS_MAX 8                 /* lengths in it */
#define TRAFFIC_SUMS_MAX 8                    /* checksums in it */
#define TRAFFIC_VALUES_MAX 1024               /* values of all lists */
#define TRAFFIC_COUNT_MAX (UINT64_C(1) << 31) /* values of a range */
#define TRAFFIC_SIZES_MAX 4096
#define TRAFFIC_SIZE_MAX 16384 /* bytes of a packet */

enum traffic_field {
	TRAFFIC_SRC,
	TRAFFIC_DST,
	TRAFFIC_SPORT,
	TRAFFIC_DPORT,
	/* The fields above make flows; those below do not. */
	TRAFFIC_SMAC,
	TRAFFIC_DMAC,
	TRAFFIC_VLAN,
	TRAFFIC_QINQ,
	TRAFFIC_DSCP,
	TRAFFIC_ECN,
	TRAFFIC_OUTER_SRC,
	TRAFFIC_OUTER_DST,
	TRAFFIC_FIELDS
};

/* Values of a header field: a list, or count numbers from first on. */
struct traffic_range {
	uint8_t first[16]; /* big endian, in the last bytes */
	uint8_t step[16];  /* from one to the next, in two's complement */
	uint64_t count;    /* 0: the field is not there, or has its default */
	uint16_t list;     /* where its values are in those of all lists, from 1; 0: it is none */
	bool random;
	bool ip6; /* of addresses */
};

/* A field of a header as typed, whose value changes from flow to flow. */
struct traffic_vary {
	struct traffic_range range;
	uint16_t at, bits;    /* its first bit in the header, and how many */
	uint32_t draws, seed; /* of random values: so many, and these again; 0: no end */
};

/* A length in such a header: 16 bits, of the packet less the bytes before. */
struct traffic_length {
	uint16_t at, before;
};

/* A checksum in such a header. */
struct traffic_sum {
	uint16_t at, from; /* where it is, and where the bytes begin that it includes */
	uint16_t bytes;    /* so many; 0: all to the end of the packet */
	uint16_t ip;       /* where the IP header is of which the pseudo header is made; 0: none */
	uint16_t cut;      /* bytes at the end that the length of the pseudo header leaves out */
	uint8_t proto;
	bool wrong; /* on purpose */
};

/* What packets are behind Ethernet. */
enum traffic_kind { TRAFFIC_IP, TRAFFIC_ARP, TRAFFIC_PFC, TRAFFIC_RAW };

/* What an outer IP header transports them in. */
enum traffic_tunnel {
	TRAFFIC_NO_TUNNEL,
	TRAFFIC_VXLAN,
	TRAFFIC_GRE,
	TRAFFIC_GTPU,
	TRAFFIC_SRV6,
	TRAFFIC_TUNNELS
};

struct traffic {
	uint32_t flows;
	uint16_t sizes[TRAFFIC_SIZES_MAX]; /* lengths without CRC; packets use them in turn */
	unsigned int n_sizes;
	uint16_t size_min, size_max;
	bool in_order; /* packets have the sizes as they are listed */
	bool grows;    /* sizes below the least one become that: imix, or no size given */
	double size_mean;
	uint8_t kind;   /* enum traffic_kind */
	uint8_t proto;  /* TRAFFIC_IP: IPPROTO_UDP, _TCP, _ICMP or _ICMPV6 */
	uint8_t tunnel; /* enum traffic_tunnel */
	bool rocev2;    /* UDP transports InfiniBand's base transport header */
	bool ip6, outer_ip6;
	uint32_t ttl, seed;
	bool together;                  /* the ranges that make flows count together */
	struct traffic_range tunnel_id; /* VNI or TEID */
	uint32_t qp;                    /* rocev2: destination queue pair */
	uint32_t pfc_classes, pfc_quanta;
	struct traffic_range labels[TRAFFIC_LABELS_MAX]; /* outermost first */
	unsigned int n_labels;
	uint8_t segments[TRAFFIC_SEGMENTS_MAX][16]; /* in the order of the path */
	unsigned int n_segments;
	uint8_t raw[TRAFFIC_RAW_MAX]; /* the whole header */
	unsigned int n_raw;
	struct traffic_vary vary[TRAFFIC_VARY_MAX]; /* fields in it */
	unsigned int n_vary;
	struct traffic_length lengths[TRAFFIC_LENGTHS_MAX];
	unsigned int n_lengths;
	struct traffic_sum sums[TRAFFIC_SUMS_MAX]; /* in ascending order of their places */
	unsigned int n_sums;
	int32_t absent; /* the first port after "port" that does not exist now; -1: none */
	struct traffic_range range[TRAFFIC_FIELDS];
	uint8_t values[TRAFFIC_VALUES_MAX][16]; /* of lists */
	unsigned int n_values;
	uint16_t head_bytes; /* the length of each flow's header */
};

/* A length, or a checksum over it, in the header. */
struct traffic_patch {
	uint16_t length_at; /* of a 16-bit length; 0: only in the checksum */
	uint16_t before;    /* bytes of the packet that the length does not include */
	uint16_t sum_at;    /* of a checksum; 0: none */
	uint16_t times;     /* the checksum includes the length that often */
	bool udp;           /* a checksum of 0 is sent as 0xffff */
};

#define TRAFFIC_PATCHES_MAX (TRAFFIC_LENGTHS_MAX + TRAFFIC_SUMS_MAX)

/*
 * The index in t->sizes of a packet by its probe, so that sender and receiver agree. The next flow's
 * packet with that number has the following index.
 */
static inline unsigned int
traffic_size_index(const struct traffic *t, uint32_t flow, uint32_t sequence)
{
	return (unsigned int)(((uint64_t)sequence + flow) % t->n_sizes);
}

/* For traffic_range.c and traffic_head.c. */

/* The generator splitmix64 as a function. */
static inline uint64_t
traffic_mix(uint64_t z)
{
	z += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Add to a number of 16 bytes, big endian. */
static inline void
traffic_wide_add(uint8_t value[16], uint64_t n)
{
	for (int i = 15; i >= 0 && n > 0; i--) {
		n += value[i];
		value[i] = (uint8_t)n;
		n >>= 8;
	}
}

static inline unsigned int
traffic_ip_bytes(bool ip6)
{
	return ip6 ? sizeof(struct rte_ipv6_hdr) : sizeof(struct rte_ipv4_hdr);
}

static inline bool
traffic_has_ports(const struct traffic *t)
{
	return t->kind == TRAFFIC_IP && (t->proto == IPPROTO_UDP || t->proto == IPPROTO_TCP);
}
