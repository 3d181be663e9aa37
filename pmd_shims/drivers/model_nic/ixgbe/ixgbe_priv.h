/* What the files of the 82599 and the X540 share: state, and who does what with it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/counts.h"
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_regs.h"
#include "pmd_shims/drivers/model_nic/rss.h"

enum {
	/* combinations of the flags that an Rx descriptor shows */
	IXGBE_RX_WORDS = FRAME_ERROR * 2,
	IXGBE_COUNTERS = 22,     /* that trap, see ixgbe_stats.c */
	DIRECTOR_FILTERS = 2047, /* perfect filters of the smallest table */
};

/* An EEPROM on two wires, in the module. */
struct ixgbe_module {
	bool clock, data,
		sent; /* the lines as the driver holds them; what the module puts on data */
	enum { MODULE_IDLE, MODULE_ADDRESS, MODULE_OFFSET, MODULE_READ } phase;
	uint8_t clocks; /* of this byte, the acknowledgement is the ninth */
	uint8_t byte, at;
};

/* Of the port at one moment. Octets have the CRC, seen bytes have it where the driver wants to. */
struct ixgbe_totals {
	struct totals all;
	uint64_t rx_bytes_seen, rx_octets, tx_octets;
};

/* What a queue had counted when its counters were read last. */
struct ixgbe_queue_seen {
	uint64_t rx, rx_bytes, tx, tx_bytes;
};

/* A perfect filter of the flow director: the registers' values when it was added. */
struct director_filter {
	uint32_t hash; /* with the driver's number: what the filter is found by */
	uint32_t command, source, destination, ports, tag;
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
	_Atomic uint64_t clock_began;        /* when the clock began, ns of CLOCK_MONOTONIC */
	uint32_t tx_head[MODEL_DATA_QUEUES]; /* as the model left each queue's register */
	unsigned idle; /* polls without work. By the thread that moves frames */
	struct ixgbe_module module;
	/* An Rx descriptor by a frame's flags: status and errors, type of packet. */
	uint32_t rx_status[IXGBE_RX_WORDS];
	uint16_t rx_type[IXGBE_RX_WORDS];
	struct rss_hash hash;
	struct counts counts;
	/* Of registers, which clear when they are read. Under trap_lock(). */
	struct ixgbe_totals total; /* at the moment that registers show */
	uint64_t fresh;            /* counters not read since then, a bit each */
	struct ixgbe_queue_seen queue_seen[MODEL_DATA_QUEUES];
	uint64_t seen[IXGBE_COUNTERS]; /* the total when each was read last */
	/*
	 * Written under trap_lock(), read by the thread that moves frames: a packet that comes
	 * while rules change may be given by the old ones or the new.
	 */
	struct director_filter director[DIRECTOR_FILTERS];
	_Atomic unsigned director_n;
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

/* Another life of a queue begins. Thread: any, while the ring is disabled. */
static inline void
ixgbe_queue_begin(struct model *m, const struct ring *r, bool rx)
{
	if (rx)
		*ixgbe_queue_reg(r, IXGBE_HEAD) = IXGBE_HEAD_HIDDEN;
	else
		ixgbe_tx_head_set(m, r, IXGBE_HEAD_HIDDEN);
}

/*
 * The driver has not stopped the ring's queue, nor started another life of it, since the poll
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

/* No cause, no mask, no vector. */
void ixgbe_interrupts_reset(struct model *m);

/* A register that interrupts obey was written, or is about to be read. Others: nothing. */
void ixgbe_interrupt_written(struct model *m, uint32_t offset, uint32_t value);
void ixgbe_interrupt_read(struct model *m, uint32_t offset);

/*
 * Rings follow what the driver wrote into the queues' blocks, which it does unseen. Thread: under
 * trap_lock().
 */
void ixgbe_queues_follow(struct model *m);

/* All queues' registers and rings as after power on. Thread: under trap_lock(). */
void ixgbe_queues_reset(struct model *m);

/* model_family.watch; ixgbe_queues_follow() acts upon it. */
bool ixgbe_queues_watch(struct model *m, unsigned moved);

/* Fill rx_status, rx_type and the lanes of counts. */
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
 * The queue that a filter chooses for a packet, MODEL_QUEUE_DROP, or -1 where RSS decides. Thread:
 * the one that moves frames.
 */
int ixgbe_filter(const struct model *m, const struct packet_parts *p, const uint8_t *pkt,
	uint32_t len);

/* An EtherType filter leads messages of IEEE 1588 to the clock. Thread: as ixgbe_filter(). */
bool ixgbe_filter_ptp(const struct model *m);

/* Of a packet that arrives; see model_family.arrived. */
uint16_t ixgbe_time_arrived(struct model *m, const uint8_t *pkt, uint32_t len);

/* Frames go to the wire: keep the time of one whose driver wants it. Thread: as above. */
void ixgbe_time_sent(struct model *m, struct frame *f, uint16_t n);

/* A register of the clock was written, is about to be read, was read. Others: nothing. */
void ixgbe_time_written(struct model *m, uint32_t offset);
void ixgbe_time_read(struct model *m, uint32_t offset);
void ixgbe_time_was_read(struct model *m, uint32_t offset);

/* A register was written: true when it is one of the filters'. */
bool ixgbe_filter_written(struct model *m, uint32_t offset, uint32_t value);

/* The ring operations, and RSS, of the family: see model.h. */
uint16_t ixgbe_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash);
uint16_t ixgbe_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max);
void ixgbe_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n);
uint16_t ixgbe_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max,
	uint16_t *descs);
void ixgbe_tx_done(struct model *m, struct ring *r, uint16_t descs);
uint8_t *ixgbe_buffer(const struct ring *r, uint16_t i, bool rx);
