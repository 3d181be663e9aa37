/* Sum up the packets of an lcore's streams for its hardware counters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/stream_pass.h"

void
stream_pass(struct stream *s)
{
	uint64_t packets = 0, moved = 0;

	if (!stream_hardware(s))
		return;
	for (unsigned int i = s->index; i < s->n_siblings && s->siblings[i]->lcore == s->lcore;
		i++) {
		const struct stream_count *c = &s->siblings[i]->count;

		packets += counter_read(&c->rx) + counter_read(&c->made);
		moved += counter_read(&c->tx) + counter_read(&c->tx_dropped);
	}
	hw_counters_pass(s->hw, atomic_load_explicit(&s->hw->switched, memory_order_relaxed),
		packets, packets + moved);
}
