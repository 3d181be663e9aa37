/* What MODEL_NIC and its like may say, and what is answered to the rest. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710.h"

#include <stdlib.h>
#include <string.h>

const struct model_family model_xl710 = { .name = "xl710", .queues_max = 16 };
const struct model_family model_82599 = { .name = "82599", .queues_max = 16 };
const struct model_family model_x540 = { .name = "x540", .queues_max = 8 };
static const struct model_family *const families[] = { &model_xl710, &model_82599, &model_x540,
	NULL };

static struct model_config config;
static char why[256];

static int
parse_all(const char *devices, const char *mode, const char *cpu, const char *log,
	const char *report)
{
	const struct config_words words = { families, devices, "MODEL_NIC: ", mode, cpu, log,
		report };

	memset(why, 0, sizeof(why));
	return config_parse(&words, &config, why, sizeof(why));
}

static int
parse(const char *devices)
{
	return parse_all(devices, NULL, NULL, NULL, NULL);
}

/* A device that is understood, and what it comes to. */
static const struct port_config *
one(const char *device)
{
	if (parse(device) != 0)
		fail_msg("%s: %s", device, why);
	assert_int_equal(config.ports, 1);
	return &config.port[0];
}

TEST(nothing_is_no_device)
{
	assert_int_equal(parse(NULL), 0);
	assert_int_equal(config.ports, 0);
	assert_int_equal(parse(""), 0);
	assert_int_equal(config.ports, 0);
}

TEST(a_device_has_defaults)
{
	static const uint8_t mac[6] = { 0x02, 'M', 'N', 0, 0, 0 };
	const struct port_config *p = one("82599");

	assert_ptr_equal(p->family, &model_82599);
	assert_int_equal(p->source, SOURCE_GEN);
	assert_string_equal(p->tx_pcap, "");
	assert_int_equal(p->size_min, 60);
	assert_int_equal(p->size_max, 60);
	assert_int_equal(p->mix[0].weight, 0);
	assert_int_equal(p->flows, 1);
	assert_int_equal(p->count, 0);
	assert_int_equal(p->rate_pps, 0);
	assert_int_equal(p->burst_max, 0);
	assert_int_equal(p->queues, 16);
	assert_false(p->verify);
	assert_int_equal(p->vlan, 0);
	assert_int_equal(p->bad_l3 | p->bad_l4 | p->error, 0);
	assert_int_equal(p->faults, 0);
	assert_memory_equal(p->mac, mac, 6);
	assert_false(config.step);
	assert_int_equal(config.cpu, -1);
	assert_int_equal(config.log, 0);
	assert_string_equal(config.report, "");
}

TEST(sources)
{
	assert_int_equal(one("xl710,rx=gen")->source, SOURCE_GEN);
	assert_int_equal(one("xl710,rx=copy")->source, SOURCE_COPY);
	assert_int_equal(one("xl710,rx=loop")->source, SOURCE_LOOP);
	assert_int_equal(one("xl710,rx=none")->source, SOURCE_NONE);
	assert_int_equal(one("xl710,rx=pcap:a")->source, SOURCE_PCAP);
}

TEST(pcap_files)
{
	const struct port_config *p = one("xl710,rx=pcap:/a/b.pcap,tx=pcap:c:1.pcap");

	assert_string_equal(p->rx_pcap, "/a/b.pcap");
	assert_int_equal(p->pcap_loops, 1);
	assert_string_equal(p->tx_pcap, "c:1.pcap");
	p = one("xl710,rx=pcap:a:b.pcap:7");
	assert_string_equal(p->rx_pcap, "a:b.pcap");
	assert_int_equal(p->pcap_loops, 7);
	assert_int_equal(one("xl710,rx=pcap:a:0")->pcap_loops, 0);
	assert_string_equal(one("xl710,rx=pcap:a:b")->rx_pcap, "a:b");
	assert_string_equal(one("xl710,tx=sink")->tx_pcap, "");
}

/* A file whose name begins with @ has its folder before it. */
TEST(interfaces)
{
	const struct port_config *p = one("xl710,rx=pcap:@123456789012345,tx=pcap:@b.5");

	assert_int_equal(p->source, SOURCE_LIVE);
	assert_string_equal(p->rx_live, "123456789012345");
	assert_string_equal(p->tx_live, "b.5");
	assert_string_equal(p->rx_pcap, "");
	assert_string_equal(p->tx_pcap, "");
	p = one("xl710,rx=pcap:./@a:2,tx=pcap:./@b");
	assert_int_equal(p->source, SOURCE_PCAP);
	assert_string_equal(p->rx_pcap, "./@a");
	assert_string_equal(p->tx_pcap, "./@b");
	assert_string_equal(p->tx_live, "");
}

TEST(sizes)
{
	const struct port_config *p = one("xl710,size=64");

	assert_int_equal(p->size_min, 64);
	assert_int_equal(p->size_max, 64);
	p = one("xl710,size=60-9724");
	assert_int_equal(p->size_min, 60);
	assert_int_equal(p->size_max, 9724);
	p = one("xl710,size=imix");
	assert_int_equal(p->mix[0].bytes, 60);
	assert_int_equal(p->mix[0].weight, 7);
	assert_int_equal(p->mix[2].bytes, 1514);
	assert_int_equal(p->mix[3].weight, 0);
}

TEST(numbers)
{
	const struct port_config *p = one("xl710,flows=65536,count=18446744073709551615,rate=9,"
					  "queues=2,vlan=4094,badl3=1,badl4=2,error=4294967295");

	assert_int_equal(p->flows, 1 << 16);
	assert_true(p->count == UINT64_MAX);
	assert_int_equal(p->rate_pps, 9);
	assert_int_equal(p->queues, 2);
	assert_int_equal(p->vlan, 4094);
	assert_int_equal(p->bad_l3, 1);
	assert_int_equal(p->bad_l4, 2);
	assert_true(p->error == UINT32_MAX);
}

TEST(bursts)
{
	const struct port_config *p = one("xl710,burst=32,rate=5000000");

	assert_int_equal(p->burst_min, 32);
	assert_int_equal(p->burst_max, 32);
	assert_false(p->gap_random);
	assert_int_equal(p->line_pps, 14880952); /* 60 bytes at 10 Gbit/s */
	assert_int_equal(p->seed, 0);
	p = one("xl710,seed=4294967295,line=40G,burst=1-65536,gap=random,rate=1,size=1514");
	assert_int_equal(p->burst_min, 1);
	assert_int_equal(p->burst_max, 65536);
	assert_true(p->gap_random);
	assert_int_equal(p->line_pps, 3250975);
	assert_true(p->seed == UINT32_MAX);
	assert_int_equal(one("xl710,burst=1,rate=1,line=10")->line_pps, 10);
	/* (7 * 60 + 4 * 590 + 1514) / 12 = 357 bytes */
	assert_int_equal(one("xl710,burst=1,rate=1,size=imix,rx=copy")->line_pps, 3280839);
	assert_false(one("xl710,burst=1,rate=1,gap=steady,line=1G")->gap_random);
}

TEST(verify_and_address)
{
	static const uint8_t mac[6] = { 0, 0x1b, 0x21, 0xaa, 0xBB, 9 };
	const struct port_config *p = one("xl710,verify,mac=00:1b:21:aa:BB:09");

	assert_true(p->verify);
	assert_memory_equal(p->mac, mac, 6);
}

TEST(faults)
{
	const struct port_config *p = one("xl710,fault=link down 100@5000,fault=stall tx 50@0");

	assert_int_equal(p->faults, 2);
	assert_string_equal(p->fault[0].words, "link down 100");
	assert_int_equal(p->fault[0].after_packets, 5000);
	assert_string_equal(p->fault[1].words, "stall tx 50");
	assert_int_equal(p->fault[1].after_packets, 0);
}

TEST(the_other_variables)
{
	assert_int_equal(parse_all("xl710", "step", "3", "2", "/r.json"), 0);
	assert_true(config.step);
	assert_int_equal(config.cpu, 3);
	assert_int_equal(config.log, 2);
	assert_string_equal(config.report, "/r.json");
	assert_int_equal(parse_all("xl710", "thread", "0", "0", NULL), 0);
	assert_false(config.step);
}

#define REPEAT(x) x x x x x x x x

/* Each is refused with the bad word and what was wanted. A flat table. */
TEST(bad_devices)
{
	static const struct {
		const char *devices, *word, *want;
	} rows[] = {
		{ "foo", "\"foo\"", "xl710, 82599 or x540" },
		{ "XL710", "\"XL710\"", "xl710" },
		{ ";", "\"\"", "xl710" },
		{ "xl710;", "\"\"", "xl710" },
		{ ",rx=gen", "\"\"", "xl710" },
		{ "xl710,", "\"\"", "unknown word" },
		{ "xl710,colour=red", "\"colour=red\"", "rx=, tx=" },
		{ "xl710,verify=1", "\"verify=1\"", "unknown word" },
		{ "xl710,rx", "\"rx\"", "expected rx=gen" },
		{ "xl710,rx=", "\"rx=\"", "expected gen, copy" },
		{ "xl710,rx=fast", "\"rx=fast\"", "expected gen, copy" },
		{ "xl710,rx=pcap", "\"rx=pcap\"", "pcap:FILE" },
		{ "xl710,rx=pcap:", "\"rx=pcap:\"", "pcap:FILE" },
		{ "xl710,rx=pcap:@", "\"rx=pcap:@\"", "pcap:@INTERFACE" },
		{ "xl710,rx=pcap:@a:1", "\"rx=pcap:@a:1\"", "pcap:@INTERFACE" },
		{ "xl710,rx=pcap:@a/b", "\"rx=pcap:@a/b\"", "pcap:@INTERFACE" },
		{ "xl710,rx=pcap:@1234567890123456", "\"rx=pcap:@1234", "pcap:@INTERFACE" },
		{ "xl710,rx=pcap:@a,rate=5", "\"rate=5\"", "rx=pcap:@a" },
		{ "xl710,rx=pcap:@a,burst=5", "\"burst=5\"", "rx=gen or rx=copy" },
		{ "xl710,rx=pcap:@a,loss=5", "port 0", "need rx=wire:PORT" },
		{ "xl710,filter", "\"filter\"", "rx=pcap:FILE" },
		{ "xl710,filter,rx=pcap:@a", "\"filter\"", "rx=pcap:FILE" },
		{ "x540,filter,rx=pcap:a", "\"filter\"", "expected xl710" },
		{ "xl710,rx=wire:", "\"rx=wire:\"", "wire:PORT" },
		{ "xl710,rx=wire:x", "\"rx=wire:x\"", "wire:PORT" },
		{ "xl710,rx=wire:32", "\"rx=wire:32\"", "wire:PORT" },
		{ "xl710,rx=wire:1", "\"rx=wire:1\"", "expected 0..0" },
		{ "xl710,rx=wire:0", "\"rx=wire:0\"", "rx=loop" },
		{ "xl710,rx=loop;x540,rx=wire:0", "port 1", "port 0 already receives" },
		{ "xl710;xl710,rx=wire:0*2", "port 2", "port 0" },
		{ "xl710,tx=drop", "\"tx=drop\"", "sink, pcap:FILE or pcap:@INTERFACE" },
		{ "xl710,tx=pcap:@", "\"tx=pcap:@\"", "pcap:@INTERFACE" },
		{ "xl710,tx=pcap:", "\"tx=pcap:\"", "sink, pcap:FILE or pcap:@INTERFACE" },
		{ "xl710,size=59", "\"size=59\"", "60..9724" },
		{ "xl710,size=9725", "\"size=9725\"", "60..9724" },
		{ "xl710,size=64-63", "\"size=64-63\"", "MIN-MAX" },
		{ "xl710,size=64-", "\"size=64-\"", "MIN-MAX" },
		{ "xl710,size=-64", "\"size=-64\"", "MIN-MAX" },
		{ "xl710,size=64b", "\"size=64b\"", "60..9724" },
		{ "xl710,size=IMIX", "\"size=IMIX\"", "imix" },
		{ "xl710,flows=0", "\"flows=0\"", "1..65536" },
		{ "xl710,flows=65537", "\"flows=65537\"", "1..65536" },
		{ "xl710,count=", "\"count=\"", "packets" },
		{ "xl710,count=-1", "\"count=-1\"", "packets" },
		{ "xl710,count=18446744073709551616", "\"count=", "packets" },
		{ "xl710,rate=1e6", "\"rate=1e6\"", "per second" },
		{ "xl710,burst=0,rate=9", "\"burst=0\"", "1..65536" },
		{ "xl710,burst=9-8,rate=9", "\"burst=9-8\"", "MIN-MAX" },
		{ "xl710,burst=9-65537,rate=9", "\"burst=9-65537\"", "MIN-MAX" },
		{ "xl710,burst=9,rate=9,gap=often", "\"gap=often\"", "steady or random" },
		{ "xl710,burst=9,rate=9,line=0", "\"line=0\"", "1..1000000000" },
		{ "xl710,burst=9,rate=9,line=G", "\"line=G\"", "1G..400G" },
		{ "xl710,burst=9,rate=9,line=401G", "\"line=401G\"", "1G..400G" },
		{ "xl710,burst=9,rate=9,line=0000000001G", "\"line=0", "1G..400G" },
		{ "xl710,burst=9,rate=9,seed=-1", "\"seed=-1\"", "0..4294967295" },
		{ "xl710,burst=9", "\"rate=0\"", "mean rate below 14880952 packets" },
		{ "xl710,burst=9,rate=14880952", "\"rate=14880952\"", "below 14880952" },
		{ "xl710,burst=9,rate=9,rx=none", "\"burst=9\"", "rx=gen or rx=copy" },
		{ "xl710,rate=9,gap=random", "port 0", "need burst=" },
		{ "xl710;xl710,line=10G", "port 1", "need burst=" },
		{ "xl710,seed=1", "port 0", "need burst=" },
		{ "xl710,queues=0", "\"queues=0\"", "1..64" },
		{ "xl710,queues=65", "\"queues=65\"", "1..64" },
		{ "82599,queues=17", "\"queues=17\"", "1..16 for 82599" },
		{ "x540,queues=9", "\"queues=9\"", "expected 1..8 for x540" },
		{ "xl710,vlan=0", "\"vlan=0\"", "1..4094" },
		{ "xl710,vlan=4095", "\"vlan=4095\"", "1..4094" },
		{ "xl710,badl3=0", "\"badl3=0\"", "1..4294967295" },
		{ "xl710,error=4294967296", "\"error=", "1..4294967295" },
		{ "xl710,fault=link down", "\"fault=link down\"", "WORDS@PACKETS" },
		{ "xl710,fault=@5", "\"fault=@5\"", "WORDS@PACKETS" },
		{ "xl710,fault=x@", "\"fault=x@\"", "WORDS@PACKETS" },
		{ "xl710" REPEAT(",fault=x@1") ",fault=y@1", "\"fault=y@1\"", "at most 8" },
		{ "xl710,fault=" REPEAT("12345678") "@1", "\"fault=", "WORDS@PACKETS" },
		{ "xl710,mac=1:2:3:4:5", "\"mac=1:2:3:4:5\"", "XX:XX" },
		{ "xl710,mac=00:00:00:00:00:00", "\"mac=00", "unicast" },
		{ "xl710,mac=01:00:00:00:00:00", "\"mac=01", "unicast" },
		{ "xl710,mac=00:11:22:33:44:55:66", "\"mac=00", "unicast" },
		{ "xl710,size=64,size=65", "\"size=65\"", "given twice" },
		{ "xl710*0", "\"xl710*0\"", "1..32" },
		{ "xl710*33", "\"xl710*33\"", "1..32" },
		{ "xl710*", "\"xl710*\"", "1..32" },
		{ "xl710*2x", "\"xl710*2x\"", "1..32" },
		{ "xl710*32;x540", "\"x540\"", "more than 32" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (parse(rows[i].devices) != -1)
			fail_msg("%s: accepted", rows[i].devices);
		if (strncmp(why, "MODEL_NIC: ", 11) != 0 || strstr(why, rows[i].word) == NULL ||
			strstr(why, rows[i].want) == NULL || strchr(why, '\n') != NULL)
			fail_msg("%s: \"%s\": expected %s and %s in it", rows[i].devices, why,
				rows[i].word, rows[i].want);
	}
}

TEST(bad_variables)
{
	static const struct {
		const char *mode, *cpu, *log, *report, *want;
	} rows[] = {
		{ "slow", NULL, NULL, NULL, "MODEL_NIC_MODE: \"slow\": expected thread or step" },
		{ "", NULL, NULL, NULL, "MODEL_NIC_MODE: \"\": expected thread or step" },
		{ NULL, "-1", NULL, NULL, "MODEL_NIC_CPU: \"-1\": expected" },
		{ NULL, "1024", NULL, NULL, "MODEL_NIC_CPU: \"1024\": expected" },
		{ NULL, "0,1", NULL, NULL, "MODEL_NIC_CPU: \"0,1\": expected" },
		{ NULL, NULL, "4", NULL, "MODEL_NIC_LOG: \"4\": expected 0..3" },
		{ NULL, NULL, "debug", NULL, "MODEL_NIC_LOG: \"debug\": expected 0..3" },
		{ NULL, NULL, NULL, "", "MODEL_NIC_REPORT: \"\": expected a file" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(parse_all("xl710", rows[i].mode, rows[i].cpu, rows[i].log,
					 rows[i].report),
			-1);
		if (strncmp(why, rows[i].want, strlen(rows[i].want)) != 0)
			fail_msg("\"%s\": expected %s", why, rows[i].want);
	}
}

/* Longer than any buffer on the way: refused, nothing written past one. */
TEST(long_words)
{
	static const char *const before[] = { "", "xl710,",
		"xl710,rx=pcap:", "xl710,tx=pcap:", "xl710,size=", "xl710,fault=a@",
		"xl710,mac=", "xl710*" };
	static char text[5000];

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		for (size_t length = 300; length < sizeof(text); length += 4400) {
			memset(text, '9', length);
			text[length] = '\0';
			memcpy(text, before[i], strlen(before[i]));
			assert_int_equal(parse(text), -1);
		}
	}
}
