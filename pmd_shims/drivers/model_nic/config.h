/* Configuration of the modelled devices. It does not use -a, since drivers refuse devices with
 * unknown device arguments. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --model or MODEL_NIC: "DEVICE[,KEY[=VALUE]]...[;DEVICE...]". A trailing *N repeats a device:
 * "xl710,rx=gen,size=64*2". Keys:
 *   rx=gen|copy          receive generated packets; gen writes each buffer once, copy every time
 *   rx=loop|wire:PORT    receive the packets that this port or port PORT transmits
 *   rx=pcap:FILE[:LOOPS] receive packets from a file
 *   rx=pcap:@IFACE       receive the packets of an interface of the kernel
 *   rx=none              receive nothing
 *   rx=socket:PATH       of a card of QEMU: datagrams of a frame each between PATH.card and PATH
 *   tx=sink|pcap:FILE    drop transmitted packets or write them to a file; if rx=loop or another
 *                        port's rx=wire takes them, these get them first
 *   tx=pcap:@IFACE       send transmitted packets on an interface of the kernel
 *   size=64|64-1518|imix bytes of generated packets, without CRC
 *   flows=N              number of generated flows
 *   count=N              stop after N packets
 *   rate=PPS             packets per second; with burst= the mean, gaps included
 *   burst=N|MIN-MAX      send bursts of N packets back to back, or of random sizes; never wait for
 *                        free descriptors
 *   gap=steady|random    gaps between bursts: equal (default) or exponentially distributed
 *   line=PPS|N"G"        rate within a burst: packets per second or Gbit/s, default 10G
 *   seed=N               seed of random sizes and gaps
 *   queues=N             number of data queues offered
 *   verify               add sequence number and checksum to generated packets; track ownership of
 *                        buffers
 *   filter               of rx=pcap:FILE: the driver's filters by MAC address and VLAN drop packets, as
 *                        they do on wires and interfaces
 *   vlan=ID              tag every packet
 *   badl3=N badl4=N      wrong checksum in every N-th packet
 *   error=N              descriptor error for every N-th packet
 *   fault=WORDS@PACKETS  inject a fault (fault.h) after PACKETS received packets; repeatable
 *   mac=XX:XX:XX:XX:XX:XX
 *   guest=PATH           no port of this program: a card in a guest of QEMU, which connects to this
 *                        socket by -device vfio-user-pci
 *   packed, mrg_rxbuf=off of virtio-pci: packed rings; no buffers merged to one packet
 *
 * A card of QEMU takes rx=none, rx=wire:PORT (to another one, both ways), rx=socket:PATH and mac=.
 *
 * Environment variables: MODEL_NIC_MODE=thread|step: who moves frames, default thread;
 * MODEL_NIC_CPU=N: CPU of the thread, default: those of its creator; MODEL_NIC_LOG=0..3: log level;
 * MODEL_NIC_REPORT=FILE: write each port's report as JSON when the process ends or the device is
 * removed.
 */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

enum source_kind {
	SOURCE_GEN,
	SOURCE_COPY,
	SOURCE_LOOP,
	SOURCE_WIRE,
	SOURCE_PCAP,
	SOURCE_LIVE,
	SOURCE_NONE,
	SOURCE_SOCKET
};

/* Bytes of the name of an interface of the kernel, which is IFNAMSIZ. */
enum { MODEL_LIVE_NAME = 16 };

/* Virtual functions of a card: net_e1000_igb keeps the last of its 8 pools. */
enum { MODEL_FUNCTIONS_MAX = 7 };

struct size_share {
	uint16_t bytes, weight;
};

struct fault_plan {
	char words[64];
	uint64_t after_packets;
};

struct port_config {
	const struct model_family *family;
	enum source_kind source;
	unsigned peer; /* SOURCE_WIRE */
	char rx_pcap[256], tx_pcap[256];
	char rx_live[MODEL_LIVE_NAME]; /* SOURCE_LIVE */
	char tx_live[MODEL_LIVE_NAME]; /* empty: packets are not sent on an interface */
	char socket[96];               /* SOURCE_SOCKET */
	char guest[96]; /* socket of the guest that has the card; empty: this program has it */
	unsigned pf;    /* of a virtual function: the port of its card */
	bool packed, unmerged; /* of virtio-pci: rings, and no merged Rx buffers */
	uint32_t pcap_loops;   /* 0: forever */
	uint16_t size_min, size_max;
	struct size_share mix[8]; /* imix, ended by weight 0; empty: size_min..size_max in steps */
	uint32_t flows;
	uint64_t count, rate_pps;      /* 0: unlimited */
	uint32_t burst_min, burst_max; /* packets per burst; 0: no bursts */
	bool gap_random;
	uint64_t line_gbps, line_pps; /* rate within a burst; with bursts line_pps is not 0 */
	uint32_t seed;
	uint16_t queues;
	bool verify;
	bool filter;   /* packets of a file pass the driver's filters by MAC address and VLAN */
	uint16_t vlan; /* 0: untagged */
	uint32_t bad_l3, bad_l4, error;
	uint32_t loss, duplicate, reorder, corrupt; /* of the wire: every N-th packet; 0: none */
	uint32_t delay_ns, jitter_ns;
	struct fault_plan fault[8];
	unsigned faults;
	uint8_t mac[6];
};

/* True if the wire to the port loses, changes or delays packets. */
static inline bool
config_impairs(const struct port_config *p)
{
	return (p->loss | p->duplicate | p->reorder | p->corrupt | p->delay_ns | p->jitter_ns) != 0;
}

struct model_config {
	struct port_config port[MODEL_PORTS_MAX];
	unsigned ports;
	bool step;
	int cpu; /* -1: not pinned */
	int log;
	char report[256];
};

/* The configuration in use. Written before the models are made, by the thread that configures. */
extern struct model_config config_current;

/* The number of virtual functions of a port's card, of those that are ports before this one. */
unsigned config_functions(const struct model_config *c, unsigned port, unsigned before);

/* The texts to parse and their source. */
struct config_words {
	const struct model_family *const *families; /* known devices, NULL-terminated */
	const char *devices;                        /* value of MODEL_NIC; NULL: none */
	const char *from;                           /* prefix of messages about devices */
	/* values of MODEL_NIC_MODE, _CPU, _LOG, _REPORT; NULL: not set */
	const char *mode, *cpu, *log, *report;
};

/* Combine devices with the other variables from the environment. */
struct config_words config_words(const struct model_family *const *families, const char *devices,
	const char *from);

/*
 * Parse the words into *c. Returns 0, or -1 with one line in why (of size bytes) that has the bad
 * word and what was expected.
 */
int config_parse(const struct config_words *words, struct model_config *c, char *why, size_t size);
