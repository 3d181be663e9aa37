/* The result of a run in a line: duration, packets, rate, share of line rate, loss, cycles; and its
 * verdict. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "run/account/run_account.h"

#include <stdbool.h>
#include <stdint.h>

struct run;

/* From the start or the last clear until now or the stop. NAN: not measured or unknown. */
struct run_summary {
	double seconds;
	uint64_t packets;        /* sent, or received if the engine never sends */
	uint64_t received, sent; /* sums over the streams; sent without transmit errors */
	bool receives, sends;    /* whether the engine can receive, send */
	double pps;
	double l2_bps;   /* of the frames as ports count bytes, without the Ethernet checksum */
	double l1_bps;   /* with checksum, preamble and gap: 24 more bytes per frame */
	double line_bps; /* sum over the Tx ports' links, or the Rx ports' if nothing is sent */
	double loss;     /* lost / offered */
	double cycles;   /* per packet, while cycles were counted */
	struct run_account account;
};

/* Compute the summary; r->streams must not be NULL. Thread: control, all of this file. */
void run_summary_read(const struct run *r, struct run_summary *s);

/*
 * Print the summary as a line of text, or as the JSON member "summary"; each does nothing in the
 * other format, and before the first start.
 */
void run_summary_text(const struct run *r);
void run_summary_json(const struct run *r);

/*
 * Print what went wrong in the last run in a line: packets that were due and not sent, lost, or
 * missing in the ports' counters. Prints nothing if nothing did, and in JSON, whose summary has
 * it.
 */
void run_summary_verdict(const struct run *r);
