/* The counters of a run since its start or the last clear, its loss, and the list of all tables of statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/hist.h"
#include "base/stat.h"
#include "stream/hw_counters.h"
#include "stream/stream.h"

#include <rte_ethdev.h>

#include <stdbool.h>

struct engine_group;
struct json;
struct run;

/* A copy of a stream's counters, or the difference of two copies. */
struct run_count {
	struct stream_count count;
	struct hist_copy rx_bursts, tx_bursts;
	struct hw_count hw; /* of its lcore; zero unless it is the lcore's first stream */
};

/* The rows of the histograms; stream_stats and the engine's table have those of count. */
extern const struct stat_table run_count_bursts;

/* The hardware counters of lcores, as a group of their first streams. */
extern const struct engine_group run_count_hw_group;

/* Report the queues and the lcore of a stream: "rx_port", "rx_queue", "tx_port", ... */
void run_count_identity(const struct stream *s, const struct stat_sink *sink);

/* Read a stream's counters since its creation. Thread: any, while the stream exists. */
void run_count_read(const struct stream *s, struct run_count *count);

/* c -= base, counter by counter. */
void run_count_subtract(struct run_count *c, const struct run_count *base);

/*
 * Set cycles and bytes to STAT_NONE unless they are or were counted. Nothing can be subtracted from
 * c afterwards.
 */
void run_count_lacks(const struct stream *s, struct stream_count *c);

/* Return whether the burst sizes in c are or were counted. */
bool run_count_has_bursts(const struct stream *s, const struct run_count *c);

/* Read the counters of stream i since the start or the last clear; STAT_NONE: not counted. */
void run_count(const struct run *r, unsigned int i, struct run_count *count);

/* A stream's cycles, and its packets while cycles were counted. */
struct run_timed {
	uint64_t cycles, rx, tx; /* cycles of polls with packets; packets */
};

/*
 * Read the cycles and packets of stream i since the start, the last clear, or switching on
 * record-core-cycles, whichever was last.
 */
void run_count_timed(const struct run *r, unsigned int i, struct run_timed *t);

/* Store the current counters, so that run_count() counts from now on. */
void run_count_clear(struct run *r);

/* Set what the streams record, from the settings and the active recording; takes effect at once. */
void run_count_record(struct run *r);

/* The packets offered to a run, and those lost. */

/* Whether the streams of a run receive from a port and send to it. */
struct run_loss_port {
	bool receives, sends;
};

/*
 * Fill port[RTE_MAX_ETHPORTS], by port id, for the current or last run. An engine that never
 * receives has no Rx loss, one that never sends no Tx loss. Thread: control, or any that holds the
 * run's lock; for all of this file.
 */
void run_loss_ports(const struct run *r, struct run_loss_port *port);

/* Add the counters c of a stream, including those of its engine. */
void run_loss_add_stream(struct stat_loss *sum, const struct stream *s,
	const struct stream_count *c);

/* Add the counters of a port of the run. */
void run_loss_add_port(struct stat_loss *sum, const struct run_loss_port *port,
	const struct rte_eth_stats *stats);

/* Add up all streams and ports since the start or the last clear; r->streams must not be NULL. */
void run_loss_read(const struct run *r, struct stat_loss *loss);

/* List all tables of statistics, so that recordings and telemetry describe their own numbers. */

/* One table. */
struct run_schema {
	struct stat_table stats;
	/* NULL: in every run; "any engine": a group that several engines have */
	const char *engine;
	const char *of; /* what each struct describes: "stream", "port", "pool", "run", "vchan" */
};

/* Get table number i of the program; returns false past the end. */
bool run_schema_at(const struct run *r, unsigned int i, struct run_schema *schema);

/* Report it: {"table", "engine" (if any), "of", "rows": {NAME: {"unit", "kind", "help"}}}. */
void run_schema_put(const struct run_schema *schema, const struct stat_sink *sink);

/*
 * Write a JSON Schema of all answers into the current object: out_json_schema(), and in "$defs" a
 * definition for each table, TABLE or ENGINE.TABLE, with "unit" and "kind" beside each type.
 */
void run_schema_json(const struct run *r, struct json *j);
