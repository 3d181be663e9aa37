/* UDP ports of tunnels: types by name, what the driver is told, refusals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "features/offload/port_offload.h"
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_ethdev.h>

#include <errno.h>

static struct {
	struct rte_eth_udp_tunnel told;
	unsigned int adds, deletes;
	int ret;
} fake;

int
rte_eth_dev_udp_tunnel_port_add(uint16_t id, struct rte_eth_udp_tunnel *tunnel)
{
	fake.told = *tunnel;
	fake.adds++;
	return fake.ret;
}

int
rte_eth_dev_udp_tunnel_port_delete(uint16_t id, struct rte_eth_udp_tunnel *tunnel)
{
	fake.told = *tunnel;
	fake.deletes++;
	return fake.ret;
}

TEST(types)
{
	static const struct {
		const char *words;
		enum rte_eth_tunnel_type type;
	} known[] = {
		{ "", RTE_ETH_TUNNEL_TYPE_VXLAN },
		{ " type=vxlan", RTE_ETH_TUNNEL_TYPE_VXLAN },
		{ " type=geneve", RTE_ETH_TUNNEL_TYPE_GENEVE },
		{ " type=vxlan-gpe", RTE_ETH_TUNNEL_TYPE_VXLAN_GPE },
		{ " type=ecpri", RTE_ETH_TUNNEL_TYPE_ECPRI },
	};
	struct port_fixture *b = *state;
	struct err e = { 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		const char *what = i != 1 ? "add" : "rm";

		assert_int_equal(ON_PORTS(port_tunnel_udp, "port=0 what=%s udp=%u%s", what,
					 4789 + i, known[i].words),
			0);
		assert_int_equal(fake.told.prot_type, known[i].type);
		assert_int_equal(fake.told.udp_port, 4789 + i);
	}
	assert_int_equal(fake.adds, 4);
	assert_int_equal(fake.deletes, 1);
}

TEST(refused)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	fake.adds = 0;
	assert_int_equal(ON_PORTS(port_tunnel_udp, "port=9 what=add udp=1"), -ENODEV);
	assert_int_equal(ON_PORTS(port_tunnel_udp, "port=0 what=add udp=1 type=gre"), -EINVAL);
	assert_string_equal(e.text, "Invalid tunnel type gre");
	assert_int_equal(fake.adds, 0);
	fake.ret = -ENOTSUP;
	assert_int_equal(ON_PORTS(port_tunnel_udp, "port=0 what=add udp=1"), -ENOTSUP);
	assert_string_equal(e.text, "udp tunneling add error: (Operation not supported)");
	assert_int_equal(ON_PORTS(port_tunnel_udp, "port=0 what=rm udp=1 type=vxlan"), -ENOTSUP);
	assert_string_equal(e.text, "udp tunneling port add error: (Operation not supported)");
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
