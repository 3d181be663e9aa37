/* The settings of ports (rxq, txd, max-pkt-len, ...): one flat table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_settings.h"

#include "base/base.h"
#include "base/err.h"
#include "memory/numa.h"
#include "port/port.h"
#include "port/port_split.h"

#include <rte_gso.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define QUEUES(word, text) \
	{ \
		.name = word, .words = SETTING_NONE, .unit = "queues", .help = text, \
		.max = PORT_QUEUES_MAX, .value = 1, .when = SETTING_CONFIGURE \
	}
#define DESCRIPTORS(word, text) \
	{ \
		.name = word, .words = SETTING_NONE, .unit = "descriptors", .help = text, \
		.max = UINT16_MAX, .when = SETTING_CONFIGURE, .example = "512" \
	}
#define THRESHOLD(word, about, want) \
	{ \
		.name = word, .words = SETTING_NONE, .unit = "descriptors", .help = about, \
		.text = "driver", .example = "32", .check = want, .kind = SETTING_TEXT, \
		.when = SETTING_CONFIGURE \
	}
#define SWITCH(word, text) \
	{ \
		.name = word, .words = SETTING_NONE, .help = text, .kind = SETTING_BOOL, \
		.when = SETTING_CONFIGURE \
	}

static const char *const speeds[] = { "auto", "10", "100", "1000", "2500", "5000", "10000", "25000",
	"40000", "50000", "100000", "200000",
#ifdef RTE_ETH_LINK_SPEED_400G /* 23.07 */
	"400000",
#endif
#ifdef RTE_ETH_LINK_SPEED_800G /* 25.11 */
	"800000",
#endif
	NULL };

static const char *const setups[] = { "event", "iterator", NULL };

static int
threshold_check(const char *text, unsigned long max, struct err *e)
{
	unsigned long n;
	char *end;

	if (strcmp(text, "driver") == 0)
		return 0;
	n = strtoul(text, &end, 0);
	if (text[0] < '0' || text[0] > '9' || *end != '\0')
		return err_set(e, EINVAL, "threshold \"%s\": want 0..%lu descriptors, or driver",
			text, max);
	if (n > max)
		return err_set(e, ERANGE, "threshold %s: want 0..%lu descriptors, or driver", text,
			max);
	return 0;
}

static int
byte_check(const char *text, struct err *e)
{
	return threshold_check(text, UINT8_MAX, e);
}

static int
word_check(const char *text, struct err *e)
{
	return threshold_check(text, UINT16_MAX, e);
}

static int
mask_check(const char *text, struct err *e)
{
	char *end;

	errno = 0;
	strtoull(text, &end, 16);
	if (text[0] == '\0' || text[0] == '-' || *end != '\0' || errno != 0)
		return err_set(e, EINVAL,
			"offloads \"%s\": want a mask of 64 bits in hex, such as 0x8000", text);
	return 0;
}

static int
mq_mode_check(const char *text, struct err *e)
{
	char *end;
	unsigned long mode = strtoul(text, &end, 16);

	if (text[0] == '\0' || text[0] == '-' || *end != '\0' || mode > RTE_ETH_MQ_RX_VMDQ_DCB_RSS)
		return err_set(e, EINVAL, "rx-mq-mode \"%s\": rx-mq-mode must be >= 0 and <= %d",
			text, RTE_ETH_MQ_RX_VMDQ_DCB_RSS);
	return 0;
}

/* clang-format off */
const struct setting port_settings[] = {
	QUEUES("rxq", "Rx queues of each port"),
	QUEUES("txq", "Tx queues of each port"),
	DESCRIPTORS("rxd", "descriptors of each Rx queue; 0: the driver's default"),
	DESCRIPTORS("txd", "descriptors of each Tx queue; 0: the driver's default"),
	THRESHOLD("rxfreet", "Rx descriptors refilled at a time; driver: its default", word_check),
	THRESHOLD("rxpt", "Rx prefetch threshold register; driver: its default", byte_check),
	THRESHOLD("rxht", "Rx host threshold register; driver: its default", byte_check),
	THRESHOLD("rxwt", "Rx write-back threshold register; driver: its default", byte_check),
	THRESHOLD("txfreet", "free Tx descriptors below which sent packets are freed; driver: its default", word_check),
	THRESHOLD("txrst", "Tx descriptors between two reports of completion; driver: its default", word_check),
	THRESHOLD("txpt", "Tx prefetch threshold register; driver: its default", byte_check),
	THRESHOLD("txht", "Tx host threshold register; driver: its default", byte_check),
	THRESHOLD("txwt", "Tx write-back threshold register; driver: its default", byte_check),
	{ .name = "max-pkt-len", .words = SETTING_NONE, .unit = "bytes", .max = UINT16_MAX,
		.when = SETTING_CONFIGURE, .example = "1518",
		.help = "longest frame that ports receive, checksum included; 0: as an MTU of 1500 makes it" },
	{ .name = "max-lro-pkt-size", .words = SETTING_NONE, .unit = "bytes", .max = UINT32_MAX,
		.when = SETTING_CONFIGURE, .example = "9216",
		.help = "longest packet that ports join in hardware (--enable-lro); 0: the driver's choice" },
	{ .name = "rxpkts", .words = SETTING_NONE, .unit = "BYTES[,BYTES...]", .kind = SETTING_TEXT, .text = "off",
		.check = port_split_lengths_check, .when = SETTING_CONFIGURE, .example = "64,128",
		.help = "segments of received packets where offload buffer_split is on, 0: a whole buffer; off: one segment" },
	{ .name = "rxoffs", .words = SETTING_NONE, .unit = "BYTES[,BYTES...]", .kind = SETTING_TEXT, .text = "off",
		.check = port_split_offsets_check, .when = SETTING_CONFIGURE, .example = "0,32",
		.help = "where in its buffer each segment begins; off: at the front" },
	{ .name = "rxhdrs", .words = SETTING_NONE, .unit = "HEADER[,HEADER...]", .kind = SETTING_TEXT, .text = "off",
		.check = port_split_headers_check, .when = SETTING_CONFIGURE, .example = "eth,ipv4",
		.help = "headers that received packets are cut behind where offload buffer_split is on; off: none" },
	SWITCH("multi-rx-mempool", "receive into the pools of all sizes in mbuf-size, as the driver chooses"),
	{ .name = "numa", .words = SETTING_NONE, .kind = SETTING_BOOL, .value = 1, .when = SETTING_CONFIGURE,
		.help = "pools and queues on the socket of their port; off: all on the one of socket-num" },
	{ .name = "socket-num", .words = SETTING_NONE, .unit = "socket", .kind = SETTING_TEXT, .text = "0",
		.check = numa_socket_check, .when = SETTING_CONFIGURE,
		.help = "with --no-numa: the socket that all memory comes from" },
	{ .name = "port-numa-config", .words = SETTING_NONE, .unit = "(PORT,SOCKET)[,...]", .kind = SETTING_TEXT,
		.text = "device", .check = numa_ports_check, .when = SETTING_CONFIGURE, .example = "(0,0)",
		.help = "sockets of ports, where not the device's own" },
	{ .name = "ring-numa-config", .words = SETTING_NONE, .unit = "(PORT,FLAG,SOCKET)[,...]", .kind = SETTING_TEXT,
		.text = "device", .check = numa_rings_check, .when = SETTING_CONFIGURE, .example = "(0,3,0)",
		.help = "sockets of rings, FLAG 1: Rx, 2: Tx, 3: both; device: the port's socket" },
	{ .name = "link-check", .words = "link_check", .option = SETTING_NONE, .kind = SETTING_BOOL, .value = 1, .when = SETTING_NOW,
		.help = "wait for links after ports were started or stopped" },
	{ .name = "port-setup", .words = "port setup on", .kind = SETTING_CHOICE,
		.choices = setups, .when = SETTING_NOW,
		.help = "which ports port attach makes ready: all that came (event), or those that its argument names (iterator)" },
	{ .name = "rx-offloads", .words = SETTING_NONE, .kind = SETTING_TEXT, .text = "0x0", .check = mask_check,
		.when = SETTING_CONFIGURE, .help = "mask of RTE_ETH_RX_OFFLOAD_* of each port, in hex" },
	/* MBUF_FAST_FREE, as testpmd. */
	{ .name = "tx-offloads", .words = SETTING_NONE, .kind = SETTING_TEXT, .text = "0x10000", .check = mask_check,
		.when = SETTING_CONFIGURE, .help = "mask of RTE_ETH_TX_OFFLOAD_* of each port, in hex" },
	SWITCH("disable-rss", "no RSS, also with several Rx queues"),
	SWITCH("rss-ip", "RSS by IP addresses, which is the default with several Rx queues"),
	SWITCH("rss-udp", "RSS by IP addresses and UDP ports"),
	SWITCH("enable-rss", "RSS also with one Rx queue"),
	SWITCH("rss-level-inner", "RSS by the innermost headers of tunnels"),
	SWITCH("rss-level-outer", "RSS by the outermost headers of tunnels"),
	{ .name = "rx-mq-mode", .words = SETTING_NONE, .kind = SETTING_TEXT, .text = "0x7", .check = mq_mode_check,
		.when = SETTING_CONFIGURE, .help = "how several Rx queues may be used, a mask of RTE_ETH_MQ_RX_* in hex: without bit 0x1 no RSS" },
	{ .name = "rxq-share", .words = SETTING_NONE, .unit = "ports", .max = UINT32_MAX, .bare = "4294967295",
		.when = SETTING_CONFIGURE, .example = "2",
		.help = "so many ports that follow each other share their Rx queues, where drivers can; 0: none; no number: all ports" },
	{ .name = "hairpinq", .words = SETTING_NONE, .unit = "queues", .max = PORT_QUEUES_MAX, .when = SETTING_CONFIGURE,
		.help = "hairpin queues of each port: its hardware sends what they receive by itself" },
	{ .name = "hairpin-mode", .words = SETTING_NONE, .max = UINT32_MAX, .when = SETTING_CONFIGURE, .example = "0x12",
		.help = "who feeds hairpin queues, a mask: 0 the port itself, 1 a ring of ports, 2 pairs; 0x10 with explicit Tx rules; 0x100, 0x200 memory forced for Rx, Tx; 0x1000, 0x10000 locked device memory; 0x2000, 0x20000 DPDK's memory" },
	SWITCH("flow-isolate-all", "only what flow rules name comes in, from before ports are configured"),
	SWITCH("disable-flow-flush", "flow rules stay when a port stops"),
	SWITCH("enable-rx-cksum", "check IP, UDP and TCP checksums in hardware"),
	SWITCH("enable-rx-timestamp", "stamp received packets in hardware"),
	SWITCH("enable-scatter", "receive long frames into several buffers"),
	SWITCH("enable-lro", "join TCP segments in hardware"),
	SWITCH("enable-hw-vlan", "all four VLAN offloads of receive"),
	SWITCH("enable-hw-vlan-filter", "VLAN filter in hardware"),
	SWITCH("enable-hw-vlan-strip", "take VLAN tags out in hardware"),
	SWITCH("enable-hw-vlan-extend", "extended VLAN in hardware"),
	SWITCH("enable-hw-qinq-strip", "take both tags of QinQ out in hardware"),
	SWITCH("disable-crc-strip", "keep the frame's checksum in received packets"),
	SWITCH("enable-drop-en", "drop packets of a full Rx queue rather than stall the others"),
	{ .name = "eth-link-speed", .words = SETTING_NONE, .unit = "Mbit/s", .kind = SETTING_CHOICE,
		.choices = speeds,
		.when = SETTING_CONFIGURE, .help = "fixed link speed; auto: negotiated" },
	SWITCH("no-lsc-interrupt", "no link interrupts: links are polled for up to 9 s instead"),
	SWITCH("no-rmv-interrupt", "no interrupts when a device goes away"),
	SWITCH("hot-plug", "part with ports whose device is pulled"),
	SWITCH("disable-device-start", "leave ports stopped at the beginning"),
};
/* clang-format on */
const size_t port_settings_n = ARRAY_SIZE(port_settings);

static_assert(RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE == 0x10000,
	"the default of tx-offloads is fast free");
