/* The driver dma_adaptive for EAL and dmadev: device arguments, set-up and removal, information. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive_priv.h"

#include <bus_vdev_driver.h>
#include <rte_dmadev_pmd.h>
#include <rte_eal.h>
#include <rte_kvargs.h>
#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_malloc.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

RTE_LOG_REGISTER(dma_adaptive_pmd_log, pmd.dma.adaptive, INFO);

#define complain(...) \
	rte_log(RTE_LOG_ERR, dma_adaptive_pmd_log, \
		RTE_FMT(RTE_FMT_HEAD(__VA_ARGS__, ) "\n", RTE_FMT_TAIL(__VA_ARGS__, )))

/* Default thresholds: those published for CBDMA on a Xeon 8180. */
enum { MIN_LEN_NEAR = 2048, MIN_LEN_FAR = 3072, SGES = 64, NODES = 64 };

/* Device arguments of --vdev. */
struct arguments {
	const char *device;
	char engine[64];
	struct dma_min_len min_len;
	bool far_said;
	int node;
};

static int
engine_read(struct arguments *a, const char *key, const char *word)
{
	if (strlen(word) >= sizeof(a->engine)) {
		complain("%s: %s=%s: too long for the name of a DMA device", a->device, key, word);
		return -EINVAL;
	}
	strcpy(a->engine, word);
	return 0;
}

/* Read a decimal number in 0..max. */
static int
number_read(const struct arguments *a, const char *key, const char *word, uint64_t max,
	const char *expected, uint32_t *number)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(word, &end, 10);
	if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0 || n > max) {
		complain("%s: %s=%s: expected %s", a->device, key, word, expected);
		return -EINVAL;
	}
	*number = (uint32_t)n;
	return 0;
}

static int
near_read(struct arguments *a, const char *key, const char *word)
{
	return number_read(a, key, word, UINT32_MAX, "0..4294967295 bytes", &a->min_len.near);
}

static int
far_read(struct arguments *a, const char *key, const char *word)
{
	a->far_said = true;
	return number_read(a, key, word, UINT32_MAX, "0..4294967295 bytes", &a->min_len.far);
}

static int
node_read(struct arguments *a, const char *key, const char *word)
{
	uint32_t node;
	int ret = number_read(a, key, word, NODES - 1, "a NUMA node, 0..63", &node);

	if (ret == 0)
		a->node = (int)node;
	return ret;
}

static const struct {
	const char *key;
	int (*read)(struct arguments *a, const char *key, const char *word);
} keys[] = {
	{ "dev", engine_read },
	{ "min_len", near_read },
	{ "min_len_nr", far_read },
	{ "node", node_read },
};

static int
pair_read(struct arguments *a, const char *key, const char *word)
{
	for (size_t i = 0; i < RTE_DIM(keys); i++) {
		if (strcmp(key, keys[i].key) != 0)
			continue;
		if (word != NULL && word[0] != '\0')
			return keys[i].read(a, key, word);
		complain("%s: %s without a value", a->device, key);
		return -EINVAL;
	}
	complain(
		"%s: unknown argument \"%s\": expected dev=NAME[,min_len=BYTES][,min_len_nr=BYTES][,node=N]",
		a->device, key);
	return -EINVAL;
}

/* Read all arguments. The default of min_len_nr is MIN_LEN_FAR, or min_len if that is longer. */
static int
arguments_read(struct arguments *a, const char *text)
{
	struct rte_kvargs *pairs = rte_kvargs_parse(text, NULL);
	int ret = 0;

	if (pairs == NULL) {
		complain(
			"%s: \"%s\": expected dev=NAME[,min_len=BYTES][,min_len_nr=BYTES][,node=N]",
			a->device, text);
		return -EINVAL;
	}
	for (unsigned int i = 0; i < pairs->count && ret == 0; i++)
		ret = pair_read(a, pairs->pairs[i].key, pairs->pairs[i].value);
	rte_kvargs_free(pairs);
	if (!a->far_said)
		a->min_len.far = RTE_MAX(a->min_len.near, a->min_len.far);
	return ret;
}

/*
 * Write the names of all DMA devices as " a b"; devices on the PCI bus come before those of --vdev.
 */
static void
names_of_devices(char *to, size_t size)
{
	struct rte_dma_info info;
	size_t at = 0;
	int16_t dev;

	snprintf(to, size, " none");
	RTE_DMA_FOREACH_DEV(dev)
	if (rte_dma_info_get(dev, &info) == 0 && at < size)
		at += (size_t)snprintf(to + at, size - at, " %s", info.dev_name);
}

/* The dma_adaptive device on top of an engine; -1: none. */
static int16_t
user_of(int16_t engine)
{
	int16_t dev;

	RTE_DMA_FOREACH_DEV(dev)
	if (dma_adaptive_engine(dev) == engine)
		return dev;
	return -1;
}

static int
engine_find(const struct arguments *a, struct rte_dma_info *info, int16_t *engine)
{
	const uint64_t want = RTE_DMA_CAPA_MEM_TO_MEM | RTE_DMA_CAPA_OPS_COPY;
	struct rte_dma_info user;
	char names[256];
	int found;

	names_of_devices(names, sizeof(names));
	if (a->engine[0] == '\0') {
		complain("%s: dev=NAME is missing; DMA devices:%s", a->device, names);
		return -EINVAL;
	}
	found = rte_dma_get_dev_id_by_name(a->engine);
	if (found < 0) {
		complain("%s: dev=%s: no such DMA device; DMA devices:%s", a->device, a->engine,
			names);
		return -ENODEV;
	}
	*engine = (int16_t)found;
	if (rte_dma_info_get(*engine, info) != 0 || (info->dev_capa & want) != want) {
		complain("%s: dev=%s: cannot copy from memory to memory", a->device, a->engine);
		return -ENOTSUP;
	}
	if (user_of(*engine) >= 0 && rte_dma_info_get(user_of(*engine), &user) == 0) {
		complain("%s: dev=%s: in use by %s", a->device, a->engine, user.dev_name);
		return -EBUSY;
	}
	if (info->nb_vchans > 0) {
		complain("%s: dev=%s: in use: it is already configured", a->device, a->engine);
		return -EBUSY;
	}
	return 0;
}

static struct dma_adaptive *
adaptive_of(const struct rte_dma_dev *dev)
{
	return dev->data->dev_private;
}

/* True unless the engine was removed; its number may since belong to another device. */
static bool
engine_there(const struct dma_adaptive *a)
{
	return rte_dma_get_dev_id_by_name(a->engine_name) == a->engine;
}

/* Maximum entries of a list: two lists of n make up to 2n - 1 pieces, which must fit in a ring. */
static uint16_t
pieces_most(uint16_t descriptors)
{
	const uint16_t n = RTE_MIN(descriptors / 2, SGES);

	return RTE_MAX(n, 2);
}

static int
info_get(const struct rte_dma_dev *dev, struct rte_dma_info *info, uint32_t size)
{
	const struct dma_adaptive *a = adaptive_of(dev);
	int ret = engine_there(a) ? rte_dma_info_get(a->engine, info) : -ENODEV;

	if (ret != 0)
		return ret;
	/* The CPU copies only from memory to memory, and its completions have to be polled. */
	info->dev_capa &= RTE_DMA_CAPA_MEM_TO_MEM | RTE_DMA_CAPA_SVA | RTE_DMA_CAPA_HANDLES_ERRORS |
		RTE_DMA_CAPA_OPS_COPY | RTE_DMA_CAPA_OPS_COPY_SG | RTE_DMA_CAPA_OPS_FILL;
	info->dev_capa |= RTE_DMA_CAPA_OPS_COPY_SG;
	if (!a->engine_sg)
		info->max_sges = pieces_most(info->min_desc);
	info->max_vchans = RTE_MIN(info->max_vchans, a->n_vchans);
	return 0;
}

static int
configure(struct rte_dma_dev *dev, const struct rte_dma_conf *conf, uint32_t size)
{
	const struct dma_adaptive *a = adaptive_of(dev);

	return engine_there(a) ? rte_dma_configure(a->engine, conf) : -ENODEV;
}

static void
rings_free(struct dma_adaptive_vchan *v)
{
	rte_free(v->jobs);
	rte_free(v->parts);
	v->jobs = NULL;
	v->parts = NULL;
}

static int
vchan_setup(struct rte_dma_dev *dev, uint16_t vchan, const struct rte_dma_vchan_conf *conf,
	uint32_t size)
{
	struct dma_adaptive *a = adaptive_of(dev);
	struct dma_adaptive_vchan *v = &a->vchan[vchan];
	uint32_t slots = rte_align32pow2(conf->nb_desc);
	int ret = engine_there(a) ? rte_dma_vchan_setup(a->engine, vchan, conf) : -ENODEV;

	if (ret != 0)
		return ret;
	rings_free(v);
	v->jobs = rte_zmalloc_socket("dma_adaptive", slots * sizeof(*v->jobs), RTE_CACHE_LINE_SIZE,
		dev->data->numa_node);
	if (a->keeps)
		v->parts = rte_zmalloc_socket("dma_adaptive", slots * sizeof(*v->parts),
			RTE_CACHE_LINE_SIZE, dev->data->numa_node);
	if (v->jobs == NULL || (a->keeps && v->parts == NULL)) {
		rings_free(v);
		return -ENOMEM;
	}
	v->mask = slots - 1;
	v->room = conf->nb_desc;
	return 0;
}

/* Number of jobs that the engine has room for. */
static uint32_t
room_of(const struct dma_adaptive *a, uint16_t vchan)
{
	uint32_t engine = rte_dma_burst_capacity(a->engine, vchan);
	uint32_t slots = a->vchan[vchan].mask + 1;

	return engine > 0 ? RTE_MIN(engine, slots) : slots;
}

static int
start(struct rte_dma_dev *dev)
{
	struct dma_adaptive *a = adaptive_of(dev);
	uint16_t n = dev->data->dev_conf.nb_vchans;
	int ret;

	for (uint16_t i = 0; i < n; i++)
		if (a->vchan[i].jobs == NULL) {
			complain("%s: vchan %u is not set up", dev->data->dev_name, i);
			return -EINVAL;
		}
	ret = engine_there(a) ? rte_dma_start(a->engine) : -ENODEV;
	if (ret != 0)
		return ret;
	rte_spinlock_lock(&a->lock);
	ret = dma_adaptive_nodes_set_memory(&a->nodes);
	a->lost = false;
	dma_adaptive_see_nodes(a);
	rte_spinlock_unlock(&a->lock);
	if (ret != 0) /* not fatal: unknown nodes count as near */
		complain("%s: cannot read the NUMA nodes of DPDK's memory: %s", dev->data->dev_name,
			strerror(-ret));
	for (uint16_t i = 0; i < n; i++)
		dma_adaptive_begin(&a->vchan[i], room_of(a, i));
	return 0;
}

static int
stop(struct rte_dma_dev *dev)
{
	struct dma_adaptive *a = adaptive_of(dev);

	if (!engine_there(a))
		return 0;
	for (uint16_t i = 0; i < dev->data->dev_conf.nb_vchans; i++)
		dma_adaptive_drain(a, i);
	return rte_dma_stop(a->engine);
}

static int
shut(struct rte_dma_dev *dev)
{
	struct dma_adaptive *a = adaptive_of(dev);

	for (uint16_t i = 0; i < a->n_vchans; i++)
		rings_free(&a->vchan[i]);
	rte_free(a->vchan);
	return 0;
}

static uint64_t
value(const _Atomic(uint64_t) *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Add the counts of a vchan since the last reset. */
static void
stats_add(const struct dma_adaptive_vchan *v, struct rte_dma_stats *stats)
{
	stats->submitted += value(&v->submitted) - value(&v->base_submitted);
	stats->completed += value(&v->completed) - value(&v->base_completed);
	stats->errors += value(&v->stats.errors) - value(&v->base_errors);
}

static int
stats_get(const struct rte_dma_dev *dev, uint16_t vchan, struct rte_dma_stats *stats, uint32_t size)
{
	const struct dma_adaptive *a = adaptive_of(dev);

	memset(stats, 0, sizeof(*stats));
	for (uint16_t i = 0; i < a->n_vchans; i++)
		if (vchan == i || vchan == RTE_DMA_ALL_VCHAN)
			stats_add(&a->vchan[i], stats);
	return 0;
}

static int
stats_reset(struct rte_dma_dev *dev, uint16_t vchan)
{
	struct dma_adaptive *a = adaptive_of(dev);

	for (uint16_t i = 0; i < a->n_vchans; i++) {
		struct dma_adaptive_vchan *v = &a->vchan[i];

		if (vchan != i && vchan != RTE_DMA_ALL_VCHAN)
			continue;
		v->base_submitted = value(&v->submitted);
		v->base_completed = value(&v->completed);
		v->base_errors = value(&v->stats.errors);
	}
	return 0;
}

/* Jobs of the CPU are done at once, so the engine's status counts. */
static int
vchan_status(const struct rte_dma_dev *dev, uint16_t vchan, enum rte_dma_vchan_status *status)
{
	const struct dma_adaptive *a = adaptive_of(dev);

	return engine_there(a) ? rte_dma_vchan_status(a->engine, vchan, status) : -ENODEV;
}

static void
dump_vchan(const struct dma_adaptive_vchan *v, uint16_t i, FILE *f)
{
	const struct dma_adaptive_stats *s = &v->stats;

	fprintf(f, "    vchan %u\n", i);
	fprintf(f, "      min_len: %" PRIu32 ", min_len_nr: %" PRIu32 "\n", v->near, v->far);
	fprintf(f, "      jobs: %" PRIu64 " of %" PRIu32 ", in the engine: %" PRIu64 "\n",
		v->head - v->tail, v->room, v->sent - v->returned);
	fprintf(f, "      cpu: %" PRIu64 " copies, %" PRIu64 " bytes\n", value(&s->cpu_copies),
		value(&s->cpu_bytes));
	fprintf(f, "      dma: %" PRIu64 " copies, %" PRIu64 " bytes, %" PRIu64 " for a fence\n",
		value(&s->dma_copies), value(&s->dma_bytes), value(&s->fenced));
	fprintf(f, "      far: %" PRIu64 ", full: %" PRIu64 ", errors: %" PRIu64 "\n",
		value(&s->far_copies), value(&s->full), value(&s->errors));
}

static int
dump(const struct rte_dma_dev *dev, FILE *f)
{
	const struct dma_adaptive *a = adaptive_of(dev);

	fprintf(f, "    engine: %s, node %d\n", a->engine_name, a->engine_node);
	fprintf(f, "    NUMA nodes decide: %s\n", a->one_node ? "no, there is only one" : "yes");
	for (uint16_t i = 0; i < dev->data->dev_conf.nb_vchans; i++)
		dump_vchan(&a->vchan[i], i, f);
	return 0;
}

static const struct rte_dma_dev_ops operations = {
	.dev_info_get = info_get,
	.dev_configure = configure,
	.dev_start = start,
	.dev_stop = stop,
	.dev_close = shut,
	.vchan_setup = vchan_setup,
	.stats_get = stats_get,
	.stats_reset = stats_reset,
	.vchan_status = vchan_status,
	.dev_dump = dump,
};

/* The node of the engine; -1: unknown. */
static int
engine_node(const struct arguments *said, const struct rte_dma_info *info)
{
	return said->node >= 0 ? said->node : info->numa_node;
}

static int
fill_in(struct dma_adaptive *a, const struct arguments *said, const struct rte_dma_info *info,
	int16_t engine)
{
	a->engine = engine;
	a->engine_node = engine_node(said, info);
	a->engine_sg = (info->dev_capa & RTE_DMA_CAPA_OPS_COPY_SG) != 0;
	a->n_vchans = info->max_vchans;
	strcpy(a->engine_name, said->engine);
	rte_spinlock_init(&a->lock);
	a->vchan =
		rte_zmalloc("dma_adaptive", a->n_vchans * sizeof(*a->vchan), RTE_CACHE_LINE_SIZE);
	if (a->vchan == NULL)
		return -ENOMEM;
	for (uint16_t i = 0; i < a->n_vchans; i++)
		dma_adaptive_thresholds(a, &a->vchan[i], said->min_len);
	return 0;
}

static int
create(struct rte_vdev_device *vdev, const struct arguments *said, const struct rte_dma_info *info,
	int16_t engine)
{
	int node = info->numa_node >= 0 ? info->numa_node : (int)rte_socket_id();
	struct rte_dma_dev *dev =
		rte_dma_pmd_allocate(said->device, node, sizeof(struct dma_adaptive));

	if (dev == NULL)
		return -ENOMEM;
	if (fill_in(dev->data->dev_private, said, info, engine) != 0) {
		rte_dma_pmd_release(said->device);
		return -ENOMEM;
	}
	vdev->device.numa_node = engine_node(said, info); /* rte_dma_info_get() reports it */
	dev->device = &vdev->device;
	dev->dev_ops = &operations;
	dev->fp_obj->dev_private = dev->data->dev_private;
	dev->fp_obj->copy = dma_adaptive_copy;
	dev->fp_obj->copy_sg = dma_adaptive_copy_sg;
	dev->fp_obj->fill = dma_adaptive_fill;
	dev->fp_obj->submit = dma_adaptive_submit;
	dev->fp_obj->completed = dma_adaptive_completed;
	dev->fp_obj->completed_status = dma_adaptive_completed_status;
	dev->fp_obj->burst_capacity = dma_adaptive_burst_capacity;
	dev->state = RTE_DMA_DEV_READY;
	return 0;
}

static int
probe(struct rte_vdev_device *vdev)
{
	struct arguments said = { .device = rte_vdev_device_name(vdev),
		.min_len = { MIN_LEN_NEAR, MIN_LEN_FAR },
		.node = -1 };
	struct rte_dma_info info;
	int16_t engine;
	int ret;

	if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
		complain("%s: not supported in a secondary process", said.device);
		return -ENOTSUP;
	}
	ret = arguments_read(&said, rte_vdev_device_args(vdev));
	if (ret == 0)
		ret = engine_find(&said, &info, &engine);
	return ret == 0 ? create(vdev, &said, &info, engine) : ret;
}

static int
unplug(struct rte_vdev_device *vdev)
{
	const char *name = rte_vdev_device_name(vdev);

	if (rte_dma_get_dev_id_by_name(name) < 0)
		return 0; /* closed */
	/* -EBUSY while it is started, because lcores may be copying with it. */
	return rte_dma_pmd_release(name);
}

static struct rte_vdev_driver dma_adaptive_vdev = {
	.probe = probe,
	.remove = unplug,
	/* The CPU copies by the same addresses as the engine. */
	.drv_flags = RTE_VDEV_DRV_NEED_IOVA_AS_VA,
};

RTE_PMD_REGISTER_VDEV(dma_adaptive, dma_adaptive_vdev);
RTE_PMD_REGISTER_PARAM_STRING(dma_adaptive,
	"dev=<dmadev> min_len=<bytes> min_len_nr=<bytes> node=<number>");
