/* The device behind a port as a card would answer, which no embedded driver does: EEPROM, lamp,
 * error correction, representors, queues; what is asked of it, shown, refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/device/port_device.h"

#include "base/base.h"
#include "base/err.h"
#include "features/offload/port_mac.h"
#include "features/offload/port_ptypes.h"
#include "features/offload/port_vlan.h"
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"
#include "port/port_queue.h"

#include <rte_dev_info.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_mbuf_dyn.h>

#include <errno.h>
#include <string.h>

/* The card: what it was told, and what every function of it returns. */
static struct {
	int ret;
	uint8_t eeprom[4];
	uint32_t magic, rate, freed;
	uint16_t tpid, pvid, queue;
	uint8_t map, thresh;
	bool led, uta;
} card;

int
rte_eth_dev_get_eeprom_length(uint16_t id)
{
	return card.ret != 0 ? card.ret : (int)sizeof(card.eeprom);
}

int
rte_eth_dev_get_eeprom(uint16_t id, struct rte_dev_eeprom_info *info)
{
	memcpy(info->data, card.eeprom, info->length);
	return card.ret;
}

int
rte_eth_dev_set_eeprom(uint16_t id, struct rte_dev_eeprom_info *info)
{
	card.magic = info->magic;
	memcpy(card.eeprom + info->offset, info->data, info->length);
	return card.ret;
}

int
rte_eth_dev_get_module_info(uint16_t id, struct rte_eth_dev_module_info *info)
{
	info->eeprom_len = 2;
	return card.ret;
}

int
rte_eth_dev_get_module_eeprom(uint16_t id, struct rte_dev_eeprom_info *info)
{
	memset(info->data, 0x41, info->length);
	return card.ret;
}

int
rte_eth_led_on(uint16_t id)
{
	card.led = true;
	return card.ret;
}

int
rte_eth_led_off(uint16_t id)
{
	card.led = false;
	return card.ret;
}

int
rte_eth_set_queue_rate_limit(uint16_t id, uint16_t queue, uint32_t rate)
{
	card.queue = queue;
	card.rate = rate;
	return card.ret;
}

int
rte_eth_rx_avail_thresh_set(uint16_t id, uint16_t queue, uint8_t percent)
{
	card.thresh = percent;
	return card.ret;
}

int
rte_eth_tx_queue_info_get(uint16_t id, uint16_t queue, struct rte_eth_txq_info *info)
{
	memset(info, 0, sizeof(*info));
	info->queue_state = queue == 0 ? RTE_ETH_QUEUE_STATE_STARTED : RTE_ETH_QUEUE_STATE_STOPPED;
	return card.ret;
}

int
rte_eth_tx_done_cleanup(uint16_t id, uint16_t queue, uint32_t n)
{
	card.freed = n;
	return card.ret != 0 ? card.ret : 3;
}

int
rte_eth_dev_set_vlan_ether_type(uint16_t id, enum rte_vlan_type type, uint16_t tpid)
{
	card.tpid = type == RTE_ETH_VLAN_TYPE_OUTER ? tpid : 0;
	return card.ret;
}

int
rte_eth_dev_set_vlan_pvid(uint16_t id, uint16_t pvid, int on)
{
	card.pvid = on ? pvid : 0;
	return card.ret;
}

int
rte_eth_dev_uc_all_hash_table_set(uint16_t id, uint8_t on)
{
	card.uta = on;
	return card.ret;
}

int
rte_eth_dev_get_supported_ptypes(uint16_t id, uint32_t mask, uint32_t *ptypes, int n)
{
	return card.ret != 0 ? card.ret : 2;
}

int
rte_eth_dev_set_ptypes(uint16_t id, uint32_t mask, uint32_t *ptypes, unsigned int n)
{
	ptypes[0] = RTE_PTYPE_L2_ETHER;
	ptypes[1] = RTE_PTYPE_UNKNOWN;
	return card.ret;
}

int
rte_eth_representor_info_get(uint16_t id, struct rte_eth_representor_info *info)
{
	static const struct rte_eth_representor_range ranges[] = {
		{ RTE_ETH_REPRESENTOR_VF, 0, 0, { 2 }, 10, 13, "vf" },
		{ RTE_ETH_REPRESENTOR_SF, 0, 1, { 7 }, 20, 20, "sf" },
		{ RTE_ETH_REPRESENTOR_PF, 0, 1, { 0 }, 30, 30, "pf" },
	};

	if (card.ret != 0 || info == NULL)
		return card.ret != 0 ? card.ret : (int)ARRAY_SIZE(ranges);
	info->controller = 1;
	info->pf = 2;
	info->nb_ranges = ARRAY_SIZE(ranges);
	memcpy(info->ranges, ranges, sizeof(ranges));
	return (int)ARRAY_SIZE(ranges);
}

static int
eeprom(struct ports *ps, uint16_t id, struct err *e)
{
	return port_eeprom_show(ps, port_fixture_args("port=%u what=eeprom", id), e);
}

static int
module(struct ports *ps, uint16_t id, struct err *e)
{
	return port_eeprom_show(ps, port_fixture_args("port=%u what=module_eeprom", id), e);
}

/* What follows the address that testpmd prints, too. */
static const char *
behind(const char *text, const char *from)
{
	const char *at = strstr(text, from);

	assert_non_null(at);
	return at;
}

TEST(eeprom_shown)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	memcpy(card.eeprom, "AB\x01\xff", 4);
	assert_int_equal(eeprom(&b->ports, 0, &e), 0);
	assert_string_equal(behind(out_check_results(&b->printed), ", len"),
		", len=4\n"
		"00000000: 41 42 01 FF                                     | AB..\n"
		"Finish -- Port: 0 EEPROM length: 4 bytes\n");
	assert_int_equal(module(&b->ports, 0, &e), 0);
	assert_string_equal(behind(out_check_results(&b->printed), "Finish"),
		"Finish -- Port: 0 MODULE EEPROM length: 2 bytes\n");
	out_format_set(b->out, OUT_JSON);
	out_begin(b->out, "x");
	assert_int_equal(eeprom(&b->ports, 0, &e), 0);
	out_end(b->out, &e, NULL);
	out_format_set(b->out, OUT_TEXT);
	assert_string_equal(out_check_results(&b->printed),
		"{\"command\": \"x\", \"ok\": true, \"port\": 0, \"length\": 4, \"eeprom\": \"414201FF\"}\n");
	card.ret = -EIO;
	assert_int_equal(eeprom(&b->ports, 0, &e), -EIO);
	assert_string_equal(e.text, "device is removed");
	card.ret = -EBUSY;
	assert_int_equal(module(&b->ports, 0, &e), -EBUSY);
	assert_string_equal(e.text, "Unable to get module EEPROM: -16");
}

TEST(eeprom_written)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	memset(card.eeprom, 0, sizeof(card.eeprom));
	assert_int_equal(ON_PORTS(port_eeprom_set, "port=0 magic=77 value=0aFf offset=2"), 0);
	assert_int_equal(card.magic, 77);
	assert_memory_equal(card.eeprom, "\0\0\x0a\xff", 4);
	assert_int_equal(ON_PORTS(port_eeprom_set, "port=0 magic=1 value=0aff offset=3"), -ERANGE);
	assert_string_equal(e.text, "offset and length exceed capabilities of EEPROM length: 4");
	assert_int_equal(ON_PORTS(port_eeprom_set, "port=0 magic=1 value=00 offset=%u", UINT32_MAX),
		-ERANGE);
	assert_int_equal(ON_PORTS(port_eeprom_set, "port=0 magic=1 value=0af offset=0"), -EINVAL);
	assert_int_equal(ON_PORTS(port_eeprom_set, "port=0 magic=1 value=0g offset=0"), -EINVAL);
	assert_string_equal(e.text,
		"Bad Argument: 0g: expected hexadecimal digits, two per byte, such as 0aff");
	assert_int_equal(ON_PORTS(port_eeprom_set, "port=9 magic=1 value=00 offset=0"), -ENODEV);
	assert_memory_equal(card.eeprom, "\0\0\x0a\xff", 4);
	card.ret = -EACCES;
	assert_int_equal(ON_PORTS(port_eeprom_set, "port=0 magic=1 value=00 offset=0"), -EACCES);
	assert_string_equal(e.text, "Unable to get EEPROM length: Permission denied");
	out_check_results(&b->printed);
}

TEST(switches)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	assert_int_equal(ON_PORTS(port_link_led, "port=0 state=on"), 0);
	assert_true(card.led);
	assert_int_equal(ON_PORTS(port_link_led, "port=0 state=off"), 0);
	assert_false(card.led);
	assert_int_equal(ON_PORTS(port_vlan_tpid, "port=0 which=outer tpid=0x88a8"), 0);
	assert_int_equal(card.tpid, 0x88a8);
	assert_int_equal(ON_PORTS(port_vlan_pvid, "port=0 vlan=5 state=on"), 0);
	assert_int_equal(card.pvid, 5);
	assert_int_equal(ON_PORTS(port_mac_hash, "port=0 state=on"), 0);
	assert_true(card.uta);
	assert_int_equal(ON_PORTS(port_link_loopback, "port=0 mode=1"), -EBUSY);
	assert_string_equal(e.text, "Please stop port 0 first");
	assert_int_equal(ON_PORTS(port_link_loopback, "port=%u mode=1", PORT_ALL), -EBUSY);
	assert_string_equal(e.text, "Please stop all ports first: use \"port stop all\"");
	card.ret = -EIO;
	assert_int_equal(ON_PORTS(port_link_led, "port=0 state=on"), -EIO);
	assert_string_equal(e.text,
		"Error: Unable to change LED state for port 0: Input/output error");
	assert_int_equal(ON_PORTS(port_link_led, "port=9 state=on"), -ENODEV);
}

TEST(queues)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	assert_int_equal(ON_PORTS(port_queue_rate, "port=0 queue=0 mbps=2500"), 0);
	assert_int_equal(card.rate, 2500);
	assert_int_equal(ON_PORTS(port_queue_rate, "port=0 queue=0 mbps=10001"), -ERANGE);
	assert_string_equal(e.text, "Invalid rate value:10001 bigger than link speed: 10000");
	assert_int_equal(ON_PORTS(port_queue_avail_thresh, "port=0 queue=0 percent=30"), 0);
	assert_int_equal(card.thresh, 30);
	assert_int_equal(ON_PORTS(port_queue_cleanup, "port=0 queue=0 n=8"), 0);
	assert_int_equal(card.freed, 8);
	assert_string_equal(out_check_results(&b->printed),
		"Cleanup port 0 Tx queue 0 mbuf nums: 3\n");
	assert_int_equal(ON_PORTS(port_queue_cleanup, "port=0 queue=1 n=8"), -EINVAL);
	assert_string_equal(e.text, "Tx queue 1 not started");
	b->ports.forwarding = true;
	assert_int_equal(ON_PORTS(port_queue_cleanup, "port=0 queue=0 n=8"), -EBUSY);
	b->ports.forwarding = false;
}

TEST(ptypes)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	assert_int_equal(ON_PORTS(port_ptypes_set, "port=0 mask=%u", RTE_PTYPE_L2_MASK), 0);
	assert_string_equal(out_check_results(&b->printed),
		"Successfully set following ptypes for Port 0\nL2_ETHER \n");
	assert_true(b->ports.port[0].ptypes_kept);
	b->ports.port[0].ptypes_kept = false;
	card.ret = -ENOTSUP;
	assert_int_equal(ON_PORTS(port_ptypes_set, "port=0 mask=0"), -ENOTSUP);
	assert_string_equal(e.text, "Port 0 doesn't support any ptypes.");
	assert_false(b->ports.port[0].ptypes_kept);
}

TEST(representors)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	assert_int_equal(port_representor_show(&b->ports, 0, &e), 0);
	assert_string_equal(out_check_results(&b->printed),
		"Port controller: 1\nPort PF: 2\nRanges: 3\n"
		"1. 'vf' [10-13]: Controller 0, PF 0, VF 2..5\n"
		"2. 'sf' [20]: Controller 0, PF 1, SF 7\n"
		"3. 'pf' [30]: Controller 0, PF 1\n");
	assert_int_equal(port_representor_show(&b->ports, 9, &e), -ENODEV);
	assert_string_equal(e.text, "Invalid port id 9: expected 0");
}

/* What a packet carries that was sent through port 0. */
static struct rte_mbuf *
sent(struct port_fixture *b)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(b->pool);

	assert_non_null(m);
	rte_mbuf_refcnt_set(m, 2); /* net_null frees it, and it is still ours */
	assert_int_equal(rte_eth_tx_burst(0, 0, &m, 1), 1);
	return m;
}

TEST(marks)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };
	struct rte_mbuf *m;
	uint64_t flag;
	int bit;

	assert_int_equal(ON_PORTS(port_tx_mark_metadata, "port=0 value=7"), 0);
	assert_int_equal(ON_PORTS(port_tx_mark_flag, "port=0 flag=zcfwd_test_flag what=set"), 0);
	bit = rte_mbuf_dynflag_lookup("zcfwd_test_flag", NULL);
	assert_true(bit > 0);
	flag = RTE_BIT64(bit);
	m = sent(b);
	assert_int_equal(*RTE_FLOW_DYNF_METADATA(m), 7);
	assert_int_equal(m->ol_flags, flag | RTE_MBUF_DYNFLAG_TX_METADATA);
	rte_pktmbuf_free(m);
	assert_int_equal(port_tx_mark_metadata_show(&b->ports, 0, &e), 0);
	assert_string_equal(out_check_results(&b->printed), "Port 0 tx_metadata: 7\n");
	assert_int_equal(ON_PORTS(port_tx_mark_metadata, "port=0 value=0"), 0);
	m = sent(b);
	assert_int_equal(m->ol_flags, flag);
	rte_pktmbuf_free(m);
	assert_int_equal(ON_PORTS(port_tx_mark_flag, "port=0 flag=zcfwd_test_flag what=clear"), 0);
	m = sent(b);
	assert_int_equal(m->ol_flags, 0);
	rte_pktmbuf_free(m);
	assert_int_equal(
		ON_PORTS(port_tx_mark_flag,
			"port=0 flag=a_name_that_is_so_long_that_no_dynamic_flag_of_an_mbuf_can_have_it what=set"),
		-ENAMETOOLONG);
	assert_int_equal(ON_PORTS(port_tx_mark_metadata, "port=9 value=7"), -ENODEV);
}

static int
calm(void **state)
{
	struct port_fixture *b = *state;

	card.ret = 0;
	out_check_results(&b->printed);
	return 0;
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown, .before = calm);
