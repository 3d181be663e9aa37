/* Reports what the streams of the engine measure have received: statistics, show measure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/measured.h"

#include "base/out.h"

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

/* Statistics: two groups per stream. */

/* The quantiles that are reported, each from enough packets only. */
static const double shares[] = { 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999 };

struct latency {
	uint64_t sent, lost, min, mean, p50, p90, p99, p999, p9999, p99999, max, jitter, farthest;
	uint64_t nic_hz, nic_off;
};

#define ROW(member, is) .name = #member, .kind = is, .at = offsetof(struct latency, member)
#define QUANTILE(member, words, least) \
	{ \
		ROW(member, STAT_GAUGE), \
			.unit = "ns", \
			.help = words " of the one-way latency; needs " least " packets" \
	}

static const struct stat_row latency_rows[] = {
	{ ROW(sent, STAT_COUNTER), .help = "packets sent with a sequence number" },
	{ ROW(lost, STAT_COUNTER), .optional = true,
		.help = "packets sent by this stream that did not arrive intact; known after the run, unless more arrived than were sent" },
	{ ROW(min, STAT_GAUGE), .unit = "ns",
		.help = "shortest one-way latency, from due to received" },
	{ ROW(mean, STAT_GAUGE), .unit = "ns", .help = "mean one-way latency" },
	QUANTILE(p50, "median", "200"),
	QUANTILE(p90, "90th percentile", "1000"),
	QUANTILE(p99, "99th percentile", "10^4"),
	QUANTILE(p999, "99.9th percentile", "10^5"),
	QUANTILE(p9999, "99.99th percentile", "10^6"),
	QUANTILE(p99999, "99.999th percentile", "10^7"),
	{ ROW(max, STAT_GAUGE), .unit = "ns", .help = "longest one-way latency" },
	{ ROW(jitter, STAT_GAUGE), .unit = "ns",
		.help = "jitter (RFC 3550), the mean of all flows" },
	{ ROW(farthest, STAT_GAUGE),
		.help = "largest distance of a reordered packet, in sequence numbers" },
	{ ROW(nic_hz, STAT_GAUGE), .unit = "Hz",
		.help = "measured frequency of the NIC's clock by which packets arrive; null: they do by the TSC" },
	{ ROW(nic_off, STAT_GAUGE), .unit = "ns",
		.help = "largest error of a computed time of the NIC's clock, when it was read again" },
};
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
	uint64_t *const quantiles[] = { &l->p50, &l->p90, &l->p99, &l->p999, &l->p9999,
		&l->p99999 };
	struct hdr_copy *copy = calloc(1, sizeof(*copy));

	l->sent = counter_read(&m->sent);
	l->lost = running ? STAT_NONE : m->lost;
	l->nic_hz = by_nic ? counter_read(&m->clock.hz) : STAT_NONE;
	l->nic_off = by_nic ? counter_read(&m->clock.off_ns) : STAT_NONE;
	flows_sum(m, l);
	if (copy != NULL)
		hdr_merge(copy, &m->latency);
	for (unsigned int k = 0; k < ARRAY_SIZE(shares); k++)
		*quantiles[k] = copy != NULL && hdr_enough(copy, shares[k])
			? hdr_quantile(copy, shares[k])
			: STAT_NONE;
	free(copy);
	return true;
}

struct times {
	uint64_t together, gap_p50, gap_p99, gap_max, late_p50, late_p99, late_max;
};

#define TIME(member, words) \
	{ \
		.name = #member, .kind = STAT_GAUGE, .at = offsetof(struct times, member), \
		.unit = "ns", .help = words \
	}

static const struct stat_row times_rows[] = {
	{ .name = "together",
		.kind = STAT_COUNTER,
		.at = offsetof(struct times, together),
		.help = "packets that came in the receive call of the packet before, so with a gap of 0" },
	TIME(gap_p50,
		"median of the gaps between arrivals of packets that follow each other; needs 200 packets"),
	TIME(gap_p99, "99th percentile of the gaps between arrivals; needs 10^4 packets"),
	TIME(gap_max, "longest gap between arrivals"),
	TIME(late_p50,
		"median of the time from due to after the transmit call; needs 200 packets; part of the latency"),
	TIME(late_p99,
		"99th percentile of the time from due to after the transmit call; needs 10^4 packets"),
	TIME(late_max, "longest time from due to after the transmit call"),
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
	*p50 = hdr_enough(copy, 0.5) ? hdr_quantile(copy, 0.5) : STAT_NONE;
	*p99 = hdr_enough(copy, 0.99) ? hdr_quantile(copy, 0.99) : STAT_NONE;
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
		const uint64_t sent = counter_read(&((const struct measured *)s->kept)->sent);

		sums.sent += sent;
		sums.due += sent + counter_read(&s->count.tx_dropped) +
			counter_read(&s->count.named[MEASURED_UNSENT]);
		sums.arrived += counter_read(&s->count.named[MEASURED_UNIQUE]);
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

/* As ns_show(), after words. */
static void
us_show(struct out *o, const char *key, const char *words, uint64_t ns)
{
	char fmt[64];

	snprintf(fmt, sizeof(fmt), ", %s %%.3f", words);
	ns_show(o, key, fmt, ns);
}

static uint64_t
named(const struct stream *s, unsigned int which)
{
	return counter_read(&s->count.named[which]);
}

static void
latency_show(struct out *o, const struct latency *l)
{
	ns_show(o, "min_us", "  latency in us: min %.3f", l->min);
	us_show(o, "mean_us", "mean", l->mean);
	us_show(o, "p50_us", "p50", l->p50);
	us_show(o, "p90_us", "p90", l->p90);
	us_show(o, "p99_us", "p99", l->p99);
	us_show(o, "p999_us", "p99.9", l->p999);
	us_show(o, "p9999_us", "p99.99", l->p9999);
	us_show(o, "p99999_us", "p99.999", l->p99999);
	us_show(o, "max_us", "max", l->max);
	us_show(o, "jitter_us", "jitter", l->jitter);
	out_text(o, l->min == STAT_NONE ? "" : "\n");
}

/* Print what the sender and the bursts contribute. */
static void
times_show(struct out *o, const struct stream *s, bool running)
{
	struct times t;

	times_read(s, 0, running, &t);
	ns_show(o, "late_max_us", "  sent late in us, part of the latency: max %.3f", t.late_max);
	us_show(o, "late_p50_us", "p50", t.late_p50);
	us_show(o, "late_p99_us", "p99", t.late_p99);
	out_text(o, t.late_max == STAT_NONE ? "" : "\n");
	ns_show(o, "gap_max_us", "  gaps between arrivals in us: max %.3f", t.gap_max);
	us_show(o, "gap_p50_us", "p50", t.gap_p50);
	us_show(o, "gap_p99_us", "p99", t.gap_p99);
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
	to->p50 = hdr_enough(copy, 0.5) ? hdr_quantile(copy, 0.5) : STAT_NONE;
	to->p99 = hdr_enough(copy, 0.99) ? hdr_quantile(copy, 0.99) : STAT_NONE;
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
	out_f64_fmt(o, "min_us", " min %.3f", (double)bias->min / 1e3);
	us_show(o, "p50_us", "p50", bias->p50);
	us_show(o, "p99_us", "p99", bias->p99);
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
	if (named(s, MEASURED_CLOCK) > 0 && m->clock.state != NIC_CLOCK_USED)
		out_note(o,
			"port %u: %" PRIu64
			" packets arrived before they were due: the lcores' clocks disagree, latencies are wrong; see \"doctor\"\n",
			s->rx_port, named(s, MEASURED_CLOCK));
	latency_show(o, &l);
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
