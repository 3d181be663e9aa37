/* The engine gpu: a GPU reads packets where they were received, or copies of them: it adds up and
 * hashes each; batch by batch, while the lcore goes on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/engine.h"
#include "engines/gpu/gpu_batch.h"
#include "engines/gpu/gpu_config.h"
#include "engines/gpu/gpu_setup.h"
#include "engines/gpu/gpu_show.h"
#include "engines/gpu/gpu_state.h"
#include "engines/gpu/gpu_stats.h"

static const struct stat_row counters[] = {
	[GPU_RESULTS] = { .name = "results", .help = "packets that the GPU wrote a result of" },
	[GPU_SKIPPED] = { .name = "skipped",
		.help = "packets passed on unread: of several segments, too long, or not in the GPU's memory" },
	[GPU_UNREAD] = { .name = "unread",
		.help = "packets passed on without a result, as the GPU had failed" },
	[GPU_VERIFIED] = { .name = "verified",
		.help = "packets whose sum and hash the CPU makes the same" },
	[GPU_WRONG] = { .name = "wrong", .help = "packets whose sum or hash it makes otherwise" },
	[GPU_HELD_AT_STOP] = { .name = "held_at_stop",
		.drop = true,
		.help = "packets that were with the GPU when forwarding stopped; freed, not sent" },
};
static_assert(ARRAY_SIZE(counters) <= STREAM_NAMED_MAX, "counters of an engine");

/* clang-format off */
static const struct setting settings[] = {
	{ .name = "gpu-mode", .words = "gpu mode", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES([GPU_IN_PLACE] = "in-place", [GPU_COPY] = "copy"),
		.help = "gpu: packets are read where ports received them, or copied to the GPU first" },
	{ .name = "gpu-id", .words = "gpu id", .max = UINT16_MAX,
		.help = "gpu: number of the device; memory of extmem create has its own" },
	{ .name = "gpu-memory", .words = "gpu memory", .kind = SETTING_TEXT, .example = "app",
		.help = "gpu: memory of extmem create that ports receive into with mode in-place; none: the engine makes its own" },
	{ .name = "gpu-buffer", .words = "gpu buffer", .unit = "bytes", .max = UINT16_MAX,
		.help = "gpu: bytes of a buffer there, headroom included; 0: those of the usual pool" },
	{ .name = "gpu-batch", .words = "gpu batch", .unit = "packets", .min = 1, .max = GPU_BATCH_MAX, .value = 256,
		.help = "gpu: packets that one kernel reads" },
	{ .name = "gpu-flush", .words = "gpu flush", .unit = "us", .max = 1000000, .value = 100,
		.help = "gpu: time after which a batch that is not full goes to the GPU" },
	{ .name = "gpu-in-flight", .words = "gpu in-flight", .unit = "batches", .min = 2, .max = GPU_SLOTS_MAX, .value = 4,
		.help = "gpu: batches of a stream, filled or with the GPU; nothing is received while all are with it" },
	{ .name = "gpu-copy-bursts", .words = "gpu copy-bursts", .unit = "bursts", .max = UINT16_MAX, .value = 1,
		.help = "gpu: with mode copy, bursts that one copy to the GPU takes along; 0: those of a batch" },
	{ .name = "gpu-verify", .words = "gpu verify", .kind = SETTING_BOOL,
		.help = "gpu: compare every result, and the histogram of hashes at the end, with the CPU's" },
	{ .name = "gpu-timeout", .words = "gpu timeout", .unit = "ms", .min = 1, .max = 600000, .value = 2000,
		.help = "gpu: time after which a kernel counts as one that never ends" },
};
/* clang-format on */

/* Packets in the order of their arrival, once the GPU has read them. */
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
	if (out == 0 && n > 0) /* a busy poll that stream_poll() takes for an empty one */
		stream_end(s, begin);
	return out;
}

/* The lcore's calls are the device's while it runs. */
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
	.help = "let a GPU add up and hash packets where they were received, or copies of them, and forward them",
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
