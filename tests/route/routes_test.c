/* Routes from commands and files: what is a prefix, which line is wrong, and that a file is
 * taken whole or not at all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "route/routes.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "fixtures/cases.h"
#include "fixtures/made_files.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct routes routes;

static int
packets_read(const char *text, char *to, size_t size, struct err *e)
{
	struct route route;

	if (routes_parse(&route, text, 0, e) == 0)
		routes_text(&route, to, size);
	return -e->code;
}

static bool
port_there(uint16_t id)
{
	return id < 2;
}

/* A file, and its routes as "show route" prints them; of a bad one nothing is taken. */
static int
file_read(const char *text, char *to, size_t size, struct err *e)
{
	FILE *file;
	struct out *o;

	routes_clear(&routes);
	if (routes_load(&routes, made_file("routes", text), port_there, e) != 0) {
		assert_int_equal(routes.n, 0);
		return -e->code;
	}
	file = fmemopen(to, size, "w");
	o = out_open(file, stderr);
	for (unsigned int i = 0; i < routes.n; i++)
		routes_show_one(&routes.route[i], NULL, o);
	out_close(o);
	fclose(file);
	return 0;
}

CASES("route/routes", { "packets", packets_read, true }, { "file", file_read, true })

/* All of 3000 lines; a line that is too long changes nothing. */
TEST(many)
{
	char *text = malloc(100000), *at = text;
	struct err e = { 0 };

	routes_clear(&routes);
	for (unsigned int i = 0; i < 3000; i++)
		at += sprintf(at, "12.%u.%u.0/24 0\n", i >> 8, i & 255);
	assert_int_equal(routes_load(&routes, made_file("routes", text), port_there, &e), 0);
	assert_int_equal(routes.n, 3000);
	memset(text, 'x', 5000);
	text[5000] = '\0';
	assert_int_equal(routes_load(&routes, made_file("routes", text), port_there, &e), -E2BIG);
	assert_non_null(strstr(e.text, ":1: the line is longer than"));
	assert_int_equal(routes.n, 3000);
	free(text);
}

/* What never ends, or never begins, is no file of routes: nothing waits for it. */
TEST(endless)
{
	char pipe_path[160], sparse[128];
	const struct {
		const char *path, *words;
	} rows[] = {
		{ "/dev/zero", "/dev/zero: expected a regular file" },
		{ "/dev/full", "/dev/full: expected a regular file" },
		{ "/", "/: expected a regular file" },
		{ pipe_path, ": expected a regular file" },
		{ sparse, ":1: the line contains a NUL byte" },
	};

	snprintf(sparse, sizeof(sparse), "%s", made_file("sparse", ""));
	snprintf(pipe_path, sizeof(pipe_path), "%s.pipe", sparse);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	assert_int_equal(truncate(sparse, (off_t)1 << 40), 0);
	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++) {
		struct err e = { 0 };
		unsigned int n = routes.n;

		assert_int_not_equal(routes_load(&routes, rows[r].path, port_there, &e), 0);
		assert_non_null(strstr(e.text, rows[r].words));
		assert_int_equal(routes.n, n);
	}
}

/* One prefix, another port: still one; taken out once. */
TEST(add_and_delete)
{
	struct route r = { .depth = 8, .addr = { 10 } };
	struct err e = { 0 };

	routes_clear(&routes);
	assert_int_equal(routes_add(&routes, &r, &e), 0);
	r.port = 1;
	assert_int_equal(routes_add(&routes, &r, &e), 0);
	assert_int_equal(routes.n, 1);
	assert_int_equal(routes.route[0].port, 1);
	assert_int_equal(routes_delete(&routes, &r, &e), 0);
	assert_int_equal(routes_delete(&routes, &r, &e), -ENOENT);
	assert_non_null(strstr(e.text, "10.0.0.0/8"));
	routes_clear(&routes);
}

TESTS(.setup = made_begin, .teardown = made_end);
