/* The primary has ended: worker processes wait for no ring that is full or held. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/processes/ring_journal.h"
#include "engines/ring/processes/ring_worker_slot.h"
#include "engines/ring/ring_worker.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/ring_fixture.h"

#include <unistd.h>

/*
 * The primary has ended: neither a ring that is full nor one that another holds keeps a worker for
 * ever.
 */
TEST(abandoned)
{
	struct rte_mbuf *pkts[40];
	struct ring_slots slots = ring_slots_flat(pkts, RTE_DIM(pkts));
	struct ring_pipeline *p;
	struct ring_out *out;

	engine_fixture_set("pipeline-processes", "2");
	engine_fixture_set("pipeline-sync", "hts");
	engine_fixture_set("pipeline-ring", "64");
	p = ring_fixture_begin(0, NULL);
	out = p->workers[1].feeds[0].out;
	atomic_store(&p->abandoned, true);
	alarm(20);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(rte_pktmbuf_alloc_bulk(engine_fixture_pool, pkts, RTE_DIM(pkts)),
			0);
		ring_journal_begin(&p->workers[1], &p->workers[1].feeds[0], RING_HAND_SLOTS, 0);
		ring_journal_put(out, &slots, true);
	}
	/* The second time there was room for so many. */
	assert_int_equal(rte_ring_count(out->link->ring), 63);
	rte_pktmbuf_free_bulk(pkts + 23, 17);
	assert_int_equal(out->note->hold->by, 0);
	out->note->hold->by = 1;
	ring_journal_put(out, &slots, true);
	assert_int_equal(out->note->hold->by, 1);
	assert_int_equal(ring_journal_put_of(out), 23);
	alarm(0);
	for (struct rte_mbuf *m; rte_ring_dequeue(out->link->ring, (void **)&m) == 0;)
		rte_pktmbuf_free(m);
	ring_fixture_end(p);
}

TESTS(.setup = ring_fixture_open, .teardown = engine_fixture_close,
	.before = ring_fixture_processes, .after = ring_fixture_processes_end);
