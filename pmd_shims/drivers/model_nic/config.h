/* The words that say which devices there are and what they do; unknown devargs make a driver refuse
 * its device, so nothing goes through -a. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --model, MODEL_NIC: "DEVICE[,KEY[=VALUE]]...[;DEVICE...]"; a trailing *N repeats a device:
 * "xl710,rx=gen,size=64*2".
 *   rx=gen|copy|loop|wire:PORT|pcap:FILE[:LOOPS]|none   where received packets come from (gen: written once per buffer; copy: every time)
 *   tx=sink|pcap:FILE          where transmitted packets go (a port named by another's wire:, or its own loop, gets them first)
 *   size=64|64-1518|imix       bytes without CRC; flows=N; count=N (stop after so many); rate=PPS; queues=N (data queues offered)
 *   verify                     sequence number and checksum in every generated packet, ownership map
 *   vlan=ID  badl3=N badl4=N error=N   every packet tagged; every N-th with a wrong checksum, or a descriptor error
 *   fault=WORDS@PACKETS        a fault (fault.h) after so many received packets; repeatable
 *   mac=XX:XX:XX:XX:XX:XX
 *
 * From the environment: MODEL_NIC_MODE=thread|step, who moves frames (thread); MODEL_NIC_CPU=N,
 * where the thread runs (as its creator may); MODEL_NIC_LOG=0..3; MODEL_NIC_REPORT=FILE, JSON of
 * every port's report when the process ends or the device goes.
 */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

enum source_kind { SOURCE_GEN, SOURCE_COPY, SOURCE_LOOP, SOURCE_WIRE, SOURCE_PCAP, SOURCE_NONE };

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
	uint32_t pcap_loops; /* 0: for ever */
	uint16_t size_min, size_max;
	struct size_share mix[8]; /* imix; ended by weight 0, none: size_min..size_max in steps */
	uint32_t flows;
	uint64_t count, rate_pps; /* 0: no end, no limit */
	uint16_t queues;
	bool verify;
	uint16_t vlan; /* 0: untagged */
	uint32_t bad_l3, bad_l4, error;
	struct fault_plan fault[8];
	unsigned faults;
	uint8_t mac[6];
};

struct model_config {
	struct port_config port[MODEL_PORTS_MAX];
	unsigned ports;
	bool step;
	int cpu; /* -1: not pinned */
	int log;
	char report[256];
};

/* What the models go by. Written before they are made, by the thread that configures. */
extern struct model_config config_current;

/* What is to be read, and by whom it was said. */
struct config_words {
	const struct model_family *const *families; /* that devices may name, ended by NULL */
	const char *devices;                        /* MODEL_NIC's text; NULL: none */
	const char *from;                           /* what a message about devices begins with */
	/* MODEL_NIC_MODE and its like; NULL: not set */
	const char *mode, *cpu, *log, *report;
};

/* These devices, and the other variables as the environment has them. */
struct config_words config_words(const struct model_family *const *families, const char *devices,
	const char *from);

/*
 * Read the words into *c. Returns 0, or -1 with one line in why (of size bytes) that names the bad
 * word and what was expected.
 */
int config_parse(const struct config_words *words, struct model_config *c, char *why, size_t size);
