/* The pages of top other than streams: ports, lcores, pools, engine counters, asked and reached rates. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/stat.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "port/port.h"
#include "run/account/run_count.h"
#include "run/run_cpu.h"
#include "run/run_engines.h"
#include "run/run_groups.h"
#include "show/top_priv.h"

#include <rte_ethdev.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double
ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* The i-th existing port. */
static uint16_t
port_at_row(const struct top_stats *f, unsigned int i)
{
	uint16_t ids[RTE_MAX_ETHPORTS];

	return i < port_ids(f->run->ports, ids) ? ids[i] : 0;
}

static unsigned int
ports_rows(const struct top_stats *f)
{
	uint16_t ids[RTE_MAX_ETHPORTS];

	return port_ids(f->run->ports, ids);
}

/* Packets per second that streams dropped because the port's Tx ring was full. */
static double
port_drops(const struct top_stats *f, uint16_t port)
{
	double drops = 0;

	for (unsigned int i = 0; i < f->n; i++)
		if (f->run->streams[i]->tx_port == port)
			drops += (double)(f->now->count[i].count.tx_dropped -
				f->before->count[i].count.tx_dropped);
	return drops / f->seconds;
}

static void
ports_row(const struct top_stats *f, unsigned int i, struct top_page_row *row)
{
	const uint16_t port = port_at_row(f, i);
	const struct rte_eth_stats *a = &f->before->port[port], *b = &f->now->port[port];
	const double rx = (double)(b->ipackets - a->ipackets),
		     missed = (double)(b->imissed - a->imissed);
	struct rte_eth_link link = { 0 };
	const bool up = rte_eth_link_get_nowait(port, &link) == 0 && link.link_status;

	snprintf(row->name, sizeof(row->name), "%u %s", port,
		up ? rte_eth_link_speed_to_str(link.link_speed) : "down");
	row->cell[0] = rx / f->seconds / 1e6;
	row->cell[1] = (double)(b->opackets - a->opackets) / f->seconds / 1e6;
	row->cell[2] = 8 * (double)(b->ibytes - a->ibytes) / f->seconds / 1e9;
	row->cell[3] = 8 * (double)(b->obytes - a->obytes) / f->seconds / 1e9;
	row->cell[4] = missed / f->seconds;
	row->cell[5] = (double)(b->rx_nombuf - a->rx_nombuf) / f->seconds;
	row->cell[6] = port_drops(f, port) + (double)(b->oerrors - a->oerrors) / f->seconds;
	row->cell[7] = 100 * ratio(missed, rx + missed);
}

/* Find the first stream of the i-th lcore that has streams. Returns false past the end. */
static bool
lcore_at_row(const struct top_stats *f, unsigned int i, unsigned int *first)
{
	for (unsigned int k = 0; k < f->n; k++) {
		bool seen = false;

		for (unsigned int before = 0; before < k; before++)
			seen |= f->run->streams[before]->lcore == f->run->streams[k]->lcore;
		*first = k;
		if (!seen && i-- == 0)
			return true;
	}
	return false;
}

static unsigned int
lcores_rows(const struct top_stats *f)
{
	unsigned int n = 0, first;

	while (lcore_at_row(f, n, &first))
		n++;
	return n;
}

/* Return the share of its CPU that an lcore had in the interval. */
static double
lcore_share(const struct top_stats *f, unsigned int lcore)
{
	for (unsigned int i = 0; i < f->now->groups.n; i++) {
		const struct run_group_member *m = &f->now->groups.member[i];
		struct run_cpu_count now, before;

		if (m->group != &run_cpu_group || run_cpu_member(m->stream, m->index) != lcore)
			continue;
		memcpy(&now, f->now->groups.values + m->at, sizeof(now));
		memcpy(&before, f->before->groups.values + m->at, sizeof(before));
		stat_subtract(&run_cpu_stats, &now, &before);
		return run_cpu_share(&now);
	}
	return NAN;
}

double
top_pages_cpu(const struct top_stats *f)
{
	double least = NAN;
	unsigned int first;

	for (unsigned int i = 0; lcore_at_row(f, i, &first); i++)
		least = fmin(least, lcore_share(f, f->run->streams[first]->lcore));
	return least;
}

static void
lcores_row(const struct top_stats *f, unsigned int i, struct top_page_row *row)
{
	double packets = 0, busy = 0, drops = 0, polls = 0, empty = 0;
	bool timed = false, counted = false;
	unsigned int first, n = 0;

	if (!lcore_at_row(f, i, &first))
		return;
	for (unsigned int k = first; k < f->n; k++) {
		const struct stream *s = f->run->streams[k];
		const struct run_count *a = &f->before->count[k], *b = &f->now->count[k];
		const bool makes = (s->engine->flags & ENGINE_MAKES) != 0;

		if (s->lcore != f->run->streams[first]->lcore)
			continue;
		n++;
		packets += (double)(makes ? b->count.tx - a->count.tx : b->count.rx - a->count.rx);
		busy += (double)(b->count.busy_cycles - a->count.busy_cycles);
		drops += top_stats_drops(f, k);
		timed |= stream_timed(s);
		counted |= stream_records(s, STREAM_RECORD_BURSTS);
		for (unsigned int cell = 0; cell < HIST_CELLS; cell++)
			polls += (double)(b->rx_bursts.cell[cell] - a->rx_bursts.cell[cell]);
		empty += (double)(b->rx_bursts.cell[0] - a->rx_bursts.cell[0]);
	}
	snprintf(row->name, sizeof(row->name), "%u", f->run->streams[first]->lcore);
	row->cell[0] = timed ? 100 * busy / (f->seconds * f->hz) : NAN;
	row->cell[1] = n;
	row->cell[2] = packets / f->seconds / 1e6;
	row->cell[3] = timed ? ratio(busy, packets) : NAN;
	row->cell[4] = counted ? 100 * ratio(empty, polls) : NAN;
	row->cell[5] = drops / f->seconds;
	row->cell[6] = 100 * lcore_share(f, f->run->streams[first]->lcore);
}

static const struct rte_mempool *
pool_at_row(const struct top_stats *f, unsigned int i)
{
	for (unsigned int k = 0; f->run->pools != NULL && k < POOL_MAX; k++) {
		const struct rte_mempool *mp = pool_at(f->run->pools, k);

		if (mp != NULL && i-- == 0)
			return mp;
	}
	return NULL;
}

static unsigned int
pools_rows(const struct top_stats *f)
{
	unsigned int n = 0;

	while (pool_at_row(f, n) != NULL)
		n++;
	return n;
}

static void
pools_row(const struct top_stats *f, unsigned int i, struct top_page_row *row)
{
	const struct rte_mempool *mp = pool_at_row(f, i);
	unsigned int available;

	if (mp == NULL)
		return;
	available = rte_mempool_avail_count(mp);
	snprintf(row->name, sizeof(row->name), "%s", mp->name);
	row->cell[0] = 100.0 * available / mp->size;
	row->cell[1] = available;
	row->cell[2] = mp->size - available;
	row->cell[3] = mp->size;
	row->cell[4] = mp->cache_size;
}

/* Rows of the engine's own counters, followed by those of its groups. */
static unsigned int
engine_rows(const struct top_stats *f)
{
	unsigned int n = 0;

	if (f->n == 0)
		return 0;
	n = (unsigned int)engine_counters(f->run->engine_run).n;
	for (unsigned int i = 0; i < f->now->groups.n; i++)
		n += (unsigned int)f->now->groups.member[i].group->stats->n;
	return n;
}

/* Name a member: its group, and its lcore, its number in the run, or its stream, with its number there. */
static void
member_name(const struct run_group_member *m, char *to, size_t bytes)
{
	const char *group = m->group->stats->name;
	const bool cpu = m->group == &run_cpu_group;

	if (m->group->per_run)
		snprintf(to, bytes, "%.20s %u", group,
			cpu ? run_cpu_member(m->stream, m->index) : m->index);
	else if (m->group->members == NULL)
		snprintf(to, bytes, "%.20s %u", group, m->number);
	else
		snprintf(to, bytes, "%.20s %u.%u", group, m->number, m->index);
}

/* Fill in row k of a member of a group. */
static void
member_row(const struct top_stats *f, unsigned int member, size_t k, struct top_page_row *row)
{
	const struct run_groups *now = &f->now->groups, *before = &f->before->groups;
	const struct run_group_member *m = &now->member[member];
	const struct stat_table *t = m->group->stats;
	const uint64_t value = stat_value(t, k, now->values + m->at);
	const bool grows = t->row[k].kind == STAT_COUNTER;
	char of[48];

	member_name(m, of, sizeof(of));
	snprintf(row->name, sizeof(row->name), "%.22s %.24s", of, t->row[k].name);
	row->cell[0] = !grows || value == STAT_NONE
		? NAN
		: (double)(value - stat_value(t, k, before->values + m->at)) / f->seconds;
	row->cell[1] = value == STAT_NONE ? NAN : (double)value;
}

static void
engine_row(const struct top_stats *f, unsigned int i, struct top_page_row *row)
{
	const struct stat_table own = engine_counters(f->run->engine_run);
	uint64_t before = 0, now = 0;

	for (unsigned int k = 0; i >= own.n && k < f->now->groups.n; k++) {
		const size_t n = f->now->groups.member[k].group->stats->n;

		if (i - own.n < n) {
			member_row(f, k, i - own.n, row);
			return;
		}
		i -= (unsigned int)n;
	}
	if (i >= own.n)
		return;
	for (unsigned int k = 0; k < f->n; k++) {
		before += stat_value(&own, i, f->before->count[k].count.named);
		now += stat_value(&own, i, f->now->count[k].count.named);
	}
	snprintf(row->name, sizeof(row->name), "%s", own.row[i].name);
	row->cell[0] = (double)(now - before) / f->seconds;
	row->cell[1] = (double)now;
}

/* Read part i of what the engine sends. */
static bool
part_at_row(const struct top_stats *f, unsigned int i, struct engine_part *part)
{
	const struct engine *engine = f->n > 0 ? f->run->engine_run : NULL;

	return engine != NULL && engine->part != NULL &&
		engine->part(run_engines_config(f->run, engine), i, part);
}

static unsigned int
rates_rows(const struct top_stats *f)
{
	struct engine_part part;
	unsigned int n = 0;

	while (part_at_row(f, n, &part))
		n++;
	return n;
}

static void
rates_row(const struct top_stats *f, unsigned int i, struct top_page_row *row)
{
	struct engine_part part;

	if (!part_at_row(f, i, &part))
		return;
	snprintf(row->name, sizeof(row->name), "%s", part.name);
	row->cell[0] = part.reached;
	row->cell[1] = part.asked;
	row->cell[2] = part.port;
	row->cell[3] = (double)part.sent;
	row->cell[4] = (double)part.unsent;
	row->cell[5] = (double)part.refused;
}

const struct top_page top_pages[] = {
	{ "ports", "port and link", 14,
		{ { "rx Mpps", "rx_mpps", 8, 3 }, { "tx Mpps", "tx_mpps", 8, 3 },
			{ "rx Gb/s", "rx_gbps", 8, 3 }, { "tx Gb/s", "tx_gbps", 8, 3 },
			{ "missed/s", "rx_missed_per_second", 10, 0 },
			{ "nombuf/s", "rx_nombuf_per_second", 10, 0 },
			{ "drops/s", "tx_dropped_per_second", 10, 0 },
			{ "rx loss%", "rx_loss_percent", 8, 3 } },
		8, ports_rows, ports_row },
	{ "lcores", "lcore", 6,
		{ { "busy%", "busy_percent", 6, 1 }, { "streams", "streams", 7, 0 },
			{ "Mpps", "mpps", 8, 3 }, { "cyc/pkt", "cycles_per_packet", 8, 1 },
			{ "empty%", "empty_percent", 6, 1 },
			{ "drops/s", "drops_per_second", 9, 0 }, { "CPU%", "cpu_percent", 6, 1 } },
		7, lcores_rows, lcores_row },
	{ "pools", "pool", 20,
		{ { "free%", "free_percent", 6, 1 }, { "free", "free", 10, 0 },
			{ "in use", "in_use", 10, 0 }, { "size", "size", 10, 0 },
			{ "cache", "cache", 6, 0 } },
		5, pools_rows, pools_row },
	{ "engine", "counter", 44,
		{ { "per second", "per_second", 14, 0 }, { "total", "total", 18, 0 } }, 2,
		engine_rows, engine_row },
	{ "rates", "sent stream", 16,
		{ { "reached pps", "reached_pps", 12, 0 }, { "asked pps", "asked_pps", 12, 0 },
			{ "port", "port", 4, 0 }, { "sent", "sent", 14, 0 },
			{ "unsent", "unsent", 10, 0 }, { "refused", "tx_dropped", 10, 0 } },
		6, rates_rows, rates_row },
};
static_assert(ARRAY_SIZE(top_pages) <= TOP_PAGES_MAX, "");
const unsigned int top_pages_n = ARRAY_SIZE(top_pages);

void
top_pages_remember(struct top_stats *f)
{
	for (unsigned int p = 0; p < top_pages_n; p++) {
		const unsigned int n = top_pages[p].rows(f);

		for (unsigned int i = 0; i < n && i < TOP_PAST_ROWS; i++) {
			struct top_page_row row = { .cell = { NAN } };

			top_pages[p].row(f, i, &row);
			memmove(f->past[p][i], f->past[p][i] + 1,
				(TOP_PAST - 1) * sizeof(f->past[p][i][0]));
			f->past[p][i][TOP_PAST - 1] = row.cell[0];
		}
	}
	f->n_past += f->n_past < TOP_PAST;
}
