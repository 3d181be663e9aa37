/* DMA devices: properties from dmadev, driver names from the buses, users from the ports'
 * devargs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/dma_devices.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/stat.h"
#include "base/text.h"
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"
#include "port/port_feature.h"

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_dmadev.h>
#include <rte_ethdev.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vchan {
	uint64_t min_len_near, min_len_far;
	uint64_t counter[sizeof(struct dma_adaptive_stats) / sizeof(uint64_t)];
};

#define ADAPTIVE(field, of, text) \
	{ \
		.name = #field, .unit = of, .help = text, \
		.at = offsetof(struct vchan, counter) + offsetof(struct dma_adaptive_stats, field) \
	}
static const struct stat_row adaptive_rows[] = {
	{ .name = "min_len_near",
		.unit = "bytes",
		.kind = STAT_GAUGE,
		.help = "Length below which the CPU copies when lcore, memory and engine are on one node",
		.at = offsetof(struct vchan, min_len_near) },
	{ .name = "min_len_far",
		.unit = "bytes",
		.kind = STAT_GAUGE,
		.help = "Length below which the CPU copies when lcore, memory and engine are on different nodes",
		.at = offsetof(struct vchan, min_len_far) },
	ADAPTIVE(cpu_copies, "copies", "Copies made by the CPU"),
	ADAPTIVE(cpu_bytes, "bytes", "Bytes copied by the CPU"),
	ADAPTIVE(dma_copies, "copies", "Copies made by the engine"),
	ADAPTIVE(dma_bytes, "bytes", "Bytes copied by the engine"),
	ADAPTIVE(fenced, "copies",
		"Short copies made by the engine to keep their order after its earlier copies"),
	ADAPTIVE(far_copies, "copies", "Copies decided by the far threshold"),
	ADAPTIVE(full, "copies", "Copies refused because the ring was full"),
	ADAPTIVE(errors, "copies", "Copies that failed"),
};
const struct stat_table dma_devices_adaptive_stats = { "dma_adaptive", adaptive_rows,
	ARRAY_SIZE(adaptive_rows), false };

#define ENGINE(field, text) \
	{ \
		.name = #field, .unit = "copies", .help = text, \
		.at = offsetof(struct rte_dma_stats, field) \
	}
static const struct stat_row engine_rows[] = {
	ENGINE(submitted, "Copies submitted to the engine"),
	ENGINE(completed, "Copies reported complete by the engine, failed ones included"),
	ENGINE(errors, "Copies that failed"),
};
const struct stat_table dma_devices_stats = { "dma_engine", engine_rows, ARRAY_SIZE(engine_rows),
	false };

static bool
info_of(int16_t id, struct rte_dma_info *info)
{
	return rte_dma_is_valid(id) && rte_dma_info_get(id, info) == 0;
}

const char *
dma_devices_name(int16_t id)
{
	struct rte_dma_info info;

	return info_of(id, &info) ? info.dev_name : "";
}

int16_t
dma_devices_find(const char *name, struct err *e)
{
	struct text there = { 0 };
	int16_t id;

	for (id = rte_dma_next_dev(0); id >= 0; id = rte_dma_next_dev((int16_t)(id + 1))) {
		if (strcmp(dma_devices_name(id), name) == 0)
			break;
		text_add(&there, "%s%s", there.n > 0 ? ", " : "", dma_devices_name(id));
	}
	if (id < 0)
		err_set(e, ENODEV, "no DMA device %s: %s%s", name,
			there.n > 0 ? "available: "
				    : "none available; add one, for example --vdev=dma_skeleton",
			there.n > 0 ? there.bytes : "");
	free(there.bytes);
	return id >= 0 ? id : (int16_t)-ENODEV;
}

int
dma_devices_node(int16_t id)
{
	struct rte_dma_info info;

	return info_of(id, &info) ? info.numa_node : -1;
}

int16_t
dma_devices_above(int16_t id)
{
	int16_t other;

	for (other = rte_dma_next_dev(0); other >= 0;
		other = rte_dma_next_dev((int16_t)(other + 1)))
		if (dma_adaptive_engine(other) == id)
			return other;
	return -1;
}

static int
any_bus(const struct rte_bus *bus, const void *ctx)
{
	return 0;
}

/* The driver of a DMA device. If a bus device has several DMA devices, their names have a suffix,
 * as in "0000:6a:01.0-q0". */
static const char *
driver_of(const char *name)
{
	struct rte_dev_iterator it;
	struct rte_bus *bus = NULL;
	struct rte_device *dev;
	const char *driver = "";
	char filter[64];

	while ((bus = rte_bus_find(bus, any_bus, NULL)) != NULL) {
		snprintf(filter, sizeof(filter), "bus=%s", rte_bus_name(bus));
		RTE_DEV_FOREACH(dev, filter, &it)
		{
			const size_t n = strlen(rte_dev_name(dev));

			if (rte_dev_driver(dev) != NULL &&
				strncmp(rte_dev_name(dev), name, n) == 0 &&
				(name[n] == '\0' || name[n] == '-'))
				driver = rte_driver_name(rte_dev_driver(dev));
		}
	}
	return driver;
}

/* Whether devargs contain the word "@NAME". */
static bool
names(const char *devargs, const char *name)
{
	const size_t n = strlen(name);

	for (const char *at = strchr(devargs, '@'); at != NULL; at = strchr(at + 1, '@'))
		if (strncmp(at + 1, name, n) == 0 && strchr(";],", at[1 + n]) != NULL)
			return true;
	return false;
}

/* Add those that name a device. */
static void
names_add(struct text *t, int16_t id, const char *name)
{
	const int16_t above = dma_devices_above(id);
	uint16_t port;

	if (above >= 0)
		text_add(t, "%s", dma_devices_name(above));
	RTE_ETH_FOREACH_DEV(port) {
		struct rte_eth_dev_info info;
		const struct rte_devargs *devargs;

		if (rte_eth_dev_info_get(port, &info) != 0 || info.device == NULL)
			continue;
		devargs = rte_dev_devargs(info.device);
		if (devargs != NULL && devargs->args != NULL && names(devargs->args, name))
			text_add(t, "%sport %u", t->n > 0 ? ", " : "", port);
	}
}

static void
users_add(const struct ports *ps, struct text *t, int16_t id, const char *name)
{
	names_add(t, id, name);
	port_features_dma_queues(ps, t, id);
}

bool
dma_devices_free(int16_t id)
{
	struct text users = { 0 };

	names_add(&users, id, dma_devices_name(id));
	free(users.bytes);
	return users.n == 0 && !users.cut;
}

int
dma_devices_removable(const struct ports *ps, const char *name, struct err *e)
{
	const int16_t id = (int16_t)rte_dma_get_dev_id_by_name(name), above = dma_devices_above(id);
	struct text queues = { 0 };

	if (id >= 0)
		port_features_dma_queues(ps, &queues, above >= 0 ? above : id);
	if (queues.n > 0)
		err_set(e, EBUSY,
			"DMA device %s is in use by %s: use \"dma placement off\" before \"device detach\"",
			name, queues.bytes);
	else if (queues.cut)
		err_set(e, ENOMEM,
			"no memory to check whether DMA device %s is in use: free memory before \"device detach\"",
			name);
	free(queues.bytes);
	return -e->code;
}

/* Read a vchan of dma_adaptive. False: it has no such statistics. */
static bool
vchan_read(int16_t id, uint16_t vchan, struct vchan *v)
{
	struct dma_adaptive_stats stats;
	struct dma_min_len min_len;

	if (dma_adaptive_stats(id, vchan, &stats) != 0 ||
		dma_adaptive_min_len(id, vchan, &min_len) != 0)
		return false;
	v->min_len_near = min_len.near;
	v->min_len_far = min_len.far;
	stat_read(v->counter, &stats, sizeof(v->counter));
	return true;
}

static void
vchan_put(const struct stat_sink *sink, int16_t id, uint16_t vchan)
{
	struct rte_dma_stats stats;
	struct vchan v;
	char key[16];

	snprintf(key, sizeof(key), "vchan%u", vchan);
	if (vchan_read(id, vchan, &v)) {
		sink->open(sink->to, key, false);
		stat_put(sink, &dma_devices_adaptive_stats, &v);
		sink->close(sink->to);
	} else if (rte_dma_stats_get(id, vchan, &stats) == 0) {
		sink->open(sink->to, key, false);
		stat_put(sink, &dma_devices_stats, &stats);
		sink->close(sink->to);
	}
}

/* Number of vchans to show: those set up. dma_adaptive has thresholds even before setup. */
static uint16_t
vchans_of(int16_t id, const struct rte_dma_info *info)
{
	return info->nb_vchans == 0 && dma_adaptive_is(id) ? 1 : info->nb_vchans;
}

void
dma_devices_put(const struct ports *ps, const struct stat_sink *sink, int16_t id)
{
	const int16_t below = dma_adaptive_engine(id);
	struct text users = { 0 };
	struct rte_dma_info info;
	const int node = dma_devices_node(id);

	if (!info_of(id, &info))
		return;
	sink->text(sink->to, "name", info.dev_name);
	sink->text(sink->to, "driver", driver_of(info.dev_name));
	if (node >= 0)
		sink->number(sink->to, "node", (uint64_t)node);
	if (below >= 0)
		sink->text(sink->to, "over", dma_devices_name(below));
	sink->number(sink->to, "max_vchans", info.max_vchans);
	sink->number(sink->to, "vchans", info.nb_vchans);
	users_add(ps, &users, id, info.dev_name);
	sink->text(sink->to, "used_by", users.bytes);
	free(users.bytes);
	for (uint16_t vchan = 0; vchan < vchans_of(id, &info); vchan++)
		vchan_put(sink, id, vchan);
}

static void
threshold_text(struct out *o, const char *where, uint64_t bytes)
{
	if (bytes == UINT32_MAX)
		out_text(o, "%s: the CPU makes all copies", where);
	else if (bytes == 0)
		out_text(o, "%s: the engine makes all copies", where);
	else
		out_text(o, "%s: the CPU makes copies below %" PRIu64 " bytes", where, bytes);
}

static void
vchan_text(struct out *o, int16_t id, uint16_t vchan)
{
	struct rte_dma_stats stats;
	struct vchan v;

	if (vchan_read(id, vchan, &v)) {
		out_text(o, "  vchan %u:", vchan);
		threshold_text(o, " near", v.min_len_near);
		threshold_text(o, ", far", v.min_len_far);
		for (size_t i = 2; i < ARRAY_SIZE(adaptive_rows); i++)
			out_text(o, "%s%s %" PRIu64, i == 2 ? "\n    " : ", ",
				adaptive_rows[i].name,
				stat_value(&dma_devices_adaptive_stats, i, &v));
		out_text(o, "\n");
	} else if (rte_dma_stats_get(id, vchan, &stats) == 0) {
		out_text(o,
			"  vchan %u: submitted %" PRIu64 ", completed %" PRIu64 ", errors %" PRIu64
			"\n",
			vchan, stats.submitted, stats.completed, stats.errors);
	}
}

static void
device_text(const struct ports *ps, struct out *o, int16_t id)
{
	const int16_t below = dma_adaptive_engine(id);
	const int node = dma_devices_node(id);
	struct text users = { 0 };
	struct rte_dma_info info;

	if (!info_of(id, &info))
		return;
	users_add(ps, &users, id, info.dev_name);
	out_text(o, "%s: driver %s", info.dev_name, driver_of(info.dev_name));
	if (below >= 0)
		out_text(o, " over %s", dma_devices_name(below));
	if (node >= 0)
		out_text(o, ", node %d", node);
	else
		out_text(o, ", node unknown");
	out_text(o, ", %u of %u vchans set up, used by %s\n", info.nb_vchans, info.max_vchans,
		users.n > 0 ? users.bytes : "nothing");
	free(users.bytes);
	for (uint16_t vchan = 0; vchan < vchans_of(id, &info); vchan++)
		vchan_text(o, id, vchan);
}

void
dma_devices_show(const struct ports *ps, struct out *o)
{
	const struct stat_sink sink = stat_sink_out(o);
	int16_t id;

	if (rte_dma_next_dev(0) < 0)
		out_text(o, "No DMA device; add one, for example --vdev=dma_skeleton\n");
	out_nest(o, "dma", OUT_ARRAY);
	for (id = rte_dma_next_dev(0); id >= 0; id = rte_dma_next_dev((int16_t)(id + 1))) {
		device_text(ps, o, id);
		out_nest(o, NULL, OUT_OBJECT);
		dma_devices_put(ps, &sink, id);
		out_unnest(o);
	}
	out_unnest(o);
}
