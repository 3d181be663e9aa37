/* The lines of a recording: header, begin and changes, which explain it years later, and those with statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/setting.h"
#include "base/stat.h"
#include "compat.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "record/record_priv.h"
#include "record/record_sample.h"
#include "run/account/run_account.h"
#include "run/account/run_count.h"
#include "run/account/run_schema.h"
#include "run/run.h"
#include "run/run_groups.h"

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_vect.h>
#include <rte_version.h>

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Write samples as lines, without zero cells of histograms. */

static void
timed(struct json *j, const struct stream_log_copy *c)
{
	const struct stat_cells h = { c->cell, STREAM_LOG_CELLS, 0, stream_log_cell_least };
	const struct stat_sink sink = stat_sink_json(j);

	out_json_enter(j, "timed", false);
	out_json_u64(j, "polls", c->polls);
	out_json_u64(j, "rx", c->rx);
	out_json_u64(j, "tx", c->tx);
	out_json_u64(j, "cycles", c->cycles);
	for (const struct stat_percentile *p = stat_percentiles; p->share <= STAT_HISTOGRAM_UPTO;
		p++)
		out_json_u64(j, p->name, stream_log_quantile(c, p->share));
	stat_put_cells(&sink, &h);
	out_json_leave(j);
}

static void
stream(struct json *j, const struct stream *s, unsigned int i, const struct record_stream *d,
	const struct record_kept *kept)
{
	const struct stat_table own = engine_counters(s->engine);
	const struct stat_sink sink = stat_sink_json(j);
	struct stream_count c = d->stats.count;

	run_count_lacks(s, &c);
	out_json_enter(j, NULL, false);
	out_json_u64(j, "stream", i);
	stat_put(&sink, &stream_stats, &c);
	stat_put(&sink, &run_count_bursts, &d->stats);
	timed(j, &d->log);
	out_json_enter(j, "counters", false);
	stat_put(&sink, &own, d->stats.count.named);
	out_json_leave(j);
	if (kept != NULL) {
		out_json_u64(j, "kept_polls", kept->kept);
		out_json_u64(j, "lost_polls", kept->lost);
	}
	out_json_leave(j);
}

static void
port(struct json *j, const struct record_port *p)
{
	const struct stat_sink sink = stat_sink_json(j);

	out_json_enter(j, NULL, false);
	out_json_u64(j, "port", p->id);
	if (p->known)
		stat_put(&sink, &port_stats, &p->stats);
	out_json_leave(j);
}

/*
 * Add the account of all streams and ports of the run, also those that are not recorded. over: the
 * run has ended, and the engine has finished its streams.
 */
static void
loss(struct json *j, const struct run *r, const struct record_sample *d, bool over)
{
	const struct stat_sink sink = stat_sink_json(j);
	struct run_account_sums sums;
	struct run_account a;

	run_account_begin(&sums, r);
	for (unsigned int i = 0; i < d->n_streams; i++)
		run_account_add_stream(&sums, r->streams[i], &d->stream[i].stats.count);
	for (unsigned int i = 0; i < d->n_ports; i++)
		if (d->port[i].known)
			run_account_add_port(&sums, d->port[i].id, &d->port[i].stats);
	run_account_end(&sums, &a);
	if (over && d->n_streams > 0)
		run_account_measured(r, &a);
	out_json_enter(j, "loss", false);
	stat_put(&sink, &run_account_stats, &a);
	out_json_leave(j);
}

static void
pool(struct json *j, const struct record_pool *p)
{
	const struct stat_sink sink = stat_sink_json(j);

	out_json_enter(j, NULL, false);
	record_line_str(j, "name", p->name);
	stat_put(&sink, &pool_stats, &p->level);
	out_json_leave(j);
}

/*
 * Add member groups to a line, {NAME: [member, ...]}, for recorded streams and for the run. fixed:
 * include groups that do not change during the run. Thread: any, during the run.
 */
static void
record_json_groups(struct json *j, const struct run_groups *g, const struct record_plan *plan,
	bool fixed)
{
	const struct stat_sink sink = stat_sink_json(j);
	const struct engine_group *open = NULL;

	out_json_enter(j, "groups", false);
	for (unsigned int i = 0; i < g->n; i++) {
		const struct run_group_member *m = &g->member[i];

		if (m->group->fixed && !fixed)
			continue;
		if (m->group != open) {
			if (open != NULL)
				out_json_leave(j);
			out_json_enter(j, m->group->stats->name, true);
			open = m->group;
		}
		if (!m->group->per_run && !record_plan_wants(plan, m->number))
			continue;
		out_json_enter(j, NULL, false);
		run_groups_put(g, i, &sink);
		out_json_leave(j);
	}
	if (open != NULL)
		out_json_leave(j);
	out_json_leave(j);
}

struct record_line
record_json_line(const char *type, const struct run *r, const struct record_plan *plan,
	const struct record_at *at, uint64_t dt_ns, const struct record_sample *d,
	const struct record_kept *kept)
{
	const bool end = strcmp(type, "end") == 0;
	/* Also a recording that stops during a run writes an end. */
	const bool over = end && r->end_tsc > r->base_tsc;
	struct json_part p;
	struct json *j = record_line_open(&p, type, at);

	if (j == NULL)
		return record_line_close(&p);
	out_json_u64(j, "dt_ns", dt_ns);
	if (end && r->trial != NULL && r->trial->cut)
		out_json_bool(j, "cut", true);
	if (over)
		out_json_u64(j, "run_ns",
			(uint64_t)((double)(r->end_tsc - r->base_tsc) / r->tsc_hz * 1e9));
	out_json_enter(j, "streams", true);
	for (unsigned int i = 0; i < d->n_streams; i++)
		if (record_plan_wants(plan, i))
			stream(j, r->streams[i], i, &d->stream[i], kept != NULL ? &kept[i] : NULL);
	out_json_leave(j);
	out_json_enter(j, "ports", true);
	for (unsigned int i = 0; i < d->n_ports; i++)
		port(j, &d->port[i]);
	out_json_leave(j);
	loss(j, r, d, over);
	out_json_enter(j, "pools", true);
	for (unsigned int i = 0; i < d->n_pools; i++)
		pool(j, &d->pool[i]);
	out_json_leave(j);
	record_json_groups(j, &d->groups, plan, false);
	return record_line_close(&p);
}

#define WORD_BYTES 4096 /* maximum length of a setting's value */

/* Get the CPU's name, "AMD EPYC", or "" if the kernel does not report it. */
static void
cpu_name(char *to, size_t bytes)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];

	to[0] = '\0';
	while (f != NULL && to[0] == '\0' && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL)
			snprintf(to, bytes, "%s", strchr(line, ':') + 2);
	to[strcspn(to, "\n")] = '\0';
	if (f != NULL)
		fclose(f);
}

static void
machine(struct json *j)
{
	struct utsname name;
	char cpu[128];

	memset(&name, 0, sizeof(name));
	uname(&name);
	cpu_name(cpu, sizeof(cpu));
	out_json_enter(j, "machine", false);
	record_line_str(j, "host", name.nodename);
	record_line_str(j, "kernel", name.release);
	record_line_str(j, "architecture", name.machine);
	record_line_str(j, "cpu", cpu);
	out_json_u64(j, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	out_json_leave(j);
}

/* Add the time of three clocks at one moment, so that readers can convert between them. */
static void
clocks(struct json *j, double tsc_hz)
{
	struct timespec wall;
	char text[32];
	struct tm utc;

	clock_gettime(CLOCK_REALTIME, &wall);
	gmtime_r(&wall.tv_sec, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	out_json_u64(j, "tsc_hz", (uint64_t)tsc_hz);
	out_json_enter(j, "start", false);
	record_line_str(j, "wall", text);
	out_json_u64(j, "wall_ns", (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec);
	out_json_u64(j, "mono_ns", record_line_clock());
	out_json_u64(j, "tsc", rte_rdtsc());
	out_json_leave(j);
}

static void
lcores(struct json *j)
{
	unsigned int lcore;

	out_json_enter(j, "lcores", true);
	RTE_LCORE_FOREACH(lcore) {
		out_json_enter(j, NULL, false);
		out_json_u64(j, "lcore", lcore);
		out_json_u64(j, "socket", rte_lcore_to_socket_id(lcore));
		out_json_bool(j, "main", lcore == rte_get_main_lcore());
		out_json_leave(j);
	}
	out_json_leave(j);
}

/* Add the driver's burst function, "Vector AVX2"; null if the driver does not report it. */
static void
burst_mode(struct json *j, const char *key, uint16_t head_port, uint16_t queue, bool rx)
{
	struct rte_eth_burst_mode mode;
	int ret;

	memset(&mode, 0, sizeof(mode));
	ret = rx ? rte_eth_rx_burst_mode_get(head_port, queue, &mode)
		 : rte_eth_tx_burst_mode_get(head_port, queue, &mode);
	record_line_str(j, key, ret == 0 ? mode.info : NULL);
}

static void
head_port(struct json *j, const struct port *p)
{
	char name[RTE_ETH_NAME_MAX_LEN] = "", mac[RTE_ETHER_ADDR_FMT_SIZE];
	struct rte_eth_link link;

	memset(&link, 0, sizeof(link));
	compat_port_name(p->id, name);
	rte_ether_format_addr(mac, sizeof(mac), &p->mac);
	out_json_enter(j, NULL, false);
	out_json_u64(j, "port", p->id);
	record_line_str(j, "name", name);
	record_line_str(j, "driver", p->info.driver_name);
	record_line_str(j, "mac", mac);
	out_json_i64(j, "socket", p->socket);
	out_json_bool(j, "started", p->state == PORT_STARTED);
	if (p->state == PORT_STARTED && rte_eth_link_get_nowait(p->id, &link) == 0)
		out_json_u64(j, "link_mbps", link.link_status ? link.link_speed : 0);
	out_json_u64(j, "mtu", p->mtu);
	out_json_u64(j, "rx_queues", p->n_rxq);
	out_json_u64(j, "tx_queues", p->n_txq);
	out_json_u64(j, "rx_offloads", p->conf.rxmode.offloads);
	out_json_u64(j, "tx_offloads", p->conf.txmode.offloads);
	if (p->state == PORT_STARTED) {
		burst_mode(j, "rx_path", p->id, 0, true);
		burst_mode(j, "tx_path", p->id, 0, false);
	}
	out_json_leave(j);
}

static void
ports(struct json *j, const struct run *r)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int n = port_ids(r->ports, ids);

	out_json_enter(j, "ports", true);
	for (unsigned int i = 0; i < n; i++)
		head_port(j, port_at(r->ports, ids[i]));
	out_json_leave(j);
}

/* Add the value of a setting: a number, true or false, or a word. */
static void
value_put(struct json *j, const char *key, const struct setting *s, uint64_t number,
	const char *word)
{
	if (s->kind == SETTING_UINT)
		out_json_u64(j, key, number);
	else if (s->kind == SETTING_BOOL)
		out_json_bool(j, key, number != 0);
	else
		record_line_str(j, key, word);
}

/*
 * Add all settings; of_run: the values used by the run, without changes that wait for the next
 * start.
 */
static void
settings(struct json *j, struct settings *all, bool of_run)
{
	char word[WORD_BYTES];
	const struct setting *s;
	uint64_t number;

	out_json_enter(j, "settings", false);
	for (size_t i = 0; (s = (of_run ? setting_of_run : setting_copy)(all, i, &number, word,
				    sizeof(word))) != NULL;
		i++)
		value_put(j, s->name, s, number, word);
	out_json_leave(j);
}

static void
asked(struct json *j, const struct record_plan *plan)
{
	out_json_u64(j, "every_ms", plan->every_ms);
	out_json_u64(j, "bursts_every", plan->bursts);
	if (plan->n == 0)
		return;
	out_json_enter(j, "only_streams", true);
	for (unsigned int i = 0; i < plan->n; i++)
		out_json_u64(j, NULL, plan->list[i]);
	out_json_leave(j);
}

/* Add the description of all statistics. */
static void
schema(struct json *j, const struct run *r)
{
	const struct stat_sink sink = stat_sink_json(j);
	struct run_schema one;

	out_json_enter(j, "schema", true);
	for (unsigned int i = 0; run_schema_at(r, i, &one); i++) {
		out_json_enter(j, NULL, false);
		run_schema_put(&one, &sink);
		out_json_leave(j);
	}
	out_json_leave(j);
}

struct record_line
record_head_line(const struct run *r, const struct record_plan *plan, const char *version,
	const char *id)
{
	struct json_part p;
	struct json *j = record_line_open(&p, "header", NULL);

	if (j == NULL)
		return record_line_close(&p);
	record_line_str(j, "format", "zcfwd-record");
	out_json_u64(j, "version", RECORD_HEAD_VERSION);
	record_line_str(j, "recording", id);
	record_line_str(j, "zcfwd", version);
	record_line_str(j, "dpdk", rte_version());
	out_json_u64(j, "max_simd_bits", rte_vect_get_max_simd_bitwidth());
	machine(j);
	clocks(j, r->tsc_hz);
	asked(j, plan);
	lcores(j);
	ports(j, r);
	record_line_str(j, "engine", (r->running ? r->engine_run : r->engine)->name);
	settings(j, r->settings, false);
	schema(j, r);
	return record_line_close(&p);
}

/* Add the groups that are fixed for the run; omitted if there is no memory. */
static void
groups(struct json *j, const struct run *r, const struct record_plan *plan)
{
	struct run_groups g;

	if (run_groups_open(&g, r) == 0)
		record_json_groups(j, &g, plan, true);
	run_groups_close(&g);
}

static void
head_stream(struct json *j, const struct stream *s, unsigned int i)
{
	const struct stat_sink sink = stat_sink_json(j);

	out_json_enter(j, NULL, false);
	out_json_u64(j, "stream", i);
	run_count_identity(s, &sink);
	out_json_u64(j, "socket", rte_lcore_to_socket_id(s->lcore));
	burst_mode(j, "rx_path", s->rx_port, s->rx_queue, true);
	burst_mode(j, "tx_path", s->tx_port, s->tx_queue, false);
	record_line_str(j, "rx_pool", s->rx_pool != NULL ? s->rx_pool->name : NULL);
	out_json_leave(j);
}

/* Add the position of the run in a comparison. */
static void
trial(struct json *j, const struct run_trial *t)
{
	out_json_enter(j, "compare", false);
	out_json_u64(j, "comparison", t->comparison);
	out_json_u64(j, "round", t->round);
	out_json_u64(j, "combination", t->combination);
	out_json_enter(j, "names", true);
	for (unsigned int i = 0; i < t->n_names; i++)
		record_line_str(j, NULL, t->names[i]);
	out_json_leave(j);
	out_json_enter(j, "values", true);
	for (unsigned int i = 0; i < t->n_names; i++)
		record_line_str(j, NULL, t->values[i]);
	out_json_leave(j);
	out_json_leave(j);
}

struct record_line
record_head_begin(const struct run *r, const struct record_plan *plan, const struct record_at *at,
	bool late)
{
	struct json_part p;
	struct json *j = record_line_open(&p, "begin", at);

	if (j == NULL)
		return record_line_close(&p);
	out_json_bool(j, "late", late);
	record_line_str(j, "engine", r->engine_run->name);
	out_json_bool(j, "makes_packets", (r->engine_run->flags & ENGINE_MAKES) != 0);
	out_json_bool(j, "sends_packets", (r->engine_run->flags & ENGINE_NO_TX) == 0);
	out_json_bool(j, "retry", r->retry);
	if (r->trial != NULL)
		trial(j, r->trial);
	out_json_enter(j, "streams", true);
	for (unsigned int i = 0; i < r->plan.n_streams; i++)
		if (record_plan_wants(plan, i))
			head_stream(j, r->streams[i], i);
	out_json_leave(j);
	groups(j, r, plan);
	ports(j, r);
	settings(j, r->settings, true);
	return record_line_close(&p);
}

struct record_line
record_head_set(const struct run *r, const struct record_at *at, const char *name)
{
	const struct setting *row = setting_find(r->settings, name);
	char word[32];
	struct json_part p;
	struct json *j = record_line_open(&p, "set", at);

	if (j == NULL)
		return record_line_close(&p);
	record_line_str(j, "name", name);
	value_put(j, "value", row, row->kind == SETTING_TEXT ? 0 : setting_u64(r->settings, name),
		setting_word(r->settings, name, word, sizeof(word)));
	out_json_bool(j, "next_start", r->running && setting_waits(r->settings, name));
	return record_line_close(&p);
}

struct record_line
record_head_stop(const struct record_at *at)
{
	struct json_part p;

	record_line_open(&p, "stop", at);
	return record_line_close(&p);
}
