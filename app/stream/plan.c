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
			"no forwarding port: add one with --vdev, port attach, or portlist; "
			"\"help cards\" explains how to bind a NIC");
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

int
plan_assign(struct plan *p, const unsigned int *lcore, struct err *e)
{
	struct plan_stream *sorted = calloc(p->n_streams, sizeof(*sorted));
	unsigned int n = 0;

	if (sorted == NULL)
		return err_set(e, ENOMEM, "no memory for %u streams", p->n_streams);
	p->n_lcores = 0;
	for (unsigned int i = 0; i < p->n_streams; i++) {
		const unsigned int first = n;

		if (plan_deals(p, lcore[i]))
			continue;
		for (unsigned int k = i; k < p->n_streams; k++)
			if (lcore[k] == lcore[i]) {
				sorted[n] = p->streams[k];
				sorted[n++].lcore = lcore[i];
			}
		p->lcores[p->n_lcores++] = (struct plan_lcore){ lcore[i], first, n - first, 0 };
	}
	free(p->streams);
	p->streams = sorted;
	return 0;
}

/* Move the streams of an lcore whose parts are polled, or not, to the place at. Returns the next. */
static unsigned int
keep(struct plan *p, const struct plan_lcore *from, const unsigned int *parts, bool polled,
	struct plan_stream *to, unsigned int at)
{
	for (unsigned int i = from->first; i < from->first + from->n; i++) {
		if ((parts[i] & PLAN_KEPT) == 0 || ((parts[i] & PLAN_RECEIVES) != 0) != polled)
			continue;
		to[at] = p->streams[i];
		to[at++].tx_stopped = (parts[i] & PLAN_SENDS) == 0;
	}
	return at;
}

int
plan_keep(struct plan *p, const unsigned int *parts, struct err *e)
{
	struct plan_stream *kept = calloc(p->n_streams, sizeof(*kept));
	unsigned int n_lcores = 0, n = 0;

	if (kept == NULL)
		return err_set(e, ENOMEM, "no memory for %u streams", p->n_streams);
	for (unsigned int l = 0; l < p->n_lcores; l++) {
		const struct plan_lcore from = p->lcores[l];
		const unsigned int first = n, polled = keep(p, &from, parts, true, kept, n);

		n = keep(p, &from, parts, false, kept, polled);
		if (n > first)
			p->lcores[n_lcores++] =
				(struct plan_lcore){ from.lcore, first, n - first, n - polled };
	}
	p->n_lcores = n_lcores;
	if (n == 0) {
		p->n_helpers = 0;
		free(kept);
		return 0;
	}
	free(p->streams);
	p->streams = kept;
	p->n_streams = n;
	return 0;
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

/* Make the plan of a run by traffic classes. */

/*
 * Write the streams of a class of port index i to to[0..), unless it is NULL. Returns their number.
 */
static unsigned int
streams_of(const struct plan_choice *c, const struct plan_classes *classes, unsigned int i,
	unsigned int tc, struct plan_stream *to)
{
	const unsigned int peer = plan_peer(c->topology, i, c->use_ports);
	const struct rte_eth_dcb_tc_queue_mapping *rx = &classes->ports[i].tc_queue,
						  *tx = &classes->ports[peer].tc_queue;
	unsigned int n = 0;

	for (unsigned int pool = 0; pool < RTE_ETH_MAX_VMDQ_POOL; pool++) {
		for (unsigned int q = 0;
			q < rx->tc_rxq[pool][tc].nb_queue && q < tx->tc_txq[pool][tc].nb_queue &&
			rx->tc_rxq[pool][tc].base + q < c->n_rxq &&
			tx->tc_txq[pool][tc].base + q < c->n_txq;
			q++, n++)
			if (to != NULL)
				to[n] = (struct plan_stream){
					.rx_port = c->ports[i],
					.rx_queue = (uint16_t)(rx->tc_rxq[pool][tc].base + q),
					.tx_port = c->ports[peer],
					.tx_queue = (uint16_t)(tx->tc_txq[pool][tc].base + q),
				};
	}
	return n;
}

/* Distribute the streams of one class over lcores, from plan->n_lcores on. */
static void
class_add(struct plan *p, const struct plan_choice *c, const struct plan_classes *classes,
	unsigned int i, unsigned int tc)
{
	const unsigned int n = streams_of(c, classes, i, tc, p->streams + p->n_streams);

	for (unsigned int k = 0; n > 0 && k < classes->each; k++) {
		struct plan_lcore *l = &p->lcores[p->n_lcores];

		l->lcore = c->lcores[p->n_lcores++];
		l->first = p->n_streams;
		l->n = n / classes->each;
		for (; p->n_streams < l->first + l->n; p->n_streams++)
			p->streams[p->n_streams].lcore = l->lcore;
	}
}

/* Count the streams, and the classes that have any. */
static int
count(const struct plan_choice *c, const struct plan_classes *classes, unsigned int *streams,
	unsigned int *n, struct err *e)
{
	for (unsigned int i = 0; i < c->use_ports; i++)
		for (unsigned int tc = 0; tc < classes->ports[i].nb_tcs; tc++) {
			const unsigned int of_class = (classes->mask >> tc & 1) != 0
				? streams_of(c, classes, i, tc, NULL)
				: 0;

			if (of_class % classes->each != 0)
				return err_set(e, EINVAL,
					"Error: check forwarding cores-per-TC failed!: port %u has %u queues of class %u, which is not a multiple of %u lcores",
					c->ports[i], of_class, tc, classes->each);
			*streams += of_class;
			*n += of_class > 0;
		}
	if (*n == 0)
		return err_set(e, EINVAL,
			"Error: total forwarding TC num is zero!: no queue of the chosen classes is configured");
	if (*n * classes->each > c->use_lcores)
		return err_set(e, EINVAL,
			"Error: the number of forwarding cores is insufficient!: %u traffic classes need %u lcores each, but only %u are used",
			*n, classes->each, c->use_lcores);
	return 0;
}

int
plan_classes_make(struct plan *p, const struct plan_choice *c, const struct plan_classes *classes,
	struct err *e)
{
	unsigned int n_streams = 0, n_classes = 0;
	int ret = plan_check(c, e);

	memset(p, 0, sizeof(*p));
	if (ret == 0)
		ret = count(c, classes, &n_streams, &n_classes, e);
	if (ret != 0)
		return ret;
	p->n_ports = c->use_ports;
	p->streams = calloc(n_streams, sizeof(*p->streams));
	if (p->streams == NULL)
		return err_set(e, ENOMEM, "no memory for %u streams", n_streams);
	for (unsigned int i = 0; i < c->use_ports; i++)
		for (unsigned int tc = 0; tc < classes->ports[i].nb_tcs; tc++)
			if ((classes->mask >> tc & 1) != 0)
				class_add(p, c, classes, i, tc);
	p->n_helpers = c->n_helpers;
	memcpy(p->helpers, c->helpers, sizeof(p->helpers));
	return 0;
}
