/* Prints what the engine measure has received of each flow. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/measured_flows.h"

#include "base/out.h"
#include "engines/measure/measured.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The highest percentile of a flow's latency that is shown, with measure-flow-latency. */
#define UPTO 0.999

/* How many packets of a flow, one of those of a stream, were sent. */
static uint64_t
flow_sent(const struct measured *of, uint32_t flow)
{
	uint64_t sent = counter_read(&of->sent);
	uint32_t base = of->base, flows = of->flows;

	if (of->lanes != NULL) {
		const struct lane_run *run = of->lanes->run[of->lanes->place_of[flow]];

		sent = counter_read(&run->sent);
		base = run->base;
		flows = run->flows;
	}
	return sent / flows + (flow - base < sent % flows);
}

/* Print the percentiles of a flow. h: scratch space. */
static void
flow_latency_show(struct out *o, struct stream *const *streams, unsigned int n, uint32_t flow,
	struct hdr_copy *h)
{
	memset(h, 0, sizeof(*h));
	for (unsigned int i = 0; i < n; i++)
		hdr_merge(h, &((const struct measured *)streams[i]->kept)->flow_latency[flow]);
	hdr_columns(o, UPTO, h);
}

/* h: scratch space for percentiles; NULL: there are none. */
static void
flow_show(struct out *o, struct stream *const *streams, unsigned int n, const struct stream *from,
	uint32_t flow, bool running, struct hdr_copy *h)
{
	const struct measured *of = from->kept;
	const uint64_t sent = flow_sent(of, flow), unique = measured_flow_unique(streams, n, flow),
		       lost = measured_lost(sent, unique);
	uint64_t timed = 0, sum = 0, min = UINT64_MAX, max = 0, reordered = 0, duplicated = 0,
		 jitter = 0;

	for (unsigned int i = 0; i < n; i++) {
		const struct measured *m = streams[i]->kept;
		const struct arrivals *a = m->arrivals != NULL ? &m->arrivals[flow] : NULL;

		if (a == NULL || counter_read(&a->timed) == 0)
			continue;
		timed += counter_read(&a->timed);
		sum += counter_read(&a->sum_ns);
		min = RTE_MIN(min, counter_read(&a->min_ns));
		max = RTE_MAX(max, counter_read(&a->max_ns));
		reordered += counter_read(&a->reordered);
		duplicated += counter_read(&a->duplicated);
		jitter = RTE_MAX(jitter, counter_read(&a->jitter) / 16);
	}
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "port", "%4" PRIu64, from->tx_port);
	out_u64(o, "flow", " %8" PRIu64, flow);
	out_u64(o, "sent", " %14" PRIu64, sent);
	out_u64(o, "unique", " %14" PRIu64, unique);
	if (running || lost == STAT_NONE) {
		out_text(o, " %10s", "-");
		out_f64_fmt(o, "lost", NULL, NAN);
	} else {
		out_u64(o, "lost", " %10" PRIu64, lost);
	}
	out_u64(o, "reordered", " %10" PRIu64, reordered);
	out_u64(o, "duplicated", " %10" PRIu64, duplicated);
	out_us(o, "min_us", timed > 0 ? (double)min / 1e3 : NAN);
	out_us(o, "mean_us", timed > 0 ? (double)sum / (double)timed / 1e3 : NAN);
	out_us(o, "max_us", timed > 0 ? (double)max / 1e3 : NAN);
	out_us(o, "jitter_us", timed > 0 ? (double)jitter / 1e3 : NAN);
	if (h != NULL)
		flow_latency_show(o, streams, n, flow, h);
	out_text(o, "\n");
	out_unnest(o);
}

void
measured_flows_show(struct out *o, struct stream *const *streams, unsigned int n, bool running)
{
	const bool latency = n > 0 &&
		((const struct measured *)streams[0]->kept)->flow_latency != NULL;
	struct hdr_copy *h = latency ? malloc(sizeof(*h)) : NULL;

	out_nest(o, "flows", OUT_ARRAY);
	out_text(o, "%4s %8s %14s %14s %10s %10s %10s %10s %10s %10s %10s", "port", "flow", "sent",
		"unique", "lost", "reordered", "duplicated", "min us", "mean us", "max us",
		"jitter us");
	if (h != NULL)
		hdr_titles(o, UPTO, " us");
	out_text(o, "\n");
	for (unsigned int i = 0; i < n; i++) {
		const struct measured *m = streams[i]->kept;

		for (uint32_t k = 0; m->arrivals != NULL && k < m->flows; k++)
			flow_show(o, streams, n, streams[i], m->base + k, running, h);
	}
	out_unnest(o);
	free(h);
}
