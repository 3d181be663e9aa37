/* What DPDK tells about itself: every name answers, in text and as one valid JSON member; unknown
 * ones are refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/dump.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *what, *text; /* text: what the answer holds */
} names[] = {
	{ "physmem", "Segment 0-0: IOVA:" },
	{ "memzone", "Zone 0: name:<" },
	{ "socket_mem", "Socket 0: size(M) total: 256." },
	{ "struct_sizes", "sizeof(struct rte_mbuf) = 128\nsizeof(struct rte_mempool) = " },
	{ "ring", "ring <MP_mb_pool_0>@" },
	{ "mempool", "mempool <mb_pool_0>@" },
	{ "devargs", "net_null0" },
	{ "log_types", "id 0: lib.eal, level is " },
	{ "lcores", "lcore 0, socket 0, role RTE" },
};

TEST(text)
{
	struct port_fixture *b = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct err e = { 0 };
		const char *got;

		assert_int_equal(dump_show(b->out, names[i].what, &e), 0);
		got = out_check_results(&b->printed);
		if (strstr(got, names[i].text) == NULL)
			fail_msg("%s: %s", names[i].what, got);
	}
}

TEST(json)
{
	struct port_fixture *b = *state;
	unsigned int i;
	char want[64];

	out_format_set(b->out, OUT_JSON);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct err e = { 0 };
		const char *got;

		out_begin(b->out, "x");
		assert_int_equal(dump_show(b->out, names[i].what, &e), 0);
		out_end(b->out, NULL, NULL);
		got = out_check_results(&b->printed);
		snprintf(want, sizeof(want), "{\"command\": \"x\", \"ok\": true, \"%s\": \"",
			names[i].what);
		if (strcmp(names[i].what, "socket_mem") == 0)
			strcpy(want,
				"{\"command\": \"x\", \"ok\": true, \"sockets\": [{\"socket\": 0, ");
		if (strcmp(names[i].what, "struct_sizes") == 0)
			strcpy(want,
				"{\"command\": \"x\", \"ok\": true, \"rte_mbuf_bytes\": 128, ");
		assert_ptr_equal(strstr(got, want), got);
		assert_ptr_equal(strchr(got, '\n'), got + strlen(got) - 1);
	}
	out_format_set(b->out, OUT_TEXT);
}

/* testpmd's shape, whatever the numbers are. */
TEST(socket_mem)
{
	struct port_fixture *b = *state;
	double size, allocated, percent, unused;
	unsigned int n_allocated, n_free;
	struct err e = { 0 };
	const char *got;
	int end = 0;

	assert_int_equal(dump_show(b->out, "socket_mem", &e), 0);
	got = strchr(out_check_results(&b->printed), '\n') + 1;
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
	struct port_fixture *b = *state;
	struct err e = { 0 };

	assert_int_equal(dump_mempool(b->out, "mb_pool_0", &e), 0);
	assert_ptr_equal(strstr(out_check_results(&b->printed), "mempool <mb_pool_0>@"),
		b->printed.results);
	assert_int_equal(dump_ring(b->out, "MP_mb_pool_0", &e), 0);
	assert_ptr_equal(strstr(out_check_results(&b->printed), "ring <MP_mb_pool_0>@"),
		b->printed.results);
}

TEST(refused)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	assert_int_equal(dump_mempool(b->out, "nope", &e), -ENOENT);
	assert_string_equal(e.text, "Cannot find mempool");
	assert_int_equal(dump_ring(b->out, "nope", &e), -ENOENT);
	assert_string_equal(e.text, "Cannot find ring");
	assert_int_equal(dump_show(b->out, "nope", &e), -EINVAL);
	assert_string_equal(e.text, "nope: expected one of " DUMP_NAMES);
	assert_int_equal(dump_show(b->out, "trace", &e), -ENOENT);
	assert_string_equal(e.text, "tracing is disabled; start zcfwd with --trace=REGEX");
	assert_string_equal(out_check_results(&b->printed), "");
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
