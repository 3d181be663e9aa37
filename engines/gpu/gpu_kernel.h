/* The data exchanged between the CPU and the kernel of the engine gpu. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#define GPU_BUCKETS 1024 /* buckets of the histogram of hashes, a power of two */
#define GPU_TAGS_MAX 8   /* maximum VLAN tags that are skipped */
#define GPU_THREADS 256  /* threads per block: eight warps, one packet each */
#define GPU_BLOCK_PACKETS 8
#define GPU_KERNEL "zcfwd_packets"

/* A packet for the kernel. */
struct gpu_packet {
	unsigned long long address; /* device address of its first byte */
	unsigned int bytes;
	unsigned int unused;
};

/* Which parts of the five-tuple a packet has. */
enum {
	GPU_RESULT_IP = 1,    /* addresses and protocol */
	GPU_RESULT_PORTS = 2, /* ports */
};

/* The kernel's result for a packet. */
struct gpu_result {
	unsigned int hash;    /* FNV-1a of addresses, ports and protocol; 0: not IP */
	unsigned short sum;   /* one's complement sum of all bytes, 16-bit words in memory order */
	unsigned short found; /* GPU_RESULT_* */
};
