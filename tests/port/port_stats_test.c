/* Port statistics: testpmd's text byte by byte, JSON, rates, the table of display-xstats,
 * clearing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_stats.h"

#include "base/base.h"
#include "base/err.h"
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

TEST(text)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	port_fixture_fresh(b);
	assert_int_equal(port_stats_show(&b->ports, 0, &e), 0);
	assert_string_equal(out_check_results(&b->printed), IDLE TAIL);
	port_fixture_fresh(b);
	port_fixture_counters(5000000000, 0);
	assert_int_equal(port_stats_show(&b->ports, PORT_ALL, &e), 0);
	assert_string_equal(out_check_results(&b->printed),
		HEAD
		"  RX-packets: 5000000000 RX-missed: 7          RX-bytes:  320000000000\n"
		"  RX-errors: 8\n"
		"  RX-nombuf:  10        \n"
		"  TX-packets: 1666666666 TX-errors: 9          TX-bytes:  106666666624\n" NO_RATES
			TAIL);
	assert_string_equal(out_check_failures(&b->printed), "");
}

TEST(json)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	port_fixture_fresh(b);
	port_fixture_counters(5000000000, 0);
	out_format_set(b->out, OUT_JSON);
	out_begin(b->out, "show port stats 0");
	assert_int_equal(port_stats_show(&b->ports, 0, &e), 0);
	out_end(b->out, NULL, NULL);
	out_format_set(b->out, OUT_TEXT);
	assert_string_equal(out_check_results(&b->printed),
		"{\"command\": \"show port stats 0\", \"ok\": true, \"ports\": [{\"port\": 0, "
		"\"rx_packets\": 5000000000, \"rx_missed\": 7, \"rx_bytes\": 320000000000, "
		"\"rx_errors\": 8, \"rx_nombuf\": 10, \"tx_packets\": 1666666666, "
		"\"tx_errors\": 9, \"tx_bytes\": 106666666624, "
		"\"rx_pps\": null, \"rx_bps\": null, \"tx_pps\": null, \"tx_bps\": null, \"interval_s\": null}]}\n");
}

TEST(missing)
{
	struct port_fixture *b = *state;
	static const uint16_t ids[] = { 1, 9, RTE_MAX_ETHPORTS, UINT16_MAX - 1 };
	int (*const shows[])(struct ports *, uint16_t, struct err *) = { port_stats_show,
		port_xstats_show };
	int (*const clears[])(struct ports *, uint16_t, struct err *) = { port_stats_clear,
		port_xstats_clear };
	unsigned int i, k;
	char want[64];

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		snprintf(want, sizeof(want), "Invalid port %u", ids[i]);
		for (k = 0; k < 2; k++) {
			struct err e = { 0 };

			assert_int_equal(shows[k](&b->ports, ids[i], &e), -ENODEV);
			assert_string_equal(e.text, want);
			assert_string_equal(out_check_results(&b->printed),
				"The valid ports array is [ 0 ]\n");
			err_clear(&e);
			assert_int_equal(clears[k](&b->ports, ids[i], &e), -ENODEV);
			assert_string_equal(e.text, want);
			assert_string_equal(out_check_results(&b->printed),
				"The valid ports array is [ 0 ]\n");
		}
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
	struct port_fixture *b = *state;
	struct port *p = &b->ports.port[0];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };
		const char *shown;
		uint64_t bps;

		port_fixture_fresh(b);
		port_fixture_counters(cases[i].now, 0);
		p->rate_stats.ipackets = cases[i].before;
		p->rate_stats.ibytes = 64 * cases[i].before;
		p->rate_tsc = rte_rdtsc() - cases[i].seconds * rte_get_tsc_hz();
		assert_int_equal(port_stats_show(&b->ports, 0, &e), 0);
		shown = out_check_results(&b->printed);
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
	struct port_fixture *b = *state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };
		const char *shown, *rest;

		port_fixture_fresh(b);
		port_fixture_counters(5, 0);
		assert_int_equal(setting_parse(b->settings, "display-xstats", cases[i].names, &e),
			0);
		assert_int_equal(port_stats_show(&b->ports, 0, &e), 0);
		shown = out_check_results(&b->printed);
		rest = strstr(shown, NO_RATES);
		assert_non_null(rest);
		rest += strlen(NO_RATES);
		assert_int_equal(strncmp(rest, cases[i].table, strlen(cases[i].table)), 0);
		assert_string_equal(rest + strlen(cases[i].table), TAIL);
		assert_string_equal(out_check_failures(&b->printed), cases[i].failed);
		assert_int_equal(port_stats_show(&b->ports, 0, &e), 0);
		assert_string_equal(out_check_failures(&b->printed), "");
		out_check_results(&b->printed);
	}
	setting_parse(b->settings, "display-xstats", "", NULL);
}

/* One rate per name, and none right after the list changed. */
TEST(chosen_rates)
{
	struct port_fixture *b = *state;
	struct port *p = &b->ports.port[0];
	struct err e = { 0 };
	const char *shown;
	char *end;

	port_fixture_fresh(b);
	assert_int_equal(setting_parse(b->settings, "display-xstats", "rx_good_packets", &e), 0);
	assert_int_equal(port_stats_show(&b->ports, 0, &e), 0);
	out_check_results(&b->printed);
	port_fixture_counters(64, 0);
	p->xstat[0].tsc -= rte_get_tsc_hz();
	assert_int_equal(port_stats_show(&b->ports, 0, &e), 0);
	shown = strstr(out_check_results(&b->printed), "  rx_good_packets ");
	assert_non_null(shown);
	assert_int_equal(strtoull(shown + strlen("  rx_good_packets "), &end, 10), 64);
	assert_range(strtoull(end, NULL, 10), 32, 64);
	assert_int_equal(setting_parse(b->settings, "display-xstats", "rx_good_bytes", &e), 0);
	p->xstat[0].tsc -= rte_get_tsc_hz();
	assert_int_equal(port_stats_show(&b->ports, 0, &e), 0);
	assert_non_null(strstr(out_check_results(&b->printed),
		"  rx_good_bytes                    4096               0\n"));
	setting_parse(b->settings, "display-xstats", "", NULL);
}

TEST(too_many_chosen)
{
	struct port_fixture *b = *state;
	char names[2 * (PORT_XSTATS_MAX + 1) + 1] = "";
	struct err e = { 0 };
	unsigned int i;

	for (i = 0; i < PORT_XSTATS_MAX; i++)
		strcat(names, "a,");
	assert_int_equal(setting_parse(b->settings, "display-xstats", names, &e), 0);
	strcat(names, "a,");
	assert_int_equal(setting_parse(b->settings, "display-xstats", names, &e), -E2BIG);
	setting_parse(b->settings, "display-xstats", "", NULL);
}

TEST(period)
{
	static const uint16_t ids[] = { 0, 7 }; /* port 7 went away meanwhile */
	struct port_fixture *b = *state;
	struct err e = { 0 };

	port_fixture_fresh(b);
	assert_int_equal(port_stats_period(&b->ports, ids, ARRAY_SIZE(ids), &e), 0);
	assert_string_equal(out_check_results(&b->printed),
		"\nPort statistics ====================================" IDLE TAIL);
}

TEST(clear)
{
	struct port_fixture *b = *state;
	struct rte_eth_stats *base = &b->ports.port[0].run_stats, now;
	struct err e = { 0 };

	port_fixture_fresh(b);
	memset(base, 0xff, sizeof(*base));
	port_fixture_counters(5, 0);
	assert_int_equal(port_stats_show(&b->ports, 0, &e), 0);
	out_check_results(&b->printed);
	assert_int_equal(port_stats_clear(&b->ports, 0, &e), 0);
	assert_string_equal(out_check_results(&b->printed),
		"\n  NIC statistics for port 0 cleared\n");
	assert_int_equal(base->ipackets, 0);
	assert_int_equal(b->ports.port[0].rate_stats.ipackets, 0);
	assert_int_equal(rte_eth_stats_get(0, &now), 0);
	assert_int_equal(now.ipackets, 0);
	port_fixture_counters(5, 0);
	assert_int_equal(port_xstats_clear(&b->ports, PORT_ALL, &e), 0);
	assert_string_equal(out_check_results(&b->printed), "");
	assert_int_equal(rte_eth_stats_get(0, &now), 0);
	assert_int_equal(now.ipackets, 0);
}

TEST(xstats)
{
	static const char all[] = "###### NIC extended statistics for port 0 \n"
				  "rx_good_packets: 2\ntx_good_packets: 0\nrx_good_bytes: 128\n"
				  "tx_good_bytes: 0\nrx_missed_errors: 7\nrx_errors: 8\n"
				  "tx_errors: 9\nrx_mbuf_allocation_errors: 10\n";
	struct port_fixture *b = *state;
	struct err e = { 0 };

	port_fixture_fresh(b);
	port_fixture_counters(2, 0);
	assert_int_equal(port_xstats_show(&b->ports, 0, &e), 0);
	assert_int_equal(strncmp(out_check_results(&b->printed), all, strlen(all)), 0);
	assert_int_equal(setting_parse(b->settings, "xstats-hide-zero", "on", &e), 0);
	assert_int_equal(port_xstats_show(&b->ports, PORT_ALL, &e), 0);
	assert_string_equal(out_check_results(&b->printed),
		"###### NIC extended statistics for port 0 \n"
		"rx_good_packets: 2\nrx_good_bytes: 128\n"
		"rx_missed_errors: 7\nrx_errors: 8\ntx_errors: 9\nrx_mbuf_allocation_errors: 10\n");
	out_format_set(b->out, OUT_JSON);
	out_begin(b->out, "x");
	assert_int_equal(port_xstats_show(&b->ports, 0, &e), 0);
	out_end(b->out, NULL, NULL);
	out_format_set(b->out, OUT_TEXT);
	assert_string_equal(out_check_results(&b->printed),
		"{\"command\": \"x\", \"ok\": true, \"ports\": [{\"port\": 0, \"xstats\": "
		"{\"rx_good_packets\": 2, \"rx_good_bytes\": 128, "
		"\"rx_missed_errors\": 7, \"rx_errors\": 8, "
		"\"tx_errors\": 9, \"rx_mbuf_allocation_errors\": 10}}]}\n");
	setting_parse(b->settings, "xstats-hide-zero", "off", NULL);
}

/* A driver that fails is told, and nothing is shown. */
TEST(failing)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	port_fixture_fresh(b);
	port_fixture_counters(5, -EIO);
	assert_int_equal(port_stats_show(&b->ports, 0, &e), -EIO);
	assert_string_equal(e.text,
		"port 0 (net_null): cannot read statistics: Input/output error");
	err_clear(&e);
	assert_int_equal(port_stats_clear(&b->ports, 0, &e), -EIO);
	assert_string_equal(e.text,
		"port 0 (net_null): cannot clear statistics: Input/output error");
	assert_string_equal(out_check_results(&b->printed), "");
	assert_int_equal(b->ports.port[0].rate_tsc, 0);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
