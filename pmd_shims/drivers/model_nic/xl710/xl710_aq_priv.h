/* Declarations shared by the files that execute commands of the XL710's admin queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

/* A command, which is overwritten by its answer. */
struct command {
	uint16_t flags, opcode, bytes, result;
	uint32_t cookie[2];
	union {
		uint8_t byte[16];
		uint16_t word[8];
		uint32_t dword[4];
	};
};

enum {
	XL710_AQ_DONE = 1,
	XL710_AQ_COMPLETE = 2,
	XL710_AQ_ERROR = 4,
	XL710_AQ_BUFFER = 0x1000
}; /* flags */

enum result {
	AQ_OK = 0,
	AQ_NO_ENTRY = 2,
	AQ_NO_DEVICE = 6,
	AQ_NO_MEMORY = 9,
	AQ_INVALID = 14,
	AQ_NO_SPACE = 16,
	AQ_NO_SYSTEM = 17
};

/*
 * Execute a command: overwrite *c and buffer with the answer for the driver. buffer: c->bytes long;
 * NULL: the command has no buffer. Returns an enum result. Thread: the driver's, under trap_lock().
 */
typedef uint16_t (*xl710_answer)(struct model *m, struct command *c, uint8_t *buffer);

/*
 * The ring of commands or events that these registers describe, of *size entries. NULL: it is
 * disabled or its size is 0.
 */
struct command *xl710_aq_ring(const struct model *m, uint32_t low, uint32_t high, uint32_t length,
	uint32_t *size);

/*
 * Send an event to the driver and raise the interrupt. Returns false if the driver has provided no
 * buffer. Thread: any that holds trap_lock().
 */
bool xl710_aq_event(struct model *m, const struct command *event);

/* Handle the commands of EtherType filters. */
uint16_t xl710_aq_ethertype(struct model *m, struct command *c, uint8_t *buffer);

/* Handle the commands of MAC and VLAN filters, and of promiscuous modes. */
uint16_t xl710_aq_mac_add(struct model *m, struct command *c, uint8_t *buffer);
uint16_t xl710_aq_mac_remove(struct model *m, struct command *c, uint8_t *buffer);
uint16_t xl710_aq_promiscuous(struct model *m, struct command *c, uint8_t *buffer);
