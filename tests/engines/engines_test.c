/* io, mac, macswap and other engines that rewrite or just receive: which bytes and flags change;
 * the tables of all engines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "fixtures/engine_fixture.h"
#include "start/lists.h"

#include <rte_ethdev.h>
#include <rte_ether.h>

#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

extern const struct engine engine_io, engine_mac, engine_macswap, engine_5tswap, engine_rxonly,
	engine_txonly, engine_flowgen, engine_icmpecho, engine_noisy, engine_shared_rxq,
	engine_ring_pipeline;

static const struct engine *const engines[] = { &engine_io, &engine_mac, &engine_macswap,
	&engine_5tswap, &engine_rxonly, &engine_txonly, &engine_flowgen, &engine_icmpecho,
	&engine_noisy, &engine_shared_rxq, &engine_ring_pipeline };

/* One line, as the manual and TAB show it. */
static void
help_check(const char *help)
{
	assert_non_null(help);
	assert_true(
		strlen(help) > 10 && strchr(help, '\n') == NULL && help[strlen(help) - 1] != '.');
}

TEST(tables)
{
	struct err e;
	size_t i, k;

	for (i = 0; engine_list[i] != NULL; i++) {
		const struct engine *g = engine_list[i];

		help_check(g->help);
		assert_non_null(g->loop);
		assert_true(g->n_counters <= STREAM_NAMED_MAX);
		for (k = 0; k < g->n_counters; k++) {
			help_check(g->counters[k].help);
			assert_true(islower((unsigned char)g->counters[k].name[0]));
		}
		for (k = 0; k < g->settings.n; k++) {
			const struct setting *row = &g->settings.rows[k];

			help_check(row->help);
			if (row->option == NULL)
				assert_string_equal(row->name, setting_option(row));
			assert_int_equal(row->when, SETTING_START);
			assert_true(row->kind != SETTING_UINT ||
				(row->min <= row->value && row->value <= row->max));
			if (row->kind == SETTING_TEXT && row->check != NULL)
				assert_int_equal(row->check(row->text != NULL ? row->text : "", &e),
					0);
			if (row->example != NULL && row->kind == SETTING_TEXT && row->check != NULL)
				assert_int_equal(row->check(row->example, &e), 0);
			if (row->example != NULL && row->kind == SETTING_UINT)
				assert_in_range(strtoull(row->example, NULL, 10), row->min,
					row->max);
		}
	}
}

/*
 * Every length around a header, every burst around the look-ahead; frames too short for addresses
 * stay as they are.
 */
TEST(lengths)
{
	static const struct engine *const rewriting[] = { &engine_mac, &engine_macswap };
	struct engine_fixture_frame f;

	engine_fixture_ether(&f, NULL, 0x9000);
	engine_fixture_add(&f, NULL, 50);
	for (unsigned int k = 0; k < ARRAY_SIZE(rewriting) * f.n; k++) {
		const unsigned int n = 1 + k / ARRAY_SIZE(rewriting);
		struct stream *s = engine_fixture_begin(
			engine_fixture_stream(rewriting[k % ARRAY_SIZE(rewriting)]));
		struct engine_fixture_frame expected = f;

		if (n >= 12 && s->engine == &engine_mac) {
			memcpy(expected.bytes, &s->tx_end.peer, 6);
			memcpy(expected.bytes + 6, &s->tx_end.mac, 6);
		} else if (n >= 12) {
			engine_fixture_swap(expected.bytes, expected.bytes + 6, 6);
		}
		for (unsigned int burst = 1; burst <= 9; burst++) {
			for (unsigned int i = 0; i < burst; i++)
				engine_fixture_put(f.bytes, n, 0);
			engine_fixture_poll(s);
			for (unsigned int i = 0; i < burst; i++)
				engine_fixture_expect(expected.bytes, n);
		}
		engine_fixture_end(s);
	}
}

/*
 * What a packet was received with goes; what says whose memory it is stays; tags come with the
 * offload alone.
 */
TEST(flags)
{
	static const struct {
		uint64_t offloads, flags;
	} rows[] = {
		{ 0, 0 },
		{ RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_IPV4_CKSUM, 0 },
		{ RTE_ETH_TX_OFFLOAD_VLAN_INSERT, RTE_MBUF_F_TX_VLAN },
		{ RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_QINQ_INSERT,
			RTE_MBUF_F_TX_VLAN | RTE_MBUF_F_TX_QINQ },
		{ RTE_ETH_TX_OFFLOAD_MACSEC_INSERT, RTE_MBUF_F_TX_MACSEC },
	};
	static const struct engine *const marking[] = { &engine_mac, &engine_macswap,
		&engine_5tswap };
	const struct engine_fixture_frame f = engine_fixture_words("eth ip4 udp 22");
	unsigned int i, r;

	for (i = 0; i < ARRAY_SIZE(marking); i++) {
		for (r = 0; r < ARRAY_SIZE(rows); r++) {
			struct stream *s = engine_fixture_begin(engine_fixture_stream(marking[i]));
			struct rte_mbuf *m = engine_fixture_packet(f.bytes, f.n, 0);

			s->tx_end.offloads = rows[r].offloads;
			m->ol_flags |= RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_RX_VLAN |
				RTE_MBUF_F_TX_UDP_CKSUM;
			assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
			engine_fixture_poll(s);
			m = engine_fixture_take();
			assert_int_equal(m->ol_flags, RTE_MBUF_F_EXTERNAL | rows[r].flags);
			if (rows[r].flags & RTE_MBUF_F_TX_VLAN)
				assert_int_equal(m->vlan_tci, s->tx_end.vlan);
			if (rows[r].flags & RTE_MBUF_F_TX_QINQ)
				assert_int_equal(m->vlan_tci_outer, s->tx_end.vlan_outer);
			rte_pktmbuf_free(m);
			engine_fixture_end(s);
		}
	}
}

TEST(rxonly)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_rxonly));
	struct engine_fixture_frame f;
	int i;

	engine_fixture_ether(&f, NULL, 0x9000);
	for (i = 0; i < 100; i++)
		engine_fixture_put(f.bytes, f.n, 5);
	for (i = 0; i < 5; i++)
		engine_fixture_poll(s);
	assert_int_equal(s->count.rx, 100);
	assert_int_equal(s->count.absorbed, 100);
	assert_null(engine_fixture_take());
	engine_fixture_end(s);
}

/* Whether the bytes of a packet change under somebody else's clone of it. */
static bool
writes(const struct engine *engine)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(engine));
	const struct engine_fixture_frame f = engine_fixture_words("eth ip4 udp 22");
	struct rte_mbuf *m, *clone;
	bool changed;

	m = engine_fixture_packet(f.bytes, f.n, 0);
	clone = rte_pktmbuf_clone(m, engine_fixture_pool);
	assert_non_null(clone);
	assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
	engine_fixture_poll(s);
	assert_int_equal(s->count.rx, (engine->flags & ENGINE_NO_RX) == 0);
	changed = memcmp(rte_pktmbuf_mtod(clone, void *), f.bytes, f.n) != 0;
	rte_pktmbuf_free(clone);
	engine_fixture_end(s);
	return changed;
}

/* Mirrors send clones beside engines that do not write. */
TEST(writers_say_so)
{
	static const char *const modes[] = { "mac", "macswap", "5tswap", "io" };
	unsigned int i, k, found = 0;

	for (k = 0; k < ARRAY_SIZE(modes); k++) {
		engine_fixture_set("noisy-forward-mode", modes[k]);
		for (i = 0; i < ARRAY_SIZE(engines); i++) {
			if (engines[i]->helpers != NULL || engines[i] == &engine_shared_rxq ||
				!writes(engines[i]))
				continue;
			found++;
			if (engines[i]->written == NULL)
				fail_msg(
					"%s with noisy-forward-mode %s writes and has no written()",
					engines[i]->name, modes[k]);
		}
	}
	assert_int_equal(found,
		3 * ARRAY_SIZE(modes) + 3); /* mac, macswap, 5tswap; noisy, when told */
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
