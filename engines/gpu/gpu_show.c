/* `show gpu`: prints a stream's use of the GPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/gpu/gpu_show.h"

#include "base/out.h"
#include "engines/gpu/gpu_stats.h"

#include <rte_cycles.h>

#include <inttypes.h>

static double
microseconds(const struct gpu_stats *f, unsigned int permille)
{
	return (double)gpu_latency_quantile(&f->latency, permille) * 1e6 / (double)rte_get_tsc_hz();
}

static void
histogram_show(struct out *o, const struct gpu_stats *f)
{
	out_u64(o, "buckets", "  hashes in %" PRIu64 " buckets", f->buckets);
	out_u64(o, "bucket_count", " of %" PRIu64 ", ", GPU_BUCKETS);
	if (f->compared)
		out_u64(o, "buckets_wrong", "%" PRIu64 " differ from the CPU's counts\n",
			f->bucket_wrong);
	else
		out_text(o, "not compared with the CPU's counts\n");
}

void
gpu_show(struct out *o, const struct stream *s, bool running)
{
	const struct gpu_stats *f = s->kept;

	out_u64(o, "rx_port", "RX Port=%" PRIu64, s->rx_port);
	out_u64(o, "rx_queue", "/Queue=%" PRIu64, s->rx_queue);
	out_u64(o, "tx_port", " -> TX Port=%" PRIu64, s->tx_port);
	out_u64(o, "tx_queue", "/Queue=%" PRIu64 "\n", s->tx_queue);
	out_str(o, "device", "  GPU %s, ", f->device);
	out_str(o, "mode", "mode %s, ", f->mode);
	out_str(o, "memory", "received into %s\n", f->memory);
	out_u64(o, "batches", "  %" PRIu64 " batches ", counter_read(&f->batches));
	out_u64(o, "batch", "of up to %" PRIu64 " packets, ", f->batch);
	out_u64(o, "partial", "%" PRIu64 " partial, ", counter_read(&f->partial));
	out_u64(o, "copies", "%" PRIu64 " copies, ", counter_read(&f->copies));
	out_u64(o, "bytes", "%" PRIu64 " bytes\n", counter_read(&f->bytes));
	out_f64(o, "p50_us", "  from receive to result: p50 %.1f us, ", microseconds(f, 500));
	out_f64(o, "p99_us", "p99 %.1f us\n", microseconds(f, 990));
	if (!running)
		histogram_show(o, f);
	if (atomic_load_explicit(&f->failed, memory_order_acquire))
		out_str(o, "failure", "  failed: %s\n", f->failure);
}
