/* What the files of the 82599 and the X540 share: state, and who does what with it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "model_nic/ixgbe/ixgbe_regs.h"
#include "model_nic/sizes.h"
#include "model_nic/wire/packet.h"

enum {
	/* combinations of the flags that an Rx descriptor shows */
	IXGBE_RX_WORDS = FRAME_ERROR * 2,
	IXGBE_COUNTERS = 22, /* that trap, see ixgbe_stats.c */
};

/* What a context descriptor said; data descriptors name it until another takes its place. */
struct ixgbe_context {
	uint16_t vlan, mss, flags; /* FRAME_* */
	uint16_t l2_len, l3_len, l4_len;
};

enum { IXGBE_CONTEXTS = 2 }; /* that a Tx queue keeps */

/* An EEPROM on two wires, in the module. */
struct ixgbe_module {
	bool clock, data,
		sent; /* the lines as the driver holds them; what the module puts on data */
	enum { MODULE_IDLE, MODULE_ADDRESS, MODULE_OFFSET, MODULE_READ } phase;
	uint8_t clocks; /* of this byte, the acknowledgement is the ninth */
	uint8_t byte, at;
};

/*
 * Totals of the port at one moment. Octets have the CRC, bytes have it where the driver wants to
 * see it.
 */
struct ixgbe_totals {
	uint64_t rx, rx_bytes, rx_octets, tx, tx_octets, missed, oversize, errors;
	uint64_t rx_sizes[SIZES - 1], tx_sizes[SIZES - 1];
};

/* What a queue had counted when its counters were read last. */
struct ixgbe_queue_seen {
	uint64_t rx, rx_bytes, tx, tx_bytes;
};

struct ixgbe_hash {
	uint32_t generation; /* of m->rss_generation that it was made for, plus 1; 0: never */
	struct toeplitz toeplitz;
};

struct ixgbe {
	_Atomic uint32_t cause, mask; /* EICR; EIMS */
	_Atomic bool crc_stays;
	/*
	 * Type of hash that a descriptor shows, 4 bits for each combination of FRAME_IPV4, IPV6,
	 * TCP and UDP.
	 */
	_Atomic uint64_t hash_types;
	_Atomic uint32_t rx_cause[MODEL_DATA_QUEUES]; /* what packets raise; 0: nothing */
	/* Control of each queue as last acted on. Written under trap_lock(). */
	_Atomic uint32_t rx_seen[MODEL_DATA_QUEUES], tx_seen[MODEL_DATA_QUEUES];
	uint32_t tx_head[MODEL_DATA_QUEUES]; /* as the model left each queue's register */
	unsigned idle; /* turns without work. By the thread that moves frames */
	struct ixgbe_module module;
	struct ixgbe_context context[MODEL_DATA_QUEUES]
				    [IXGBE_CONTEXTS]; /* as of each Tx ring's head */
	struct tx_taken taken[MODEL_QUEUES_MAX];
	uint32_t rx_partial[MODEL_QUEUES_MAX]; /* bytes of a packet whose end was not given yet */
	/* An Rx descriptor by a frame's flags: status and errors, type of packet. */
	uint32_t rx_status[IXGBE_RX_WORDS];
	uint16_t rx_type[IXGBE_RX_WORDS];
	uint8_t size_lane[256]; /* see size_lane() */
	struct ixgbe_hash hash;
	/* Counters that rings do not keep; written by the thread that moves frames. */
	uint64_t rx_sizes[SIZES], tx_sizes[SIZES], rx_errors;
	/* Of registers, which clear when they are read. Under trap_lock(). */
	struct ixgbe_totals total; /* at the moment that registers show */
	uint64_t fresh;            /* counters not read since then, a bit each */
	struct ixgbe_queue_seen port_seen, queue_seen[MODEL_DATA_QUEUES];
	uint64_t seen[IXGBE_COUNTERS];       /* the total when each was read last */
	uint64_t missed_seen, oversize_seen; /* of the report, which can be reset */
};

static inline struct ixgbe *
ixgbe_state(const struct model *m)
{
	return m->state;
}

/* A register of a ring's queue. */
static inline volatile uint32_t *
ixgbe_queue_reg(const struct ring *r, uint32_t offset)
{
	return r->tail + ((int)offset - IXGBE_TAIL) / 4;
}

/* Show a head, or IXGBE_HEAD_HIDDEN. Thread: the one that moves frames. */
static inline void
ixgbe_tx_head_set(struct model *m, const struct ring *r, uint32_t head)
{
	ixgbe_state(m)->tx_head[r->index] = head;
	*ixgbe_queue_reg(r, IXGBE_HEAD) = head;
}

/*
 * The driver has not stopped the ring's queue, nor started another life of it, since the turn
 * began: its descriptors may be written.
 */
static inline bool
ixgbe_ring_stands(const struct ring *r)
{
	return (*ixgbe_queue_reg(r, IXGBE_QUEUE_CONTROL) & IXGBE_QUEUE_ENABLE) != 0 &&
		*ixgbe_queue_reg(r, IXGBE_HEAD) == IXGBE_HEAD_HIDDEN;
}

/*
 * Raise the driver's interrupt for causes, when it lets them; else when it does next. Thread: any.
 */
void ixgbe_cause(struct model *m, uint32_t causes);

/*
 * Rings follow what the driver wrote into the queues' blocks, which it does unseen. Thread: under
 * trap_lock().
 */
void ixgbe_queues_follow(struct model *m);

/* All queues' registers and rings as after power on. Thread: under trap_lock(). */
void ixgbe_queues_reset(struct model *m);

/* model_family.watch; ixgbe_queues_follow() acts upon it. */
bool ixgbe_queues_watch(struct model *m, unsigned moved);

/* Fill rx_status, rx_type and size_lane. */
void ixgbe_tables_make(struct ixgbe *s);

/* MRQC was written. */
void ixgbe_hash_types(struct model *m);

/* The driver moved the two wires to the module: lines in IXGBE_I2C. */
void ixgbe_module_wires(struct model *m, uint32_t value);

/* IXGBE_NVM_READ, IXGBE_NVM_CONTROL were written. */
void ixgbe_nvm_read(struct model *m, uint32_t value);
void ixgbe_nvm_control(struct model *m, uint32_t value);

/*
 * Make a counter's register up to date before it is read: what was counted since it was read last.
 */
void ixgbe_counter_read(struct model *m, uint32_t offset);

/*
 * Another life of a queue begins, at its ring's first descriptor. Thread: any, while the ring is
 * disabled.
 */
void ixgbe_rx_begin(struct model *m, const struct ring *r);
void ixgbe_tx_begin(struct model *m, const struct ring *r);

/* The ring operations, and RSS, of the family: see model.h. */
uint16_t ixgbe_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash);
uint16_t ixgbe_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max);
void ixgbe_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n);
uint16_t ixgbe_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max,
	uint16_t *descs);
void ixgbe_tx_done(struct model *m, struct ring *r, uint16_t descs);
uint8_t *ixgbe_buffer(const struct ring *r, uint16_t i, bool rx);
