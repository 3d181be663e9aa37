/* struct traffic, for the files that it is made of: traffic.c (polls), source.c (packets made
 * here), arrive.c (packets that come), sink.c (packets sent). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/fault.h"
#include "pmd_shims/drivers/model_nic/model.h"
#include "pmd_shims/drivers/model_nic/report.h"
#include "pmd_shims/drivers/model_nic/wire/gen.h"

enum {
	TRAFFIC_TAG = 4,           /* bytes of a VLAN tag: room before a gathered packet */
	TRAFFIC_WRITTEN_BITS = 16, /* places for written buffers: 128 MiB of memory */
	/* bytes of a packet of several frames; cards cut what TSO gives them, as long as this */
	TRAFFIC_GATHERED = 1 << 18,
};

struct pcap_reader;
struct pcap_writer;

/*
 * A buffer that holds a generated packet still. There is one place for every 2 KiB of memory, so
 * that neighbours in a pool are neighbours here; the place and who together are the address.
 */
struct written {
	uint32_t who; /* 0: nothing */
	uint16_t len, flow;
};

/* Packets that are due, of config->rate_pps. */
struct rate {
	uint64_t last_ns;
	uint64_t credit; /* in packets * 10^-9 */
};

/* But for paused and what of faults is asked for: by the thread that moves frames. */
struct traffic {
	struct model *m;
	const struct port_config *config;
	struct gen gen;
	struct verify *verify; /* of this port's packets; NULL: it verifies none */
	struct pcap_reader *reader;
	struct pcap_writer *writer;
	struct faults faults;
	unsigned planned; /* of config->fault that were asked for; bit mask */
	struct rate rate;
	struct written *written; /* 2^TRAFFIC_WRITTEN_BITS of them */
	bool keep;               /* the generator writes a buffer once */
	atomic_bool paused;
	uint64_t left; /* packets that the source may still make */
	uint64_t made; /* by the generator, of which each N-th is special */
	/* Rings that are on; polls begin at rx[rx_first], each queue in its turn. */
	struct ring *rx[MODEL_QUEUES_MAX], *tx[MODEL_QUEUES_MAX];
	struct ring *rx_of[MODEL_DATA_QUEUES]; /* by data queue; NULL: off */
	unsigned rx_count, tx_count, rx_first;
	unsigned waited[MODEL_QUEUES_MAX];
	struct model_nic_report count,
		base; /* what was counted in all; at the last reset of the report */
	uint8_t space[TRAFFIC_TAG + TRAFFIC_GATHERED]; /* of traffic_gathered() */
};

/* Where a packet of several frames is put together; TRAFFIC_TAG bytes before it are free too. */
static inline uint8_t *
traffic_gathered(struct traffic *t)
{
	return t->space + TRAFFIC_TAG;
}
