/* A run in one line: how long, how much, how fast beside the line, what was lost, what it cost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct run;

/* Since the start or the last clear, to now or to the stop. NAN: not measured, or not known. */
struct run_summary {
	double seconds;
	uint64_t packets;        /* sent; received, by an engine that never sends */
	uint64_t received, sent; /* by streams */
	bool receives, sends;    /* the engine ever does */
	double pps;
	double l2_bps;   /* bits of frames as the ports count their bytes: without checksum */
	double l1_bps;   /* and with that, preamble and gap: 24 bytes more for each frame */
	double line_bps; /* of the links that packets went out by, or came in by */
	double loss;     /* lost, as a fraction of offered */
	double cycles;   /* per packet, over the time in which cycles were counted */
	uint64_t lost, offered; /* packets, by run_loss.h */
};

/* Add up a run; r->streams must be there. Thread: control, all of this file. */
void run_summary_read(const struct run *r, struct run_summary *s);

/* A line of text, and "summary" in JSON; nothing before the first start. */
void run_summary_text(const struct run *r);
void run_summary_json(const struct run *r);
