/* Time slices of copies on an idle lcore: submit batches and collect completions. Only these are
 * timed, not the waiting in between. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_measure.h"

#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/samples.h"
#include "base/text.h"
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"
#include "port/dma_devices.h"

#include <rte_cycles.h>
#include <rte_dmadev.h>
#include <rte_eal.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_memzone.h>
#include <rte_pause.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SLICE_US = 300,
	PROGRESS_MS = 20,
	WINDOW = 4, /* batches in flight */
	COLLECT_US =
		1, /* between two checks for completions: a forwarding lcore has ports to poll */
	GIVE_UP_US = 2000000, /* without a completion: the engine hangs */
	LOOK_US = 1000,       /* limit of one check; a longer one was preempted */
	SLOT_MORE = 2176,     /* minimum distance of two packets in bytes, as in mbufs */
	HOT_BYTES = 1 << 18,
};

enum { SOURCE, DESTINATION, AREAS };

const char *const dma_measure_wheres[] = { "local", "min-remote", "max-remote", "cpu-remote" };
const char *const dma_measure_warmths[] = { "hot", "cold" };
const char *const dma_measure_modes[] = { "memcpy", "cpu", "dma", "adaptive" };

static const uint32_t lengths_usual[] = { 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
	3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536 };

#define USUAL "usual"

/* Parse lengths in bytes, ascending: "64,1514", or "usual". */
static int
lengths_read(const char *text, uint32_t *list, unsigned int *n, struct err *e)
{
	const char *at = text;
	char *end;

	*n = 0;
	if (strcmp(text, USUAL) == 0) {
		memcpy(list, lengths_usual, sizeof(lengths_usual));
		*n = ARRAY_SIZE(lengths_usual);
		return 0;
	}
	for (;; at = end + 1) {
		unsigned long bytes = strtoul(at, &end, 10);

		if (at[0] < '0' || at[0] > '9' || (*end != ',' && *end != '\0'))
			return err_set(e, EINVAL,
				"dma-lengths \"%s\": expected lengths such as 64,1514,4096", text);
		if (bytes == 0 || bytes > DMA_COPY_MAX || (*n > 0 && bytes <= list[*n - 1]))
			return err_set(e, ERANGE,
				"dma-lengths \"%s\": expected 1..%u bytes, ascending", text,
				DMA_COPY_MAX);
		if (*n == DMA_LENGTHS)
			return err_set(e, E2BIG, "dma-lengths: expected at most %u lengths",
				DMA_LENGTHS);
		list[(*n)++] = (uint32_t)bytes;
		if (*end == '\0')
			return 0;
	}
}

static int
lengths_check(const char *text, struct err *e)
{
	uint32_t list[DMA_LENGTHS];
	unsigned int n;

	return lengths_read(text, list, &n, e);
}

static const char *const warmth_choices[] = { "hot", "cold", NULL };

static const struct setting setting_rows[] = {
	{ .name = "dma-lengths",
		.text = USUAL,
		.help = "packet lengths for dma calibrate and measure, ascending; usual: 64 to 65536 in powers of two and one step between them",
		.kind = SETTING_TEXT,
		.check = lengths_check,
		.example = "64,1514,4096",
		.when = SETTING_NOW },
	{ .name = "dma-segment",
		.unit = "bytes",
		.max = DMA_COPY_MAX,
		.when = SETTING_NOW,
		.help = "segment size for dma measure: longer packets are copied in segments, like chained mbufs (0: whole packets)" },
	{ .name = "dma-batch",
		.unit = "packets",
		.min = 1,
		.max = 256,
		.value = 32,
		.when = SETTING_NOW,
		.help = "packets per submit in dma calibrate and measure" },
	{ .name = "dma-ring",
		.unit = "descriptors",
		.min = 1,
		.max = 32768,
		.value = 1024,
		.when = SETTING_NOW,
		.help = "ring size of the engine in dma calibrate and measure" },
	{ .name = "dma-samples",
		.unit = "slices",
		.min = 1,
		.max = DMA_SAMPLES,
		.value = 15,
		.when = SETTING_NOW,
		.help = "number of time slices per mode and length in dma calibrate and measure; the result is their median" },
	{ .name = "dma-cold",
		.unit = "MiB",
		.min = 1,
		.max = 4096,
		.value = 32,
		.when = SETTING_NOW,
		.help = "size of the source and of the destination area for cold memory in dma calibrate and measure; choose more than the caches hold" },
	{ .name = "dma-delay",
		.unit = "ns",
		.max = 1000000,
		.when = SETTING_NOW,
		.help = "extra latency of the engine in dma calibrate and measure, to emulate a more distant one" },
	{ .name = "dma-memory",
		.kind = SETTING_CHOICE,
		.choices = warmth_choices,
		.value = DMA_COLD,
		.help = "memory for which dma calibrate sets thresholds: packets in the caches (hot) or not (cold)",
		.when = SETTING_NOW },
};
const struct setting_table dma_measure_settings = SETTING_TABLE("DMA engines", setting_rows);

/* Source or destination memory. */
struct area {
	const struct rte_memzone *zone;
	int node;
};

/* A running measurement. The lcore runs all slices of one place, then of the next one. */
struct job {
	struct dma_measured *m;
	const struct dma_measure_ask *ask;
	struct area area[AREAS];
	size_t area_bytes;
	uint32_t segment;
	unsigned int batch, ring, samples, modes;
	/* in TSC cycles; clock: the cost of reading the TSC twice */
	uint64_t delay, slice, give_up, look, collect, clock;
	enum dma_where where;
	size_t at[DMA_WARMTHS];    /* offset in the areas at which the next slice continues */
	struct dma_min_len before; /* thresholds to restore */
	/* [warmth][length][mode][sample] */
	struct dma_point *sample;
	atomic_uint done; /* finished slices of this place; written by the lcore */
	atomic_bool stop; /* written by the control thread */
	int failed;       /* -errno of the lcore */
};

/* One time slice. */
struct slice {
	enum dma_mode mode;
	uint32_t bytes, segment;
	size_t room, stride,
		at; /* in the areas: used bytes, distance of packets, offset of the next packet */
	unsigned int pieces; /* segments of a packet */
	uint64_t in_flight, packets, busy;
	struct {
		uint64_t when, pieces;
	} batch[WINDOW]; /* n submitted batches, starting with first */
	unsigned int first, n;
};

static struct dma_point *
sample_at(const struct job *j, unsigned int warmth, unsigned int length, unsigned int mode,
	unsigned int sample)
{
	return &j->sample[((warmth * DMA_LENGTHS + length) * DMA_MODES + mode) * DMA_SAMPLES +
		sample];
}

/* Copy one batch. -EIO: the device refused a copy. */
static int
copies(const struct job *j, struct slice *s)
{
	const struct rte_memzone *from = j->area[SOURCE].zone, *to = j->area[DESTINATION].zone;

	for (unsigned int i = 0; i < j->batch; i++) {
		for (uint32_t done = 0, n; done < s->bytes; done += n) {
			const size_t at = s->at + done;

			n = RTE_MIN(s->bytes - done, s->segment);
			if (s->mode == DMA_MEMCPY)
				memcpy((char *)to->addr + at, (const char *)from->addr + at, n);
			else if (rte_dma_copy(j->m->dev, 0, from->iova + at, to->iova + at, n, 0) <
				0)
				return -EIO;
		}
		s->at += s->stride;
		if (s->at + s->stride > s->room)
			s->at = 0;
	}
	return s->mode == DMA_MEMCPY ? 0 : rte_dma_submit(j->m->dev, 0);
}

static int
submit(const struct job *j, struct slice *s)
{
	const uint64_t begin = rte_rdtsc();
	const int ret = copies(j, s);
	const uint64_t end = rte_rdtsc();

	s->busy += end - begin - RTE_MIN(end - begin, j->clock);
	s->packets += j->batch;
	if (s->mode == DMA_MEMCPY)
		return ret;
	s->batch[(s->first + s->n) % WINDOW].when = end;
	s->batch[(s->first + s->n++) % WINDOW].pieces = (uint64_t)j->batch * s->pieces;
	s->in_flight += (uint64_t)j->batch * s->pieces;
	return ret;
}

/* Take completed copies out of their batches. */
static void
settle(struct slice *s, uint64_t done)
{
	s->in_flight -= done;
	while (done > 0) {
		const uint64_t n = RTE_MIN(done, s->batch[s->first].pieces);

		s->batch[s->first].pieces -= n;
		done -= n;
		if (s->batch[s->first].pieces == 0) {
			s->first = (s->first + 1) % WINDOW;
			s->n--;
		}
	}
}

/* Collect completions. A check that finds none counts as waiting, not as work. */
static int
collect(const struct job *j, struct slice *s)
{
	const uint64_t begin = rte_rdtsc();
	uint64_t may = 0, end;
	bool failed = false;
	uint16_t last, n;

	for (unsigned int i = 0; i < s->n; i++)
		if (begin - s->batch[(s->first + i) % WINDOW].when >= j->delay)
			may += s->batch[(s->first + i) % WINDOW].pieces;
	if (may == 0)
		return 0;
	n = rte_dma_completed(j->m->dev, 0, (uint16_t)may, &last, &failed);
	end = rte_rdtsc();
	if (n > 0)
		s->busy += end - begin - RTE_MIN(end - begin, j->clock);
	settle(s, n);
	return failed ? -EIO : 0;
}

static void
pass(uint64_t until)
{
	while (rte_rdtsc() < until)
		rte_pause();
}

/*
 * Collect all outstanding copies. -ETIMEDOUT: no completion for GIVE_UP_US. Time in which this
 * lcore was preempted does not count, because the engine may have been stopped as well.
 */
static int
drain(const struct job *j, struct slice *s)
{
	uint64_t begin, left, waited = 0;
	int ret = 0;

	while (ret == 0 && s->in_flight > 0 && waited < j->give_up) {
		begin = rte_rdtsc();
		left = s->in_flight;
		pass(begin + j->collect);
		ret = collect(j, s);
		waited = s->in_flight < left ? 0 : waited + RTE_MIN(rte_rdtsc() - begin, j->look);
	}
	return ret == 0 && s->in_flight > 0 ? -ETIMEDOUT : ret;
}

/* Submit until the slice is over, then collect the outstanding copies. */
static int
slice_run(const struct job *j, struct slice *s, uint64_t *wall)
{
	const uint64_t begin = rte_rdtsc(), most = (uint64_t)j->batch * s->pieces;
	uint64_t now = begin;
	int ret = 0;

	for (; ret == 0 && now - begin < j->slice; now = rte_rdtsc()) {
		if (s->n < WINDOW && s->in_flight + most < j->ring)
			ret = submit(j, s);
		else
			pass(now + j->collect);
		if (ret == 0 && s->n > 0)
			ret = collect(j, s);
	}
	/* Throughput includes the time until the last copy is done. */
	if (ret == 0 && s->in_flight > 0) {
		ret = drain(j, s);
		now = rte_rdtsc();
	}
	*wall = now - begin;
	return ret;
}

static void
thresholds(const struct job *j, enum dma_mode mode)
{
	struct dma_min_len want = j->before;

	if (mode == DMA_CPU)
		want.near = want.far = UINT32_MAX;
	else if (mode == DMA_ENGINE)
		want.near = want.far = 0;
	dma_adaptive_set_min_len(j->m->dev, 0, want);
}

static int
slice(struct job *j, unsigned int warmth, unsigned int length, unsigned int mode,
	struct dma_point *to)
{
	const uint32_t bytes = j->m->bytes[length], segment = j->segment > 0 ? j->segment : bytes;
	struct slice s = { .mode = (enum dma_mode)mode,
		.bytes = bytes,
		.segment = segment,
		.room = warmth == DMA_HOT ? RTE_MIN(j->area_bytes, (size_t)HOT_BYTES)
					  : j->area_bytes,
		.stride = RTE_ALIGN_CEIL(RTE_MAX(bytes, (uint32_t)SLOT_MORE), 64),
		.pieces = (bytes + segment - 1) / segment };
	uint64_t wall;
	int ret;

	/* Continue where the last slice ended, so that the caches hold data of all modes. */
	s.at = j->at[warmth] + s.stride > s.room ? 0 : j->at[warmth];
	thresholds(j, s.mode);
	ret = slice_run(j, &s, &wall);
	if (ret != 0)
		return ret;
	j->at[warmth] = s.at;
	to->cycles = (double)s.busy / (double)s.packets;
	to->gbit = 8e-9 * (double)s.packets * bytes * j->ask->tsc_hz / (double)wall;
	return 0;
}

/*
 * Run all slices of one place. In four samples each mode follows each other mode once, because the
 * preceding modes determine what the cores' caches hold. Thread: the lcore.
 */
static int
slices(void *job)
{
	static const uint8_t order[DMA_MODES][DMA_MODES] = {
		{ DMA_MEMCPY, DMA_CPU, DMA_ADAPTIVE, DMA_ENGINE },
		{ DMA_CPU, DMA_ENGINE, DMA_MEMCPY, DMA_ADAPTIVE },
		{ DMA_ENGINE, DMA_ADAPTIVE, DMA_CPU, DMA_MEMCPY },
		{ DMA_ADAPTIVE, DMA_MEMCPY, DMA_ENGINE, DMA_CPU },
	};
	struct job *j = job;

	for (unsigned int i = 0; i < j->samples; i++)
		for (unsigned int k = 0; k < DMA_WARMTHS * j->m->n * DMA_MODES; k++) {
			const unsigned int mode = order[i % DMA_MODES][k % DMA_MODES],
					   length = k / DMA_MODES % j->m->n,
					   warmth = k / DMA_MODES / j->m->n;

			if ((j->modes & 1u << mode) != 0)
				j->failed = slice(j, warmth, length, mode,
					sample_at(j, warmth, length, mode, i));
			if (j->failed != 0 || atomic_load_explicit(&j->stop, memory_order_relaxed))
				return 0;
			atomic_fetch_add_explicit(&j->done, 1, memory_order_relaxed);
		}
	return 0;
}

static void
medians(const struct job *j)
{
	double cycles[DMA_SAMPLES], gbit[DMA_SAMPLES];

	for (unsigned int k = 0; k < DMA_WARMTHS * j->m->n * DMA_MODES; k++) {
		const unsigned int mode = k % DMA_MODES, length = k / DMA_MODES % j->m->n,
				   warmth = k / DMA_MODES / j->m->n;

		if ((j->modes & 1u << mode) == 0)
			continue;
		for (unsigned int i = 0; i < j->samples; i++) {
			cycles[i] = sample_at(j, warmth, length, mode, i)->cycles;
			gbit[i] = sample_at(j, warmth, length, mode, i)->gbit;
		}
		j->m->point[j->where][warmth][length][mode] =
			(struct dma_point){ samples_rank(cycles, j->samples, 0).median,
				samples_rank(gbit, j->samples, 0).median };
	}
	j->m->there[j->where] = true;
}

static void
areas_free(struct job *j)
{
	for (unsigned int i = 0; i < AREAS; i++) {
		rte_memzone_free(j->area[i].zone);
		j->area[i].zone = NULL;
	}
}

/* Reserve memory on these nodes (-1: any) and touch every page. */
static int
areas_make(struct job *j, int from, int to, struct err *e)
{
	static const char *const names[] = { "zcfwd_dma_source", "zcfwd_dma_destination" };
	const unsigned int flags = rte_eal_iova_mode() == RTE_IOVA_PA ? RTE_MEMZONE_IOVA_CONTIG : 0;

	for (unsigned int i = 0; i < AREAS; i++) {
		const int node = i == SOURCE ? from : to;

		j->area[i].zone =
			rte_memzone_reserve_aligned(names[i], j->area_bytes, node, flags, 64);
		if (j->area[i].zone == NULL) {
			areas_free(j);
			return err_set(e, ENOMEM,
				"no memory for %zu MiB to copy on node %d: use a smaller dma-cold, or reserve more with EAL's -m",
				j->area_bytes >> 20, node);
		}
		memset(j->area[i].zone->addr, 0x5a + (int)i, j->area_bytes);
	}
	return 0;
}

static bool
is_idle(unsigned int lcore)
{
	return rte_eal_get_lcore_state(lcore) == WAIT;
}

/* An idle worker lcore on a node (-1: any); RTE_MAX_LCORE: none. */
static unsigned int
lcore_on(int node)
{
	unsigned int lcore;

	RTE_LCORE_FOREACH_WORKER(lcore) {
		if (is_idle(lcore) && (node < 0 || (int)rte_lcore_to_socket_id(lcore) == node))
			return lcore;
	}
	return RTE_MAX_LCORE;
}

/* Show the progress in percent on a terminal, if it has changed. */
static void
progress(const struct job *j, unsigned int *told)
{
	const unsigned int all = j->samples * DMA_WARMTHS * j->m->n * DMA_MODES,
			   now = atomic_load_explicit(&j->done, memory_order_relaxed) * 100 / all;

	if (now == *told || out_format(j->ask->out) != OUT_TEXT ||
		isatty(fileno(out_file(j->ask->out))) != 1)
		return;
	*told = now;
	out_prompt(j->ask->out, "\r%s: %s %3u %%%s", j->ask->dev, dma_measure_wheres[j->where], now,
		now == 100 ? "\r\033[K" : "");
}

/* Run the slices of one place on the lcore; show progress and watch for an interrupt. */
static int
place_run(struct job *j, unsigned int lcore, struct err *e)
{
	unsigned int told = UINT_MAX;
	bool interrupted = false;

	atomic_store(&j->done, 0);
	if (rte_eal_remote_launch(slices, j, lcore) != 0)
		return err_set(e, EBUSY, "lcore %u is busy", lcore);
	while (rte_eal_get_lcore_state(lcore) == RUNNING && !interrupted) {
		interrupted = interrupt_wait(j->ask->interrupt, -1, PROGRESS_MS);
		progress(j, &told);
	}
	atomic_store_explicit(&j->stop, true, memory_order_relaxed);
	rte_eal_wait_lcore(lcore);
	atomic_store_explicit(&j->stop, false, memory_order_relaxed);
	progress(j, &told);
	if (interrupted)
		return err_set(e, EINTR, "interrupted");
	if (j->failed != 0)
		return err_set(e, -j->failed, "%s: %s", j->ask->dev,
			j->failed == -ETIMEDOUT ? "copies timed out"
						: "copies were refused or failed");
	medians(j);
	return 0;
}

/* Another node, if asked one with an idle lcore; -1: none. */
static int
other_node(int node, bool with_lcore)
{
	for (unsigned int i = 0; i < rte_socket_count(); i++) {
		const int other = rte_socket_id_by_idx(i);

		if (other != node && (!with_lcore || lcore_on(other) < RTE_MAX_LCORE))
			return other;
	}
	return -1;
}

/* Measure one place, if this machine has it. */
static int
place(struct job *j, int node, struct err *e)
{
	const enum dma_where where = j->where;
	const int other = node < 0 ? -1 : other_node(node, where == DMA_CPU_REMOTE);
	const unsigned int lcore = lcore_on(where == DMA_CPU_REMOTE ? other : node);
	int ret;

	if (where != DMA_LOCAL && (other < 0 || lcore == RTE_MAX_LCORE))
		return 0;
	if (lcore == RTE_MAX_LCORE)
		return err_set(e, EBUSY, "no idle lcore on node %d: stop forwarding first", node);
	ret = areas_make(j, where == DMA_MAX_REMOTE ? other : node,
		where == DMA_MAX_REMOTE || where == DMA_MIN_REMOTE ? other : node, e);
	if (ret != 0)
		return ret;
	ret = place_run(j, lcore, e);
	areas_free(j);
	return ret;
}

/* Set up and start one vchan. */
static int
device_open(const struct job *j, const struct rte_dma_info *info, struct err *e)
{
	const struct rte_dma_conf conf = { .nb_vchans = 1 };
	const struct rte_dma_vchan_conf vchan = { .direction = RTE_DMA_DIR_MEM_TO_MEM,
		.nb_desc = (uint16_t)j->ring };
	int ret;

	if (j->ring < info->min_desc || j->ring > info->max_desc)
		return err_set(e, ERANGE, "dma-ring %u: %s supports %u..%u descriptors", j->ring,
			info->dev_name, info->min_desc, info->max_desc);
	ret = rte_dma_configure(j->m->dev, &conf);
	if (ret == 0)
		ret = rte_dma_vchan_setup(j->m->dev, 0, &vchan);
	if (ret == 0)
		ret = rte_dma_start(j->m->dev);
	return ret == 0
		? 0
		: err_set(e, -ret, "%s: %s%s", info->dev_name, strerror(-ret),
			  ret == -EBUSY
				  ? ": the device is running: calibrate before the port that uses it starts, or close that port"
				  : "");
}

static int
job_open(struct job *j, struct err *e)
{
	const struct settings *s = j->ask->settings;
	const uint64_t us = (uint64_t)(j->ask->tsc_hz / 1e6);
	uint64_t begin, least = UINT64_MAX;

	j->segment = (uint32_t)setting_u64(s, "dma-segment");
	j->batch = (unsigned int)setting_u64(s, "dma-batch");
	j->ring = (unsigned int)setting_u64(s, "dma-ring");
	j->samples = (unsigned int)setting_u64(s, "dma-samples");
	j->area_bytes = (size_t)setting_u64(s, "dma-cold") << 20;
	j->delay = setting_u64(s, "dma-delay") * us / 1000;
	j->slice = us * SLICE_US;
	j->give_up = us * GIVE_UP_US;
	j->look = us * LOOK_US;
	j->collect = us * COLLECT_US;
	for (unsigned int i = 0; i < 1000; i++) {
		begin = rte_rdtsc();
		least = RTE_MIN(least, rte_rdtsc() - begin);
	}
	j->clock = least;
	if (lengths_read(setting_text(s, "dma-lengths"), j->m->bytes, &j->m->n, e) != 0)
		return -e->code;
	for (unsigned int i = 0; i < j->m->n && j->segment > 0; i++)
		if ((j->m->bytes[i] / j->segment + 1) * j->batch >= j->ring)
			return err_set(e, ERANGE,
				"dma-ring %u: too small for %u packets of %u bytes in segments of %u",
				j->ring, j->batch, j->m->bytes[i], j->segment);
	if (j->batch >= j->ring)
		return err_set(e, ERANGE, "dma-ring %u: must be larger than dma-batch %u", j->ring,
			j->batch);
	j->sample = calloc((size_t)DMA_WARMTHS * DMA_LENGTHS * DMA_MODES * DMA_SAMPLES,
		sizeof(*j->sample));
	return j->sample != NULL ? 0 : err_set(e, ENOMEM, "no memory for samples");
}

int
dma_measure(struct dma_measured *m, const struct dma_measure_ask *ask, struct err *e)
{
	struct job j = { .m = m, .ask = ask, .modes = ask->modes };
	struct rte_dma_info info;
	int ret;

	memset(m, 0, sizeof(*m));
	m->dev = dma_devices_find(ask->dev, e);
	if (m->dev < 0)
		return m->dev;
	if (dma_devices_above(m->dev) >= 0)
		return err_set(e, EBUSY, "%s is used by %s: measure that device instead", ask->dev,
			dma_devices_name(dma_devices_above(m->dev)));
	m->adaptive = dma_adaptive_is(m->dev);
	if (m->adaptive)
		dma_adaptive_min_len(m->dev, 0, &j.before);
	else
		j.modes &= 1u << DMA_MEMCPY | 1u << DMA_ENGINE;
	rte_dma_info_get(m->dev, &info);
	ret = job_open(&j, e);
	if (ret == 0)
		ret = device_open(&j, &info, e);
	if (ret == 0) {
		for (unsigned int i = 0; i < DMA_WHERES && ret == 0; i++) {
			j.where = (enum dma_where)i;
			ret = place(&j, dma_devices_node(m->dev), e);
		}
		if (m->adaptive)
			dma_adaptive_set_min_len(m->dev, 0, j.before);
		rte_dma_stop(m->dev);
	}
	free(j.sample);
	return ret;
}
