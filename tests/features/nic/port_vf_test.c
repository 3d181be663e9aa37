/* Commands of virtual functions on a port of net_null under the name of a driver that has them: the
 * driver's functions are this program's, exported, and found as those of a driver are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const struct cmd_table cmds_vf;

int rte_pmd_i40e_get_vf_stats(uint16_t port, uint16_t vf, struct rte_eth_stats *stats);

/* VF 3 has counters that all differ. */
int
rte_pmd_i40e_get_vf_stats(uint16_t port, uint16_t vf, struct rte_eth_stats *stats)
{
	if (port != 0 || vf != 3)
		return -EINVAL;
	*stats = (struct rte_eth_stats){ .ipackets = 1,
		.imissed = 2,
		.ibytes = 3,
		.ierrors = 4,
		.rx_nombuf = 5,
		.opackets = 6,
		.oerrors = 7,
		.obytes = 8 };
	return 0;
}

static int
run(struct port_fixture *b, const char *words, const struct args *a, struct err *e)
{
	struct app *app = calloc(1, sizeof(*app));
	int ret = -ENOENT;

	assert_non_null(app);
	app->ports = b->ports;
	app->out = b->out;
	app->ports.port[0].info.driver_name = "net_i40e";
	err_clear(e);
	out_begin(b->out, "x");
	for (size_t i = 0; i < cmds_vf.n; i++)
		if (strncmp(cmds_vf.rows[i].syntax, words, strlen(words)) == 0)
			ret = cmds_vf.rows[i].run(app, a, e);
	out_end(b->out, e, NULL);
	free(app);
	return ret;
}

TEST(statistics)
{
	struct port_fixture *b = *state;
	struct err e;

	assert_int_equal(run(b, "show vf stats ", port_fixture_args("port=0 vf=3"), &e), 0);
	assert_string_equal(out_check_results(&b->printed),
		"\n  ######################## NIC statistics for port 0  vf 3  ########################\n"
		"  RX-packets: 1          RX-missed: 2          RX-bytes:  3\n"
		"  RX-errors: 4\n"
		"  RX-nombuf:  5         \n"
		"  TX-packets: 6          TX-errors: 7          TX-bytes:  8\n"
		"  ############################################################################\n");
	assert_int_equal(run(b, "show vf stats ", port_fixture_args("port=0 vf=4"), &e), -EINVAL);
	assert_string_equal(out_check_results(&b->printed), "");
	assert_string_equal(e.text, "invalid vf_id 4: port 0 (net_i40e)");
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
