/* Statistics: a table of rows describes each struct of counters. Reading, subtracting, adding up
 * and showing go by the rows, so that a new counter needs only its row and its increment. libc
 * only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json;
struct out;

enum stat_kind {
	STAT_COUNTER,   /* only increases; wraps at 2^64 */
	STAT_GAUGE,     /* a level: differences and sums make no sense */
	STAT_HISTOGRAM, /* one counter per value, from 0 on */
};

/*
 * Value not available: a dash in text, null in JSON, absent from recordings and telemetry. Any gauge
 * may have it, and optional counters.
 */
#define STAT_NONE UINT64_MAX

/*
 * The part of a run's account of packets to which a counter belongs; run_account.h adds them up.
 */
enum stat_part {
	STAT_NO_PART,
	STAT_RECEIVED,      /* received by a stream */
	STAT_MADE,          /* created by an engine */
	STAT_MOVED,         /* counted as received by one stream, and now by another */
	STAT_TAKEN,         /* accepted by a port for transmission */
	STAT_ABSORBED,      /* removed by an engine, STAT_DROPPED and STAT_MOVED included */
	STAT_AGAIN,         /* not accepted by a port, and created again to be sent */
	STAT_UNSENT,        /* due, but not sent in time */
	STAT_REFUSED,       /* not accepted by a port */
	STAT_TX_ERRORS,     /* reported by a port as not sent */
	STAT_MISSED,        /* missed by a port, because no Rx descriptor was free */
	STAT_RX_ERRORS,     /* received by a port with errors */
	STAT_DROPPED,       /* dropped by an engine */
	STAT_DROPPED_FIRST, /* dropped for an engine, before a stream counted them as received */
	STAT_ANSWERED,      /* received by a stream, which made an answer for another one to send */
	STAT_UNANSWERED,    /* of these, answers that no port accepted */
	STAT_PARTS
};

/* One statistic: 64 bits in a struct, or an array of them. */
struct stat_row {
	const char *name;  /* key in every report: "tx_dropped" */
	const char *label; /* in text, such as testpmd's "TX-dropped"; NULL: not shown by its row */
	const char *help;  /* one line of less than 128 characters, without a full stop */
	const char *unit;  /* NULL: packets */
	enum stat_kind kind;
	size_t at;           /* offset in the struct, bytes */
	unsigned int cells;  /* number of cells of a histogram */
	bool optional;       /* a counter that may be STAT_NONE */
	enum stat_part part; /* of the account of packets */
	/*
	 * STAT_DROPPED: another row, of part STAT_REFUSED, that counts these packets, too. NULL:
	 * none
	 */
	const char *within;
};

/* The rows of one struct. */
struct stat_table {
	const char *name; /* "stream" */
	const struct stat_row *row;
	size_t n;
	/* the struct is an array of n words; row i is word i, and at is unused */
	bool array;
};

/*
 * Copy a struct that consists of counters only, while other threads write them. bytes: its size, a
 * multiple of 8. Each counter is read atomically, the struct as a whole is not. Thread: any, for
 * all of this file.
 */
void stat_read(void *to, const void *from, size_t bytes);

/* to -= base, row by row; counters and histograms wrap, gauges of to are unchanged. */
void stat_subtract(const struct stat_table *t, void *to, const void *base);

/*
 * As stat_subtract(), for counters that may be cleared elsewhere: if a counter is below its base,
 * it is taken as counted from zero.
 */
void stat_since(const struct stat_table *t, void *to, const void *base);

/* to += more, row by row; gauges of to are unchanged. */
void stat_add(const struct stat_table *t, void *to, const void *more);

/* Return the value of row i in a struct without a writer; for a histogram, its first cell. */
uint64_t stat_value(const struct stat_table *t, size_t i, const void *of);

/* Return whether packets of a part are lost. */
bool stat_part_lost(enum stat_part part);

/*
 * Add the counters of a struct without a writer to the sums of their parts, sum[STAT_PARTS]. What
 * another row counts too is subtracted from the sum of that one, so that each packet is in one.
 */
void stat_parts_add(uint64_t *sum, const struct stat_table *t, const void *of);

/*
 * Where statistics are reported: an object under construction, in any format. Unknown values are
 * omitted.
 */
struct stat_sink {
	/* key is NULL in arrays */
	void (*number)(void *to, const char *key, uint64_t value);
	void (*text)(void *to, const char *key, const char *value); /* value NULL: null */
	void (*open)(void *to, const char *key, bool array);        /* objects, arrays of numbers */
	void (*close)(void *to);
	void *to;
	bool nulls; /* report unknown counters and quantiles as null texts instead */
};

/*
 * Report every row of a struct without a writer under its name: a number, or an object as
 * stat_put_histogram() for a histogram.
 */
void stat_put(const struct stat_sink *sink, const struct stat_table *t, const void *of);

/* The n cells of a histogram without a writer. */
struct stat_cells {
	const uint64_t *cell;
	unsigned int n;
	unsigned int
		first; /* first cell of the reported arrays; earlier ones were reported before */
	uint32_t (*value)(unsigned int cell); /* the value of a cell; NULL: its number */
};

/* Return the cells of row i, a histogram, in a struct without a writer. */
struct stat_cells stat_cells(const struct stat_table *t, size_t i, const void *of);

/*
 * Report a histogram: {"bursts": number of bursts, UNIT: sum of their values, "p50", "p90", "p99":
 * quantiles of the non-zero values, "sizes": [values that occurred], "counts": [how often each]}.
 * unit: from stat_unit(). stat_put_cells() adds only the two arrays to the open object.
 */
void stat_put_cells(const struct stat_sink *sink, const struct stat_cells *h);

/*
 * The percentiles that are reported, in ascending order: name, share of the values, title, words for
 * help texts, values that hdr_known() needs.
 */
#define STAT_PERCENTILES(P) \
	P(p50, 0.5, "p50", "median", "200") \
	P(p90, 0.9, "p90", "90th percentile", "1000") \
	P(p99, 0.99, "p99", "99th percentile", "10^4") \
	P(p999, 0.999, "p99.9", "99.9th percentile", "10^5") \
	P(p9999, 0.9999, "p99.99", "99.99th percentile", "10^6") \
	P(p99999, 0.99999, "p99.999", "99.999th percentile", "10^7")

struct stat_percentile {
	double share;
	const char *name, *key_us, *title; /* key_us: of a value in us */
};

/* Their table. The row after the last has a share above 1. */
extern const struct stat_percentile stat_percentiles[];

/* The highest percentile that is reported of a histogram of sizes or cycles. */
#define STAT_HISTOGRAM_UPTO 0.99

/* Return how many of total values are a share of them, rounded up. */
uint64_t stat_share(uint64_t total, double share);

/* Add only a histogram's totals and quantiles to the open object. */
void stat_put_totals(const struct stat_sink *sink, const char *unit, const struct stat_cells *h);

/*
 * Return the smallest value that at least a share of the non-zero values, 0..1, does not exceed; 0
 * if there are none. cell: n cells, from value 0 on.
 */
unsigned int stat_quantile(const uint64_t *cell, unsigned int n, double share);

/* Report the rows themselves: {NAME: {"unit", "kind", "help"}, ...}. */
void stat_put_rows(const struct stat_sink *sink, const struct stat_table *t);

/* Return a row's unit, and its kind: "counter", "gauge" or "histogram". */
const char *stat_unit(const struct stat_row *row);
const char *stat_kind_word(const struct stat_row *row);

/* Sinks that report statistics as JSON: into an object, or into the output of a command (in JSON
 * mode only). */

/* Return a sink for the current object of j or o; the caller keeps owning j and o. */
struct stat_sink stat_sink_json(struct json *j);
struct stat_sink stat_sink_out(struct out *o);
