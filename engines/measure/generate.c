/* The engine generate: sends described traffic at a rate. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/words.h"
#include "engines/measure/lane_cmds.h"
#include "engines/measure/lane_send.h"
#include "engines/measure/lane_show.h"
#include "engines/measure/measured.h"
#include "engines/measure/traffic/traffic.h"

#include <errno.h>
#include <stdlib.h>

static const struct stat_row counters[] = { PACE_UNSENT_ROW };

static int
generate_read(struct words *r, struct err *e)
{
	struct traffic *t = malloc(sizeof(*t));
	int ret = t == NULL ? err_set(e, ENOMEM, "generate: no memory")
			    : traffic_read(t, r, TRAFFIC_SIZE_DESCRIBED, 0, e);

	free(t);
	return ret;
}

static int
generate_check(const char *text, struct err *e)
{
	return words_read(text, generate_read, e);
}

static int
size_check(const char *text, struct err *e)
{
	struct traffic *t = malloc(sizeof(*t));
	int ret = t == NULL ? err_set(e, ENOMEM, "generate: no memory")
			    : traffic_parse(t, "", text, 0, e);

	free(t);
	return ret;
}

static int
rate_check(const char *text, struct err *e)
{
	struct pace_rate rate;

	return pace_rate_parse(text, &rate, e);
}

static int
gaps_check(const char *text, struct err *e)
{
	struct pace_shape shape;

	return pace_gaps_parse(text, &shape, e);
}

static const struct setting settings[] = {
	{ .name = "generate",
		.kind = SETTING_TEXT,
		.check = generate_check,
		.read = generate_read,
		.text = "flows 1",
		.example = "flows 256 size imix proto udp src 10.0.0.0/24 random",
		.help = "generate, measure: traffic to send: flows, sizes, addresses (see measure.md), or file PATH" },
	{ .name = "generate-size",
		.kind = SETTING_TEXT,
		.check = size_check,
		.text = TRAFFIC_SIZE_DESCRIBED,
		.example = "1514",
		.help = "generate, measure: size of packets instead of the description's: N, A-B, imix or N:WEIGHT,... bytes without CRC" },
	{ .name = "generate-rate",
		.kind = SETTING_TEXT,
		.check = rate_check,
		.text = "max",
		.example = "1Mpps",
		.help = "generate, measure: rate of each port: max, packets/s (1Mpps), bits/s on the wire (10Gbps), or 50% of line rate" },
	{ .name = "generate-gaps",
		.kind = SETTING_TEXT,
		.check = gaps_check,
		.text = "even",
		.example = "poisson",
		.help = "generate, measure: times between packets: even, poisson, burst:N or burst:N:TIME" },
};

static int
generate_init(struct stream *s, struct err *e)
{
	return sender_init(s->state, s, e);
}

static int
generate_apply(struct stream *const *streams, unsigned int n, const void *config, bool live,
	struct err *e)
{
	struct lanes *lanes = streams[0]->config;
	const uint32_t key = (uint32_t)rte_rdtsc();
	struct lanes_run *set;
	int ret;

	if (live)
		return 0;
	if (lanes != NULL)
		hosts_deaf_say(&((const struct measured_config *)streams[0]->config)->hosts,
			"generate");
	if (!lanes_chosen(lanes))
		return sender_number(streams, n, 0, key, e);
	ret = lane_run_begin(lanes, streams, n, 0, key, &set, e);
	streams[0]->kept = set;
	return ret;
}

static void
generate_fini(struct stream *s)
{
	lane_run_over(s->config);
	sender_fini(s->state);
}

static void
generate_forget(struct stream *s)
{
	lane_run_forget(s->kept);
	s->kept = NULL;
}

static uint16_t
generate_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	return sender_source(s, s->state, pkts, max);
}

static void
generate_sink(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	sender_send(s, s->state, pkts, n);
}

static uint16_t
lanes_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	uint64_t due[BURST_MAX];

	return lane_send_source_due(s, s->state, pkts, due, max);
}

static void
lanes_sink(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	lane_send_send(s, ((const struct sender *)s->state)->lanes, pkts, n);
}

ENGINE_LOOP(described, generate_source, NULL, generate_sink)
ENGINE_LOOP(lanes, lanes_source, NULL, lanes_sink)

static void
generate_loop(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	const struct sender *d = streams[0]->state;

	if (d->lanes != NULL)
		lanes_loop(streams, n, stop);
	else
		described_loop(streams, n, stop);
}

extern const struct engine engine_measure;

const struct engine engine_generate = {
	.name = "generate",
	.help = "send described traffic at a rate, with sequence numbers, time stamps and checksums",
	.flags = ENGINE_NO_RX | ENGINE_MAKES | ENGINE_DESCRIBES,
	.state_size = sizeof(struct sender),
	.init = generate_init,
	.loop = generate_loop,
	.drain = lane_run_end_all,
	.fini = generate_fini,
	.forget = generate_forget,
	.config_of = &engine_measure,
	.commands = &lane_cmds_table,
	.apply = generate_apply,
	.part = lane_part,
	.settings = SETTING_TABLE("Engines", settings),
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
};
