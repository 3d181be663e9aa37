/* Copying against attaching, timed with the stream's own mbufs and buffers: the least of many batches, as others share the machine. */
#include "extbuf_measure.h"

#include "extbuf_forward.h"
#include "extbuf_state.h"

#include <float.h>

/* Packets are out as long as in a ring of DEPTH * BATCH: what comes back is as cold as there. */
enum { BATCH = 32, DEPTH = 32, TURNS = 4, LENGTH_MOST = 9000 };

/* What was built and not freed yet. */
struct ring {
	struct rte_mbuf *m[DEPTH][BATCH];
	uint16_t n[DEPTH];
};

/* What is received: in the caches, as a driver leaves it. */
static const uint8_t payload[LENGTH_MOST];
static const uint32_t lengths[EXTBUF_COSTS] = { 64, 128, 256, 512, 1024, 2048, 4096, LENGTH_MOST };

/* One batch, as the worker does it, in place of one that is freed. Returns TSC cycles; 0: too little memory. */
static uint64_t
batch(struct stream *s, const struct extbuf *x, uint32_t bytes, bool attach, struct rte_mbuf **m,
	uint16_t *held)
{
	struct extmem_buffer *buffer[BATCH];
	uint64_t begin = rte_rdtsc_precise();
	const uint16_t want = x->shared ? 1 : BATCH;
	uint16_t mbufs, buffers, n = 0;

	stream_free(m, *held);
	mbufs = pkt_raw_get(s->pool, m, BATCH);
	buffers = extmem_buffers_take(x->buffers, buffer, want);

	for (; mbufs == BATCH && buffers == want && n < BATCH; n++) {
		struct extmem_buffer *from = buffer[x->shared ? 0 : n];

		rte_memcpy(from->addr, payload, bytes);
		if (attach)
			extbuf_point(m[n], from->addr, from->iova, (uint16_t)bytes, &from->shinfo);
		else if (!extbuf_copy_out(s, x, m[n], from->addr, bytes))
			break;
	}
	if (attach && x->shared && n > 0)
		rte_mbuf_ext_refcnt_update(&buffer[0]->shinfo, (int16_t)n);
	if (n < mbufs)
		rte_mempool_put_bulk(s->pool, (void *const *)m + n, mbufs - n);
	*held = n;
	/* Attached ones with a shinfo of their own have come back by themselves. */
	if (x->shared && buffers > 0)
		extmem_buffers_drop(buffer[0]);
	else if (!attach)
		extmem_buffers_give(x->buffers, buffer, buffers);
	else if (n < buffers)
		extmem_buffers_give(x->buffers, buffer + n, buffers - n);
	return n == BATCH ? rte_rdtsc_precise() - begin : 0;
}

/* Cycles per packet; 0: could not be told. */
static double
cost(struct stream *s, const struct extbuf *x, uint32_t bytes, bool attach)
{
	struct ring ring = { .n = { 0 } };
	uint64_t best = UINT64_MAX;

	for (unsigned int i = 0; i < TURNS * DEPTH && best > 0; i++) {
		const unsigned int at = i % DEPTH;
		uint64_t t = batch(s, x, bytes, attach, ring.m[at], &ring.n[at]);

		if (i >= DEPTH || t == 0) /* the first time round nothing was freed */
			best = RTE_MIN(best, t);
	}
	for (unsigned int i = 0; i < DEPTH; i++)
		stream_free(ring.m[i], ring.n[i]);
	return (double)best / BATCH;
}

/* Where two lines cross between two measured lengths. */
static uint32_t
crossing(const struct extbuf_cost *a, const struct extbuf_cost *b)
{
	const double before = a->attach - a->copy, after = b->copy - b->attach;

	return a->bytes + (uint32_t)((b->bytes - a->bytes) * before / (before + after));
}

uint32_t
extbuf_measure(struct stream *s, const struct extbuf *x, uint32_t most,
	struct extbuf_cost costs[EXTBUF_COSTS], unsigned int *n)
{
	uint32_t found = EXTBUF_NEVER;

	*n = 0;
	for (unsigned int i = 0; i < EXTBUF_COSTS && lengths[i] <= most; i++) {
		struct extbuf_cost *c = &costs[*n];

		c->bytes = lengths[i];
		c->copy = cost(s, x, c->bytes, false);
		c->attach = cost(s, x, c->bytes, true);
		if (c->copy <= 0 || c->attach <= 0)
			break;
		(*n)++;
		if (c->attach <= c->copy && found == EXTBUF_NEVER)
			found = i == 0 ? 0 : crossing(c - 1, c);
		else if (c->attach > c->copy)
			found = EXTBUF_NEVER; /* a stray figure below: begin again */
	}
	return found;
}
