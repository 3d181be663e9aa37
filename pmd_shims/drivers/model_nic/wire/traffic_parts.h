/* struct traffic, for the files that implement it: traffic.c (polls), source.c (packets made here),
 * arrive.c (packets to the driver), sink.c (packets from the driver). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/fault.h"
#include "pmd_shims/drivers/model_nic/model.h"
#include "pmd_shims/drivers/model_nic/report.h"
#include "pmd_shims/drivers/model_nic/wire/gen.h"

enum {
	TRAFFIC_TAG = 4,           /* bytes of a VLAN tag: room before a gathered packet */
	TRAFFIC_WRITTEN_BITS = 16, /* 2^16 places for written buffers, for 128 MiB of memory */
	/* maximum bytes of a packet of several frames, before segmentation */
	TRAFFIC_GATHERED = 1 << 18,
};

struct pcap_reader;
struct pcap_writer;

/*
 * A buffer that still contains a generated packet. There is one place for every 2 KiB of memory, so
 * that adjacent buffers of a pool have adjacent places. The place and who determine the address.
 */
struct written {
	uint32_t who; /* other bits of the buffer's address; 0: none */
	uint16_t len, flow;
};

/* Packets due at config->rate_pps. */
struct rate {
	uint64_t last_ns;
	uint64_t credit; /* packets due, in units of 10^-9 packets */
};

/* Written by the thread that moves frames, except for paused and the requests in faults. */
struct traffic {
	struct model *m;
	const struct port_config *config;
	struct gen gen;
	struct verify *verify; /* for this port's packets; NULL: not verified */
	struct pcap_reader *reader;
	struct pcap_writer *writer;
	struct faults faults;
	unsigned planned; /* bits: faults of config->fault that were requested */
	struct rate rate;
	struct written *written; /* 2^TRAFFIC_WRITTEN_BITS of them */
	bool keep;               /* the generator writes a buffer once */
	atomic_bool paused;
	uint64_t left; /* packets that the source may still make */
	uint64_t made; /* packets generated so far, every N-th of which has an error */
	/* Enabled rings; a poll begins at rx[rx_first], which moves by one each time. */
	struct ring *rx[MODEL_QUEUES_MAX], *tx[MODEL_QUEUES_MAX];
	struct ring *rx_of[MODEL_DATA_QUEUES]; /* by data queue; NULL: disabled */
	unsigned rx_count, tx_count, rx_first;
	unsigned waited[MODEL_QUEUES_MAX];
	struct model_nic_report count;                 /* counts in total */
	struct model_nic_report base;                  /* counts at the last reset of the report */
	uint8_t space[TRAFFIC_TAG + TRAFFIC_GATHERED]; /* for traffic_gathered() */
};

/* Buffer for assembling a packet of several frames; TRAFFIC_TAG bytes before it are free too. */
static inline uint8_t *
traffic_gathered(struct traffic *t)
{
	return t->space + TRAFFIC_TAG;
}
