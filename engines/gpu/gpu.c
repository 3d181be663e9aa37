/* The engine gpu: a GPU computes a checksum and a hash of each packet, in place or in a copy, batch
 * by batch, while the lcore goes on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/engine.h"
#include "engines/gpu/gpu_batch.h"
#include "engines/gpu/gpu_config.h"
#include "engines/gpu/gpu_setup.h"
#include "engines/gpu/gpu_show.h"
#include "engines/gpu/gpu_state.h"
#include "engines/gpu/gpu_stats.h"

static const struct stat_row counters[] = {
	[GPU_RESULTS] = { .name = "results", .help = "packets with a result from the GPU" },
	[GPU_SKIPPED] = { .name = "skipped",
		.help = "packets forwarded without a result: multi-segment, too long, or not in GPU memory" },
	[GPU_UNREAD] = { .name = "unread",
		.help = "packets forwarded without a result because the GPU had failed" },
	[GPU_VERIFIED] = { .name = "verified",
		.help = "packets whose checksum and hash match the CPU's" },
	[GPU_WRONG] = { .name = "wrong",
		.help = "packets whose checksum or hash differ from the CPU's" },
	[GPU_HELD_AT_STOP] = { .name = "held_at_stop",
		.drop = true,
		.help = "packets being processed by the GPU at stop, freed without being sent" },
};
static_assert(ARRAY_SIZE(counters) <= STREAM_NAMED_MAX, "counters of an engine");

/* clang-format off */
static const struct setting settings[] = {
	{ .name = "gpu-mode", .words = "gpu mode", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES([GPU_IN_PLACE] = "in-place", [GPU_COPY] = "copy"),
		.help = "gpu: in-place = the GPU reads packets where ports received them, copy = packets are copied to the GPU first" },
	{ .name = "gpu-id", .words = "gpu id", .max = UINT16_MAX,
		.help = "gpu: number of the device; ignored with gpu-memory, which has its own device" },
	{ .name = "gpu-memory", .words = "gpu memory", .kind = SETTING_TEXT, .example = "app",
		.help = "gpu: memory into which ports receive with mode in-place, from \"extmem create\" (empty: the engine creates it)" },
	{ .name = "gpu-buffer", .words = "gpu buffer", .unit = "bytes", .max = UINT16_MAX,
		.help = "gpu: bytes per buffer in this memory, including headroom; 0: as in the default pool" },
	{ .name = "gpu-batch", .words = "gpu batch", .unit = "packets", .min = 1, .max = GPU_BATCH_MAX, .value = 256,
		.help = "gpu: packets per batch, which is one kernel launch" },
	{ .name = "gpu-flush", .words = "gpu flush", .unit = "us", .max = 1000000, .value = 100,
		.help = "gpu: maximum wait before a partial batch is processed" },
	{ .name = "gpu-in-flight", .words = "gpu in-flight", .unit = "batches", .min = 2, .max = GPU_SLOTS_MAX, .value = 4,
		.help = "gpu: batches per stream; the stream does not receive while all of them are being processed" },
	{ .name = "gpu-copy-bursts", .words = "gpu copy-bursts", .unit = "bursts", .max = UINT16_MAX, .value = 1,
		.help = "gpu: with mode copy, bursts per copy to the GPU; 0: a whole batch per copy" },
	{ .name = "gpu-verify", .words = "gpu verify", .kind = SETTING_BOOL,
		.help = "gpu: verify every result, and the histogram of hashes at the end, with the CPU" },
	{ .name = "gpu-timeout", .words = "gpu timeout", .unit = "ms", .min = 1, .max = 600000, .value = 2000,
		.help = "gpu: time after which a kernel is considered hung" },
};
/* clang-format on */

/* Receive packets for the GPU, and return processed ones in the order of arrival. */
static uint16_t
gpu_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max)
{
	struct gpu *g = s->state;
	struct rte_mbuf *in[BURST_MAX];
	const uint64_t begin = stream_begin(s, 0);
	uint16_t room = gpu_batch_room(g), n, out;

	if (unlikely(g->failed && g->head == g->tail && g->slot[g->head % g->n_slots].n == 0)) {
		n = stream_rx(s, pkts, max);
		stream_count_named(s, GPU_UNREAD, n);
		return n;
	}
	n = room > 0 && !g->failed ? stream_rx(s, in, RTE_MIN(room, max)) : 0;
	if (n > 0)
		gpu_batch_add(s, in, n);
	else
		gpu_batch_flush(s, false);
	out = gpu_batch_take(s, pkts, max);
	if (out == 0 && n > 0) /* stream_poll() would count this poll as empty */
		stream_end(s, begin);
	return out;
}

/* Run the streams with the device's context entered on this lcore. */
static void
gpu_loop(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	struct gpu *first = streams[0]->state;
	uint64_t ended = 0;
	struct err e;
	const bool entered = cuda_device_enter(&first->device, &e) == 0;

	for (unsigned int i = 0; i < n && !entered; i++)
		gpu_batch_fail(streams[i]->state, &e);
	do {
		for (unsigned int i = 0; i < n; i++)
			ended = stream_poll(streams[i], ended, NULL, gpu_source, NULL, NULL);
	} while (!atomic_load_explicit(stop, memory_order_relaxed));
	if (entered)
		cuda_device_leave(&first->device);
}

static int
gpu_open(void *config, const struct engine_env *env, struct err *e)
{
	*(struct gpu_config *)config = (struct gpu_config){ env->settings, env->extmems, env->out };
	return 0;
}

const struct engine engine_gpu = {
	.name = "gpu",
	.help = "forward packets after a GPU has computed a checksum and a hash of each, in place or in a copy",
	.state_size = sizeof(struct gpu),
	.init = gpu_setup,
	.loop = gpu_loop,
	.fini = gpu_setup_end,
	.forget = gpu_setup_forget,
	.config_size = sizeof(struct gpu_config),
	.open = gpu_open,
	.prepare = gpu_setup_prepare,
	.show = gpu_show,
	.settings = settings,
	.n_settings = ARRAY_SIZE(settings),
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
	.groups = &gpu_stats_group,
	.n_groups = 1,
};
