/* Declarations shared by the files of the 82599 and the X540: state, and functions on it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/counts.h"
#include "pmd_shims/drivers/model_nic/rss.h"

/* Registers of 82599 and X540 that more than one file uses: offsets in the BAR. Source: Intel 82599
 * datasheet, chapter 8. */

enum {
	IXGBE_I2C = 0x28,
	IXGBE_RX_QUEUES = 0x1000, /* blocks of IXGBE_QUEUE_BYTES, as for IXGBE_TX_QUEUES */
	IXGBE_RX_BUFFER = 0x2100, /* SRRCTL of queues 0..15 */
	IXGBE_RX_COUNTER_OF = 0x2300,
	IXGBE_RX_CONTROL = 0x3000,
	IXGBE_MISSED_FIRST = 0x3fa0,
	IXGBE_STATISTICS_END = 0x4200,
	IXGBE_MAC_CONTROL = 0x4240,
	IXGBE_TX_CONTROL = 0x4a80, /* DMATXCTL */
	IXGBE_HASH_CONTROL = 0x5818,
	IXGBE_TABLE = 0x5c00,
	IXGBE_TABLE_WORDS = 32,
	IXGBE_KEY = 0x5c80,
	IXGBE_KEY_WORDS = 10,
	IXGBE_TX_QUEUES = 0x6000,
	IXGBE_TX_COUNTER_OF = 0x8600,
	IXGBE_NVM_CONTROL = 0x10010,
	IXGBE_NVM_READ = 0x10014,
};

/* Offsets in the block of a queue. */
enum {
	IXGBE_QUEUE_BYTES = 0x40,
	IXGBE_BASE_LOW = 0x00,
	IXGBE_BASE_HIGH = 0x04,
	IXGBE_BYTES = 0x08,
	IXGBE_HEAD = 0x10,
	IXGBE_TAIL = 0x18,
	IXGBE_QUEUE_CONTROL = 0x28,
};

#define IXGBE_HEAD_HIDDEN UINT32_C(0xffff)
#define IXGBE_QUEUE_ENABLE (UINT32_C(1) << 25)
#define IXGBE_QUEUE_STRIP (UINT32_C(1) << 30) /* Rx: strip VLAN tags */
/* Bits of IXGBE_MAC_CONTROL. */
#define IXGBE_CRC_STRIP UINT32_C(2)
#define IXGBE_TX_PADS (UINT32_C(1) << 10)

enum {
	IXGBE_QUEUES = 64, /* queues whose register blocks follow each other */
	/* entries of the redirection table have 4 bits; filters, too, choose only from these here */
	IXGBE_DATA_QUEUES = 16,
	/* combinations of flags that appear in an Rx descriptor */
	IXGBE_RX_WORDS = FRAME_ERROR * 2,
	IXGBE_COUNTERS = 22,     /* counters that trap, see ixgbe.c */
	DIRECTOR_FILTERS = 2047, /* size of the smallest table of perfect filters */
};

/* The module's EEPROM on an I2C bus. */
struct ixgbe_module {
	bool clock, data; /* the lines as driven by the driver */
	bool sent;        /* the data line as driven by the module */
	enum { MODULE_IDLE, MODULE_ADDRESS, MODULE_OFFSET, MODULE_READ } phase;
	uint8_t clocks; /* clocks of this byte so far; the acknowledgement is the ninth */
	uint8_t byte, at;
};

/*
 * A port's totals at one moment. Octets include the CRC; seen bytes only if the driver receives it.
 */
struct ixgbe_totals {
	struct totals all;
	uint64_t rx_bytes_seen, rx_octets, tx_octets;
};

/* A queue's counts when its counters were last read. */
struct ixgbe_queue_seen {
	uint64_t rx, rx_bytes, tx, tx_bytes;
};

/* A perfect filter of the flow director: the registers' values when it was added. */
struct director_filter {
	uint32_t hash; /* includes the driver's number; identifies the filter */
	uint32_t command, source, destination, ports, tag;
};

struct ixgbe {
	_Atomic uint32_t cause, mask; /* EICR; EIMS */
	_Atomic bool crc_stays;
	/*
	 * Type of hash in a descriptor, 4 bits for each combination of FRAME_IPV4, IPV6, TCP and
	 * UDP.
	 */
	_Atomic uint64_t hash_types;
	/* causes raised by packets that were received, and by reports of sent ones; 0: none */
	_Atomic uint32_t rx_cause[IXGBE_DATA_QUEUES], tx_cause[IXGBE_DATA_QUEUES];
	/* Control register of each queue when it was last handled. Written under trap_lock(). */
	_Atomic uint32_t rx_seen[IXGBE_DATA_QUEUES], tx_seen[IXGBE_DATA_QUEUES];
	_Atomic uint64_t clock_began;        /* start of the clock, ns of CLOCK_MONOTONIC */
	uint32_t tx_head[IXGBE_DATA_QUEUES]; /* last value that the model wrote to each head */
	unsigned idle;          /* polls without work; written by the thread that moves frames */
	_Atomic bool tx_begins; /* a Tx queue was enabled: polls without work are counted anew */
	struct ixgbe_module module;
	/* Contents of an Rx descriptor by a frame's flags: status and errors, type of packet. */
	uint32_t rx_status[IXGBE_RX_WORDS];
	uint16_t rx_type[IXGBE_RX_WORDS];
	struct rss_hash hash;
	struct counts counts;
	/* For counters, which are cleared by reading. Protected by trap_lock(). */
	struct ixgbe_totals total; /* totals at the moment that the registers show */
	uint64_t fresh;            /* counters that were not read since then, a bit each */
	struct ixgbe_queue_seen queue_seen[IXGBE_DATA_QUEUES];
	uint64_t seen[IXGBE_COUNTERS]; /* each counter's total when it was last read */
	/*
	 * Written under trap_lock(), read by the thread that moves frames: for a packet that
	 * arrives during a change either the old or the new filters may apply.
	 */
	struct director_filter director[DIRECTOR_FILTERS];
	_Atomic unsigned director_n;
};

static inline struct ixgbe *
ixgbe_state(const struct model *m)
{
	return m->state;
}

/* A register in the block of a ring's queue. */
static inline volatile uint32_t *
ixgbe_queue_reg(const struct ring *r, uint32_t offset)
{
	return r->tail + ((int)offset - IXGBE_TAIL) / 4;
}

/*
 * Write a queue's head register: the head or IXGBE_HEAD_HIDDEN. Thread: the one that moves frames.
 */
static inline void
ixgbe_tx_head_set(struct model *m, const struct ring *r, uint32_t head)
{
	ixgbe_state(m)->tx_head[r->index] = head;
	*ixgbe_queue_reg(r, IXGBE_HEAD) = head;
}

/* Prepare a queue that is enabled again. Thread: any, while the ring is disabled. */
static inline void
ixgbe_queue_begin(struct model *m, const struct ring *r, bool rx)
{
	if (rx)
		*ixgbe_queue_reg(r, IXGBE_HEAD) = IXGBE_HEAD_HIDDEN;
	else
		ixgbe_tx_head_set(m, r, IXGBE_HEAD_HIDDEN);
}

/*
 * True if the driver has neither stopped nor restarted the ring's queue since the poll began, so
 * that its descriptors may be written.
 */
static inline bool
ixgbe_ring_stands(const struct ring *r)
{
	return (*ixgbe_queue_reg(r, IXGBE_QUEUE_CONTROL) & IXGBE_QUEUE_ENABLE) != 0 &&
		*ixgbe_queue_reg(r, IXGBE_HEAD) == IXGBE_HEAD_HIDDEN;
}

/*
 * Raise the driver's interrupt for causes, now or as soon as the driver unmasks them. Thread: any.
 */
void ixgbe_cause(struct model *m, uint32_t causes);

/* Clear all causes, masks and vectors. */
void ixgbe_interrupts_reset(struct model *m);

/*
 * Handle the write of a register, or one that is about to be read; ignore others than interrupts'.
 */
void ixgbe_interrupt_written(struct model *m, uint32_t offset, uint32_t value);
void ixgbe_interrupt_read(struct model *m, uint32_t offset);

/* Fill rx_status, rx_type and the table of counts. */
void ixgbe_tables_make(struct ixgbe *s);

/* Update s->hash_types after a write of MRQC. */
void ixgbe_hash_types(struct model *m);

/*
 * The queue that a filter chooses for a packet, MODEL_QUEUE_DROP, or -1 if RSS decides. Thread: the
 * one that moves frames.
 */
int ixgbe_filter(const struct model *m, const struct packet_parts *p, const uint8_t *pkt,
	uint32_t len);

/*
 * True if an EtherType filter passes IEEE 1588 messages to the clock. Thread: as for
 * ixgbe_filter().
 */
bool ixgbe_filter_ptp(const struct model *m);

/* Implements model_family.arrived. */
uint16_t ixgbe_time_arrived(struct model *m, const uint8_t *pkt, uint32_t len);

/*
 * Store the time at which frames with FRAME_STAMPED are sent, and clear the flag. Thread: the one
 * that moves frames.
 */
void ixgbe_time_sent(struct model *m, struct frame *f, uint16_t n);

/*
 * Handle a register that was written, is about to be read, or was read; ignore others than the
 * clock's.
 */
void ixgbe_time_written(struct model *m, uint32_t offset);
void ixgbe_time_read(struct model *m, uint32_t offset);
void ixgbe_time_was_read(struct model *m, uint32_t offset);

/* Handle the write of a register. Returns true if it belongs to a filter. */
bool ixgbe_filter_written(struct model *m, uint32_t offset, uint32_t value);

/* Implement the functions of struct model_family for RSS and rings. */
uint16_t ixgbe_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash);
uint16_t ixgbe_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max);
void ixgbe_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n);
uint16_t ixgbe_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max,
	uint16_t *descs);
void ixgbe_tx_done(struct model *m, struct ring *r, uint16_t descs);
uint8_t *ixgbe_buffer(const struct ring *r, uint16_t i, bool rx);
