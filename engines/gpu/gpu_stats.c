/* Statistics rows of the engine gpu, and the histogram of its latencies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/gpu/gpu_stats.h"

#include "base/stat.h"

#include <rte_cycles.h>

/* Histogram of latencies from Rx to result: bounds of cells, quantiles. */

uint64_t
gpu_latency_least(unsigned int cell)
{
	return cell < 16 ? cell : (UINT64_C(16) + cell % 16) << (cell / 16 - 1);
}

uint64_t
gpu_latency_quantile(const struct gpu_latency *l, double share)
{
	uint64_t all = 0, sum = 0, want;

	for (unsigned int i = 0; i < GPU_LATENCY_CELLS; i++)
		all += counter_read(&l->cell[i]);
	want = stat_share(all, share);
	for (unsigned int i = 0; i < GPU_LATENCY_CELLS && all > 0; i++) {
		sum += counter_read(&l->cell[i]);
		if (sum >= want && sum > 0)
			return gpu_latency_least(i + 1) - 1;
	}
	return 0;
}

struct use {
	uint64_t batches, partial, copies, bytes, p50, p99;
};

#define ROW(member, is) .name = #member, .kind = is, .at = offsetof(struct use, member)

static const struct stat_row use_rows[] = {
	{ ROW(batches, STAT_COUNTER), .unit = "kernels",
		.help = "kernels launched, one per batch" },
	{ ROW(partial, STAT_COUNTER), .unit = "kernels",
		.help = "kernels launched for a partial batch because of gpu-flush" },
	{ ROW(copies, STAT_COUNTER), .unit = "copies", .help = "copies to the GPU" },
	{ ROW(bytes, STAT_COUNTER), .unit = "bytes", .help = "packet bytes processed by kernels" },
	{ ROW(p50, STAT_GAUGE), .unit = "ns", .help = "median latency from Rx to result" },
	{ ROW(p99, STAT_GAUGE), .unit = "ns",
		.help = "99th percentile of the latency from Rx to result" },
};
static const struct stat_table use_stats = { "gpu", use_rows, ARRAY_SIZE(use_rows), false };

static uint64_t
nanoseconds(const struct stream *s, double share)
{
	const struct gpu_stats *f = s->kept;
	const uint64_t cycles = gpu_latency_quantile(&f->latency, share);

	return cycles == 0 ? STAT_NONE : (uint64_t)((double)cycles * 1e9 / s->tsc_hz);
}

static bool
use_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	const struct gpu_stats *f = s->kept;

	(void)i;
	*(struct use *)to = (struct use){
		.batches = counter_read(&f->batches),
		.partial = counter_read(&f->partial),
		.copies = counter_read(&f->copies),
		.bytes = counter_read(&f->bytes),
		.p50 = nanoseconds(s, 0.5),
		.p99 = nanoseconds(s, 0.99),
	};
	return true;
}

static void
use_words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	const struct gpu_stats *f = s->kept;

	(void)i;
	sink->text(sink->to, "device", f->device);
	sink->text(sink->to, "mode", f->mode);
	sink->text(sink->to, "memory", f->memory);
	sink->number(sink->to, "batch", f->batch);
}

const struct engine_group gpu_stats_group = {
	.stats = &use_stats,
	.size = sizeof(struct use),
	.read = use_read,
	.words = use_words,
};
