/* Flow control of a port, shown and set: what is not given stays, what the driver refuses is told. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_ethdev.h>

#include <errno.h>

/* The card's values, and how often a line asked for them. */
static struct rte_eth_fc_conf card = { .mode = RTE_ETH_FC_TX_PAUSE,
	.autoneg = 1,
	.pause_time = 0x680,
	.high_water = 0x80,
	.low_water = 0x40,
	.send_xon = 1 };
static int refused; /* what setting them returns */

int
rte_eth_dev_flow_ctrl_get(uint16_t id, struct rte_eth_fc_conf *fc)
{
	*fc = card;
	return port_fixture_card;
}

int
rte_eth_dev_flow_ctrl_set(uint16_t id, struct rte_eth_fc_conf *fc)
{
	static const char *const modes[] = { [RTE_ETH_FC_NONE] = "-",
		[RTE_ETH_FC_RX_PAUSE] = "r",
		[RTE_ETH_FC_TX_PAUSE] = "t",
		[RTE_ETH_FC_FULL] = "rt" };

	if (refused == 0)
		card = *fc;
	port_fixture_tell("%s %u %u %u %u %u %u", modes[fc->mode], fc->high_water, fc->low_water,
		fc->pause_time, fc->send_xon, fc->mac_ctrl_frame_fwd, fc->autoneg);
	return refused;
}

#define ALL "set flow_ctrl rx on tx on 4294967295 3 65535 0 mac_ctrl_frame_fwd off autoneg off 0"

/* Each line changes one value of those that the line before left. */
TEST(answers)
{
	static const struct port_fixture_row rows[] = {
		{ "show port 0 flow_ctrl",
			"\n********************* Flow control infos for port 0  *********************\n"
			"FC mode:\n   Rx pause: off\n   Tx pause: on\nAutoneg: on\nPause time: 0x680\nHigh waterline: 0x80\n"
			"Low waterline: 0x40\nSend XON: on\nForward MAC control frames: off\n"
			"\n***********************************   End  ********************************\n",
			NULL,
			"\"port\": 0, \"rx_pause\": false, \"tx_pause\": true, \"autoneg\": true, \"pause_time\": 1664, "
			"\"high_water\": 128, \"low_water\": 64, \"send_xon\": true, \"forward_mac_control\": false" },
		{ "show port 0 flow_ctrl", NULL,
			"Failed to get current flow ctrl information: err = -95\n", "EOPNOTSUPP",
			.card = -ENOTSUP },
		{ "show port 9 flow_ctrl", NULL, "Invalid port 9: expected 0\n", "ENODEV" },
		{ "set flow_ctrl rx on 0", .told = "rt 128 64 1664 1 0 1" },
		{ "set flow_ctrl tx off 0", .told = "r 128 64 1664 1 0 1" },
		{ "set flow_ctrl tx on 0", .told = "rt 128 64 1664 1 0 1" },
		{ "set flow_ctrl rx off 0", .told = "t 128 64 1664 1 0 1" },
		{ "set flow_ctrl tx off 0", .told = "- 128 64 1664 1 0 1" },
		{ "set flow_ctrl rx on 0", .told = "r 128 64 1664 1 0 1" },
		{ "set flow_ctrl high_water 0 0", .told = "r 0 64 1664 1 0 1" },
		{ "set flow_ctrl low_water 0 0", .told = "r 0 0 1664 1 0 1" },
		{ "set flow_ctrl pause_time 0 0", .told = "r 0 0 0 1 0 1" },
		{ "set flow_ctrl send_xon 0 0", .told = "r 0 0 0 0 0 1" },
		{ "set flow_ctrl mac_ctrl_frame_fwd on 0", .told = "r 0 0 0 0 1 1" },
		{ "set flow_ctrl autoneg off 0", .told = "r 0 0 0 0 1 0" },
		/* All of them at once need not ask the driver first. */
		{ ALL, .told = "rt 4294967295 3 65535 0 0 0", .card = -ENOTSUP },
		{ "set flow_ctrl high_water 1 9", NULL, "Invalid port 9: expected 0\n", "ENODEV" },
		{ "set flow_ctrl high_water 1 0", NULL,
			"cannot get current flow ctrl parameters, return code = -95\n",
			"EOPNOTSUPP", "", -ENOTSUP },
	};

	PORT_FIXTURE_ROWS(rows);
	refused = -EINVAL;
	port_fixture_says("set flow_ctrl high_water 1 0", NULL,
		"bad flow control parameter, return code = -22\n");
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
