/* The counters of a stream. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "base/stat.h"

#include <stdint.h>

#define STREAM_NAMED_MAX 8 /* counters that an engine may add */

/* Optional counts of each burst. */
enum stream_record {
	STREAM_RECORD_BURSTS = 1 << 0, /* its size: record-burst-stats, a recording */
	STREAM_RECORD_BYTES = 1 << 1,  /* its bytes: record-bytes */
};

/* Written by the worker, read by any thread; never reset. */
struct stream_count {
	counter rx, tx; /* packets received and sent */
	counter made;   /* packets created by the engine */
	/* packets that the engine removed on purpose (the engine's counters give the reason) */
	counter absorbed;
	counter tx_dropped; /* packets dropped because the Tx ring was full, after retries */
	counter tx_retried; /* transmit calls repeated because the Tx ring was full */
	/* TSC cycles of polls with packets; counted while record-core-cycles is on */
	counter busy_cycles;
	counter rx_bytes, tx_bytes;      /* sums of pkt_len; counted while record-bytes is on */
	counter named[STREAM_NAMED_MAX]; /* the engine's counters; rows: engine.counters */
};

/* The rows of struct stream_count, except named. */
extern const struct stat_table stream_stats;
