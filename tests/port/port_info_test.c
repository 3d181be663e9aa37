/* show port info and its like: what only cards have, refusals, and JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_info.h"

#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_version.h>

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* What a card says of itself that net_null would not, and whether there is one. */
static bool card;
static uint64_t capabilities = 0x13;
static uint32_t mbps = 2500;

int
rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	int (*own)(uint16_t, struct rte_eth_dev_info *);
	int ret;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eth_dev_info_get");
	ret = own(id, info);
	info->hash_key_size = 0; /* as net_null of DPDK 22.11, later ones have a key */
	if (ret != 0 || !card)
		return ret;
	info->flow_type_rss_offloads = 0;
	info->dev_capa = capabilities;
	info->hash_key_size = 52;
	info->max_vfs = info->max_vmdq_pools = 4;
	info->speed_capa = RTE_ETH_LINK_SPEED_FIXED | RTE_ETH_LINK_SPEED_10M_HD |
		RTE_ETH_LINK_SPEED_100G;
	info->switch_info = (struct rte_eth_switch_info){ .name = "switch",
		.domain_id = 1,
		.port_id = 2,
		.rx_domain = 3 };
	info->err_handle_mode = RTE_ETH_ERROR_HANDLE_MODE_PROACTIVE;
	return 0;
}

int
rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link)
{
	int (*own)(uint16_t, struct rte_eth_link *);
	int ret;

	*(void **)&own = dlsym(RTLD_NEXT, "rte_eth_link_get_nowait");
	ret = own(id, link);
	if (ret != 0 || !card)
		return ret;
	link->link_speed = mbps;
	link->link_duplex = RTE_ETH_LINK_HALF_DUPLEX;
	link->link_status = RTE_ETH_LINK_DOWN;
	link->link_autoneg = RTE_ETH_LINK_AUTONEG;
	return 0;
}

/* What testpmd says since these releases. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
#define MTU_BOUNDS "Minimum MTU: 46\nMaximum MTU: 65535\n"
#else
#define MTU_BOUNDS ""
#endif
#if RTE_VERSION >= RTE_VERSION_NUM(26, 7, 0, 0)
#define RX_SPLIT "Rx split:\n\tMax segments: 0\n"
#else
#define RX_SPLIT ""
#endif

#define SUMMARY \
	"Number of available ports: 1\n" \
	"Port MAC Address       Name         Driver         Status   Link\n"

TEST(answers)
{
	static const struct port_fixture_row rows[] = {
		{ "show port summary all",
			SUMMARY
			"0    02:00:00:00:00:10 net_null0    net_null       up       10 Gbps\n",
			NULL,
			"\"n_ports\": 1, \"ports\": [{\"port\": 0, "
			"\"mac\": \"02:00:00:00:00:10\", \"name\": \"net_null0\", \"driver\": \"net_null\", "
			"\"link_up\": true, \"link_mbps\": 10000}]" },
		{ "show port summary 3", SUMMARY "The valid ports array is [ 0 ]\n",
			"Invalid port 3\n", "ENODEV" },
		{ "show port 9 macs", NULL, "Invalid port 9: expected 0\n", "ENODEV" },
		{ "show port 9 mcast_macs", NULL, "Invalid port 9: expected 0\n", "ENODEV" },
	};
	struct port *p = &((struct app *)*state)->ports.port[0];

	PORT_FIXTURE_ROWS(rows);
	p->mcast[0] = (struct rte_ether_addr){ { 1, 0, 0x5e, 0, 0, 0xfb } };
	p->n_mcast = 1;
	port_fixture_says("show port 0 mcast_macs",
		"Number of Multicast MAC address added: 1\n  01:00:5E:00:00:FB\n", NULL);
	p->n_mcast = 0;
}

static void
shows(const char *line, const char *const *parts, size_t n)
{
	const char *shown = port_fixture_text(line);

	for (size_t i = 0; i < n; i++)
		if (strstr(shown, parts[i]) == NULL)
			fail_msg("%s\nlacks\n%s", shown, parts[i]);
}

/*
 * Lines of later releases, and lines that net_null does not have. tests/contract compares the others with
 * testpmd.
 */
TEST(more_info)
{
	static const char *const null[] = { "MTU: 1500\n" MTU_BOUNDS "Promiscuous mode: enabled\n",
		"aggregated packet: 0\n" RX_SPLIT "Current number of RX queues: 1\n" };
	static const char *const lines[] = {
		"Link status: down\nLink speed: 2.5 Gbps\nLink duplex: half-duplex\nAutoneg status: On\n",
		"Hash key size in bytes: 52\n",
		"No RSS offload flow type is supported.\n",
		"Maximum number of VFs: 4\nMaximum number of VMDq pools: 4\n",
		"Device capabilities: 0x13( RUNTIME_RX_QUEUE_SETUP RUNTIME_TX_QUEUE_SETUP FLOW_SHARED_OBJECT_KEEP )\n",
		"Device error handling mode: proactive\n",
	};
	static const char *const others[] = {
		"\nLink speed: Unknown\n",
		"RXQ_SHARE )\nSwitch name: switch\nSwitch domain Id: 1\nSwitch Port Id: 2\nSwitch Rx domain: 3\n"
		"Device error",
	};

	shows("show port info 0", null, ARRAY_SIZE(null));
	card = true;
	shows("show port info 0", lines, ARRAY_SIZE(lines));
	capabilities = RTE_ETH_DEV_CAPA_RXQ_SHARE;
	mbps = RTE_ETH_SPEED_NUM_UNKNOWN;
	shows("show port info 0", others, ARRAY_SIZE(others));
	card = false;
}

TEST(info_json)
{
	static const char start[] =
		"{\"command\": \"show port info 0\", \"ok\": true, \"ports\": [{\"port\": 0, "
		"\"mac\": \"02:00:00:00:00:10\", \"name\": \"net_null0\", "
		"\"driver\": \"net_null\", \"devargs\": \"\", \"socket\": 0, "
		"\"link_up\": true, \"link_mbps\": 10000, \"full_duplex\": true, "
		"\"autoneg\": false, \"mtu\": 1500, \"mtu_min\": ";
	const char *shown = port_fixture_json("show port info 0");

	assert_ptr_equal(strstr(shown, start), shown);
	assert_non_null(strstr(shown, "\"rx_split\": {\"segments_max\": 0}, "));
	assert_non_null(strstr(shown, "\"mtu_max\": 65535, \"promiscuous\": true, "));
	assert_non_null(strstr(shown, "\"rss_types\": [\"ipv4\", \"ipv4-frag\", "));
	assert_non_null(strstr(shown, "\"capabilities\": [], \"error_handling\": \"none\"}]}\n"));
}

#define DEVICE \
	"\n********************* Infos for device net_null0 *********************\n" \
	"Bus name: vdev\nBus information: \nDriver name: net_null\nDevargs: \n" \
	"Connect to socket: 0\n" \
	"\n\tPort id: 0 \n\tMAC address: 02:00:00:00:00:10\n\tDevice name: net_null0\n"
#define ANY_SPEED "\tDevice speed capability: Autonegotiate (all speeds)\n"
#define LIST "use \"show device info all\" for a list\n"
#define UNREADABLE(name) \
	{ \
		"show device info " name, NULL, \
			"cannot parse identifier " name \
			": expected a bus address or a name such as net_null0; " LIST, \
			"EINVAL" \
	}
#define UNKNOWN(name) \
	{ \
		"show device info " name, NULL, "no device " name " with a driver; " LIST, \
			"ENODEV" \
	}

TEST(device)
{
	static const struct port_fixture_row rows[] = {
		{ "show device info bus=vdev,name=net_null0", DEVICE ANY_SPEED },
		UNREADABLE("bus"),
		UNREADABLE("class=eth"),
		UNKNOWN("net_null"),
		UNKNOWN("net_null00"),
	};

	PORT_FIXTURE_ROWS(rows);
	card = true;
	port_fixture_says("show device info net_null0",
		DEVICE "\tDevice speed capability: Disable autonegotiate (fixed speed)  "
		       " 10 Mbps half-duplex   100 Gbps  \n",
		NULL);
	card = false;
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
