/* Telemetry of what engines know of a stream beyond their counters: recycled mbufs, external
 * buffers. */
#include "engines/extbuf/extbuf_figures.h"
#include "engines/extbuf/extbuf_setup.h"
#include "engines/extbuf/extbuf_state.h"
#include "engines/recycle/recycle_setup.h"
#include "memory/extmem_buffers.h"
#include "pmd_shims/recycle_feed.h"
#include "run/run.h"
#include "watch/telemetry_priv.h"
#include "watch/telemetry_reply.h"

static void
recycle_put(struct telemetry_reply *reply, const struct recycle_feed *feed)
{
	struct recycle_total t = recycle_feed_total(feed);
	struct telemetry_reply part;

	telemetry_reply_nest(&part);
	telemetry_reply_u64(&part, "moved", t.moved);
	telemetry_reply_u64(&part, "topped_up", t.topped_up);
	telemetry_reply_u64(&part, "shared", t.shared);
	telemetry_reply_u64(&part, "foreign", t.foreign);
	telemetry_reply_u64(&part, "freed", t.freed);
	telemetry_reply_put(reply, "recycle", &part);
}

static void
extbuf_put(struct telemetry_reply *reply, const struct extbuf_figures *f, bool running)
{
	struct telemetry_reply part;

	telemetry_reply_nest(&part);
	telemetry_reply_str(&part, "mode", f->word);
	telemetry_reply_str(&part, "memory", f->memory);
	if (f->buffers != NULL) {
		telemetry_reply_u64(&part, "n", f->n);
		telemetry_reply_u64(&part, "bytes", f->bytes);
		if (f->copy_below != EXTBUF_NEVER)
			telemetry_reply_u64(&part, "threshold", f->copy_below);
		/* Once the run is over the region may be cut anew. */
		if (running)
			telemetry_reply_u64(&part, "out", extmem_buffers_out_of(f->buffers));
	}
	telemetry_reply_put(reply, "extbuf", &part);
}

void
telemetry_engines_put(struct telemetry_reply *reply, const struct run *r, const struct stream *s)
{
	if (recycle_setup_feed(s) != NULL)
		recycle_put(reply, recycle_setup_feed(s));
	if (extbuf_setup_figures(s) != NULL)
		extbuf_put(reply, extbuf_setup_figures(s), r->running);
}
