/* Check the packet balance of every stopped stream by its counters since creation, which `clear fwd
 * stats` does not change. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_law.h"

#include "base/out.h"
#include "engines/engine.h"
#include "run/run.h"
#include "run/run_count.h"

#include <inttypes.h>

void
run_law_check(struct run *r)
{
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		const struct stream *s = r->streams[i];
		struct run_count read;
		const struct stream_count *c = &read.count;
		uint64_t in, out;

		run_count_read(s, &read);
		in = c->rx + c->made;
		out = c->tx + c->tx_dropped + c->absorbed;
		if (in == out)
			continue;
		r->broken++;
		out_warn(r->out,
			"Stream %u (%s, port %u queue %u to port %u queue %u): %" PRIu64
			" packets %s: rx %" PRIu64 " + made %" PRIu64 ", tx %" PRIu64
			" + dropped %" PRIu64 " + absorbed %" PRIu64 "\n",
			i, s->engine->name, s->rx_port, s->rx_queue, s->tx_port, s->tx_queue,
			in > out ? in - out : out - in, in > out ? "are missing" : "too many",
			(uint64_t)c->rx, (uint64_t)c->made, (uint64_t)c->tx,
			(uint64_t)c->tx_dropped, (uint64_t)c->absorbed);
	}
}
