/* The counters of a stream. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "base/stat.h"

#include <stdint.h>

#define STREAM_NAMED_MAX 8 /* counters of its own that an engine may have */

/* What of each burst is counted beside packets. */
enum stream_record {
	STREAM_RECORD_BURSTS = 1 << 0, /* its size: record-burst-stats, a recording */
	STREAM_RECORD_BYTES = 1 << 1,  /* its bytes: record-bytes */
};

/* Written by the worker alone, read by the control thread; never reset. */
struct stream_count {
	counter rx, tx; /* packets that the ports gave and took */
	counter made;   /* packets that the engine made */
	/* packets that the engine took out on purpose (the engine's counters say why) */
	counter absorbed;
	counter tx_dropped; /* packets that the port did not take, retries included */
	counter tx_retried; /* further transmit calls after a short one */
	/* TSC cycles of polls that had packets; 0 unless record-core-cycles is on */
	counter busy_cycles;
	counter rx_bytes,
		tx_bytes; /* of pkt_len, of rx and tx packets; 0 unless record-bytes is on */
	counter named[STREAM_NAMED_MAX]; /* the engine's own; its rows are engine.counters */
};

/* The rows of struct stream_count but those of named. */
extern const struct stat_table stream_stats;
