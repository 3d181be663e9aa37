/* External buffers in a recording: what was decided for a stream, and how many of its buffers are
 * out. */
#include "record/record_extbuf.h"

#include "engines/extbuf/extbuf_figures.h"
#include "engines/extbuf/extbuf_state.h"
#include "memory/extmem_buffers.h"
#include "record/record_line.h"

void
record_extbuf_take(struct record_extbuf *to, const struct extbuf_figures *f)
{
	to->mode = f->word;
	to->copy_below = f->copy_below;
	to->attaches = f->buffers != NULL;
	to->out = f->buffers != NULL ? extmem_buffers_out_of(f->buffers) : 0;
}

/* Null: packets of every length are copied. */
static void
threshold(struct json *j, uint32_t copy_below)
{
	if (copy_below == EXTBUF_NEVER)
		record_line_str(j, "threshold", NULL);
	else
		out_json_u64(j, "threshold", copy_below);
}

void
record_extbuf_json(struct json *j, const struct record_extbuf *x)
{
	out_json_enter(j, "extbuf", false);
	record_line_str(j, "mode", x->mode);
	if (x->attaches) {
		threshold(j, x->copy_below);
		out_json_u64(j, "out", x->out);
	}
	out_json_leave(j);
}

void
record_extbuf_begin(struct json *j, const struct extbuf_figures *f)
{
	out_json_enter(j, "extbuf", false);
	record_line_str(j, "mode", f->word);
	record_line_str(j, f->mode == EXTBUF_PINNED ? "pool" : "memory", f->memory);
	if (f->mode != EXTBUF_PINNED) {
		out_json_u64(j, "n", f->n);
		out_json_u64(j, "bytes", f->bytes);
		out_json_u64(j, "slice", f->slice);
		record_line_str(j, "shinfo", f->shared ? "shared" : "private");
		out_json_bool(j, "split", f->split);
		threshold(j, f->copy_below);
		out_json_bool(j, "measured", f->measured);
		out_json_enter(j, "costs", true);
		for (unsigned int i = 0; i < f->n_costs; i++) {
			out_json_enter(j, NULL, false);
			out_json_u64(j, "bytes", f->costs[i].bytes);
			out_json_f64(j, "copy", f->costs[i].copy);
			out_json_f64(j, "attach", f->costs[i].attach);
			out_json_leave(j);
		}
		out_json_leave(j);
	}
	out_json_leave(j);
}
