/* What an application does to packets before it sends them, and holds. */
#include "recycle_deeds.h"

#include <rte_malloc.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct deeds deeds;

/* Let go of a held packet, which nobody wrote into. */
static void
held_release(struct held *h)
{
	if (h->m == NULL)
		return;
	assert_memory_equal(rte_pktmbuf_mtod(h->m, const void *), h->bytes, DEEDS_SNAP);
	rte_pktmbuf_free(h->m);
	h->m = NULL;
}

static void
hold(struct rte_mbuf *m)
{
	struct held *h = &deeds.held[deeds.n % DEEDS_HELD];

	held_release(h);
	h->m = m;
	memcpy(h->bytes, rte_pktmbuf_mtod(m, const void *), DEEDS_SNAP);
}

struct rte_mbuf *
deed_plain(struct rte_mbuf *m)
{
	return m;
}

/* Two holders. */
struct rte_mbuf *
deed_shared(struct rte_mbuf *m)
{
	if (deeds.n % 7 == 0) {
		rte_mbuf_refcnt_update(m, 1);
		hold(m);
	}
	return m;
}

struct rte_mbuf *
deed_from_another_pool(struct rte_mbuf *m)
{
	struct rte_mbuf *copy =
		deeds.n % 11 == 0 ? rte_pktmbuf_copy(m, deeds.foreign, 0, UINT32_MAX) : NULL;

	if (copy == NULL)
		return m;
	rte_pktmbuf_free(m);
	return copy;
}

/* The clone is sent, the original held; the clone is of the receive queue's pool. */
struct rte_mbuf *
deed_cloned(struct rte_mbuf *m)
{
	struct rte_mbuf *clone = deeds.n % 5 == 0 ? rte_pktmbuf_clone(m, deeds.pool) : NULL;

	if (clone == NULL)
		return m;
	hold(m);
	return clone;
}

static void
buffer_free(void *buffer, void *unused)
{
	deeds.released++;
	rte_free(buffer);
}

/* The payload in memory that is no mbuf's. */
struct rte_mbuf *
deed_external(struct rte_mbuf *m)
{
	struct rte_mbuf_ext_shared_info *info;
	uint16_t size = 2048;
	struct rte_mbuf *out;
	char *buffer;

	if (deeds.n % 13 != 0 || (out = rte_pktmbuf_alloc(deeds.pool)) == NULL)
		return m;
	buffer = rte_malloc(NULL, size, 0);
	assert_non_null(buffer);
	info = rte_pktmbuf_ext_shinfo_init_helper(buffer, &size, buffer_free, NULL);
	rte_pktmbuf_attach_extbuf(out, buffer, rte_malloc_virt2iova(buffer), size, info);
	out->data_off = RTE_PKTMBUF_HEADROOM;
	memcpy(rte_pktmbuf_append(out, m->data_len), rte_pktmbuf_mtod(m, void *), m->data_len);
	rte_pktmbuf_free(m);
	deeds.made++;
	return out;
}

/* The test holds every packet, until the rings run dry. */
struct rte_mbuf *
deed_hoarded(struct rte_mbuf *m)
{
	assert_true(deeds.n_hoard < DEEDS_MBUFS);
	rte_mbuf_refcnt_update(m, 1);
	deeds.hoard[deeds.n_hoard++] = m;
	return m;
}

struct rte_mbuf *
deed_anything_of_pools(struct rte_mbuf *m)
{
	return deed_cloned(deed_from_another_pool(deed_shared(m)));
}

struct rte_mbuf *
deed_anything(struct rte_mbuf *m)
{
	return deed_external(deed_anything_of_pools(m));
}

void
deeds_finish(void)
{
	for (unsigned int i = 0; i < DEEDS_HELD; i++)
		held_release(&deeds.held[i]);
	assert_int_equal(deeds.released, deeds.made);
	deeds.n = deeds.made = deeds.released = 0;
}

void
deeds_unhoard(void)
{
	for (unsigned int i = 0; i < deeds.n_hoard; i++)
		assert_int_equal(deeds.hoard[i]->pkt_len, DEEDS_SNAP);
	rte_pktmbuf_free_bulk(deeds.hoard, deeds.n_hoard);
	deeds.n_hoard = 0;
}
