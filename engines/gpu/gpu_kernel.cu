/* The kernel of the engine gpu: a warp per packet computes the checksum of its bytes and the hash
 * of its five-tuple. clang compiles it to gpu_kernel.ptx (devtools/gpu-kernel); tests compile the
 * same functions for the CPU to emulate a GPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/gpu/gpu_kernel.h"

#ifdef __CUDA__
#define ON_GPU static __attribute__((device)) inline
#else
#define ON_GPU static inline
#endif

#define LANES 32
/*
 * Number of lanes whose first blocks contain all headers that are parsed: up to 15 bytes before the
 * packet, Ethernet, GPU_TAGS_MAX tags, IP with options, ports.
 */
#define HEAD_LANES 8
#define FNV_BASIS 2166136261u
#define FNV_PRIME 16777619u

struct words {
	unsigned int w[4];
} __attribute__((aligned(16)));

/* A mask for bytes [from, to) of a word. */
ON_GPU unsigned int
word_mask(int from, int to)
{
	unsigned int mask = 0xffffffffu;

	if (from >= 4 || to <= 0)
		return 0;
	if (from > 0)
		mask &= 0xffffffffu << (8 * from);
	if (to < 4)
		mask &= 0xffffffffu >> (8 * (4 - to));
	return mask;
}

/* Fold a sum of 32-bit words, with carries in the upper half, to 16 bits. */
ON_GPU unsigned int
sum_fold(unsigned long long sum)
{
	sum = (sum & 0xffffffffu) + (sum >> 32);
	sum = (sum & 0xffffffffu) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (unsigned int)sum;
}

/*
 * The partial sum of a lane over every 32nd block of 16 aligned bytes, folded. Bytes in the first
 * and last block outside the packet count as 0. head: room for HEAD_LANES blocks; the first blocks
 * are stored there for tuple_hash(), because host memory is slow to access.
 */
ON_GPU unsigned int
lane_sum(const struct gpu_packet *p, unsigned int lane, struct words *head)
{
	const unsigned int before = (unsigned int)(p->address & 15), end = before + p->bytes;
	const struct words *block = (const struct words *)(p->address - before);
	unsigned long long sum = 0;

	for (unsigned int at = 16 * lane; at < end; at += 16 * LANES) {
		const struct words x = block[at / 16];

		if (at == 16 * lane && lane < HEAD_LANES)
			head[lane] = x;
		if (at >= before && at + 16 <= end) {
			sum += (unsigned long long)x.w[0] + x.w[1] + x.w[2] + x.w[3];
			continue;
		}
		for (int i = 0; i < 4; i++) {
			const int here = (int)at + 4 * i;

			sum += x.w[i] & word_mask((int)before - here, (int)end - here);
		}
	}
	return sum_fold(sum);
}

/*
 * The sum of the whole packet in memory order; its bytes are swapped if it begins at an odd
 * address.
 */
ON_GPU unsigned int
packet_sum(const struct gpu_packet *p, unsigned int lanes_sum)
{
	const unsigned int sum = sum_fold(lanes_sum);

	return (p->address & 1) != 0 ? (sum >> 8 | sum << 8) & 0xffff : sum;
}

ON_GPU unsigned int
fnv(unsigned int hash, const unsigned char *at, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		hash = (hash ^ at[i]) * FNV_PRIME;
	return hash;
}

/*
 * Hash the ports at offset `at`, after the IP header, and the protocol. Returns GPU_RESULT_* flags.
 */
ON_GPU unsigned int
ports_hash(const unsigned char *b, unsigned int bytes, unsigned int at, unsigned char proto,
	int whole, unsigned int *hash)
{
	unsigned int found = GPU_RESULT_IP;

	if (whole && at + 4 <= bytes && (proto == 6 || proto == 17 || proto == 132)) {
		*hash = fnv(*hash, b + at, 4);
		found |= GPU_RESULT_PORTS;
	}
	*hash = fnv(*hash, &proto, 1);
	return found;
}

/*
 * Hash addresses, ports and protocol into *hash, 0 if the packet is not IP. b: its first bytes.
 * bytes: its length. Returns GPU_RESULT_* flags.
 */
ON_GPU unsigned int
tuple_hash(const unsigned char *b, unsigned int bytes, unsigned int *hash)
{
	unsigned int at = 12, type = 0, header;

	*hash = 0;
	for (int tags = 0; tags <= GPU_TAGS_MAX && at + 2 <= bytes; tags++) {
		type = (unsigned int)b[at] << 8 | b[at + 1];
		at += 2;
		if (type != 0x8100 && type != 0x88a8)
			break;
		at += 2;
	}
	if (type == 0x0800 && at + 20 <= bytes && b[at] >> 4 == 4 && (b[at] & 15) >= 5) {
		header = 4 * (b[at] & 15u);
		*hash = fnv(FNV_BASIS, b + at + 12, 8);
		return ports_hash(b, bytes, at + header, b[at + 9],
			((b[at + 6] & 0x3f) | b[at + 7]) == 0, hash);
	}
	if (type == 0x86dd && at + 40 <= bytes && b[at] >> 4 == 6) {
		*hash = fnv(FNV_BASIS, b + at + 8, 32);
		return ports_hash(b, bytes, at + 40, b[at + 6], 1, hash);
	}
	return 0;
}

ON_GPU struct gpu_result
packet_result(const struct gpu_packet *p, unsigned int lanes_sum, const struct words *head)
{
	struct gpu_result r;
	unsigned int hash;

	r.found = (unsigned short)tuple_hash((const unsigned char *)head + (p->address & 15),
		p->bytes, &hash);
	r.hash = hash;
	r.sum = (unsigned short)packet_sum(p, lanes_sum);
	return r;
}

#ifdef __CUDA__
/*
 * One warp per packet. The last block to finish writes *done, the only word that the CPU polls. All
 * results have been written by then, because each block's fence precedes its count.
 */
extern "C" __attribute__((global)) void
zcfwd_packets(const struct gpu_packet *packets, struct gpu_result *results,
	unsigned long long *histogram, unsigned int n, unsigned int *blocks_done,
	unsigned int *done, unsigned int number)
{
	static __attribute__((shared)) struct words heads[GPU_BLOCK_PACKETS][HEAD_LANES];
	const unsigned int thread = (unsigned int)__nvvm_read_ptx_sreg_tid_x();
	const unsigned int block = (unsigned int)__nvvm_read_ptx_sreg_ctaid_x();
	const unsigned int blocks = (unsigned int)__nvvm_read_ptx_sreg_nctaid_x();
	const unsigned int lane = thread % LANES;
	const unsigned int i = (block * GPU_THREADS + thread) / LANES;

	if (i < n) {
		const struct gpu_packet p = packets[i];
		struct words *head = heads[thread / LANES];
		unsigned int sum = lane_sum(&p, lane, head);

		__nvvm_bar_warp_sync(0xffffffffu);
		for (int step = LANES / 2; step > 0; step /= 2)
			sum += (unsigned int)__nvvm_shfl_sync_bfly_i32(0xffffffffu, (int)sum, step,
				LANES - 1);
		if (lane == 0) {
			const struct gpu_result r = packet_result(&p, sum, head);

			results[i] = r;
			if (r.found & GPU_RESULT_IP)
				__atomic_fetch_add(&histogram[r.hash % GPU_BUCKETS], 1ull,
					__ATOMIC_RELAXED);
			__nvvm_membar_sys();
		}
	}
	__syncthreads();
	if (thread == 0 && __atomic_fetch_add(blocks_done, 1u, __ATOMIC_RELAXED) == blocks - 1) {
		*blocks_done = 0;
		__nvvm_membar_sys();
		*(volatile unsigned int *)done = number;
	}
}
#endif
