/* Reads layouts of drivers' queues from a file made by devtools/layouts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/layout_file.h"

#include "pmd_shims/recycle/watch.h"

#include <rte_version.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* devtools/layouts writes some 4 KiB. */
enum { LINE_MAX_BYTES = 4096, FILE_MAX_BYTES = 1 << 20 };

/* A line: its table, and the fields read so far. */
struct row {
	const struct shim_table *table;
	uint16_t fields[SHIM_FIELDS_MAX];
	bool seen[SHIM_FIELDS_MAX];
};

static const struct shim_table *
table_find(const char *name)
{
	for (unsigned int i = 0; shim_drivers[i] != NULL; i++)
		for (unsigned int j = 0; j < RTE_DIM(shim_drivers[i]->tables); j++)
			if (shim_drivers[i]->tables[j] != NULL &&
				strcmp(shim_drivers[i]->tables[j]->name, name) == 0)
				return shim_drivers[i]->tables[j];
	return strcmp(watch_table.name, name) == 0 ? &watch_table : NULL;
}

static int
refuse(const char *path, unsigned int line, const char *word, const char *expected,
	struct zcfwd_recycle_error *e)
{
	return shim_refuse(e, ZCFWD_RECYCLE_FILE, "%s:%u: '%s': expected %s", path, line, word,
		expected);
}

/* Store a word such as "ring=8" in its field. */
static int
field_read(struct row *row, char *word, const char *path, unsigned int line,
	struct zcfwd_recycle_error *e)
{
	char *value = strchr(word, '='), *end;
	unsigned long number;

	if (value == NULL)
		return refuse(path, line, word, "field=number", e);
	number = strtoul(value + 1, &end, 10);
	if (value[1] < '0' || value[1] > '9' || *end != '\0' || number > UINT16_MAX)
		return refuse(path, line, word, "a number in 0..65535", e);
	*value = '\0';
	for (size_t i = 0; i < row->table->n_fields && i < SHIM_FIELDS_MAX; i++)
		if (strcmp(row->table->fields[i], word) == 0) {
			row->fields[i] = (uint16_t)number;
			row->seen[i] = true;
			return 0;
		}
	return refuse(path, line, word, "the name of a field of this table", e);
}

/* Refuse a row in which a field is missing or two fields overlap. */
static int
row_check(const struct row *row, const char *path, unsigned int line, struct zcfwd_recycle_error *e)
{
	const struct shim_table *t = row->table;
	const uint16_t *at = row->fields;

	for (size_t i = 0; i < t->n_fields; i++)
		if (!row->seen[i])
			return shim_refuse(e, ZCFWD_RECYCLE_FILE, "%s:%u: %s: field %s is missing",
				path, line, t->name, t->fields[i]);
	for (size_t i = 0; i < t->n_fields; i++)
		for (size_t j = 0; j < i; j++)
			if (t->bytes[i] != 0 && t->bytes[j] != 0 && at[i] != SHIM_NONE &&
				at[j] != SHIM_NONE && at[i] < at[j] + t->bytes[j] &&
				at[j] < at[i] + t->bytes[i])
				return shim_refuse(e, ZCFWD_RECYCLE_FILE,
					"%s:%u: %s and %s of %s overlap", path, line, t->fields[j],
					t->fields[i], t->name);
	return 0;
}

static int
line_read(struct shim_layout_file *known, char *text, const char *path, unsigned int line,
	struct zcfwd_recycle_error *e)
{
	static const char blanks[] = " \t\r\n";
	const char *release = strchr(rte_version(), ' ') + 1;
	char *rest, *word = strtok_r(text, blanks, &rest);
	struct row row = { 0 };
	int ret = 0;

	if (word == NULL || word[0] == '#')
		return 0;
	row.table = table_find(word);
	if (row.table == NULL)
		return refuse(path, line, word,
			"a table that devtools/layouts writes (i40e_rx, mlx5_tx, ...)", e);
	for (unsigned int i = 0; i < known->n; i++)
		if (known->rows[i].table == row.table)
			return refuse(path, line, word, "one line per table", e);
	word = strtok_r(NULL, blanks, &rest);
	if (word == NULL ||
		(strcmp(word, release) != 0 &&
			(shim_release_read(word) == 0 ||
				shim_release_read(word) != shim_release_read(release))))
		return refuse(path, line, word == NULL ? "" : word, release, e);
	while (ret == 0 && (word = strtok_r(NULL, blanks, &rest)) != NULL)
		ret = field_read(&row, word, path, line, e);
	if (ret == 0)
		ret = row_check(&row, path, line, e);
	if (ret != 0)
		return ret;
	known->rows[known->n].table = row.table;
	memcpy(known->rows[known->n].row.fields, row.fields, sizeof(row.fields));
	known->n++;
	return 0;
}

static int
file_refuse(const char *path, int code, struct zcfwd_recycle_error *e)
{
	shim_refuse(e, ZCFWD_RECYCLE_FILE, "%s: %s", path, strerror(code));
	if (e != NULL)
		e->code = code;
	return -code;
}

/* Open a regular file of a bounded size. Nothing waits: a FIFO has no end, a device may have none. */
static int
file_open(FILE **file, const char *path, struct zcfwd_recycle_error *e)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int ret = 0;

	if (fd < 0)
		return file_refuse(path, errno, e);
	if (fstat(fd, &st) != 0)
		ret = file_refuse(path, errno, e);
	else if (!S_ISREG(st.st_mode))
		ret = shim_refuse(e, ZCFWD_RECYCLE_FILE, "%s: expected a regular file", path);
	else if (st.st_size > FILE_MAX_BYTES)
		ret = shim_refuse(e, ZCFWD_RECYCLE_FILE,
			"%s: file of %lld bytes: expected at most %d", path, (long long)st.st_size,
			FILE_MAX_BYTES);
	else if ((*file = fdopen(fd, "r")) == NULL)
		ret = file_refuse(path, errno, e);
	if (ret != 0)
		close(fd);
	return ret;
}

int
shim_layout_load(struct shim_layout_file *known, const char *path, struct zcfwd_recycle_error *e)
{
	struct shim_layout_file new = { 0 };
	char text[LINE_MAX_BYTES];
	unsigned int line = 0;
	FILE *file = NULL;
	int ret = file_open(&file, path, e);

	if (ret != 0)
		return ret;
	/* A file of /proc has no size, and one that grows has another one now. */
	while (ret == 0 && ftell(file) <= FILE_MAX_BYTES && fgets(text, sizeof(text), file) != NULL)
		ret = line_read(&new, text, path, ++line, e);
	if (ret == 0 && ferror(file))
		ret = file_refuse(path, EIO, e);
	fclose(file);
	if (ret == 0 && new.n == 0)
		ret = shim_refuse(e, ZCFWD_RECYCLE_FILE,
			"%s: contains no row written by devtools/layouts", path);
	if (ret != 0)
		return ret;
	snprintf(new.name, sizeof(new.name), "%s", path);
	*known = new;
	return 0;
}
