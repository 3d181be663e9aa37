/* Which row of a table of layouts is taken for the DPDK and the processor that run, and what is
 * refused by name. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "fixtures/cases.h"
#include "fixtures/made_files.h"
#include "fixtures/unit.h"
#include "pmd_shims/recycle/layout_file.h"
#include "pmd_shims/recycle/recycle.h"
#include "pmd_shims/recycle/shim.h"

#include <rte_eal.h>
#include <rte_version.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *running = "DPDK 22.11.11";

const char *
rte_version(void)
{
	return running;
}

static const struct shim_table *
table(const char *name)
{
	for (unsigned int i = 0; shim_drivers[i] != NULL; i++)
		for (unsigned int j = 0; j < ARRAY_SIZE(shim_drivers[i]->tables); j++)
			if (shim_drivers[i]->tables[j] != NULL &&
				strcmp(shim_drivers[i]->tables[j]->name, name) == 0)
				return shim_drivers[i]->tables[j];
	fail_msg("no table %s", name);
	return NULL;
}

TEST(found)
{
	static const struct {
		const char *table, *running, *as;
		enum shim_layout_by by, by_128; /* with cache lines of 64 bytes, and of 128 */
	} rows[] = {
		{ "i40e_tx", "DPDK 22.11.11", "DPDK 22.11.11", SHIM_BY_TABLE, SHIM_BY_TABLE },
		{ "i40e_tx", "DPDK 22.11.12", "DPDK 22.11.11", SHIM_BY_CHECK, SHIM_BY_CHECK },
		{ "i40e_tx", "DPDK 22.11.0", "DPDK 22.11.0", SHIM_BY_TABLE, SHIM_BY_TABLE },
		{ "i40e_rx", "DPDK 22.11.11", "DPDK 22.11.11", SHIM_BY_TABLE, SHIM_BY_TABLE },
		/* A row that other series were run with, or a row of a series that was run with others. */
		{ "i40e_tx", "DPDK 23.11.7", "DPDK 23.11.7", SHIM_BY_CHECK, SHIM_BY_CHECK },
		{ "ixgbe_rx", "DPDK 25.03.0", "DPDK 25.03.0", SHIM_BY_CHECK, SHIM_BY_CHECK },
		{ "mlx5_rx", "DPDK 24.11.2", "DPDK 24.11.2", SHIM_BY_CHECK, SHIM_BY_CHECK },
		{ "mlx5_rx", "DPDK 24.11.6", "DPDK 24.11.6", SHIM_BY_TABLE, SHIM_BY_CHECK },
		{ "ixgbe_tx", "DPDK 26.03.0", "DPDK 26.03.0", SHIM_BY_CHECK, SHIM_BY_CHECK },
		{ "ixgbe_tx", "DPDK 26.07.0", "DPDK 26.07.0", SHIM_BY_TABLE, SHIM_BY_CHECK },
		{ "ixgbe_tx", "DPDK 26.07.1", "DPDK 26.07.0", SHIM_BY_CHECK, SHIM_BY_CHECK },
		{ "ixgbe_tx", "DPDK 26.11.0-rc0", "DPDK 26.07.0", SHIM_BY_CHECK, SHIM_BY_CHECK },
		{ "ixgbe_tx", "DPDK 26.03.0-rc0", "DPDK 25.11.2", SHIM_BY_CHECK, SHIM_BY_CHECK },
		{ "mlx5_tx", "DPDK 24.11.3", "DPDK 24.11.3", SHIM_BY_TABLE, SHIM_BY_CHECK },
		{ "virtio", "DPDK 25.11.0", "DPDK 25.11.0", SHIM_BY_TABLE, SHIM_BY_CHECK },
	};
	struct shim_laid laid;
	struct zcfwd_recycle_error e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		running = rows[i].running;
		e = (struct zcfwd_recycle_error){ 0 };
		assert_non_null(shim_layout_find(NULL, table(rows[i].table), &laid, &e));
		assert_string_equal(laid.as, rows[i].as);
		assert_int_equal(laid.by, RTE_CACHE_LINE_SIZE == 128 ? rows[i].by_128 : rows[i].by);
	}
}

TEST(refused)
{
	static const char *const names[] = { "DPDK 22.07.0", "DPDK 27.11.0", "DPDK 27.11.0-rc0",
		"DPDK 25.11.0-rc1", "DPDK 26.11.0-rc01" };
	const struct shim_layouts tables_only = { .tables_only = true };
	struct shim_laid laid;
	struct zcfwd_recycle_error e;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		running = names[i];
		e = (struct zcfwd_recycle_error){ 0 };
		assert_null(shim_layout_find(NULL, table("i40e_tx"), &laid, &e));
		assert_non_null(strstr(e.text, "i40e_tx: unknown queue layout of "));
		assert_non_null(strstr(e.text, running));
	}
	running = "DPDK 22.11.12";
	e = (struct zcfwd_recycle_error){ 0 };
	assert_null(shim_layout_find(&tables_only, table("i40e_tx"), &laid, &e));
	assert_non_null(strstr(e.text, "newer than the table of layouts"));
	running = "DPDK 23.11.7";
	e = (struct zcfwd_recycle_error){ 0 };
	assert_non_null(shim_layout_find(&tables_only, table("i40e_tx"), &laid, &e));
	assert_int_equal(laid.by, SHIM_BY_CHECK);
}

/* A field of a row, by its name. */
static uint16_t
field(const struct shim_table *t, const void *row, const char *name)
{
	const uint16_t *fields = (const void *)((const char *)row + sizeof(struct shim_releases));

	for (size_t i = 0; i < t->n_fields; i++)
		if (strcmp(t->fields[i], name) == 0)
			return fields[i];
	fail_msg("%s has no field %s", t->name, name);
	return 0;
}

/*
 * Rows are for cache lines as long as this DPDK's: the driver's dummy mbuf begins a line, and with
 * longer lines the fields behind it come later.
 */
TEST(cache_lines)
{
	static const struct {
		const char *table, *running, *behind;
		uint16_t offset, offset_128;
	} rows[] = {
		{ "i40e_rx", "DPDK 22.11.11", "rearm_n", 712, 776 },
		{ "i40e_rx", "DPDK 25.11.0", "rearm_n", 590, 590 },
		{ "ice_rx", "DPDK 22.11.11", "rearm_start", 706, 770 },
		{ "ixgbe_rx", "DPDK 22.11.11", "rearm_n", 94, 94 },
		{ "ixgbe_rx", "DPDK 25.11.2", "fake", 704, 768 },
		{ "mlx5_rx", "DPDK 22.11.11", "fake", 448, 512 },
		{ "mlx5_rx", "DPDK 24.11.4", "pool", 520, 648 },
	};
	struct shim_layout_file file = { .n = 1, .name = "rows" };
	const struct shim_layouts known = { .file = &file };
	struct shim_laid laid;
	struct zcfwd_recycle_error e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct shim_table *t = table(rows[i].table);
		const void *row;

		running = rows[i].running;
		e = (struct zcfwd_recycle_error){ 0 };
		row = shim_layout_find(NULL, t, &laid, &e);
		assert_non_null(row);
		assert_int_equal(field(t, row, "fake") % RTE_CACHE_LINE_SIZE, 0);
		assert_int_equal(field(t, row, rows[i].behind),
			RTE_CACHE_LINE_SIZE == 128 ? rows[i].offset_128 : rows[i].offset);
		file.rows[0].table = t;
		assert_ptr_equal(shim_layout_find(&known, t, &laid, &e), &file.rows[0].row);
		assert_int_equal(laid.by, SHIM_BY_FILE);
	}
}

/* A file of rows, and how many of them it has. */
static int
file_read(const char *text, char *to, size_t size, struct err *e)
{
	struct zcfwd_recycle_error why = { 0 };
	struct shim_layout_file file;

	running = "DPDK 22.11.11";
	if (shim_layout_load(&file, made_file("rows", text), &why) != 0)
		return err_set(e, why.code, "%s", why.text);
	snprintf(to, size, "%u", file.n);
	return 0;
}

CASES("pmd_shims/recycle/shim_layout", { "file", file_read })

/* Load a file with one row, whose fields are at these offsets. */
static int
load(const struct shim_table *t, const uint16_t *at, struct err *e)
{
	char text[1024], result[16];
	int n = snprintf(text, sizeof(text), "%s 22.11.11", t->name);

	for (size_t i = 0; i < t->n_fields; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %s=%u", t->fields[i], at[i]);
	return file_read(text, result, sizeof(result), e);
}

/* Fields of a file's row may lie side by side, and share no byte, whichever of two comes first. */
TEST(overlaps)
{
	const struct shim_table *t = table("i40e_rx");
	struct err e;
	size_t n = 0; /* fields that have bytes in the queue: the first ones */

	while (n < t->n_fields && t->bytes[n] != 0)
		n++;
	assert_true(n > 1);
	for (int descending = 0; descending < 2; descending++) {
		uint16_t at[SHIM_FIELDS_MAX] = { 0 }, end = 0;

		for (size_t i = 0; i < n; i++) {
			const size_t field = descending ? n - 1 - i : i;

			at[field] = end;
			end += t->bytes[field];
		}
		assert_int_equal(load(t, at, &e), 0);
		for (size_t i = 1; i < n; i++) {
			const size_t behind = descending ? i - 1 : i;
			char said[96];

			snprintf(said, sizeof(said), "%s and %s of %s overlap", t->fields[i - 1],
				t->fields[i], t->name);
			at[behind]--;
			assert_int_equal(load(t, at, &e), -EINVAL);
			assert_non_null(strstr(e.text, said));
			at[behind]++;
		}
	}
}

/* Where nobody has looked at the drivers' vector functions every pair is refused for that. */
TEST(processors)
{
#if defined(RTE_ARCH_X86_64) || defined(RTE_ARCH_ARM64)
	const char *refusal = "port 0: no such port";
#else
	const char *refusal =
		"the drivers' vector functions for this processor have not been verified";
#endif
	struct recycle_ends ends = { 0 };
	struct zcfwd_recycle_error e;

	e = (struct zcfwd_recycle_error){ 0 };
	assert_null(recycle_bind(&ends, ZCFWD_RECYCLE_MODE_RING, NULL, &e));
	assert_string_equal(e.text, refusal);
}

static int
group_setup(void **state)
{
	static char *args[] = { "shim_layout_test", "--no-huge", "-m", "64", "--no-shconf",
		"--no-pci", "--no-telemetry", "--log-level=critical" };

	return made_begin(state) != 0 || rte_eal_init(ARRAY_SIZE(args), args) < 0;
}

static int
group_teardown(void **state)
{
	return made_end(state) + rte_eal_cleanup();
}

TESTS(.setup = group_setup, .teardown = group_teardown);
