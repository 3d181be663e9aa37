/* Flow control of a port, shown and set: what is not given stays, what the driver refuses is told. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_flow_ctrl.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdbool.h>

/* The driver, in the place of ethdev's functions. */
static struct {
	struct rte_eth_fc_conf conf;
	int get, set; /* what it returns */
	bool card;    /* it returns a card's values */
} fake;

int
rte_eth_dev_flow_ctrl_get(uint16_t id, struct rte_eth_fc_conf *fc)
{
	static const struct rte_eth_fc_conf card = { .mode = RTE_ETH_FC_TX_PAUSE,
		.autoneg = 1,
		.pause_time = 0x680,
		.high_water = 0x80,
		.low_water = 0x40,
		.send_xon = 1 };

	*fc = fake.card ? card : fake.conf;
	return fake.card ? 0 : fake.get;
}

int
rte_eth_dev_flow_ctrl_set(uint16_t id, struct rte_eth_fc_conf *fc)
{
	if (fake.set == 0)
		fake.conf = *fc;
	return fake.set;
}

#define OWN \
	{ \
		.high_water = 8, .low_water = 4, .pause_time = 2, .mode = RTE_ETH_FC_RX_PAUSE, \
		.send_xon = 1, .mac_ctrl_frame_fwd = 1, .autoneg = 1 \
	}

/* Assert what a line changes of the driver's OWN values. */
static void
changes(struct port_fixture *b, const char *line, const struct rte_eth_fc_conf *then)
{
	struct err e = { 0 };

	fake.conf = (struct rte_eth_fc_conf)OWN;
	assert_int_equal(ON_PORTS(port_flow_ctrl_set, "%s", line), 0);
	assert_int_equal(fake.conf.mode, then->mode);
	assert_int_equal(fake.conf.high_water, then->high_water);
	assert_int_equal(fake.conf.low_water, then->low_water);
	assert_int_equal(fake.conf.pause_time, then->pause_time);
	assert_int_equal(fake.conf.send_xon, then->send_xon);
	assert_int_equal(fake.conf.mac_ctrl_frame_fwd, then->mac_ctrl_frame_fwd);
	assert_int_equal(fake.conf.autoneg, then->autoneg);
}

TEST(one_value)
{
	static const struct {
		enum rte_eth_fc_mode before;
		const char *line;
		enum rte_eth_fc_mode after;
	} modes[] = {
		{ RTE_ETH_FC_NONE, "port=0 rx=on", RTE_ETH_FC_RX_PAUSE },
		{ RTE_ETH_FC_NONE, "port=0 tx=on", RTE_ETH_FC_TX_PAUSE },
		{ RTE_ETH_FC_RX_PAUSE, "port=0 tx=on", RTE_ETH_FC_FULL },
		{ RTE_ETH_FC_TX_PAUSE, "port=0 rx=on", RTE_ETH_FC_FULL },
		{ RTE_ETH_FC_FULL, "port=0 rx=off", RTE_ETH_FC_TX_PAUSE },
		{ RTE_ETH_FC_FULL, "port=0 tx=off", RTE_ETH_FC_RX_PAUSE },
		{ RTE_ETH_FC_FULL, "port=0", RTE_ETH_FC_FULL },
		{ RTE_ETH_FC_FULL, "port=0 rx=off tx=off", RTE_ETH_FC_NONE },
	};
	static const char *const lines[] = { "port=0 high=0", "port=0 low=0", "port=0 time=0",
		"port=0 xon=0", "port=0 forward=off", "port=0 auto=off" };
	struct port_fixture *b = *state;
	struct err e = { 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		fake.conf.mode = modes[i].before;
		assert_int_equal(ON_PORTS(port_flow_ctrl_set, "%s", modes[i].line), 0);
		assert_int_equal(fake.conf.mode, modes[i].after);
	}
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		struct rte_eth_fc_conf then = OWN;

		then.high_water = i == 0 ? 0 : 8;
		then.low_water = i == 1 ? 0 : 4;
		then.pause_time = i == 2 ? 0 : 2;
		then.send_xon = i != 3;
		then.mac_ctrl_frame_fwd = i != 4;
		then.autoneg = i != 5;
		changes(b, lines[i], &then);
	}
}

/* All of them at once need not ask the driver first. */
TEST(all_values)
{
	static const struct rte_eth_fc_conf then = { .mode = RTE_ETH_FC_FULL,
		.high_water = 0xffffffff,
		.low_water = 3,
		.pause_time = 0xffff };

	fake.get = -ENOTSUP;
	changes(*state,
		"port=0 rx=on tx=on high=0xffffffff low=3 time=0xffff xon=0 forward=off auto=off",
		&then);
	fake.get = 0;
}

TEST(refused)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	assert_int_equal(ON_PORTS(port_flow_ctrl_set, "port=9 high=1"), -ENODEV);
	fake.get = -ENOTSUP;
	assert_int_equal(ON_PORTS(port_flow_ctrl_set, "port=0 high=1"), -ENOTSUP);
	assert_string_equal(e.text, "cannot get current flow ctrl parameters, return code = -95");
	fake.get = 0;
	fake.set = -EINVAL;
	assert_int_equal(ON_PORTS(port_flow_ctrl_set, "port=0 high=1"), -EINVAL);
	assert_string_equal(e.text, "bad flow control parameter, return code = -22");
	fake.set = 0;
}

static const struct port_fixture_case cases[] = {
	{ port_flow_ctrl_show, false, "", "", -ENOTSUP,
		"Failed to get current flow ctrl information: err = -95" },
	{ port_flow_ctrl_show, true,
		"\n********************* Flow control infos for port 0  *********************\n"
		"FC mode:\n   Rx pause: off\n   Tx pause: on\nAutoneg: on\nPause time: 0x680\nHigh waterline: 0x80\n"
		"Low waterline: 0x40\nSend XON: on\nForward MAC control frames: off\n"
		"\n***********************************   End  ********************************\n",
		"\"port\": 0, \"rx_pause\": false, \"tx_pause\": true, \"autoneg\": true, \"pause_time\": 1664, "
		"\"high_water\": 128, \"low_water\": 64, \"send_xon\": true, \"forward_mac_control\": false",
		0, "" },
};

TEST(shown)
{
	fake.get = -ENOTSUP;
	port_fixture_cases_text(*state, cases, ARRAY_SIZE(cases), &fake.card);
	port_fixture_cases_json(*state, cases, ARRAY_SIZE(cases), &fake.card);
	port_fixture_cases_missing(*state, cases, ARRAY_SIZE(cases));
	fake.card = false;
	fake.get = 0;
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
