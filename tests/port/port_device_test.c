/* The device behind a port as a card would answer, which no embedded driver does: EEPROM, lamp,
 * error correction, representors, queues; what is asked of it, shown, refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/device/port_device.h"

#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"
#include "memory/pool.h"

#include <rte_dev_info.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_mbuf_dyn.h>

#include <errno.h>
#include <string.h>

static uint8_t eeprom[4] = { 'A', 'B', 1, 0xff };

int
rte_eth_dev_get_eeprom_length(uint16_t id)
{
	return port_fixture_card != 0 ? port_fixture_card : (int)sizeof(eeprom);
}

int
rte_eth_dev_get_eeprom(uint16_t id, struct rte_dev_eeprom_info *info)
{
	memcpy(info->data, eeprom, info->length);
	return port_fixture_card;
}

int
rte_eth_dev_set_eeprom(uint16_t id, struct rte_dev_eeprom_info *info)
{
	memcpy(eeprom + info->offset, info->data, info->length);
	return port_fixture_tell("magic %u", info->magic);
}

int
rte_eth_dev_get_module_info(uint16_t id, struct rte_eth_dev_module_info *info)
{
	info->eeprom_len = 2;
	return port_fixture_card;
}

int
rte_eth_dev_get_module_eeprom(uint16_t id, struct rte_dev_eeprom_info *info)
{
	memset(info->data, 0x41, info->length);
	return port_fixture_card;
}

PORT_FIXTURE_TELLS(rte_eth_led_on, (uint16_t id), "on")
PORT_FIXTURE_TELLS(rte_eth_led_off, (uint16_t id), "off")
PORT_FIXTURE_TELLS(rte_eth_set_queue_rate_limit, (uint16_t id, uint16_t queue, uint32_t rate),
	"%u: %u", queue, rate)
PORT_FIXTURE_TELLS(rte_eth_rx_avail_thresh_set, (uint16_t id, uint16_t queue, uint8_t percent),
	"%u: %u", queue, percent)

int
rte_eth_tx_queue_info_get(uint16_t id, uint16_t queue, struct rte_eth_txq_info *info)
{
	memset(info, 0, sizeof(*info));
	info->queue_state = queue == 0 ? RTE_ETH_QUEUE_STATE_STARTED : RTE_ETH_QUEUE_STATE_STOPPED;
	return port_fixture_card;
}

int
rte_eth_tx_done_cleanup(uint16_t id, uint16_t queue, uint32_t n)
{
	return port_fixture_tell("%u: %u", queue, n) != 0 ? port_fixture_card : 3;
}

int
rte_eth_dev_set_vlan_ether_type(uint16_t id, enum rte_vlan_type type, uint16_t tpid)
{
	return port_fixture_tell("%s %#x", type == RTE_ETH_VLAN_TYPE_OUTER ? "outer" : "inner",
		tpid);
}

PORT_FIXTURE_TELLS(rte_eth_dev_set_vlan_pvid, (uint16_t id, uint16_t pvid, int on), "%u %d", pvid,
	on)
PORT_FIXTURE_TELLS(rte_eth_dev_uc_all_hash_table_set, (uint16_t id, uint8_t on), "all %u", on)

int
rte_eth_dev_get_supported_ptypes(uint16_t id, uint32_t mask, uint32_t *ptypes, int n)
{
	return port_fixture_card != 0 ? port_fixture_card : 2;
}

int
rte_eth_dev_set_ptypes(uint16_t id, uint32_t mask, uint32_t *ptypes, unsigned int n)
{
	if (n > 1) {
		ptypes[0] = RTE_PTYPE_L2_ETHER;
		ptypes[1] = RTE_PTYPE_UNKNOWN;
	}
	return port_fixture_tell("%#x", mask);
}

int
rte_eth_representor_info_get(uint16_t id, struct rte_eth_representor_info *info)
{
	static const struct rte_eth_representor_range ranges[] = {
		{ RTE_ETH_REPRESENTOR_VF, 0, 0, { 2 }, 10, 13, "vf" },
		{ RTE_ETH_REPRESENTOR_SF, 0, 1, { 7 }, 20, 20, "sf" },
		{ RTE_ETH_REPRESENTOR_PF, 0, 1, { 0 }, 30, 30, "pf" },
	};

	if (port_fixture_card != 0 || info == NULL)
		return port_fixture_card != 0 ? port_fixture_card : (int)ARRAY_SIZE(ranges);
	info->controller = 1;
	info->pf = 2;
	info->nb_ranges = ARRAY_SIZE(ranges);
	memcpy(info->ranges, ranges, sizeof(ranges));
	return (int)ARRAY_SIZE(ranges);
}

#define NO_PORT "Invalid port 9: expected 0\n"
#define WRITE(arguments) "set port 0 eeprom accept_risk magic " arguments

static const struct port_fixture_row answers[] = {
	{ "show port 0 eeprom", NULL, "device is removed\n", "EIO", .card = -EIO },
	{ "show port 0 module_eeprom", NULL, "Unable to get module EEPROM: -16\n", "EBUSY",
		.card = -EBUSY },
	{ WRITE("77 value 0aFf offset 2"), .told = "magic 77" },
	{ WRITE("1 value 0aff offset 3"), NULL,
		"offset and length exceed capabilities of EEPROM length: 4\n", "ERANGE", "" },
	{ WRITE("1 value 00 offset 4294967295"), NULL,
		"offset and length exceed capabilities of EEPROM length: 4\n", "ERANGE", "" },
	{ WRITE("1 value 0af offset 0"), NULL,
		"Bad Argument: 0af: expected hexadecimal digits, two per byte, such as 0aff\n",
		"EINVAL", "" },
	{ WRITE("1 value 0g offset 0"), NULL,
		"Bad Argument: 0g: expected hexadecimal digits, two per byte, such as 0aff\n",
		"EINVAL", "" },
	{ "set port 9 eeprom accept_risk magic 1 value 00 offset 0",
		"The valid ports array is [ 0 ]\n", "Invalid port 9\n", "ENODEV", "" },
	{ WRITE("1 value 00 offset 0"), NULL, "Unable to get EEPROM length: Permission denied\n",
		"EACCES", "", -EACCES },
	{ "set port 0 led on", .told = "on" },
	{ "set port 0 led off", .told = "off" },
	{ "set port 0 led on", NULL,
		"Error: Unable to change LED state for port 0: Input/output error\n", "EIO",
		.card = -EIO },
	{ "set port 9 led on", NULL, "Error: Invalid port number 9: expected 0\n", "ENODEV", "" },
	{ "vlan set outer tpid 0x88a8 0", .told = "outer 0x88a8" },
	{ "tx_vlan set pvid 0 5 on", .told = "5 1" },
	{ "set port 0 uta all on", .told = "all 1" },
	{ "port config 0 loopback 1", NULL, "Please stop port 0 first\n", "EBUSY" },
	{ "port config all loopback 1", NULL,
		"Please stop all ports first: use \"port stop all\"\n", "EBUSY" },
	{ "set port 0 queue 0 rate 2500", .told = "0: 2500" },
	{ "set port 0 queue 0 rate 10001", NULL,
		"Invalid rate value:10001 bigger than link speed: 10000\n", "ERANGE", "" },
	{ "set port 0 rxq 0 avail_thresh 30", .told = "0: 30" },
	{ "port cleanup 0 txq 0 8", "Cleanup port 0 Tx queue 0 mbuf nums: 3\n", .told = "0: 8" },
	{ "port cleanup 0 txq 1 8", NULL, "Tx queue 1 not started\n", "EINVAL", "" },
	{ "show port info 0 representor",
		"Port controller: 1\nPort PF: 2\nRanges: 3\n"
		"1. 'vf' [10-13]: Controller 0, PF 0, VF 2..5\n"
		"2. 'sf' [20]: Controller 0, PF 1, SF 7\n"
		"3. 'pf' [30]: Controller 0, PF 1\n" },
	{ "show port info 9 representor", NULL, "Invalid port id 9: expected 0\n", "ENODEV" },
};

/* An address stands before the answers in text. */
TEST(told)
{
	const char *json = "{\"command\": \"show port 0 eeprom\", \"ok\": true, \"port\": 0, "
			   "\"length\": 4, \"eeprom\": \"%s\"}\n";
	char expected[128];

	assert_string_equal(strstr(port_fixture_text("show port 0 eeprom"), ", len"),
		", len=4\n"
		"00000000: 41 42 01 FF                                     | AB..\n"
		"Finish -- Port: 0 EEPROM length: 4 bytes\n");
	assert_string_equal(strstr(port_fixture_text("show port 0 module_eeprom"), "Finish"),
		"Finish -- Port: 0 MODULE EEPROM length: 2 bytes\n");
	PORT_FIXTURE_ROWS(answers);
	snprintf(expected, sizeof(expected), json, "41420AFF");
	assert_string_equal(port_fixture_json("show port 0 eeprom"), expected);
}

TEST(forwarding)
{
	struct app *app = *state;

	app->ports.forwarding = true;
	port_fixture_says("port cleanup 0 txq 0 8", NULL, "Please stop forwarding first\n");
	app->ports.forwarding = false;
}

TEST(ptypes)
{
	struct port *p = &((struct app *)*state)->ports.port[0];

	port_fixture_says("set port 0 ptype_mask 15",
		"Successfully set following ptypes for Port 0\nL2_ETHER \n", NULL);
	assert_true(p->ptypes_kept);
	p->ptypes_kept = false;
	port_fixture_card = -ENOTSUP;
	port_fixture_says("set port 0 ptype_mask 0", NULL, "Port 0 doesn't support any ptypes.\n");
	assert_false(p->ptypes_kept);
}

/* What a packet carries that was sent through port 0: dynamic flags, and metadata with its flag. */
static void
sent(struct app *app, uint64_t flags, uint32_t metadata)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool_for(&app->pools, 0, 0));

	assert_non_null(m);
	rte_mbuf_refcnt_set(m, 2); /* net_null frees it, and it is still ours */
	assert_int_equal(rte_eth_tx_burst(0, 0, &m, 1), 1);
	assert_int_equal(m->ol_flags, flags | (metadata != 0 ? RTE_MBUF_DYNFLAG_TX_METADATA : 0));
	if (metadata != 0)
		assert_int_equal(*RTE_FLOW_DYNF_METADATA(m), metadata);
	rte_pktmbuf_free(m);
}

TEST(marks)
{
	static const struct port_fixture_row rows[] = {
		{ "port config 0 tx_metadata 7" },
		{ "show port 0 tx_metadata", "Port 0 tx_metadata: 7\n" },
		{ "port config 0 dynf zcfwd_test_flag set" },
		{ "port config 9 tx_metadata 7", NULL, NO_PORT, "ENODEV" },
	};
	int bit;

	PORT_FIXTURE_ROWS(rows);
	bit = rte_mbuf_dynflag_lookup("zcfwd_test_flag", NULL);
	assert_true(bit > 0);
	sent(*state, RTE_BIT64(bit), 7);
	port_fixture_says("port config 0 tx_metadata 0", NULL, NULL);
	sent(*state, RTE_BIT64(bit), 0);
	port_fixture_says("port config 0 dynf zcfwd_test_flag clear", NULL, NULL);
	sent(*state, 0, 0);
	port_fixture_says(
		"port config 0 dynf a_name_that_is_so_long_that_no_dynamic_flag_of_an_mbuf_can_have_it set",
		NULL,
		"Flag name too long: a_name_that_is_so_long_that_no_dynamic_flag_of_an_mbuf_can_have_it: expected at most 63 bytes\n");
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
