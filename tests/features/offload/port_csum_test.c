/* Commands for MAC addresses, VLAN and the csum engine's settings of ports. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "fixtures/port_faults.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CSUM(tunnel, ip) \
	"Parse tunnel is " tunnel "\nIP checksum offload is " ip "\nUDP checksum offload is sw\n" \
	"TCP checksum offload is sw\nSCTP checksum offload is sw\nOuter-Ip checksum offload is sw\n" \
	"Outer-Udp checksum offload is sw\n"

/* Other refusals of net_null are not here: tests/contract compares them with testpmd. */
TEST(addresses)
{
	struct app *app = *state;
	static const struct port_fixture_row steps[] = {
		{ "mac_addr set 0 02:00:00:00:00:0B", NULL, NULL },
		{ "mcast_addr add 0 02:00:5e:00:00:01", NULL,
			"Invalid multicast addr 02:00:5E:00:00:01\n", "EINVAL" },
		{ "mcast_addr add 9 01:00:5e:00:00:01", NO_PORT, "ENODEV" },
		{ "mcast_addr add 0 01:00:5e:00:00:01", NULL,
			"rte_eth_dev_set_mc_addr_list(port=0, nb=1) failed. diag=-95\n",
			"EOPNOTSUPP" },
		{ "mcast_addr remove 0 01:00:5e:00:00:01", NULL,
			"multicast address not filtered by port 0\n", "EADDRNOTAVAIL" },
		{ "set eth-peer 0 02:00:00:00:00:77", NULL, NULL },
		{ "set eth-peer 0 zz", NULL, "Error: Invalid ethernet address: zz\n", "EINVAL" },
		{ "set promisc all off", NULL,
			"Error during disabling promiscuous mode for port 0: Operation not supported\n"
			"Error during disabling promiscuous mode for port 1: Operation not supported\n",
			"EOPNOTSUPP" },
		{ "set link-up port 0", NULL,
			"\nSet link up fail.\nport 0: Operation not supported\n", "EOPNOTSUPP" },
	};
	static const struct rte_ether_addr own = { { 2, 0, 0, 0, 0, 0x0b } },
					   peer = { { 2, 0, 0, 0, 0, 0x77 } };
	const struct port *p = &app->ports.port[0];
	struct stream_end end;

	PORT_FIXTURE_ROWS(steps);
	assert_int_equal(p->n_mcast, 0);
	port_stream_end(p, 0, false, &end);
	assert_memory_equal(&end.mac, &own, sizeof(own));
	assert_memory_equal(&end.peer, &peer, sizeof(peer));
	port_stream_end(&app->ports.port[1], 0, true, &end);
	assert_int_equal(end.peer.addr_bytes[0], 2);
	assert_int_equal(end.peer.addr_bytes[5], 1);
	port_fixture_says("mac_addr set 0 02:00:00:00:00:10", "", "");
}

TEST(vlan)
{
	struct app *app = *state;
	static const struct port_fixture_row steps[] = {
		{ "tx_vlan set 0 5", STOP_FIRST },
		{ "tx_vlan set 9 5", NO_PORT },
		{ "vlan set strip off 0", NULL, NULL },
		{ "vlan set strip on 0", "",
			"rx_vlan_strip_set(port_pi=0, on=1) failed diag=-22\n" },
		{ "vlan set filter on 0", "",
			"rx_vlan_filter_set(port_pi=0, on=1) failed diag=-22\n" },
		{ "vlan set qinq_strip on 0", "",
			"rx_vlan_qinq_strip_set(port_pi=0, on=1) failed diag=-22\n" },
		{ "vlan set extend on 0", "",
			"rx_vlan_extend_set(port_pi=0, on=1) failed diag=-22\n" },
		{ "vlan set extend on 9", NO_PORT },
		{ "vlan set stripq on 0", "", "must specify (port,queue_id)\n" },
		{ "vlan set stripq on 0,0", "",
			"rx_vlan_strip_set_on_queue(port_pi=0, queue_id=0, on=1) failed diag=-95\n" },
		{ "rx_vlan add 5 0", "",
			"rte_eth_dev_vlan_filter(port_pi=0, vlan_id=5, on=1) failed diag=-38\n" },
		{ "rx_vlan add 5000 0", "", "Invalid vlan_id 5000 (must be < 4096)\n" },
		{ "rx_vlan rm all 0", "",
			"rte_eth_dev_vlan_filter(port_pi=0, vlan_id=0, on=0) failed diag=-38\n" },
		{ "port stop 0", STOPPED, NULL },
		{ "tx_vlan set 0 5", "", "Error: vlan insert is not supported by port 0\n" },
		{ "tx_vlan set 0 5 6", "", "Error: qinq insert not supported by port 0\n" },
		{ "tx_vlan reset 0", NULL, NULL },
	};
	struct port *p = &app->ports.port[0];
	struct stream_end end;

	PORT_FIXTURE_ROWS(steps);
	p->info.tx_offload_capa = RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_QINQ_INSERT;
	port_fixture_says("tx_vlan set 0 5 6", "", "");
	port_fixture_says("tx_vlan set 0 7", "", "Error, as QinQ has been enabled.\n");
	port_stream_end(p, 0, false, &end);
	assert_int_equal(end.offloads & p->info.tx_offload_capa, p->info.tx_offload_capa);
	assert_int_equal(end.vlan, 5);
	assert_int_equal(end.vlan_outer, 6);
	port_fixture_says("tx_vlan reset 0", "", "");
	port_fixture_says("tx_vlan set 0 0x6007", "", ""); /* VLAN 7, priority 3 */
	port_stream_end(p, 0, false, &end);
	assert_int_equal(end.offloads & p->info.tx_offload_capa, RTE_ETH_TX_OFFLOAD_VLAN_INSERT);
	assert_int_equal(end.vlan, 0x6007);
	assert_int_equal(end.vlan_outer, 0);
	port_fixture_says("tx_vlan reset 0", "", "");
	p->info.tx_offload_capa = 0;
	port_fixture_says("port start 0", CONFIGURING(0) STARTED_0, "");
}

/* On a port that can compute checksums and segment TCP. */
static const struct port_fixture_row able[] = {
	{ "csum set ip hw 0", CSUM("off", "hw"), NULL },
	{ "tso set 800 0", "TSO segment size for non-tunneled packets is 800\n", NULL },
	{ "tso show 0", "TSO segment size for non-tunneled packets is 800\n", NULL },
	{ "tunnel_tso set 700 0", "",
		"Error: csum parse_tunnel must be set so that tunneled packets are recognized\n" },
	{ "csum parse-tunnel on 0", CSUM("on", "hw"), NULL },
	{ "tunnel_tso set 700 0", "",
		"Error: csum set outer-ip must be set to hw if outer L3 is IPv4; not necessary for IPv6\n" },
};

static const uint64_t tunnels = RTE_ETH_TX_OFFLOAD_VXLAN_TNL_TSO | RTE_ETH_TX_OFFLOAD_GRE_TNL_TSO |
	RTE_ETH_TX_OFFLOAD_IPIP_TNL_TSO | RTE_ETH_TX_OFFLOAD_GENEVE_TNL_TSO |
	RTE_ETH_TX_OFFLOAD_IP_TNL_TSO | RTE_ETH_TX_OFFLOAD_UDP_TNL_TSO;

TEST(checksums)
{
	struct app *app = *state;
	static const struct port_fixture_row steps[] = {
		{ "csum show 0", STOP_FIRST },
		{ "csum set ip sw 0", STOP_FIRST },
		{ "csum show 9", NO_PORT },
		{ "csum parse-tunnel on 0", CSUM("on", "sw"), NULL },
		{ "csum parse-tunnel off 0", CSUM("off", "sw"), NULL },
		{ "csum mac-swap on 9", NO_PORT },
		{ "tso show 0", STOP_FIRST },
		{ "port stop 0", STOPPED, NULL },
		{ "csum set ip hw 0", CSUM("off", "sw"),
			"IP checksum offload is not supported by port 0\n" },
		{ "csum set outer-udp hw 0", CSUM("off", "sw"),
			"Outer UDP checksum offload is not supported by port 0\n" },
		{ "tso set 800 0", "", "Error: TSO is not supported by port 0\n" },
		{ "tso show 0", "TSO for non-tunneled packets is disabled\n", NULL },
		{ "tunnel_tso set 800 0", "",
			"Error: port=0 don't support tunnel TSO offloads.\n" },
		{ "tunnel_tso set 0 0", "TSO for tunneled packets is disabled\n", NULL },
	};
	struct port *p = &app->ports.port[0];
	struct stream_end end;

	PORT_FIXTURE_ROWS(steps);
	p->info.tx_offload_capa = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM |
		RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_TSO |
		RTE_ETH_TX_OFFLOAD_VXLAN_TNL_TSO;
	PORT_FIXTURE_ROWS(able);
	p->conf.txmode.offloads |= RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM;
	port_fixture_says("tunnel_tso set 700 0",
		"Warning: GRE TUNNEL TSO not supported therefore not enabled for port 0\n"
		"Warning: IPIP TUNNEL TSO not supported therefore not enabled for port 0\n"
		"Warning: GENEVE TUNNEL TSO not supported therefore not enabled for port 0\n"
		"Warning: IP TUNNEL TSO not supported therefore not enabled for port 0\n"
		"Warning: UDP TUNNEL TSO not supported therefore not enabled for port 0\n"
		"TSO segment size for tunneled packets is 700\n",
		"");
	port_stream_end(p, 0, false, &end);
	assert_true(end.csum.ip_hw && end.csum.outer_ip_hw && end.csum.parse_tunnel);
	assert_false(
		end.csum.udp_hw || end.csum.tcp_hw || end.csum.sctp_hw || end.csum.outer_udp_hw);
	assert_int_equal(end.csum.tso_segsz, 800);
	assert_int_equal(end.csum.tunnel_tso_segsz, 700);
	assert_int_equal(p->conf.txmode.offloads & tunnels, RTE_ETH_TX_OFFLOAD_VXLAN_TNL_TSO);
	port_fixture_says("tunnel_tso set 0 0", "TSO for tunneled packets is disabled\n", "");
	assert_int_equal(p->conf.txmode.offloads & tunnels, 0);
	port_fixture_says("tso set 0 0", "TSO for non-tunneled packets is disabled\n", "");
	p->conf.txmode.offloads = 0;
	p->csum = (struct stream_csum){ 0 };
	port_fixture_says("csum set ip sw 0", CSUM("off", "sw"), "");
	port_fixture_says("port start 0", CONFIGURING(0) STARTED_0, "");
}

TEST(gro_and_gso)
{
	static const struct port_fixture_row steps[] = {
		{ "show port 0 gro", "Port 0 doesn't enable GRO.\n", NULL },
		{ "set port 0 gro off", "", "Port 0 has disabled GRO\n" },
		{ "set port 0 gro on", NULL, NULL },
		{ "set port 0 gro on", "", "Port 0 has enabled GRO. Please disable GRO first\n" },
		{ "show port 0 gro",
			"GRO type: TCP/IPv4\nMax number of packets to perform GRO: 128\nFlushing cycles: 1\n",
			NULL },
		{ "set gro flush 5", "", "The flushing cycle be in the range of 1 to 4.\n" },
		{ "set gro flush 4", NULL, NULL },
		{ "show port 0 gro",
			"GRO type: TCP/IPv4\nMax number of packets to perform GRO: 2048\nFlushing cycles: 4\n",
			NULL },
		{ "set gro flush 1", NULL, NULL },
		{ "set port 0 gro off", NULL, NULL },
		{ "show port 9 gro", "", "Invalid port id 9.\n" },
		{ "set port 9 gro on", "", "invalid port id 9\n" },
		{ "show port 0 gso", "GSO is not enabled on Port 0\n", NULL },
		{ "set port 0 gso on", NULL, NULL },
		{ "set gso segsz 10", "",
			"gso_size should be larger than 55. Please input a legal value\n" },
		{ "set gso segsz 1000", NULL, NULL },
		{ "show port 0 gso",
			"Max GSO'd packet size: 1000B\nSupported GSO types: TCP/IPv4, UDP/IPv4, VxLAN with inner TCP/IPv4 "
			"packet, GRE with inner TCP/IPv4 packet\n",
			NULL },
		{ "set port 0 gso off", NULL, NULL },
		{ "show port 9 gso", "", "invalid port id 9\n" },
	};

	PORT_FIXTURE_ROWS(steps);
}

TESTS(.setup = port_faults_setup, .teardown = port_fixture_teardown, .before = port_faults_calm);
