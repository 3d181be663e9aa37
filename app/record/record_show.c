/* Show the state of a recording, active or ended. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record_show.h"

#include "base/out.h"
#include "record/record.h"
#include "record/record_state.h"

#include <errno.h>
#include <inttypes.h>

static void
file_show(struct out *o, const char *key, const struct record_file *f)
{
	out_nest(o, key, OUT_OBJECT);
	out_str(o, "file", "  %s: ", f->path);
	out_u64(o, "bytes", "%" PRIu64 " bytes", f->total);
	out_u64(o, "files", f->files == 1 ? " in %" PRIu64 " file\n" : " in %" PRIu64 " files\n",
		f->files);
	out_unnest(o);
}

/* Show the polls in the burst file, of previous runs and the current one. */
static void
bursts_show(struct out *o, const struct record *rec)
{
	uint64_t kept = rec->kept, lost = rec->lost;

	for (unsigned int i = 0; rec->now.on && i < rec->now.base->n_streams; i++) {
		kept += rec->bursts.kept[i].kept;
		lost += rec->bursts.kept[i].lost;
	}
	file_show(o, "bursts", &rec->bursts.file);
	out_u64(o, "kept_polls", "  polls kept: %" PRIu64, kept);
	out_u64(o, "lost_polls", ", lost because buffers were full: %" PRIu64 "\n", lost);
}

int
record_show(struct record *rec, struct out *o, struct err *e)
{
	bool failed;

	if (!rec->ever) {
		out_bool(o, "recording", NULL, false, "", "");
		out_say(o, "no recording yet\n");
		return 0;
	}
	pthread_mutex_lock(&rec->lock);
	failed = atomic_load(&rec->failed);
	out_bool(o, "recording", "Recording %s", rec->on && !failed, "is on", "is off");
	out_u64(o, "every_ms", ", a line every %" PRIu64 " ms", rec->plan.every_ms);
	out_u64(o, "bursts_every", rec->plan.bursts > 0 ? ", one of %" PRIu64 " polls kept" : NULL,
		rec->plan.bursts);
	out_text(o, "\n");
	file_show(o, "samples", &rec->file);
	out_u64(o, "runs", "  runs: %" PRIu64, rec->now.number);
	out_u64(o, "lines", ", lines: %" PRIu64, rec->lines);
	out_u64(o, "intervals", ", intervals: %" PRIu64, rec->intervals);
	out_u64(o, "skipped", ", late samples: %" PRIu64 "\n", rec->skipped);
	if (rec->plan.bursts > 0)
		bursts_show(o, rec);
	if (failed)
		out_str(o, "stopped", "  stopped: %s\n", rec->why.text);
	pthread_mutex_unlock(&rec->lock);
	return 0;
}
