/* Where drivers keep what the shims have to know of their private queues: tables by DPDK release,
 * from the drivers' own headers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/layout_rows.h"

#include <rte_version.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* A field that the queues of a release do not have. */
#define SHIM_NONE UINT16_MAX

/* Releases as one number: year, month, minor. */
#define SHIM_RELEASE(year, month, minor) \
	((uint32_t)(year) << 16 | (uint32_t)(month) << 8 | (uint32_t)(minor))

/* What a row is of, both included. */
struct shim_releases {
	uint32_t first, last;
};

/*
 * A row of a table is a struct that begins with struct shim_releases; all else of it are fields of
 * 16 bits. X_FIELDS(F) names them, in order: F(name, bytes at that offset, what it is), with 0 bytes for
 * what shares its place with others or is no offset. layout_rows.h has X_ROWS(ROW).
 */
#define SHIM_FIELD(field, bytes, what) uint16_t field;
#define SHIM_FIELD_NAME(field, bytes, what) #field,
#define SHIM_FIELD_BYTES(field, bytes, what) bytes,
#define SHIM_FIELD_COUNT(field, bytes, what) +1
#define SHIM_ROW_ID(id, ...) id,
#define SHIM_ROW(id, y1, m1, s1, y2, m2, s2, ...) \
	[id] = { .releases = { SHIM_RELEASE(y1, m1, s1), SHIM_RELEASE(y2, m2, s2) }, __VA_ARGS__ },

/*
 * The release this is compiled with, at most the newest known one of its series, and the number of a
 * table's row for it, X_ROWS(SHIM_ROW_BUILT), as constants; 0: nobody knows it.
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
	 * Rows are of cache lines of 64 bytes; an mbuf inside a queue begins one and moves what lies
	 * behind it. Releases before this one have the same rows with lines of 128 bytes.
	 */
	uint32_t same_before;
};

enum { SHIM_ALL_SAME = INT32_MAX };

/* Who says that a queue is laid out like this. */
enum shim_layout_by {
	SHIM_BY_TABLE, /* the driver's headers of this release */
	SHIM_BY_CHECK, /* the queue itself, which agrees with a row of an older release */
	SHIM_BY_FILE,  /* a file of rows, and the queue agrees */
};

enum { SHIM_FIELDS_MAX = 48, SHIM_LAYOUTS_MAX = 16 };

/* What is known beside the tables; all zero: nothing, and newer releases may prove themselves. */
struct shim_layouts {
	bool tables_only;
	unsigned int n;
	struct {
		const struct shim_table *table;
		struct {
			struct shim_releases releases;
			uint16_t fields[SHIM_FIELDS_MAX];
		} row;
	} rows[SHIM_LAYOUTS_MAX]; /* of a file */
	char file[64];
	/* by port: how often its queues were set up; written by control; NULL: not counted */
	const atomic_uint *set_ups;
};

/* How a row was found. */
struct shim_laid {
	enum shim_layout_by by;
	char as[64]; /* what it is of, "DPDK 22.11.11" or the file's name */
};

/*
 * The row for the DPDK that runs: a file's, else the table's, else the newest known one of the same
 * series. Not BY_TABLE: the caller has to prove it on the queue. known: NULL is all zero; a row may
 * lie in it. NULL with e filled: -ENOTSUP, nobody knows the release, or not with cache lines as long
 * as this DPDK's.
 */
const void *shim_layout_find(const struct shim_layouts *known, const struct shim_table *t,
	struct shim_laid *laid, struct err *e);

/* "22.11.11" as SHIM_RELEASE(); 0: that is none, and neither are candidates. */
uint32_t shim_release_read(const char *text);

/* "table", "check", "file". */
const char *shim_layout_by_name(enum shim_layout_by by);
