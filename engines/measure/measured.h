/* What a stream of the engine measure has received: statistics, and their output. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: "loss 0 %" is worth nothing if a packet that was never sent, sent twice, damaged or
 * someone else's is not told apart from one that arrived; and a latency is worth nothing if it
 * begins when the sender got around to sending (coordinated omission).
 *
 * The idea: every packet that is sent carries a probe (probe.h): its flow, its
 * sequence number and the time at which it was due, with a CRC that a key of the run begins. On
 * arrival a packet is in exactly one row: unique, duplicated, too old to tell, damaged, or foreign.
 * Reordered is a property beside these. Lost is what has a number and is not unique. Latency is from due to arrival, as
 * histograms with a relative error bound (hdr.h), of each stream and, if asked for, of each flow.
 * What was not sent in time is counted as unsent, beside the lateness of what was sent.
 *
 * Why not a counter of bytes or the port's counters: those of a tap, of a card with VLAN filters or
 * of a kernel in between count other things. They are shown beside it, never in place of it.
 *
 * Limits: duplicates and order are known within a window of sequence numbers (arrivals.h); older
 * ones are too_old. A quantile is printed only if enough packets are beyond it. By the TSC, packets
 * of one receive call arrive at the same time; nic_clock.h tells what a card's clock makes of that.
 */
#pragma once

#include "base/hdr.h"
#include "engines/engine.h"
#include "engines/measure/arrivals.h"
#include "engines/measure/hosts.h"
#include "engines/measure/lane_run.h"
#include "engines/measure/nic_clock.h"

#include <rte_ethdev.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct out;

/* The engine's counters, in their order. */
enum {
	MEASURED_UNSENT,
	MEASURED_UNIQUE,
	MEASURED_DUPLICATED,
	MEASURED_REORDERED,
	MEASURED_TOO_OLD,
	MEASURED_DAMAGED,
	MEASURED_FOREIGN,
	MEASURED_CLOCK,
	MEASURED_ANSWERED,
	MEASURED_ANSWERS_DROPPED
};

/* Results of a stream, valid until the next start. */
struct measured {
	struct hdr latency; /* ns from due to received, of unique packets */
	/*
	 * ns between the arrivals of packets that follow each other, of any packets. By the TSC,
	 * those of one receive call arrive at the same time.
	 */
	struct hdr gaps;
	struct hdr late;        /* ns from due to after the transmit call, of sent packets */
	uint64_t arrived;       /* TSC when the last packet arrived; 0: none has */
	struct nic_clock clock; /* by which packets arrive if it is used; else by the TSC */
	counter sent;           /* packets with a sequence number */
	uint32_t base, flows;   /* of the flows that the stream sends */
	uint32_t n;             /* flows of all streams */
	uint64_t lost;          /* measured_lost() of what the stream sent; valid after the run */
	struct arrivals *arrivals; /* of each flow, in this stream */
	/* As latency, of each flow; NULL: the setting measure-flow-latency is off. */
	struct hdr *flow_latency;
	struct lanes_run *lanes; /* that the run sends; NULL: none. Freed with the first stream. */
	/* As latency, of each of n_lanes lanes; NULL: not of this one. */
	struct hdr **lane_latency;
	unsigned int n_lanes;
	struct host_run host;
};

/* Latency of a receiving port without a device between the ports: what the tool adds to each result. */
struct measured_bias {
	uint64_t n;             /* packets; 0: not measured */
	uint64_t min, p50, p99; /* ns; STAT_NONE: too few packets */
	bool nic;               /* by the NIC's clock, not by the TSC */
	time_t when;
};

/* Configuration of the engine, which outlives runs. */
struct measured_config {
	struct lanes lanes;  /* must be the first member; generate sends them, too */
	atomic_uint sending; /* lcores that still send */
	uint32_t mark, key;  /* of the last run's probes */
	struct hosts hosts;
	struct measured_bias bias[RTE_MAX_ETHPORTS]; /* by receiving port */
	rte_spinlock_t clock_lock[RTE_MAX_ETHPORTS]; /* of the ports' clocks */
};

/* The groups measure (loss, latency and jitter of a stream) and measure_times (gaps, lateness). */
extern const struct engine_group measured_groups[2];

/* The histograms of a stream. */
enum { MEASURED_TIMES_LATENCY, MEASURED_TIMES_GAP, MEASURED_TIMES_LATE, MEASURED_TIMES };
extern const struct engine_times measured_times[MEASURED_TIMES];

/* How many packets of flow number i, of all streams, arrived intact. Thread: as measured_unique(). */
uint64_t measured_flow_unique(struct stream *const *streams, unsigned int n, uint32_t i);

/*
 * How many packets that the stream sent arrived intact, in any stream. Thread: any that holds the
 * run's lock, or control in fini().
 */
uint64_t measured_unique(const struct stream *s);

/*
 * Packets that were lost. STAT_NONE: more arrived intact than were sent, so it is not known. A
 * duplicate that another stream received is unique there.
 */
static inline uint64_t
measured_lost(uint64_t sent, uint64_t unique)
{
	return unique <= sent ? sent - unique : STAT_NONE;
}

/*
 * Prepare a stream to receive the lanes of a run: a histogram of each whose latency is to be measured.
 * ENOMEM. Thread: control, before the run.
 */
int measured_lanes_expect(const struct stream *s, struct lanes_run *set, struct err *e);

/* sums() of struct engine_trial. */
struct engine_sums measured_sums(struct stream *const *streams, unsigned int n);

/*
 * Read the latency of all streams that receive on a port, as a bias measured now. ENOMEM. Thread:
 * control, after a run.
 */
int measured_bias_read(struct measured_bias *to, struct stream *const *streams, unsigned int n,
	uint16_t rx_port, struct err *e);

/* Print members of a bias, and the end of a line: "min 0.2, p50 0.6, p99 2.1". */
void measured_bias_show(struct out *o, const struct measured_bias *bias);

/* show() of struct engine. */
void measured_show(struct out *o, const struct stream *s, bool running);
