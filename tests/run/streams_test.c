/* Memory of streams, of what engines keep for them and of mirrors: on the socket of the lcore that uses
 * it, on a machine that seems to have its odd lcores on socket 1. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/streams.h"

#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "fixtures/port_faults.h"
#include "fixtures/unit.h"
#include "run/run.h"
#include "run/run_engines.h"
#include "run/run_mirror.h"
#include "stream/plan.h"

#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_memory.h>

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

extern const struct engine engine_extbuf, engine_io, engine_noisy, engine_rxonly, engine_txonly;

static const struct engine *const engines[] = { &engine_io, &engine_rxonly, &engine_txonly,
	&engine_noisy, &engine_extbuf };

#define ODD_LCORE 3
#define EVEN_LCORE 4
#define ANY (-1)

/* What was asked for since forget(). */
static struct {
	bool on;
	bool within; /* a call of another recorded function */
	unsigned int n;
	struct {
		char type[32];
		int socket;
	} asked[64];
} memory;

static void
forget(void)
{
	memory.on = true;
	memory.n = 0;
}

static void
record(const char *type, int socket)
{
	if (!memory.on || memory.within || type == NULL)
		return;
	assert_true(memory.n < ARRAY_SIZE(memory.asked));
	snprintf(memory.asked[memory.n].type, sizeof(memory.asked[0].type), "%s", type);
	memory.asked[memory.n++].socket = socket;
}

/* These stand in front of EAL's functions of those names. The machine may have one socket. */

unsigned int
rte_lcore_to_socket_id(unsigned int lcore)
{
	return memory.on ? lcore % 2 : 0;
}

/* Ask EAL's function of that name, on any node, for what was asked of a node. */
static void *
own(const char *function, const char *type, size_t size, unsigned int align, int socket)
{
	void *(*ask)(const char *, size_t, unsigned int, int), *m;

	*(void **)&ask = dlsym(RTLD_NEXT, function);
	record(type, socket);
	memory.within = true;
	m = ask(type, size, align, memory.on ? ANY : socket);
	memory.within = false;
	return m;
}

void *
rte_zmalloc_socket(const char *type, size_t size, unsigned int align, int socket)
{
	return own("rte_zmalloc_socket", type, size, align, socket);
}

void *
rte_malloc_socket(const char *type, size_t size, unsigned int align, int socket)
{
	return own("rte_malloc_socket", type, size, align, socket);
}

void *
rte_zmalloc(const char *type, size_t size, unsigned int align)
{
	return rte_zmalloc_socket(type, size, align, ANY);
}

void *
rte_malloc(const char *type, size_t size, unsigned int align)
{
	return rte_malloc_socket(type, size, align, ANY);
}

/* Return how often a type was asked for on a socket. */
static unsigned int
asked(const char *type, int socket)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < memory.n; i++)
		n += strcmp(memory.asked[i].type, type) == 0 && memory.asked[i].socket == socket;
	return n;
}

/*
 * External memory outlives the run, and later runs may use it on other lcores. Lists of EAL's are in
 * capitals.
 */
static bool
is_shared(const char *type)
{
	return strncmp(type, "extmem", strlen("extmem")) == 0 || isupper((unsigned char)type[0]);
}

static void
all_on(int socket)
{
	for (unsigned int i = 0; i < memory.n; i++)
		if (memory.asked[i].socket != socket && !is_shared(memory.asked[i].type))
			fail_msg("%s is on socket %d, expected %d", memory.asked[i].type,
				memory.asked[i].socket, socket);
}

static struct plan
plan_of(struct plan_stream *streams, unsigned int n)
{
	struct plan p = { .streams = streams, .n_streams = n, .n_ports = 2 };

	for (unsigned int i = 0; i < n; i++)
		p.lcores[p.n_lcores++] = (struct plan_lcore){ streams[i].lcore, i, 1, 0 };
	return p;
}

/* Make the streams of a plan; their memory is in the list. */
static void
made(struct app *app, const struct engine *engine, struct plan_stream *streams, unsigned int n)
{
	const struct plan plan = plan_of(streams, n);
	struct stream **made;
	struct err e = { 0 };

	app->run.engine = engine;
	forget();
	made = streams_make(&app->run, engine, &plan, &e);
	memory.on = false;
	if (made == NULL)
		fail_msg("%s: %s", engine->name, e.text);
	streams_free(made, n);
}

/* One stream: everything is near its lcore, whichever node that has. */
TEST(one)
{
	for (size_t i = 0; i < ARRAY_SIZE(engines); i++)
		for (unsigned int lcore = ODD_LCORE; lcore <= EVEN_LCORE; lcore++) {
			struct plan_stream stream = { 0, 0, 1, 0, lcore, false };

			made(*state, engines[i], &stream, 1);
			assert_true(memory.n >= 2);
			all_on((int)lcore % 2);
		}
}

/* Streams of lcores on both nodes are not mixed. */
TEST(two)
{
	struct plan_stream streams[] = { { 0, 0, 1, 0, ODD_LCORE, false },
		{ 1, 0, 0, 0, EVEN_LCORE, false } };

	made(*state, &engine_io, streams, 2);
	for (int socket = 0; socket < 2; socket++) {
		assert_int_equal(asked("stream", socket), 1);
		assert_int_equal(asked("stream_state", socket), 1);
	}
}

/* An lcore counts its mirrored packets near itself. */
TEST(mirror)
{
	struct app *app = *state;
	struct plan_stream stream = { 0, 0, 0, 0, ODD_LCORE, false };
	const struct plan plan = plan_of(&stream, 1);
	struct err e = { 0 };

	app->run.engine = &engine_io;
	app->run.mirror.target[0].on = true;
	app->run.mirror.target[0].to = 1;
	forget();
	if (run_mirror_prepare(&app->run, &plan, &e) != 0)
		fail_msg("%s", e.text);
	memory.on = false;
	assert_int_equal(asked("mirror", 1), 1);
	assert_int_equal(asked("mirror", 0) + asked("mirror", ANY), 0);
	run_mirror_close(&app->run);
}

static int
setup(void **state)
{
	return port_faults_setup(state) != 0 ||
		run_engines_open(&((struct app *)*state)->run, "test", NULL) != 0;
}

static int
teardown(void **state)
{
	run_engines_close(&((struct app *)*state)->run);
	return port_fixture_teardown(state);
}

TESTS(.setup = setup, .teardown = teardown);
