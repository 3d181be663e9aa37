/* Initialises a stream of the engine extbuf: checks, the memory region, its buffers or storage, the threshold. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "compat.h"
#include "engines/common/pinned.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "engines/extbuf/extbuf_priv.h"
#include "memory/extmem.h"
#include "memory/extmem_buffers.h"
#include "memory/extmem_device.h"
#include "memory/mbuf_readonly.h"
#include "memory/pool_memory.h"
#include "pmd_shims/extbuf.h"

#include <rte_lcore.h>
#include <rte_malloc.h>

#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>

/* Mode storage: sends packets that point to a region which is never written; can verify received
 * packets. */

#define MAGIC RTE_BE32(0x7a637374) /* "zcst" */
#define SLICES_MOST (1u << 22)
#define SCRATCH_BYTES 65536

/* After the headers of a packet with extbuf-split: the number of the slice and its checksum. */
struct stamp {
	rte_be32_t magic, slice;
	uint64_t sum;
} __attribute__((packed));

struct front {
	struct pkt_udp headers;
	struct stamp stamp;
} __attribute__((packed));

/* Headers of a packet with extbuf-tcp. */
struct tcp_front {
	struct rte_ether_hdr ether;
	struct rte_ipv4_hdr ip;
	struct rte_tcp_hdr tcp;
};

static_assert(sizeof(struct tcp_front) == 54, "headers follow each other without a gap");

/* A checksum that depends on every byte and on their order. */
static uint64_t
sum_of(const uint8_t *at, uint32_t n)
{
	const uint64_t prime = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t sum = n, word;

	for (; n >= sizeof(word); n -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum = (sum ^ word) * prime;
		sum ^= sum >> 29;
	}
	word = 0;
	memcpy(&word, at, n);
	sum = (sum ^ word) * prime;
	return sum ^ sum >> 32;
}

static uint32_t
front_bytes(const struct extbuf *x)
{
	if (x->storage.tcp)
		return sizeof(struct tcp_front);
	return x->head > 0 ? sizeof(struct front) : 0;
}

/*
 * Decide the bytes per slice: as set, else what fits into a frame, up to 1024. With extbuf-tcp slices
 * follow each other without gaps and are larger than a frame if the port has TSO; otherwise they are
 * divided here, as the frames would be.
 */
static int
bytes_decide(struct stream *s, struct extbuf *x, struct err *e)
{
	const uint32_t frame = s->tx_end.mtu + (uint32_t)RTE_ETHER_HDR_LEN,
		       most = frame - RTE_MIN(frame, front_bytes(x));

	if (x->storage.tcp) {
		const uint32_t slice = x->slice > 0 ? x->slice : EXTBUF_SLICE_MOST;

		x->storage.bytes = (uint16_t)(x->storage.tso ? slice : RTE_MIN(slice, most));
		if (x->storage.bytes < 14)
			return err_set(e, ERANGE, "extbuf-slice %u: expected 14..%u bytes", slice,
				EXTBUF_SLICE_MOST);
		x->storage.stride = x->storage.bytes;
		x->storage.tx_offload = rte_mbuf_tx_offload(sizeof(struct rte_ether_hdr),
			sizeof(struct rte_ipv4_hdr), sizeof(struct rte_tcp_hdr), most, 0, 0, 0);
		return 0;
	}
	x->storage.bytes = (uint16_t)(x->slice > 0 ? x->slice : RTE_MIN(most, 1024u));
	if (x->storage.bytes > most || x->storage.bytes < 14)
		return err_set(e, ERANGE,
			"extbuf-slice %u: expected 14..%u bytes, the maximum of a frame of port %u",
			x->storage.bytes, most, s->tx_port);
	x->storage.stride = RTE_ALIGN_CEIL((uint32_t)x->storage.bytes, 8);
	return 0;
}

/* Get the IOVA and checksum of each slice; skip slices that are not contiguous in IOVA space. */
static int
slices_init(struct stream *s, struct extbuf *x, struct err *e)
{
	struct extbuf_storage *t = &x->storage;
	const struct extmem *m = x->memory;
	const uint64_t all = m->bytes / t->stride,
		       part = RTE_MIN(all / s->n_siblings, (uint64_t)SLICES_MOST);
	const bool verify = setting_on(s->settings, "extbuf-verify");

	t->offset = (uint32_t)(part * s->index * t->stride);
	t->from = m->addr + part * s->index * t->stride;
	t->n = (uint32_t)part;
	if (t->n == 0)
		return err_set(e, ENOSPC,
			"memory %s: %" PRIu64 " bytes are %" PRIu64
			" slices of %u bytes; expected at least one for each of %u streams",
			m->name, m->bytes, all, t->stride, s->n_siblings);
	t->iovas = rte_malloc("extbuf iovas", t->n * sizeof(*t->iovas), 0);
	t->sums = rte_zmalloc("extbuf sums", t->n * sizeof(*t->sums), 0);
	t->scratch = verify ? rte_malloc("extbuf scratch", SCRATCH_BYTES, 0) : NULL;
	if (t->iovas == NULL || t->sums == NULL || (verify && t->scratch == NULL))
		return err_set(e, ENOMEM, "no memory for the state of %u slices", t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		const uint8_t *at = t->from + (uint64_t)i * t->stride;

		t->iovas[i] = extmem_iova(m, at, t->bytes);
		if (verify)
			t->sums[i] = sum_of(at, t->bytes);
		else if (t->tcp)
			t->sums[i] = rte_raw_cksum(at, t->bytes);
		if (t->iovas[i] == RTE_BAD_IOVA && extmem_iova(m, at, 1) != RTE_BAD_IOVA)
			return err_set(e, EINVAL,
				"memory %s: slices of %u bytes cross its pages of %" PRIu64
				", which are not contiguous in IOVA space; use larger pages, or an extbuf-slice that divides the page size",
				m->name, t->stride, m->page);
	}
	return 0;
}

/* Initialise the headers for a slice; those of extbuf-tcp lack the sequence number. */
static void
front_init(struct stream *s, struct extbuf_storage *t)
{
	uint32_t addresses[2] = { 0, 0 };

	t->head.ether.dst_addr = s->tx_end.peer;
	t->head.ether.src_addr = s->tx_end.mac;
	pkt_text_addresses(setting_text(s->settings, "tx-ip"), addresses);
	pkt_udp_fill(&t->head, addresses[0], addresses[1], 9, 9,
		(uint16_t)(sizeof(struct front) + t->bytes));
	if (!t->tcp)
		return;
	t->head.ip.next_proto_id = IPPROTO_TCP;
	t->head.ip.total_length = rte_cpu_to_be_16(
		(uint16_t)(sizeof(struct tcp_front) - sizeof(struct rte_ether_hdr) + t->bytes));
	t->head.ip.hdr_checksum = 0;
	t->tcp_head =
		(struct rte_tcp_hdr){ .src_port = rte_cpu_to_be_16((uint16_t)(1024 + s->index)),
			.dst_port = RTE_BE16(9),
			.data_off = sizeof(struct rte_tcp_hdr) / 4 << 4,
			.tcp_flags = RTE_TCP_ACK_FLAG,
			.rx_win = UINT16_MAX };
	if (t->tso) {
		/* The port adds the length of each frame to the pseudo header's sum. */
		t->tcp_head.cksum = rte_ipv4_phdr_cksum(&t->head.ip, RTE_MBUF_F_TX_TCP_SEG);
		return;
	}
	t->head.ip.hdr_checksum = rte_ipv4_cksum(&t->head.ip);
	t->tcp_sum = (uint32_t)rte_ipv4_phdr_cksum(&t->head.ip, 0) +
		rte_raw_cksum(&t->tcp_head, sizeof(t->tcp_head));
}

/* Initialise mode storage for a stream. Errors: EINVAL, ERANGE, ENOMEM. Thread: control. */
static int
extbuf_storage_init(struct stream *s, struct err *e)
{
	struct extbuf *x = s->state;
	struct extbuf_storage *t = &x->storage;
	int ret;

	if (t->tcp && x->head == 0)
		return err_set(e, EINVAL,
			"extbuf-tcp on: needs extbuf-split on, because the headers are in a separate mbuf");
	if (t->tcp && setting_on(s->settings, "extbuf-verify"))
		return err_set(e, EINVAL,
			"extbuf-verify on: expected extbuf-tcp off, because TCP segments have no stamp");
	ret = bytes_decide(s, x, e);
	if (ret == 0)
		ret = slices_init(s, x, e);
	if (ret != 0)
		return ret;
	if (t->copy && t->bytes > x->room)
		return err_set(e, ERANGE,
			"extbuf-slice %u: expected at most %u with extbuf-storage copy, the size of an mbuf",
			t->bytes, x->room);
	if (setting_on(s->settings, "extbuf-verify") && x->head == 0)
		return err_set(e, EINVAL,
			"extbuf-verify on: needs extbuf-split on, because the checksum is sent with the headers");
	/* Packets in flight point to the same slice, and the region can be read-only memory. */
	if (!t->copy && extbuf_readonly_register(&x->readonly, e) != 0)
		return -e->code;
	front_init(s, t);
	pkt_blocks_open(&t->blocks, s);
	return 0;
}

/* Release the region. Thread: control, stopped. */
static void
extbuf_storage_end(struct extbuf *x)
{
	struct extbuf_storage *t = &x->storage;

	pool_blocks_close(&t->blocks);
	rte_free(t->iovas);
	rte_free(t->sums);
	rte_free(t->scratch);
	*t = (struct extbuf_storage){ 0 };
}

/*
 * Whether a packet is from a storage stream and its payload is as sent. Its lengths are untrusted.
 */
static bool
is_whole(struct extbuf *x, struct rte_mbuf *m)
{
	const uint32_t before = sizeof(struct rte_udp_hdr) + sizeof(struct stamp);
	const struct front *f = rte_pktmbuf_read(m, 0, sizeof(*f), x->storage.scratch);
	const void *rest;
	uint32_t bytes;
	uint64_t sum;

	if (f == NULL || f->stamp.magic != MAGIC)
		return false;
	bytes = rte_be_to_cpu_16(f->headers.udp.dgram_len);
	if (bytes < before)
		return false;
	sum = f->stamp.sum;
	rest = rte_pktmbuf_read(m, sizeof(*f), bytes - before, x->storage.scratch);
	return rest != NULL && sum_of(rest, bytes - before) == sum;
}

/* Check and free what the port received. */
static void
verify(struct stream *s, struct extbuf *x, uint16_t max)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t n = stream_rx(s, pkts, max), good = 0;

	for (uint16_t i = 0; i < n; i++)
		good += is_whole(x, pkts[i]);
	stream_count_named(s, EXTBUF_VERIFIED, good);
	stream_count_named(s, EXTBUF_CORRUPT, n - good);
	stream_absorb(s, pkts, n);
}

/* The parts of a burst of packets. */
struct parts {
	struct rte_mbuf *front[BURST_MAX];
	/* with a shinfo: of each packet, or the first one for all */
	struct extmem_buffer *own[BURST_MAX];
	uint16_t n; /* packets for which all parts are there */
};

/* Get the parts for up to n packets; parts that lack a counterpart are put back. */
static void
parts_take(struct stream *s, struct extbuf *x, struct rte_mbuf **pkts, struct parts *p, uint16_t n)
{
	const uint16_t want = n;
	uint16_t bodies, fronts, own;

	if (!x->storage.copy && x->shared && !extbuf_open_room(x, n, EXTMEM_BUFFERS_SHARED))
		n = 0;
	bodies = pkt_blocks_get(s, &x->storage.blocks, pkts, n);
	fronts = x->head > 0 ? pkt_blocks_get(s, &x->storage.blocks, p->front, bodies) : bodies;
	own = x->storage.copy || x->shared ? fronts
					   : extmem_buffers_take(x->buffers, p->own, fronts);
	p->n = own;
	if (likely(p->n == want))
		return;
	stream_count_named(s, EXTBUF_NOT_MADE, want - p->n);
	if (bodies > p->n)
		rte_mempool_put_bulk(s->pool, (void *const *)pkts + p->n, bodies - p->n);
	if (x->head > 0 && fronts > p->n)
		rte_mempool_put_bulk(s->pool, (void *const *)p->front + p->n, fronts - p->n);
}

/* Write the headers and the stamp of a slice. */
static __rte_always_inline void
stamp_build(struct stream *s, const struct extbuf_storage *t, struct rte_mbuf *m, uint32_t slice)
{
	struct front *f;

	pkt_raw_open(m, sizeof(*f), 0, &s->tx_end);
	f = rte_pktmbuf_mtod(m, struct front *);
	f->headers = t->head;
	f->stamp = (struct stamp){ MAGIC, rte_cpu_to_be_32(slice), t->sums[slice] };
}

/* Write the headers of a slice with extbuf-tcp, and ask the port for TSO. */
static void
tcp_build(struct stream *s, const struct extbuf_storage *t, struct rte_mbuf *m, uint32_t slice)
{
	const rte_be32_t seq = rte_cpu_to_be_32(t->offset + slice * t->stride);
	struct tcp_front *f;
	uint32_t sum;

	pkt_raw_open(m, sizeof(*f), 0, &s->tx_end);
	f = rte_pktmbuf_mtod(m, struct tcp_front *);
	f->ether = t->head.ether;
	f->ip = t->head.ip;
	f->tcp = t->tcp_head;
	f->tcp.sent_seq = seq;
	if (t->tso) {
		m->tx_offload = t->tx_offload;
		m->ol_flags |= RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM;
		return;
	}
	sum = t->tcp_sum + (seq >> 16) + (seq & UINT16_MAX) + (uint32_t)t->sums[slice];
	sum = (sum >> 16) + (sum & UINT16_MAX);
	sum = (sum >> 16) + (sum & UINT16_MAX);
	f->tcp.cksum = (uint16_t)~sum;
}

/* Build the packet for a slice from uninitialised mbufs. */
static __rte_always_inline struct rte_mbuf *
build(struct stream *s, struct extbuf *x, struct rte_mbuf *body, struct rte_mbuf *front,
	struct extmem_buffer *own, uint32_t slice, bool tcp)
{
	const struct extbuf_storage *t = &x->storage;
	const uint8_t *at = t->from + (uint64_t)slice * t->stride;
	struct rte_mbuf *m = x->head > 0 ? front : body;

	extbuf_touch(x, at, t->bytes);
	if (t->copy) {
		pkt_raw_open(body, t->bytes, 0, &s->tx_end);
		rte_memcpy(rte_pktmbuf_mtod(body, void *), at, t->bytes);
	} else {
		extbuf_point(body, (void *)(uintptr_t)at, t->iovas[slice], t->bytes, &own->shinfo,
			x->readonly);
	}
	if (x->head > 0) {
		if (tcp)
			tcp_build(s, t, front, slice);
		else
			stamp_build(s, t, front, slice);
		extbuf_join(front, body);
	}
	if (unlikely(x->flags != 0)) {
		m->ol_flags |= x->flags;
		m->vlan_tci = s->tx_end.vlan;
		m->vlan_tci_outer = s->tx_end.vlan_outer;
	}
	return m;
}

/* Build the packets for the next slices. */
static __rte_always_inline void
build_all(struct stream *s, struct extbuf *x, struct rte_mbuf **pkts, const struct parts *p,
	bool tcp)
{
	struct extbuf_storage *t = &x->storage;
	/* For each packet, or one for all; not used by copies. */
	struct extmem_buffer *const *own = p->own;
	const unsigned int step = !x->shared && !t->copy;

	for (uint16_t i = 0; i < p->n; i++) {
		pkts[i] =
			build(s, x, pkts[i], x->head > 0 ? p->front[i] : NULL, *own, t->next, tcp);
		own += step;
		if (++t->next == t->n)
			t->next = 0;
	}
}

/* Let the driver prepare packets for TSO; those that it refuses are freed. Returns the others. */
static uint16_t
prepare(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	const uint16_t ready = compat_tx_prepare(s->tx_port, s->tx_queue, pkts, n);

	if (unlikely(ready < n)) {
		stream_count_named(s, EXTBUF_NOT_MADE, n - ready);
		rte_pktmbuf_free_bulk(pkts + ready, n - ready);
	}
	return ready;
}

/* Build TCP segments; apart from the loop of the others. Returns how many the driver accepts. */
static __rte_noinline uint16_t
build_tcp(struct stream *s, struct extbuf *x, struct rte_mbuf **pkts, const struct parts *p)
{
	build_all(s, x, pkts, p, true);
	return x->storage.tso ? prepare(s, pkts, p->n) : p->n;
}

uint16_t
extbuf_storage_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	struct extbuf *x = s->state;
	struct extbuf_storage *t = &x->storage;
	struct parts p;

	p.own[0] = NULL;
	if (t->scratch != NULL)
		verify(s, x, max);
	parts_take(s, x, pkts, &p, max);
	if (x->shared && !t->copy && p.n > 0) {
		rte_mbuf_ext_refcnt_update(&x->open->shinfo, (int16_t)p.n);
		x->at += p.n;
		p.own[0] = x->open;
	}
	if (unlikely(t->tcp))
		p.n = build_tcp(s, x, pkts, &p);
	else
		build_all(s, x, pkts, &p, false);
	stream_count_named(s, t->copy ? EXTBUF_COPIED : EXTBUF_ATTACHED, p.n);
	stream_made(s, p.n);
	return p.n;
}

#define OWN_REGIONS \
	4 /* maximum regions that the engine creates while buffers of earlier runs are in use */
#define BUFFERS_LEAST BURST_MAX /* enough for a burst */
#define BUFFERS_MOST 32768      /* per stream; mode storage: shinfos */
#define BUFFERS_OWN 4096        /* per stream, in a region that the engine creates */
#define SHARED_BYTES 65536      /* default size of a buffer that packets share */
#define STORAGE_BYTES (UINT64_C(4) << 20)
static_assert(EXTBUF_BUFFER_MOST / 64 <= EXTMEM_BUFFERS_SHARED, "packets in a buffer");
/*
 * Initial threshold before anything is measured: attaching pays off from this length on with rings
 * of 1024 descriptors (from about 300 bytes on with rings of 256).
 */
#define THRESHOLD_FIRST 576
#define FRAME_EXTRA 26 /* Ethernet header, two tags, CRC */

/* The kinds of mbufs that this stream sends, a bit 1 << enum extbuf_tx_use for each. */
static unsigned int
uses_of(const struct extbuf *x)
{
	const bool copies = x->mode == EXTBUF_STORAGE && x->storage.copy;
	unsigned int uses = x->head > 0 ? 1u << EXTBUF_TX_SEGMENTS : 0;

	if (x->mode == EXTBUF_PINNED)
		uses |= 1u << EXTBUF_TX_PINNED;
	else if (x->mode != EXTBUF_COPY && !copies)
		uses |= 1u << (x->shared || x->mode == EXTBUF_STORAGE ? EXTBUF_TX_SHARED
								      : EXTBUF_TX_ATTACHED);
	return uses;
}

/*
 * Copy if the Tx queue cannot handle attached buffers, because it frees mbufs without checking
 * them. Only the first such stream warns, with the reason and a way around it.
 */
static void
fall_back(const struct stream *s, struct extbuf *x)
{
	const unsigned int uses = uses_of(x) & (1u << EXTBUF_TX_ATTACHED | 1u << EXTBUF_TX_SHARED);
	bool said = false;
	struct err why;

	err_clear(&why);
	if (uses == 0 ||
		extbuf_tx_check(s->tx_port, s->tx_queue, s->tx_end.offloads, uses, &why) !=
			-EOPNOTSUPP)
		return;
	for (unsigned int i = 0; i < s->index; i++)
		said |= ((const struct extbuf *)s->siblings[i]->state)->fallback;
	if (!said)
		out_warn(((const struct extbuf_config *)s->config)->out,
			"extbuf copies packets instead of attaching them: %s\n", why.text);
	x->fallback = true;
	if (x->mode == EXTBUF_STORAGE)
		x->storage.copy = true;
	else
		x->mode = EXTBUF_COPY;
}

/* Refuse Tx paths that cannot send such mbufs, and pools whose mbufs cannot be attached to. */
static int
path_check(const struct stream *s, const struct extbuf *x, struct err *e)
{
	const unsigned int uses = uses_of(x);

	if ((uses & (1u << EXTBUF_TX_ATTACHED | 1u << EXTBUF_TX_SHARED)) != 0 &&
		extbuf_is_pinned(s->pool))
		return err_set(e, EINVAL,
			"pool %s has mbufs with external buffers, to which no others can be attached; use another --mp-alloc than xbuf",
			s->pool->name);
	return extbuf_tx_check(s->tx_port, s->tx_queue, s->tx_end.offloads, uses, e);
}

/* Bytes of a buffer that its shinfo needs. */
static uint32_t
tail_bytes(const struct extbuf *x)
{
	return x->tail ? EXTMEM_BUFFERS_TAIL : 0;
}

/* Decide the bytes per buffer for packets, the same for all streams because they share the region. */
static int
setup_bytes_decide(const struct stream *s, const struct extbuf *x, uint32_t *bytes, struct err *e)
{
	const uint32_t tail = tail_bytes(x);
	uint32_t frame = 0;

	if (x->mode == EXTBUF_STORAGE && x->tail)
		return err_set(e, EINVAL,
			"extbuf-shinfo tail: mode storage does not write into its memory; expected private or shared");
	*bytes = (uint32_t)setting_u64(s->settings, "extbuf-buffer");
	for (unsigned int i = 0; i < s->n_siblings; i++)
		frame = RTE_MAX(frame, s->siblings[i]->rx_end.mtu + (uint32_t)FRAME_EXTRA);
	frame = RTE_MIN(RTE_ALIGN_CEIL(frame, 64), EXTBUF_SLICE_MOST - tail);
	if (x->mode == EXTBUF_STORAGE)
		*bytes = 0;
	else if (*bytes == 0)
		*bytes = x->shared ? RTE_MAX((uint32_t)SHARED_BYTES, frame) : frame + tail;
	else if (*bytes % 64 != 0 || *bytes < 64 || (!x->shared && *bytes > EXTBUF_SLICE_MOST))
		return err_set(e, EINVAL,
			"extbuf-buffer %u: expected a multiple of 64 from 64 to %u%s", *bytes,
			x->shared ? EXTBUF_BUFFER_MOST : EXTBUF_SLICE_MOST,
			x->shared ? "" : ", or extbuf-shinfo shared");
	else if (*bytes < frame + tail && tail > 0)
		return err_set(e, EINVAL,
			"extbuf-buffer %u: expected at least %u with extbuf-shinfo tail, %u for the longest frame and %u for the shinfo",
			*bytes, frame + tail, frame, tail);
	if (x->slice % 64 != 0 || (x->shared && x->mode != EXTBUF_STORAGE && x->slice > *bytes))
		if (x->mode != EXTBUF_STORAGE)
			return err_set(e, EINVAL,
				"extbuf-slice %u: expected a multiple of 64, at most the buffer size, %u bytes",
				x->slice, *bytes);
	*bytes -= tail;
	return 0;
}

/*
 * Create a region, or reuse one of an earlier run that is free or has the same layout.
 */
static int
own_region(struct stream *s, struct extbuf *x, uint32_t bytes, struct err *e)
{
	struct extmems *const extmems = ((const struct extbuf_config *)s->config)->extmems;
	const uint64_t n = x->shared ? BUFFERS_OWN / 16 : BUFFERS_OWN,
		       size = x->mode == EXTBUF_STORAGE
		? STORAGE_BYTES
		: s->n_siblings * n * (bytes + tail_bytes(x));
	char name[EXTMEM_NAME_BYTES];
	const struct extmem_ask ask = { .name = name,
		.type = EXTMEM_HEAP,
		.bytes = RTE_ALIGN_CEIL(size, (uint64_t)4096),
		.socket = SOCKET_ID_ANY,
		.own = true };

	for (unsigned int i = 1; i <= OWN_REGIONS; i++) {
		snprintf(name, sizeof(name), "%s.%u",
			x->mode == EXTBUF_STORAGE ? "storage" : "extbuf", i);
		x->memory = extmem_find(extmems, name, NULL);
		if (x->memory != NULL && x->memory->bytes >= ask.bytes &&
			(extmem_buffers_alike(x->memory, s->n_siblings, bytes, x->tail) ||
				extmem_idle(x->memory, e) == 0))
			return 0;
		err_clear(e);
		if (x->memory == NULL || extmem_delete(extmems, name, e) == 0)
			return extmem_create(extmems, &ask, &x->memory, e);
	}
	return -e->code;
}

/* Find the region of this run: the one that is set, or one that the first stream found for all. */
static int
region_find(struct stream *s, struct extbuf *x, uint32_t bytes, struct err *e)
{
	const char *name = setting_text(s->settings, "extbuf-memory");
	int ret = 0;

	if (name[0] != '\0') {
		x->memory =
			extmem_find(((const struct extbuf_config *)s->config)->extmems, name, e);
		ret = x->memory == NULL ? -ENOENT : 0;
	} else if (s->index > 0) {
		x->memory = ((const struct extbuf *)s->siblings[0]->state)->memory;
	} else {
		ret = own_region(s, x, bytes, e);
		for (uint64_t i = 0; ret == 0 && bytes == 0 && i < x->memory->bytes; i++)
			x->memory->addr[i] = (uint8_t)(i ^ i >> 8 ^ i >> 16);
	}
	if (ret != 0)
		return ret;
	if (!x->memory->writable && x->mode != EXTBUF_STORAGE)
		return err_set(e, EINVAL, "memory %s is read-only; use \"set extbuf mode storage\"",
			name);
	if (x->tail && x->memory->on_device)
		return err_set(e, EINVAL,
			"memory %s is on a GPU, where CPUs cannot count references; expected extbuf-shinfo private or shared",
			name);
	return extmem_reach(x->memory, s->tx_port, e);
}

static void
stats_keep(struct stream *s, const struct extbuf *x)
{
	struct extbuf_stats *f = s->kept;

	f->mode = x->mode;
	f->word = setting_choice(s->settings, "extbuf-mode", x->mode);
	snprintf(f->memory, sizeof(f->memory), "%s",
		x->memory != NULL ? x->memory->name : s->rx_pool->name);
	if (x->buffers != NULL) {
		f->bytes = x->mode == EXTBUF_STORAGE ? x->storage.bytes : x->buffers->bytes;
		f->n = x->mode == EXTBUF_STORAGE ? x->storage.n : x->buffers->n;
	}
	f->slice = x->slice;
	f->shinfo = setting_choice(s->settings, "extbuf-shinfo",
		setting_u64(s->settings, "extbuf-shinfo"));
	f->split = x->head > 0;
	atomic_store(&f->copy_below, x->copy_below);
	f->buffers = x->buffers;
}

/* Decide the length from which on packets are attached. */
static void
threshold_decide(struct stream *s, struct extbuf *x)
{
	struct extbuf_stats *f = s->kept;
	struct rte_eth_txq_info queue;

	x->copy_below = x->mode == EXTBUF_COPY ? THRESHOLD_NEVER : 0;
	if (x->mode != EXTBUF_AUTO)
		return;
	x->copy_below = (uint32_t)setting_u64(s->settings, "extbuf-threshold");
	if (x->copy_below != 0)
		return;
	f->autotuned = true;
	if (rte_eth_tx_queue_info_get(s->tx_port, s->tx_queue, &queue) != 0)
		queue.nb_desc = 0;
	x->copy_below = threshold_autotune_open(&x->autotune, THRESHOLD_FIRST, queue.nb_desc,
		rte_get_tsc_hz(), false);
}

static int
pinned_check(const struct stream *s, struct err *e)
{
	if (extbuf_is_pinned(s->rx_pool))
		return 0;
	return err_set(e, EINVAL,
		"port %u receives into pool %s, which is not in external memory; set extbuf mode pinned before start, or use --mp-alloc=xbuf",
		s->rx_port, s->rx_pool->name);
}

static void
settings_read(const struct stream *s, struct extbuf *x)
{
	x->mode = (enum extbuf_mode)setting_u64(s->settings, "extbuf-mode");
	x->slice = (uint32_t)setting_u64(s->settings, "extbuf-slice");
	x->shared = setting_u64(s->settings, "extbuf-shinfo") == EXTBUF_SHARED;
	x->tail = setting_u64(s->settings, "extbuf-shinfo") == EXTBUF_TAIL;
	x->touch = (uint32_t)setting_u64(s->settings, "extbuf-touch");
	x->head = setting_on(s->settings, "extbuf-split") ? EXTBUF_HEAD : 0;
	x->storage.copy = setting_u64(s->settings, "extbuf-storage") != 0;
	x->storage.tcp = setting_on(s->settings, "extbuf-tcp");
	x->storage.tso = x->storage.tcp && (s->tx_end.offloads & RTE_ETH_TX_OFFLOAD_TCP_TSO) != 0;
	x->room = rte_pktmbuf_data_room_size(s->pool) - RTE_PKTMBUF_HEADROOM;
	x->flags = pkt_tx_flags(&s->tx_end);
	x->readonly = x->mode == EXTBUF_PINNED ? mbuf_readonly_lookup() : 0;
}

int
extbuf_setup(struct stream *s, struct err *e)
{
	struct extbuf *x = s->state;
	uint32_t bytes = 0;
	int ret;

	settings_read(s, x);
	s->kept = rte_zmalloc("extbuf stats", sizeof(struct extbuf_stats), 0);
	if (s->kept == NULL)
		return err_set(e, ENOMEM, "extbuf: no memory for stream %u", s->index);
	fall_back(s, x);
	ret = path_check(s, x, e);
	if (ret == 0 && x->mode == EXTBUF_PINNED)
		ret = pinned_check(s, e);
	if (ret == 0 && x->mode != EXTBUF_PINNED) {
		ret = setup_bytes_decide(s, x, &bytes, e);
		if (ret == 0)
			ret = region_find(s, x, bytes, e);
		if (ret == 0) {
			x->buffers = extmem_buffers_open(x->memory, s->index, s->n_siblings, bytes,
				x->tail, x->shared ? 2 : BUFFERS_LEAST, BUFFERS_MOST, e);
			ret = x->buffers == NULL ? -e->code : 0;
		}
		if (ret == 0 && x->mode == EXTBUF_STORAGE)
			ret = extbuf_storage_init(s, e);
	}
	if (ret != 0)
		return ret;
	threshold_decide(s, x);
	stats_keep(s, x);
	return 0;
}

void
extbuf_setup_end(struct stream *s)
{
	struct extbuf *x = s->state;

	extbuf_forward_end(x);
	extbuf_storage_end(x);
	extmem_buffers_close(x->buffers);
	x->buffers = NULL;
}

void
extbuf_setup_forget(struct stream *s)
{
	rte_free(s->kept);
}

/* Mode pinned: a pool in external memory into which all ports receive, large enough and accessible
 * by all of them. */

#define OWN_NAME "pinned.1" /* region that is created if no memory is set */

int
extbuf_pinned_prepare(const void *config, const struct engine_ports *ports,
	struct rte_mempool **pool, struct err *e)
{
	const struct extbuf_config *c = config;
	const struct pinned_ask ask = { c->settings, c->extmems, "extbuf-memory", "extbuf-buffer",
		OWN_NAME, EXTMEM_HEAP, 0 };
	struct extmem *m;

	*pool = NULL;
	if (setting_u64(c->settings, "extbuf-mode") != EXTBUF_PINNED)
		return 0;
	/* With --mp-alloc=xbuf all pools are pinned already. */
	if (setting_text(c->settings, "extbuf-memory")[0] == '\0' && ports->instead == NULL &&
		setting_u64(c->settings, "mp-alloc") == POOL_XBUF)
		return 0;
	m = pinned_prepare(&ask, ports, e);
	if (m == NULL)
		return -e->code;
	*pool = m->pinned;
	return 0;
}
