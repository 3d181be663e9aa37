/* Receiving from drivers that may not be asked for much at once: as many calls as it takes, and one burst of all. */
#include "stream.h"

#include "base.h"
#include "hist.h"
#include "rig.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>

#include <stdlib.h>

extern const struct engine engine_io;

enum { CALL = 32, DEALS = 8 };

static struct {
	uint16_t waiting, most; /* packets that are there; the most that a call asked for */
	unsigned int calls;
} wire;

/* Gives multiples of DEALS, as vector functions do. */
static uint16_t
wire_rx(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	wire.calls++;
	wire.most = RTE_MAX(wire.most, n);
	n = RTE_MIN((uint16_t)(n - n % DEALS), wire.waiting);
	assert_int_equal(n > 0 ? rte_pktmbuf_alloc_bulk(rig_pool, pkts, n) : 0, 0);
	wire.waiting -= n;
	return n;
}

static void
test_calls(void **state)
{
	static const struct {
		uint16_t max, call, waiting, n, calls;
	} rows[] = {
		{ 32, CALL, 500, 32, 1 },
		{ 500, CALL, 500, 496, 16 }, /* the last call is for 20 */
		{ 500, CALL, 512, 496, 16 },
		{ 512, CALL, 512, 512, 16 },
		{ 512, CALL, 96, 96, 4 }, /* the third was full: there may be more */
		{ 512, CALL, 97, 97, 4 },
		{ 512, CALL, 0, 0, 1 },
		{ 33, CALL, 64, 32, 2 },
		{ 512, UINT16_MAX, 512, 512, 1 },
	};
	struct stream *s = rig_stream(&engine_io);
	struct rte_mbuf *pkts[BURST_MAX];
	uint64_t all = 0;

	rte_eth_fp_ops[RIG_IN].rx_pkt_burst = wire_rx;
	s->record = STREAM_RECORD_BURSTS;
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t before = counter_read(&s->rx_bursts.cell[rows[i].n]);

		memset(&wire, 0, sizeof(wire));
		wire.waiting = rows[i].waiting;
		s->rx_call = rows[i].call;
		assert_int_equal(stream_rx(s, pkts, rows[i].max), rows[i].n);
		assert_int_equal(wire.calls, rows[i].calls);
		assert_true(wire.most <= rows[i].call);
		assert_int_equal(counter_read(&s->rx_bursts.cell[rows[i].n]), before + 1);
		rte_pktmbuf_free_bulk(pkts, rows[i].n);
		all += rows[i].n;
		assert_int_equal(counter_read(&s->count.rx), all);
	}
	free(s->state);
	rte_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, rig_open, rig_close);
}
