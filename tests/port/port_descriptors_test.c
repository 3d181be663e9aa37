/* Ring sizes: the rule of "auto" alone, and defaults and "auto" on a port with settings. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_descriptors.h"

#include "fixtures/port_fixture.h"
#include "fixtures/setting_words.h"
#include "fixtures/unit.h"
#include "port/port_setup.h"

#include <rte_ethdev.h>

#include <errno.h>

/* n KiB where a buffer has 192 bytes, of the mbuf and the packet's first cache line; elsewhere room for
 * as many buffers. */
#define KIB(n) (UINT64_C(1024) * (n) * (sizeof(struct rte_mbuf) + RTE_CACHE_LINE_SIZE) / 192)

static const struct rte_eth_desc_lim xl710 = { .nb_max = 4096, .nb_min = 64, .nb_align = 32 },
				     none = { .nb_max = UINT16_MAX, .nb_align = 1 };

TEST(sizes)
{
	static const struct rte_eth_desc_lim virtio = { 32768, 32, 1, 0, 0 },
					     large = { 4096, 512, 32, 0, 0 },
					     larger = { 8192, 2048, 32, 0, 0 },
					     fixed = { 512, 512, 1, 0, 0 },
					     odd = { 4096, 64, 96, 0, 0 },
					     short_ring = { 256, 32, 0, 0, 0 }, unset = { 0 };
	static const struct {
		uint64_t l2;
		uint16_t usual, n;
		const struct rte_eth_desc_lim *limits;
	} cases[] = {
		/* two rings of n buffers of 192 bytes in half of the cache: 4 * 192 * n */
		{ KIB(2048), 2048, 1024, &xl710 },
		{ KIB(1024), 2048, 1024, &xl710 },
		{ KIB(768), 2048, 1024, &xl710 },
		{ KIB(768) - 1, 2048, 512, &xl710 },
		{ KIB(512), 2048, 512, &xl710 },
		{ KIB(384), 2048, 512, &xl710 },
		{ KIB(384) - 1, 2048, 256, &xl710 },
		{ KIB(256), 1024, 256, &xl710 },
		{ 1, 1024, 256, &xl710 },
		{ UINT64_MAX, 4096, 1024, &xl710 },
		{ 0, 2048, 2048, &xl710 },
		/* at most the driver's default */
		{ KIB(2048), 512, 512, &xl710 },
		{ KIB(2048), 1024, 1024, &xl710 },
		{ KIB(256), 256, 256, &xl710 },
		{ KIB(256), 64, 64, &xl710 },
		{ KIB(256), 512, 256, &virtio },
		/* limits */
		{ KIB(256), 2048, 2048, &large },
		{ KIB(512), 2048, 512, &large },
		{ KIB(1024), 4096, 4096, &larger },
		{ KIB(1024), 512, 512, &fixed },
		{ KIB(256), 256, 256, &short_ring },
		{ KIB(1024), 2048, 960, &odd },
		{ KIB(256), 2048, 192, &odd },
		/* no ring */
		{ KIB(256), 512, 512, &none },
		{ KIB(256), 512, 512, &unset },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(port_descriptors_by_cache(cases[i].l2, cases[i].usual,
					 cases[i].limits),
			cases[i].n);
}

/* The numbers of a queue as the driver is asked and as reports show it. */
static void
check(const struct port *p, bool rx, uint16_t asked, uint16_t n, uint16_t by_default)
{
	struct rte_eth_rxconf rxconf;
	struct rte_eth_txconf txconf;
	uint16_t found;

	if (rx)
		port_rxconf(p, 0, &rxconf, &found);
	else
		port_txconf(p, 0, &txconf, &found);
	assert_int_equal(found, asked);
	assert_int_equal(port_descriptors_of(p, rx, 0), n);
	assert_int_equal(port_descriptors_default(p, rx), by_default);
}

TEST(ports)
{
	struct app *app = *state;
	struct port *p = &app->ports.port[0];
	const struct rte_eth_dev_info info = p->info;

	/* The driver's defaults, whatever the L2 cache is. */
	app->ports.l2_bytes = KIB(256);
	check(p, true, 0, RTE_ETH_DEV_FALLBACK_RX_RINGSIZE, 0); /* net_null */
	p->info.rx_desc_lim = p->info.tx_desc_lim = xl710;
	check(p, true, 0, RTE_ETH_DEV_FALLBACK_RX_RINGSIZE, RTE_ETH_DEV_FALLBACK_RX_RINGSIZE);
	p->info.default_rxportconf.ring_size = p->info.default_txportconf.ring_size = 2048;
	check(p, true, 0, 2048, 2048);
	check(p, false, 0, 2048, 2048);

	/* "auto" chooses by the L2 cache, for its own direction. */
	port_fixture_set("rxd", "auto");
	check(p, true, 256, 256, 256);
	check(p, false, 0, 2048, 2048);
	port_fixture_set("txd", "auto");
	app->ports.l2_bytes = KIB(512);
	check(p, true, 512, 512, 512);
	check(p, false, 512, 512, 512);
	app->ports.l2_bytes = 0;
	check(p, true, 0, 2048, 2048);
	app->ports.l2_bytes = KIB(1024);
	check(p, false, 1024, 1024, 1024);

	/* What the user set stays, also if it is larger. */
	port_fixture_set("rxd", "4096");
	check(p, true, 4096, 4096, 0);
	check(p, false, 1024, 1024, 1024);
	p->rxq[0].descriptors = 128;
	check(p, true, 128, 128, 0);
	p->rxq[0].descriptors = 0;
	port_fixture_set("rxd", "auto");
	check(p, true, 1024, 1024, 1024);

	/* A threshold above half of the ring keeps the driver's default. */
	port_fixture_set("rxfreet", "512");
	port_fixture_set("txfreet", "513");
	check(p, true, 1024, 1024, 1024);
	check(p, false, 0, 2048, 2048);
	port_fixture_set("txfreet", "driver");
	port_fixture_set("txrst", "600");
	check(p, false, 0, 2048, 2048);

	port_fixture_set("rxfreet", "driver");
	port_fixture_set("txrst", "driver");
	port_fixture_set("rxd", "0");
	port_fixture_set("txd", "0");
	p->info = info;
	app->ports.l2_bytes = 0;
}

/* What the rings of a port cost, and whether smaller ones are suggested. */
TEST(rings)
{
	struct app *app = *state;
	struct port *p = &app->ports.port[0];
	const struct rte_eth_dev_info info = p->info;
	char advice[PORT_RINGS_ADVICE];
	struct port_rings r;

	app->ports.l2_bytes = KIB(1024);
	r = port_rings_of(p);
	assert_true(r.rxd == 0 && r.txd == 0 && r.kib == 0 && !r.large);
	p->info.rx_desc_lim = p->info.tx_desc_lim = xl710;
	p->info.default_rxportconf.ring_size = 2048;
	p->info.default_txportconf.ring_size = 512;
	r = port_rings_of(p);
	assert_true(r.rxd == 2048 && r.rxd_auto == 1024 && r.txd == 512 && r.txd_auto == 512);
	assert_true(r.kib == KIB(480) >> 10 && r.l2_kib == KIB(1024) >> 10 && !r.large);
	app->ports.l2_bytes = KIB(960) - 1;
	r = port_rings_of(p);
	assert_true(r.large);
	port_rings_advise(&r, advice);
	assert_string_equal(advice, "--rxd=auto chooses 1024");
	app->ports.l2_bytes = KIB(256);
	r = port_rings_of(p);
	port_rings_advise(&r, advice);
	assert_string_equal(advice, "--rxd=auto --txd=auto chooses 256 and 256");
	port_fixture_set("rxd", "auto");
	r = port_rings_of(p);
	assert_true(r.rxd == 256 && r.kib == KIB(144) >> 10 && r.large);
	port_rings_advise(&r, advice);
	assert_string_equal(advice, "--txd=auto chooses 256");
	port_fixture_set("txd", "auto");
	r = port_rings_of(p);
	assert_true(r.rxd == 256 && r.txd == 256 && !r.large);

	/* Without a known cache nothing is suggested, however large the rings are. */
	port_fixture_set("rxd", "4096");
	app->ports.l2_bytes = 0;
	r = port_rings_of(p);
	assert_true(r.rxd == 4096 && r.rxd_auto == 2048 && !r.large);

	port_fixture_set("rxd", "0");
	port_fixture_set("txd", "0");
	p->info = info;
}

/* The sum by which pools are sized: each direction has its own ring size and number of queues. */
TEST(sum_of_rings)
{
	struct app *app = *state;

	port_fixture_set("rxd", "512");
	port_fixture_set("txd", "2048");
	port_fixture_set("rxq", "2");
	port_fixture_set("txq", "3");
	assert_int_equal(port_descriptors(&app->ports), 2 * 512 + 3 * 2048);
	app->ports.port[0].rxq[1].descriptors = 128;
	app->ports.port[0].txq[2].descriptors = 1024;
	assert_int_equal(port_descriptors(&app->ports), 512 + 128 + 2 * 2048 + 1024);
	app->ports.port[0].rxq[1].descriptors = app->ports.port[0].txq[2].descriptors = 0;

	port_fixture_set("rxd", "0");
	port_fixture_set("txd", "0");
	port_fixture_set("rxq", "1");
	port_fixture_set("txq", "1");
}

/* Numbers of descriptors, and words in their place. */
TEST(words)
{
#define NOT_SO(word) \
	{ \
		"rxd", word, -EINVAL, "expected 0..65535 or \"auto\"" \
	}
	static const struct setting_word rows[] = { NOT_SO(""), NOT_SO("Auto"), NOT_SO("automatic"),
		NOT_SO("auto "), NOT_SO("-1"), NOT_SO("1k"), NOT_SO("driver"),
		{ "txd", "65536", -ERANGE } };
	struct app *app = *state;

	SETTING_WORDS(app->settings, rows);
	assert_int_equal(port_descriptors_set(app->settings, false), 0);
	port_fixture_set("txd", "0x200");
	assert_int_equal(port_descriptors_set(app->settings, false), 512);
	port_fixture_set("txd", "0");
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
