/* NUMA sockets of ports and rings, on a machine that seems to have sockets 0 and 1. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/numa.h"

#include "fixtures/port_faults.h"
#include "fixtures/setting_words.h"
#include "fixtures/unit.h"
#include "port/port_setup.h"

#include <rte_lcore.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool two_sockets; /* set once EAL is up */

/* Stand in front of EAL's functions of those names. */
unsigned int
rte_socket_count(void)
{
	return two_sockets ? 2 : 1;
}

int
rte_socket_id_by_idx(unsigned int i)
{
	return (int)i;
}

TEST(words)
{
	static const struct setting_word rows[] = {
		{ "socket-num", "0", 0, "" },
		{ "socket-num", "1", 0, "" },
		{ "socket-num", "2", -ENODEV,
			"socket-num 2: Invalid socket id 2, options are: 0, 1" },
		{ "socket-num", "", -EINVAL, "socket-num \"\": expected the number of a socket" },
		{ "socket-num", "x", -EINVAL, "\"x\"" },
		{ "socket-num", "-1", -EINVAL, "\"-1\"" },
		{ "socket-num", "1x", -EINVAL, "\"1x\"" },
		{ "socket-num", "99999999999999999999", -ENODEV, "99999999999999999999" },
		{ "port-numa-config", "device", 0, "" },
		{ "port-numa-config", "(0,1)", 0, "" },
		{ "port-numa-config", "(0,1),(1,0)", 0, "" },
		{ "port-numa-config", "(0,1)(1,0)", 0, "" },
		{ "port-numa-config", "", -EINVAL, "expected (PORT,SOCKET)[,...], or device" },
		{ "port-numa-config", "0,1", 0, "" },
		{ "port-numa-config", "0,1,1,0", 0, "" },
		{ "port-numa-config", "0,1,(1,0)", 0, "" },
		{ "port-numa-config", "0,1,1", -EINVAL, "\"0,1,1\"" },
		{ "port-numa-config", "0,1x", -EINVAL, "\"0,1x\"" },
		{ "port-numa-config", "0", -EINVAL, "\"0\"" },
		{ "port-numa-config", "(0,1", -EINVAL, "\"(0,1\"" },
		{ "port-numa-config", "(0,1),", -EINVAL, "\"(0,1),\"" },
		{ "port-numa-config", "(0,1),x", -EINVAL, "\"(0,1),x\"" },
		{ "port-numa-config", "(0,1,0)", -EINVAL, "\"(0,1,0)\"" },
		{ "port-numa-config", "(0,-1)", -EINVAL, "\"(0,-1)\"" },
		{ "port-numa-config", "(9,1)", -ENODEV, "(9,1): Invalid port 9" },
		{ "port-numa-config", "(65536,1)", -ENODEV, "Invalid port 65536" },
		{ "port-numa-config", "(0,0),(1,7)", -ENODEV,
			"Invalid socket id 7, options are: 0, 1" },
		{ "ring-numa-config", "(0,3,1)", 0, "" },
		{ "ring-numa-config", "(0,1,0),(0,2,1)", 0, "" },
		{ "ring-numa-config", "(0,1)", -EINVAL,
			"expected (PORT,FLAG,SOCKET)[,...], or device" },
		{ "ring-numa-config", "(0,0,1)", -EINVAL,
			"ring-flag 0: expected 1 for Rx, 2 for Tx or 3 for both" },
		{ "ring-numa-config", "(0,4,1)", -EINVAL, "ring-flag 4" },
		{ "ring-numa-config", "(9,1,1)", -ENODEV, "Invalid port 9" },
		{ "ring-numa-config", "(0,1,2)", -ENODEV, "Invalid socket id 2" },
	};

	SETTING_WORDS(((struct app *)*state)->settings, rows);
}

TEST(sockets)
{
	struct app *app = *state;
	struct settings *s = app->settings;

	assert_int_equal(numa_port(s, 0), -1);
	assert_int_equal(numa_ring(s, 0, true), -1);
	assert_int_equal(numa_sockets(s), 0);
	port_fixture_set("port-numa-config", "(0,1),(1,0),(0,0)");
	assert_int_equal(numa_port(s, 0), 0); /* the last one counts */
	assert_int_equal(numa_port(s, 1), 0);
	assert_int_equal(numa_sockets(s), 3);
	port_fixture_set("port-numa-config", "(1,1)");
	assert_int_equal(numa_port(s, 0), -1);
	assert_int_equal(numa_port(s, 1), 1);
	assert_int_equal(numa_sockets(s), 2);
	assert_int_equal(numa_socket(app->ports.settings, 1), 1);
	assert_int_equal(numa_socket(app->ports.settings, 0), 0);
	port_fixture_set("ring-numa-config", "(0,1,1),(1,2,1),(1,3,0)");
	assert_int_equal(numa_ring(s, 0, true), 1);
	assert_int_equal(numa_ring(s, 0, false), -1);
	assert_int_equal(numa_ring(s, 1, true), 0);
	assert_int_equal(numa_ring(s, 1, false), 0);
	assert_int_equal(numa_sockets(s), 3);
	port_fixture_set("numa", "off");
	assert_int_equal(numa_port(s, 1), 0);
	assert_int_equal(numa_ring(s, 0, true), -1);
	assert_int_equal(numa_sockets(s), 1);
	port_fixture_set("socket-num", "1");
	assert_int_equal(numa_sockets(s), 2);
	assert_int_equal(numa_socket(app->ports.settings, 0), 1);
	port_fixture_set("numa", "on");
	port_fixture_set("socket-num", "0");
	port_fixture_set("port-numa-config", "device");
	port_fixture_set("ring-numa-config", "device");
}

/* Rings are set up where they were asked for, ports where theirs are. */
TEST(rings)
{
	port_fixture_set("ring-numa-config", "(0,1,1)");
	port_fixture_says("port stop 0", STOPPED, "");
	port_fixture_says("port config 0 rxq 0 ring_size 64", "", "");
	port_fixture_says("port start 0", MAC(0) CHECKING "Done\n", "");
	assert_int_equal(port_faults.rxq_socket, 1);
	assert_int_equal(port_faults.txq_socket, 0);
	port_fixture_set("ring-numa-config", "(0,2,1)");
	port_fixture_says("port stop 0", STOPPED, "");
	port_fixture_says("port config 0 rxq 0 ring_size 0", "", "");
	port_fixture_says("port start 0", MAC(0) CHECKING "Done\n", "");
	assert_int_equal(port_faults.rxq_socket, 0);
	assert_int_equal(port_faults.txq_socket, 1);
	port_fixture_set("ring-numa-config", "device");
}

static int
calm(void **state)
{
	two_sockets = true;
	return port_faults_calm(state);
}

TESTS(.setup = port_faults_setup, .teardown = port_fixture_teardown, .before = calm);
