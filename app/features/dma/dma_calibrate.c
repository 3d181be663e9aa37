/* Calibration of DMA engines (the lengths from which they are cheaper than the CPU, near and far), and the commands of DMA engines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_calibrate.h"

#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "base/text.h"
#include "cmdline/grammar/grammar.h"
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"
#include "port/dma_devices.h"

#include <rte_common.h>
#include <rte_dmadev.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint32_t
dma_calibrate_min_len(const uint32_t *bytes, const double *cpu, const double *dma, unsigned int n)
{
	unsigned int from = n;

	while (from > 0 && dma[from - 1] < cpu[from - 1])
		from--;
	if (from == n)
		return UINT32_MAX;
	return from == 0 ? 0 : bytes[from];
}

static uint32_t
min_len(const struct dma_measured *m, enum dma_where where, enum dma_warmth warmth)
{
	const enum dma_mode own = m->adaptive ? DMA_CPU : DMA_MEMCPY;
	double cpu[DMA_LENGTHS], dma[DMA_LENGTHS];

	for (unsigned int i = 0; i < m->n; i++) {
		cpu[i] = m->point[where][warmth][i][own].cycles;
		dma[i] = m->point[where][warmth][i][DMA_ENGINE].cycles;
	}
	return dma_calibrate_min_len(m->bytes, cpu, dma, m->n);
}

/* The far threshold: that of the worst remote place. False: this machine has only one node. */
static bool
min_len_far(const struct dma_measured *m, enum dma_warmth warmth, uint32_t *bytes)
{
	bool there = false;

	*bytes = 0;
	for (unsigned int where = DMA_LOCAL + 1; where < DMA_WHERES; where++) {
		if (!m->there[where])
			continue;
		there = true;
		*bytes = RTE_MAX(*bytes, min_len(m, (enum dma_where)where, warmth));
	}
	return there;
}

static bool
has_mode(const struct dma_measured *m, unsigned int mode)
{
	return m->point[DMA_LOCAL][DMA_COLD][0][mode].cycles > 0;
}

static void
table(struct out *o, const struct dma_measured *m, unsigned int where, unsigned int warmth)
{
	out_text(o, "%s, %s memory: cycles per packet, then Gbit/s\n  bytes",
		dma_measure_wheres[where], dma_measure_warmths[warmth]);
	for (unsigned int k = 0; k < 2 * DMA_MODES; k++)
		if (has_mode(m, k % DMA_MODES))
			out_text(o, " %9s", dma_measure_modes[k % DMA_MODES]);
	out_text(o, "\n");
	for (unsigned int i = 0; i < m->n; i++) {
		out_text(o, "%7u", m->bytes[i]);
		for (unsigned int k = 0; k < 2 * DMA_MODES; k++) {
			const struct dma_point *p = &m->point[where][warmth][i][k % DMA_MODES];

			if (has_mode(m, k % DMA_MODES))
				out_text(o, " %9.1f", k < DMA_MODES ? p->cycles : p->gbit);
		}
		out_text(o, "\n");
	}
}

static void
point_json(struct out *o, const struct dma_measured *m, unsigned int where, unsigned int warmth,
	unsigned int length, unsigned int mode)
{
	const struct dma_point *p = &m->point[where][warmth][length][mode];

	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "where", NULL, dma_measure_wheres[where]);
	out_str(o, "memory", NULL, dma_measure_warmths[warmth]);
	out_u64(o, "bytes", NULL, m->bytes[length]);
	out_str(o, "mode", NULL, dma_measure_modes[mode]);
	out_f64(o, "cycles", NULL, p->cycles);
	out_f64(o, "gbit", NULL, p->gbit);
	out_unnest(o);
}

static void
point_csv(struct text *csv, const struct dma_measured *m, unsigned int where, unsigned int warmth,
	unsigned int length, unsigned int mode)
{
	const struct dma_point *p = &m->point[where][warmth][length][mode];

	text_add(csv, "%s,%s,%u,%s,%.1f,%.2f\n", dma_measure_wheres[where],
		dma_measure_warmths[warmth], m->bytes[length], dma_measure_modes[mode], p->cycles,
		p->gbit);
}

static void
points(struct out *o, struct text *csv, const struct dma_measured *m)
{
	text_add(csv, "where,memory,bytes,mode,cycles_per_packet,gbit_per_s\n");
	out_nest(o, "points", OUT_ARRAY);
	for (unsigned int k = 0; k < DMA_WHERES * DMA_WARMTHS * m->n * DMA_MODES; k++) {
		const unsigned int mode = k % DMA_MODES, length = k / DMA_MODES % m->n,
				   warmth = k / DMA_MODES / m->n % DMA_WARMTHS,
				   where = k / DMA_MODES / m->n / DMA_WARMTHS;

		if (!m->there[where] || !has_mode(m, mode))
			continue;
		if (mode == DMA_MEMCPY && length == 0)
			table(o, m, where, warmth);
		point_json(o, m, where, warmth, length, mode);
		point_csv(csv, m, where, warmth, length, mode);
	}
	out_unnest(o);
}

static int
csv_write(const struct text *csv, int fd, const char *path, struct err *e)
{
	const int error = csv->cut ? ENOMEM : plain_file_put(fd, csv->bytes, csv->n);

	return error == 0 ? 0 : err_set(e, error, "%s: %s", path, strerror(error));
}

static void
min_len_show(struct out *o, const char *key, const uint32_t bytes[DMA_WARMTHS],
	enum dma_warmth used)
{
	out_u64(o, key, NULL, bytes[used]);
	out_text(o, "%s:", key);
	for (unsigned int warmth = 0; warmth < DMA_WARMTHS; warmth++) {
		out_text(o, "%s in %s memory ", warmth > 0 ? "," : " the engine is cheaper",
			dma_measure_warmths[warmth]);
		if (bytes[warmth] == UINT32_MAX)
			out_text(o, "nowhere");
		else
			out_text(o, "from %u bytes on", bytes[warmth]);
	}
	out_text(o, "\n");
}

static int
apply(const struct dma_measured *m, uint32_t near, const uint32_t *far)
{
	struct rte_dma_info info;
	struct dma_min_len want;
	int ret = 0;

	rte_dma_info_get(m->dev, &info);
	for (uint16_t vchan = 0; vchan < info.max_vchans && ret == 0; vchan++) {
		ret = dma_adaptive_min_len(m->dev, vchan, &want);
		want.near = near;
		if (far != NULL)
			want.far = *far;
		if (ret == 0)
			ret = dma_adaptive_set_min_len(m->dev, vchan, want);
	}
	return ret;
}

/* What `dma measure` and `dma calibrate` do. */
struct ask {
	const struct settings *settings;
	const char *dev;
	const char *csv; /* file for all results; NULL: none */
	bool measure;    /* compare all modes with the current thresholds; else find thresholds */
	bool apply;      /* set the found thresholds */
	struct out *out;
	struct interrupt *interrupt;
};

/* Compute and show the thresholds; set them if asked. */
static int
decide(const struct ask *ask, const struct dma_measured *m, struct err *e)
{
	const enum dma_warmth used = (enum dma_warmth)setting_u64(ask->settings, "dma-memory");
	uint32_t near[DMA_WARMTHS], far[DMA_WARMTHS];
	bool two = false;
	int ret = 0;

	for (unsigned int warmth = 0; warmth < DMA_WARMTHS; warmth++) {
		near[warmth] = min_len(m, DMA_LOCAL, (enum dma_warmth)warmth);
		two = min_len_far(m, (enum dma_warmth)warmth, &far[warmth]);
	}
	out_nest(ask->out, "min_len", OUT_OBJECT);
	min_len_show(ask->out, "near", near, used);
	if (two)
		min_len_show(ask->out, "far", far, used);
	out_unnest(ask->out);
	if (!two)
		out_say(ask->out,
			"far: not measured because all lcores and memory are on one node\n");
	if (ask->apply)
		ret = apply(m, near[used], two ? &far[used] : NULL);
	if (ask->apply && ret == 0)
		out_say(ask->out, "%s: set thresholds for %s memory\n", ask->dev,
			dma_measure_warmths[used]);
	return ret == 0 ? 0 : err_set(e, -ret, "%s: %s", ask->dev, strerror(-ret));
}

static int
show(const struct ask *ask, const struct dma_measured *m, int fd, struct err *e)
{
	struct text csv = { 0 };
	int ret = 0;

	out_str(ask->out, "device", NULL, ask->dev);
	points(ask->out, &csv, m);
	if (!ask->measure)
		ret = decide(ask, m, e);
	if (ret == 0 && fd >= 0)
		ret = csv_write(&csv, fd, ask->csv, e);
	free(csv.bytes);
	return ret;
}

/* Commands for DMA engines: show, measure, calibrate, recommend a placement of queues. */

/*
 * Measure, show a table, and find the near and far thresholds for the setting dma-memory; the row's
 * data has the choices. JSON: {"device", "min_len": {"near", "far"}, "points": [{"where", "memory",
 * "bytes", "mode", "cycles", "gbit"}]}. Errors: those of dma_measure() and of the file; EINVAL apply
 * on a device without thresholds. Thread: control.
 */
static int
calibrate(struct app *app, const struct args *a, struct err *e)
{
	const struct ask *row = a->data;
	const struct ask ask = {
		.settings = app->settings,
		.dev = arg_str(a, "dev", ""),
		.csv = arg_str(a, "file", NULL),
		.measure = row->measure,
		.apply = row->apply,
		.out = app->out,
		.interrupt = &app->interrupt,
	};
	const struct dma_measure_ask how = {
		.settings = ask.settings,
		.dev = ask.dev,
		.modes = 1u << DMA_MEMCPY | 1u << DMA_CPU | 1u << DMA_ENGINE |
			(ask.measure ? 1u << DMA_ADAPTIVE : 0),
		.out = ask.out,
		.interrupt = ask.interrupt,
		.tsc_hz = app->run.tsc_hz,
	};
	const int16_t dev = dma_devices_find(ask.dev, e);
	struct dma_measured *m;
	struct plain_file file = { .fd = -1 };
	int ret;

	if (dev < 0)
		return dev;
	if (ask.apply && !dma_adaptive_is(dev))
		return err_set(e, EINVAL,
			"%s has no thresholds: put a dma_adaptive device on it with --vdev=dma_adaptive0,dev=%s",
			ask.dev, ask.dev);
	if (ask.csv != NULL && plain_file_begin(&file, ask.csv, PLAIN_FILE_OVERWRITE, e) != 0)
		return -e->code;
	m = calloc(1, sizeof(*m));
	ret = m != NULL ? dma_measure(m, &how, e) : err_set(e, ENOMEM, "no memory for the results");
	if (ret == 0)
		ret = show(&ask, m, file.fd, e);
	free(m);
	if (file.fd >= 0 && plain_file_end(&file, ret == 0, e) != 0)
		ret = -e->code;
	return ret;
}

static int
cmd_show(struct app *app, const struct args *a, struct err *e)
{
	dma_devices_show(&app->ports, app->out);
	return 0;
}

static const struct cmd_row rows[] = {
	{ "show dma", cmd_show,
		"show DMA devices: driver, NUMA node, users, thresholds, copies by CPU and by engine",
		"show dma", .shows = true },
	{ "dma calibrate <dev:str> [csv <file:str>]", calibrate,
		"measure copies by CPU and engine for each length and find the length from which the engine is cheaper",
		NULL, &(const struct ask){ .apply = false } },
	{ "dma calibrate <dev:str> apply [csv <file:str>]", calibrate,
		"calibrate and set the thresholds of a dma_adaptive device", NULL,
		&(const struct ask){ .apply = true } },
	{ "dma measure <dev:str> [csv <file:str>]", calibrate,
		"compare copies by CPU, by engine and by dma_adaptive with its current thresholds",
		NULL, &(const struct ask){ .measure = true } },
};

const struct cmd_table cmds_dma = { "dma", "DMA engines", rows, ARRAY_SIZE(rows), CMD_DMA };
