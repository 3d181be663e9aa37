/* Measures the speeds of DMA engines and of the CPU for a placement, with a short calibration. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_speeds.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "base/text.h"
#include "features/dma/dma_cost.h"
#include "features/dma/dma_measure.h"

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_dmadev.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * A short calibration. The lengths: that of a mbuf, for the CPU and for jobs, and a long one, for the
 * engine's speed. 8 MiB are more than the L2 cache of an lcore holds; what a backend copies was
 * written by another core, so it is at best in a shared cache.
 */
enum { MBUF, LONG };
static const char *const shortened[][2] = { { "dma-lengths", "2048,8192" }, { "dma-samples", "5" },
	{ "dma-cold", "8" } };

/* The command waits for the measurements, so those of many engines end after this time. */
enum { ALL_MS = 500 };

/* Settings for dma_measure(), apart from the operator's; settings_free() them. NULL: e is filled. */
static struct settings *
settings_short(const struct rte_dma_info *info, struct err *e)
{
	struct settings *s = settings_new();
	char ring[16];
	int ret;

	if (s == NULL) {
		err_set(e, ENOMEM, "no memory for settings");
		return NULL;
	}
	ret = settings_add(s, &dma_measure_settings, e);
	for (size_t i = 0; ret == 0 && i < ARRAY_SIZE(shortened); i++)
		ret = setting_parse(s, shortened[i][0], shortened[i][1], e);
	snprintf(ring, sizeof(ring), "%u", RTE_MIN(1024u, (unsigned int)info->max_desc));
	if (ret == 0)
		ret = setting_parse(s, "dma-ring", ring, e);
	if (ret == 0)
		return s;
	settings_free(s);
	return NULL;
}

/* Store what was measured of an engine; of the CPU too, unless its speed is known. */
static void
store(struct dma_topology *t, struct dma_engine *engine, double hz, const struct dma_measured *m)
{
	const struct dma_point(*at)[DMA_MODES] = m->point[DMA_LOCAL][DMA_COLD];

	engine->speed = (uint32_t)RTE_MAX(at[LONG][DMA_ENGINE].gbit / 8 * 1000, 1.0);
	engine->job_ns = (uint32_t)RTE_MAX(at[MBUF][DMA_ENGINE].cycles / hz * 1e9 + 0.5, 1.0);
	engine->measured = true;
	if (t->cpu_speed != 0 || at[MBUF][DMA_MEMCPY].cycles <= 0)
		return;
	t->cpu_speed = (uint32_t)(m->bytes[MBUF] / at[MBUF][DMA_MEMCPY].cycles * hz / 1e6);
	t->cpu_measured = true;
}

static int
measure(struct dma_topology *t, struct dma_engine *engine, const struct rte_dma_info *info,
	double tsc_hz, struct out *out, struct interrupt *interrupt, struct err *e)
{
	struct settings *s = settings_short(info, e);
	struct dma_measured *m = calloc(1, sizeof(*m));
	const struct dma_measure_ask ask = { .settings = s,
		.dev = engine->name,
		.tsc_hz = tsc_hz,
		.modes = 1u << DMA_MEMCPY | 1u << DMA_ENGINE,
		.out = out,
		.interrupt = interrupt };
	int ret = -ENOMEM;

	if (m == NULL)
		err_set(e, ENOMEM, "no memory for the results");
	else if (s != NULL)
		ret = dma_measure(m, &ask, e);
	if (ret == 0)
		store(t, engine, tsc_hz, m);
	free(m);
	if (s != NULL)
		settings_free(s);
	return ret;
}

void
dma_speeds_measure(struct dma_topology *t, double tsc_hz, struct out *out,
	struct interrupt *interrupt)
{
	const uint64_t begin = rte_rdtsc();
	unsigned int left = 0;

	for (unsigned int i = 0; i < t->n_engines; i++) {
		struct dma_engine *engine = &t->engine[i];
		const int id = rte_dma_get_dev_id_by_name(engine->name);
		struct rte_dma_info info;
		struct err e;

		err_clear(&e);
		if (engine->speed != 0 || id < 0 || rte_dma_info_get((int16_t)id, &info) != 0)
			continue;
		if ((double)(rte_rdtsc() - begin) / tsc_hz * 1000 > ALL_MS)
			left++;
		else if (measure(t, engine, &info, tsc_hz, out, interrupt, &e) != 0)
			out_warn(out, "dma placement: the speed of %s is not measured: %s\n",
				engine->name, e.text);
	}
	if (left > 0)
		out_warn(out,
			"dma placement: the speeds of %u engines are not measured: this would take longer than %u ms; a file in dma-topology can have them\n",
			left, ALL_MS);
}

static const char *
source(bool known, bool measured)
{
	return !known ? "assumed" : measured ? "measured" : "from the file";
}

void
dma_speeds_say(const struct dma_topology *t, struct out *out)
{
	struct text line = { 0 };

	text_add(&line, "dma placement: copies by the CPU %.1f GB/s (%s)",
		dma_cost_cpu_speed(t) / 1e9, source(t->cpu_speed != 0, t->cpu_measured));
	for (unsigned int i = 0; i < t->n_engines; i++)
		text_add(&line, "; by %s %.1f GB/s (%s), %.0f ns of an lcore for each (%s)",
			t->engine[i].name, dma_cost_speed(&t->engine[i]) / 1e9,
			source(t->engine[i].speed != 0, t->engine[i].measured),
			dma_cost_job(t, (int)i) * 1e9,
			source(t->engine[i].job_ns != 0, t->engine[i].measured));
	out_say(out, "%s\n",
		line.cut ? "dma placement: no memory to print the speeds" : line.bytes);
	free(line.bytes);
}
