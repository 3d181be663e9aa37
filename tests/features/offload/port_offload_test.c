/* What a port can do in hardware, also what no embedded driver can: testpmd's text, JSON,
 * refusals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <dlfcn.h>
#include <errno.h>

int
rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	int (*own)(uint16_t, struct rte_eth_dev_info *);
	int ret;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eth_dev_info_get");
	ret = own(id, info);
	if (ret != 0 || port_fixture_card != 0)
		return ret;
	info->rx_offload_capa = RTE_ETH_RX_OFFLOAD_VLAN_STRIP | RTE_ETH_RX_OFFLOAD_IPV4_CKSUM |
		RTE_ETH_RX_OFFLOAD_SCATTER;
	info->rx_queue_offload_capa = RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	info->tx_offload_capa = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE | RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	info->tx_queue_offload_capa = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	return 0;
}

int
rte_eth_dev_get_supported_ptypes(uint16_t id, uint32_t mask, uint32_t *ptypes, int n)
{
	static const uint32_t known[] = { RTE_PTYPE_L2_ETHER, RTE_PTYPE_L2_ETHER_ARP,
		RTE_PTYPE_L4_UDP };
	int i, found = 0;

	if (port_fixture_card != 0)
		return 0;
	for (i = 0; i < (int)ARRAY_SIZE(known); i++)
		if ((known[i] & mask) != 0 && found++ < n)
			ptypes[found - 1] = known[i];
	return found;
}

#define RX "show port 0 rx_offload "
#define TX "show port 0 tx_offload "
#define NO_PORT NULL, "Invalid port 9: expected 0\n", "ENODEV"

TEST(answers)
{
	static const struct port_fixture_row rows[] = {
		{ RX "capabilities",
			"Rx Offloading Capabilities of port 0 :\n  Per Queue :\n  Per Port  :\n\n",
			NULL, "\"port\": 0, \"per_queue\": [], \"per_port\": []",
			.card = PORT_FIXTURE_NONE },
		{ RX "capabilities",
			"Rx Offloading Capabilities of port 0 :\n  Per Queue : VLAN_STRIP\n  Per Port  : IPV4_CKSUM SCATTER\n\n",
			NULL,
			"\"port\": 0, \"per_queue\": [\"VLAN_STRIP\"], \"per_port\": [\"IPV4_CKSUM\", \"SCATTER\"]" },
		{ TX "capabilities",
			"Tx Offloading Capabilities of port 0 :\n  Per Queue : MBUF_FAST_FREE\n  Per Port  : MULTI_SEGS\n\n",
			NULL,
			"\"port\": 0, \"per_queue\": [\"MBUF_FAST_FREE\"], \"per_port\": [\"MULTI_SEGS\"]" },
		{ RX "configuration",
			"Rx Offloading Configuration of port 0 :\n  Port :\n  Queue[ 0] : SCATTER\n\n",
			NULL, "\"port\": 0, \"offloads\": [], \"queues\": [[\"SCATTER\"]]",
			.card = PORT_FIXTURE_NONE },
		{ TX "configuration",
			"Tx Offloading Configuration of port 0 :\n  Port : MBUF_FAST_FREE\n  Queue[ 0] : MULTI_SEGS\n\n",
			NULL,
			"\"port\": 0, \"offloads\": [\"MBUF_FAST_FREE\"], \"queues\": [[\"MULTI_SEGS\"]]",
			.card = PORT_FIXTURE_NONE },
		{ "show port 9 rx_offload capabilities", NO_PORT },
		{ "show port 9 tx_offload configuration", NO_PORT },
		{ "show port 0 ptypes",
			"L2 ptypes unsupported\nL3 ptypes unsupported\nL4 ptypes unsupported\nTunnel ptypes unsupported\n"
			"Inner L2 ptypes unsupported\nInner L3 ptypes unsupported\nInner L4 ptypes unsupported\n",
			NULL,
			"\"port\": 0, \"ptypes\": {\"l2\": [], \"l3\": [], \"l4\": [], \"tunnel\": [], \"inner_l2\": [], "
			"\"inner_l3\": [], \"inner_l4\": []}",
			.card = PORT_FIXTURE_NONE },
		{ "show port 0 ptypes",
			"Supported L2 ptypes:\nL2_ETHER \nL2_ETHER_ARP \nL3 ptypes unsupported\nSupported L4 ptypes:\nL4_UDP \n"
			"Tunnel ptypes unsupported\nInner L2 ptypes unsupported\nInner L3 ptypes unsupported\n"
			"Inner L4 ptypes unsupported\n" },
		{ "show port 9 ptypes", NO_PORT },
	};
	struct port *p = &((struct app *)*state)->ports.port[0];

	/* The port's queues ask for a bit of their own. */
	p->rxq[0].offloads = RTE_ETH_RX_OFFLOAD_SCATTER;
	p->txq[0].offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	PORT_FIXTURE_ROWS(rows);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
