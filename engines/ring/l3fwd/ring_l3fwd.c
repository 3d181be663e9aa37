/* Stage l3fwd, a burst at a time: parse all, look all up, rewrite all, each pass using what the
 * one before brought into the cache. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/l3fwd/ring_l3fwd.h"

#include "base/err.h"
#include "engines/common/pkt.h"
#include "engines/ring/l3fwd/ring_routes.h"
#include "engines/ring/l3fwd/ring_tables.h"

#include <rte_malloc.h>

/*
 * What is written to a packet that goes to a hop: addresses as the frame has them, flags for the
 * driver.
 */
struct next {
	struct {
		struct rte_ether_addr dst, src;
	} macs;
	uint16_t port;
	uint64_t flags;
	const struct stream_end *end;
};

struct ring_l3fwd {
	struct ring_tables tables;
	struct next *next; /* one for each hop */
};

/* The packets of a burst that are of one family. */
struct some {
	uint16_t n, place[BURST_MAX]; /* in the burst */
	/* their headers of layer 3; NULL: across segments, to be looked for once more */
	uint8_t *l3[BURST_MAX];
	uint64_t hop[BURST_MAX];
};

struct parsed {
	struct some v4, v6;
	uint32_t addr4[BURST_MAX];
	uint8_t addr6[BURST_MAX][16];
};

/* The checksum over an IPv4 header, itself included, is right. */
static __rte_always_inline bool
sum4_right(const uint8_t *p, unsigned int head)
{
	uint32_t word[5];
	uint64_t sum = 0;

	if (unlikely(head > sizeof(word)))
		return rte_raw_cksum(p, head) == 0xffff;
	memcpy(word, p, sizeof(word));
	for (unsigned int i = 0; i < RTE_DIM(word); i++)
		sum += word[i];
	for (unsigned int i = 0; i < 2; i++)
		sum = (sum & UINT32_MAX) + (sum >> 32);
	for (unsigned int i = 0; i < 2; i++)
		sum = (sum & UINT16_MAX) + (sum >> 16);
	return sum == UINT16_MAX;
}

/*
 * The IPv4 header may be relied on. room: bytes from the header to the packet's end; there: of
 * them, those at p.
 */
static __rte_always_inline bool
sound4(const struct rte_mbuf *m, const uint8_t *p, unsigned int there, unsigned int room)
{
	uint64_t sum = m->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK;
	unsigned int head = (p[0] & 15u) * 4, all = pkt_get16(p + 2);

	if (p[0] >> 4 != 4 || head < 20 || head > there || all < head || all > room)
		return false;
	return sum == RTE_MBUF_F_RX_IP_CKSUM_GOOD ||
		(sum != RTE_MBUF_F_RX_IP_CKSUM_BAD && sum4_right(p, head));
}

static __rte_always_inline void
note(struct some *to, const struct pkt_head *h, uint8_t *l3, uint16_t place)
{
	to->l3[to->n] = likely(h->bytes != h->copy) ? l3 : NULL;
	to->place[to->n++] = place;
}

/* Note where the packet wants to go. Returns 0, or why it cannot. */
static __rte_always_inline unsigned int
parse(struct parsed *to, struct rte_mbuf *m, uint16_t place)
{
	struct pkt_head h;
	uint16_t type = 0;
	unsigned int at;
	uint8_t *p;

	pkt_head_open(&h, m);
	at = pkt_l3(h.bytes, h.n, &type);
	p = h.bytes + at;
	if (at == 0)
		return RING_MALFORMED;
	if (likely(type == RTE_ETHER_TYPE_IPV4)) {
		if (at + 20 > h.n || !sound4(m, p, h.n - at, m->pkt_len - at))
			return RING_MALFORMED;
		if (unlikely(p[8] <= 1))
			return RING_EXPIRED;
		to->addr4[to->v4.n] = (uint32_t)pkt_get16(p + 16) << 16 | pkt_get16(p + 18);
		note(&to->v4, &h, p, place);
		return 0;
	}
	if (type != RTE_ETHER_TYPE_IPV6 || at + 40 > h.n || p[0] >> 4 != 6 ||
		at + 40 + pkt_get16(p + 4) > m->pkt_len)
		return RING_MALFORMED;
	if (unlikely(p[7] <= 1))
		return RING_EXPIRED;
	memcpy(to->addr6[to->v6.n], p + 24, 16);
	note(&to->v6, &h, p, place);
	return 0;
}

/*
 * Over one more hop: frame[0..) with layer 3 at p was sound and had hops left when it was parsed.
 */
static __rte_always_inline void
rewrite(uint8_t *frame, uint8_t *p, const struct next *next, bool v6)
{
	uint16_t before, after, sum;

	memcpy(frame, &next->macs, sizeof(next->macs));
	if (v6) {
		p[7]--;
	} else {
		memcpy(&before, p + 8, sizeof(before));
		p[8]--;
		memcpy(&after, p + 8, sizeof(after));
		memcpy(&sum, p + 10, sizeof(sum));
		sum = pkt_sum_replace(sum, before, after);
		memcpy(p + 10, &sum, sizeof(sum));
	}
}

/* The same for a head across segments. */
static void
rewrite_gathered(struct rte_mbuf *m, const struct next *next, bool v6)
{
	struct pkt_head h;
	uint16_t type;

	pkt_head_open(&h, m);
	rewrite(h.bytes, h.bytes + pkt_l3(h.bytes, h.n, &type), next, v6);
	pkt_head_close(&h, m);
}

static __rte_always_inline void
send_on(struct rte_mbuf *m, uint8_t *l3, const struct next *next, bool v6)
{
	if (likely(l3 != NULL))
		rewrite(rte_pktmbuf_mtod(m, uint8_t *), l3, next, v6);
	else
		rewrite_gathered(m, next, v6);
	pkt_mark(m, next->flags);
	if (unlikely(next->flags != 0)) {
		m->vlan_tci = next->end->vlan;
		m->vlan_tci_outer = next->end->vlan_outer;
	}
}

/*
 * Send the packets of a family on their way, or mark them. Returns how many leave for other rings
 * than number own.
 */
static __rte_always_inline uint16_t
apply(const struct ring_l3fwd *l, const struct ring_feed *f, const struct some *some, bool v6,
	const struct ring_slots *slots, uint8_t own, uint8_t *which)
{
	uint16_t others = 0;

	for (uint16_t i = 0; i < some->n; i++) {
		struct rte_mbuf **slot = ring_slots_at(slots, some->place[i]);
		const struct next *next = &l->next[some->hop[i]];

		if (unlikely(some->hop[i] == 0)) {
			*slot = ring_mark(*slot, RING_NO_ROUTE);
			continue;
		}
		send_on(*slot, some->l3[i], next, v6);
		which[some->place[i]] = f->hop[next->port];
		others += f->hop[next->port] != own;
	}
	return others;
}

void
ring_l3fwd_count(struct ring_worker *w, const struct ring_feed *f, const uint8_t *which, uint16_t n)
{
	uint8_t own = (uint8_t)(f->out - w->outs);
	uint16_t others = 0;

	for (uint16_t k = 0; k < n; k++) {
		if (which[k] != own) {
			counter_add(&w->per_stream[w->outs[which[k]].stream].routed_in, 1);
			others++;
		}
	}
	counter_add(&w->per_stream[f->stream->index].routed_out, others);
}

bool
ring_l3fwd(struct ring_worker *w, struct ring_feed *f, const struct ring_slots *slots,
	uint8_t *which)
{
	const struct ring_l3fwd *l = w->pipeline->l3fwd;
	const uint8_t own = (uint8_t)(f->out - w->outs);
	uint16_t others;
	struct parsed to;

	to.v4.n = to.v6.n = 0;
	memset(which, own, slots->n);
	for (uint16_t k = 0; k < slots->n; k++)
		rte_prefetch0(rte_pktmbuf_mtod(*ring_slots_at(slots, k), void *));
	for (uint16_t k = 0; k < slots->n; k++) {
		struct rte_mbuf **slot = ring_slots_at(slots, k);

		*slot = ring_mark(*slot, parse(&to, *slot, k));
	}
	if (to.v4.n > 0)
		ring_tables_v4(&l->tables, to.addr4, to.v4.hop, to.v4.n);
	if (to.v6.n > 0)
		ring_tables_v6(&l->tables, to.addr6, to.v6.hop, to.v6.n);
	others = apply(l, f, &to.v4, false, slots, own, which);
	others += apply(l, f, &to.v6, true, slots, own, which);
	return others > 0;
}

/*
 * A stream that transmits to the port, best one whose transmit queue has the number of like's; like
 * itself before all.
 */
static const struct stream *
way_to(const struct ring_pipeline *p, uint16_t port, const struct stream *like)
{
	const struct stream *found = NULL;

	if (like != NULL && like->tx_port == port)
		return like;
	for (unsigned int i = 0; i < p->n_streams; i++) {
		const struct stream *s = p->streams[i];

		if (s->tx_port == port &&
			(found == NULL || (like != NULL && s->tx_queue == like->tx_queue)))
			found = s;
	}
	return found;
}

/* For each feed of each worker, the ring to each port that routes lead to. */
static int
ways_find(struct ring_pipeline *p)
{
	for (unsigned int i = 0; i < p->n_workers; i++) {
		struct ring_worker *w = &p->workers[i];

		for (unsigned int k = 0; k < w->n_feeds; k++) {
			struct ring_feed *f = &w->feeds[k];

			f->hop = rte_zmalloc("ring_hop", RTE_MAX_ETHPORTS, 0);
			if (f->hop == NULL)
				return -ENOMEM;
			for (uint16_t port = 0; port < RTE_MAX_ETHPORTS; port++) {
				const struct stream *s = way_to(p, port, f->stream);

				/* Each worker has a ring to every stream. */
				f->hop[port] = (uint8_t)(s != NULL ? s->index : 0);
			}
		}
	}
	return 0;
}

static int
hops_ready(struct ring_l3fwd *l, const struct ring_pipeline *p, struct err *e)
{
	for (unsigned int i = 0; i < l->tables.n_hops; i++) {
		const struct ring_hop *hop = &l->tables.hop[i];
		const struct stream *s = way_to(p, hop->port, NULL);

		if (s == NULL)
			return err_set(e, ENODEV,
				"l3fwd: a route leads to port %u, which is no forwarding port",
				hop->port);
		l->next[i + 1] = (struct next){ .macs = { hop->has_mac ? hop->mac : s->tx_end.peer,
							s->tx_end.mac },
			.port = hop->port,
			.flags = pkt_tx_flags(&s->tx_end),
			.end = &s->tx_end };
	}
	return 0;
}

struct ring_l3fwd *
ring_l3fwd_open(struct ring_pipeline *p, const struct ring_routes *routes, struct err *e)
{
	struct ring_l3fwd *l = rte_zmalloc("ring_l3fwd", sizeof(*l), CACHE_PAIR);

	if (l == NULL) {
		err_set(e, ENOMEM, "l3fwd: no memory");
		return NULL;
	}
	if (ring_tables_make(&l->tables, routes, p->remote, SOCKET_ID_ANY, e) != 0)
		goto fail;
	l->next = rte_calloc("ring_next", l->tables.n_hops + 1, sizeof(*l->next), 0);
	if (l->next == NULL || ways_find(p) != 0) {
		err_set(e, ENOMEM, "l3fwd: no memory for %u hops", l->tables.n_hops);
		goto fail;
	}
	if (hops_ready(l, p, e) != 0)
		goto fail;
	return l;
fail:
	ring_l3fwd_close(l);
	return NULL;
}

void
ring_l3fwd_close(struct ring_l3fwd *l)
{
	if (l == NULL)
		return;
	ring_tables_free(&l->tables);
	rte_free(l->next);
	rte_free(l);
}
