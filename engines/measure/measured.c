/* Reports what the streams of the engine measure have received: statistics, show measure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/measured.h"

#include "base/out.h"

#include <rte_lcore.h>
#include <rte_malloc.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t
measured_flow_unique(struct stream *const *streams, unsigned int n, uint32_t i)
{
	uint64_t unique = 0;

	for (unsigned int k = 0; k < n; k++) {
		const struct measured *m = streams[k]->kept;

		unique += m->arrivals == NULL ? 0 : counter_read(&m->arrivals[i].unique);
	}
	return unique;
}

uint64_t
measured_unique(const struct stream *s)
{
	const struct measured *m = s->kept;
	uint64_t unique = 0;

	for (uint32_t i = 0; i < m->flows; i++)
		unique += measured_flow_unique(s->siblings, s->n_siblings, m->base + i);
	return unique;
}

int
measured_lanes_expect(const struct stream *s, struct lanes_run *set, struct err *e)
{
	struct measured *m = s->kept;

	m->lanes = set;
	m->lane_latency = calloc(set->n, sizeof(*m->lane_latency));
	if (m->lane_latency == NULL)
		return err_set(e, ENOMEM, "measure: no memory for %u streams", set->n);
	m->n_lanes = set->n;
	set->measures = true;
	for (unsigned int i = 0; i < set->n; i++) {
		if (!set->run[i]->latency)
			continue;
		m->lane_latency[i] = rte_zmalloc_socket("lane latency", sizeof(struct hdr), 64,
			(int)rte_lcore_to_socket_id(s->lcore));
		if (m->lane_latency[i] == NULL)
			return err_set(e, ENOMEM,
				"generate stream %s: latency: no memory for a histogram of %zu bytes per receiving queue: use latency on for fewer streams",
				set->lanes->lane[i]->name, sizeof(struct hdr));
	}
	return 0;
}

/* Statistics: two groups per stream. */

#define ROW(of, member, is) .name = #member, .kind = is, .at = offsetof(struct of, member)
/* A time in ns; title: in text, where it is shown in us. */
#define TIME(of, member, title, words) \
	{ \
		ROW(of, member, STAT_GAUGE), .label = title, .unit = "ns", .help = words \
	}

#define MEMBER(name, ...) uint64_t name;
struct latency {
	uint64_t sent, lost, min, mean;
	STAT_PERCENTILES(MEMBER)
	uint64_t max, jitter, farthest, nic_hz, nic_off;
};

#define PERCENTILE(name, share, title, words, least) \
	TIME(latency, name, title, words " of the one-way latency; needs " least " packets"),

/* clang-format off */
static const struct stat_row latency_rows[] = {
	{ ROW(latency, sent, STAT_COUNTER), .help = "packets sent with a sequence number" },
	{ ROW(latency, lost, STAT_COUNTER), .optional = true,
		.help = "packets sent by this stream that did not arrive intact; known after the run, unless more arrived than were sent" },
	TIME(latency, min, "min", "shortest one-way latency, from due to received"),
	TIME(latency, mean, "mean", "mean one-way latency"),
	STAT_PERCENTILES(PERCENTILE)
	TIME(latency, max, "max", "longest one-way latency"),
	TIME(latency, jitter, "jitter", "jitter (RFC 3550), the mean of all flows"),
	{ ROW(latency, farthest, STAT_GAUGE),
		.help = "largest distance of a reordered packet, in sequence numbers" },
	{ ROW(latency, nic_hz, STAT_GAUGE), .unit = "Hz",
		.help = "measured frequency of the NIC's clock by which packets arrive; null: they do by the TSC" },
	TIME(latency, nic_off, NULL,
		"largest error of a computed time of the NIC's clock, when it was read again"),
};
/* clang-format on */
static const struct stat_table latency_stats = { "measure", latency_rows, ARRAY_SIZE(latency_rows),
	false };

/* Add up what the stream has received of all flows. */
static void
flows_sum(const struct measured *m, struct latency *to)
{
	uint64_t timed = 0, sum = 0, jitter = 0, flows = 0;

	to->min = to->max = to->mean = to->jitter = STAT_NONE;
	to->farthest = 0;
	for (uint32_t i = 0; m->arrivals != NULL && i < m->n; i++) {
		const struct arrivals *a = &m->arrivals[i];
		const uint64_t n = counter_read(&a->timed);

		if (n == 0)
			continue;
		flows++;
		timed += n;
		sum += counter_read(&a->sum_ns);
		jitter += counter_read(&a->jitter) / 16;
		to->min = flows == 1 ? counter_read(&a->min_ns)
				     : RTE_MIN(to->min, counter_read(&a->min_ns));
		to->max = flows == 1 ? counter_read(&a->max_ns)
				     : RTE_MAX(to->max, counter_read(&a->max_ns));
		to->farthest = RTE_MAX(to->farthest, counter_read(&a->farthest));
	}
	if (flows == 0)
		return;
	to->mean = sum / timed;
	to->jitter = jitter / flows;
}

static bool
latency_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	const struct measured *m = s->kept;
	const bool by_nic = m->clock.state == NIC_CLOCK_USED;
	struct latency *l = to;
	struct hdr_copy *copy = calloc(1, sizeof(*copy));

	l->sent = counter_read(&m->sent);
	l->lost = running ? STAT_NONE : m->lost;
	l->nic_hz = by_nic ? counter_read(&m->clock.hz) : STAT_NONE;
	l->nic_off = by_nic ? counter_read(&m->clock.off_ns) : STAT_NONE;
	flows_sum(m, l);
	if (copy != NULL)
		hdr_merge(copy, &m->latency);
#define PERCENTILE_READ(name, share, ...) l->name = hdr_known(copy, share);
	STAT_PERCENTILES(PERCENTILE_READ)
	free(copy);
	return true;
}

struct times {
	uint64_t together, gap_p50, gap_p99, gap_max, late_p50, late_p99, late_max;
};

/* Places of the rows of a histogram, and their number. */
enum { SPREAD = 3, GAP = 1, LATE = GAP + SPREAD };

static const struct stat_row times_rows[] = {
	{ ROW(times, together, STAT_COUNTER),
		.help = "packets that came in the receive call of the packet before, so with a gap of 0" },
	TIME(times, gap_p50, "p50",
		"median of the gaps between arrivals of packets that follow each other; needs 200 packets"),
	TIME(times, gap_p99, "p99",
		"99th percentile of the gaps between arrivals; needs 10^4 packets"),
	TIME(times, gap_max, "max", "longest gap between arrivals"),
	TIME(times, late_p50, "p50",
		"median of the time from due to after the transmit call; needs 200 packets; part of the latency"),
	TIME(times, late_p99, "p99",
		"99th percentile of the time from due to after the transmit call; needs 10^4 packets"),
	TIME(times, late_max, "max", "longest time from due to after the transmit call"),
};
static const struct stat_table times_stats = { "measure_times", times_rows, ARRAY_SIZE(times_rows),
	false };

/* Store quantiles of a histogram, STAT_NONE if there are not enough values. */
static void
quantiles_read(struct hdr_copy *copy, const struct hdr *h, uint64_t *p50, uint64_t *p99,
	uint64_t *max)
{
	memset(copy, 0, sizeof(*copy));
	hdr_merge(copy, h);
	*p50 = hdr_known(copy, 0.5);
	*p99 = hdr_known(copy, 0.99);
	*max = copy->total > 0 ? hdr_max(copy) : STAT_NONE;
}

static bool
times_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	const struct measured *m = s->kept;
	struct times *t = to;
	struct hdr_copy *copy = malloc(sizeof(*copy));

	*t = (struct times){ counter_read(&m->gaps.cell[0]), STAT_NONE, STAT_NONE, STAT_NONE,
		STAT_NONE, STAT_NONE, STAT_NONE };
	if (copy == NULL)
		return true;
	quantiles_read(copy, &m->gaps, &t->gap_p50, &t->gap_p99, &t->gap_max);
	quantiles_read(copy, &m->late, &t->late_p50, &t->late_p99, &t->late_max);
	free(copy);
	return true;
}

const struct engine_group measured_groups[] = {
	{ .stats = &latency_stats, .size = sizeof(struct latency), .read = latency_read },
	{ .stats = &times_stats, .size = sizeof(struct times), .read = times_read },
};

static const struct hdr *
latency_of(const struct stream *s)
{
	return &((const struct measured *)s->kept)->latency;
}

static const struct hdr *
gaps_of(const struct stream *s)
{
	return &((const struct measured *)s->kept)->gaps;
}

static const struct hdr *
late_of(const struct stream *s)
{
	return &((const struct measured *)s->kept)->late;
}

const struct engine_times measured_times[] = {
	[MEASURED_TIMES_LATENCY] = { "latency", false, latency_of },
	[MEASURED_TIMES_GAP] = { "gap", false, gaps_of },
	[MEASURED_TIMES_LATE] = { "late", true, late_of },
};

struct engine_sums
measured_sums(struct stream *const *streams, unsigned int n)
{
	struct engine_sums sums = { 0 };

	for (unsigned int i = 0; i < n; i++) {
		const struct stream *s = streams[i];
		const struct measured *m = s->kept;
		const uint64_t sent = counter_read(&m->sent);

		sums.sent += sent;
		sums.due += sent + counter_read(&s->count.tx_dropped) +
			counter_read(&s->count.named[MEASURED_UNSENT]);
		sums.arrived += counter_read(&s->count.named[MEASURED_UNIQUE]);
		/* A port with an address is among other hosts, which also talk to each other. */
		if (m->host.hosts == NULL)
			sums.foreign += counter_read(&s->count.named[MEASURED_FOREIGN]);
	}
	return sums;
}

/* Print nanoseconds as microseconds with fmt; unknown ones are null in JSON and omitted in text. */
static void
ns_show(struct out *o, const char *key, const char *fmt, uint64_t ns)
{
	if (ns == STAT_NONE)
		out_f64_fmt(o, key, NULL, NAN);
	else
		out_f64_fmt(o, key, fmt, (double)ns / 1e3);
}

/* Print n times in us by their rows, the known ones as text: BEFORE title 0.001, title 0.002. */
static void
rows_show(struct out *o, const char *before, const struct stat_row *row, size_t n, const void *of)
{
	const struct stat_table table = { NULL, row, n, false };
	char key[32], fmt[80];

	for (size_t i = 0; i < n; i++) {
		const uint64_t ns = stat_value(&table, i, of);

		if (row[i].label == NULL)
			continue;
		snprintf(key, sizeof(key), "%s_us", row[i].name);
		snprintf(fmt, sizeof(fmt), "%s %s %%.3f", before, row[i].label);
		ns_show(o, key, fmt, ns);
		if (ns != STAT_NONE)
			before = ",";
	}
}

static uint64_t
named(const struct stream *s, unsigned int which)
{
	return counter_read(&s->count.named[which]);
}

/* Print the rows of a histogram, of which the last one comes first. */
static void
spread_show(struct out *o, const char *before, const struct stat_row *row, const struct times *t)
{
	rows_show(o, before, &row[SPREAD - 1], 1, t);
	rows_show(o, ",", row, SPREAD - 1, t);
}

/* Print what the sender and the bursts contribute. */
static void
times_show(struct out *o, const struct stream *s, bool running)
{
	struct times t;

	times_read(s, 0, running, &t);
	spread_show(o, "  sent late in us, part of the latency:", &times_rows[LATE], &t);
	out_text(o, t.late_max == STAT_NONE ? "" : "\n");
	spread_show(o, "  gaps between arrivals in us:", &times_rows[GAP], &t);
	out_u64_fmt(o, "together",
		t.gap_max == STAT_NONE ? NULL
				       : "; 0 for %" PRIu64 " packets of the same receive call\n",
		t.together);
}

/* Print the clock by which packets arrive; nothing in text if packets have no time stamps. */
static void
clock_show(struct out *o, const struct nic_clock *c, uint64_t errors, uint16_t port)
{
	const bool used = c->state == NIC_CLOCK_USED;
	const uint64_t hz = counter_read(&c->hz), jumps = counter_read(&c->jumps);

	out_str(o, "clock", NULL, used ? "NIC" : "TSC");
	out_str(o, "clock_driver", used ? "  received by the NIC's clock (%s)" : NULL,
		c->state == NIC_CLOCK_NONE ? NULL : c->driver);
	if (c->state == NIC_CLOCK_UNREADABLE)
		out_text(o,
			"  received by the TSC: %s stamps packets, but its clock cannot be read\n",
			c->driver);
	out_f64_fmt(o, "clock_mhz", used ? ", %.6f MHz" : NULL, used ? (double)hz / 1e6 : NAN);
	ns_show(o, "clock_read_us", "; read to +-%.3f us",
		used ? counter_read(&c->read_ns) : STAT_NONE);
	ns_show(o, "clock_off_us", ", computed times wrong by up to %.3f us\n",
		used ? counter_read(&c->off_ns) : STAT_NONE);
	out_u64(o, "clock_jumps", NULL, jumps);
	if (jumps > 0)
		out_note(o,
			"port %u: the clock of the NIC jumped %" PRIu64
			" times: latencies of up to 0.1 s before each are wrong\n",
			port, jumps);
	if (used && errors > 0)
		out_note(o,
			"port %u: %" PRIu64
			" packets had no time stamp, or arrived before they were due or after they were received: the clocks disagree\n",
			port, errors);
}

static const struct stat_row bias_rows[] = {
	TIME(measured_bias, min, "min", NULL),
	TIME(measured_bias, p50, "p50", NULL),
	TIME(measured_bias, p99, "p99", NULL),
};

int
measured_bias_read(struct measured_bias *to, struct stream *const *streams, unsigned int n,
	uint16_t rx_port, struct err *e)
{
	struct hdr_copy *copy = calloc(1, sizeof(*copy));

	if (copy == NULL)
		return err_set(e, ENOMEM, "measure: no memory for a histogram of %zu bytes",
			sizeof(*copy));
	*to = (struct measured_bias){ .min = STAT_NONE, .when = time(NULL) };
	for (unsigned int i = 0; i < n; i++) {
		const struct measured *m = streams[i]->kept;
		struct latency l;

		if (streams[i]->rx_port != rx_port)
			continue;
		flows_sum(m, &l);
		to->nic = m->clock.state == NIC_CLOCK_USED;
		to->min = RTE_MIN(to->min, l.min); /* STAT_NONE is the highest number */
		hdr_merge(copy, &m->latency);
	}
	to->n = copy->total;
	to->p50 = hdr_known(copy, 0.5);
	to->p99 = hdr_known(copy, 0.99);
	free(copy);
	return 0;
}

void
measured_bias_show(struct out *o, const struct measured_bias *bias)
{
	char when[32];
	struct tm utc;

	gmtime_r(&bias->when, &utc);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc);
	rows_show(o, "", bias_rows, ARRAY_SIZE(bias_rows), bias);
	out_u64(o, "packets", " of %" PRIu64 " packets", bias->n);
	out_text(o, bias->nic ? " by the NIC's clock" : " by the TSC");
	out_str(o, "clock", NULL, bias->nic ? "NIC" : "TSC");
	out_str(o, "measured", " at %s", when);
}

void
measured_show(struct out *o, const struct stream *s, bool running)
{
	const struct measured_config *config = s->config;
	const struct measured *m = s->kept;
	const struct measured_bias *bias = &config->bias[s->rx_port];
	struct latency l;

	latency_read(s, 0, running, &l);
	stream_ends_show(o, s);
	out_text(o, "\n");
	out_u64(o, "sent", "  sent %" PRIu64, l.sent);
	if (running || l.lost == STAT_NONE) {
		out_text(o,
			running ? ", lost: known after stop"
				: ", lost: unknown, because more arrived intact");
		out_f64_fmt(o, "lost", NULL, NAN);
	} else {
		out_u64(o, "lost", ", lost %" PRIu64, l.lost);
		if (l.sent > 0)
			out_text(o, " (%.4f %%)", 100 * (double)l.lost / (double)l.sent);
	}
	out_u64(o, "unsent", "; due, but not sent in time %" PRIu64, named(s, MEASURED_UNSENT));
	out_u64(o, "tx_dropped", ", refused by the port %" PRIu64 "\n",
		counter_read(&s->count.tx_dropped));
	out_u64(o, "unique", "  received %" PRIu64 " intact", named(s, MEASURED_UNIQUE));
	out_u64(o, "reordered", ", of these reordered %" PRIu64, named(s, MEASURED_REORDERED));
	out_u64(o, "farthest", " (by up to %" PRIu64 ")", l.farthest);
	out_u64(o, "duplicated", "; %" PRIu64 " duplicated", named(s, MEASURED_DUPLICATED));
	out_u64(o, "too_old", ", %" PRIu64 " too old", named(s, MEASURED_TOO_OLD));
	out_u64(o, "damaged", ", %" PRIu64 " damaged", named(s, MEASURED_DAMAGED));
	out_u64(o, "foreign", ", %" PRIu64 " foreign", named(s, MEASURED_FOREIGN));
	out_u64(o, "clock_errors", ", %" PRIu64 " clock errors\n", named(s, MEASURED_CLOCK));
	if (named(s, MEASURED_ANSWERED) > 0)
		out_text(o, "  answered %" PRIu64 " requests for an address of the port\n",
			named(s, MEASURED_ANSWERED));
	out_u64(o, "answered", NULL, named(s, MEASURED_ANSWERED));
	if (named(s, MEASURED_ANSWERS_DROPPED) > 0)
		out_text(o,
			"  dropped %" PRIu64
			" answers, because the Tx ring was full or the run ended\n",
			named(s, MEASURED_ANSWERS_DROPPED));
	if (named(s, MEASURED_CLOCK) > 0 && m->clock.state != NIC_CLOCK_USED)
		out_note(o,
			"port %u: %" PRIu64
			" packets arrived before they were due: the lcores' clocks disagree, latencies are wrong; see \"doctor\"\n",
			s->rx_port, named(s, MEASURED_CLOCK));
	rows_show(o, "  latency in us:", latency_rows, ARRAY_SIZE(latency_rows), &l);
	out_text(o, l.min == STAT_NONE ? "" : "\n");
	clock_show(o, &m->clock, named(s, MEASURED_CLOCK), s->rx_port);
	times_show(o, s, running);
	if (bias->n > 0) {
		out_text(o, "  bias in us, measured back to back (not subtracted):");
		out_nest(o, "bias", OUT_OBJECT);
		measured_bias_show(o, bias);
		out_unnest(o);
		out_text(o, "\n");
	}
}
