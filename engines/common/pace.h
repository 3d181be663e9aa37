/* Pace: when each packet of a stream is due, by the TSC. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct stream;

/* Bounds of packets per second: above one per nanosecond a gap has no meaning. */
#define PACE_PPS_MIN 1e-3
#define PACE_PPS_MAX 1e9
#define PACE_BPS_MAX 1e14

enum pace_gaps {
	PACE_EVEN,    /* equal gaps */
	PACE_BURSTS,  /* bursts of packets that are due at the same time, with equal gaps */
	PACE_POISSON, /* exponentially distributed gaps: a Poisson process */
	PACE_PAUSES   /* bursts of packets with equal gaps, and a pause behind each */
};

/* Gaps as they were typed. */
struct pace_shape {
	enum pace_gaps gaps;
	uint32_t burst; /* packets of a burst */
	double pause;   /* PACE_PAUSES: seconds, added to the gap behind a burst */
};

enum pace_unit {
	PACE_MAX,     /* as fast as the port accepts packets */
	PACE_PACKETS, /* packets per second */
	PACE_BITS,    /* bits per second on the wire */
	PACE_PERCENT, /* percent of the port's line rate */
};

/* A rate as it was typed. */
struct pace_rate {
	enum pace_unit unit;
	double value;
};

/*
 * Parse a rate: "max", "1000000", "1.5Mpps", "10Gbps" (k, M or G) or "10G", "50%"; units
 * in any case. EINVAL: not a rate; ERANGE: 0 or less, above 100 % or PACE_BPS_MAX, or packets/s
 * outside of PACE_PPS_MIN to PACE_PPS_MAX.
 */
int pace_rate_parse(const char *text, struct pace_rate *rate, struct err *e);

/* Parse "even", "poisson", "burst:N" or "burst:N:TIME". EINVAL: none of them. */
int pace_gaps_parse(const char *text, struct pace_shape *shape, struct err *e);

/*
 * Convert a rate to packets per second. bytes: mean length without CRC; line_bps: of the port, 0 if
 * unknown. Returns 0 for PACE_MAX, and below 0 if the rate needs a line rate that is unknown.
 */
double pace_pps(const struct pace_rate *rate, double bytes, double line_bps);

/*
 * Return how many streams of the run send to the Tx port of s, which share its rate or packets.
 * *before: those of them before s. Thread: control.
 */
unsigned int pace_senders(const struct stream *s, unsigned int *before);

/* The setting generate-late. */
extern const struct setting_table pace_settings;

/* Return the setting generate-late in TSC ticks. Thread: control. */
uint64_t pace_late(const struct stream *s);

/* The counter of engines that send packets when they are due. */
#define PACE_UNSENT_ROW \
	{ \
		.name = "unsent", \
		.help = "packets that were due, but not sent within generate-late", \
		.part = STAT_UNSENT \
	}

/* Late packets that are skipped in a poll at most. */
#define PACE_SKIP 1024

#define PACE_TABLE 1024

/* Written by the stream's worker after pace_open(). */
struct pace {
	bool paced; /* false: packets are always due */
	enum pace_gaps gaps;
	uint32_t burst, left; /* packets per burst, packets left of the current one */
	/* Time between packets (PACE_BURSTS: bursts), and when the next one is due, in TSC ticks
	 * and 2^-32 of one. */
	uint64_t step, due;
	uint32_t step_part, due_part;
	uint64_t random;
	uint32_t table[PACE_TABLE]; /* PACE_POISSON: see pace.c */
	uint64_t pause;             /* PACE_PAUSES: ticks */
};

/*
 * Begin: the first packet is due at begin. pps: packets per second, 0: as fast as possible. tsc_hz:
 * ticks per second. seed: of random gaps.
 */
void pace_open(struct pace *p, double pps, const struct pace_shape *shape, uint64_t begin,
	double tsc_hz, uint64_t seed);

/* Advance to the next packet, of gaps from PACE_POISSON on. */
void pace_uneven_next(struct pace *p);

/* Advance to the next packet. Thread: the stream's worker. */
static inline void
pace_next(struct pace *p)
{
	uint64_t part;

	if (p->gaps == PACE_BURSTS) {
		if (--p->left > 0)
			return;
		p->left = p->burst;
	} else if (p->gaps >= PACE_POISSON) {
		pace_uneven_next(p);
		return;
	}
	part = (uint64_t)p->due_part + p->step_part;
	p->due += p->step + (part >> 32);
	p->due_part = (uint32_t)part;
}
