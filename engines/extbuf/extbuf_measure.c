/* Copying against attaching, timed with the stream's own mbufs and buffers, among as many others as
 * there are when packets are forwarded. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/extbuf/extbuf_measure.h"

#include "engines/extbuf/extbuf_forward.h"
#include "engines/extbuf/extbuf_state.h"
#include "memory/extmem_buffers.h"

#include <rte_ethdev.h>

#include <stdlib.h>

enum { BATCH = 32, BATCHES_MOST = 128, PASSES = 6, TIMED_LEAST = 64, LENGTH_MOST = 9000 };

/*
 * What surrounds a packet: those that were sent before it and are not freed yet, and those that
 * were received with it. They take their share of the caches: with empty rings attaching would seem
 * to pay from much shorter packets on.
 */
struct scene {
	struct rte_mbuf *sent[BATCHES_MOST][BATCH];
	uint16_t n_sent[BATCHES_MOST];
	unsigned int batches; /* that are sent and not freed, 1..BATCHES_MOST */
	struct rte_mbuf *received[BATCHES_MOST * BATCH];
	unsigned int n_received, next;
	uint64_t cycles[(PASSES + 1) * BATCHES_MOST]; /* of each batch */
};

static const uint32_t lengths[EXTBUF_COSTS] = { 64, 128, 256, 512, 1024, 2048, 4096, LENGTH_MOST };

/*
 * Descriptors of all queues that the stream's lcore looks after; 0: their drivers do not tell, and
 * free what they are given at once.
 */
static unsigned int
descriptors(const struct stream *s, bool rx)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < s->n_siblings; i++) {
		const struct stream *sibling = s->siblings[i];
		struct rte_eth_rxq_info in;
		struct rte_eth_txq_info out;

		if (sibling->lcore != s->lcore)
			continue;
		if (rx && rte_eth_rx_queue_info_get(sibling->rx_port, sibling->rx_queue, &in) == 0)
			sum += in.nb_desc;
		if (!rx &&
			rte_eth_tx_queue_info_get(sibling->tx_port, sibling->tx_queue, &out) == 0)
			sum += out.nb_desc;
	}
	return sum;
}

/* As much as the lcore's rings hold, but half of the mbufs and buffers that are there at most. */
static struct scene *
scene_make(struct stream *s, const struct extbuf *x)
{
	struct scene *c = calloc(1, sizeof(*c));
	unsigned int most = rte_mempool_avail_count(s->pool) / 4,
		     n = RTE_MIN(most, RTE_DIM(c->received));

	if (c == NULL)
		return NULL;
	n = RTE_MIN(descriptors(s, true), n);
	n = RTE_MAX(n, (unsigned int)BATCH);
	c->n_received = pkt_raw_get(s->pool, c->received, (uint16_t)n);
	if (!x->shared)
		most = RTE_MIN(most, x->buffers->n / 2);
	n = RTE_MIN(descriptors(s, false), most) / BATCH;
	n = RTE_MIN(n, (unsigned int)BATCHES_MOST);
	c->batches = RTE_MAX(n, 1u);
	return c;
}

static void
scene_free(struct stream *s, struct scene *c)
{
	if (c == NULL)
		return;
	if (c->n_received > 0)
		rte_mempool_put_bulk(s->pool, (void *const *)c->received, c->n_received);
	free(c);
}

/*
 * A payload as it is received: in mbufs that were written some time ago, in several when one is too
 * short.
 */
static void
receive(struct scene *c, const struct extbuf *x, uint8_t *to, uint32_t bytes)
{
	while (bytes > 0) {
		struct rte_mbuf *m = c->received[c->next];
		const uint32_t part = RTE_MIN(bytes, x->room);

		rte_memcpy(to, rte_pktmbuf_mtod(m, const void *), part);
		to += part;
		bytes -= part;
		c->next = c->next + 1 < c->n_received ? c->next + 1 : 0;
	}
}

/*
 * One batch, as the worker does it, in place of one that is freed. Returns TSC cycles; 0: too
 * little memory.
 */
static uint64_t
batch(struct stream *s, const struct extbuf *x, struct scene *c, unsigned int at, uint32_t bytes,
	bool attach)
{
	struct extmem_buffer *buffer[BATCH];
	struct rte_mbuf **m = c->sent[at];
	uint64_t begin = rte_rdtsc_precise();
	const uint16_t want = x->shared ? 1 : BATCH;
	uint16_t mbufs, buffers, n = 0;

	stream_free(m, c->n_sent[at]);
	mbufs = pkt_raw_get(s->pool, m, BATCH);
	buffers = extmem_buffers_take(x->buffers, buffer, want);

	for (; mbufs == BATCH && buffers == want && n < BATCH; n++) {
		struct extmem_buffer *from = buffer[x->shared ? 0 : n];

		receive(c, x, from->addr, bytes);
		if (attach)
			extbuf_point(m[n], from->addr, from->iova, (uint16_t)bytes, &from->shinfo);
		else if (!extbuf_copy_out(s, x, m[n], from->addr, bytes))
			break;
	}
	if (attach && x->shared && n > 0)
		rte_mbuf_ext_refcnt_update(&buffer[0]->shinfo, (int16_t)n);
	if (n < mbufs)
		rte_mempool_put_bulk(s->pool, (void *const *)m + n, mbufs - n);
	c->n_sent[at] = n;
	/* Attached ones with a shinfo of their own have come back by themselves. */
	if (x->shared && buffers > 0)
		extmem_buffers_drop(buffer[0]);
	else if (!attach)
		extmem_buffers_give(x->buffers, buffer, buffers);
	else if (n < buffers)
		extmem_buffers_give(x->buffers, buffer + n, buffers - n);
	return n == BATCH ? rte_rdtsc_precise() - begin : 0;
}

static int
compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Cycles per packet of one in ten batches, all others taking longer: the machine may be shared; 0:
 * could not be told.
 */
static double
cost(struct stream *s, const struct extbuf *x, struct scene *c, uint32_t bytes, bool attach)
{
	const unsigned int timed = RTE_MAX(PASSES * c->batches, (unsigned int)TIMED_LEAST);
	bool enough = c->n_received > 0;

	/* The first time round nothing is freed. */
	for (unsigned int i = 0; i < c->batches && enough; i++)
		enough = batch(s, x, c, i, bytes, attach) > 0;
	for (unsigned int i = 0; i < timed && enough; i++) {
		c->cycles[i] = batch(s, x, c, i % c->batches, bytes, attach);
		enough = c->cycles[i] > 0;
	}
	for (unsigned int i = 0; i < c->batches; i++) {
		stream_free(c->sent[i], c->n_sent[i]);
		c->n_sent[i] = 0;
	}
	if (!enough)
		return 0;
	qsort(c->cycles, timed, sizeof(c->cycles[0]), compare);
	return (double)c->cycles[timed / 10] / BATCH;
}

/*
 * What attaching saves, cycles per packet; negative: it loses. A sixteenth is put on its cost:
 * drivers free mbufs with a buffer attached one by one, from lines that are no longer in the cache,
 * and that cannot be timed before there are packets. With it the length found is the one that
 * forwarding shows (doc/benchmarks.md).
 */
static double
gain(const struct extbuf_cost *c)
{
	return c->copy - c->attach * 1.0625;
}

/* Where two lines cross between two measured lengths. */
static uint32_t
crossing(const struct extbuf_cost *a, const struct extbuf_cost *b)
{
	const double before = -gain(a), after = gain(b);

	return a->bytes + (uint32_t)((b->bytes - a->bytes) * before / (before + after));
}

uint32_t
extbuf_measure(struct stream *s, const struct extbuf *x, uint32_t most,
	struct extbuf_cost costs[EXTBUF_COSTS], unsigned int *n)
{
	struct scene *scene = scene_make(s, x);
	uint32_t found = EXTBUF_NEVER;

	*n = 0;
	for (unsigned int i = 0; scene != NULL && i < EXTBUF_COSTS && lengths[i] <= most; i++) {
		struct extbuf_cost *c = &costs[*n];

		c->bytes = lengths[i];
		c->copy = cost(s, x, scene, c->bytes, false);
		c->attach = cost(s, x, scene, c->bytes, true);
		if (c->copy <= 0 || c->attach <= 0)
			break;
		(*n)++;
		if (gain(c) >= 0 && found == EXTBUF_NEVER)
			found = i == 0 ? 0 : crossing(c - 1, c);
		else if (gain(c) < 0)
			found = EXTBUF_NEVER; /* a stray figure below: begin again */
	}
	scene_free(s, scene);
	return found;
}
