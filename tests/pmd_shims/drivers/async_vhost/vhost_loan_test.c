/* Mbufs on loan for a call of the vhost library: whatever it does to them, each goes back to its pool
 * once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_loan.h"

#include "base/base.h"
#include "fixtures/own_lcores.h"
#include "fixtures/unit.h"

#include <rte_eal.h>
#include <rte_mbuf.h>

enum { MBUFS = 5000, LOAN_MAX = 4096, BURST = 32, ROOM = 128 };

static struct rte_mempool *pool;
static struct vhost_loan *loan;

static int
setup(void **state)
{
	char *args[] = { "loan", "--no-huge", "--no-shconf", "--no-pci", "-m", "64",
		"--no-telemetry", own_lcores("0"), "--log-level=error" };

	assert_int_equal(rte_eal_init(ARRAY_SIZE(args), args), ARRAY_SIZE(args) - 1);
	pool = rte_pktmbuf_pool_create("pool", MBUFS, 0, 0, RTE_PKTMBUF_HEADROOM + ROOM,
		SOCKET_ID_ANY);
	assert_non_null(pool);
	loan = vhost_loan_new(pool, SOCKET_ID_ANY);
	assert_non_null(loan);
	return 0;
}

static int
teardown(void **state)
{
	vhost_loan_free(loan);
	rte_mempool_free(pool);
	return rte_eal_cleanup();
}

/* Each mbuf is in the pool once, as a pool's mbufs are. */
static void
all_there(void)
{
	static struct rte_mbuf *all[MBUFS];

	assert_int_equal(rte_mempool_avail_count(pool), MBUFS);
	assert_int_equal(rte_mempool_get_bulk(pool, (void **)all, MBUFS), 0);
	for (unsigned int i = 0; i < MBUFS; i++) {
		assert_int_equal(rte_mbuf_refcnt_read(all[i]), 1);
		assert_null(all[i]->next);
		assert_int_equal(all[i]->nb_segs, 1);
		assert_int_equal(all[i]->port, 0xffff);
		all[i]->port = 0; /* one that is there twice was seen before */
	}
	for (unsigned int i = 0; i < MBUFS; i++)
		all[i]->port = 0xffff;
	rte_mempool_put_bulk(pool, (void **)all, MBUFS);
}

/* A packet of three mbufs out of the lent pool. */
static struct rte_mbuf *
chain(struct rte_mempool *lent)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(lent);

	for (unsigned int i = 0; i < 2; i++) {
		struct rte_mbuf *next = rte_pktmbuf_alloc(lent);

		assert_non_null(next);
		assert_int_equal(rte_pktmbuf_chain(m, next), 0);
	}
	return m;
}

/* As the library does it: one of a burst is freed, then it and those behind it. */
TEST(freed_twice_goes_back_once)
{
	struct rte_mempool *lent = vhost_loan_begin(loan);
	struct rte_mbuf *m[BURST], *const kept = rte_pktmbuf_alloc(lent);
	unsigned int there;

	assert_int_equal(rte_pktmbuf_data_room_size(lent), RTE_PKTMBUF_HEADROOM + ROOM);
	for (unsigned int i = 0; i < BURST; i++)
		m[i] = chain(lent);
	there = rte_mempool_avail_count(pool);
	rte_pktmbuf_free(m[3]);
	rte_pktmbuf_free_bulk(&m[3], BURST - 3);
	assert_int_equal(rte_mempool_avail_count(pool), there);
	vhost_loan_end(loan);
	assert_int_equal(rte_mempool_avail_count(pool), MBUFS - 1 - 3 * 3);
	assert_ptr_equal(kept->pool, pool);
	assert_int_equal(rte_mbuf_refcnt_read(kept), 1);
	rte_pktmbuf_free_bulk(m, 3);
	rte_pktmbuf_free(kept);
	all_there();
}

TEST(a_loan_has_an_end)
{
	struct rte_mempool *lent = vhost_loan_begin(loan);
	struct rte_mbuf *m[BURST];
	unsigned int n = 0;

	while (rte_pktmbuf_alloc_bulk(lent, m, BURST) == 0) {
		rte_pktmbuf_free_bulk(m, BURST);
		n += BURST;
	}
	assert_int_equal(n, LOAN_MAX);
	vhost_loan_end(loan);
	all_there();
}

TEST(an_empty_pool_lends_nothing)
{
	static void *all[MBUFS];
	struct rte_mempool *lent = vhost_loan_begin(loan);
	struct rte_mbuf *m[BURST];

	assert_int_equal(rte_mempool_get_bulk(pool, all, MBUFS - 1), 0);
	assert_int_not_equal(rte_pktmbuf_alloc_bulk(lent, m, BURST), 0);
	assert_int_equal(rte_mempool_avail_count(pool), 1);
	vhost_loan_end(loan);
	rte_mempool_put_bulk(pool, all, MBUFS - 1);
	all_there();
}

TESTS(.setup = setup, .teardown = teardown);
