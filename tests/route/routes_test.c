/* Routes from commands and files: what is a prefix, which line is wrong, and that a file is
 * taken whole or not at all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "route/routes.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct routes routes;

TEST(prefixes)
{
	static const struct {
		const char *word, *text; /* text NULL: refused */
	} rows[] = {
		{ "10.0.0.0/8", "10.0.0.0/8" },
		{ "10.1.2.3", "10.1.2.3/32" },
		{ "0.0.0.0/0", "0.0.0.0/0" },
		{ "::/0", "::/0" },
		{ "2001:db8::/32", "2001:db8::/32" },
		{ "2001:db8::1", "2001:db8::1/128" },
		{ "10.0.0.1/8", NULL },
		{ "128.0.0.0/0", NULL },
		{ "10.128.0.0/8", NULL },
		{ "10.0.0.0/33", NULL },
		{ "10.0.0.0/", NULL },
		{ "10.0.0.0/-1", NULL },
		{ "10.0.0.0/8x", NULL },
		{ "10.0.0/8", NULL },
		{ "2001::1/64", NULL },
		{ "2001::/129", NULL },
		{ "", NULL },
		{ "/8", NULL },
		{ "nonsense", NULL },
		{ "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc/16", NULL },
	};
	char text[64];

	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++) {
		struct route route;
		struct err e = { 0 };
		int ret = routes_prefix(&route, rows[r].word, &e);

		assert_int_equal(ret, -e.code);
		assert_int_equal(ret == 0, rows[r].text != NULL);
		if (ret == 0) {
			routes_text(&route, text, sizeof(text));
			assert_string_equal(text, rows[r].text);
		}
	}
}

/* Routes are the same when all that selects packets is: the later one replaces the earlier one. */
TEST(distinct)
{
	static const struct route rows[] = {
		{ .depth = 8, .addr = { 10 }, .port = 1 },
		{ .depth = 16, .addr = { 10 }, .port = 1 },
		{ .depth = 8, .addr = { 11 }, .port = 1 },
		{ .depth = 8, .addr = { 10 }, .port = 1, .v6 = true },
		{ .depth = 8, .addr = { 10 }, .port = 1, .flow = true },
		{ .depth = 8, .addr = { 10 }, .port = 1, .flow = true, .sport = 1 },
		{ .depth = 8, .addr = { 10 }, .port = 1, .flow = true, .dport = 1 },
		{ .depth = 8, .addr = { 10 }, .port = 1, .flow = true, .proto = 17 },
		{ .depth = 8, .addr = { 10 }, .port = 1, .flow = true, .src = { 12 } },
	};
	struct err e = { 0 };

	routes_clear(&routes);
	for (uint16_t port = 0; port < 2; port++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
			struct route r = rows[i];

			r.port = port;
			assert_int_equal(routes_add(&routes, &r, &e), 0);
		}
		assert_int_equal(routes.n, ARRAY_SIZE(rows));
	}
	for (unsigned int i = 0; i < routes.n; i++)
		assert_int_equal(routes.route[i].port, 1);
	routes_clear(&routes);
}

static bool
port_there(uint16_t id)
{
	return id < 2;
}

/* Load text as a file. Returns what it says. */
static struct err
load(const char *text)
{
	char path[] = "routes_XXXXXX";
	int fd = mkstemp(path);
	struct err e = { 0 };
	char *behind;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	routes_load(&routes, path, port_there, &e);
	unlink(path);
	behind = strstr(e.text, path);
	if (behind != NULL)
		memmove(e.text, behind + strlen(path), strlen(behind + strlen(path)) + 1);
	return e;
}

TEST(files)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "10.0.0.0/8 0\n\n10.0.0.1/8 1\n", ":3: \"10.0.0.1/8\": expected only zeros" },
		{ "10.0.0.0/8\n", ":1: 1 word: expected PREFIX port PORT [mac MAC]" },
		{ "10.0.0.0/8 port\n", ":1: 2 words: expected" },
		{ "10.0.0.0/8 port 0 02:00:00:00:00:01\n", ":1: 4 words: expected" },
		{ "10.0.0.0/8 port 0 mak 02:00:00:00:00:01\n", ":1: 5 words: expected" },
		{ "10.0.0.0/8 0 mac 02:00:00:00:00:01\n", ":1: 4 words: expected" },
		{ "10.0.0.0/8 port x\n", ":1: \"x\" is not a port number" },
		{ "10.0.0.0/8 port 0 mac x\n", ":1: \"x\" is not a MAC address" },
		{ "1.2.3.4 5.6.7.8 1 2 udp port 0 mac\n", ":1: 8 words: expected" },
		{ "1.2.3.4 5.6.7.8 1 2 udp port 0 mac 02:00:00:00:00:01 x\n", ":1: 10 words" },
		{ "10.0.0.0/8 0 02:00:00:00:00:01 x\n", ":1: 4 words: expected" },
		{ "10.0.0.0/8 0 nonsense\n", ":1: \"nonsense\" is not a MAC address" },
		{ "# one\n10.0.0.0/8 2", ":2: port 2 does not exist" },
		{ "10.0.0.0/8 x", ":1: \"x\" is not a port number" },
	};
	char *text = malloc(100000), *at;

	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++) {
		struct err e = load(rows[r].text);

		assert_non_null(strstr(e.text, rows[r].words));
		assert_int_equal(routes.n, 0);
	}
	assert_int_equal(load("10.0.0.0/8 0 # comment\n  11.0.0.0/8\t1 02:00:00:00:00:01\n::/0 1\n")
				 .code,
		0);
	assert_int_equal(routes.n, 3);
	/* Once more, other ports: each prefix once, the last word counts; all of 3000 lines. */
	at = text + sprintf(text, "10.0.0.0/8 0\n10.0.0.0/8 1\n");
	for (unsigned int i = 0; i < 3000; i++)
		at += sprintf(at, "12.%u.%u.0/24 0\n", i >> 8, i & 255);
	assert_int_equal(load(text).code, 0);
	assert_int_equal(routes.n, 3003);
	for (unsigned int i = 0; i < routes.n; i++)
		if (routes.route[i].depth == 8 && routes.route[i].addr[0] == 10)
			assert_int_equal(routes.route[i].port, 1);
	memset(text, 'x', 5000);
	text[5000] = '\0';
	assert_non_null(strstr(load(text).text, ":1: the line is longer than"));
	assert_int_equal(routes.n, 3003);
	free(text);
}

/* Lines as `show route` prints them, and without the keywords: equal routes. */
TEST(keywords)
{
	static const char *const pairs[][2] = {
		{ "10.0.0.0/8 port 1\n", "10.0.0.0/8 1\n" },
		{ "::/0 port 1 mac 02:00:00:00:00:01\n", "::/0 1 02:00:00:00:00:01\n" },
		{ "1.2.3.4 5.6.7.8 1 2 udp port 1\n", "1.2.3.4 5.6.7.8 1 2 udp 1\n" },
		{ "1::2 3::4 1 2 tcp port 1 mac 02:00:00:00:00:01 # x\n",
			"1::2 3::4 1 2 tcp 1 02:00:00:00:00:01\n" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct route with;

		routes_clear(&routes);
		assert_int_equal(load(pairs[i][0]).code, 0);
		with = routes.route[0];
		assert_int_equal(with.port, 1);
		assert_int_equal(load(pairs[i][1]).code, 0);
		assert_int_equal(routes.n, 1);
		assert_memory_equal(&routes.route[0], &with, sizeof(with));
	}
	routes_clear(&routes);
}

/* What never ends, or never begins, is no file of routes: nothing waits for it. */
TEST(endless)
{
	char pipe_path[] = "routes_XXXXXX", sparse[] = "routes_XXXXXX";
	const struct {
		const char *path, *words;
	} rows[] = {
		{ "/dev/zero", "/dev/zero: expected a regular file" },
		{ "/dev/full", "/dev/full: expected a regular file" },
		{ "/", "/: expected a regular file" },
		{ pipe_path, ": expected a regular file" },
		{ sparse, ":1: the line contains a NUL byte" },
	};
	int fd = mkstemp(sparse);

	close(mkstemp(pipe_path));
	unlink(pipe_path);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	close(fd);
	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++) {
		struct err e = { 0 };
		unsigned int n = routes.n;

		assert_int_not_equal(routes_load(&routes, rows[r].path, port_there, &e), 0);
		assert_non_null(strstr(e.text, rows[r].words));
		assert_int_equal(routes.n, n);
	}
	unlink(pipe_path);
	unlink(sparse);
}

/* One prefix, another port: still one; taken out once. */
TEST(words)
{
	struct route r;
	struct err e = { 0 };

	routes_clear(&routes);
	assert_int_equal(routes_prefix(&r, "10.0.0.0/8", &e), 0);
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
