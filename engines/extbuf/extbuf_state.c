/* Statistics rows of the engine extbuf: the memory that a stream uses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/extbuf/extbuf_state.h"

#include "base/stat.h"
#include "engines/engine.h"
#include "memory/extmem_buffers.h"

/* Gauges of a stream; STAT_NONE if its mode does not have them. */
struct use {
	uint64_t n, bytes, slice, threshold, out;
};

#define ROW(member) .name = #member, .kind = STAT_GAUGE, .at = offsetof(struct use, member)

static const struct stat_row use_rows[] = {
	{ ROW(n), .unit = "buffers", .help = "buffers of the stream, or slices with mode storage" },
	{ ROW(bytes), .unit = "bytes", .help = "bytes per buffer or slice" },
	{ ROW(slice), .unit = "bytes", .help = "bytes reserved per packet; 0: its length" },
	{ ROW(threshold), .unit = "bytes",
		.help = "length below which packets are copied (absent: all packets are copied)" },
	{ ROW(out), .unit = "buffers", .help = "buffers or slices to which packets point now" },
};
static const struct stat_table use_stats = { "extbuf", use_rows, ARRAY_SIZE(use_rows), false };

static bool
use_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	const struct extbuf_stats *f = s->kept;
	const uint32_t copy_below = f->copy_below;
	struct use *u = to;

	(void)i;
	*u = (struct use){ STAT_NONE, STAT_NONE, STAT_NONE, STAT_NONE, STAT_NONE };
	if (f->mode == EXTBUF_PINNED)
		return true;
	u->n = f->n;
	u->bytes = f->bytes;
	u->slice = f->slice;
	if (copy_below != THRESHOLD_NEVER)
		u->threshold = copy_below;
	/* After the run the region can get another layout. */
	if (running && f->buffers != NULL)
		u->out = extmem_buffers_out_of(f->buffers);
	return true;
}

static void
use_words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	const struct extbuf_stats *f = s->kept;

	(void)i;
	sink->text(sink->to, "mode", f->word);
	sink->text(sink->to, f->mode == EXTBUF_PINNED ? "pool" : "memory", f->memory);
	if (f->mode == EXTBUF_PINNED)
		return;
	sink->text(sink->to, "shinfo", f->shared ? "shared" : "private");
	sink->number(sink->to, "split", f->split);
	sink->number(sink->to, "autotuned", f->autotuned);
}

const struct engine_group extbuf_stats_group = {
	.stats = &use_stats,
	.size = sizeof(struct use),
	.read = use_read,
	.words = use_words,
};
