/* Faults that a modelled NIC can inject. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 *   link down MS    the link is down for MS milliseconds
 *   stall tx MS     for MS milliseconds nothing is sent or reported as done
 *   starve rx MS    for MS milliseconds the driver receives no packets
 *   error N         the next N packets have a MAC error in their descriptor
 *   oversize N      N packets arrive that are longer than the driver accepts
 *   jumbo N         N packets of the maximum accepted length arrive, in several buffers if needed
 *   reset           the card announces a reset and does it 100 ms later: rings are disabled and
 *                   registers have their power-on values
 * MS: 1..3600000. N: 1..1000000000. Repeated while it is active: a time starts again, packets add
 * up.
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

/* "expected ...": the words that fault_parse() accepts, as an error message. */
extern const char fault_words[];

/* Parse a fault into *f. Returns false if the words are invalid. */
bool fault_parse(const char *words, struct fault *f);

/* Faults of one port. */
struct faults {
	_Atomic uint64_t asked[FAULT_KINDS]; /* requests of any thread, read by the next poll */
	atomic_bool any;                     /* there are requests */
	/* The following members are written by the thread that moves frames. */
	bool timed;                     /* a fault with an end time is active */
	uint64_t until_ns[FAULT_KINDS]; /* end, or time of an announced reset; 0: not active */
	uint64_t packets[FAULT_KINDS];  /* packets left */
};

/* Request a fault; it begins in the next poll. Thread: any. */
void faults_ask(struct faults *f, const struct fault *fault);

/* True if faults_poll() has anything to do. */
static inline bool
faults_busy(const struct faults *f)
{
	return f->timed || atomic_load_explicit(&f->any, memory_order_relaxed);
}

/* Begin requested faults and end those whose time is over. Counts in *r; calls model_ask(). */
void faults_poll(struct faults *f, struct model *m, uint64_t now_ns, struct model_nic_report *r);

/* True if a fault that lasts for a time is active. */
static inline bool
faults_last(const struct faults *f, enum fault_kind kind)
{
	return f->until_ns[kind] != 0;
}
