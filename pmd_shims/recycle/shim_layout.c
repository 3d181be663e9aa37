/* Chooses the layout of a driver's queues for the running DPDK release. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/shim_layout.h"

#include "base/base.h"
#include "base/err.h"

#include <rte_common.h>
#include <rte_version.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NEWEST_RUN = SHIM_RELEASE(26, 7, 255) }; /* of later releases only headers were read */

static const uint32_t newest_releases[] = {
#define NEWEST(year, month, minor) SHIM_RELEASE(year, month, minor),
	SHIM_NEWEST_RELEASES(NEWEST)
#undef NEWEST
};

uint32_t
shim_release_read(const char *text)
{
	unsigned int year, month, minor = 0;
	int end = 0, more = 0;

	if (sscanf(text, "%3u.%3u%n", &year, &month, &end) < 2)
		return 0;
	if (text[end] == '.' && sscanf(text + end, ".%3u%n", &minor, &more) < 1)
		return 0;
	return text[end + more] == '\0' && year < 256 && month < 13 && minor < 256
		? SHIM_RELEASE(year, month, minor)
		: 0;
}

static void
release_write(uint32_t release, char *text, size_t size)
{
	const unsigned int minor = release & 0xff;

	snprintf(text, size, minor != 0 ? "DPDK %u.%02u.%u" : "DPDK %u.%02u.0", release >> 16,
		release >> 8 & 0xff, minor);
}

/* The running release; 0 for a release candidate. */
static uint32_t
release_running(void)
{
	const char *version = strchr(rte_version(), ' ');

	return version == NULL ? 0 : shim_release_read(version + 1);
}

static const void *
table_row(const struct shim_table *t, uint32_t release)
{
	for (size_t i = 0; i < t->n; i++) {
		const char *row = (const char *)t->rows + i * t->row_size;
		struct shim_releases of;

		memcpy(&of, row, sizeof(of));
		if (of.first <= release && release <= of.last)
			return row;
	}
	return NULL;
}

const void *
shim_layout_find(const struct shim_layouts *known, const struct shim_table *t,
	struct shim_laid *laid, struct err *e)
{
	const uint32_t release = release_running();
	uint32_t newest = 0;
	const void *row;

	if (RTE_CACHE_LINE_SIZE != 64 && (release == 0 || release >= t->same_before)) {
		err_set(e, ENOTSUP, "%s: unknown queue layout of %s with cache lines of %u bytes",
			t->name, rte_version(), RTE_CACHE_LINE_SIZE);
		return NULL;
	}
	for (unsigned int i = 0; known != NULL && i < known->n; i++)
		if (known->rows[i].table == t) {
			*laid = (struct shim_laid){ .by = SHIM_BY_FILE };
			snprintf(laid->as, sizeof(laid->as), "%s", known->file);
			return &known->rows[i].row;
		}
	for (size_t i = 0; i < ARRAY_SIZE(newest_releases); i++)
		if (newest_releases[i] >> 8 == release >> 8)
			newest = newest_releases[i];
	row = table_row(t, RTE_MIN(release, newest));
	if (row == NULL) {
		err_set(e, ENOTSUP,
			"%s: unknown queue layout of %s; read it with devtools/layouts and use --shim-layouts=FILE",
			t->name, rte_version());
		return NULL;
	}
	laid->by = release <= newest && release <= NEWEST_RUN ? SHIM_BY_TABLE : SHIM_BY_CHECK;
	if (laid->by == SHIM_BY_CHECK && known != NULL && known->tables_only) {
		err_set(e, ENOTSUP,
			"%s: %s is newer than the table of layouts; use \"set recycle layouts check\"",
			t->name, rte_version());
		return NULL;
	}
	release_write(RTE_MIN(release, newest), laid->as, sizeof(laid->as));
	return row;
}

const char *
shim_layout_by_name(enum shim_layout_by by)
{
	static const char *const names[] = { "table", "check", "file" };

	return names[by];
}
