/* Statistics: a table of rows beside each struct of counters. Whoever reads, subtracts, adds up or
 * shows them goes by the rows, so that a counter is its row and its increment. libc only. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stat_kind {
	STAT_COUNTER,   /* only grows; wraps at 2^64 */
	STAT_GAUGE,     /* a level: has no difference and no sum */
	STAT_HISTOGRAM, /* counters, one per value from 0 on */
};

/* A gauge that nobody knows now, or a counter that may lack: told nowhere. */
#define STAT_NONE UINT64_MAX

/* One statistic: 64 bits in a struct, or an array of them. */
struct stat_row {
	const char *name;  /* its key wherever it is told: "tx_dropped" */
	const char *label; /* in testpmd's forward statistics: "TX-dropped"; NULL: not there */
	const char *help;  /* one line of less than 128 characters, without a full stop */
	const char *unit;  /* of its values; NULL: packets */
	enum stat_kind kind;
	size_t at;          /* its place in the struct, bytes */
	unsigned int cells; /* of a histogram */
	bool may_lack;      /* a counter that is STAT_NONE where there is none, and stays so */
	bool drop;          /* counts packets that were lost: they are part of the run's loss */
	/* the row that counts these lost packets too, so that they are not added twice; NULL: none */
	const char *within;
	/*
	 * 1: counts packets that came to forwarding or were made for it, of which a loss is a share;
	 * -1: counts packets that such a row counted before, for another stream
	 */
	signed char offered;
};

/* The rows of one struct. */
struct stat_table {
	const char *name; /* "stream" */
	const struct stat_row *row;
	size_t n;
	/* the struct is an array of n words, row i is word i, and at says nothing */
	bool array;
};

/*
 * Read a struct of counters, nothing but counters, while others write them: bytes of it, a multiple
 * of 8, to a struct of the same form. Each is read whole, all of them not at one moment. Thread:
 * any, all of this file.
 */
void stat_read(void *to, const void *from, size_t bytes);

/* to -= base, row by row; counters and histograms wrap, gauges stay as they are in to. */
void stat_subtract(const struct stat_table *t, void *to, const void *base);

/*
 * As stat_subtract(), for counters that others may clear: one that went back counts from zero.
 */
void stat_since(const struct stat_table *t, void *to, const void *base);

/* to += more, row by row; gauges stay as they are in to. */
void stat_add(const struct stat_table *t, void *to, const void *more);

/* The value of row i in a struct that nobody writes; of a histogram, its first cell. */
uint64_t stat_value(const struct stat_table *t, size_t i, const void *of);

/* Packets that came or were made, and those of them that were lost. */
struct stat_loss {
	uint64_t offered, lost;
};

/* Add what the rows of a struct without a writer count as offered and as lost. */
void stat_loss_add(struct stat_loss *sum, const struct stat_table *t, const void *of);

/*
 * Where statistics are told: an object under construction, whatever its form. What is not known is
 * left out.
 */
struct stat_sink {
	/* key: NULL in arrays, of all four */
	void (*number)(void *to, const char *key, uint64_t value);
	void (*text)(void *to, const char *key, const char *value); /* value: NULL is none */
	void (*open)(void *to, const char *key, bool array);        /* objects, arrays of numbers */
	void (*close)(void *to);
	void *to;
	bool nulls; /* of what is not known, counters and quantiles are told as texts that are none */
};

/*
 * Tell every row of a struct that nobody writes, each under its name: numbers, and of a histogram
 * an object as stat_put_histogram() has it.
 */
void stat_put(const struct stat_sink *sink, const struct stat_table *t, const void *of);

/* Cells of a histogram that nobody writes: n of them. */
struct stat_cells {
	const uint64_t *cell;
	unsigned int n;
	unsigned int first; /* whose arrays begin here: what is before it was told elsewhere */
	uint32_t (*value)(unsigned int cell); /* that a cell stands for; NULL: its number */
};

/* The cells of row i, a histogram, in a struct that nobody writes. */
struct stat_cells stat_cells(const struct stat_table *t, size_t i, const void *of);

/*
 * The one form of a histogram: {"bursts": how many there are, UNIT: the sum of their values, "p50",
 * "p90", "p99": quantiles without those at 0, "sizes": [values that occurred], "counts": [how often
 * each]}, with unit as stat_unit() has it. The second is its arrays alone, within what is open.
 */
void stat_put_histogram(const struct stat_sink *sink, const char *key, const char *unit,
	const struct stat_cells *h);
void stat_put_cells(const struct stat_sink *sink, const struct stat_cells *h);

/* Its totals and quantiles alone, within what is open. */
void stat_put_totals(const struct stat_sink *sink, const char *unit, const struct stat_cells *h);

/*
 * The least value that at least permille/1000 of what is not at 0 does not exceed; 0: there is
 * nothing. cell: n of them, from value 0 on.
 */
unsigned int stat_quantile(const uint64_t *cell, unsigned int n, unsigned int permille);

/* Tell the rows themselves: {NAME: {"unit", "kind", "help"}, ...}. */
void stat_put_rows(const struct stat_sink *sink, const struct stat_table *t);

/* The words of a row: its unit, and counter, gauge or histogram. */
const char *stat_unit(const struct stat_row *row);
const char *stat_kind_word(const struct stat_row *row);
