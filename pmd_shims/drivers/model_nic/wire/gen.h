/* Generated packets: flows, sizes, and the mark by which a verified packet is recognised. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

struct port_config;

enum { GEN_HEADERS = 42, GEN_MARK = 16, GEN_LENGTH_MAX = 16384 };

/*
 * The first bytes after the UDP header of a verified packet. In host byte order, since the packet
 * is read on the same machine.
 */
struct gen_mark {
	uint32_t magic;
	uint16_t port, flow;
	uint32_t sequence;
	uint32_t sum; /* checksum of the members before it and of the payload after it */
};

struct gen_flow {
	uint32_t sequence, hash;
	uint16_t queue;
};

struct gen {
	const struct port_config *config;
	unsigned port;
	struct gen_flow *flow;                 /* config->flows of them */
	uint16_t *by_queue;                    /* flow numbers sorted by queue */
	uint32_t first[MODEL_DATA_QUEUES + 1]; /* index in by_queue of each queue's first flow */
	uint32_t turn[MODEL_DATA_QUEUES];      /* the last flow used, counted from first */
	uint32_t generation;                   /* m->rss_generation when queues were computed */
	uint32_t step;                         /* number of packets, from which sizes follow */
};

/* Open a generator. Returns 0, or -1 if memory is short. */
int gen_open(struct gen *g, const struct model *m, const struct port_config *c);
void gen_close(struct gen *g);

/* The flow of the next packet for a queue; -1: RSS chooses that queue for none. */
int gen_next_flow(struct gen *g, struct model *m, uint16_t queue);

/* The length of the next packet in bytes, without CRC. */
uint32_t gen_next_length(struct gen *g);

/*
 * Write a packet of a flow: len bytes at to. With config->verify it has a mark with the flow's next
 * sequence number.
 */
void gen_write(struct gen *g, uint8_t *to, uint32_t len, unsigned flow);

/*
 * Read the mark of a packet of len bytes, with or without a VLAN tag. Returns false if it has none.
 * *intact: the checksum is right.
 */
bool gen_mark_read(const uint8_t *pkt, uint32_t len, struct gen_mark *mark, bool *intact);
