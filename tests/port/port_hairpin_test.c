/* Hairpin queues: who feeds whom, what drivers are asked for, when queues are bound. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_hairpin.h"

#include "compat.h"
#include "fixtures/port_faults.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Two ports that could have hairpin queues; what happened to them, a word each. */
static struct {
	uint16_t can;
	int ret, bind;
	char log[1024];
} card;

#define LOG(...) \
	snprintf(card.log + strlen(card.log), sizeof(card.log) - strlen(card.log), __VA_ARGS__)

int
rte_eth_dev_hairpin_capability_get(uint16_t id, struct rte_eth_hairpin_cap *cap)
{
	cap->max_nb_queues = card.can;
	return card.can > 0 ? 0 : -ENOTSUP;
}

static void
note(const char *way, uint16_t id, uint16_t queue, const struct rte_eth_hairpin_conf *conf)
{
	LOG("%s%u.%u=%u.%u%s%s%s ", way, id, queue, conf->peers[0].port, conf->peers[0].queue,
		conf->manual_bind ? "m" : "", conf->tx_explicit ? "e" : "",
		conf->force_memory ? "f" : "");
}

int
rte_eth_rx_hairpin_queue_setup(uint16_t id, uint16_t queue, uint16_t n,
	const struct rte_eth_hairpin_conf *conf)
{
	note("rx", id, queue, conf);
	return card.ret;
}

int
rte_eth_tx_hairpin_queue_setup(uint16_t id, uint16_t queue, uint16_t n,
	const struct rte_eth_hairpin_conf *conf)
{
	note("tx", id, queue, conf);
	return 0;
}

int
rte_eth_hairpin_get_peer_ports(uint16_t id, uint16_t *peers, size_t n, uint32_t tx)
{
	peers[0] = 1 - id;
	return 1;
}

int
rte_eth_hairpin_bind(uint16_t tx, uint16_t rx)
{
	LOG("bind%u-%u ", tx, rx);
	return card.bind;
}

int
rte_eth_hairpin_unbind(uint16_t tx, uint16_t rx)
{
	LOG("unbind%u-%u ", tx, rx);
	return 0;
}

/* Start the ports anew, with so many hairpin queues, and compare what the cards were asked for. */
static void
restarted(struct app *app, const char *n, const char *mode, const char *log)
{
	port_fixture_set("hairpinq", n);
	port_fixture_set("hairpin-mode", mode);
	port_fixture_says("port stop all",
		!port_is_started(&app->ports, 0) && !port_is_started(&app->ports, 1) ? NONE_STOPPED
										     : STOPPED,
		"");
	port_fixture_says("port config all rxq 1", "", ""); /* which has them configured anew */
	card.log[0] = '\0';
	port_fixture_says("port start all", CONFIGURED, "");
	assert_string_equal(card.log, log);
}

TEST(peers)
{
	static const uint16_t ids[] = { 0, 2, 5 };
	static const struct {
		uint32_t mode;
		unsigned int i;
		struct port_hairpin_peers wanted;
	} cases[] = {
		{ 0, 1, { 2, 2, false } },
		{ 0x10, 1, { 2, 2, false } },
		{ 1, 0, { 5, 2, true } },
		{ 1, 1, { 0, 5, true } },
		{ 1, 2, { 2, 0, true } },
		{ 2, 0, { 2, 2, true } },
		{ 2, 1, { 0, 0, true } },
		{ 0x12, 2, { 5, 5, true } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct port_hairpin_peers p =
			port_hairpin_peers(cases[i].mode, ids, ARRAY_SIZE(ids), cases[i].i);

		assert_int_equal(p.rx, cases[i].wanted.rx);
		assert_int_equal(p.tx, cases[i].wanted.tx);
		assert_int_equal(p.manual, cases[i].wanted.manual);
	}
}

TEST(set_up)
{
	struct app *app = *state;

	restarted(app, "2", "0",
		"tx0.1=0.1 tx0.2=0.2 rx0.1=0.1 rx0.2=0.2 tx1.1=1.1 tx1.2=1.2 rx1.1=1.1 rx1.2=1.2 ");
	restarted(app, "1", "0x212",
		"tx0.1=1.1mef rx0.1=1.1me tx1.1=0.1mef rx1.1=0.1me bind0-1 bind1-0 bind1-0 bind0-1 ");
	card.log[0] = '\0';
	port_fixture_says("port stop 0", STOPPED, "");
	assert_string_equal(card.log, "unbind0-" RTE_STR(RTE_MAX_ETHPORTS) " unbind1-0 ");
	card.log[0] = '\0';
	card.bind = -EINVAL;
	port_fixture_says("port start 0", STARTED_0,
		"Error during binding hairpin Tx port 0 to 1: Invalid argument\n");
	assert_string_equal(card.log,
		COMPAT_TXQ_KEEPS_POOL ? "tx0.1=1.1mef rx0.1=1.1me bind0-1 " : "bind0-1 ");
}

TEST(refused)
{
	struct app *app = *state;

	port_fixture_set("hairpinq", "0");
	port_fixture_says("port stop all", STOPPED, "");
	port_fixture_says("port config all rxq 1", "", "");
	port_fixture_set("hairpinq", "9");
	port_fixture_says("port start all", CONFIGURING(0),
		"Fail: input hairpin (9) can't be greater than max_hairpin_queues (4) of port 0\n");
	card.can = 0;
	port_fixture_says("port start all", CONFIGURING(0),
		"Port 0 doesn't support hairpin queues (driver net_null)\n");
	card.can = 4;
	card.ret = -EIO;
	port_fixture_set("hairpinq", "1");
	port_fixture_set("hairpin-mode", "0");
	port_fixture_says("port start 0", CONFIGURING(0),
		"Fail to configure port 0 hairpin queues: rxq 1, peer port 0 queue 1: driver net_null: Input/output error\n");
	card.ret = 0;
	restarted(app, "0", "0", "");
}

TEST(map)
{
	static const struct {
		const char *text;
		int ret;
		const char *wrong; /* what the error says about the bad word */
	} cases[] = {
		{ "0:1:1:1", -EINVAL,
			": N \"\" is not a number: expected RXPORT:RXQ:TXPORT:TXQ:N" },
		{ "", -EINVAL, ": RXPORT \"\" is not a number" },
		{ "0:1:1:1:2x", -EINVAL, ": N \"2x\" is not a number" },
		{ "0:1:1:1:2:3", -EINVAL, ": N \"2:3\" is not a number" },
		{ "a:1:1:1:2", -EINVAL, ": RXPORT \"a\" is not a number" },
		{ "0::1:1:2", -EINVAL, ": RXQ \"\" is not a number" },
		{ "0:1: 1:1:2", -EINVAL, ": TXPORT \" 1\" is not a number" },
		{ "0:1:1:-1:2", -EINVAL, ": TXQ \"-1\" is not a number" },
		{ "0:1:1:1:65536", -ERANGE, ": N 65536: expected 0..65535" },
		{ "0:99999999999999999999:1:1:2", -ERANGE, ": RXQ 99999999999999999999: expected" },
		{ "0:1:1:2:2", 0, "" },
	};
	struct app *app = *state;
	struct err e = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		err_clear(&e);
		assert_int_equal(port_hairpin_map(&app->ports, cases[i].text, &e), cases[i].ret);
		assert_non_null(strstr(e.text, cases[i].wrong));
		assert_int_equal(app->ports.n_hairpin, cases[i].ret == 0);
	}
	restarted(app, "3", "0",
		"rx0.1=1.2m rx0.2=1.3m tx1.2=0.1m tx1.3=0.2m bind0-1 bind1-0 bind1-0 bind0-1 ");
	app->ports.n_hairpin = 0;
	restarted(app, "0", "0", "");
}

static int
calm(void **state)
{
	card.can = 4;
	card.ret = 0;
	card.bind = 0;
	return port_faults_calm(state);
}

TESTS(.setup = port_faults_setup, .teardown = port_fixture_teardown, .before = calm);
