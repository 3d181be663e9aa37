/* What a modelled NIC is made of: a port with registers and rings, a family that knows one chip,
 * frames between ring and wire. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/family.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MODEL_PORTS_MAX = 32,
	MODEL_QUEUES_MAX = 64,  /* rings a driver may enable; i40e counts FDIR and VSI queues too */
	MODEL_DATA_QUEUES = 16, /* queues that traffic is spread over */
	MODEL_BURST = 64,       /* frames moved between a ring and the wire in one go */
	MODEL_TX_CONTEXTS = 2,  /* that a Tx ring keeps */
};

/* What was taken from a Tx ring and is not reported done yet. */
struct tx_taken {
	/* packets of one descriptor, without offloads; 0: nothing, or not only such */
	uint16_t plain;
	uint16_t head;    /* where they begin */
	uint64_t reports; /* bit i: descriptor head + i asks to be reported */
	uint64_t bytes;
	uint64_t sizes; /* in lanes of 8 bits, see counts.h */
};

/* What a context descriptor said of packets behind it. */
struct tx_context {
	uint16_t vlan, mss, flags; /* FRAME_* */
	uint16_t l2_len, l3_len, l4_len;
};

/*
 * One hardware ring. Written by the thread that moves frames, but for the fields that queue set-up
 * writes while enabled is false (model_ring_enable() publishes them).
 */
struct ring {
	_Atomic bool enabled;
	uint16_t index;     /* hardware queue */
	int16_t data_queue; /* 0..MODEL_DATA_QUEUES-1, -1: carries no traffic (FDIR) */
	uint16_t size;      /* descriptors, of desc_size bytes each */
	uint8_t desc_size;
	uint8_t *desc;
	volatile uint32_t *tail; /* doorbell; the driver writes it */
	/* next descriptor to use; private to the model, published by the family on demand */
	uint16_t head;
	uint16_t seen;           /* descriptors before this one went through the ownership map */
	uint16_t buf_len;        /* Rx: room that one descriptor offers, bytes */
	uint64_t packets, bytes; /* as the NIC's own counters */
	uint32_t partial;        /* Rx: bytes of a packet whose end was not given yet */
	struct tx_taken taken;
	struct tx_context context[MODEL_TX_CONTEXTS]; /* Tx: as of head */
};

struct traffic; /* source, sink, verification and faults of one port: traffic.h */

struct model {
	unsigned port; /* as MODEL_NIC lists them, 0.. */
	const struct model_family *family;
	void *state;         /* family->state_size bytes, zeroed before probe */
	uint8_t *bar;        /* the model's view: plain memory */
	uint8_t *bar_driver; /* the driver's view: trapped */
	uint8_t mac[6];
	_Atomic bool link_up; /* written by model_life.c; a fault asks for MODEL_LINK_... */
	/*
	 * What the driver configured; written by the family under trap, read by the thread that
	 * moves frames.
	 */
	_Atomic uint32_t frame_max; /* longest frame that Rx accepts, bytes without CRC */
	_Atomic bool vlan_strip, rx_csum, scattered;
	_Atomic bool watched; /* see model_watch() */
	/* counts changes of RSS key or table: a source recomputes its queues */
	_Atomic uint32_t rss_generation;
	struct ring rx[MODEL_QUEUES_MAX], tx[MODEL_QUEUES_MAX]; /* by hardware queue */
	struct traffic *traffic;
	int interrupt_fd;              /* write 4 bytes: the driver's interrupt handler runs */
	_Atomic uint64_t link_changes; /* for the report; model_life.c counts */
	_Atomic uint64_t resets;       /* asked for by the driver; the family counts */
	_Atomic uint32_t asked;        /* enum model_ask bits; done and cleared after each poll */
	int log;                       /* what model_log() says: lines up to this level */
};

/* A register in the model's own view, untrapped. offset: bytes, a multiple of 4. */
static inline uint32_t
model_reg(const struct model *m, uint32_t offset)
{
	return *(const volatile uint32_t *)(const volatile void *)(m->bar + offset);
}

static inline void
model_reg_set(struct model *m, uint32_t offset, uint32_t value)
{
	*(volatile uint32_t *)(volatile void *)(m->bar + offset) = value;
}

/* What a poll may ask for: registers change between polls, in this order. */
enum model_ask {
	MODEL_LINK_DOWN = 1 << 0, /* pull the cable */
	MODEL_LINK_UP = 1 << 1,   /* plug it */
	MODEL_ANNOUNCE = 1 << 2,  /* family->reset_announce() */
	MODEL_RESET = 1 << 3,     /* family->reset(), for which the driver did not ask */
};

/* Have it done after this poll; of the link up and down, the later counts. Thread: the one that polls. */
void model_ask(struct model *m, enum model_ask what);

/*
 * The model of a port, for wires; NULL: MODEL_NIC lists no such port. Its driver may not have
 * probed.
 */
struct model *model_port(unsigned port);

/*
 * The model of a port, 0..MODEL_PORTS_MAX-1, made if there is none: without family and state. NULL
 * when memory is short. Thread: the one that configures.
 */
struct model *model_make(unsigned port);

/* All models and their states, where nothing runs any more: tests. */
void models_free(void);

/* Make the driver's interrupt handler run. Thread: any. */
void model_interrupt(struct model *m);

/* A log line with the port's name, when MODEL_NIC_LOG is set to level or more. */
void model_log(const struct model *m, int level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Print the lines of model_log() by that function from now on; before, they go to stderr. */
void model_log_by(void (*print)(const char *line));
