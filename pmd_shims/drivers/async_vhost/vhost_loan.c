/* A mempool for one call of the vhost library. It lends mbufs of another pool, each with three
 * references. The library drops two at most, so none returns to its pool during the call. Afterwards
 * the references show which mbufs the library freed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_loan.h"

#include <rte_branch_prediction.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define OPS "vhost_loan"

enum {
	REFERENCES = 3, /* one more than the library drops */
	/* mbufs in a call: many more than a burst of packets of 64 KB needs */
	LOAN_MAX = 4096
};

struct vhost_loan {
	struct rte_mempool *pool;
	unsigned int n;
	struct rte_mbuf *mbuf[LOAN_MAX];
	struct rte_mempool lent; /* not among EAL's mempools */
	struct rte_pktmbuf_pool_private private_data;
};

/* Where rte_mempool_get_priv() looks for the private data of a mempool without caches. */
static_assert(offsetof(struct vhost_loan, private_data) - offsetof(struct vhost_loan, lent) ==
		RTE_ALIGN_CEIL(sizeof(struct rte_mempool), RTE_MEMPOOL_ALIGN),
	"the private data follows the mempool");

static int
ops_alloc(struct rte_mempool *mp)
{
	return -ENOTSUP;
}

static void
ops_free(struct rte_mempool *mp)
{
}

static int
ops_enqueue(struct rte_mempool *mp, void *const *objs, unsigned int n)
{
	return -ENOTSUP;
}

static int
ops_dequeue(struct rte_mempool *mp, void **objs, unsigned int n)
{
	struct vhost_loan *l = mp->pool_config;

	if (unlikely(n > LOAN_MAX - l->n) || rte_mempool_get_bulk(l->pool, objs, n) != 0)
		return -ENOBUFS;
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *m = objs[i];

		rte_mbuf_refcnt_set(m, REFERENCES);
		l->mbuf[l->n++] = m;
	}
	return 0;
}

static unsigned int
ops_count(const struct rte_mempool *mp)
{
	return 0;
}

/* Registered as a mempool driver, since rte_mempool_get_bulk() knows no other way. */
static const struct rte_mempool_ops ops = { .name = OPS,
	.alloc = ops_alloc,
	.free = ops_free,
	.enqueue = ops_enqueue,
	.dequeue = ops_dequeue,
	.get_count = ops_count };

RTE_MEMPOOL_REGISTER_OPS(ops)

struct vhost_loan *
vhost_loan_new(struct rte_mempool *pool, int socket)
{
	struct vhost_loan *l =
		rte_zmalloc_socket("vhost_loan", sizeof(*l), RTE_CACHE_LINE_SIZE, socket);

	if (l == NULL)
		return NULL;
	l->pool = pool;
	snprintf(l->lent.name, sizeof(l->lent.name), "%s", pool->name);
	l->lent.socket_id = pool->socket_id;
	l->lent.private_data_size = sizeof(l->private_data);
	l->private_data = *(struct rte_pktmbuf_pool_private *)rte_mempool_get_priv(pool);
	if (rte_mempool_set_ops_byname(&l->lent, OPS, l) != 0) {
		rte_free(l);
		return NULL;
	}
	return l;
}

void
vhost_loan_free(struct vhost_loan *l)
{
	rte_free(l);
}

struct rte_mempool *
vhost_loan_begin(struct vhost_loan *l)
{
	l->n = 0;
	return &l->lent;
}

void
vhost_loan_end(struct vhost_loan *l)
{
	for (unsigned int i = 0; i < l->n; i++) {
		struct rte_mbuf *m = l->mbuf[i];
		const bool freed = rte_mbuf_refcnt_read(m) != REFERENCES;

		rte_mbuf_refcnt_set(m, 1);
		if (unlikely(freed)) {
			m->next = NULL;
			m->nb_segs = 1;
			rte_mbuf_raw_free(m);
		}
	}
}
