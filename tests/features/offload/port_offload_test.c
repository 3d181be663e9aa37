/* What a port can do in hardware, also what no embedded driver can: testpmd's text, JSON,
 * refusals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/offload/port_offload.h"

#include "base/base.h"
#include "base/err.h"
#include "features/offload/port_ptypes.h"
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* Whether the driver answers as a NIC would; else as net_null does. */
static struct {
	bool on;
} fake;

int
rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	int (*own)(uint16_t, struct rte_eth_dev_info *);
	int ret;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eth_dev_info_get");
	ret = own(id, info);
	if (ret != 0 || !fake.on)
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

	if (!fake.on)
		return 0;
	for (i = 0; i < (int)ARRAY_SIZE(known); i++)
		if ((known[i] & mask) != 0 && found++ < n)
			ptypes[found - 1] = known[i];
	return found;
}

static int
rx_capabilities(struct ports *ps, uint16_t id, struct err *e)
{
	return port_offload_capabilities(ps, id, true, e);
}

static int
tx_capabilities(struct ports *ps, uint16_t id, struct err *e)
{
	return port_offload_capabilities(ps, id, false, e);
}

static int
rx_configuration(struct ports *ps, uint16_t id, struct err *e)
{
	return port_offload_configuration(ps, id, true, e);
}

static int
tx_configuration(struct ports *ps, uint16_t id, struct err *e)
{
	return port_offload_configuration(ps, id, false, e);
}

static const struct port_fixture_case cases[] = {
	{ rx_capabilities, false,
		"Rx Offloading Capabilities of port 0 :\n  Per Queue :\n  Per Port  :\n\n",
		"\"port\": 0, \"per_queue\": [], \"per_port\": []", 0, "" },
	{ rx_capabilities, true,
		"Rx Offloading Capabilities of port 0 :\n  Per Queue : VLAN_STRIP\n  Per Port  : IPV4_CKSUM SCATTER\n\n",
		"\"port\": 0, \"per_queue\": [\"VLAN_STRIP\"], \"per_port\": [\"IPV4_CKSUM\", \"SCATTER\"]",
		0, "" },
	{ tx_capabilities, true,
		"Tx Offloading Capabilities of port 0 :\n  Per Queue : MBUF_FAST_FREE\n  Per Port  : MULTI_SEGS\n\n",
		"\"port\": 0, \"per_queue\": [\"MBUF_FAST_FREE\"], \"per_port\": [\"MULTI_SEGS\"]",
		0, "" },
	{ rx_configuration, false,
		"Rx Offloading Configuration of port 0 :\n  Port :\n  Queue[ 0] : SCATTER\n\n",
		"\"port\": 0, \"offloads\": [], \"queues\": [[\"SCATTER\"]]", 0, "" },
	{ tx_configuration, false,
		"Tx Offloading Configuration of port 0 :\n  Port :\n  Queue[ 0] : MULTI_SEGS\n\n",
		"\"port\": 0, \"offloads\": [], \"queues\": [[\"MULTI_SEGS\"]]", 0, "" },
	{ port_ptypes_show, false,
		"L2 ptypes unsupported\nL3 ptypes unsupported\nL4 ptypes unsupported\nTunnel ptypes unsupported\n"
		"Inner L2 ptypes unsupported\nInner L3 ptypes unsupported\nInner L4 ptypes unsupported\n",
		"\"port\": 0, \"ptypes\": {\"l2\": [], \"l3\": [], \"l4\": [], \"tunnel\": [], \"inner_l2\": [], "
		"\"inner_l3\": [], \"inner_l4\": []}",
		0, "" },
	{ port_ptypes_show, true,
		"Supported L2 ptypes:\nL2_ETHER \nL2_ETHER_ARP \nL3 ptypes unsupported\nSupported L4 ptypes:\nL4_UDP \n"
		"Tunnel ptypes unsupported\nInner L2 ptypes unsupported\nInner L3 ptypes unsupported\n"
		"Inner L4 ptypes unsupported\n",
		NULL, 0, "" },
};

/* The port's queues ask for a bit of their own. */
static int
setup(void **state)
{
	int ret = port_fixture_setup(state);
	struct port_fixture *b = *state;

	if (ret != 0)
		return ret;
	b->ports.port[0].rxq[0].offloads = RTE_ETH_RX_OFFLOAD_SCATTER;
	b->ports.port[0].txq[0].offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	return 0;
}

TEST(text)
{
	port_fixture_cases_text(*state, cases, ARRAY_SIZE(cases), &fake.on);
}

TEST(json)
{
	port_fixture_cases_json(*state, cases, ARRAY_SIZE(cases), &fake.on);
}

TEST(missing)
{
	port_fixture_cases_missing(*state, cases, ARRAY_SIZE(cases));
}

TESTS(.setup = setup, .teardown = port_fixture_teardown);
