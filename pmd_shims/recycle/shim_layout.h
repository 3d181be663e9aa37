/* Offsets of fields in drivers' private queue structs: tables by DPDK release, generated from the
 * drivers' own headers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/layout_rows.h"

#include <rte_version.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* Offset of a field that the queues of a release do not have. */
#define SHIM_NONE UINT16_MAX

/* A release as one number: year, month, minor. */
#define SHIM_RELEASE(year, month, minor) \
	((uint32_t)(year) << 16 | (uint32_t)(month) << 8 | (uint32_t)(minor))

/* The releases that a row describes, first and last included. */
struct shim_releases {
	uint32_t first, last;
};

/*
 * A row of a table is a struct that begins with struct shim_releases, followed by 16-bit fields.
 * X_FIELDS(F) lists them in order: F(name, bytes at that offset, description); bytes is 0 for a
 * field that shares its place with others or is not an offset. layout_rows.h has X_ROWS(ROW).
 */
#define SHIM_FIELD(field, bytes, what) uint16_t field;
#define SHIM_FIELD_NAME(field, bytes, what) #field,
#define SHIM_FIELD_BYTES(field, bytes, what) bytes,
#define SHIM_FIELD_COUNT(field, bytes, what) +1
#define SHIM_ROW_ID(id, ...) id,
#define SHIM_ROW(id, y1, m1, s1, y2, m2, s2, ...) \
	[id] = { .releases = { SHIM_RELEASE(y1, m1, s1), SHIM_RELEASE(y2, m2, s2) }, __VA_ARGS__ },

/*
 * Constants: SHIM_BUILT is the release at compile time, at most the newest known one of its series;
 * X_ROWS(SHIM_ROW_BUILT) is the number of a table's row for it; 0: unknown release.
 */
#define SHIM_OF_SERIES(year, month, minor) \
	+((year) == RTE_VER_YEAR && (month) == RTE_VER_MONTH) * SHIM_RELEASE(year, month, minor)
#define SHIM_ROW_BUILT(id, y1, m1, s1, y2, m2, s2, ...) \
	+(SHIM_BUILT >= SHIM_RELEASE(y1, m1, s1) && SHIM_BUILT <= SHIM_RELEASE(y2, m2, s2)) * (id)

enum {
	SHIM_EXACT = SHIM_RELEASE(RTE_VER_YEAR, RTE_VER_MONTH, RTE_VER_MINOR),
	SHIM_NEWEST = SHIM_NEWEST_RELEASES(SHIM_OF_SERIES),
	SHIM_BUILT = SHIM_EXACT < SHIM_NEWEST ? SHIM_EXACT : SHIM_NEWEST,
};

struct shim_table {
	const char *name; /* "i40e_rx", as devtools/layouts writes it */
	const void *rows;
	size_t n, row_size;
	const char *const *fields;
	const uint8_t *bytes;
	size_t n_fields;
	/*
	 * Rows are for cache lines of 64 bytes. An mbuf inside a queue is aligned to a cache line,
	 * so longer lines move the fields behind it. Releases before this one have the same layout
	 * with lines of 128 bytes.
	 */
	uint32_t same_before;
};

enum { SHIM_ALL_SAME = INT32_MAX };

/* Source of a queue's layout. */
enum shim_layout_by {
	SHIM_BY_TABLE, /* the driver's headers of this release */
	SHIM_BY_CHECK, /* a row of an older release, with which the queue has to agree */
	SHIM_BY_FILE,  /* a file of rows, with which the queue has to agree */
};

enum { SHIM_FIELDS_MAX = 48, SHIM_LAYOUTS_MAX = 16 };

/* Layouts in addition to the tables; all zero: none, and layouts of newer releases are checked. */
struct shim_layouts {
	bool tables_only;
	unsigned int n;
	struct {
		const struct shim_table *table;
		struct {
			struct shim_releases releases;
			uint16_t fields[SHIM_FIELDS_MAX];
		} row;
	} rows[SHIM_LAYOUTS_MAX]; /* read from file */
	char file[64];
	/* how often each port's queues were set up; written by control; NULL: not counted */
	const atomic_uint *set_ups;
};

/* Where a row was found. */
struct shim_laid {
	enum shim_layout_by by;
	char as[64]; /* its release, "DPDK 22.11.11", or the file's name */
};

/*
 * Find the row for the running DPDK: of a file, else of the table, else of the newest known release
 * of the same series. Unless laid->by is SHIM_BY_TABLE the caller has to prove it on the queue.
 * known: may be NULL; owns the row if that is from a file. Returns NULL with e filled, -ENOTSUP, if
 * the layout of this release is unknown, or unknown with cache lines as long as this DPDK's.
 */
const void *shim_layout_find(const struct shim_layouts *known, const struct shim_table *t,
	struct shim_laid *laid, struct err *e);

/* Convert "22.11.11" to a SHIM_RELEASE(); 0: not a release, or a release candidate. */
uint32_t shim_release_read(const char *text);

/* The name of a source: "table", "check" or "file". */
const char *shim_layout_by_name(enum shim_layout_by by);
