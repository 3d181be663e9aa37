/* What DPDK tells about itself: every name answers, in text and as one valid JSON member; unknown
 * ones are refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/dump.h"

#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What the answer holds, and how it begins as JSON; NULL: as its name. */
static const struct {
	const char *what, *text, *json;
} names[] = {
	{ "physmem", "Segment 0-0: IOVA:" },
	{ "memzone", "Zone 0: name:<" },
	{ "socket_mem", "Socket 0: size(M) total: 256.", "sockets\": [{\"socket\": 0, " },
	{ "struct_sizes", "sizeof(struct rte_mbuf) = 128\nsizeof(struct rte_mempool) = ",
		"rte_mbuf_bytes\": 128, " },
	{ "ring", "ring <MP_mb_pool_0>@" },
	{ "mempool", "mempool <mb_pool_0>@" },
	{ "devargs", "net_null0" },
	{ "log_types", "id 0: lib.eal, level is " },
	{ "lcores", "lcore 0, socket 0, role RTE" },
};

TEST(names_answer)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char line[32], expected[128];
		const char *got;

		snprintf(line, sizeof(line), "dump %s", names[i].what);
		got = port_fixture_text(line);
		if (strstr(got, names[i].text) == NULL)
			fail_msg("%s: %s", line, got);
		snprintf(expected, sizeof(expected), "{\"command\": \"%s\", \"ok\": true, \"%s%s",
			line, names[i].json != NULL ? names[i].json : names[i].what,
			names[i].json != NULL ? "" : "\": \"");
		got = port_fixture_json(line);
		assert_ptr_equal(strstr(got, expected), got);
		assert_ptr_equal(strchr(got, '\n'), got + strlen(got) - 1);
	}
}

/* testpmd's shape, whatever the numbers are. */
TEST(socket_mem)
{
	double size, allocated, percent, unused;
	unsigned int n_allocated, n_free;
	const char *got = strchr(port_fixture_text("dump socket_mem"), '\n') + 1;
	int end = 0;

	assert_int_equal(
		sscanf(got,
			"Total   : size(M) total: %lf alloc: %lf(%lf%%) free: %lf \tcount alloc: %u free: %u\n%n",
			&size, &allocated, &percent, &unused, &n_allocated, &n_free, &end),
		6);
	assert_int_equal(got[end], '\0');
	assert_true(allocated < size && allocated + unused > size * 0.99 && percent < 100);
}

TEST(one)
{
	const char *got = port_fixture_text("dump mempool mb_pool_0");

	assert_ptr_equal(strstr(got, "mempool <mb_pool_0>@"), got);
	got = port_fixture_text("dump ring MP_mb_pool_0");
	assert_ptr_equal(strstr(got, "ring <MP_mb_pool_0>@"), got);
}

TEST(refused)
{
	static const struct port_fixture_row rows[] = {
		{ "dump mempool nope", NULL, "Cannot find mempool\n", "ENOENT" },
		{ "dump ring nope", NULL, "Cannot find ring\n", "ENOENT" },
		{ "dump trace", NULL, "tracing is disabled; start zcfwd with --trace=REGEX\n",
			"ENOENT" },
	};
	struct app *app = *state;
	struct err e = { 0 };

	PORT_FIXTURE_ROWS(rows);
	assert_int_equal(dump_show(app->out, "nope", &e), -EINVAL);
	assert_string_equal(e.text, "nope: expected one of " DUMP_NAMES);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
