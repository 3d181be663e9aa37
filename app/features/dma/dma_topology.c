/* Read the topology from a file, or from EAL, dmadev, ethdev and /sys. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_topology.h"

#include "base/base.h"
#include "base/err.h"
#include "base/plain_file.h"
#include "base/text.h"
#include "cmdline/grammar/words.h"
#include "port/dma_devices.h"

#include <rte_dmadev.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024, CHANNELS_MAX = UINT16_MAX };

/* Read the number of a node that is there. */
static int
node_number(const struct dma_topology *t, struct words *r, int *node, struct err *e)
{
	uint64_t value;

	if (words_number(r, NULL, 0, DMA_NODES - 1, &value, e) != 0)
		return -e->code;
	*node = (int)value;
	if (!t->node[value].there)
		return err_set(e, ENOENT, "unknown node %d: add a line \"node %d\" before this one",
			*node, *node);
	return 0;
}

/* A word that may be in a line, with the number after it: in min..max. */
struct key {
	const char *word;
	uint64_t min, max, value;
};

/* Read the pairs KEY NUMBER that a line ends with: "node 0", if node is not NULL, and n keys. */
static int
pairs(const struct dma_topology *t, struct words *r, int *node, struct key *keys, int n,
	struct err *e)
{
	int ret = 0;

	while (ret == 0 && r->n > 0) {
		int k = 0;

		while (k < n && !words_is(r, keys[k].word, ""))
			k++;
		if (k < n)
			ret = words_number(r, NULL, keys[k].min, keys[k].max, &keys[k].value, e);
		else if (node != NULL && words_is(r, "node", ""))
			ret = node_number(t, r, node, e);
		else
			ret = words_fail(r, EINVAL, NULL, e);
	}
	return ret;
}

static int
node_line(struct dma_topology *t, struct words *r, struct err *e)
{
	struct key memory = { "memory", 0, UINT32_MAX, UINT64_MAX };
	uint64_t id;

	if (words_number(r, NULL, 0, DMA_NODES - 1, &id, e) != 0 ||
		pairs(t, r, NULL, &memory, 1, e) != 0)
		return -e->code;
	if (t->node[id].there)
		return err_set(e, EEXIST, "node %" PRIu64 " is defined twice", id);
	t->node[id].there = true;
	t->node[id].memory_mib = memory.value;
	return 0;
}

static int
distance_line(struct dma_topology *t, struct words *r, struct err *e)
{
	uint64_t value;
	int a = 0, b = 0;

	if (node_number(t, r, &a, e) != 0 || node_number(t, r, &b, e) != 0 ||
		words_number(r, NULL, DMA_DISTANCE_OWN, a == b ? DMA_DISTANCE_OWN : UINT8_MAX,
			&value, e) != 0 ||
		pairs(t, r, NULL, NULL, 0, e) != 0)
		return -e->code;
	if (t->node[a].distance[b] != 0)
		return err_set(e, EEXIST, "distance %d %d is defined twice", a, b);
	t->node[a].distance[b] = t->node[b].distance[a] = (uint16_t)value;
	return 0;
}

static int
lcores_line(struct dma_topology *t, struct words *r, struct err *e)
{
	uint16_t list[RTE_MAX_LCORE];
	int node = DMA_NODE_ANY;
	unsigned int n;
	struct err why;

	words_hint(r, "numbers and ranges such as 0,2-4");
	if (r->n == 0)
		return words_fail(r, EINVAL, NULL, e);
	if (text_numbers("lcores", r->word, list, RTE_MAX_LCORE - t->n_lcores, &n, &why) != 0)
		return words_fail(r, why.code, why.text, e);
	words_next(r);
	if (pairs(t, r, &node, NULL, 0, e) != 0)
		return -e->code;
	for (unsigned int i = 0; i < n; i++) {
		for (unsigned int k = 0; k < t->n_lcores; k++)
			if (t->lcore[k].id == list[i])
				return err_set(e, EEXIST, "lcore %u is defined twice", list[i]);
		t->lcore[t->n_lcores++] = (struct dma_lcore){ list[i], node };
	}
	return 0;
}

static int
cpu_line(struct dma_topology *t, struct words *r, struct err *e)
{
	struct key speed = { "speed", 1, UINT32_MAX, 0 };

	if (pairs(t, r, NULL, &speed, 1, e) != 0)
		return -e->code;
	if (speed.value == 0)
		return words_fail(r, EINVAL, NULL, e);
	t->cpu_speed = (uint32_t)speed.value;
	return 0;
}

static int
engine_line(struct dma_topology *t, struct words *r, struct err *e)
{
	enum { CHANNELS, USED, SPEED, BUSY, JOB };
	struct key key[] = {
		[CHANNELS] = { "channels", 0, CHANNELS_MAX, 1 },
		[USED] = { "used", 0, CHANNELS_MAX, 0 },
		[SPEED] = { "speed", 1, UINT32_MAX, 0 },
		[BUSY] = { "busy", 0, 100, 0 },
		[JOB] = { "job", 1, UINT32_MAX, 0 },
	};
	struct dma_engine *engine = &t->engine[t->n_engines];
	int node = DMA_NODE_ANY;

	if (t->n_engines == DMA_ENGINES)
		return err_set(e, E2BIG, "more than %u engines", DMA_ENGINES);
	words_hint(r, "a name of at most 63 bytes");
	if (r->word[0] == '\0' || strlen(r->word) >= sizeof(engine->name))
		return words_fail(r, EINVAL, NULL, e);
	for (unsigned int i = 0; i < t->n_engines; i++)
		if (strcmp(t->engine[i].name, r->word) == 0)
			return err_set(e, EEXIST, "engine %s is defined twice", r->word);
	strcpy(engine->name, r->word);
	words_next(r);
	if (pairs(t, r, &node, key, ARRAY_SIZE(key), e) != 0)
		return -e->code;
	if (key[USED].value > key[CHANNELS].value)
		return err_set(e, ERANGE, "used %" PRIu64 ": exceeds channels %" PRIu64,
			key[USED].value, key[CHANNELS].value);
	engine->node = node;
	engine->channels = (unsigned int)key[CHANNELS].value;
	engine->used = (unsigned int)key[USED].value;
	engine->speed = (uint32_t)key[SPEED].value;
	engine->busy = (uint32_t)key[BUSY].value;
	engine->job_ns = (uint32_t)key[JOB].value;
	t->n_engines++;
	return 0;
}

static int
port_line(struct dma_topology *t, struct words *r, struct err *e)
{
	enum { QUEUES, LOAD, LENGTH };
	struct key key[] = {
		[QUEUES] = { "queues", 1, RTE_MAX_QUEUES_PER_PORT, 1 },
		[LOAD] = { "load", 0, UINT32_MAX, DMA_LOAD_MEGABYTES },
		[LENGTH] = { "length", 1, UINT32_MAX, DMA_LOAD_LENGTH },
	};
	uint64_t id;
	int node = DMA_NODE_ANY;

	if (t->n_ports == RTE_MAX_ETHPORTS)
		return err_set(e, E2BIG, "more than %u ports", RTE_MAX_ETHPORTS);
	if (words_number(r, NULL, 0, UINT16_MAX - 1, &id, e) != 0 ||
		pairs(t, r, &node, key, ARRAY_SIZE(key), e) != 0)
		return -e->code;
	for (unsigned int i = 0; i < t->n_ports; i++)
		if (t->port[i].id == id)
			return err_set(e, EEXIST, "port %" PRIu64 " is defined twice", id);
	t->port[t->n_ports++] = (struct dma_port){ .id = (uint16_t)id,
		.node = node,
		.queues = (unsigned int)key[QUEUES].value,
		.load = { key[LOAD].value * 1e6, key[LENGTH].value } };
	return 0;
}

static const struct {
	const char *word;
	int (*read)(struct dma_topology *t, struct words *r, struct err *e);
} kinds[] = {
	{ "node", node_line },
	{ "distance", distance_line },
	{ "lcores", lcores_line },
	{ "cpu", cpu_line },
	{ "engine", engine_line },
	{ "port", port_line },
};

static int
line_read(struct dma_topology *t, char *text, struct err *e)
{
	struct words r;
	size_t i = 0;

	if (strchr(text, '\n') == NULL && strlen(text) == LINE_MAX_BYTES - 1)
		return err_set(e, E2BIG, "more than %u bytes", LINE_MAX_BYTES - 2);
	text[strcspn(text, "\n")] = '\0';
	words_open(&r, text, 0, NULL);
	if (r.n > 0) {
		while (i < ARRAY_SIZE(kinds) && !words_is(&r, kinds[i].word, ""))
			i++;
		if (i < ARRAY_SIZE(kinds))
			kinds[i].read(t, &r, e);
		else
			words_fail(&r, EINVAL, NULL, e);
	}
	words_close(&r);
	return -e->code;
}

int
dma_topology_load(struct dma_topology *t, const char *path, struct err *e)
{
	FILE *f = plain_file_read(path, e);
	char text[LINE_MAX_BYTES];
	unsigned int at = 0;

	memset(t, 0, sizeof(*t));
	if (f == NULL)
		return -e->code;
	err_clear(e);
	while (e->code == 0 && fgets(text, sizeof(text), f) != NULL) {
		at++;
		if (line_read(t, text, e) != 0) {
			err_context(e, "%s:%u", path, at);
			e->column = -1; /* it is not one of the command's */
		}
	}
	if (e->code == 0 && ferror(f))
		err_set(e, EIO, "%s: read error", path);
	fclose(f);
	return -e->code;
}

/* Report a bad file when it is set, not when it is used. */
static int
topology_check(const char *text, struct err *e)
{
	struct dma_topology *t;
	int ret;

	if (strcmp(text, DMA_TOPOLOGY_HERE) == 0)
		return 0;
	t = malloc(sizeof(*t));
	ret = t != NULL ? dma_topology_load(t, text, e)
			: err_set(e, ENOMEM, "no memory for a topology");
	free(t);
	return ret;
}

static const struct setting setting_rows[] = {
	{ .name = "dma-topology",
		.kind = SETTING_TEXT,
		.text = DMA_TOPOLOGY_HERE,
		.check = topology_check,
		.when = SETTING_NOW,
		.help = "topology for show dma placement: a file of nodes, lcores, engines and ports, or here for this machine" },
	{ .name = "dma-placement-period",
		.unit = "ms",
		.min = 10,
		.max = 60000,
		.value = 1000,
		.when = SETTING_NOW,
		.help = "time between two measurements of load by dma placement auto, from the next such command on" },
};
const struct setting_table dma_topology_settings = SETTING_TABLE("DMA engines", setting_rows);

unsigned int
dma_topology_distance(const struct dma_topology *t, int a, int b)
{
	unsigned int told;

	if (a < 0 || b < 0 || a >= DMA_NODES || b >= DMA_NODES || a == b)
		return DMA_DISTANCE_OWN;
	told = t->node[a].distance[b];
	return told != 0 ? told : 2 * DMA_DISTANCE_OWN;
}

static bool
node_is(const struct dma_topology *t, int node)
{
	return node == DMA_NODE_ANY || (node >= 0 && node < DMA_NODES && t->node[node].there);
}

int
dma_topology_check(const struct dma_topology *t, struct err *e)
{
	if (t->n_lcores == 0 || t->n_ports == 0)
		return err_set(e, EINVAL, "nothing to place: %s",
			t->n_ports == 0 ? "no ports" : "no lcores");
	for (unsigned int i = 0; i < t->n_lcores; i++)
		if (!node_is(t, t->lcore[i].node))
			return err_set(e, EINVAL, "lcore %u is on node %d, which does not exist",
				t->lcore[i].id, t->lcore[i].node);
	for (unsigned int i = 0; i < t->n_engines; i++) {
		if (!node_is(t, t->engine[i].node))
			return err_set(e, EINVAL, "engine %s is on node %d, which does not exist",
				t->engine[i].name, t->engine[i].node);
		if (t->engine[i].used > t->engine[i].channels)
			return err_set(e, EINVAL, "engine %s: used %u: exceeds channels %u",
				t->engine[i].name, t->engine[i].used, t->engine[i].channels);
		for (unsigned int k = 0; k < i; k++)
			if (strcmp(t->engine[i].name, t->engine[k].name) == 0)
				return err_set(e, EINVAL, "engine %s is listed twice",
					t->engine[i].name);
	}
	for (unsigned int i = 0; i < t->n_ports; i++)
		if (!node_is(t, t->port[i].node))
			return err_set(e, EINVAL, "port %u is on node %d, which does not exist",
				t->port[i].id, t->port[i].node);
	return 0;
}

/* Free memory of a node in MiB, from its meminfo in /sys; UINT64_MAX: unknown. */
static uint64_t
node_memory(int node)
{
	char path[64], text[128];
	uint64_t kib = UINT64_MAX, found;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
	f = fopen(path, "r");
	if (f == NULL)
		return UINT64_MAX;
	while (kib == UINT64_MAX && fgets(text, sizeof(text), f) != NULL)
		if (sscanf(text, "Node %*d MemFree: %" SCNu64, &found) == 1)
			kib = found;
	fclose(f);
	return kib == UINT64_MAX ? kib : kib / 1024;
}

/* The kernel lists a node's distances in the order of the online nodes. */
static void
node_distances(struct dma_topology *t, int node)
{
	unsigned int distance;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/distance", node);
	f = fopen(path, "r");
	if (f == NULL)
		return;
	for (unsigned int i = 0; i < rte_socket_count() && fscanf(f, "%u", &distance) == 1; i++)
		t->node[node].distance[rte_socket_id_by_idx(i)] = (uint16_t)distance;
	fclose(f);
}

static void
engines_here(struct dma_topology *t)
{
	struct rte_dma_info info;

	for (int16_t id = rte_dma_next_dev(0); id >= 0 && t->n_engines < DMA_ENGINES;
		id = rte_dma_next_dev((int16_t)(id + 1))) {
		struct dma_engine *engine = &t->engine[t->n_engines];

		if (dma_devices_above(id) >= 0 || rte_dma_info_get(id, &info) != 0)
			continue;
		*engine = (struct dma_engine){ .node = dma_devices_node(id),
			.channels = info.max_vchans };
		snprintf(engine->name, sizeof(engine->name), "%s", info.dev_name);
		t->n_engines++;
	}
}

/* Add the vhost ports (guests), whose copies engines can make, or all ports. */
static void
ports_here(struct dma_topology *t, bool guests)
{
	struct rte_eth_dev_info info;
	uint16_t id;

	RTE_ETH_FOREACH_DEV(id) {
		if (rte_eth_dev_info_get(id, &info) != 0 ||
			(guests && strcmp(info.driver_name, "net_async_vhost") != 0))
			continue;
		t->port[t->n_ports++] = (struct dma_port){ .id = id,
			.node = rte_eth_dev_socket_id(id),
			.queues = RTE_MAX(1u, (unsigned int)info.nb_rx_queues),
			.load = { DMA_LOAD_MEGABYTES * 1e6, DMA_LOAD_LENGTH } };
	}
}

static void
here(struct dma_topology *t)
{
	unsigned int lcore;

	memset(t, 0, sizeof(*t));
	for (unsigned int i = 0; i < rte_socket_count(); i++) {
		int node = rte_socket_id_by_idx(i);

		t->node[node].there = true;
		t->node[node].memory_mib = node_memory(node);
		node_distances(t, node);
	}
	RTE_LCORE_FOREACH_WORKER(lcore) {
		t->lcore[t->n_lcores++] =
			(struct dma_lcore){ lcore, (int)rte_lcore_to_socket_id(lcore) };
	}
	engines_here(t);
	ports_here(t, true);
	if (t->n_ports == 0)
		ports_here(t, false);
}

int
dma_topology_read(struct dma_topology *t, const struct settings *settings, struct err *e)
{
	const char *text = setting_text(settings, "dma-topology");

	if (strcmp(text, DMA_TOPOLOGY_HERE) != 0)
		return dma_topology_load(t, text, e);
	here(t);
	return 0;
}
