/* The mempool driver that ports agree on: what each of two ports answers, and what is chosen. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/pool_choice.h"

#include "fixtures/port_faults.h"
#include "fixtures/unit.h"
#include "memory/pool.h"
#include "memory/pool_ops.h"

#include <errno.h>
#include <string.h>

enum { PREFERRED, SUPPORTED };

/* What ports answer; the last row is for all other drivers. */
#define ANSWERS(name, ...) static const struct port_faults_ops name[] = { __VA_ARGS__ }
ANSWERS(any, { NULL, SUPPORTED });
ANSWERS(likes_bucket, { "bucket", PREFERRED }, { NULL, SUPPORTED });
ANSWERS(likes_stack, { "stack", PREFERRED }, { NULL, SUPPORTED });
ANSWERS(likes_both, { "bucket", PREFERRED }, { "stack", PREFERRED }, { NULL, SUPPORTED });
ANSWERS(likes_ring, { "ring_mp_mc", PREFERRED }, { NULL, SUPPORTED });
ANSWERS(likes_single, { "ring_sp_sc", PREFERRED }, { NULL, SUPPORTED });
ANSWERS(likes_card, { "dpaa", PREFERRED }, { NULL, SUPPORTED });
ANSWERS(only_bucket, { "bucket", PREFERRED }, { NULL, -ENOTSUP });
ANSWERS(only_stack, { "stack", PREFERRED }, { NULL, -ENOTSUP });
ANSWERS(only_ring, { "ring_mp_mc", SUPPORTED }, { NULL, -ENOTSUP });
ANSWERS(can_stack, { "stack", SUPPORTED }, { NULL, -ENOTSUP });
ANSWERS(can_card, { "dpaa", SUPPORTED }, { NULL, -ENOTSUP });
ANSWERS(no_bucket, { "bucket", -ENOTSUP }, { NULL, SUPPORTED });

#define NOBODY "default: no port prefers a mempool driver"
#define NONE_FITS "default: no preferred mempool driver fits all ports and these pools"
#define NO_COMMON "default: no mempool driver is supported by all ports"

/* Pools as they are, of two ports; setting: NULL for the default. */
static const struct {
	const struct port_faults_ops *answers[2];
	const char *setting, *ops, *why;
} rows[] = {
	{ { any, any }, NULL, "ring_mp_mc", NOBODY },
	{ { likes_bucket, any }, NULL, "bucket", "preferred by port 0, supported by all ports" },
	{ { any, likes_stack }, NULL, "stack", "preferred by port 1, supported by all ports" },
	{ { likes_stack, likes_stack }, NULL, "stack", "preferred by 2 ports" },
	/* Of as many, the default, then the first. */
	{ { likes_stack, likes_bucket }, NULL, "stack",
		"preferred by port 0, supported by all ports" },
	{ { likes_bucket, likes_stack }, NULL, "stack",
		"preferred by port 1, supported by all ports" },
	{ { likes_bucket, likes_ring }, NULL, "ring_mp_mc",
		"preferred by port 1, supported by all ports" },
	/* The most count more than the order. */
	{ { likes_both, likes_bucket }, NULL, "bucket", "preferred by 2 ports" },
	{ { only_bucket, any }, NULL, "bucket", "preferred by port 0, supported by all ports" },
	{ { likes_bucket, no_bucket }, NULL, "ring_mp_mc", NONE_FITS },
	{ { only_ring, likes_bucket }, NULL, "ring_mp_mc", NONE_FITS },
	{ { only_ring, any }, NULL, "ring_mp_mc", NOBODY },
	{ { can_stack, any }, NULL, "stack",
		"supported by all ports; the default, ring_mp_mc, is not" },
	{ { can_stack, likes_bucket }, NULL, "stack",
		"supported by all ports; the default, ring_mp_mc, is not" },
	{ { only_bucket, only_stack }, NULL, "ring_mp_mc", NO_COMMON },
	/* No driver without locks; one of hardware only if a port prefers it. */
	{ { likes_single, any }, NULL, "ring_mp_mc", NONE_FITS },
	{ { can_card, any }, NULL, "ring_mp_mc", NO_COMMON },
	/* The user's choice wins. */
	{ { likes_bucket, likes_bucket }, "stack", "stack", "set by the user" },
	{ { only_bucket, only_bucket }, "ring_mp_mc", "ring_mp_mc", "set by the user" },
};

/* Two ports, and one buffer size. */
#define ASK(bytes, memory) \
	{ \
		.setting = POOL_OPS_DEFAULT, .port = (const uint16_t[]){ 0, 1 }, .n_ports = 2, \
		.sizes = (const uint16_t[]){ bytes }, .n_sizes = 1, .how = memory \
	}

static void
chosen(const struct port_faults_ops *a, const struct port_faults_ops *b,
	const struct pool_choice_ask *ask, const char *ops, const char *why)
{
	struct pool_choice choice;

	port_faults.pool_answers[0] = a;
	port_faults.pool_answers[1] = b;
	pool_choose(ask, &choice);
	assert_string_equal(choice.ops, ops);
	assert_string_equal(choice.why, why);
	assert_int_equal(choice.by_ports,
		strcmp(ask->setting, POOL_OPS_DEFAULT) == 0 && strcmp(ops, "ring_mp_mc") != 0);
}

TEST(agreed)
{
	struct pool_choice_ask usual = ASK(2176, POOL_NATIVE);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("# row %zu\n", i);
		usual.setting = rows[i].setting != NULL ? rows[i].setting : POOL_OPS_DEFAULT;
		chosen(rows[i].answers[0], rows[i].answers[1], &usual, rows[i].ops, rows[i].why);
	}
}

/* A driver that cannot make these pools is no candidate. */
TEST(cannot_be_made)
{
	uint16_t sizes[] = { 2176, 0, 1024 }; /* the second has no pool */
	const struct pool_choice_ask large = ASK(9216, POOL_NATIVE),
				     external = ASK(2176, POOL_ANON);
	struct pool_choice_ask several = ASK(0, POOL_NATIVE);

	chosen(likes_bucket, any, &large, "ring_mp_mc", NONE_FITS);
	chosen(likes_bucket, any, &external, "ring_mp_mc", NONE_FITS);
	several.sizes = sizes;
	several.n_sizes = ARRAY_SIZE(sizes);
	chosen(likes_bucket, any, &several, "bucket",
		"preferred by port 0, supported by all ports");
	sizes[2] = 9216;
	chosen(likes_bucket, any, &several, "ring_mp_mc", NONE_FITS);
}

/* One port, no port, a driver of hardware, which the port has. */
TEST(few)
{
	const struct pool_choice_ask usual = ASK(2176, POOL_NATIVE);
	struct pool_choice_ask one = ASK(2176, POOL_NATIVE);
	struct pool_choice choice;

	port_faults.pool_answers[0] = likes_bucket;
	port_faults.pool_answers[1] = likes_stack;
	one.n_ports = 1;
	pool_choose(&one, &choice);
	assert_string_equal(choice.ops, "bucket");
	assert_string_equal(choice.why, "preferred by port 0");
	one.n_ports = 0;
	pool_choose(&one, &choice);
	assert_string_equal(choice.ops, "ring_mp_mc");
	assert_string_equal(choice.why, NOBODY);
	for (unsigned int i = 0; pool_ops_registered(i) != NULL; i++)
		if (strcmp(pool_ops_registered(i), "dpaa") == 0)
			chosen(likes_card, any, &usual, "dpaa",
				"preferred by port 0, supported by all ports");
}

/* Create the pools anew, as "set pool ops default" does, and start the ports. */
static void
begin(struct app *app, const char *note, const char *printed, const char *failure)
{
	const struct pool_need need = run_pool_need(&app->run);
	struct err e;

	err_clear(&e);
	assert_int_equal(pool_renew_all(&app->pools, app->settings, &need, app->out, &e), 0);
	assert_string_equal(port_fixture_failures(), note);
	for (uint16_t id = 0; id < 2; id++)
		app->ports.port[id].queues_configured = false;
	port_fixture_says("port start all", printed, failure);
}

#define CREATED(ops) \
	"testpmd: create a new mbuf pool <mb_pool_0>: n=8191, size=2176, socket=0\n" \
	"testpmd: preferred mempool ops selected: " ops "\n"

/* Ports start on the pool that they prefer; the pool shows why; all queues of a port may differ. */
TEST(shared_by_ports)
{
	struct app *app = *state;

	port_faults.pool_answers[0] = only_stack;
	port_fixture_says("port stop all", STOPPED, NULL);
	begin(app,
		CREATED("stack") "zcfwd: mempool driver stack: preferred by port 0, supported by all ports\n",
		STARTED, NULL);
	assert_string_equal(pool_ops_name(pool_for(&app->pools, 0, 0)), "stack");
	assert_string_equal(pool_why(&app->pools, pool_for(&app->pools, 0, 0)),
		"preferred by port 0, supported by all ports");
	pool_show(&app->pools, NULL, app->out);
	assert_non_null(strstr(port_fixture_results(),
		"\n  driver stack, preferred by port 0, supported by all ports\n"));
	port_fixture_says("port stop all", STOPPED, NULL);
	/* A port whose queues all have another driver does not use the shared pools. */
	port_fixture_says("port config 0 pool_ops stack", NULL, NULL);
	assert_int_equal(run_pool_need(&app->run).n_ports, 1);
	assert_int_equal(run_pool_need(&app->run).port[0], 1);
	begin(app, CREATED("ring_mp_mc"), STARTED,
		"testpmd: create a new mbuf pool <mb_pool_0_stack>: n=8191, size=2176, socket=0\n"
		"testpmd: preferred mempool ops selected: stack\n");
	assert_string_equal(pool_why(&app->pools, pool_own_find(&app->pools, "stack", 0)),
		"set for queues of ports");
	port_fixture_says("port stop all", STOPPED, NULL);
	port_fixture_says("port config 0 pool_ops default", NULL, NULL);
	port_faults.pool_answers[0] = any;
	begin(app, CREATED("ring_mp_mc"), STARTED, NULL);
}

TESTS(.setup = port_faults_setup, .teardown = port_fixture_teardown, .before = port_faults_calm);
