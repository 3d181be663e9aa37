/* The clock by which a NIC stamps received packets, converted to the TSC. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"

#include <rte_branch_prediction.h>
#include <rte_ethdev.h>
#include <rte_mbuf_dyn.h>
#include <rte_spinlock.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define NIC_CLOCK_NAME 32

/* Read a port's clock, in ticks of the NIC. Returns 0, or not 0 if it cannot be read. */
typedef int nic_clock_read(uint16_t port, uint64_t *ticks);

enum nic_clock_state {
	NIC_CLOCK_NONE,       /* packets have no time stamps */
	NIC_CLOCK_UNREADABLE, /* they have, but the driver cannot read the clock */
	NIC_CLOCK_USED
};

/* Both clocks at one moment. */
struct nic_reading {
	uint64_t tsc, nic;
};

/* The clock of a port, as a receiving stream knows it. Written by control, then by its worker. */
struct nic_clock {
	enum nic_clock_state state;
	char driver[NIC_CLOCK_NAME];
	uint16_t port;
	int offset;    /* of the time stamp in mbufs */
	uint64_t flag; /* of mbufs that have one */
	nic_clock_read *read;
	rte_spinlock_t *lock; /* of the port's clock */
	double tsc_hz;
	double ratio;                         /* TSC ticks per tick of the NIC */
	struct nic_reading first, next, last; /* first: a second or more before last */
	uint64_t again;                       /* TSC when it has to be read again */
	uint64_t shortest;                    /* TSC ticks of the shortest reading */
	uint64_t slack;                       /* TSC ticks by which a time may be wrong */
	counter hz;                           /* ticks of the NIC per second, measured */
	counter read_ns; /* half of the time that the longest reading took: its uncertainty */
	/* the largest difference between a reading and the time that was computed for it */
	counter off_ns;
	counter jumps; /* readings that differed by more than NIC_CLOCK_JUMP_NS */
};

#define NIC_CLOCK_JUMP_NS 100000
/* Between the readings of nic_clock_open() and nic_clock_begin(). */
#define NIC_CLOCK_WAIT_MS 50

/*
 * Find out whether a stream's packets have time stamps, and read the clock for the first time.
 * *c: zeroed. lock: of the port, for all its streams. Thread: control.
 */
void nic_clock_open(struct nic_clock *c, uint16_t port, uint64_t rx_offloads, rte_spinlock_t *lock,
	double tsc_hz);

/* As nic_clock_open(), of packets with time stamps, by that function. */
void nic_clock_open_by(struct nic_clock *c, nic_clock_read *read, rte_spinlock_t *lock,
	double tsc_hz);

/*
 * Begin to convert, NIC_CLOCK_WAIT_MS or more after nic_clock_open(). A clock that cannot be read
 * twice becomes unreadable. Thread: control.
 */
void nic_clock_begin(struct nic_clock *c);

/* Read the clock again; if another lcore does or the reading takes long, later. */
void nic_clock_again(struct nic_clock *c, uint64_t now);

/* Keep the conversion right. Thread: the worker, at each poll. */
static inline void
nic_clock_poll(struct nic_clock *c, uint64_t now)
{
	if (unlikely(now >= c->again))
		nic_clock_again(c, now);
}

/* Convert ticks of the NIC to the TSC. 0: far from now. */
static inline uint64_t
nic_clock_tsc(const struct nic_clock *c, uint64_t nic)
{
	const double ticks = (double)(int64_t)(nic - c->last.nic) * c->ratio;

	if (unlikely(fabs(ticks) > 0x1p50))
		return 0;
	return c->last.tsc + (uint64_t)(int64_t)ticks;
}

/* Return the TSC when the NIC received a packet. 0: it has no time stamp, or no possible one. */
static inline uint64_t
nic_clock_time(const struct nic_clock *c, const struct rte_mbuf *m)
{
	if (unlikely((m->ol_flags & c->flag) == 0))
		return 0;
	return nic_clock_tsc(c, *RTE_MBUF_DYNFIELD(m, c->offset, const rte_mbuf_timestamp_t *));
}
