/* What the engine measure prints of its results: each number, of counters that the test makes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/measured.h"

#include "base/base.h"
#include "base/out.h"
#include "engines/measure/measured_flows.h"
#include "fixtures/out_check.h"
#include "fixtures/unit.h"

#include <stdlib.h>
#include <string.h>

enum { FLOWS = 4, STREAMS = 2 };

static struct arrivals arrivals[STREAMS][FLOWS];
static struct measured measured[STREAMS];
static struct measured_config config;
static struct stream stream[STREAMS];

static int
clean(void **state)
{
	memset(arrivals, 0, sizeof(arrivals));
	memset(measured, 0, sizeof(measured));
	memset(&config, 0, sizeof(config));
	memset(stream, 0, sizeof(stream));
	for (unsigned int i = 0; i < STREAMS; i++) {
		measured[i].n = FLOWS;
		measured[i].arrivals = arrivals[i];
		stream[i].kept = &measured[i];
		stream[i].config = &config;
	}
	return out_check_setup(state);
}

/* Two packets of a flow arrive after these times: the jitter is a 16th of the difference. */
static void
arrive(unsigned int i, unsigned int flow, uint64_t first_ns, uint64_t second_ns)
{
	arrivals_time(&arrivals[i][flow], first_ns);
	arrivals_time(&arrivals[i][flow], second_ns);
	counter_add(&arrivals[i][flow].unique, 2);
}

/* Results of a stream whose numbers all differ. The second flow got no packet. */
static void
results_make(void)
{
	struct measured *m = &measured[0];
	counter *named = stream[0].count.named;

	stream[0].rx_port = 1;
	stream[0].rx_queue = 2;
	stream[0].tx_port = 3;
	stream[0].tx_queue = 4;
	arrive(0, 0, 2000, 3600);
	arrive(0, 2, 500, 5300);
	arrive(0, 3, 900, 900);
	counter_add(&arrivals[0][0].farthest, 3);
	counter_add(&arrivals[0][2].farthest, 19);
	counter_add(&arrivals[0][3].farthest, 5);
	counter_add(&m->sent, 4000);
	m->lost = 41;
	for (unsigned int i = MEASURED_UNSENT; i < MEASURED_CLOCK; i++)
		counter_add(&named[i], 100 + i);
	counter_add(&stream[0].count.tx_dropped, 37);
	hdr_add_n(&m->latency, 1000, 600);
	hdr_add_n(&m->latency, 1500, 500);
	hdr_add_n(&m->late, 700, 250);
	hdr_add_n(&m->late, 1900, 1);
	hdr_add_n(&m->gaps, 0, 40);
	hdr_add_n(&m->gaps, 1200, 300);
	hdr_add_n(&m->gaps, 1800, 1);
}

static const char *
printed(struct out_check *o, enum out_format format)
{
	out_format_set(o->out, format);
	out_begin(o->out, "x");
	measured_show(o->out, &stream[0], false);
	out_end(o->out, NULL, NULL);
	return out_check_results(o);
}

#define PORTS "\"rx_port\": 1, \"rx_queue\": 2, \"tx_port\": 3, \"tx_queue\": 4, "
#define COUNTS \
	"\"unsent\": 100, \"tx_dropped\": 37, \"unique\": 101, \"reordered\": 103, \"farthest\": 19, " \
	"\"duplicated\": 102, \"too_old\": 104, \"damaged\": 105, \"foreign\": 106, \"clock_errors\": 0, " \
	"\"answered\": 0, "
/* The mean of six times, and of the jitter of three flows: 100, 300 and 0 ns. */
#define LATENCY \
	"\"min_us\": 0.5, \"mean_us\": 2.2, \"p50_us\": 1, \"p90_us\": 1.5, \"p99_us\": null, " \
	"\"p999_us\": null, \"p9999_us\": null, \"p99999_us\": null, \"max_us\": 5.3, \"jitter_us\": 0.133, "
#define TIMES \
	"\"late_max_us\": 1.9, \"late_p50_us\": 0.7, \"late_p99_us\": null, " \
	"\"gap_max_us\": 1.8, \"gap_p50_us\": 1.2, \"gap_p99_us\": null, \"together\": 40"

TEST(numbers)
{
	results_make();
	assert_string_equal(printed(*state, OUT_JSON),
		"{\"command\": \"x\", \"ok\": true, " PORTS
		"\"sent\": 4000, \"lost\": 41, " COUNTS LATENCY
		"\"clock\": \"TSC\", \"clock_driver\": null, \"clock_mhz\": null, \"clock_read_us\": null, "
		"\"clock_off_us\": null, \"clock_jumps\": 0, " TIMES "}\n");
	assert_string_equal(printed(*state, OUT_TEXT),
		"RX Port=1/Queue=2 -> TX Port=3/Queue=4\n"
		"  sent 4000, lost 41 (1.0250 %); due, but not sent in time 100, refused by the port 37\n"
		"  received 101 intact, of these reordered 103 (by up to 19); 102 duplicated, 104 too old, "
		"105 damaged, 106 foreign, 0 clock errors\n"
		"  latency in us: min 0.500, mean 2.200, p50 1.000, p90 1.500, max 5.300, jitter 0.133\n"
		"  sent late in us, part of the latency: max 1.900, p50 0.700\n"
		"  gaps between arrivals in us: max 1.800, p50 1.200; "
		"0 for 40 packets of the same receive call\n");
}

/* More arrived than were sent, by the NIC's clock, beside a bias that was measured in 1970. */
TEST(by_the_nic)
{
	struct nic_clock *clock = &measured[0].clock;

	results_make();
	measured[0].lost = STAT_NONE;
	clock->state = NIC_CLOCK_USED;
	strcpy(clock->driver, "net_x");
	counter_add(&clock->hz, 156250001);
	counter_add(&clock->read_ns, 150);
	counter_add(&clock->off_ns, 35);
	config.bias[1] =
		(struct measured_bias){ .n = 12, .min = 300, .p50 = 450, .p99 = STAT_NONE };
	assert_string_equal(printed(*state, OUT_JSON),
		"{\"command\": \"x\", \"ok\": true, " PORTS
		"\"sent\": 4000, \"lost\": null, " COUNTS LATENCY
		"\"clock\": \"NIC\", \"clock_driver\": \"net_x\", \"clock_mhz\": 156.250001, "
		"\"clock_read_us\": 0.15, \"clock_off_us\": 0.035, \"clock_jumps\": 0, " TIMES
		", \"bias\": {\"min_us\": 0.3, \"p50_us\": 0.45, \"p99_us\": null, \"packets\": 12, "
		"\"clock\": \"TSC\", \"measured\": \"1970-01-01T00:00:00Z\"}}\n");
}

/* Statistics for recordings have the same numbers in ns. */
TEST(groups)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} expected[] = { { "sent", 4000 }, { "lost", 41 }, { "min", 500 }, { "mean", 2200 },
		{ "p50", 1000 }, { "p90", 1500 }, { "p99", STAT_NONE }, { "max", 5300 },
		{ "jitter", 133 }, { "farthest", 19 }, { "nic_hz", STAT_NONE } };
	const struct engine_group *g = &measured_groups[0];
	uint64_t *figures = calloc(1, g->size);

	assert_non_null(figures);
	results_make();
	assert_true(g->read(&stream[0], 0, false, figures));
	for (unsigned int i = 0; i < ARRAY_SIZE(expected); i++) {
		size_t k = 0;

		while (strcmp(g->stats->row[k].name, expected[i].name) != 0)
			assert_true(++k < g->stats->n);
		assert_int_equal(figures[g->stats->row[k].at / sizeof(*figures)], expected[i].ns);
	}
	free(figures);
}

/*
 * Of a flow that two streams received: sums of packets, the mean of all times, the ends of both, and
 * the larger jitter. Stream 0 sends flows 0 to 2, of 10 packets: 4, 3 and 3; stream 1 sends flow 3.
 */
TEST(flows)
{
	struct stream *const streams[] = { &stream[0], &stream[1] };
	struct out_check *o = *state;

	for (unsigned int i = 0; i < STREAMS; i++) {
		stream[i].tx_port = (uint16_t)(7 + i);
		measured[i].base = i * 3;
		measured[i].flows = i == 0 ? 3 : 1;
		counter_add(&measured[i].sent, i == 0 ? 10 : 1);
	}
	arrive(0, 0, 2000, 3600);
	arrive(1, 0, 700, 5500);
	arrive(1, 1, 900, 1000);
	arrive(0, 3, 400, 400);
	counter_add(&arrivals[0][0].reordered, 5);
	counter_add(&arrivals[1][0].reordered, 6);
	counter_add(&arrivals[0][0].duplicated, 20);
	counter_add(&arrivals[1][0].duplicated, 1);
	out_format_set(o->out, OUT_JSON);
	out_begin(o->out, "x");
	measured_flows_show(o->out, streams, STREAMS, false);
	out_end(o->out, NULL, NULL);
	out_check_printed(o,
		"{\"command\": \"x\", \"ok\": true, \"flows\": ["
		"{\"port\": 7, \"flow\": 0, \"sent\": 4, \"unique\": 4, \"lost\": 0, \"reordered\": 11, "
		"\"duplicated\": 21, \"min_us\": 0.7, \"mean_us\": 2.95, \"max_us\": 5.5, \"jitter_us\": 0.3}, "
		"{\"port\": 7, \"flow\": 1, \"sent\": 3, \"unique\": 2, \"lost\": 1, \"reordered\": 0, "
		"\"duplicated\": 0, \"min_us\": 0.9, \"mean_us\": 0.95, \"max_us\": 1, \"jitter_us\": 0.006}, "
		"{\"port\": 7, \"flow\": 2, \"sent\": 3, \"unique\": 0, \"lost\": 3, \"reordered\": 0, "
		"\"duplicated\": 0, \"min_us\": null, \"mean_us\": null, \"max_us\": null, \"jitter_us\": null}, "
		"{\"port\": 8, \"flow\": 3, \"sent\": 1, \"unique\": 2, \"lost\": null, \"reordered\": 0, "
		"\"duplicated\": 0, \"min_us\": 0.4, \"mean_us\": 0.4, \"max_us\": 0.4, \"jitter_us\": 0}]}\n",
		"");
}

TESTS(.before = clean, .after = out_check_teardown);
