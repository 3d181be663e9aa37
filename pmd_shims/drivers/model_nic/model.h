/* The parts of a modelled NIC: a port with registers and rings, a family for its chip, frames
 * between ring and wire. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/family.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	MODEL_PORTS_MAX = 32,
	MODEL_QUEUES_MAX = 128, /* rings a driver may enable; i40e counts FDIR and VSI queues too */
	MODEL_DATA_QUEUES =
		64,       /* maximum queues that traffic is spread over; a family may have fewer */
	MODEL_BURST = 64, /* maximum frames moved between a ring and the wire at a time */
	MODEL_TX_CONTEXTS = 2,   /* contexts that a Tx ring stores */
	MODEL_VECTORS_MAX = 129, /* of MSI-X */
};

/* Descriptors that were taken from a Tx ring and are not reported as done yet. */
struct tx_taken {
	/* number of packets of one descriptor without offloads; 0: none, or also others */
	uint16_t plain;
	uint16_t head;    /* their first descriptor */
	uint64_t reports; /* bit i: descriptor head + i has to be reported */
	uint64_t bytes;
	uint64_t sizes; /* classes of length in lanes of 8 bits, see counts.h */
};

/* Contents of a context descriptor, which apply to packets after it. */
struct tx_context {
	uint16_t vlan, mss, flags; /* FRAME_* */
	uint16_t l2_len, l3_len, l4_len;
};

/*
 * A hardware ring. Written by the thread that moves frames, except for the fields that queue set-up
 * writes while enabled is false (model_ring_enable() publishes them).
 */
struct ring {
	_Atomic bool enabled;
	uint16_t index;     /* number of the hardware queue */
	int16_t data_queue; /* 0..MODEL_DATA_QUEUES-1; -1: carries no traffic (FDIR) */
	uint16_t size;      /* descriptors, of desc_size bytes each */
	uint8_t desc_size;
	uint8_t *desc;
	volatile uint32_t *tail; /* doorbell; written by the driver */
	/* next descriptor to use; the family publishes it on demand */
	uint16_t head;
	uint16_t seen;           /* descriptors before this one are in the ownership map */
	uint16_t buf_len;        /* Rx: room of a buffer, bytes */
	uint64_t packets, bytes; /* for the NIC's own counters */
	uint32_t partial;        /* Rx: bytes so far of a packet whose end is missing */
	struct tx_taken taken;
	struct tx_context context[MODEL_TX_CONTEXTS]; /* Tx: contexts in force at head */
};

struct traffic; /* source, sink, verification and faults of one port: traffic.h */

struct model {
	unsigned port; /* position in MODEL_NIC, from 0 */
	const struct model_family *family;
	void *state;         /* family->state_size bytes, zeroed before the probe */
	uint8_t *bar;        /* BAR for the model: plain memory */
	uint8_t *bar_driver; /* BAR for the driver: accesses trap */
	uint8_t mac[6];
	_Atomic bool link_up; /* written by model_life.c; faults request MODEL_LINK_... */
	/*
	 * True between model_power_on() and _off(): BAR and rings may be used. Written by
	 * model_life.c, with accesses of the driver and polls locked out.
	 */
	_Atomic bool on;
	/*
	 * The driver's configuration; written by the family under the trap's lock, read by the
	 * thread that moves frames.
	 */
	_Atomic uint32_t frame_max; /* maximum frame that Rx accepts, bytes without CRC */
	/* shorter frames get padding when they are sent; bytes without CRC; 0: they get none */
	_Atomic uint32_t tx_frame_min;
	_Atomic bool vlan_strip, rx_csum, scattered;
	/* EtherType of an outer tag that is stripped beside the inner one, with vlan_strip; 0: none */
	_Atomic uint16_t outer_strip;
	_Atomic bool watched; /* see model_watch() */
	/* number of changes of RSS key or table, after which a source recomputes its queues */
	_Atomic uint32_t rss_generation;
	struct ring rx[MODEL_QUEUES_MAX], tx[MODEL_QUEUES_MAX]; /* by hardware queue */
	unsigned rings; /* rings beyond these were never enabled; under the lock of polls */
	struct traffic *traffic;
	int interrupt_fd; /* writing interrupt_bytes bytes raises the driver's interrupt; -1: none */
	uint8_t interrupt_bytes; /* 4: a pipe, as of UIO; 8: an event */
	/*
	 * A guest's card uses MSI-X: an event for each vector, -1: none. Written by model_life.c,
	 * with accesses of the driver and polls locked out.
	 */
	bool vectored;
	int vector_fd[MODEL_VECTORS_MAX];
	_Atomic uint64_t link_changes; /* for the report; counted by model_life.c */
	_Atomic uint64_t resets;       /* resets by the driver; counted by the family */
	_Atomic uint32_t asked;        /* enum model_ask bits; done and cleared after each poll */
	int log;                       /* maximum level of lines that model_log() prints */
};

/* Read or write a register without a trap. offset: bytes in the BAR, a multiple of 4. */
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

/* Requests of a poll, which are carried out after it in this order: polls change no registers. */
enum model_ask {
	MODEL_LINK_DOWN = 1 << 0, /* set the link down */
	MODEL_LINK_UP = 1 << 1,   /* set the link up */
	MODEL_ANNOUNCE = 1 << 2,  /* family->reset_announce() */
	MODEL_RESET = 1 << 3,     /* family->reset(), not requested by the driver */
};

/*
 * Request something to be done after this poll; of link up and down, the later one counts. Thread:
 * the one that polls.
 */
void model_ask(struct model *m, enum model_ask what);

/*
 * The model of a port; NULL: MODEL_NIC lists no such port. Its driver may not have probed it.
 */
struct model *model_port(unsigned port);

/*
 * The model of a port, 0..MODEL_PORTS_MAX-1; if there is none, makes one without family and state.
 * NULL if memory is short. Thread: the one that configures.
 */
struct model *model_make(unsigned port);

/* Free all models and their states; for tests, when nothing runs any more. */
void models_free(void);

/* Raise the driver's interrupt. Thread: any. */
void model_interrupt(struct model *m);

/*
 * Raise a vector's interrupt; without MSI-X the only interrupt. Thread: one that polls, or holds
 * trap_lock().
 */
void model_interrupt_vector(struct model *m, unsigned vector);

/* Report that the card has left its slot. Thread: any. */
void model_gone(const struct model *m);

/* Call this function in model_gone() from now on; the default does nothing. */
void model_gone_by(void (*tell)(const struct model *m));

/* Print a log line with the port's name, if MODEL_NIC_LOG is at least level. */
void model_log(const struct model *m, int level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Print the lines of model_log() by this function from now on; the default prints to stderr. */
void model_log_by(void (*print)(const char *line));

/* A fair lock: waiting threads get it in order of arrival, so that the control path is not starved
 * by a thread that takes it all the time. */

struct ticket {
	atomic_uint next, serving;
};

static inline void
ticket_lock(struct ticket *t)
{
	unsigned mine = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);

	/* Pairs with the release in ticket_unlock(). */
	while (atomic_load_explicit(&t->serving, memory_order_acquire) != mine)
		sched_yield();
}

static inline void
ticket_unlock(struct ticket *t)
{
	unsigned mine = atomic_load_explicit(&t->serving, memory_order_relaxed);

	atomic_store_explicit(&t->serving, mine + 1, memory_order_release);
}
