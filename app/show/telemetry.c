/* Connects DPDK's telemetry to the program: endpoints, access by telemetry threads, the socket. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/telemetry.h"

#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "show/telemetry_priv.h"
#include "show/telemetry_reply.h"

#include <rte_lcore.h>
#include <rte_memzone.h>
#include <rte_telemetry.h>
#include <rte_version.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

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

#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
/* Answers /eal/lcore/usage. Thread: telemetry. */
static int
on_usage(unsigned int lcore, struct rte_lcore_usage *usage)
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
#endif

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
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	rte_lcore_register_usage_cb(on_usage);
#endif
	return ret == 0 ? 0 : err_set(e, -ret, "telemetry: endpoints: %s", strerror(-ret));
}

void
telemetry_close(void)
{
	struct handover *h = take();

	if (h == NULL)
		return;
	h->app = NULL;
	give(h);
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	rte_lcore_register_usage_cb(NULL);
#endif
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
telemetry_show(struct out *out, struct err *e)
{
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
