/* Read the topology from a file, or from EAL, dmadev, ethdev and /sys. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_topology.h"

#include "base/base.h"
#include "base/err.h"
#include "base/plain_file.h"
#include "base/text.h"
#include "port/dma_devices.h"

#include <rte_dmadev.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WORDS = 16, LINE_MAX_BYTES = 1024, CHANNELS_MAX = UINT16_MAX };

/* One line of a file, split into words. */
struct line {
	char *word[LINE_WORDS];
	unsigned int n;
};

static int
number(const char *word, const char *what, uint64_t min, uint64_t max, uint64_t *value,
	struct err *e)
{
	char *end;

	errno = 0;
	*value = strtoull(word, &end, 10);
	if (word[0] < '0' || word[0] > '9' || *end != '\0')
		return err_set(e, EINVAL, "%s \"%s\": expected a number", what, word);
	if (errno != 0 || *value < min || *value > max)
		return err_set(e, ERANGE, "%s %s: expected %" PRIu64 "..%" PRIu64, what, word, min,
			max);
	return 0;
}

static int
node_number(const struct dma_topology *t, const char *word, int *node, struct err *e)
{
	uint64_t value;

	if (number(word, "node", 0, DMA_NODES - 1, &value, e) != 0)
		return -e->code;
	if (!t->node[value].there)
		return err_set(e, ENOENT, "unknown node %s: add a line \"node %s\" before this one",
			word, word);
	*node = (int)value;
	return 0;
}

/* A word that may be in a line, with the number after it: in min..max. */
struct key {
	const char *word;
	uint64_t min, max, value;
};

/* Read the pairs KEY NUMBER of a line from word first on: "node 0", if node is not NULL, and n
 * keys. */
static int
pairs(const struct dma_topology *t, const struct line *l, unsigned int first, int *node,
	struct key *keys, int n, struct err *e)
{
	for (unsigned int i = first; i < l->n; i += 2) {
		const char *word = l->word[i];
		struct key *key = NULL;
		int ret;

		for (int k = 0; k < n; k++)
			if (strcmp(word, keys[k].word) == 0)
				key = &keys[k];
		if (key == NULL && (node == NULL || strcmp(word, "node") != 0))
			return err_set(e, EINVAL, "unknown word \"%s\" after %s", word, l->word[0]);
		if (i + 1 == l->n)
			return err_set(e, EINVAL, "%s: expected a number after it", word);
		ret = key == NULL
			? node_number(t, l->word[i + 1], node, e)
			: number(l->word[i + 1], word, key->min, key->max, &key->value, e);
		if (ret != 0)
			return ret;
	}
	return 0;
}

static int
node_line(struct dma_topology *t, const struct line *l, struct err *e)
{
	struct key memory = { "memory", 0, UINT32_MAX, UINT64_MAX };
	uint64_t id;

	if (number(l->word[1], "node", 0, DMA_NODES - 1, &id, e) != 0 ||
		pairs(t, l, 2, NULL, &memory, 1, e) != 0)
		return -e->code;
	if (t->node[id].there)
		return err_set(e, EEXIST, "node %s is defined twice", l->word[1]);
	t->node[id].there = true;
	t->node[id].memory_mib = memory.value;
	return 0;
}

static int
distance_line(struct dma_topology *t, const struct line *l, struct err *e)
{
	uint64_t value;
	int a = 0, b = 0;

	if (l->n != 4)
		return err_set(e, EINVAL, "expected: distance NODE NODE NUMBER");
	if (node_number(t, l->word[1], &a, e) != 0 || node_number(t, l->word[2], &b, e) != 0 ||
		number(l->word[3], "distance", DMA_DISTANCE_OWN,
			a == b ? DMA_DISTANCE_OWN : UINT8_MAX, &value, e) != 0)
		return -e->code;
	if (t->node[a].distance[b] != 0)
		return err_set(e, EEXIST, "distance %s %s is defined twice", l->word[1],
			l->word[2]);
	t->node[a].distance[b] = t->node[b].distance[a] = (uint16_t)value;
	return 0;
}

static int
lcores_line(struct dma_topology *t, const struct line *l, struct err *e)
{
	uint16_t list[RTE_MAX_LCORE];
	int node = DMA_NODE_ANY;
	unsigned int n;

	if (text_numbers("lcores", l->word[1], list, RTE_MAX_LCORE - t->n_lcores, &n, e) != 0 ||
		pairs(t, l, 2, &node, NULL, 0, e) != 0)
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
engine_line(struct dma_topology *t, const struct line *l, struct err *e)
{
	enum { CHANNELS, USED, SPEED, BUSY };
	struct key key[] = {
		[CHANNELS] = { "channels", 0, CHANNELS_MAX, 1 },
		[USED] = { "used", 0, CHANNELS_MAX, 0 },
		[SPEED] = { "speed", 1, UINT32_MAX, 0 },
		[BUSY] = { "busy", 0, 100, 0 },
	};
	struct dma_engine *engine = &t->engine[t->n_engines];
	int node = DMA_NODE_ANY;

	if (t->n_engines == DMA_ENGINES)
		return err_set(e, E2BIG, "more than %u engines", DMA_ENGINES);
	if (strlen(l->word[1]) >= sizeof(engine->name))
		return err_set(e, ENAMETOOLONG, "\"%s\": expected a name of at most %zu bytes",
			l->word[1], sizeof(engine->name) - 1);
	for (unsigned int i = 0; i < t->n_engines; i++)
		if (strcmp(t->engine[i].name, l->word[1]) == 0)
			return err_set(e, EEXIST, "engine %s is defined twice", l->word[1]);
	if (pairs(t, l, 2, &node, key, ARRAY_SIZE(key), e) != 0)
		return -e->code;
	if (key[USED].value > key[CHANNELS].value)
		return err_set(e, ERANGE, "used %" PRIu64 ": exceeds channels %" PRIu64,
			key[USED].value, key[CHANNELS].value);
	*engine = (struct dma_engine){ .node = node,
		.channels = (unsigned int)key[CHANNELS].value,
		.used = (unsigned int)key[USED].value,
		.speed = (uint32_t)key[SPEED].value,
		.busy = (uint32_t)key[BUSY].value };
	snprintf(engine->name, sizeof(engine->name), "%s", l->word[1]);
	t->n_engines++;
	return 0;
}

static int
port_line(struct dma_topology *t, const struct line *l, struct err *e)
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
	if (number(l->word[1], "port", 0, UINT16_MAX - 1, &id, e) != 0 ||
		pairs(t, l, 2, &node, key, ARRAY_SIZE(key), e) != 0)
		return -e->code;
	for (unsigned int i = 0; i < t->n_ports; i++)
		if (t->port[i].id == id)
			return err_set(e, EEXIST, "port %s is defined twice", l->word[1]);
	t->port[t->n_ports++] = (struct dma_port){ .id = (uint16_t)id,
		.node = node,
		.queues = (unsigned int)key[QUEUES].value,
		.load = { key[LOAD].value * 1e6, key[LENGTH].value } };
	return 0;
}

static const struct {
	const char *word;
	int (*read)(struct dma_topology *t, const struct line *l, struct err *e);
} kinds[] = {
	{ "node", node_line },
	{ "distance", distance_line },
	{ "lcores", lcores_line },
	{ "engine", engine_line },
	{ "port", port_line },
};

/* Split a line into words, up to a comment. E2BIG: too many words. */
static int
words(char *text, struct line *l, struct err *e)
{
	char *save;

	text[strcspn(text, "#\n")] = '\0';
	l->n = 0;
	for (char *word = strtok_r(text, " \t\r", &save); word != NULL;
		word = strtok_r(NULL, " \t\r", &save)) {
		if (l->n == LINE_WORDS)
			return err_set(e, E2BIG, "more than %u words", LINE_WORDS);
		l->word[l->n++] = word;
	}
	return 0;
}

static int
line_read(struct dma_topology *t, char *text, struct err *e)
{
	struct line l;

	if (strchr(text, '\n') == NULL && strlen(text) == LINE_MAX_BYTES - 1)
		return err_set(e, E2BIG, "more than %u bytes", LINE_MAX_BYTES - 2);
	if (words(text, &l, e) != 0 || l.n == 0)
		return -e->code;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].word, l.word[0]) != 0)
			continue;
		if (l.n < 2)
			return err_set(e, EINVAL, "%s: expected a number or name after it",
				l.word[0]);
		return kinds[i].read(t, &l, e);
	}
	return err_set(e, EINVAL, "\"%s\": expected node, distance, lcores, engine or port",
		l.word[0]);
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
		if (line_read(t, text, e) != 0)
			err_context(e, "%s:%u", path, at);
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
