/* What the CPU and the kernel of the engine gpu hand each other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#define GPU_BUCKETS 1024 /* of the histogram of hashes, a power of two */
#define GPU_TAGS_MAX 8   /* VLAN tags that are stepped over */
#define GPU_THREADS 256  /* of a block: eight warps, a packet each */
#define GPU_BLOCK_PACKETS 8
#define GPU_KERNEL "zcfwd_packets"

/* A packet for the kernel. */
struct gpu_packet {
	unsigned long long address; /* of its first byte, for the GPU */
	unsigned int bytes;
	unsigned int unused;
};

/* What of a packet's five-tuple there was. */
enum {
	GPU_RESULT_IP = 1,    /* addresses and protocol */
	GPU_RESULT_PORTS = 2, /* and ports */
};

/* What the kernel says of a packet. */
struct gpu_result {
	unsigned int hash;    /* FNV-1a of addresses, ports and protocol; 0: no IP */
	unsigned short sum;   /* one's complement sum of all bytes, 16-bit words in memory order */
	unsigned short found; /* GPU_RESULT_* */
};
