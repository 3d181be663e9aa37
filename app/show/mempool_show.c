/* Commands of mempools; `show mempool`: level, caches, blocks, footprint. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/stat.h"
#include "cmdline/grammar/grammar.h"
#include "memory/pool.h"
#include "memory/pool_history.h"
#include "memory/pool_ops.h"

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

/* The state of a mempool at one moment. */
struct mempool_state {
	uint64_t size, available, in_use;
	uint64_t surplus;    /* available beyond size */
	uint64_t cached;     /* available elements in lcores' caches */
	uint64_t cache_size; /* per lcore */
	uint64_t block;      /* elements per contiguous block; 1: no blocks */
	uint64_t element_bytes, header_bytes, object_bytes, trailer_bytes;
	uint64_t memory_bytes, chunks;
	/* STAT_NONE if this DPDK does not count them */
	uint64_t contig_gets, contig_fails, get_fails;
};

#define ROW(member) \
	.name = #member, .kind = STAT_GAUGE, .at = offsetof(struct mempool_state, member)

static const struct stat_row rows[] = {
	{ ROW(size), .unit = "buffers", .help = "number of elements in the pool" },
	{ ROW(available), .unit = "buffers",
		.help = "elements not in use, including those in caches" },
	{ ROW(in_use), .unit = "buffers", .help = "elements in use" },
	{ ROW(surplus), .unit = "buffers",
		.help = "elements available beyond the size, which were freed twice" },
	{ ROW(cached), .unit = "buffers",
		.help = "available elements in lcore caches, each usable by its lcore only" },
	{ ROW(cache_size), .unit = "buffers", .help = "cache size of each lcore" },
	{ ROW(block), .unit = "buffers", .help = "elements per contiguous block (1: no blocks)" },
	{ ROW(element_bytes), .unit = "bytes",
		.help = "size of an element with header and trailer" },
	{ ROW(header_bytes), .unit = "bytes", .help = "size of DPDK's header before an element" },
	{ ROW(object_bytes), .unit = "bytes", .help = "usable size of an element" },
	{ ROW(trailer_bytes), .unit = "bytes",
		.help = "padding after an element, which spreads elements over memory channels" },
	{ ROW(memory_bytes), .unit = "bytes", .help = "memory of all elements" },
	{ ROW(chunks), .unit = "chunks", .help = "number of memory chunks" },
	{ ROW(contig_gets), .unit = "blocks", .help = "contiguous blocks allocated" },
	{ ROW(contig_fails), .unit = "blocks",
		.help = "contiguous blocks requested while none was free" },
	{ ROW(get_fails), .unit = "buffers", .help = "elements requested while too few were free" },
};

static const struct stat_table mempool_stats = { "mempool", rows, ARRAY_SIZE(rows), false };

static uint64_t
cached_by(const struct rte_mempool *mp, unsigned int lcore)
{
	return mp->cache_size > 0 ? mp->local_cache[lcore].len : 0;
}

static void
counts_read(const struct rte_mempool *mp, struct mempool_state *m)
{
#ifdef RTE_LIBRTE_MEMPOOL_STATS
	for (unsigned int i = 0; i < RTE_DIM(mp->stats); i++) {
		m->contig_gets += mp->stats[i].get_success_blks;
		m->contig_fails += mp->stats[i].get_fail_blks;
		m->get_fails += mp->stats[i].get_fail_objs;
	}
#else
	m->contig_gets = m->contig_fails = m->get_fails = STAT_NONE;
#endif
}

static struct mempool_state
state_read(const struct rte_mempool *mp)
{
	struct mempool_state m = {
		.size = mp->size,
		.available = rte_mempool_avail_count(mp),
		.surplus = pool_ops_surplus(mp),
		.cache_size = mp->cache_size,
		.block = pool_ops_block(mp),
		.element_bytes = pool_ops_stride(mp),
		.header_bytes = mp->header_size,
		.object_bytes = mp->elt_size,
		.trailer_bytes = mp->trailer_size,
		.chunks = mp->nb_mem_chunks,
	};
	const struct rte_mempool_memhdr *chunk;

	m.in_use = m.size - m.available;
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++)
		m.cached += cached_by(mp, i);
	STAILQ_FOREACH(chunk, &mp->mem_list, next)
	m.memory_bytes += chunk->len;
	counts_read(mp, &m);
	return m;
}

static void
caches_show(const struct rte_mempool *mp, struct out *o)
{
	out_nest(o, "lcores", OUT_ARRAY);
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++) {
		if (cached_by(mp, i) == 0)
			continue;
		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "lcore", ", lcore %" PRIu64, i);
		out_u64(o, "cached", " has %" PRIu64, cached_by(mp, i));
		out_unnest(o);
	}
	out_unnest(o);
	out_text(o, "\n");
}

/* Return why there are no blocks of more than one element. */
static const char *
why_none(const struct rte_mempool *mp)
{
	if (!pool_ops_has_blocks(pool_ops_name(mp)))
		return "the driver supports single elements only";
	return rte_eal_has_hugepages() ? "a bucket has room for one element only"
				       : "without huge pages a bucket is one small page";
}

static void
text_show(const struct rte_mempool *mp, const struct mempool_state *m, struct out *o)
{
	out_text(o,
		"  %-12s %" PRIu64 " bytes: header %" PRIu64 ", object %" PRIu64
		", trailer %" PRIu64 "\n",
		"element", m->element_bytes, m->header_bytes, m->object_bytes, m->trailer_bytes);
	out_text(o,
		"  %-12s %.1f MiB, %.2f times the size of all elements, in %" PRIu64 " chunks\n",
		"footprint", (double)m->memory_bytes / 1048576.,
		(double)m->memory_bytes / ((double)m->size * (double)m->element_bytes), m->chunks);
	if (m->block > 1)
		out_text(o, "  %-12s of %" PRIu64 " elements, in buckets of %u bytes\n", "blocks",
			m->block, pool_ops_bucket());
	else
		out_text(o, "  %-12s of 1: %s\n", "blocks", why_none(mp));
	if (m->contig_gets != STAT_NONE)
		out_text(o,
			"  %-12s %" PRIu64 " allocated, %" PRIu64
			" failed; single elements: %" PRIu64 " failed\n",
			"", m->contig_gets, m->contig_fails, m->get_fails);
	else if (m->block > 1)
		out_text(o, "  %-12s no counts: this DPDK was built without mempool statistics\n",
			"");
	out_text(o, "  %-12s %" PRIu64 " per lcore", "cache", m->cache_size);
}

/* Print the last minute's lowest levels, one per step seconds. */
static void
lows_show(const struct pool_second *second, unsigned int step, struct out *o)
{
	out_text(o, "  %-12s lowest per %u s, oldest first:", "", step);
	for (unsigned int i = POOL_HISTORY_SECONDS; i > 0; i -= step) {
		uint32_t low = UINT32_MAX;

		for (unsigned int k = i - step; k < i; k++)
			low = RTE_MIN(low, second[k].low);
		if (low != UINT32_MAX)
			out_text(o, " %u", low);
	}
	out_text(o, "\n");
}

static void
history_show(struct pool_history *history, const struct rte_mempool *mp,
	const struct stat_sink *sink, struct out *o)
{
	struct pool_second second[POOL_HISTORY_SECONDS];
	struct pool_range range;

	if (!pool_history_read(history, mp, &range, second))
		return;
	stat_put(sink, &pool_range_stats, &range);
	out_nest(o, "seconds", OUT_ARRAY);
	for (unsigned int i = 0; i < POOL_HISTORY_SECONDS; i++) {
		if (second[i].low > second[i].high)
			continue;
		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "ago_s", NULL, i);
		out_u64(o, "low", NULL, second[i].low);
		out_u64(o, "high", NULL, second[i].high);
		out_unnest(o);
	}
	out_unnest(o);
	out_text(o,
		"  %-12s available %" PRIu64 "..%" PRIu64 ", in the last minute %" PRIu64
		"..%" PRIu64 "\n",
		"over time", range.low, range.high, range.minute_low, range.minute_high);
	lows_show(second, 5, o);
}

/* The arguments of show_one() for rte_mempool_walk(). */
struct shown {
	const struct pools *pools;
	struct pool_history *history;
	struct out *out;
};

static void
show_one(struct rte_mempool *mp, void *shown)
{
	const struct mempool_state m = state_read(mp);
	const struct shown *to = shown;
	const char *why = pool_why(to->pools, mp);
	struct out *o = to->out;
	const struct stat_sink sink = stat_sink_out(o);

	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "name", "Mempool %s:", mp->name);
	out_str(o, "driver", " driver %s", pool_ops_name(mp));
	out_i64(o, "socket", ", socket %" PRId64 "\n", mp->socket_id);
	if (why != NULL) {
		out_text(o, "  %-12s ", "chosen");
		out_str(o, "driver_reason", "%s\n", why);
	}
	stat_put(&sink, &mempool_stats, &m);
	out_text(o, "  %-12s size %" PRIu64 ", available %" PRIu64 ", in use %" PRIu64 "\n",
		"level", m.size, m.available, m.in_use);
	if (m.surplus > 0)
		out_text(o, "  %-12s double free: %" PRIu64 " more available than the pool has\n",
			"", m.surplus);
	history_show(to->history, mp, &sink, o);
	text_show(mp, &m, o);
	caches_show(mp, o);
	out_unnest(o);
}

/* Print the buffer size that gives blocks of that many elements. */
static int
wanted_show(unsigned int block, struct out *o, struct err *e)
{
	const uint32_t element = pool_ops_element(block);
	const uint16_t buffer = pool_ops_buffer(block);

	if (element == 0 || buffer == 0)
		return err_set(e, ERANGE,
			"blocks of %u: no buffer size divides a bucket of %u bytes%s into %u",
			block, pool_ops_bucket(), rte_eal_has_hugepages() ? "" : " (no huge pages)",
			block);
	out_nest(o, "wanted", OUT_OBJECT);
	out_u64(o, "block", "Blocks of %" PRIu64, block);
	out_u64(o, "element_bytes", ": elements of at most %" PRIu64 " bytes", element);
	out_u64(o, "mbuf_size", ", so --mbuf-size=%" PRIu64 " with driver bucket\n", buffer);
	out_unnest(o);
	return 0;
}

/*
 * One mempool, or all of this process. block: also print the buffer and element sizes that give
 * contiguous blocks of n. JSON: {"mempools":[{"name", "driver", "socket", rows, "seconds":[{"ago_s",
 * "low", "high"}], "lcores":[{"lcore", "cached"}]}], "wanted":{...}}. ENOENT: no such mempool;
 * ERANGE: no element size gives such blocks.
 */
static int
mempool_show(struct app *app, const struct args *a, struct err *e)
{
	const char *name = arg_str(a, "name", NULL);
	const unsigned int block = (unsigned int)arg_u64(a, "n", 0);
	struct out *out = app->out;
	struct shown shown = { &app->pools, app->pool_history, out };
	struct rte_mempool *mp = name != NULL ? rte_mempool_lookup(name) : NULL;

	if (name != NULL && mp == NULL)
		return err_set(e, ENOENT, "no mempool \"%s\": see \"show mempool\" for all names",
			name);
	out_nest(out, "mempools", OUT_ARRAY);
	if (mp != NULL)
		show_one(mp, &shown);
	else
		rte_mempool_walk(show_one, &shown);
	out_unnest(out);
	return block > 0 ? wanted_show(block, out, e) : 0;
}

static int
clear_mempool(struct app *app, const struct args *a, struct err *e)
{
	pool_history_clear(app->pool_history);
	return 0;
}

static const struct cmd_row cmd_rows[] = {
	{ "show mempool [<name:str>] [block <n:uint 1..256>]", mempool_show,
		"show mempools: driver, level now and over time, lcore caches, contiguous blocks, footprint; block N: pool size needed to hand out contiguous blocks of N",
		"show mempool", NULL, .shows = true },
	{ "clear mempool", clear_mempool, "reset the lowest and highest level of mempools",
		"clear mempool", NULL },
};

const struct cmd_table cmds_mempool = { "mempool", "mempools", cmd_rows, ARRAY_SIZE(cmd_rows),
	CMD_BUFFERS };
