/* Commands of virtual functions on a port of net_null under the name of a driver that has them: the
 * driver's functions are this program's, exported, and found as those of a driver are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_ethdev.h>

#include <errno.h>

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

TEST(statistics)
{
	static const struct port_fixture_row rows[] = {
		{ "show vf stats 0 3",
			"\n  ######################## NIC statistics for port 0  vf 3  ########################\n"
			"  RX-packets: 1          RX-missed: 2          RX-bytes:  3\n"
			"  RX-errors: 4\n"
			"  RX-nombuf:  5         \n"
			"  TX-packets: 6          TX-errors: 7          TX-bytes:  8\n"
			"  ############################################################################\n" },
		{ "show vf stats 0 4", NULL, "invalid vf_id 4: port 0 (net_i40e)\n", "EINVAL" },
	};

	((struct app *)*state)->ports.port[0].info.driver_name = "net_i40e";
	PORT_FIXTURE_ROWS(rows);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
