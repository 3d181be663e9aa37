/* txsplit: which segments copies have, that they are copies, and what is sent as it is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/csum_fixture.h"
#include "memory/pool_ops.h"

static struct stream *
splitter(const char *lengths, const char *choice)
{
	struct stream *s = engine_fixture_stream(&engine_csum);

	engine_fixture_set("txpkts", lengths);
	engine_fixture_set("txsplit", choice);
	s->tx_end.offloads = RTE_ETH_TX_OFFLOAD_VLAN_INSERT;
	engine_fixture_begin(s);
	engine_fixture_reset("txpkts");
	engine_fixture_reset("txsplit");
	return s;
}

TEST(segments)
{
	static const struct {
		const char *lengths, *choice;
		unsigned int n;
		uint16_t expected[4];
	} rows[] = {
		{ "64", "off", 1, { 142 } },
		{ "64", "on", 1, { 142 } },
		{ "200", "on", 1, { 142 } },
		{ "100,42", "on", 2, { 100, 42 } },
		{ "100,41", "on", 2, { 100, 42 } },
		{ "142,1", "on", 1, { 142 } },
		{ "141,9,9", "on", 2, { 141, 1 } },
		{ "20,30,40", "on", 3, { 20, 30, 92 } },
		{ "20,30,40,1,1", "on", 0, { 20, 30, 40, 1 } },
		{ "50,3000", "on", 2, { 50, 92 } },
	};
	struct frame *f = &csum_fixture_frame;

	frame_build(f, "eth ip4 udp 100", false);
	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		struct stream *s = splitter(rows[i / 2].lengths, rows[i / 2].choice);
		struct rte_mbuf *m = i % 2 == 0 ? csum_fixture_packet(f->wrong, f->n, f->n, 0)
						: csum_fixture_direct(f->wrong, f->n, f->n);
		const struct rte_mbuf *next;

		next = m = csum_fixture_pass(s, m);
		if (rows[i / 2].n != 0)
			assert_int_equal(m->nb_segs, rows[i / 2].n);
		for (unsigned int k = 0; k < 4 && rows[i / 2].expected[k] != 0;
			k++, next = next->next)
			assert_int_equal(next->data_len, rows[i / 2].expected[k]);
		assert_true((m->ol_flags & RTE_MBUF_F_TX_VLAN) != 0);
		assert_int_equal(m->vlan_tci, 0x123);
		assert_int_equal(m->l2_len, 14);
		csum_fixture_expect(m, f->right, rows[i / 2].lengths);
		engine_fixture_end(s);
	}
}

/* Any of the numbers of segments comes up, none other. */
TEST(by_chance)
{
	struct stream *s = splitter("10,20,30", "rand");
	struct frame *f = &csum_fixture_frame;
	unsigned int seen = 0;

	frame_build(f, "eth ip4 tcp 100", false);
	for (unsigned int i = 0; i < 500; i++) {
		struct rte_mbuf *m =
			csum_fixture_pass(s, csum_fixture_packet(f->wrong, f->n, 1 + i % f->n, 9));

		seen |= 1U << m->nb_segs;
		csum_fixture_expect(m, f->right, "rand");
	}
	assert_int_equal(seen, 0xe);
	engine_fixture_end(s);
}

/* Without mbufs, or with mbufs that are too small, the packet itself goes out. */
TEST(no_room)
{
	struct stream *s = splitter("20,30", "on");
	struct frame *f = &csum_fixture_frame;
	struct rte_mbuf *rest[ENGINE_FIXTURE_MBUFS], *m;
	unsigned int n = 0;

	frame_build(f, "eth ip4 tcp 3000", false);
	m = csum_fixture_pass(s, csum_fixture_packet(f->wrong, f->n, f->n, 0));
	assert_int_equal(m->nb_segs, 1);
	csum_fixture_expect(m, f->right, "too small");
	frame_build(f, "eth ip4 tcp 100", false);
	m = csum_fixture_packet(f->wrong, f->n, f->n, 0);
	while (n < ENGINE_FIXTURE_MBUFS - 2)
		assert_non_null(rest[n++] = rte_pktmbuf_alloc(engine_fixture_pool));
	m = csum_fixture_pass(s, m);
	assert_int_equal(m->nb_segs, 1);
	csum_fixture_expect(m, f->right, "no mbufs");
	rte_pktmbuf_free_bulk(rest, n);
	engine_fixture_end(s);
}

/* Copies come out of whole blocks where the pool has them; what is left of one goes back at the end. */
TEST(out_of_blocks)
{
	const uint32_t element = rte_mempool_calc_obj_size(sizeof(struct rte_mbuf) + 512, 0, NULL);
	struct rte_mempool *mp = rte_pktmbuf_pool_create_by_ops("blocks",
		pool_ops_round("bucket", 200, element), 0, 0, 512, SOCKET_ID_ANY, "bucket");
	struct stream *s = engine_fixture_stream(&engine_csum);
	struct frame *f = &csum_fixture_frame;
	struct rte_mbuf *m;

	assert_non_null(mp);
	assert_true(pool_ops_block(mp) > 2);
	engine_fixture_set("txpkts", "20,30");
	engine_fixture_set("txsplit", "on");
	s->pool = mp;
	engine_fixture_begin(s);
	frame_build(f, "eth ip4 udp 100", false);
	m = csum_fixture_pass(s, csum_fixture_packet(f->wrong, f->n, f->n, 0));
	assert_int_equal(m->nb_segs, 2);
	assert_ptr_equal(m->next->pool, mp);
	csum_fixture_expect(m, f->right, "blocks");
	/* Both segments are back, the rest of their block is kept for the next packet. */
	assert_int_equal(rte_mempool_avail_count(mp), mp->size - pool_ops_block(mp) + 2);
	engine_fixture_end(s);
	assert_int_equal(rte_mempool_avail_count(mp), mp->size);
	rte_mempool_free(mp);
	engine_fixture_reset("txpkts");
	engine_fixture_reset("txsplit");
}

TESTS(.setup = csum_fixture_open, .teardown = engine_fixture_close);
