/* Connects DPDK's telemetry to the program: endpoints, access by telemetry threads, the socket. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/telemetry.h"

#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "compat.h"
#include "engines/engine.h"
#include "memory/pool_history.h"
#include "port/dma_devices.h"
#include "port/port_stats.h"
#include "run/account/run_account.h"
#include "run/account/run_count.h"
#include "run/account/run_schema.h"
#include "run/run_groups.h"
#include "show/telemetry_priv.h"

#include <rte_cycles.h>
#include <rte_dmadev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_memzone.h>
#include <rte_telemetry.h>
#include <rte_version.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ZONE "zcfwd_telemetry"
#define SOCKET_NAME \
	"dpdk_telemetry.v2" /* with ":1" etc. appended if several programs use one file prefix */

/*
 * Telemetry callbacks get no user argument and cannot be unregistered, so they find the program
 * through a memzone. It is never freed, because a telemetry thread can use it until EAL is cleaned
 * up.
 */
struct handover {
	pthread_mutex_t lock; /* held while a callback runs */
	struct app *app;      /* NULL: the program is exiting */
};

static const struct endpoint {
	const char *name;
	telemetry_answer *answer;
	const char *help; /* less than 128 characters */
} endpoints[] = {
	{ "/zcfwd/bursts", telemetry_streams_bursts,
		"Histogram of burst sizes. Parameters: int stream [,rx|tx [,int first_size]]" },
	{ "/zcfwd/config", telemetry_config_config, "Versions and settings. Takes no parameters" },
	{ "/zcfwd/dma", telemetry_dma_all,
		"DMA devices and their counters, one page. Parameters: [int first_device]" },
	{ "/zcfwd/engine", telemetry_config_engine,
		"Forwarding engine and its counters. Takes no parameters" },
	{ "/zcfwd/group", telemetry_groups_one,
		"A group of engine statistics, one page. Parameters: string group [,int first]" },
	{ "/zcfwd/pools", telemetry_config_pools, "Packet pools. Takes no parameters" },
	{ "/zcfwd/ports", telemetry_ports_all,
		"Ports and their counters, one page. Parameters: [int first_port]" },
	{ "/zcfwd/schema", telemetry_groups_schema,
		"Tables of statistics: names, units, kinds, one page. Parameters: [int first]" },
	{ "/zcfwd/stream", telemetry_streams_one,
		"All statistics of one stream. Parameters: int stream" },
	{ "/zcfwd/streams", telemetry_streams_all,
		"Streams and their counters, one page. Parameters: [int first_stream]" },
};

/* Lock and return the handover; NULL, and not locked, if the program is exiting. */
static struct handover *
take(void)
{
	const struct rte_memzone *zone = rte_memzone_lookup(ZONE);
	struct handover *h = zone != NULL ? zone->addr : NULL;

	if (h == NULL)
		return NULL;
	pthread_mutex_lock(&h->lock);
	if (h->app != NULL)
		return h;
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

static void
give(struct handover *h)
{
	pthread_mutex_unlock(&h->lock);
}

/* Thread: telemetry. */
static int
on_command(const char *command, const char *params, struct rte_tel_data *data)
{
	struct handover *h = take();
	struct telemetry_reply reply;
	int ret = -ENOENT;

	if (h == NULL)
		return -EAGAIN;
	for (size_t i = 0; i < ARRAY_SIZE(endpoints); i++)
		if (strcmp(endpoints[i].name, command) == 0) {
			telemetry_reply_begin(&reply, data);
			ret = endpoints[i].answer(h->app, params, &reply);
			telemetry_reply_end(&reply);
		}
	give(h);
	return ret;
}

/* Answers /eal/lcore/usage. Thread: telemetry. */
static int
on_usage(unsigned int lcore, struct compat_lcore_usage *usage)
{
	struct handover *h = take();
	struct run *r;
	int ret;

	if (h == NULL)
		return -EAGAIN;
	r = &h->app->run;
	pthread_mutex_lock(&r->lock);
	ret = telemetry_cycles(r, lcore, &usage->total_cycles, &usage->busy_cycles);
	pthread_mutex_unlock(&r->lock);
	give(h);
	return ret;
}

int
telemetry_open(struct app *app, struct err *e)
{
	const struct rte_memzone *zone =
		rte_memzone_reserve(ZONE, sizeof(struct handover), SOCKET_ID_ANY, 0);
	struct handover *h;
	int ret = 0;

	if (zone == NULL)
		return err_set(e, ENOMEM, "telemetry: no memory zone of %zu bytes",
			sizeof(struct handover));
	h = zone->addr;
	pthread_mutex_init(&h->lock, NULL);
	h->app = app;
	for (size_t i = 0; i < ARRAY_SIZE(endpoints) && ret == 0; i++)
		ret = rte_telemetry_register_cmd(endpoints[i].name, on_command, endpoints[i].help);
	compat_lcore_usage_by(on_usage);
	return ret == 0 ? 0 : err_set(e, -ret, "telemetry: endpoints: %s", strerror(-ret));
}

void
telemetry_close(void)
{
	struct handover *h = rte_eal_process_type() == RTE_PROC_PRIMARY ? take() : NULL;

	if (h == NULL)
		return;
	h->app = NULL;
	give(h);
	compat_lcore_usage_by(NULL);
}

/* Whether the descriptor is a socket bound to a telemetry path; stores the address in *at. */
static bool
is_socket(int fd, struct sockaddr_un *at)
{
	socklen_t bytes = sizeof(*at);
	const char *base;

	memset(at, 0, sizeof(*at));
	if (getsockname(fd, (struct sockaddr *)at, &bytes) != 0 || at->sun_family != AF_UNIX)
		return false;
	at->sun_path[sizeof(at->sun_path) - 1] = '\0';
	base = strrchr(at->sun_path, '/');
	return base != NULL && strncmp(base + 1, SOCKET_NAME, strlen(SOCKET_NAME)) == 0;
}

/* Find the socket among the program's descriptors: DPDK has no function that returns its path. */
static bool
socket_find(struct sockaddr_un *at)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	bool found = false;

	if (folder == NULL)
		return false;
	while (!found && (entry = readdir(folder)) != NULL)
		found = entry->d_name[0] != '.' && is_socket(atoi(entry->d_name), at);
	closedir(folder);
	return found;
}

int
telemetry_show(struct app *app, const struct args *a, struct err *e)
{
	struct out *out = app->out;
	struct sockaddr_un at;

	if (!socket_find(&at))
		return err_set(e, ENOENT,
			"no telemetry socket: EAL was started with --no-telemetry or could not create one");
	out_str(out, "socket", "Telemetry socket: %s\n", at.sun_path);
	out_nest(out, "endpoints", OUT_ARRAY);
	for (size_t i = 0; i < ARRAY_SIZE(endpoints); i++) {
		out_nest(out, NULL, OUT_OBJECT);
		out_str(out, "name", "  %-15s", endpoints[i].name);
		out_str(out, "help", " %s\n", endpoints[i].help);
		out_unnest(out);
	}
	out_unnest(out);
	return 0;
}

/* Telemetry of the configuration: versions, settings, engine, pools. */

static void
setting_put(struct telemetry_reply *to, const struct setting *row, uint64_t number,
	const char *word)
{
	if (row->kind == SETTING_UINT || row->kind == SETTING_BOOL)
		telemetry_reply_u64(to, row->name, number);
	else
		telemetry_reply_str(to, row->name, word);
}

int
telemetry_config_config(struct app *app, const char *params, struct telemetry_reply *reply)
{
	const struct setting *row;
	struct telemetry_reply settings, of_run;
	char word[RTE_TEL_MAX_STRING_LEN], ran[RTE_TEL_MAX_STRING_LEN];
	uint64_t number, ran_number;

	telemetry_reply_str(reply, "version", app->version);
	telemetry_reply_str(reply, "dpdk", rte_version());
	telemetry_reply_u64(reply, "pid", (uint64_t)getpid());
	telemetry_reply_u64(reply, "tsc_hz", (uint64_t)app->run.tsc_hz);
	telemetry_reply_nest(&of_run);
	telemetry_reply_rest(reply, &settings);
	for (size_t i = 0;
		(row = setting_copy(app->settings, i, &number, word, sizeof(word))) != NULL; i++) {
		setting_put(&settings, row, number, word);
		setting_of_run(app->settings, i, &ran_number, ran, sizeof(ran));
		if (ran_number != number || strcmp(ran, word) != 0)
			setting_put(&of_run, row, ran_number, ran);
	}
	telemetry_reply_put(reply, "settings", &settings);
	telemetry_reply_put(reply, "run_settings", &of_run);
	return 0;
}

int
telemetry_config_engine(struct app *app, const char *params, struct telemetry_reply *reply)
{
	uint64_t named[STREAM_NAMED_MAX], sum[STREAM_NAMED_MAX] = { 0 };
	struct run_account account = { 0 };
	struct telemetry_sink to;
	struct run *r = &app->run;
	const struct engine *engine;
	struct stat_table own;

	pthread_mutex_lock(&r->lock);
	engine = r->streams != NULL ? r->engine_run : r->engine;
	own = engine_counters(engine);
	telemetry_reply_str(reply, "engine", engine->name);
	telemetry_reply_str(reply, "next", r->engine->name);
	telemetry_reply_u64(reply, "retry", r->retry);
	telemetry_reply_u64(reply, "running", run_busy(r));
	telemetry_reply_u64(reply, "runs", r->n_runs);
	telemetry_reply_u64(reply, "n_lcores", r->streams != NULL ? r->plan.n_lcores : 0);
	telemetry_reply_u64(reply, "n_ports", r->streams != NULL ? r->plan.n_ports : 0);
	telemetry_reply_u64(reply, "n_streams", r->streams != NULL ? r->plan.n_streams : 0);
	telemetry_reply_u64(reply, "cycles",
		r->begin_tsc != 0 ? (r->running ? rte_rdtsc() : r->end_tsc) - r->begin_tsc : 0);
	telemetry_reply_u64(reply, "tsc_hz", (uint64_t)app->run.tsc_hz);
	for (unsigned int i = 0; r->streams != NULL && i < r->plan.n_streams; i++) {
		stat_read(named, r->streams[i]->count.named, sizeof(named));
		stat_add(&own, sum, named);
	}
	if (r->streams != NULL)
		run_account_read(r, &account);
	telemetry_sink_begin(&to, reply);
	stat_put(&to.sink, &run_account_stats, &account);
	to.sink.open(&to, "counters", false);
	stat_put(&to.sink, &own, sum);
	to.sink.close(&to);
	pthread_mutex_unlock(&r->lock);
	return 0;
}

static void
pool_put(struct pool_history *history, struct telemetry_reply *list, const struct rte_mempool *mp)
{
	struct pool_second second[POOL_HISTORY_SECONDS];
	struct pool_range range;
	struct telemetry_reply one;
	struct telemetry_sink to;
	struct pool_level level;

	if (mp == NULL)
		return;
	level = pool_level(mp);
	telemetry_reply_nest(&one);
	telemetry_sink_begin(&to, &one);
	telemetry_reply_u64(&one, "socket", (uint64_t)mp->socket_id);
	stat_put(&to.sink, &pool_stats, &level);
	if (pool_history_read(history, mp, &range, second))
		stat_put(&to.sink, &pool_range_stats, &range);
	telemetry_reply_u64(&one, "buffer_bytes",
		rte_pktmbuf_data_room_size((struct rte_mempool *)(uintptr_t)mp));
	telemetry_reply_u64(&one, "cache", mp->cache_size);
	telemetry_reply_put(list, mp->name, &one);
}

int
telemetry_config_pools(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct telemetry_reply list;

	telemetry_reply_rest(reply, &list);
	/* Pools are used, released and recreated only with the run's lock held. */
	pthread_mutex_lock(&app->run.lock);
	for (unsigned int i = 0; i < POOL_MAX; i++)
		pool_put(app->pool_history, &list, pool_at(&app->pools, i));
	pool_put(app->pool_history, &list, app->ports.rx_pool);
	pthread_mutex_unlock(&app->run.lock);
	telemetry_reply_put(reply, "pools", &list);
	return 0;
}

/* Telemetry of DMA devices: their properties and the counters of each vchan. */

int
telemetry_dma_all(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct telemetry_reply list, one;
	struct telemetry_sink to;
	uint64_t first;
	int16_t id;
	char name[12];

	if (telemetry_number(&params, 0, &first) != 0 || first > INT16_MAX)
		return -EINVAL;
	/* The users of a DMA device are found in the ports' devargs. */
	pthread_mutex_lock(&app->ports.reading);
	telemetry_reply_u64(reply, "n_dma", rte_dma_count_avail());
	telemetry_reply_rest(reply, &list);
	for (id = rte_dma_next_dev((int16_t)first); id >= 0;
		id = rte_dma_next_dev((int16_t)(id + 1))) {
		telemetry_reply_nest(&one);
		telemetry_sink_begin(&to, &one);
		dma_devices_put(&app->ports, &to.sink, id);
		snprintf(name, sizeof(name), "%d", id);
		if (!telemetry_reply_put(&list, name, &one))
			break;
	}
	pthread_mutex_unlock(&app->ports.reading);
	telemetry_reply_put(reply, "dma", &list);
	if (id >= 0)
		telemetry_reply_u64(reply, "next", (uint64_t)id);
	return 0;
}

/* Telemetry of engines' groups of statistics, and of the schema of all statistics, in pages. */

/* Read the name at *text up to a comma, and advance *text past it. -EINVAL: no name. */
static int
name_parse(const char **text, char *name, size_t bytes)
{
	const size_t n = *text != NULL ? strcspn(*text, ",") : 0;

	if (n == 0 || n >= bytes)
		return -EINVAL;
	memcpy(name, *text, n);
	name[n] = '\0';
	*text += n + ((*text)[n] == ',');
	return 0;
}

/* Add the group's members, starting with number first, as many as fit. -ENOENT: no such member. */
static int
members_put(struct telemetry_reply *reply, const struct run_groups *g, const char *name,
	uint64_t first)
{
	unsigned int begin = 0, end, i;
	struct telemetry_reply list, one;
	struct telemetry_sink to;
	char key[12];

	while (begin < g->n && strcmp(g->member[begin].group->stats->name, name) != 0)
		begin++;
	for (end = begin; end < g->n && g->member[end].group == g->member[begin].group;)
		end++;
	if (first >= end - begin)
		return -ENOENT;
	telemetry_reply_u64(reply, "n_members", end - begin);
	telemetry_reply_rest(reply, &list);
	for (i = begin + (unsigned int)first; i < end; i++) {
		telemetry_reply_nest(&one);
		telemetry_sink_begin(&to, &one);
		run_groups_put(g, i, &to.sink);
		snprintf(key, sizeof(key), "%u", i - begin);
		if (!telemetry_reply_put(&list, key, &one))
			break;
	}
	telemetry_reply_put(reply, "members", &list);
	if (i < end)
		telemetry_reply_u64(reply, "next", i - begin);
	return 0;
}

int
telemetry_groups_one(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct run *r = &app->run;
	struct run_groups g;
	uint64_t first = 0;
	char name[32];
	int ret = name_parse(&params, name, sizeof(name));

	if (ret == 0)
		ret = telemetry_number(&params, 0, &first);
	if (ret != 0)
		return ret;
	pthread_mutex_lock(&r->lock);
	ret = run_groups_open(&g, r);
	if (ret == 0) {
		telemetry_reply_u64(reply, "running", run_busy(r));
		telemetry_reply_u64(reply, "runs", r->n_runs);
		ret = members_put(reply, &g, name, first);
	}
	run_groups_close(&g);
	pthread_mutex_unlock(&r->lock);
	return ret;
}

int
telemetry_groups_schema(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct telemetry_reply list, one;
	struct telemetry_sink to;
	struct run_schema schema;
	uint64_t first;
	bool more;
	char key[12];

	if (telemetry_number(&params, 0, &first) != 0 || first > UINT16_MAX ||
		!run_schema_at(&app->run, (unsigned int)first, &schema))
		return -EINVAL;
	telemetry_reply_rest(reply, &list);
	for (more = true; more; more = run_schema_at(&app->run, (unsigned int)first, &schema)) {
		telemetry_reply_nest(&one);
		telemetry_sink_begin(&to, &one);
		run_schema_put(&schema, &to.sink);
		snprintf(key, sizeof(key), "%u", (unsigned int)first);
		if (!telemetry_reply_put(&list, key, &one))
			break;
		first++;
	}
	telemetry_reply_put(reply, "tables", &list);
	if (more)
		telemetry_reply_u64(reply, "next", first);
	return 0;
}

/* Telemetry of ports: names, links, the driver's counters. */

static void
stats_put(struct telemetry_reply *reply, struct ports *ps, uint16_t id)
{
	struct telemetry_sink to;
	struct rte_eth_stats st;

	if (port_stats_read_held(ps, id, &st) != 0)
		return;
	telemetry_sink_begin(&to, reply);
	stat_put(&to.sink, &port_stats, &st);
}

/* The caller holds ports.reading. */
static void
port_put(struct telemetry_reply *reply, struct ports *ps, const struct port *p)
{
	char name[RTE_ETH_NAME_MAX_LEN] = "";
	struct rte_eth_dev_info info;
	struct rte_eth_link link;
	uint16_t mtu;

	compat_port_name(p->id, name);
	telemetry_reply_str(reply, "name", name);
	if (rte_eth_dev_info_get(p->id, &info) == 0) {
		telemetry_reply_str(reply, "driver", info.driver_name);
		telemetry_reply_u64(reply, "n_rxq", info.nb_rx_queues);
		telemetry_reply_u64(reply, "n_txq", info.nb_tx_queues);
	}
	telemetry_reply_u64(reply, "started", p->state == PORT_STARTED);
	if (rte_eth_dev_get_mtu(p->id, &mtu) == 0)
		telemetry_reply_u64(reply, "mtu", mtu);
	memset(&link, 0, sizeof(link));
	if (p->state == PORT_STARTED && rte_eth_link_get_nowait(p->id, &link) == 0 &&
		link.link_status == RTE_ETH_LINK_UP) {
		telemetry_reply_u64(reply, "link_up", 1);
		if (link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
			telemetry_reply_u64(reply, "link_mbps", link.link_speed);
	} else {
		telemetry_reply_u64(reply, "link_up", 0);
	}
	stats_put(reply, ps, p->id);
}

int
telemetry_ports_all(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct telemetry_reply list, one;
	struct ports *ps = &app->ports;
	uint64_t first;
	unsigned int id, n = 0;
	char name[12];

	if (telemetry_number(&params, 0, &first) != 0 || first >= RTE_MAX_ETHPORTS)
		return -EINVAL;
	pthread_mutex_lock(&ps->reading);
	for (id = 0; id < RTE_MAX_ETHPORTS; id++)
		n += ps->port[id].state != PORT_ABSENT;
	telemetry_reply_u64(reply, "n_ports", n);
	telemetry_reply_rest(reply, &list);
	for (id = (unsigned int)first; id < RTE_MAX_ETHPORTS; id++) {
		const struct port *p = &ps->port[id];

		if (p->state == PORT_ABSENT || !rte_eth_dev_is_valid_port((uint16_t)id))
			continue;
		telemetry_reply_nest(&one);
		port_put(&one, ps, p);
		snprintf(name, sizeof(name), "%u", id);
		if (!telemetry_reply_put(&list, name, &one))
			break;
	}
	telemetry_reply_put(reply, "ports", &list);
	if (id < RTE_MAX_ETHPORTS)
		telemetry_reply_u64(reply, "next", id);
	pthread_mutex_unlock(&ps->reading);
	return 0;
}
