/* Flow control of a port, set: what is not given stays, what the driver refuses is told. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_flow_ctrl.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_ethdev.h>

#include <errno.h>

/* The driver, in the place of ethdev's functions. */
static struct {
	struct rte_eth_fc_conf conf;
	int get, set; /* what it returns */
} fake;

int
rte_eth_dev_flow_ctrl_get(uint16_t id, struct rte_eth_fc_conf *fc)
{
	*fc = fake.conf;
	return fake.get;
}

int
rte_eth_dev_flow_ctrl_set(uint16_t id, struct rte_eth_fc_conf *fc)
{
	if (fake.set == 0)
		fake.conf = *fc;
	return fake.set;
}

#define STAYS -1, -1, -1, -1, -1, -1, -1, -1
#define OWN \
	{ \
		.high_water = 8, .low_water = 4, .pause_time = 2, .mode = RTE_ETH_FC_RX_PAUSE, \
		.send_xon = 1, .mac_ctrl_frame_fwd = 1, .autoneg = 1 \
	}

static void
changes(struct port_fixture *b, const struct port_flow_ctrl *wanted,
	const struct rte_eth_fc_conf *then)
{
	struct err e = { 0 };

	fake.conf = (struct rte_eth_fc_conf)OWN;
	assert_int_equal(port_flow_ctrl_set(&b->ports, 0, wanted, &e), 0);
	assert_int_equal(fake.conf.mode, then->mode);
	assert_int_equal(fake.conf.high_water, then->high_water);
	assert_int_equal(fake.conf.low_water, then->low_water);
	assert_int_equal(fake.conf.pause_time, then->pause_time);
	assert_int_equal(fake.conf.send_xon, then->send_xon);
	assert_int_equal(fake.conf.mac_ctrl_frame_fwd, then->mac_ctrl_frame_fwd);
	assert_int_equal(fake.conf.autoneg, then->autoneg);
}

static void
one_value(void **state)
{
	static const struct {
		enum rte_eth_fc_mode before;
		int64_t rx, tx;
		enum rte_eth_fc_mode after;
	} modes[] = {
		{ RTE_ETH_FC_NONE, 1, -1, RTE_ETH_FC_RX_PAUSE },
		{ RTE_ETH_FC_NONE, -1, 1, RTE_ETH_FC_TX_PAUSE },
		{ RTE_ETH_FC_RX_PAUSE, -1, 1, RTE_ETH_FC_FULL },
		{ RTE_ETH_FC_TX_PAUSE, 1, -1, RTE_ETH_FC_FULL },
		{ RTE_ETH_FC_FULL, 0, -1, RTE_ETH_FC_TX_PAUSE },
		{ RTE_ETH_FC_FULL, -1, 0, RTE_ETH_FC_RX_PAUSE },
		{ RTE_ETH_FC_FULL, -1, -1, RTE_ETH_FC_FULL },
		{ RTE_ETH_FC_FULL, 0, 0, RTE_ETH_FC_NONE },
	};
	int64_t *values[6];
	struct port_flow_ctrl wanted;
	struct port_fixture *b = *state;
	struct err e = { 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		wanted = (struct port_flow_ctrl){ STAYS };
		wanted.rx = modes[i].rx;
		wanted.tx = modes[i].tx;
		fake.conf.mode = modes[i].before;
		assert_int_equal(port_flow_ctrl_set(&b->ports, 0, &wanted, &e), 0);
		assert_int_equal(fake.conf.mode, modes[i].after);
	}
	values[0] = &wanted.high_water;
	values[1] = &wanted.low_water;
	values[2] = &wanted.pause_time;
	values[3] = &wanted.send_xon;
	values[4] = &wanted.mac_ctrl_frame_fwd;
	values[5] = &wanted.autoneg;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		struct rte_eth_fc_conf then = OWN;

		wanted = (struct port_flow_ctrl){ STAYS };
		*values[i] = 0;
		then.high_water = i == 0 ? 0 : 8;
		then.low_water = i == 1 ? 0 : 4;
		then.pause_time = i == 2 ? 0 : 2;
		then.send_xon = i != 3;
		then.mac_ctrl_frame_fwd = i != 4;
		then.autoneg = i != 5;
		changes(b, &wanted, &then);
	}
}

/* All of them at once need not ask the driver first. */
static void
all_values(void **state)
{
	static const struct port_flow_ctrl wanted = { 1, 1, 0xffffffff, 3, 0xffff, 0, 0, 0 };
	static const struct rte_eth_fc_conf then = { .mode = RTE_ETH_FC_FULL,
		.high_water = 0xffffffff,
		.low_water = 3,
		.pause_time = 0xffff };

	fake.get = -ENOTSUP;
	changes(*state, &wanted, &then);
	fake.get = 0;
}

static void
refused(void **state)
{
	static const struct port_flow_ctrl wanted = { .rx = -1, .high_water = 1 };
	struct port_fixture *b = *state;
	struct err e = { 0 };

	assert_int_equal(port_flow_ctrl_set(&b->ports, 9, &wanted, &e), -ENODEV);
	fake.get = -ENOTSUP;
	assert_int_equal(port_flow_ctrl_set(&b->ports, 0, &wanted, &e), -ENOTSUP);
	assert_string_equal(e.text, "cannot get current flow ctrl parameters, return code = -95");
	fake.get = 0;
	fake.set = -EINVAL;
	assert_int_equal(port_flow_ctrl_set(&b->ports, 0, &wanted, &e), -EINVAL);
	assert_string_equal(e.text, "bad flow control parameter, return code = -22");
	fake.set = 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_value),
		cmocka_unit_test(all_values),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, port_fixture_setup, port_fixture_teardown);
}
