/* Creates paths: each hop of the tables gets the MAC addresses and flags of its port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/l3/l3_paths.h"

#include "base/err.h"
#include "engines/common/pkt.h"
#include "stream/stream.h"

#include <rte_malloc.h>

#include <errno.h>
#include <string.h>

const struct stream *
l3_paths_way(struct stream *const *streams, unsigned int n, uint16_t port,
	const struct stream *like)
{
	const struct stream *found = NULL;

	if (like != NULL && like->tx_port == port)
		return like;
	for (unsigned int i = 0; i < n; i++) {
		const struct stream *s = streams[i];

		if (s->tx_port == port &&
			(found == NULL || (like != NULL && s->tx_queue == like->tx_queue)))
			found = s;
	}
	return found;
}

static int
next_fill(struct l3_paths *p, struct stream *const *streams, unsigned int n, struct err *e)
{
	for (unsigned int i = 0; i < p->tables.n_hops; i++) {
		const struct l3_hop *hop = &p->tables.hop[i];
		const struct stream *s = l3_paths_way(streams, n, hop->port, NULL);

		if (s == NULL)
			return err_set(e, ENODEV,
				"l3fwd: a route leads to port %u, which is not a forwarding port",
				hop->port);
		p->next[i + 1] = (struct l3_next){
			.macs = { hop->has_mac ? hop->mac : s->tx_end.peer, s->tx_end.mac },
			.port = hop->port,
			.flags = pkt_tx_flags(&s->tx_end),
			.end = &s->tx_end
		};
	}
	return 0;
}

int
l3_paths_make(struct l3_paths *p, const struct routes *routes, enum l3_lookup lookup,
	struct stream *const *streams, unsigned int n, int socket, struct err *e)
{
	memset(p, 0, sizeof(*p));
	if (l3_tables_make(&p->tables, routes, lookup, socket, e) != 0)
		return -e->code;
	p->next = rte_calloc_socket("l3_next", p->tables.n_hops + 1, sizeof(*p->next), 0, socket);
	if (p->next == NULL)
		err_set(e, ENOMEM, "l3fwd: no memory for %u hops", p->tables.n_hops);
	if (p->next != NULL && next_fill(p, streams, n, e) == 0)
		return 0;
	l3_paths_free(p);
	return -e->code;
}

void
l3_paths_free(struct l3_paths *p)
{
	l3_tables_free(&p->tables);
	rte_free(p->next);
	memset(p, 0, sizeof(*p));
}
