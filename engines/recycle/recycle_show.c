/* Pairs of each stream and why others are none, and how many mbufs came back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/recycle/recycle_show.h"

#include "base/out.h"
#include "pmd_shims/recycle_feed.h"
#include "stream/stream.h"

#include <inttypes.h>

static void
pair_show(struct out *o, const struct recycle_feed_pair *p)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "tx_port", "  from TX Port=%" PRIu64, p->ends.tx_port);
	out_u64(o, "tx_queue", "/Queue=%" PRIu64 ": ", p->ends.tx_queue);
	if (p->pair != NULL) {
		out_bool(o, "paired", "%s", true, "", "");
		out_str(o, "tx_path", "%s", recycle_tx_path(p->pair));
		out_str(o, "rx_path", " to %s\n", recycle_rx_path(p->pair));
	} else {
		out_bool(o, "paired", "%s", false, "", "not paired, forwards as io: ");
		out_str(o, "reason", "%s\n", p->why);
	}
	out_unnest(o);
}

void
recycle_show(struct out *o, const struct stream *s, bool running)
{
	static const char *const modes[] = { RECYCLE_MODES };
	struct recycle_total t = recycle_feed_total(s->kept);
	uint64_t rx = counter_read(&s->count.rx);
	const struct recycle_feed_pair *pairs;
	unsigned int n;

	out_u64(o, "rx_port", "RX Port=%" PRIu64, s->rx_port);
	out_u64(o, "rx_queue", "/Queue=%" PRIu64, s->rx_queue);
	out_u64(o, "lcore", " on lcore %" PRIu64, s->lcore);
	out_str(o, "mode", ", mode %s\n", modes[recycle_feed_mode(s->kept)]);
	out_nest(o, "pairs", OUT_ARRAY);
	pairs = recycle_feed_pairs(s->kept, &n);
	for (unsigned int i = 0; i < n; i++)
		pair_show(o, &pairs[i]);
	out_unnest(o);
	out_u64(o, "rx", "  %-20" PRIu64 " received\n", rx);
	out_u64(o, "moved", "  %-20" PRIu64 " moved: sent mbufs armed again\n", t.moved);
	out_u64(o, "topped_up", "  %-20" PRIu64 " topped up from the pool\n", t.topped_up);
	out_u64(o, "shared", "  %-20" PRIu64 " not movable: held by others too\n", t.shared);
	out_u64(o, "foreign", "  %-20" PRIu64 " not movable: of another pool\n", t.foreign);
	out_u64(o, "freed", "  %-20" PRIu64 " freed: no room, or no full batch\n", t.freed);
	out_f64(o, "yield_percent", "  %.2f %% of what was received came in recycled mbufs\n",
		rx > 0 ? 100.0 * (double)t.moved / (double)rx : 0);
}
