/* Shared Rx queues and the plan: one lcore polls each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"
#include "run/run.h"
#include "run/run_check.h"
#include "stream/plan.h"

#include <errno.h>
#include <stdlib.h>

TEST(one_lcore)
{
	struct plan_stream streams[] = {
		{ .rx_port = 0, .rx_queue = 0, .lcore = 1 },
		{ .rx_port = 1, .rx_queue = 0, .lcore = 1 },
		{ .rx_port = 0, .rx_queue = 1, .lcore = 2 },
		{ .rx_port = 1, .rx_queue = 1, .lcore = 2 },
	};
	struct plan *plan = calloc(1, sizeof(*plan));
	struct run *run = calloc(1, sizeof(*run));
	struct app *app = *state;
	struct err e = { 0 };

	assert_non_null(plan);
	assert_non_null(run);
	plan->streams = streams;
	plan->n_streams = ARRAY_SIZE(streams);
	run->ports = &app->ports;
	run->settings = app->settings;
	app->ports.port[0].info.dev_capa = RTE_ETH_DEV_CAPA_RXQ_SHARE;
	app->ports.port[1] = app->ports.port[0];
	app->ports.port[1].id = 1;
	assert_int_equal(setting_set(app->settings, "rxq", 2, &e), 0);
	assert_int_equal(setting_set(app->settings, "rxq-share", 2, &e), 0);
	assert_int_equal(run_check_plan(run, plan, &e), 0);
	streams[3].lcore = 3;
	assert_int_equal(run_check_plan(run, plan, &e), -EINVAL);
	assert_string_equal(e.text,
		"Shared Rx queue group 1 queue 1 can't be scheduled on different cores:\n"
		"  lcore 2 Port 0 queue 1\n  lcore 3 Port 1 queue 1\n"
		"Please use --nb-cores=2 to limit number of forwarding cores");
	assert_int_equal(setting_set(app->settings, "rxq-share", 1, &e), 0);
	assert_int_equal(run_check_plan(run, plan, &e), 0);
	assert_int_equal(setting_set(app->settings, "rxq-share", 0, &e), 0);
	assert_int_equal(run_check_plan(run, plan, &e), 0);
	app->ports.port[1].state = PORT_ABSENT;
	app->ports.port[1].rxq = NULL; /* those of port 0 */
	free(run);
	free(plan);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
