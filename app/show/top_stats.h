/* What top shows: rates of every stream between two looks; between the files of top only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "run/run.h"
#include "run/run_count.h"
#include "run/run_groups.h"

#include <stdbool.h>

#define TOP_SPARK_MAX 16 /* cells of the picture of burst sizes */

/* One stream in one interval, or all of them together. NAN: not known. */
struct top_row {
	unsigned int stream; /* number in the run */
	const struct stream *of;
	double pps;    /* packets received per second; sent, when the engine makes them */
	double bps;    /* their bits, at the mean length of what the port counted meanwhile */
	double cycles; /* per packet */
	double drops;  /* packets per second that the transmit port or the engine dropped */
	double empty;  /* fraction of receive calls that gave nothing */
	double pool;   /* fraction of the receive pool's buffers that are free */
	unsigned int p50, p99; /* burst sizes, empty ones left out */
	/* bursts by size from 1 to the largest, relative to the most frequent */
	double spark[TOP_SPARK_MAX];
	unsigned int n_spark;
};

enum top_order { TOP_STREAM, TOP_PPS, TOP_BPS, TOP_CYCLES, TOP_DROPS, TOP_POOL, TOP_ORDERS };

/* All counters at one moment. */
struct top_look {
	uint64_t tsc;
	struct run_count *count;                     /* of each stream */
	struct rte_eth_stats port[RTE_MAX_ETHPORTS]; /* of those that there are */
	struct run_groups groups;                    /* of the engine */
};

#define TOP_PAGES_MAX 4
#define TOP_PAST_ROWS 64
#define TOP_PAST TOP_SPARK_MAX

struct top_stats {
	const struct run *run;
	struct top_look *before, *now;
	struct top_row *row; /* in the order asked for */
	unsigned int n;
	struct top_row total;
	double seconds; /* of the interval */
	double running; /* seconds since the start of the run */
	double hz;      /* of the time stamp counter */
	double loss;    /* fraction of what came or was made in the interval; NAN: nothing did */
	/* first numbers of the rows of other pages, of the last intervals, the latest one last */
	double past[TOP_PAGES_MAX][TOP_PAST_ROWS][TOP_PAST];
	unsigned int n_past;
};

/*
 * Take the first look, of ports alone before the first start. Errors: ENOMEM. Thread: control, all of
 * this file.
 */
int top_stats_open(struct top_stats *f, const struct run *run, struct err *e);
void top_stats_close(struct top_stats *f);

/* Look again: rows and total are of the time since the last look. */
void top_stats_next(struct top_stats *f);

/* Packets that stream i lost between the two looks: at its transmit port, or in the engine. */
double top_stats_drops(const struct top_stats *f, unsigned int i);

/* Put the rows in order: largest first, but streams by number; reverse: the other way round. */
void top_stats_sort(struct top_stats *f, enum top_order order, bool reverse);
