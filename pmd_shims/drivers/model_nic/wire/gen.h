/* Generated packets: flows, sizes, and the mark by which a verified packet is known again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

struct port_config;

enum { GEN_HEADERS = 42, GEN_MARK = 16, GEN_LENGTH_MAX = 16384 };

/*
 * The first bytes behind the UDP header of a verified packet. In host order: it comes back to the
 * same machine.
 */
struct gen_mark {
	uint32_t magic;
	uint16_t port, flow;
	uint32_t sequence;
	uint32_t sum; /* of what stands before it and of the payload behind */
};

struct gen_flow {
	uint32_t sequence, hash;
	uint16_t queue;
};

struct gen {
	const struct port_config *config;
	unsigned port;
	struct gen_flow *flow;                 /* config->flows of them */
	uint16_t *by_queue;                    /* flow numbers, those of each queue together */
	uint32_t first[MODEL_DATA_QUEUES + 1]; /* where each queue's begin in by_queue */
	uint32_t turn[MODEL_DATA_QUEUES];      /* the one whose turn it is */
	uint32_t generation;                   /* of the port's RSS, when hashes were computed */
	uint32_t step;                         /* place in the sizes */
};

/* 0, or -1 when memory is short. */
int gen_open(struct gen *g, const struct model *m, const struct port_config *c);
void gen_close(struct gen *g);

/* The flow whose turn it is on a queue; -1: RSS sends none there. */
int gen_next_flow(struct gen *g, struct model *m, uint16_t queue);

/* The length of the next packet, bytes without CRC. */
uint32_t gen_next_length(struct gen *g);

/*
 * Write a packet of a flow: len bytes at to. With config->verify it carries the flow's next
 * sequence number.
 */
void gen_write(struct gen *g, uint8_t *to, uint32_t len, unsigned flow);

/*
 * The mark of a packet of len bytes, VLAN tags passed. false: it has none. *intact: its sum is
 * right.
 */
bool gen_mark_read(const uint8_t *pkt, uint32_t len, struct gen_mark *mark, bool *intact);
