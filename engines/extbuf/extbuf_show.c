/* `show extbuf`: prints mode, memory, buffers and threshold of a stream. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/extbuf/extbuf_show.h"

#include "base/out.h"
#include "engines/extbuf/extbuf_state.h"
#include "engines/extbuf/extbuf_stats.h"
#include "memory/extmem_buffers.h"

#include <inttypes.h>

static void
threshold_show(struct out *o, const struct extbuf_stats *f)
{
	const bool never = f->copy_below == THRESHOLD_NEVER;

	out_bool(o, "autotuned", "  threshold %s: ", f->autotuned, "autotuned", "as set");
	if (never)
		out_text(o, "all packets are copied\n");
	else
		out_u64(o, "threshold", "packets shorter than %" PRIu64 " bytes are copied\n",
			f->copy_below);
}

void
extbuf_show(struct out *o, const struct stream *s, bool running)
{
	const struct extbuf_stats *f = s->kept;

	out_u64(o, "rx_port", "RX Port=%" PRIu64, s->rx_port);
	out_u64(o, "rx_queue", "/Queue=%" PRIu64, s->rx_queue);
	out_u64(o, "tx_port", " -> TX Port=%" PRIu64, s->tx_port);
	out_u64(o, "tx_queue", "/Queue=%" PRIu64 "\n", s->tx_queue);
	out_str(o, "mode", "  mode %s, ", f->word);
	out_str(o, f->mode == EXTBUF_PINNED ? "pool" : "memory",
		f->mode == EXTBUF_PINNED ? "pool %s\n" : "memory %s", f->memory);
	if (f->mode == EXTBUF_PINNED)
		return;
	out_u64(o, "n",
		f->mode == EXTBUF_STORAGE ? ", %" PRIu64 " slices" : ", %" PRIu64 " buffers", f->n);
	out_u64(o, "bytes", " of %" PRIu64 " bytes, ", f->bytes);
	out_str(o, "shinfo", "shinfo %s, ", f->shared ? "shared" : "private");
	out_bool(o, "split", "headers %s\n", f->split, "in a separate mbuf", "with the payload");
	/* After the run the region can get another layout. */
	if (running && f->buffers != NULL)
		out_u64(o, "out", "  %" PRIu64 " of them are in use\n",
			extmem_buffers_out_of(f->buffers));
	if (f->mode == EXTBUF_AUTO)
		threshold_show(o, f);
}
