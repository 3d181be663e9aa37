/* Port statistics: testpmd's text byte by byte, JSON, rates, the table of display-xstats,
 * clearing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_stats.h"

#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"

#include <rte_cycles.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "\n  ######################## NIC statistics for port 0  ########################\n"
#define TAIL "  ############################################################################\n"
#define NO_RATES \
	"\n  Throughput (since last show)\n" \
	"  Rx-pps:            0          Rx-bps:            0\n" \
	"  Tx-pps:            0          Tx-bps:            0\n"
#define IDLE \
	HEAD "  RX-packets: 0          RX-missed: 0          RX-bytes:  0\n" \
	     "  RX-errors: 0\n" \
	     "  RX-nombuf:  0         \n" \
	     "  TX-packets: 0          TX-errors: 0          TX-bytes:  0\n" NO_RATES

#define PACKETS \
	HEAD "  RX-packets: 5000000000 RX-missed: 7          RX-bytes:  320000000000\n" \
	     "  RX-errors: 8\n" \
	     "  RX-nombuf:  10        \n" \
	     "  TX-packets: 1666666666 TX-errors: 9          TX-bytes:  106666666624\n" NO_RATES \
		     TAIL

TEST(shown)
{
	struct app *app = *state;

	port_fixture_fresh(app);
	port_fixture_says("show port stats 0", IDLE TAIL, NULL);
	port_fixture_fresh(app);
	port_fixture_counters(5000000000, 0);
	port_fixture_says("show port stats all", PACKETS, NULL);
	port_fixture_fresh(app);
	port_fixture_counters(5000000000, 0);
	assert_string_equal(port_fixture_json("show port stats 0"),
		"{\"command\": \"show port stats 0\", \"ok\": true, \"ports\": [{\"port\": 0, "
		"\"rx_packets\": 5000000000, \"rx_missed\": 7, \"rx_bytes\": 320000000000, "
		"\"rx_errors\": 8, \"rx_nombuf\": 10, \"tx_packets\": 1666666666, "
		"\"tx_errors\": 9, \"tx_bytes\": 106666666624, "
		"\"rx_pps\": null, \"rx_bps\": null, \"tx_pps\": null, \"tx_bps\": null, \"interval_s\": null}]}\n");
}

TEST(missing)
{
	static const char *const ids[] = { "1", "9", RTE_STR(RTE_MAX_ETHPORTS), "65534" },
				 *const lines[] = { "show port stats", "show port xstats",
					 "clear port stats", "clear port xstats" };

	for (size_t i = 0; i < ARRAY_SIZE(ids) * ARRAY_SIZE(lines); i++) {
		char line[64], failure[64];

		snprintf(line, sizeof(line), "%s %s", lines[i / 4], ids[i % 4]);
		snprintf(failure, sizeof(failure), "Invalid port %s\n", ids[i % 4]);
		port_fixture_rows(&(struct port_fixture_row){ line,
					  "The valid ports array is [ 0 ]\n", failure, "ENODEV" },
			1);
	}
}

/* The number behind label. */
static uint64_t
number(const char *shown, const char *label)
{
	const char *at = strstr(shown, label);

	assert_non_null(at);
	return strtoull(at + strlen(label), NULL, 10);
}

static void
assert_range(uint64_t got, uint64_t least, uint64_t most)
{
	if (got < least || got > most)
		fail_msg("%" PRIu64 ": expected %" PRIu64 "..%" PRIu64, got, least, most);
}

/*
 * Rates are those since anybody's last look, bits are whole bytes times 8, and a count that went
 * back is no rate.
 */
TEST(rates)
{
	static const struct {
		uint64_t before, now, seconds, least,
			most; /* packets received, then packets per second */
	} cases[] = {
		{ 0, 64, 1, 60, 64 },
		{ 32, 64, 1, 30, 32 },
		{ 0, 64, 4, 15, 16 },
		{ 64, 64, 1, 0, 0 },
		{ 65, 64, 1, 0, 0 },
		{ 0, 64, 128, 0, 0 },
	};
	struct app *app = *state;
	struct port *p = &app->ports.port[0];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *shown;
		uint64_t bps;

		port_fixture_fresh(app);
		port_fixture_counters(cases[i].now, 0);
		p->rate_stats.ipackets = cases[i].before;
		p->rate_stats.ibytes = 64 * cases[i].before;
		p->rate_tsc = rte_rdtsc() - cases[i].seconds * rte_get_tsc_hz();
		shown = port_fixture_text("show port stats 0");
		assert_range(number(shown, "Rx-pps: "), cases[i].least, cases[i].most);
		assert_range(number(shown, "Tx-pps: "), cases[i].now / 3 / (cases[i].seconds + 1),
			cases[i].now / 3 / cases[i].seconds);
		bps = number(shown, "Rx-bps: ");
		assert_int_equal(bps % 8, 0);
		assert_range(bps, cases[i].least * 64 * 8, (cases[i].most + 1) * 64 * 8);
		assert_int_equal(p->rate_stats.ipackets, cases[i].now);
	}
}

#define TABLE_HEAD "\n                               Value            Rate (since last show)\n"

/* Names that the port lacks are told at the first look and left out. */
TEST(chosen)
{
	static const struct {
		const char *names, *table, *failed;
	} cases[] = {
		{ "", "", "" },
		{ ",,", "", "" },
		{ "rx_good_packets",
			TABLE_HEAD "  rx_good_packets                     5               0\n",
			"" },
		{ ",rx_good_bytes,,tx_good_packets,",
			TABLE_HEAD "  rx_good_bytes                     320               0\n"
				   "  tx_good_packets                     1               0\n",
			"" },
		{ "bogus", "", "No xstat 'bogus' on port 0 - skip it\n" },
		{ "bogus,rx_good_packets",
			TABLE_HEAD "  rx_good_packets                     5               0\n",
			"No xstat 'bogus' on port 0 - skip it\n" },
	};
	struct app *app = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *rest;

		port_fixture_fresh(app);
		port_fixture_counters(5, 0);
		port_fixture_set("display-xstats", cases[i].names);
		port_fixture_run("show port stats 0");
		rest = strstr(port_fixture_results(), NO_RATES);
		assert_non_null(rest);
		rest += strlen(NO_RATES);
		assert_int_equal(strncmp(rest, cases[i].table, strlen(cases[i].table)), 0);
		assert_string_equal(rest + strlen(cases[i].table), TAIL);
		assert_string_equal(port_fixture_failures(), cases[i].failed);
		port_fixture_text("show port stats 0");
	}
	port_fixture_set("display-xstats", "");
}

/* One rate per name, and none right after the list changed. */
TEST(chosen_rates)
{
	struct app *app = *state;
	struct port *p = &app->ports.port[0];
	const char *shown;
	char *end;

	port_fixture_fresh(app);
	port_fixture_set("display-xstats", "rx_good_packets");
	port_fixture_text("show port stats 0");
	port_fixture_counters(64, 0);
	p->xstat[0].tsc -= rte_get_tsc_hz();
	shown = strstr(port_fixture_text("show port stats 0"), "  rx_good_packets ");
	assert_non_null(shown);
	assert_int_equal(strtoull(shown + strlen("  rx_good_packets "), &end, 10), 64);
	assert_range(strtoull(end, NULL, 10), 32, 64);
	port_fixture_set("display-xstats", "rx_good_bytes");
	p->xstat[0].tsc -= rte_get_tsc_hz();
	assert_non_null(strstr(port_fixture_text("show port stats 0"),
		"  rx_good_bytes                    4096               0\n"));
	port_fixture_set("display-xstats", "");
}

TEST(too_many_chosen)
{
	struct app *app = *state;
	char names[2 * (PORT_XSTATS_MAX + 1) + 1] = "";
	struct err e = { 0 };
	unsigned int i;

	for (i = 0; i < PORT_XSTATS_MAX; i++)
		strcat(names, "a,");
	assert_int_equal(setting_parse(app->settings, "display-xstats", names, &e), 0);
	strcat(names, "a,");
	assert_int_equal(setting_parse(app->settings, "display-xstats", names, &e), -E2BIG);
	setting_parse(app->settings, "display-xstats", "", NULL);
}

TEST(period)
{
	static const uint16_t ids[] = { 0, 7 }; /* port 7 went away meanwhile */
	struct app *app = *state;
	struct err e = { 0 };

	port_fixture_fresh(app);
	assert_int_equal(port_stats_period(&app->ports, ids, ARRAY_SIZE(ids), &e), 0);
	assert_string_equal(port_fixture_results(),
		"\nPort statistics ====================================" IDLE TAIL);
}

TEST(clear)
{
	struct app *app = *state;
	struct rte_eth_stats *base = &app->ports.port[0].run_stats, now;

	port_fixture_fresh(app);
	memset(base, 0xff, sizeof(*base));
	port_fixture_counters(5, 0);
	port_fixture_text("show port stats 0");
	port_fixture_says("clear port stats 0", "\n  NIC statistics for port 0 cleared\n", NULL);
	assert_int_equal(base->ipackets, 0);
	assert_int_equal(app->ports.port[0].rate_stats.ipackets, 0);
	assert_int_equal(rte_eth_stats_get(0, &now), 0);
	assert_int_equal(now.ipackets, 0);
	port_fixture_counters(5, 0);
	port_fixture_says("clear port xstats all", NULL, NULL);
	assert_int_equal(rte_eth_stats_get(0, &now), 0);
	assert_int_equal(now.ipackets, 0);
}

#define XSTATS "###### NIC extended statistics for port 0 \n"

TEST(xstats)
{
	static const char all[] = XSTATS
		"rx_good_packets: 2\ntx_good_packets: 0\nrx_good_bytes: 128\n"
		"tx_good_bytes: 0\nrx_missed_errors: 7\nrx_errors: 8\n"
		"tx_errors: 9\nrx_mbuf_allocation_errors: 10\n";
	static const struct port_fixture_row hidden[] = {
		{ "show port xstats all",
			XSTATS
			"rx_good_packets: 2\nrx_good_bytes: 128\n"
			"rx_missed_errors: 7\nrx_errors: 8\ntx_errors: 9\nrx_mbuf_allocation_errors: 10\n",
			NULL,
			"\"ports\": [{\"port\": 0, \"xstats\": "
			"{\"rx_good_packets\": 2, \"rx_good_bytes\": 128, "
			"\"rx_missed_errors\": 7, \"rx_errors\": 8, "
			"\"tx_errors\": 9, \"rx_mbuf_allocation_errors\": 10}}]" },
	};

	port_fixture_fresh(*state);
	port_fixture_counters(2, 0);
	assert_int_equal(strncmp(port_fixture_text("show port xstats 0"), all, strlen(all)), 0);
	port_fixture_set("xstats-hide-zero", "on");
	PORT_FIXTURE_ROWS(hidden);
	port_fixture_set("xstats-hide-zero", "off");
}

/* A driver that fails is told, and nothing is shown. */
TEST(failing)
{
	static const struct port_fixture_row rows[] = {
		{ "show port stats 0", NULL,
			"port 0 (net_null): cannot read statistics: Input/output error\n", "EIO" },
		{ "clear port stats 0", NULL,
			"port 0 (net_null): cannot clear statistics: Input/output error\n", "EIO" },
	};
	struct app *app = *state;

	port_fixture_fresh(app);
	port_fixture_counters(5, -EIO);
	PORT_FIXTURE_ROWS(rows);
	assert_int_equal(app->ports.port[0].rate_tsc, 0);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
