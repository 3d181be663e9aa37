/* Telemetry's pages over a real socket: the largest figures there can be, and not one of them
 * missing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/telemetry.h"

#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "engines/engine.h"
#include "fixtures/out_check.h"
#include "fixtures/own_lcores.h"
#include "fixtures/unit.h"
#include "show/telemetry_priv.h"
#include "start/lists.h"

#include <rte_eal.h>

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER_BYTES (16 * 1024) /* DPDK's MAX_OUTPUT_LEN */
#define STREAMS 300
#define MOST (UINT64_MAX / 2 - 7) /* as many digits as a count can have, and no sum of two wraps */

extern const struct engine engine_io;

struct fixture {
	char folder[64];
	struct app app;
	int socket;
	char answer[2 * ANSWER_BYTES];
};

static void
streams_fake(struct run *r)
{
	r->engine = r->engine_run = &engine_io;
	r->streams = calloc(STREAMS, sizeof(*r->streams));
	r->timed_base = calloc(STREAMS, sizeof(*r->timed_base));
	r->plan.n_streams = STREAMS;
	for (unsigned int i = 0; i < STREAMS; i++) {
		struct stream *s = aligned_alloc(CACHE_PAIR, sizeof(*s));

		assert_non_null(s);
		memset(s, 0, sizeof(*s));
		s->engine = &engine_io;
		counter_add(&s->count.rx, MOST);
		counter_add(&s->count.tx, MOST);
		counter_add(&s->count.busy_cycles, MOST);
		r->streams[i] = s;
	}
	for (unsigned int n = 0; n < HIST_CELLS; n++) {
		counter_add(&r->streams[0]->rx_bursts.cell[n], MOST + n);
		if (n % 3 == 0)
			counter_add(&r->streams[0]->tx_bursts.cell[n], 1);
		counter_add(&r->streams[1]->tx_bursts.cell[n], MOST + n);
	}
}

static int
setup(void **state)
{
	char *args[] = { "telemetry", "--no-huge", "--no-shconf", "--no-pci", "-m", "32",
		own_lcores("0"), "--log-level=error", "--file-prefix=zct" };
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct err e;

	assert_non_null(fixture);
	strcpy(fixture->folder, "/tmp/zctXXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	setenv("RUNTIME_DIRECTORY", fixture->folder, 1);
	assert_int_equal(rte_eal_init(ARRAY_SIZE(args), args), ARRAY_SIZE(args) - 1);
	streams_fake(&fixture->app.run);
	assert_int_equal(telemetry_open(&fixture->app, &e), 0);
	fixture->socket = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/dpdk/zct/dpdk_telemetry.v2",
		fixture->folder);
	assert_int_equal(connect(fixture->socket, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_true(recv(fixture->socket, fixture->answer, sizeof(fixture->answer), 0) > 0);
	*state = fixture;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *fixture = *state;
	char command[128];

	telemetry_close();
	close(fixture->socket);
	for (unsigned int i = 0; i < STREAMS; i++)
		free(fixture->app.run.streams[i]);
	free(fixture->app.run.streams);
	free(fixture->app.run.timed_base);
	rte_eal_cleanup();
	snprintf(command, sizeof(command), "rm -r %s", fixture->folder);
	assert_int_equal(system(command), 0);
	free(fixture);
	return 0;
}

/* Ask; the answer is one valid object within DPDK's size, and not null. */
static const char *
ask(struct fixture *fixture, const char *command)
{
	ssize_t n;

	assert_int_equal(send(fixture->socket, command, strlen(command), 0),
		(ssize_t)strlen(command));
	n = recv(fixture->socket, fixture->answer, sizeof(fixture->answer) - 2, 0);
	assert_true(n >= 1 && n <= ANSWER_BYTES);
	fixture->answer[n] = '\n';
	fixture->answer[n + 1] = '\0';
	assert_true(out_check_json(fixture->answer));
	return fixture->answer;
}

/* The number behind "name": of text, or -1. */
static long
number(const char *text, const char *name)
{
	char key[32];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\":", name);
	at = strstr(text, key);
	return at != NULL ? strtol(at + strlen(key), NULL, 10) : -1;
}

/* Numbers of the array called name in the object called way. */
static unsigned int
numbers(const char *text, const char *way, const char *name, uint64_t *value)
{
	char key[32];
	unsigned int n = 0;
	char *end;

	snprintf(key, sizeof(key), "\"%s\":{", way);
	text = strstr(text, key);
	assert_non_null(text);
	snprintf(key, sizeof(key), "\"%s\":[", name);
	text = strstr(text, key);
	assert_non_null(text);
	for (text += strlen(key); *text != ']'; text = *end == ',' ? end + 1 : end)
		value[n++] = strtoull(text, &end, 10);
	return n;
}

TEST(all_sizes_by_pages)
{
	struct fixture *fixture = *state;
	uint64_t size[2 * HIST_CELLS], count[2 * HIST_CELLS], tx_size[2 * HIST_CELLS];
	unsigned int n = 0, tx = 0, pages = 0;
	char command[64];
	long first;

	for (first = 0; first >= 0; first = number(fixture->answer, "next"), pages++) {
		snprintf(command, sizeof(command), "/zcfwd/bursts,0,,%ld", first);
		ask(fixture, command);
		assert_int_equal(numbers(fixture->answer, "rx_bursts", "sizes", size + n),
			numbers(fixture->answer, "rx_bursts", "counts", count + n));
		n += numbers(fixture->answer, "rx_bursts", "sizes", size + n);
		tx += numbers(fixture->answer, "tx_bursts", "sizes", tx_size + tx);
	}
	assert_int_equal(n, HIST_CELLS);
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(size[i], i);
		assert_int_equal(count[i], MOST + i);
	}
	for (unsigned int i = 0; i < tx; i++)
		assert_int_equal(tx_size[i], 3 * i);
	assert_int_equal(pages, 3);
	assert_int_equal(tx, HIST_CELLS / 3);
}

/* A stream that only transmits: its sizes alone decide where a page ends. */
TEST(tx_sizes_by_pages)
{
	struct fixture *fixture = *state;
	uint64_t size[2 * HIST_CELLS];
	unsigned int n = 0;
	char command[64];
	long first;

	for (first = 0; first >= 0; first = number(fixture->answer, "next")) {
		snprintf(command, sizeof(command), "/zcfwd/bursts,1,,%ld", first);
		ask(fixture, command);
		assert_int_equal(numbers(fixture->answer, "rx_bursts", "sizes", size + n), 0);
		n += numbers(fixture->answer, "tx_bursts", "sizes", size + n);
	}
	assert_int_equal(n, HIST_CELLS);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(size[i], i);
}

TEST(all_streams_by_pages)
{
	struct fixture *fixture = *state;
	char command[64], key[64];
	unsigned int seen = 0;
	long first = 0;

	while (first >= 0) {
		snprintf(command, sizeof(command), "/zcfwd/streams,%ld", first);
		ask(fixture, command);
		snprintf(key, sizeof(key), "\"%u\":{\"rx_port\"", seen);
		while (strstr(fixture->answer, key) != NULL)
			snprintf(key, sizeof(key), "\"%u\":{\"rx_port\"", ++seen);
		first = number(fixture->answer, "next");
		assert_true(first < 0 || first == seen);
	}
	assert_int_equal(seen, STREAMS);
}

/* The table that begins the next page is built and dropped in each answer. */
TEST(dropped_parts_are_freed)
{
	struct fixture *fixture = *state;
	size_t before;

	fixture->app.run.engines = engine_list;
	assert_true(number(ask(fixture, "/zcfwd/schema"), "next") > 0);
	before = mallinfo2().uordblks;
	for (unsigned int i = 0; i < 20; i++)
		ask(fixture, "/zcfwd/schema");
	assert_in_range(mallinfo2().uordblks, 0, before + 64 * 1024);
	fixture->app.run.engines = NULL;
}

TEST(text_is_kept_valid)
{
	struct fixture *fixture = *state;
	const struct setting row = { .name = "a-text",
		.kind = SETTING_TEXT,
		.text = "say \"\\\" \x1b[2J \xff\xc3\xa4" };
	struct err e;

	fixture->app.version = "1.2.3";
	fixture->app.settings = settings_new();
	assert_int_equal(settings_add(fixture->app.settings,
				 &(const struct setting_table){ "", &row, 1 }, &e),
		0);
	assert_non_null(
		strstr(ask(fixture, "/zcfwd/config"), "\"a_text\":\"say \\\"\\\\\\\" ?[2J ???\""));
	settings_free(fixture->app.settings);
	fixture->app.settings = NULL;
}

/* The use of an lcore is measured from the start of the run, or from when its cycles began to count. */
TEST(use_of_an_lcore)
{
	struct fixture *fixture = *state;
	struct run *r = &fixture->app.run;
	uint64_t total, busy;

	r->begin_tsc = 1000;
	r->timed_tsc = 500;
	r->end_tsc = 9000;
	for (unsigned int i = 0; i < STREAMS; i++)
		r->streams[i]->lcore = 1 + i;
	assert_int_equal(telemetry_cycles(r, 2, &total, &busy), -ENOENT);
	for (unsigned int i = 1; i < 4; i++) {
		r->streams[i]->lcore = 2;
		r->streams[i]->timed = i < 3 ? STREAM_TIMED_ALL : 0;
		counter_add(&r->timed_base[i].busy_cycles, MOST - 1000 * i);
	}
	assert_int_equal(telemetry_cycles(r, 2, &total, &busy), 0);
	assert_int_equal(total, 8000);
	assert_int_equal(busy, 1000 + 2000);
	r->timed_tsc = 5000;
	assert_int_equal(telemetry_cycles(r, 2, &total, &busy), 0);
	assert_int_equal(total, 4000);
}

TEST(nothing_after_the_close)
{
	struct fixture *fixture = *state;

	telemetry_close();
	assert_string_equal(ask(fixture, "/zcfwd/streams"), "{\"/zcfwd/streams\":null}\n");
}

TESTS(.setup = setup, .teardown = teardown);
