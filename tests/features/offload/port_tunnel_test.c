/* UDP ports of tunnels: types by name, what the driver is told, refusals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_ethdev.h>

#include <errno.h>

static const char *const types[] = { [RTE_ETH_TUNNEL_TYPE_VXLAN] = "vxlan",
	[RTE_ETH_TUNNEL_TYPE_GENEVE] = "geneve",
	[RTE_ETH_TUNNEL_TYPE_VXLAN_GPE] = "vxlan-gpe",
	[RTE_ETH_TUNNEL_TYPE_ECPRI] = "ecpri" };

PORT_FIXTURE_TELLS(rte_eth_dev_udp_tunnel_port_add,
	(uint16_t id, struct rte_eth_udp_tunnel *tunnel), "add %u %s", tunnel->udp_port,
	types[tunnel->prot_type])

PORT_FIXTURE_TELLS(rte_eth_dev_udp_tunnel_port_delete,
	(uint16_t id, struct rte_eth_udp_tunnel *tunnel), "delete %u %s", tunnel->udp_port,
	types[tunnel->prot_type])

#define UDP "port config 0 udp_tunnel_port "
#define LACKS(what) \
	NULL, "udp tunneling " what " error: (Operation not supported)\n", "EOPNOTSUPP", \
		.card = -ENOTSUP

TEST(answers)
{
	static const struct port_fixture_row rows[] = {
		{ "rx_vxlan_port add 4789 0", .told = "add 4789 vxlan" },
		{ "rx_vxlan_port rm 4789 0", .told = "delete 4789 vxlan" },
		{ UDP "rm vxlan 4790", .told = "delete 4790 vxlan" },
		{ UDP "add geneve 4791", .told = "add 4791 geneve" },
		{ UDP "add vxlan-gpe 4792", .told = "add 4792 vxlan-gpe" },
		{ UDP "add ecpri 4793", .told = "add 4793 ecpri" },
		{ "rx_vxlan_port add 1 9", NULL, "Invalid port 9: expected 0\n", "ENODEV", "" },
		{ "rx_vxlan_port add 1 0", LACKS("add") },
		{ UDP "rm vxlan 1", LACKS("port add") },
	};

	PORT_FIXTURE_ROWS(rows);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
