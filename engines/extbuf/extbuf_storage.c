/* Mode storage: sends packets that point to a region which is never written; can verify received
 * packets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/extbuf/extbuf_storage.h"

#include "engines/common/pkt_text.h"
#include "engines/extbuf/extbuf_state.h"
#include "memory/extmem.h"
#include "memory/extmem_buffers.h"
#include "memory/extmem_region.h"

#include <rte_malloc.h>

#include <inttypes.h>

#define MAGIC RTE_BE32(0x7a637374) /* "zcst" */
#define SLICES_MOST (1u << 22)
#define SCRATCH_BYTES 65536
#define REFERENCE_MOST (EXTMEM_BUFFERS_SHARED - 2 * BURST_MAX)

/* After the headers of a packet with extbuf-split: the number of the slice and its checksum. */
struct stamp {
	rte_be32_t magic, slice;
	uint64_t sum;
} __attribute__((packed));

struct front {
	struct pkt_udp headers;
	struct stamp stamp;
} __attribute__((packed));

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
	return x->head > 0 ? sizeof(struct front) : 0;
}

/* Decide the bytes per slice: as set, else what fits into a frame, up to 1024. */
static int
bytes_decide(struct stream *s, struct extbuf *x, struct err *e)
{
	const uint32_t frame = s->tx_end.mtu + (uint32_t)RTE_ETHER_HDR_LEN,
		       most = frame - RTE_MIN(frame, front_bytes(x));

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

	t->from = m->addr + part * s->index * t->stride;
	t->n = (uint32_t)part;
	if (t->n == 0)
		return err_set(e, ENOSPC,
			"memory %s: %" PRIu64 " bytes are %" PRIu64
			" slices of %u bytes; expected at least one for each of %u streams",
			m->name, m->bytes, all, t->stride, s->n_siblings);
	t->iovas = rte_malloc("extbuf iovas", t->n * sizeof(*t->iovas), 0);
	t->sums = rte_malloc("extbuf sums", t->n * sizeof(*t->sums), 0);
	t->scratch = verify ? rte_malloc("extbuf scratch", SCRATCH_BYTES, 0) : NULL;
	if (t->iovas == NULL || t->sums == NULL || (verify && t->scratch == NULL))
		return err_set(e, ENOMEM, "no memory for the state of %u slices", t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		const uint8_t *at = t->from + (uint64_t)i * t->stride;

		t->iovas[i] = extmem_iova(m, at, t->bytes);
		t->sums[i] = verify ? sum_of(at, t->bytes) : 0;
		if (t->iovas[i] == RTE_BAD_IOVA && extmem_iova(m, at, 1) != RTE_BAD_IOVA)
			return err_set(e, EINVAL,
				"memory %s: slices of %u bytes cross its pages of %" PRIu64
				", which are not contiguous in IOVA space; use larger pages, or an extbuf-slice that divides the page size",
				m->name, t->stride, m->page);
	}
	return 0;
}

int
extbuf_storage_init(struct stream *s, struct err *e)
{
	struct extbuf *x = s->state;
	struct extbuf_storage *t = &x->storage;
	uint32_t addresses[2] = { 0, 0 };
	int ret = bytes_decide(s, x, e);

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
	t->head.ether.dst_addr = s->tx_end.peer;
	t->head.ether.src_addr = s->tx_end.mac;
	pkt_text_addresses(setting_text(s->settings, "tx-ip"), addresses);
	pkt_udp_fill(&t->head, addresses[0], addresses[1], 9, 9,
		(uint16_t)(sizeof(struct front) + t->bytes));
	pkt_blocks_open(&t->blocks, s);
	/* Hold a reference, so that no mbuf is the last user during the run. */
	rte_mbuf_ext_refcnt_set(&x->buffers->whole,
		(uint16_t)(rte_mbuf_ext_refcnt_read(&x->buffers->whole) + 1));
	return 0;
}

void
extbuf_storage_end(struct extbuf *x)
{
	struct extbuf_storage *t = &x->storage;

	if (x->buffers != NULL && t->head.ether.ether_type != 0)
		rte_mbuf_ext_refcnt_update(&x->buffers->whole, -1);
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
	struct extmem_buffer *own[BURST_MAX]; /* a shinfo per packet, unless they share one */
	uint16_t n;                           /* packets for which all parts are there */
};

/* Get the parts for up to n packets; parts that lack a counterpart are put back. */
static void
parts_take(struct stream *s, struct extbuf *x, struct rte_mbuf **pkts, struct parts *p, uint16_t n)
{
	const uint16_t want = n;
	uint16_t bodies, fronts, own;

	if (!x->storage.copy && x->shared) {
		uint16_t out = rte_mbuf_ext_refcnt_read(&x->buffers->whole);

		n = out >= REFERENCE_MOST ? 0 : n;
	}
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

/* Build the packet for a slice from uninitialised mbufs. */
static __rte_always_inline struct rte_mbuf *
build(struct stream *s, struct extbuf *x, struct rte_mbuf *body, struct rte_mbuf *front,
	struct rte_mbuf_ext_shared_info *shinfo, uint32_t slice)
{
	const struct extbuf_storage *t = &x->storage;
	const uint8_t *at = t->from + (uint64_t)slice * t->stride;
	struct rte_mbuf *m = x->head > 0 ? front : body;
	struct front *f;

	extbuf_touch(x, at, t->bytes);
	if (t->copy) {
		pkt_raw_open(body, t->bytes, 0, &s->tx_end);
		rte_memcpy(rte_pktmbuf_mtod(body, void *), at, t->bytes);
	} else {
		/*
		 * The region can be read-only memory. An mbuf cannot express that, but nothing on
		 * the Tx path writes to payload.
		 */
		extbuf_point(body, (void *)(uintptr_t)at, t->iovas[slice], t->bytes, shinfo);
	}
	if (x->head > 0) {
		pkt_raw_open(front, sizeof(*f), 0, &s->tx_end);
		f = rte_pktmbuf_mtod(front, struct front *);
		f->headers = t->head;
		f->stamp = (struct stamp){ MAGIC, rte_cpu_to_be_32(slice), t->sums[slice] };
		extbuf_join(front, body);
	}
	if (unlikely(x->flags != 0)) {
		m->ol_flags |= x->flags;
		m->vlan_tci = s->tx_end.vlan;
		m->vlan_tci_outer = s->tx_end.vlan_outer;
	}
	return m;
}

uint16_t
extbuf_storage_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	struct extbuf *x = s->state;
	struct extbuf_storage *t = &x->storage;
	const bool own = !x->shared && !t->copy;
	struct parts p;

	if (t->scratch != NULL)
		verify(s, x, max);
	parts_take(s, x, pkts, &p, max);
	if (x->shared && !t->copy && p.n > 0)
		rte_mbuf_ext_refcnt_update(&x->buffers->whole, (int16_t)p.n);
	for (uint16_t i = 0; i < p.n; i++) {
		pkts[i] = build(s, x, pkts[i], x->head > 0 ? p.front[i] : NULL,
			own ? &p.own[i]->shinfo : &x->buffers->whole, t->next);
		if (++t->next == t->n)
			t->next = 0;
	}
	stream_count_named(s, t->copy ? EXTBUF_COPIED : EXTBUF_ATTACHED, p.n);
	stream_made(s, p.n);
	return p.n;
}
