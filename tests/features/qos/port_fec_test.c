/* Forward error correction of a port: what it has, what it can have, and setting it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_fec.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_ethdev.h>

#include <errno.h>

/* Whether the driver has the functions, what setting returns, and what was set. */
static struct {
	bool on;
	int set;
	uint32_t capability;
} fake;

int
rte_eth_fec_get(uint16_t id, uint32_t *capability)
{
	*capability = RTE_ETH_FEC_MODE_CAPA_MASK(BASER);
	return fake.on ? 0 : -ENOTSUP;
}

int
rte_eth_fec_get_capability(uint16_t id, struct rte_eth_fec_capa *speeds, unsigned int n)
{
	if (!fake.on)
		return -ENOTSUP;
	if (n > 0)
		speeds[0] = (struct rte_eth_fec_capa){ 25000, 0xf };
	if (n > 1)
		speeds[1] = (struct rte_eth_fec_capa){ 100000, 0x9 };
	return 2;
}

int
rte_eth_fec_set(uint16_t id, uint32_t capability)
{
	if (fake.set == 0)
		fake.capability = capability;
	return fake.set;
}

static const struct port_fixture_case cases[] = {
	{ port_fec_show, false, "", "", -ENOTSUP, "Function not implemented" },
	{ port_fec_show, true, "baser\n", "\"port\": 0, \"fec\": \"baser\"", 0, "" },
	{ port_fec_capabilities, false, "", "", -ENOTSUP, "Function not implemented" },
	{ port_fec_capabilities, true,
		"FEC capabilities:\n25 Gbps : off auto baser rs \n100 Gbps : off rs \n",
		"\"port\": 0, \"speeds\": [{\"link_mbps\": 25000, \"fec\": [\"off\", \"auto\", \"baser\", \"rs\"]}, "
		"{\"link_mbps\": 100000, \"fec\": [\"off\", \"rs\"]}]",
		0, "" },
};

TEST(text)
{
	port_fixture_cases_text(*state, cases, ARRAY_SIZE(cases), &fake.on);
}

TEST(json)
{
	port_fixture_cases_json(*state, cases, ARRAY_SIZE(cases), &fake.on);
}

TEST(missing)
{
	port_fixture_cases_missing(*state, cases, ARRAY_SIZE(cases));
}

TEST(set)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	assert_int_equal(ON_PORTS(port_fec_set, "port=0 mode=rs"), 0);
	assert_int_equal(fake.capability, RTE_ETH_FEC_MODE_CAPA_MASK(RS));
	assert_int_equal(ON_PORTS(port_fec_set, "port=0 mode=foo"), -EINVAL);
	assert_string_equal(e.text, "Unknown fec mode: foo for port 0");
	fake.set = -EIO;
	assert_int_equal(ON_PORTS(port_fec_set, "port=0 mode=auto"), -EIO);
	assert_int_equal(fake.capability, RTE_ETH_FEC_MODE_CAPA_MASK(RS));
	assert_int_equal(ON_PORTS(port_fec_set, "port=9 mode=rs"), -ENODEV);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
