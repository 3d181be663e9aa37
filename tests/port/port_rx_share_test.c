/* Shared Rx queues: the group of a port, and which queues are one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"
#include "port/port_setup.h"

#include <rte_ethdev.h>

static struct port
port_on(const struct app *app, uint16_t id, bool can, uint16_t domain)
{
	struct port p = app->ports.port[0];

	p.id = id;
	p.info.dev_capa = can ? RTE_ETH_DEV_CAPA_RXQ_SHARE : 0;
	p.info.switch_info.domain_id = domain;
	return p;
}

TEST(groups)
{
	static const struct {
		uint64_t ports;
		uint16_t id;
		bool can;
		uint16_t group;
	} cases[] = {
		{ 0, 3, true, 0 },
		{ 2, 0, true, 1 },
		{ 2, 1, true, 1 },
		{ 2, 2, true, 2 },
		{ 2, 2, false, 0 },
		{ UINT32_MAX, 31, true, 1 },
	};
	struct app *app = *state;
	struct rte_eth_rxconf conf;
	struct err e = { 0 };
	uint16_t n;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct port p = port_on(app, cases[i].id, cases[i].can, 0);

		assert_int_equal(setting_set(app->settings, "rxq-share", cases[i].ports, &e), 0);
		port_rxconf(&p, 5, &conf, &n);
		assert_int_equal(conf.share_group, cases[i].group);
		assert_int_equal(conf.share_qid, cases[i].group != 0 ? 5 : 0);
	}
}

TEST(one_queue)
{
	struct app *app = *state;
	const struct port zero = port_on(app, 0, true, 0), one = port_on(app, 1, true, 0);
	const struct port two = port_on(app, 2, true, 0), other = port_on(app, 1, true, 7);
	const struct port own = port_on(app, 1, false, 0);
	struct err e = { 0 };

	assert_int_equal(setting_set(app->settings, "rxq-share", 2, &e), 0);
	assert_true(port_rx_share_same(&zero, 1, &one, 1));
	assert_false(port_rx_share_same(&zero, 1, &one, 0));
	assert_false(port_rx_share_same(&zero, 1, &two, 1));
	assert_false(port_rx_share_same(&zero, 1, &other, 1));
	assert_false(port_rx_share_same(&zero, 1, &own, 1));
	assert_int_equal(setting_set(app->settings, "rxq-share", 0, &e), 0);
	assert_false(port_rx_share_same(&zero, 1, &one, 1));
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
