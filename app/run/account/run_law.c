/* Checks the packets of a run that ended: the balance of every stream, and the run's account. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/account/run_law.h"

#include "base/err.h"
#include "base/out.h"
#include "engines/engine.h"
#include "run/account/run_account.h"
#include "run/account/run_count.h"
#include "run/run.h"

#include <inttypes.h>

/* The packet balance of every stream by its counters since creation, which a clear does not change. */
static void
streams_check(struct run *r)
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

static void
account_check(struct run *r)
{
	struct err e = { 0 };

	/* Lcores count on between the counters of a clear, so the law does not hold after it. */
	if (r->base_tsc > r->begin_tsc || run_account_check(r, &e) == 0)
		return;
	r->broken++;
	out_warn(r->out, "%s\n", e.text);
}

void
run_law_check(struct run *r)
{
	streams_check(r);
	account_check(r);
}
