/* Stage l3fwd: chooses the ring for each packet of a worker's burst, and marks those to be
 * dropped. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_l3fwd.h"

#include "base/err.h"
#include "engines/common/l3/l3_burst.h"
#include "route/routes.h"

#include <rte_lcore.h>
#include <rte_malloc.h>

static_assert((int)L3_NO_ROUTE == RING_NO_ROUTE && (int)L3_EXPIRED == RING_EXPIRED &&
		(int)L3_MALFORMED == RING_MALFORMED,
	"marks are indexes of the I/O lcore's counters");

/* In struct ring_feed's hop: all queues to the port are stopped, or there is no route. */
#define NO_WAY UINT8_MAX

struct ring_l3fwd {
	struct l3_paths paths;
};

/*
 * Update the packets of an address family and choose their rings, or mark them. Returns how many go
 * to another ring than index own.
 */
static __rte_always_inline uint16_t
apply(const struct ring_l3fwd *l, const struct ring_feed *f, const struct l3_family *some, bool v6,
	const struct ring_slots *slots, uint8_t own, uint8_t *which)
{
	uint16_t others = 0;

	for (uint16_t i = 0; i < some->n; i++) {
		struct rte_mbuf **slot = ring_slots_at(slots, some->place[i]);
		const struct l3_next *next = &l->paths.next[some->hop[i]];
		const uint8_t hop = f->hop[next->port];

		if (unlikely(hop == NO_WAY)) {
			*slot = ring_mark(*slot, RING_NO_ROUTE);
			continue;
		}
		l3_send_on(*slot, some->l3[i], next, v6);
		which[some->place[i]] = hop;
		others += hop != own;
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
	struct l3_burst to;

	to.v4.n = to.v6.n = 0;
	memset(which, own, slots->n);
	for (uint16_t k = 0; k < slots->n; k++)
		rte_prefetch0(rte_pktmbuf_mtod(*ring_slots_at(slots, k), void *));
	for (uint16_t k = 0; k < slots->n; k++) {
		struct rte_mbuf **slot = ring_slots_at(slots, k);

		*slot = ring_mark(*slot, l3_burst_add(&to, *slot, k, false));
	}
	l3_burst_lookup(&to, &l->paths.tables);
	others = apply(l, f, &to.v4, false, slots, own, which);
	others += apply(l, f, &to.v6, true, slots, own, which);
	return others > 0;
}

/* For each feed of each worker find the ring to each port. */
static int
ways_find(struct ring_pipeline *p)
{
	for (unsigned int i = 0; i < p->n_workers; i++) {
		struct ring_worker *w = &p->workers[i];

		for (unsigned int k = 0; k < w->n_feeds; k++) {
			struct ring_feed *f = &w->feeds[k];

			f->hop = rte_zmalloc_socket("ring_hop", L3_NO_PORT + 1, 0,
				w->lcore == LCORE_ID_ANY ? SOCKET_ID_ANY
							 : (int)rte_lcore_to_socket_id(w->lcore));
			if (f->hop == NULL)
				return -ENOMEM;
			for (uint16_t port = 0; port < RTE_MAX_ETHPORTS; port++) {
				const struct stream *s =
					l3_paths_way(p->streams, p->n_streams, port, f->stream);

				/* Every worker has a ring to every stream. */
				f->hop[port] = s != NULL ? (uint8_t)s->index : NO_WAY;
			}
			f->hop[L3_NO_PORT] = NO_WAY;
		}
	}
	return 0;
}

struct ring_l3fwd *
ring_l3fwd_open(struct ring_pipeline *p, const struct routes *routes, struct err *e)
{
	struct ring_l3fwd *l = rte_zmalloc("ring_l3fwd", sizeof(*l), CACHE_PAIR);

	if (l == NULL) {
		err_set(e, ENOMEM, "l3fwd: no memory");
		return NULL;
	}
	if (l3_paths_make(&l->paths, routes, p->remote ? L3_SHARED : L3_FIB, p->streams,
		    p->n_streams, SOCKET_ID_ANY, e) == 0) {
		if (ways_find(p) == 0)
			return l;
		err_set(e, ENOMEM, "l3fwd: no memory for the rings to ports");
	}
	ring_l3fwd_close(l);
	return NULL;
}

void
ring_l3fwd_close(struct ring_l3fwd *l)
{
	if (l == NULL)
		return;
	l3_paths_free(&l->paths);
	rte_free(l);
}
