/* A sample of all statistics in a recording (streams, ports, pools), the difference of two samples, and one line of the file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/out_json.h"
#include "memory/pool.h"
#include "run/account/run_count.h"
#include "run/run.h"
#include "run/run_groups.h"
#include "stream/stream_log.h"

#include <rte_ethdev.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Build one line of a recording: a JSON object that starts with type and time. */

/* A line with its newline; the owner frees text. text NULL: no memory. */
struct record_line {
	char *text;
	size_t bytes;
};

/* Time and run of a line. */
struct record_at {
	uint64_t mono_ns; /* CLOCK_MONOTONIC */
	unsigned int run; /* from 1; 0: not in a run */
};

/*
 * Start a line: {"type": type, "run": N, "mono_ns": T. at NULL: without the last two. Returns the
 * writer for further members, part of p, or NULL without memory. Thread: any, all of this file.
 */
struct json *record_line_open(struct json_part *p, const char *type, const struct record_at *at);

/* End the line and return it. */
struct record_line record_line_close(struct json_part *p);

/* Add a string member. */
void record_line_str(struct json *j, const char *key, const char *value);

/* Return CLOCK_MONOTONIC in ns. */
uint64_t record_line_clock(void);

/* Statistics of one stream. */
struct record_stream {
	struct run_count stats;
	struct stream_log_copy log; /* of timed polls */
};

struct record_port {
	uint16_t id;
	bool known; /* the driver returned statistics */
	struct rte_eth_stats stats;
};

/* A level, not a counter: samples are not subtracted. */
struct record_pool {
	char name[RTE_MEMPOOL_NAMESIZE];
	struct pool_level level;
};

struct record_sample {
	uint64_t mono_ns; /* CLOCK_MONOTONIC */
	unsigned int n_streams, n_ports, n_pools;
	struct record_stream *stream; /* all of the run, in its order */
	struct record_port port[RTE_MAX_ETHPORTS];
	struct record_pool pool[POOL_MAX + 1];
	struct run_groups groups; /* further statistics of the engine */
};

/*
 * Allocate a zeroed sample for the streams and ports of the current run; NULL without memory. Free
 * with record_sample_free().
 */
struct record_sample *record_sample_new(const struct run *r);
void record_sample_free(struct record_sample *s);

/* Read all statistics. Thread: any, during the run. */
void record_sample_take(struct record_sample *s, struct run *r);

/* Copy a sample; both are of the same run. */
void record_sample_copy(struct record_sample *to, const struct record_sample *from);

/*
 * Compute diff = now - before, with pools and time of now; all three are of the same run. Worker
 * counters may wrap. Port counters that decreased were cleared, and count from zero.
 */
void record_sample_diff(struct record_sample *diff, const struct record_sample *now,
	const struct record_sample *before);

/* Options of a recording: interval, streams, polls. */

#define RECORD_PLAN_LISTED 256

/* Options of `record start`, or of the settings for --record. */
struct record_plan {
	unsigned int every_ms;
	unsigned int bursts;               /* record one of that many polls; 0: none */
	uint16_t list[RECORD_PLAN_LISTED]; /* recorded streams list[0..n); n 0: all */
	unsigned int n;
	bool overwrite; /* also files that are not empty */
	bool times;     /* also the log of histograms */
};

/* True if stream i is recorded. */
bool record_plan_wants(const struct record_plan *plan, unsigned int i);
