/* The settings of ports, as one flat table, with the checks of their values. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_settings.h"

#include "base/base.h"
#include "base/err.h"
#include "compat.h"
#include "memory/numa.h"
#include "memory/pool_ops.h"
#include "port/port.h"
#include "port/port_descriptors.h"
#include "port/port_split.h"

#include <rte_gso.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUES_LIMIT \
	"the limit of this DPDK is RTE_MAX_QUEUES_PER_PORT; use more ports, or a DPDK built with a larger one"
#define QUEUES(word, text) \
	{ \
		.name = word, .words = SETTING_NONE, .unit = "queues", .help = text, \
		.max = PORT_QUEUES_MAX, .limit = QUEUES_LIMIT, .value = 1, \
		.when = SETTING_CONFIGURE \
	}
#define DESCRIPTORS(word, about) \
	{ \
		.name = word, .words = SETTING_NONE, .unit = "descriptors|auto", .help = about, \
		.text = "0", .example = "512", .check = descriptors_check, .kind = SETTING_TEXT, \
		.when = SETTING_CONFIGURE \
	}
#define THRESHOLD(word, about, function) \
	{ \
		.name = word, .words = SETTING_NONE, .unit = "descriptors", .help = about, \
		.text = "driver", .example = "32", .check = function, .kind = SETTING_TEXT, \
		.when = SETTING_CONFIGURE \
	}
#define SWITCH(word, text) \
	{ \
		.name = word, .words = SETTING_NONE, .help = text, .kind = SETTING_BOOL, \
		.when = SETTING_CONFIGURE \
	}

static const char *const speeds[] = { "auto", "10", "100", "1000", "2500", "5000", "10000", "25000",
	"40000", "50000", "100000", "200000",
	SINCE_23_03(, "400000", ) SINCE_25_11(, "800000", ) NULL };

static const char *const setups[] = { "event", "iterator", NULL };

/* Accept a word, or a number up to max. what: what the number is, for errors. */
static int
number_check(const char *what, const char *text, unsigned long max, const char *word, struct err *e)
{
	unsigned long n;
	char *end;

	if (strcmp(text, word) == 0)
		return 0;
	n = strtoul(text, &end, 0);
	if (text[0] < '0' || text[0] > '9' || *end != '\0')
		return err_set(e, EINVAL, "%s \"%s\": expected 0..%lu or \"%s\"", what, text, max,
			word);
	if (n > max)
		return err_set(e, ERANGE, "%s %s: expected 0..%lu or \"%s\"", what, text, max,
			word);
	return 0;
}

static int
descriptors_check(const char *text, struct err *e)
{
	return number_check("descriptors", text, UINT16_MAX, "auto", e);
}

static int
byte_check(const char *text, struct err *e)
{
	return number_check("threshold", text, UINT8_MAX, "driver", e);
}

static int
word_check(const char *text, struct err *e)
{
	return number_check("threshold", text, UINT16_MAX, "driver", e);
}

static int
mask_check(const char *text, struct err *e)
{
	char *end;

	errno = 0;
	strtoull(text, &end, 16);
	if (text[0] == '\0' || text[0] == '-' || *end != '\0' || errno != 0)
		return err_set(e, EINVAL,
			"offloads \"%s\": expected a 64-bit hex mask such as 0x8000", text);
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
static const struct setting setting_rows[] = {
	QUEUES("rxq", "Rx queues per port"),
	QUEUES("txq", "Tx queues per port"),
	DESCRIPTORS("rxd", "descriptors per Rx queue, 0..65535 (0: the driver's default; auto: at most as many as fit in the CPU's L2 cache)"),
	DESCRIPTORS("txd", "descriptors per Tx queue, 0..65535 (0: the driver's default; auto: at most as many as fit in the CPU's L2 cache)"),
	THRESHOLD("rxfreet", "Rx descriptors refilled at a time (driver: the driver's default)", word_check),
	THRESHOLD("rxpt", "Rx prefetch threshold register (driver: the driver's default)", byte_check),
	THRESHOLD("rxht", "Rx host threshold register (driver: the driver's default)", byte_check),
	THRESHOLD("rxwt", "Rx write-back threshold register (driver: the driver's default)", byte_check),
	THRESHOLD("txfreet", "number of free Tx descriptors below which the driver frees sent packets (driver: the driver's default)", word_check),
	THRESHOLD("txrst", "Tx descriptors per completion report (driver: the driver's default)", word_check),
	THRESHOLD("txpt", "Tx prefetch threshold register (driver: the driver's default)", byte_check),
	THRESHOLD("txht", "Tx host threshold register (driver: the driver's default)", byte_check),
	THRESHOLD("txwt", "Tx write-back threshold register (driver: the driver's default)", byte_check),
	{ .name = "max-pkt-len", .words = SETTING_NONE, .unit = "bytes", .max = UINT16_MAX,
		.when = SETTING_CONFIGURE, .example = "1518",
		.help = "maximum length of received frames, CRC included (0: the length for an MTU of 1500)" },
	{ .name = "max-lro-pkt-size", .words = SETTING_NONE, .unit = "bytes", .max = UINT32_MAX,
		.when = SETTING_CONFIGURE, .example = "9216",
		.help = "maximum length of a packet joined by LRO, see --enable-lro (0: the driver's choice)" },
	{ .name = "rxpkts", .words = SETTING_NONE, .unit = "BYTES[,BYTES...]", .kind = SETTING_TEXT, .text = "off",
		.check = port_split_lengths_check, .when = SETTING_CONFIGURE, .example = "64,128",
		.help = "segment lengths of received packets on ports with the offload buffer_split (0: the whole buffer; off: one segment)" },
	{ .name = "rxoffs", .words = SETTING_NONE, .unit = "BYTES[,BYTES...]", .kind = SETTING_TEXT, .text = "off",
		.check = port_split_offsets_check, .when = SETTING_CONFIGURE, .example = "0,32",
		.help = "offset of each segment in its buffer (off: start of the buffer)" },
	{ .name = "rxhdrs", .words = SETTING_NONE, .unit = "HEADER[,HEADER...]", .kind = SETTING_TEXT, .text = "off",
		.check = port_split_headers_check, .when = SETTING_CONFIGURE, .example = "eth,ipv4",
		.help = "headers after which received packets are split, on ports with the offload buffer_split (off: no split)" },
	SWITCH("multi-rx-mempool", "receive into one pool for each size in mbuf-size; the driver chooses the pool of each packet"),
	{ .name = "numa", .words = SETTING_NONE, .kind = SETTING_BOOL, .value = 1, .when = SETTING_CONFIGURE,
		.help = "allocate pools and queues on the socket of their port (off: all on socket-num)" },
	{ .name = "socket-num", .words = SETTING_NONE, .unit = "socket", .kind = SETTING_TEXT, .text = "0",
		.check = numa_socket_check, .when = SETTING_CONFIGURE,
		.help = "socket for all memory, used with --no-numa" },
	{ .name = "port-numa-config", .words = SETTING_NONE, .unit = "(PORT,SOCKET)[,...]", .kind = SETTING_TEXT,
		.text = "device", .check = numa_ports_check, .when = SETTING_CONFIGURE, .example = "(0,0)",
		.help = "sockets of ports (device: the socket of the device)" },
	{ .name = "ring-numa-config", .words = SETTING_NONE, .unit = "(PORT,FLAG,SOCKET)[,...]", .kind = SETTING_TEXT,
		.text = "device", .check = numa_rings_check, .when = SETTING_CONFIGURE, .example = "(0,3,0)",
		.help = "sockets of rings; FLAG 1: Rx, 2: Tx, 3: both (device: the socket of the port)" },
	{ .name = "link-check", .words = "link_check", .option = SETTING_NONE, .kind = SETTING_BOOL, .value = 1, .when = SETTING_NOW,
		.help = "wait for links after ports start or stop, and before forwarding starts" },
	{ .name = "port-setup", .words = "port setup on", .kind = SETTING_CHOICE,
		.choices = setups, .when = SETTING_NOW,
		.help = "how newly attached ports are found: by probe event (event), or by matching the given device (iterator)" },
	{ .name = "rx-offloads", .words = SETTING_NONE, .kind = SETTING_TEXT, .text = "0x0", .check = mask_check,
		.when = SETTING_CONFIGURE, .help = "Rx offloads of each port, a hex mask of RTE_ETH_RX_OFFLOAD_*" },
	/* MBUF_FAST_FREE, testpmd's default. */
	{ .name = "tx-offloads", .words = SETTING_NONE, .kind = SETTING_TEXT, .text = "0x10000", .check = mask_check,
		.when = SETTING_CONFIGURE, .help = "Tx offloads of each port, a hex mask of RTE_ETH_TX_OFFLOAD_*" },
	SWITCH("disable-rss", "disable RSS, even with several Rx queues"),
	SWITCH("rss-ip", "RSS by IP addresses (the default with several Rx queues)"),
	SWITCH("rss-udp", "RSS by IP addresses and UDP ports"),
	SWITCH("enable-rss", "enable RSS even with one Rx queue"),
	SWITCH("rss-level-inner", "RSS by the innermost headers of tunnels"),
	SWITCH("rss-level-outer", "RSS by the outermost headers of tunnels"),
	{ .name = "rx-mq-mode", .words = SETTING_NONE, .kind = SETTING_TEXT, .text = "0x7", .check = mq_mode_check,
		.when = SETTING_CONFIGURE, .help = "allowed Rx multi-queue modes, a hex mask of RTE_ETH_MQ_RX_* (without bit 0x1: no RSS)" },
	{ .name = "rxq-share", .words = SETTING_NONE, .unit = "ports", .max = UINT32_MAX, .bare = "4294967295",
		.when = SETTING_CONFIGURE, .example = "2",
		.help = "number of consecutive ports that share Rx queues, if the driver can (0: none; without a number: all)" },
	{ .name = "hairpinq", .words = SETTING_NONE, .unit = "queues", .max = PORT_QUEUES_MAX, .limit = QUEUES_LIMIT, .when = SETTING_CONFIGURE,
		.help = "hairpin queues per port; the NIC forwards their packets without the CPU" },
	{ .name = "hairpin-mode", .words = SETTING_NONE, .max = UINT32_MAX, .when = SETTING_CONFIGURE, .example = "0x12",
		.help = "peers of hairpin queues, a bit mask: 0 the same port, 1 ports in a ring, 2 ports in pairs; 0x10 explicit Tx flow rules; 0x100, 0x200 force memory settings for Rx, Tx; 0x1000, 0x10000 locked device memory for Rx, Tx; 0x2000, 0x20000 DPDK memory for Rx, Tx" },
	SWITCH("flow-isolate-all", "isolate ports before they are configured: they receive only packets that match a flow rule"),
	SWITCH("disable-flow-flush", "keep flow rules when a port stops"),
	SWITCH("enable-rx-cksum", "check IP, UDP and TCP checksums in hardware"),
	SWITCH("enable-rx-timestamp", "timestamp received packets in hardware"),
	SWITCH("enable-scatter", "receive long frames into several buffers"),
	SWITCH("enable-lro", "join received TCP segments in hardware (LRO)"),
	SWITCH("enable-hw-vlan", "enable all four VLAN offloads of the Rx side"),
	SWITCH("enable-hw-vlan-filter", "filter VLANs in hardware"),
	SWITCH("enable-hw-vlan-strip", "strip VLAN tags in hardware"),
	SWITCH("enable-hw-vlan-extend", "extended VLAN in hardware"),
	SWITCH("enable-hw-qinq-strip", "strip both QinQ tags in hardware"),
	SWITCH("disable-crc-strip", "keep the Ethernet CRC in received packets"),
	SWITCH("enable-drop-en", "drop packets when an Rx queue is full, so that other queues are not blocked"),
	{ .name = "eth-link-speed", .words = SETTING_NONE, .unit = "Mbit/s", .kind = SETTING_CHOICE,
		.choices = speeds,
		.when = SETTING_CONFIGURE, .help = "fixed link speed (auto: autonegotiation)" },
	SWITCH("no-lsc-interrupt", "disable link interrupts and poll links for up to 9 s instead"),
	SWITCH("no-rmv-interrupt", "disable device removal interrupts"),
	SWITCH("hot-plug", "release a port when its device is removed"),
	SWITCH("disable-device-start", "do not start ports at program start"),
};
/* clang-format on */
const struct setting_table port_settings = SETTING_TABLE("Port queues and offloads", setting_rows);

static_assert(RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE == 0x10000,
	"the default of tx-offloads is fast free");
