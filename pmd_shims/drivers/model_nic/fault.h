/* Faults of a modelled NIC, in words and at work. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 *   link down MS    the cable is out for so long
 *   stall tx MS     nothing that the driver posts is sent or reported done
 *   starve rx MS    no packet reaches the driver
 *   error N         the next N packets have a MAC error in their descriptor
 *   oversize N      N packets come that are longer than the driver accepts
 *   jumbo N         N packets come that are as long as the driver accepts, in several buffers where one is shorter
 *   reset           the card announces a reset of its own, and 100 ms later does it: rings off, registers as at power on
 * MS: milliseconds, 1 to 3600000. N: packets, 1 to 1000000000. Asked for again while at work: times
 * start again, packets add up.
 */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

struct model_nic_report;

enum fault_kind {
	FAULT_LINK,
	FAULT_STALL,
	FAULT_STARVE,
	FAULT_ERROR,
	FAULT_OVERSIZE,
	FAULT_JUMBO,
	FAULT_RESET,
	FAULT_KINDS
};

struct fault {
	enum fault_kind kind;
	uint64_t amount; /* milliseconds or packets; 1 for a reset */
};

/* "want ...": what fault_parse() understands, for people. */
extern const char fault_words[];

/* false: not understood. */
bool fault_parse(const char *words, struct fault *f);

/* Of one port. */
struct faults {
	_Atomic uint64_t asked[FAULT_KINDS]; /* by any thread; taken in the next poll */
	atomic_bool any;                     /* of them */
	/* The rest: the thread that moves frames. */
	bool timed;                     /* some end is awaited */
	uint64_t until_ns[FAULT_KINDS]; /* 0: not at work. Of a reset: when it comes */
	uint64_t packets[FAULT_KINDS];  /* still to come */
};

/* To be done in the next poll. Thread: any. */
void faults_ask(struct faults *f, const struct fault *fault);

/* Is there anything for faults_poll() to do? */
static inline bool
faults_busy(const struct faults *f)
{
	return f->timed || atomic_load_explicit(&f->any, memory_order_relaxed);
}

/* Begin what was asked for, end what is over, in a poll; counts in *r. Calls model_ask(). */
void faults_poll(struct faults *f, struct model *m, uint64_t now_ns, struct model_nic_report *r);

/* Is it at work? Of those that last for a time. */
static inline bool
faults_last(const struct faults *f, enum fault_kind kind)
{
	return f->until_ns[kind] != 0;
}
