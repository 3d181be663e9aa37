/* Mode storage of the engine extbuf: sends packets that point to a region which is never written, as UDP or TCP; can verify received packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "base/setting.h"
#include "compat.h"
#include "engines/common/pkt.h"
#include "engines/engine.h"
#include "engines/extbuf/extbuf_priv.h"
#include "memory/extmem.h"
#include "memory/extmem_buffers.h"
#include "pmd_shims/extbuf.h"

#include <rte_lcore.h>
#include <rte_malloc.h>

#include <inttypes.h>
#include <netinet/in.h>

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
	const int socket = (int)rte_lcore_to_socket_id(s->lcore);

	t->offset = (uint32_t)(part * s->index * t->stride);
	t->from = m->addr + part * s->index * t->stride;
	t->n = (uint32_t)part;
	if (t->n == 0)
		return err_set(e, ENOSPC,
			"memory %s: %" PRIu64 " bytes are %" PRIu64
			" slices of %u bytes; expected at least one for each of %u streams",
			m->name, m->bytes, all, t->stride, s->n_siblings);
	t->iovas = rte_malloc_socket("extbuf iovas", t->n * sizeof(*t->iovas), 0, socket);
	t->sums = rte_zmalloc_socket("extbuf sums", t->n * sizeof(*t->sums), 0, socket);
	t->scratch = verify ? rte_malloc_socket("extbuf scratch", SCRATCH_BYTES, 0, socket) : NULL;
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

int
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

void
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
	const uint16_t asked = n;
	uint16_t bodies, fronts, own;

	if (!x->storage.copy && x->shared && !extbuf_open_room(x, n, EXTMEM_BUFFERS_SHARED))
		n = 0;
	bodies = pkt_blocks_get(s, &x->storage.blocks, pkts, n);
	fronts = x->head > 0 ? pkt_blocks_get(s, &x->storage.blocks, p->front, bodies) : bodies;
	own = x->storage.copy || x->shared ? fronts
					   : extmem_buffers_take(x->buffers, p->own, fronts);
	p->n = own;
	if (likely(p->n == asked))
		return;
	stream_count_named(s, EXTBUF_NOT_MADE, asked - p->n);
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
		pkt_attach(body, (void *)(uintptr_t)at, t->iovas[slice], t->bytes, &own->shinfo,
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
