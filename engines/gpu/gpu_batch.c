/* Batches of packets: fills them, passes them to the GPU, monitors it, and returns packets with their results, which it can verify. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "engines/common/csum_fix.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "engines/gpu/gpu_priv.h"
#include "engines/gpu/gpu_stats.h"

#include <rte_atomic.h>
#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_memcpy.h>
#include <rte_pause.h>

#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>

/* The expected result of the engine gpu's kernel for a packet, computed by the CPU. It shares no
 * code with the kernel: it uses DPDK's headers and the checksum code of other engines. */

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

#define COPY_ALIGN 16u /* bytes of the blocks that the kernel reads */

static struct gpu_slot *
slot_at(struct gpu *g, uint64_t number)
{
	return &g->slot[number % g->n_slots];
}

uint16_t
gpu_batch_room(const struct gpu *g)
{
	if (g->head - g->tail == g->n_slots)
		return 0;
	return (uint16_t)RTE_MIN(g->batch - g->slot[g->head % g->n_slots].n,
		(unsigned int)BURST_MAX);
}

void
gpu_batch_fail(struct gpu *g, const struct err *e)
{
	if (g->failed)
		return;
	g->failed = true;
	snprintf(g->stats->failure, sizeof(g->stats->failure), "%s", e->text);
	atomic_store_explicit(&g->stats->failed, true, memory_order_release);
}

static void
driver_failed(struct gpu *g, const char *function, int result)
{
	struct err e;

	cuda_fail(&g->device.cuda, function, result, &e);
	gpu_batch_fail(g, &e);
}

/* Device address of a packet that was received into GPU memory; 0 bytes if it was not. */
static struct gpu_packet
packet_in_place(const struct gpu *g, const struct rte_mbuf *m)
{
	const uint64_t at = rte_pktmbuf_mtod(m, uintptr_t) - (uintptr_t)g->from;

	if (unlikely(m->nb_segs > 1 || at >= g->from_bytes || m->data_len > g->from_bytes - at))
		return (struct gpu_packet){ 0 };
	return (struct gpu_packet){ .address = g->from_at + at, .bytes = m->data_len };
}

/* Add a packet to those that will be copied. */
static struct gpu_packet
packet_copied(const struct gpu *g, struct gpu_slot *b, const struct rte_mbuf *m)
{
	const uint32_t at = b->gathered;
	uint32_t bytes = 0;

	if (unlikely(m->pkt_len > g->from_bytes))
		return (struct gpu_packet){ 0 };
	for (; m != NULL; m = m->next) {
		rte_memcpy(b->staging + at + bytes, rte_pktmbuf_mtod(m, const void *), m->data_len);
		bytes += m->data_len;
	}
	b->gathered = RTE_ALIGN_CEIL(at + bytes, COPY_ALIGN);
	return (struct gpu_packet){ .address = b->copies_at + at, .bytes = bytes };
}

/* Start the copy of packets added since the last one. */
static void
copy(struct gpu *g, struct gpu_slot *b)
{
	int ret;

	b->bursts = 0;
	if (b->copied == b->gathered)
		return;
	ret = g->device.cuda.copy_in(b->copies_at + b->copied, b->staging + b->copied,
		b->gathered - b->copied, g->stream);
	if (unlikely(ret != CUDA_OK))
		driver_failed(g, "cuMemcpyHtoDAsync", ret);
	b->copied = b->gathered;
	counter_add(&g->stats->copies, 1);
}

/* Launch the kernel. Returns the driver's result. */
static int
kernel_launch(const struct gpu *g, struct gpu_slot *b, unsigned int n, unsigned int number)
{
	cuda_address histogram = g->histogram_at, blocks_done = g->blocks_at;
	void *parameters[] = { &b->packets_at, &b->results_at, &histogram, &n, &blocks_done,
		&b->done_at, &number };
	const unsigned int blocks = RTE_MAX((n + GPU_BLOCK_PACKETS - 1) / GPU_BLOCK_PACKETS, 1u);

	rte_wmb(); /* packets and their addresses; some may be in the card's memory */
	return g->device.cuda.launch(g->kernel, blocks, 1, 1, GPU_THREADS, 1, 1, 0, g->stream,
		parameters, NULL);
}

static void
launch(struct gpu *g, struct gpu_slot *b)
{
	int ret;

	b->number = ++g->number;
	ret = kernel_launch(g, b, b->n, b->number);
	if (unlikely(ret != CUDA_OK))
		driver_failed(g, "cuLaunchKernel", ret);
	b->launched = rte_rdtsc();
	counter_add(&g->stats->batches, 1);
	if (b->n < g->batch)
		counter_add(&g->stats->partial, 1);
}

int
gpu_batch_try(struct gpu *g, struct err *e)
{
	const uint64_t begin = rte_rdtsc();
	int ret = kernel_launch(g, &g->slot[0], 0, 0);

	if (ret != CUDA_OK)
		return cuda_fail(&g->device.cuda, "cuLaunchKernel", ret, e);
	while ((ret = g->device.cuda.stream_query(g->stream)) == CUDA_NOT_READY) {
		if (rte_rdtsc() - begin > g->timeout_tsc) {
			g->stuck = true;
			return err_set(e, ETIMEDOUT, "kernel did not finish within gpu-timeout");
		}
		rte_pause();
	}
	return ret == CUDA_OK ? 0 : cuda_fail(&g->device.cuda, "kernel", ret, e);
}

/* Launch the batch at head, and begin to fill the next slot if there is one. */
static void
head_launch(struct gpu *g)
{
	struct gpu_slot *b = slot_at(g, g->head);

	if (g->mode == GPU_COPY && !g->failed)
		copy(g, b);
	if (!g->failed)
		launch(g, b);
	b->complete = false;
	g->head++;
}

void
gpu_batch_add(struct stream *s, struct rte_mbuf *const *pkts, uint16_t n)
{
	struct gpu *g = s->state;
	struct gpu_slot *b = slot_at(g, g->head);
	const uint64_t now = rte_rdtsc();
	uint64_t bytes = 0;

	for (uint16_t i = 0; i < n; i++) {
		const struct gpu_packet p = g->mode == GPU_COPY ? packet_copied(g, b, pkts[i])
								: packet_in_place(g, pkts[i]);

		b->packets[b->n] = p;
		b->rx_tsc[b->n] = now;
		b->pkts[b->n++] = pkts[i];
		bytes += p.bytes;
	}
	counter_add(&g->stats->bytes, bytes);
	if (g->mode == GPU_COPY && ++b->bursts == g->copy_bursts)
		copy(g, b);
	if (b->n == g->batch)
		head_launch(g);
}

void
gpu_batch_flush(struct stream *s, bool now)
{
	struct gpu *g = s->state;
	const struct gpu_slot *b = slot_at(g, g->head);

	if (g->head - g->tail < g->n_slots && b->n > 0 &&
		(now || rte_rdtsc() - b->rx_tsc[0] >= g->flush_tsc))
		head_launch(g);
}

/* Count the latency of a batch's packets, burst by burst. */
static void
latency_count(struct gpu *g, const struct gpu_slot *b)
{
	const uint64_t now = rte_rdtsc();
	unsigned int first = 0;

	for (unsigned int i = 1; i <= b->n; i++)
		if (i == b->n || b->rx_tsc[i] != b->rx_tsc[first]) {
			gpu_latency_add(&g->stats->latency, now - b->rx_tsc[first], i - first);
			first = i;
		}
}

static bool
result_right(struct gpu *g, const struct rte_mbuf *m, const struct gpu_result *r)
{
	const struct gpu_result want = gpu_reference(m);

	if (want.found & GPU_RESULT_IP)
		g->histogram[want.hash % GPU_BUCKETS]++;
	return want.hash == r->hash && want.sum == r->sum && want.found == r->found;
}

/* Store the results of a batch in its packets, and count them. */
static void
results_read(struct stream *s, struct gpu *g, struct gpu_slot *b)
{
	unsigned int skipped = 0, wrong = 0;

	latency_count(g, b);
	for (unsigned int i = 0; i < b->n; i++) {
		const struct gpu_result r = b->results[i];
		struct rte_mbuf *m = b->pkts[i];

		if (unlikely(b->packets[i].bytes == 0)) {
			skipped++;
			continue;
		}
		m->hash.fdir.lo = r.hash;
		m->hash.fdir.hi = r.sum;
		m->ol_flags |= RTE_MBUF_F_RX_FDIR_ID |
			(r.found & GPU_RESULT_IP ? RTE_MBUF_F_RX_RSS_HASH : 0);
		if (g->verify)
			wrong += !result_right(g, m, &r);
	}
	stream_count_named(s, GPU_RESULTS, b->n - skipped);
	stream_count_named(s, GPU_SKIPPED, skipped);
	if (g->verify) {
		stream_count_named(s, GPU_VERIFIED, b->n - skipped - wrong);
		stream_count_named(s, GPU_WRONG, wrong);
	}
}

/*
 * Periodically ask the driver about a running kernel, because its faults are reported only there. A
 * kernel that exceeds gpu-timeout counts as hung.
 */
static void
look_after(struct gpu *g, const struct gpu_slot *b)
{
	const uint64_t now = rte_rdtsc();
	struct err e;
	int ret;

	if (likely(now - b->launched < g->look_tsc || now - g->looked < g->look_tsc))
		return;
	g->looked = now;
	ret = g->device.cuda.stream_query(g->stream);
	if (ret != CUDA_OK && ret != CUDA_NOT_READY) {
		driver_failed(g, "kernel", ret);
	} else if (now - b->launched > g->timeout_tsc) {
		g->stuck = true;
		err_set(&e, ETIMEDOUT, "kernel did not finish within gpu-timeout, %u packets",
			b->n);
		gpu_batch_fail(g, &e);
	}
}

/* Whether packets of the batch at tail can be taken. */
static bool
tail_complete(struct stream *s, struct gpu *g)
{
	struct gpu_slot *b = slot_at(g, g->tail);

	if (b->complete)
		return true;
	/* Pairs with the fence of the kernel's last block. */
	if (likely(!g->failed) && __atomic_load_n(b->done, __ATOMIC_ACQUIRE) == b->number) {
		results_read(s, g, b);
		b->complete = true;
	} else if (!g->failed) {
		look_after(g, b);
	}
	if (unlikely(g->failed && !b->complete)) {
		stream_count_named(s, GPU_UNREAD, b->n);
		b->complete = true;
	}
	return b->complete;
}

uint16_t
gpu_batch_take(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	struct gpu *g = s->state;
	struct gpu_slot *b = slot_at(g, g->tail);
	uint16_t n;

	if (unlikely(g->failed))
		gpu_batch_flush(s, true);
	if (g->tail == g->head || !tail_complete(s, g))
		return 0;
	n = (uint16_t)RTE_MIN(b->n - g->given, (unsigned int)max);
	memcpy(pkts, b->pkts + g->given, n * sizeof(*pkts));
	g->given += n;
	if (g->given == b->n) {
		b->n = b->gathered = b->copied = b->bursts = 0;
		g->given = 0;
		g->tail++;
	}
	return n;
}
