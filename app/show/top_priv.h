/* The parts of top: rates, pages, screen. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/hdr.h"
#include "run/account/run_account.h"
#include "run/account/run_count.h"
#include "run/run.h"
#include "run/run_groups.h"

#include <stdbool.h>

struct out;
struct text;
struct top_view;

/* The rates that top shows, computed from two samples of all counters; private to top. */

#define TOP_SPARK_MAX 16 /* character cells of the burst size histogram */

/* One stream in one interval, or the total of all streams. NAN: unknown. */
struct top_row {
	unsigned int stream;     /* number in the run */
	const struct stream *of; /* NULL: the total */
	double pps;    /* packets received per second, or sent if the engine creates packets */
	double tx_pps; /* packets per second that the port accepted */
	double bps;    /* bit/s, from pps and the mean packet length in the interval */
	double cycles; /* per packet */
	double drops; /* packets per second dropped by the engine or because the Tx ring was full */
	double empty; /* fraction of receive calls that returned no packets */
	double pool;  /* fraction of the Rx pool's mbufs that are free */
	unsigned int p50, p99; /* sizes of non-empty bursts */
	/*
	 * number of bursts by size, from 1 to the largest size, relative to the most frequent size
	 */
	double spark[TOP_SPARK_MAX];
	unsigned int n_spark;
};

enum top_order { TOP_STREAM, TOP_PPS, TOP_BPS, TOP_CYCLES, TOP_DROPS, TOP_POOL, TOP_ORDERS };

/* All counters at one moment. */
struct top_look {
	uint64_t tsc;
	struct run_count *count;                     /* one per stream */
	struct rte_eth_stats port[RTE_MAX_ETHPORTS]; /* zero for ports that do not exist */
	struct run_groups groups;                    /* the engine's groups of counters */
};

#define TOP_PAGES_MAX 5
#define TOP_PAST_ROWS 64
#define TOP_PAST TOP_SPARK_MAX

/* The worst of all seconds of a run that top has seen; of all periods, if these are longer. */
struct top_worst {
	/* of the second that is not over: its length, packets, lost and offered ones, least CPU */
	double seconds, packets, lost, offered, cpu_now;
	double pps, loss, cpu;          /* the worst ones; NAN: not known */
	double pps_at, loss_at, cpu_at; /* their ends, in seconds since the start of the run */
	unsigned int n;                 /* seconds so far */
};

/* A histogram of times of the engine, over all streams. */
struct top_times {
	const char *name;
	struct hdr_copy now, before, interval; /* interval: what came between the two */
};

#define TOP_HISTORY 512

struct top_stats {
	const struct run *run;
	struct top_look *before, *now;
	struct top_row *row; /* sorted by top_stats_sort() */
	unsigned int n;
	struct top_row total;
	double seconds; /* length of the interval */
	double running; /* seconds since the start of the run */
	double hz;      /* TSC frequency */
	double loss;    /* fraction of packets lost in the interval; NAN: not known */
	double unsent;  /* packets per second that were due and not sent; NAN: not known */
	/* history of the first number in each row of the other pages, the latest value last */
	double past[TOP_PAGES_MAX][TOP_PAST_ROWS][TOP_PAST];
	unsigned int n_past;
	/* since the start or the last clear of the counters; received: by the streams */
	struct run_account account;
	double received;
	struct top_worst worst;
	struct top_times *times; /* n_times 0: the engine has none */
	unsigned int n_times;
	double history[TOP_HISTORY]; /* of the total's pps, the latest value last */
	unsigned int n_history;
};

/*
 * Take the first sample; before the first start it has only port counters. Errors: ENOMEM. Thread:
 * control, all of this file.
 */
int top_stats_open(struct top_stats *f, const struct run *run, struct err *e);
void top_stats_close(struct top_stats *f);

/* Take the next sample and compute rows and total for the time since the previous one. */
void top_stats_next(struct top_stats *f);

/* Packets of stream i dropped in the interval, by its engine or because the Tx ring was full. */
double top_stats_drops(const struct top_stats *f, unsigned int i);

/* Sort the rows: largest first, streams by ascending number. reverse: reverse that order. */
void top_stats_sort(struct top_stats *f, enum top_order order, bool reverse);

/* Return the smallest share of its CPU that an lcore had in the interval; NAN: unknown. */
double top_pages_cpu(const struct top_stats *f);

/* The pages of top other than streams: ports, lcores, pools, engine counters, rates; private to top. */

#define TOP_CELLS_MAX 9

/* One row of a page: its name and its numbers. NAN: unknown; INFINITY: as much as possible. */
struct top_page_row {
	char name[48];
	double cell[TOP_CELLS_MAX];
};

struct top_page {
	const char *name;
	const char *title; /* heading of the column of names */
	unsigned int name_width;
	struct top_page_column {
		const char *title; /* on the screen */
		const char *key;   /* in JSON */
		unsigned int width;
		int decimals;
	} column[TOP_CELLS_MAX];
	unsigned int n_columns; /* the history shows the first one */
	unsigned int (*rows)(const struct top_stats *f);
	void (*row)(const struct top_stats *f, unsigned int i, struct top_page_row *row);
};

enum { TOP_PAGE_PORTS = 1, TOP_PAGE_LCORES, TOP_PAGE_RATES = 5 };

/* Pages 1..top_pages_n; page 0, the streams, is not in this array. */
extern const struct top_page top_pages[];
extern const unsigned int top_pages_n;

/* Append the first number of each row to its history. Call after top_stats_next(). */
void top_pages_remember(struct top_stats *f);

/* What fills the page of streams where lines are left; private to top. */

/*
 * Append an empty line, the totals since the start, the worst second, and a line for each of the
 * engine's times, if they fit in room lines. Returns the number of lines.
 */
unsigned int top_rest_summary(struct text *t, const struct top_stats *f, const struct top_view *v,
	unsigned int room);

#define TOP_GRAPH_AROUND 2 /* lines of a graph beside its own */
#define TOP_GRAPH_LEAST 5  /* lines that are worth a graph */

/* Append the history of the total rate as a graph of exactly room lines, at least TOP_GRAPH_LEAST. */
void top_rest_graph(struct text *t, const struct top_stats *f, const struct top_view *v,
	unsigned int room);

/* The output of top: a full screen that fits the terminal, plain lines, JSON; private to top. */

struct top_view {
	enum top_order order;
	bool reverse;
	bool blocks; /* the terminal has block characters */
	bool paused;
	bool help;                  /* show help instead of the page */
	bool block;                 /* a page below the streams: hidden columns are not marked */
	unsigned int page;          /* 0: streams; else top_pages[page - 1] */
	unsigned int columns, rows; /* size of the terminal */
	/* first visible row, number of columns hidden at the left; top_screen_draw() limits both */
	unsigned int first, left;
	double period; /* seconds */
};

/*
 * Append the whole screen to t, starting at the upper left corner: exactly as many lines as the
 * terminal has.
 */
void top_screen_draw(struct text *t, const struct top_stats *f, struct top_view *v);

/* Append the titles of the plain lines; a line per stream, with at_s seconds since top began. */
void top_screen_titles(struct text *t);
void top_screen_lines(struct text *t, const struct top_stats *f, double at_s);

/* Print one sample as an element of a JSON array. */
void top_screen_json(struct out *o, const struct top_stats *f, double at_s);
