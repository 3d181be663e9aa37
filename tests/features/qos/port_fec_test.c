/* Forward error correction of a port: what it has, what it can have, and setting it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_ethdev.h>

#include <errno.h>

int
rte_eth_fec_get(uint16_t id, uint32_t *capability)
{
	*capability = RTE_ETH_FEC_MODE_CAPA_MASK(BASER);
	return port_fixture_card;
}

int
rte_eth_fec_get_capability(uint16_t id, struct rte_eth_fec_capa *speeds, unsigned int n)
{
	if (n > 0)
		speeds[0] = (struct rte_eth_fec_capa){ 25000, 0xf };
	if (n > 1)
		speeds[1] = (struct rte_eth_fec_capa){ 100000, 0x9 };
	return port_fixture_card != 0 ? port_fixture_card : 2;
}

PORT_FIXTURE_TELLS(rte_eth_fec_set, (uint16_t id, uint32_t capability), "%#x", capability)

#define NO_PORT NULL, "Invalid port 9: expected 0\n", "ENODEV", ""
#define LACKS NULL, "Function not implemented\n", "EOPNOTSUPP", .card = -ENOTSUP

TEST(answers)
{
	static const struct port_fixture_row rows[] = {
		{ "show port 0 fec_mode", "baser\n", NULL, "\"port\": 0, \"fec\": \"baser\"" },
		{ "show port 0 fec_mode", LACKS },
		{ "show port 9 fec_mode", NO_PORT },
		{ "show port 0 fec capabilities",
			"FEC capabilities:\n25 Gbps : off auto baser rs \n100 Gbps : off rs \n",
			NULL,
			"\"port\": 0, \"speeds\": [{\"link_mbps\": 25000, \"fec\": [\"off\", \"auto\", \"baser\", \"rs\"]}, "
			"{\"link_mbps\": 100000, \"fec\": [\"off\", \"rs\"]}]" },
		{ "show port 0 fec capabilities", LACKS },
		{ "show port 9 fec capabilities", NO_PORT },
		{ "set port 0 fec_mode rs", .told = "0x8" },
		{ "set port 0 fec_mode foo", NULL, "Unknown fec mode: foo for port 0\n", "EINVAL",
			"" },
		{ "set port 0 fec_mode rs", LACKS },
		{ "set port 0 fec_mode auto", NULL,
			"Set FEC mode failed: port 0 (driver net_null): Input/output error\n",
			"EIO", .card = -EIO },
		{ "set port 9 fec_mode rs", NO_PORT },
	};

	PORT_FIXTURE_ROWS(rows);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
