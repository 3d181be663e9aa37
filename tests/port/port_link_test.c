/* Waiting for links: answers of drivers, and which ports a run waits for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_link.h"

#include "base/interrupt.h"
#include "fixtures/port_faults.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <unistd.h>

TEST(drivers_answer)
{
	port_fixture_says("wait link 1 up", "Port 1: link up, speed 10 Gbps\n", NULL);
	port_faults.port = 1;
	port_faults.link = -ENOTSUP;
	port_fixture_says("wait link 1 up", "Port 1: driver net_null does not report the link\n",
		NULL);
	port_fixture_says("wait link 1 down 1000s", "",
		"port 1: driver net_null does not report the link\n");
	port_faults.link = -EIO;
	port_fixture_says("wait link all up 1000s", "Port 0: link up, speed 10 Gbps\n",
		"port 1 (net_null): cannot read its link: Input/output error\n");
	port_faults.link = 0;
	port_faults.down = true;
	port_fixture_says("wait link all down 1000s", "Port 0: link down\nPort 1: link down\n",
		NULL);
	port_fixture_says("wait link all up 1ms", "",
		"port 0: link down after 0.001 s\nport 1: link down after 0.001 s\n");
}

/*
 * What a run says of the links of both ports while a signal is pending, and how it ends if it waits;
 * NULL: it does not.
 */
static void
run_says(struct app *app, const char *failures, const char *due)
{
	static const uint16_t ids[] = { 0, 1 };
	struct err e;
	struct interrupt signal = { .requests = -1 };
	int ends[2];

	err_clear(&e);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "", 1), 1);
	signal.signals = ends[0];
	assert_int_equal(port_links_await(&app->ports, ids, 2, &signal, true, &e),
		due != NULL ? -EINTR : 0);
	assert_string_equal(port_fixture_failures(), failures);
	if (due != NULL)
		assert_string_equal(e.text, due);
	close(ends[0]);
	close(ends[1]);
}

#define DOWN "Port 0: link is down\nPort 1: link is down\n"
#define ONE "link of port 0"
#define BOTH "links of ports 0, 1"
#define WAITING(what) "Waiting up to 9 s for the " what "\n"
#define ENDED(what) "a signal ended the wait for the " what

/* Stop port 0 while links are as down says, and start it while they are as down_then says. */
static void
restarted(bool down, bool down_then)
{
	port_faults.down = down;
	port_fixture_says("port stop 0", STOPPED, NULL);
	port_faults.down = down_then;
	port_fixture_says("port start 0", STARTED_0, NULL);
}

TEST(runs_wait)
{
	struct app *app = *state;

	run_says(app, "", NULL);
	/* A link that goes down while its port is started, or that the port never had. */
	port_faults.down = true;
	run_says(app, DOWN, NULL);
	restarted(true, true);
	run_says(app, DOWN, NULL);
	/* A link that was up when the port was stopped; only once. */
	restarted(false, true);
	run_says(app, WAITING(ONE), ENDED(ONE));
	run_says(app, DOWN, NULL);
	/* One that is up in the meantime is not waited for when it goes down. */
	restarted(false, false);
	port_faults.down = true;
	run_says(app, DOWN, NULL);
	/* Setting link_check off ends all waiting. */
	restarted(false, true);
	port_fixture_set("link-check", "off");
	run_says(app, DOWN, NULL);
	port_fixture_set("link-check", "on");
	run_says(app, WAITING(ONE), ENDED(ONE));
	/* Links that were polled for 9 s when their port started are not waited for as long again. */
	port_faults.down = false;
	port_fixture_says("port stop 0", STOPPED, NULL);
	port_faults.down = true;
	port_fixture_set("no-lsc-interrupt", "on");
	port_fixture_says("port start 0",
		MAC(0) CHECKING "Port 0 Link down\nPort 1 Link down\nDone\n", NULL);
	port_fixture_set("no-lsc-interrupt", "off");
	run_says(app, DOWN, NULL);
	port_faults.down = false;
	port_fixture_says("port stop all", STOPPED, NULL);
	port_faults.down = true;
	port_fixture_says("port start all", STARTED, NULL);
	run_says(app, WAITING(BOTH), ENDED(BOTH));
	/* A port that is stopped is not waited for, nor one whose link cannot be read. */
	port_fixture_says("port stop 0", STOPPED, NULL);
	run_says(app, "Port 1: link is down\n", NULL);
	port_fixture_says("port start 0", STARTED_0, NULL);
	port_faults.link = -EIO;
	run_says(app, "Port 1: link is down\n", NULL);
}

TESTS(.setup = port_faults_setup, .teardown = port_fixture_teardown, .before = port_faults_calm);
