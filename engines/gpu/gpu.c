/* The engine gpu: a GPU computes a checksum and a hash of each packet, in place or in a copy, batch
 * by batch, while the lcore goes on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "args.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "engines/common/pinned.h"
#include "engines/engine.h"
#include "engines/gpu/gpu_priv.h"
#include "engines/gpu/gpu_stats.h"
#include "memory/extmem.h"
#include "memory/extmem_gpu.h"

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* `show gpu`: prints a stream's use of the GPU. */

static double
microseconds(const struct stream *s, double share)
{
	const struct gpu_stats *f = s->kept;

	return (double)gpu_latency_quantile(&f->latency, share) * 1e6 / s->tsc_hz;
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

/* show() of struct engine: device, batches, latency, histogram, failure. */
static void
gpu_show(struct out *o, const struct stream *s, bool running)
{
	const struct gpu_stats *f = s->kept;

	stream_ends_show(o, s);
	out_text(o, "\n");
	out_str(o, "device", "  GPU %s, ", f->device);
	out_str(o, "mode", "mode %s, ", f->mode);
	out_str(o, "memory", "received into %s\n", f->memory);
	out_u64(o, "batches", "  %" PRIu64 " batches ", counter_read(&f->batches));
	out_u64(o, "batch", "of up to %" PRIu64 " packets, ", f->batch);
	out_u64(o, "partial", "%" PRIu64 " partial, ", counter_read(&f->partial));
	out_u64(o, "copies", "%" PRIu64 " copies, ", counter_read(&f->copies));
	out_u64(o, "bytes", "%" PRIu64 " bytes\n", counter_read(&f->bytes));
	out_f64(o, "p50_us", "  from receive to result: p50 %.1f us, ", microseconds(s, 0.5));
	out_f64(o, "p99_us", "p99 %.1f us\n", microseconds(s, 0.99));
	if (!running)
		histogram_show(o, f);
	if (atomic_load_explicit(&f->failed, memory_order_acquire))
		out_str(o, "failure", "  failed: %s\n", f->failure);
}

/* Initialises and ends a stream of the engine gpu: the device, its kernel, memory for batches. */

#define OWN_NAME "gpu.1" /* region that is created if no memory is set */
#define LINE 64u         /* alignment, so that CPU and GPU do not write to the same cache line */
#define MS_LOOK 1        /* interval for checking a kernel that takes long */

/* prepare(), init(), fini() and forget() of struct engine. */
static int
gpu_setup_prepare(const void *config, const struct engine_ports *ports, struct rte_mempool **pool,
	struct err *e)
{
	const struct gpu_config *c = config;
	const struct pinned_ask ask = { c->settings, c->extmems, "gpu-memory", "gpu-buffer",
		OWN_NAME, EXTMEM_GPU, (unsigned int)setting_u64(c->settings, "gpu-id") };
	struct extmem *m;

	*pool = NULL;
	if (setting_u64(c->settings, "gpu-mode") != GPU_IN_PLACE)
		return 0;
	m = pinned_prepare(&ask, ports, e);
	if (m == NULL)
		return -e->code;
	*pool = m->pinned;
	return 0;
}

static uint64_t
cycles(const struct stream *s, const char *setting, uint64_t per_second)
{
	return setting_u64(s->settings, setting) * (uint64_t)s->tsc_hz / per_second;
}

static void
settings_read(const struct stream *s, struct gpu *g)
{
	g->mode = (enum gpu_mode)setting_u64(s->settings, "gpu-mode");
	g->verify = setting_on(s->settings, "gpu-verify");
	g->batch = (unsigned int)setting_u64(s->settings, "gpu-batch");
	g->n_slots = (unsigned int)setting_u64(s->settings, "gpu-in-flight");
	g->copy_bursts = (unsigned int)setting_u64(s->settings, "gpu-copy-bursts");
	g->flush_tsc = cycles(s, "gpu-flush", 1000000);
	g->timeout_tsc = cycles(s, "gpu-timeout", 1000);
	g->look_tsc = MS_LOOK * (uint64_t)s->tsc_hz / 1000;
}

/* Find the GPU memory into which the stream's port receives. */
static int
memory_find(const struct stream *s, struct gpu *g, struct err *e)
{
	const struct gpu_config *c = s->config;
	struct extmem *m = c->extmems->first;

	while (m != NULL && (m->pinned == NULL || m->pinned != s->rx_pool))
		m = m->next;
	if (m == NULL || m->gpu == NULL)
		return err_set(e, EINVAL,
			"port %u receives into pool %s, which is not in GPU memory; use memory of \"extmem create ... type gpu\", or gpu-mode copy",
			s->rx_port, s->rx_pool->name);
	if (m->gpu_stuck)
		return err_set(e, EBUSY, "memory %s: a kernel on its GPU is hung", m->name);
	g->extmem = m;
	g->from = m->addr;
	g->from_bytes = m->bytes;
	g->from_at = extmem_gpu_address(m->gpu);
	return 0;
}

/* Load the kernel, which the driver compiles for this device. */
static int
kernel_load(struct gpu *g, struct err *e)
{
	const struct cuda *c = &g->device.cuda;
	char log[256] = "";
	int options[] = { CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES };
	void *values[] = { log, (void *)(uintptr_t)sizeof(log) };
	int ret = c->module_load(&g->module, gpu_kernel_ptx, ARRAY_SIZE(options), options, values);

	if (ret != CUDA_OK) {
		g->module = NULL;
		cuda_fail(c, "cuModuleLoadDataEx", ret, e);
		log[strcspn(log, "\n")] = '\0';
		return log[0] != '\0' ? err_context(e, "%s", log) : -e->code;
	}
	ret = c->module_function(&g->kernel, g->module, GPU_KERNEL);
	if (ret != CUDA_OK)
		return cuda_fail(c, "cuModuleGetFunction", ret, e);
	ret = c->stream_create(&g->stream, CUDA_STREAM_NON_BLOCKING);
	if (ret != CUDA_OK) {
		g->stream = NULL;
		return cuda_fail(c, "cuStreamCreate", ret, e);
	}
	return 0;
}

/* Allocate host memory that the device can access. */
static int
host_alloc(struct gpu *g, size_t bytes, void **at, cuda_address *device, struct err *e)
{
	const struct cuda *c = &g->device.cuda;
	int ret = c->host_alloc(at, bytes, CUDA_HOST_PORTABLE | CUDA_HOST_DEVICEMAP);

	if (ret != CUDA_OK) {
		*at = NULL;
		cuda_fail(c, "cuMemHostAlloc", ret, e);
		return err_context(e, "gpu-batch %u, gpu-in-flight %u: %zu bytes", g->batch,
			g->n_slots, bytes);
	}
	memset(*at, 0, bytes);
	ret = c->host_address(device, *at, 0);
	return ret == CUDA_OK ? 0 : cuda_fail(c, "cuMemHostGetDevicePointer", ret, e);
}

/* Allocate the memory shared by CPU and kernel for all slots, in one piece. */
static int
slots_alloc(struct gpu *g, struct err *e)
{
	const size_t packets = RTE_ALIGN_CEIL(g->batch * sizeof(struct gpu_packet), LINE),
		     results = RTE_ALIGN_CEIL(g->batch * sizeof(struct gpu_result), LINE),
		     one = packets + results + LINE;
	cuda_address at;
	int ret = host_alloc(g, one * g->n_slots, &g->host, &at, e);

	for (unsigned int i = 0; i < g->n_slots && ret == 0; i++, at += one) {
		uint8_t *host = (uint8_t *)g->host + i * one;
		struct gpu_slot *b = &g->slot[i];

		b->packets = (struct gpu_packet *)host;
		b->results = (struct gpu_result *)(host + packets);
		b->done = (uint32_t *)(host + packets + results);
		b->packets_at = at;
		b->results_at = at + packets;
		b->done_at = at + packets + results;
		b->pkts = rte_zmalloc("gpu packets", g->batch * sizeof(*b->pkts), LINE);
		b->rx_tsc = rte_zmalloc("gpu times", g->batch * sizeof(*b->rx_tsc), LINE);
		if (b->pkts == NULL || b->rx_tsc == NULL)
			ret = err_set(e, ENOMEM, "gpu-batch %u: no memory", g->batch);
	}
	return ret;
}

/* Allocate device memory: the histogram, the counter of blocks, and space for copies. */
static int
device_alloc(struct gpu *g, size_t copies, struct err *e)
{
	const struct cuda *c = &g->device.cuda;
	const size_t fixed = GPU_BUCKETS * sizeof(uint64_t) + LINE;
	int ret = c->alloc(&g->memory, fixed + copies * g->n_slots);

	if (ret != CUDA_OK) {
		g->memory = 0;
		cuda_fail(c, "cuMemAlloc", ret, e);
		return err_context(e, "gpu-batch %u, gpu-in-flight %u: %zu bytes", g->batch,
			g->n_slots, fixed + copies * g->n_slots);
	}
	g->histogram_at = g->memory;
	g->blocks_at = g->memory + fixed - LINE;
	g->copies_at = g->memory + fixed;
	ret = c->fill(g->memory, 0, fixed);
	return ret == CUDA_OK ? 0 : cuda_fail(c, "cuMemsetD8", ret, e);
}

/*
 * Mode copy: allocate space for batches of the pool's longest packets, on the host and the device.
 */
static int
copies_alloc(const struct stream *s, struct gpu *g, struct err *e)
{
	const size_t room = rte_pktmbuf_data_room_size(s->rx_pool) - RTE_PKTMBUF_HEADROOM,
		     one = RTE_ALIGN_CEIL(room, LINE) * g->batch;
	void *staging = NULL;
	cuda_address unused;
	int ret = host_alloc(g, one * g->n_slots, &staging, &unused, e);

	g->staging = staging;
	g->from_bytes = room;
	if (ret == 0)
		ret = device_alloc(g, one, e);
	for (unsigned int i = 0; i < g->n_slots && ret == 0; i++) {
		g->slot[i].staging = g->staging + i * one;
		g->slot[i].copies_at = g->copies_at + i * one;
	}
	return ret;
}

/* Create all parts, in a thread that has entered the device's context. */
static int
parts_make(const struct stream *s, struct gpu *g, struct err *e)
{
	int ret = kernel_load(g, e);

	if (ret == 0)
		ret = slots_alloc(g, e);
	if (ret == 0)
		ret = g->mode == GPU_COPY ? copies_alloc(s, g, e) : device_alloc(g, 0, e);
	if (ret == 0 && g->verify) {
		g->histogram =
			rte_zmalloc("gpu histogram", GPU_BUCKETS * sizeof(*g->histogram), LINE);
		if (g->histogram == NULL)
			ret = err_set(e, ENOMEM, "gpu-verify: no memory");
	}
	return ret == 0 ? gpu_batch_try(g, e) : ret;
}

static void
stats_keep(const struct stream *s, const struct gpu *g)
{
	struct gpu_stats *f = g->stats;

	f->mode = setting_choice(s->settings, "gpu-mode", g->mode);
	snprintf(f->device, sizeof(f->device), "%s", g->device.name);
	snprintf(f->memory, sizeof(f->memory), "%s",
		g->extmem != NULL ? g->extmem->name : s->rx_pool->name);
	f->batch = g->batch;
	f->verifies = g->verify;
}

static int
gpu_setup(struct stream *s, struct err *e)
{
	struct gpu *g = s->state;
	unsigned int id = (unsigned int)setting_u64(s->settings, "gpu-id");
	int ret = 0;

	settings_read(s, g);
	g->stats = s->kept = rte_zmalloc("gpu stats", sizeof(*g->stats), 0);
	if (g->stats == NULL)
		return err_set(e, ENOMEM, "gpu: no memory for stream %u", s->index);
	if (g->mode == GPU_IN_PLACE)
		ret = memory_find(s, g, e);
	if (ret == 0 && g->extmem != NULL)
		id = extmem_gpu_id(g->extmem->gpu);
	if (ret == 0)
		ret = cuda_device_open(&g->device, id, e);
	if (ret == 0)
		ret = cuda_device_enter(&g->device, e);
	if (ret != 0)
		return ret;
	ret = parts_make(s, g, e);
	cuda_device_leave(&g->device);
	if (ret != 0)
		return ret;
	stats_keep(s, g);
	g->ready = true;
	return 0;
}

/* Wait for the results of all received packets, up to the timeout, and free the packets. */
static void
packets_finish(struct stream *s, struct gpu *g)
{
	struct rte_mbuf *pkts[BURST_MAX];

	gpu_batch_flush(s, true);
	while (g->tail != g->head) {
		const uint16_t n = gpu_batch_take(s, pkts, BURST_MAX);

		if (n == 0)
			rte_pause();
		stream_absorb(s, pkts, n);
		stream_count_named(s, GPU_HELD_AT_STOP, n);
	}
}

/* Read the device's histogram, and with verify compare it with the CPU's. */
static void
histogram_read(struct gpu *g)
{
	uint64_t counts[GPU_BUCKETS];
	struct err e;
	int ret;

	if (g->failed || g->number == 0)
		return;
	ret = g->device.cuda.copy_out(counts, g->histogram_at, sizeof(counts));
	if (ret != CUDA_OK) {
		cuda_fail(&g->device.cuda, "cuMemcpyDtoH", ret, &e);
		gpu_batch_fail(g, &e);
		return;
	}
	for (unsigned int i = 0; i < GPU_BUCKETS; i++) {
		g->stats->buckets += counts[i] != 0;
		g->stats->bucket_wrong += g->verify && counts[i] != g->histogram[i];
	}
	g->stats->compared = g->verify;
}

/* Free the device's objects. With a hung kernel this would block, so then they are leaked. */
static void
device_free(struct gpu *g)
{
	const struct cuda *c = &g->device.cuda;

	if (g->stuck) {
		if (g->extmem != NULL)
			g->extmem->gpu_stuck = true;
		return;
	}
	if (g->stream != NULL)
		c->stream_destroy(g->stream);
	if (g->memory != 0)
		c->free(g->memory);
	if (g->staging != NULL)
		c->host_free(g->staging);
	if (g->host != NULL)
		c->host_free(g->host);
	if (g->module != NULL)
		c->module_unload(g->module);
}

static void
gpu_setup_end(struct stream *s)
{
	struct gpu *g = s->state;
	struct err e;
	bool entered;

	if (g->device.cuda.library == NULL)
		return;
	entered = cuda_device_enter(&g->device, &e) == 0;
	if (!entered)
		gpu_batch_fail(g, &e);
	if (g->ready) {
		packets_finish(s, g);
		histogram_read(g);
	}
	if (entered) {
		device_free(g);
		cuda_device_leave(&g->device);
	}
	if (g->failed)
		out_warn(((const struct gpu_config *)s->config)->out,
			"GPU %s stopped giving results to stream %u: %s\n", g->stats->device,
			s->index, g->stats->failure);
	for (unsigned int i = 0; i < g->n_slots; i++) {
		rte_free(g->slot[i].pkts);
		rte_free(g->slot[i].rx_tsc);
	}
	rte_free(g->histogram);
	if (!g->stuck)
		cuda_device_close(&g->device);
	memset(g, 0, sizeof(*g));
}

static void
gpu_setup_forget(struct stream *s)
{
	rte_free(s->kept);
}

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
		.part = STAT_DROPPED,
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

extern const struct engine engine_gpu;

static const struct cmd_row command_rows[] = {
	{ "show gpu", arg_on_engine,
		"show device, batches and latency of each stream of engine gpu", NULL,
		ARG_ON_ENGINE(&engine_gpu, NULL), .shows = true },
};
static const struct cmd_table commands = { "gpu", "packets on a GPU", command_rows,
	ARRAY_SIZE(command_rows), CMD_ENGINES };

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
	.settings = SETTING_TABLE("Engines", settings),
	.commands = &commands,
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
	.groups = &gpu_stats_group,
	.n_groups = 1,
};
