/* Read, subtract, add up and report a struct of counters by its table of rows, as text or as JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/stat.h"

#include "base/base.h"
#include "base/out.h"
#include "base/out_json.h"

#include <math.h>
#include <string.h>

static_assert(sizeof(counter) == sizeof(uint64_t), "a counter is read into a plain number");

void
stat_read(void *to, const void *from, size_t bytes)
{
	const counter *now = from;
	unsigned char *at = to;

	for (size_t i = 0; i < bytes / sizeof(*now); i++) {
		uint64_t value = counter_read(&now[i]);

		memcpy(at + i * sizeof(value), &value, sizeof(value));
	}
}

static size_t
place(const struct stat_table *t, size_t i)
{
	return t->array ? i * sizeof(uint64_t) : t->row[i].at;
}

static uint64_t
get(const void *of, size_t at)
{
	uint64_t value;

	memcpy(&value, (const unsigned char *)of + at, sizeof(value));
	return value;
}

static void
set(void *of, size_t at, uint64_t value)
{
	memcpy((unsigned char *)of + at, &value, sizeof(value));
}

uint64_t
stat_value(const struct stat_table *t, size_t i, const void *of)
{
	return get(of, place(t, i));
}

struct stat_cells
stat_cells(const struct stat_table *t, size_t i, const void *of)
{
	const unsigned char *at = (const unsigned char *)of + place(t, i);

	return (struct stat_cells){ .cell = (const uint64_t *)at, .n = t->row[i].cells };
}

/* Return whether a row has no value. */
static bool
lacks(const struct stat_row *row, uint64_t value)
{
	return value == STAT_NONE && (row->kind == STAT_GAUGE || row->optional);
}

static uint64_t
minus(uint64_t now, uint64_t before)
{
	return now - before;
}

static uint64_t
since(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now;
}

static uint64_t
plus(uint64_t now, uint64_t more)
{
	return now + more;
}

/* Replace every counter of to by combine(counter, other's counter). */
static void
combine_all(const struct stat_table *t, void *to, const void *other,
	uint64_t (*combine)(uint64_t, uint64_t))
{
	for (size_t i = 0; i < t->n; i++) {
		const struct stat_row *row = &t->row[i];
		const size_t cells = row->kind == STAT_HISTOGRAM ? row->cells : 1;

		if (row->kind == STAT_GAUGE)
			continue;
		for (size_t k = 0; k < cells; k++) {
			const size_t at = place(t, i) + k * sizeof(uint64_t);

			if (!lacks(row, get(to, at)) && !lacks(row, get(other, at)))
				set(to, at, combine(get(to, at), get(other, at)));
		}
	}
}

void
stat_subtract(const struct stat_table *t, void *to, const void *base)
{
	combine_all(t, to, base, minus);
}

void
stat_since(const struct stat_table *t, void *to, const void *base)
{
	combine_all(t, to, base, since);
}

void
stat_add(const struct stat_table *t, void *to, const void *more)
{
	combine_all(t, to, more, plus);
}

bool
stat_part_lost(enum stat_part part)
{
	return part >= STAT_REFUSED && part <= STAT_DROPPED_FIRST;
}

void
stat_parts_add(uint64_t *sum, const struct stat_table *t, const void *of)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct stat_row *row = &t->row[i];
		const uint64_t value = stat_value(t, i, of);

		if (row->part == STAT_NO_PART || lacks(row, value))
			continue;
		sum[row->part] += value;
		if (row->within != NULL)
			sum[STAT_REFUSED] -= value;
		else if (row->part == STAT_DROPPED || row->part == STAT_MOVED)
			sum[STAT_ABSORBED] -= value;
		else if (row->part == STAT_AGAIN)
			sum[STAT_REFUSED] -= value;
		else if (row->part == STAT_UNANSWERED)
			sum[STAT_ANSWERED] -= value;
	}
}

#define PERCENTILE(name, share, title, words, least) { share, #name, #name "_us", title },
const struct stat_percentile stat_percentiles[] = { STAT_PERCENTILES(PERCENTILE){ .share = 2 } };

uint64_t
stat_share(uint64_t total, double share)
{
	/* The slack absorbs the rounding of a share such as 0.001. */
	return (uint64_t)ceil(share * (double)total * (1 - 1e-12));
}

unsigned int
stat_quantile(const uint64_t *cell, unsigned int n, double share)
{
	uint64_t total = 0, seen = 0;

	for (unsigned int i = 1; i < n; i++)
		total += cell[i];
	for (unsigned int i = 1; i < n; i++) {
		seen += cell[i];
		if (seen > 0 && seen >= stat_share(total, share))
			return i;
	}
	return 0;
}

const char *
stat_unit(const struct stat_row *row)
{
	return row->unit != NULL ? row->unit : "packets";
}

const char *
stat_kind_word(const struct stat_row *row)
{
	static const char *const words[] = { "counter", "gauge", "histogram" };

	return words[row->kind];
}

void
stat_put_totals(const struct stat_sink *sink, const char *unit, const struct stat_cells *h)
{
	uint64_t bursts = 0, sum = 0;

	for (unsigned int i = 0; i < h->n; i++) {
		bursts += h->cell[i];
		sum += h->cell[i] * i;
	}
	sink->number(sink->to, "bursts", bursts);
	sink->number(sink->to, unit, sum);
	for (const struct stat_percentile *p = stat_percentiles; p->share <= STAT_HISTOGRAM_UPTO;
		p++)
		if (sum > 0)
			sink->number(sink->to, p->name, stat_quantile(h->cell, h->n, p->share));
		else if (sink->nulls)
			sink->text(sink->to, p->name, NULL);
}

void
stat_put_cells(const struct stat_sink *sink, const struct stat_cells *h)
{
	sink->open(sink->to, "sizes", true);
	for (unsigned int i = h->first; i < h->n; i++)
		if (h->cell[i] > 0)
			sink->number(sink->to, NULL, h->value != NULL ? h->value(i) : i);
	sink->close(sink->to);
	sink->open(sink->to, "counts", true);
	for (unsigned int i = h->first; i < h->n; i++)
		if (h->cell[i] > 0)
			sink->number(sink->to, NULL, h->cell[i]);
	sink->close(sink->to);
}

static void
stat_put_histogram(const struct stat_sink *sink, const char *key, const char *unit,
	const struct stat_cells *h)
{
	sink->open(sink->to, key, false);
	stat_put_totals(sink, unit, h);
	stat_put_cells(sink, h);
	sink->close(sink->to);
}

void
stat_put(const struct stat_sink *sink, const struct stat_table *t, const void *of)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct stat_row *row = &t->row[i];
		const struct stat_cells h = stat_cells(t, i, of);

		if (row->kind == STAT_HISTOGRAM)
			stat_put_histogram(sink, row->name, stat_unit(row), &h);
		else if (!lacks(row, stat_value(t, i, of)))
			sink->number(sink->to, row->name, stat_value(t, i, of));
		else if (row->kind == STAT_COUNTER && sink->nulls)
			sink->text(sink->to, row->name, NULL);
	}
}

void
stat_put_rows(const struct stat_sink *sink, const struct stat_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct stat_row *row = &t->row[i];

		sink->open(sink->to, row->name, false);
		sink->text(sink->to, "unit", stat_unit(row));
		sink->text(sink->to, "kind", stat_kind_word(row));
		sink->text(sink->to, "help", row->help);
		if (stat_part_lost(row->part))
			sink->number(sink->to, "drop", 1);
		if (row->within != NULL)
			sink->text(sink->to, "within", row->within);
		sink->close(sink->to);
	}
}

/* Sinks that report statistics as JSON: into an object, or into the output of a command. */

static void
json_number(void *to, const char *key, uint64_t value)
{
	out_json_u64(to, key, value);
}

static void
json_text(void *to, const char *key, const char *value)
{
	out_json_str(to, key, value, value != NULL ? strlen(value) : 0);
}

static void
json_open(void *to, const char *key, bool array)
{
	out_json_enter(to, key, array);
}

static void
json_close(void *to)
{
	out_json_leave(to);
}

struct stat_sink
stat_sink_json(struct json *j)
{
	return (struct stat_sink){ json_number, json_text, json_open, json_close, j, false };
}

static void
answer_number(void *to, const char *key, uint64_t value)
{
	out_u64(to, key != NULL ? key : "", NULL, value);
}

static void
answer_text(void *to, const char *key, const char *value)
{
	out_str(to, key, NULL, value);
}

static void
answer_open(void *to, const char *key, bool array)
{
	out_nest(to, key, array ? OUT_ARRAY : OUT_OBJECT);
}

static void
answer_close(void *to)
{
	out_unnest(to);
}

struct stat_sink
stat_sink_out(struct out *o)
{
	return (struct stat_sink){ answer_number, answer_text, answer_open, answer_close, o, true };
}
