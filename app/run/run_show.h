/* A run in words: its configuration in testpmd's format, a one-line summary, and explain drops. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct run;

/*
 * `show config fwd`: the plan of the current run, or the plan that start would use now. Errors:
 * those of run_plan(). Thread: control, all of this file.
 */
int run_show_fwd(struct run *r, struct err *e);

/*
 * Print one line with the ring sizes, pool and cache that the user did not set; nothing if all were
 * set. JSON: "defaults".
 */
void run_show_defaults(const struct run *r);

/* `show config rxtx`: engine, burst, and per port the queues, thresholds and offloads. */
void run_show_rxtx(const struct run *r);

/* `show config cores`: the forwarding lcores. */
void run_show_cores(const struct run *r);

/* `show config txpkts`, `show config txtimes`: the packets that txonly and flowgen create. */
void run_show_txpkts(const struct run *r);
void run_show_txtimes(const struct run *r);

/* explain drops: where and why a run lost packets, and what to do about it. */

/*
 * List every cause of packet loss in the current or last run: missed packets, empty pools, full Tx
 * rings, errors, and the engine's own drop counters. JSON: {"causes": [{"port", "cause", "packets",
 * "text"}]}. Errors: ENOENT if there was no run. Thread: control.
 */
int run_drops_explain(struct run *r, struct err *e);

/* A one-line summary of a run: duration, packets, rate, share of line rate, loss, cycles. */

/* From the start or the last clear until now or the stop. NAN: not measured or unknown. */
struct run_summary {
	double seconds;
	uint64_t packets;        /* sent, or received if the engine never sends */
	uint64_t received, sent; /* sums over the streams */
	bool receives, sends;    /* whether the engine can receive, send */
	double pps;
	double l2_bps;   /* of the frames as ports count bytes, without the Ethernet checksum */
	double l1_bps;   /* with checksum, preamble and gap: 24 more bytes per frame */
	double line_bps; /* sum over the Tx ports' links, or the Rx ports' if nothing is sent */
	double loss;     /* lost / offered */
	double cycles;   /* per packet, while cycles were counted */
	uint64_t lost, offered; /* packets, see run_count.h */
};

/* Compute the summary; r->streams must not be NULL. Thread: control, all of this file. */
void run_summary_read(const struct run *r, struct run_summary *s);

/*
 * Print the summary as a line of text, or as the JSON member "summary"; each does nothing in the
 * other format, and before the first start.
 */
void run_summary_text(const struct run *r);
void run_summary_json(const struct run *r);
