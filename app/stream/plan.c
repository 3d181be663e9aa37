/* Make the plan of a run: the port topology gives each port its peer, each queue is a stream, and
 * streams are distributed over lcores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/plan.h"

#include "base/err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

unsigned int
plan_peer(enum plan_topology topology, unsigned int i, unsigned int n_ports)
{
	switch (topology) {
	case PLAN_CHAINED: return (i + 1) % n_ports;
	case PLAN_LOOP: return i;
	case PLAN_PAIRED: break;
	}
	if (i % 2 != 0)
		return i - 1;
	return i + 1 < n_ports ? i + 1 : i;
}

/*
 * A stream owns both its queues, so the smaller count limits their number; if one count is 0
 * (rxonly, txonly), the other is used.
 */
static unsigned int
queues(const struct plan_choice *c)
{
	if (c->n_rxq == 0 || c->n_txq == 0)
		return c->n_rxq > c->n_txq ? c->n_rxq : c->n_txq;
	return c->n_rxq < c->n_txq ? c->n_rxq : c->n_txq;
}

/* Return stream number i: with echo ordered by port, then queue; else by queue, then port. */
static struct plan_stream
stream(const struct plan_choice *c, unsigned int i, unsigned int n_queues)
{
	unsigned int port = c->echo ? i / n_queues : i % c->use_ports;
	unsigned int queue = c->echo ? i % n_queues : i / c->use_ports;
	unsigned int peer = c->echo ? port : plan_peer(c->topology, port, c->use_ports);

	return (struct plan_stream){
		.rx_port = c->ports[port],
		.rx_queue = (uint16_t)queue,
		.tx_port = c->ports[peer],
		.tx_queue = (uint16_t)queue,
	};
}

static void
deal(struct plan *p, const struct plan_choice *c)
{
	unsigned int i, each, more, at = 0;

	p->n_lcores = c->use_lcores < p->n_streams ? c->use_lcores : p->n_streams;
	each = p->n_streams / p->n_lcores;
	more = p->n_streams % p->n_lcores;
	for (i = 0; i < p->n_lcores; i++) {
		struct plan_lcore *l = &p->lcores[i];

		l->lcore = c->lcores[i];
		l->first = at;
		l->n = each + (i >= p->n_lcores - more);
		for (; at < l->first + l->n; at++)
			p->streams[at].lcore = l->lcore;
	}
}

int
plan_check(const struct plan_choice *c, struct err *e)
{
	if (c->use_ports == 0)
		return err_set(e, EINVAL,
			"no forwarding port: add one with --vdev, port attach, or portlist");
	if (c->use_lcores == 0)
		return err_set(e, EINVAL,
			"no forwarding lcore: the main lcore never forwards, so EAL needs at least "
			"two (-l 0-1; on one CPU --lcores 0@0,1@0)");
	if (queues(c) == 0)
		return err_set(e, EINVAL, "no queue: rxq and txq are both 0");
	return 0;
}

int
plan_make(struct plan *p, const struct plan_choice *c, struct err *e)
{
	unsigned int i, n_queues = queues(c);

	memset(p, 0, sizeof(*p));
	if (plan_check(c, e) != 0)
		return -e->code;
	p->n_ports = c->use_ports;
	p->n_streams = n_queues * c->use_ports;
	p->streams = calloc(p->n_streams, sizeof(*p->streams));
	if (p->streams == NULL)
		return err_set(e, ENOMEM, "no memory for %u streams", p->n_streams);
	for (i = 0; i < p->n_streams; i++)
		p->streams[i] = stream(c, i, n_queues);
	deal(p, c);
	p->n_helpers = c->n_helpers;
	memcpy(p->helpers, c->helpers, sizeof(p->helpers));
	return 0;
}

bool
plan_deals(const struct plan *p, unsigned int lcore)
{
	unsigned int i;

	for (i = 0; i < p->n_lcores; i++)
		if (p->lcores[i].lcore == lcore)
			return true;
	return false;
}

void
plan_free(struct plan *p)
{
	free(p->streams);
	memset(p, 0, sizeof(*p));
}

unsigned int
plan_lcores(const struct plan *p)
{
	unsigned int i, n = p->n_lcores;

	for (i = 0; i < p->n_helpers; i++)
		n += !plan_deals(p, p->helpers[i]);
	return n;
}
