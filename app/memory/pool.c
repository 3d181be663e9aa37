/* Packet pools: size them, create one per socket and buffer size, find, show and free them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/pool.h"

#include "base/base.h"
#include "base/err.h"
#include "base/hist.h"
#include "base/out.h"
#include "compat.h"
#include "memory/numa.h"
#include "memory/pool_memory.h"
#include "memory/pool_ops.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_version.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEWEST_ASKED 1024 /* testpmd's lower limit of --total-num-mbufs */
static_assert(3 * RTE_MEMPOOL_CACHE_MAX_SIZE / 2 <= FEWEST_ASKED, "no cache is larger than a pool");
#define AUTOMATIC_AT_LEAST 16384
#define BUFFER_AT_LEAST (RTE_PKTMBUF_HEADROOM + 64)

uint64_t
pool_least(const struct pool_need *need, unsigned int cache)
{
	/*
	 * A cache may hold one and a half times its size. A worker processes one burst, and one
	 * more may wait for a retry.
	 */
	return need->descriptors + need->lcores * (UINT64_C(3) * cache / 2 + 2 * BURST_MAX) +
		BURST_MAX;
}

uint64_t
pool_wanted(const struct pool_need *need, unsigned int cache)
{
	/* Twice, because queues and descriptors may grow at run time, but pools cannot. */
	return RTE_MAX(2 * pool_least(need, cache), (uint64_t)AUTOMATIC_AT_LEAST);
}

/* Return the first buffer size that has a pool. */
static unsigned int
first(const struct pools *p)
{
	unsigned int i = 0;

	while (i + 1 < p->config.n_sizes && p->config.sizes[i] == 0)
		i++;
	return i;
}

/* Parse "2176,4096" into sizes. Returns their number, or -errno. */
static int
sizes_parse(const char *text, uint16_t *sizes, struct err *e)
{
	const char *p = text;
	unsigned long largest = 0;
	int n = 0;

	for (;;) {
		char *end;
		unsigned long bytes = strtoul(p, &end, 0);

		if (end == p || *p == '-' || (*end != ',' && *end != '\0'))
			return err_set(e, EINVAL,
				"mbuf-size \"%s\": expected sizes in bytes, such as 2176 or 2176,4096",
				text);
		if (bytes == 0 && !COMPAT_SEGMENTS_WITHOUT_POOL)
			return err_set(e, ERANGE,
				"mbuf-size 0 (do not receive this segment) needs DPDK 26.07 or newer, this is %s",
				rte_version());
		if (bytes != 0 && (bytes < BUFFER_AT_LEAST || bytes > UINT16_MAX))
			return err_set(e, ERANGE,
				"mbuf-size %lu: expected %u..%u bytes, including %u of headroom",
				bytes, BUFFER_AT_LEAST, UINT16_MAX, RTE_PKTMBUF_HEADROOM);
		if (n == POOL_SIZES_MAX)
			return err_set(e, E2BIG, "mbuf-size \"%s\": expected at most %u sizes",
				text, POOL_SIZES_MAX);
		sizes[n++] = (uint16_t)bytes;
		largest = RTE_MAX(largest, bytes);
		if (*end == '\0' && largest == 0)
			return err_set(e, ERANGE, "mbuf-size \"%s\": expected a size above 0",
				text);
		if (*end == '\0')
			return n;
		p = end + 1;
	}
}

static int
sizes_check(const char *text, struct err *e)
{
	uint16_t sizes[POOL_SIZES_MAX];
	int n = sizes_parse(text, sizes, e);

	return n < 0 ? n : 0;
}

/* clang-format off */
static const struct setting setting_rows[] = {
	{ .name = "total-num-mbufs", .words = SETTING_NONE, .unit = "buffers", .example = "16384",
		.max = UINT32_MAX - 1, .when = SETTING_CONFIGURE,
		.help = "number of buffers in each pool (0: as many as ports and lcores need)" },
	{ .name = "mbuf-pool-ops", .words = "pool ops", .kind = SETTING_TEXT,
		.text = POOL_OPS_DEFAULT, .example = "stack", .check = pool_ops_check,
		.when = SETTING_CONFIGURE,
		.help = "mempool driver of the packet pools (default: the one that the ports prefer, else that of EAL or the platform)" },
	{ .name = "mbuf-size", .words = "pool buffer", .unit = "bytes", .kind = SETTING_TEXT,
		.text = RTE_STR(2176), .example = "2176,9216", .check = sizes_check,
		.when = SETTING_CONFIGURE,
		.help = "buffer sizes including headroom; one pool per size" },
	{ .name = "mbcache", .words = "pool cache", .unit = "buffers",
		.max = RTE_MEMPOOL_CACHE_MAX_SIZE, .value = 250, .when = SETTING_CONFIGURE,
		.help = "size of each lcore's mempool cache" },
	{ .name = "mp-alloc", .words = SETTING_NONE, .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES([POOL_NATIVE] = "native", [POOL_ANON] = "anon", [POOL_XMEM] = "xmem", [POOL_XMEMHUGE] = "xmemhuge", [POOL_XBUF] = "xbuf"),
		.when = SETTING_CONFIGURE,
		.help = "memory of the pools: native = DPDK's, anon = anonymous pages, xmem = external pages, xmemhuge = external huge pages, xbuf = external buffers" },
	{ .name = "no-iova-contig", .words = SETTING_NONE, .kind = SETTING_BOOL, .when = SETTING_CONFIGURE,
		.help = "with mp-alloc=anon: allow buffers that are not IOVA-contiguous" },
};
/* clang-format on */
const struct setting_table pool_settings = SETTING_TABLE("Packet pools", setting_rows);

static_assert(RTE_MBUF_DEFAULT_BUF_SIZE == 2176, "the default of mbuf-size is DPDK's");

/*
 * Return the sockets that get a pool, 1 << socket each: those of all lcores, ports and rings;
 * without NUMA the only one.
 */
static uint64_t
sockets_used(const struct settings *settings)
{
	uint64_t used = numa_sockets(settings);
	unsigned int lcore;
	uint16_t port;

	if (!setting_on(settings, "numa"))
		return used;
	RTE_LCORE_FOREACH(lcore)
		used |= UINT64_C(1) << (rte_lcore_to_socket_id(lcore) % RTE_MAX_NUMA_NODES);
	RTE_ETH_FOREACH_DEV(port)
		if (rte_eth_dev_socket_id(port) >= 0)
			used |= UINT64_C(1) << (rte_eth_dev_socket_id(port) % RTE_MAX_NUMA_NODES);
	return used;
}

/* Create one pool of ask->n buffers, or of least buffers if there is not enough memory. */
static int
create_one(struct pools *p, struct pool_memory_ask *ask, uint64_t least, struct rte_mempool **mp,
	struct out *out, struct err *e)
{
	struct err first;

	err_clear(&first);
	*mp = pool_memory_create(&p->areas, ask, &first);
	if (*mp == NULL && first.code == ENOMEM && least < ask->n) {
		ask->n = (unsigned int)least;
		err_clear(&first);
		*mp = pool_memory_create(&p->areas, ask, &first);
	}
	if (*mp == NULL) {
		if (e != NULL)
			*e = first;
		return -first.code;
	}
	out_note(out, "testpmd: create a new mbuf pool <%s>: n=%u, size=%u, socket=%u\n", ask->name,
		(*mp)->size, ask->bytes, ask->socket);
	if (ask->how != POOL_ANON)
		out_note(out, "testpmd: preferred mempool ops selected: %s\n", ask->ops);
	return 0;
}

/* Make the pool's name, the same as testpmd's. */
static void
name_make(char *name, size_t bytes, unsigned int socket, unsigned int size)
{
	if (size == 0)
		snprintf(name, bytes, "mb_pool_%u", socket);
	else
		snprintf(name, bytes, "mb_pool_%u_%u", socket, size);
}

/* Choose the number of buffers, and the smallest acceptable one: configured, or from the need. */
static int
number_decide(const struct settings *settings, const struct pool_need *need, uint64_t *n,
	uint64_t *least, struct err *e)
{
	uint64_t asked = setting_u64(settings, "total-num-mbufs");
	unsigned int cache = (unsigned int)setting_u64(settings, "mbcache");

	*n = asked != 0 ? asked : pool_wanted(need, cache);
	*least = asked != 0 ? asked : pool_least(need, cache);
	if (*n <= FEWEST_ASKED)
		return err_set(e, ERANGE, "total-num-mbufs should be > %u", FEWEST_ASKED);
	if (*n >= UINT32_MAX)
		return err_set(e, ERANGE,
			"%" PRIu64 " buffers are too many: use fewer queues or descriptors", *n);
	return 0;
}

/* Read the configuration of the pools from the settings, and check it. */
static int
config_read(struct pool_config *c, const struct settings *settings, const struct pool_need *need,
	struct err *e)
{
	const char *ops = setting_text(settings, "mbuf-pool-ops");
	int n_sizes, ret = number_decide(settings, need, &c->n, &c->least, e);

	/* Options were parsed before EAL registered the mempool drivers. */
	if (ret == 0)
		ret = pool_ops_check(ops, e);
	if (ret != 0)
		return ret;
	n_sizes = sizes_parse(setting_text(settings, "mbuf-size"), c->sizes, e);
	if (n_sizes < 0)
		return n_sizes;
	c->n_sizes = (unsigned int)n_sizes;
	c->cache = (unsigned int)setting_u64(settings, "mbcache");
	c->how = (enum pool_alloc)setting_u64(settings, "mp-alloc");
	c->scattered = setting_on(settings, "no-iova-contig");
	if (c->scattered && c->how != POOL_ANON)
		return err_set(e, EINVAL,
			"no-iova-contig: cannot use no-iova-contig without mp-alloc=anon");
	pool_choose(&(struct pool_choice_ask){ .setting = ops,
			    .port = need->port,
			    .n_ports = need->n_ports,
			    .sizes = c->sizes,
			    .n_sizes = c->n_sizes,
			    .how = c->how },
		&c->choice);
	return 0;
}

/* Create the pools of one socket. */
static int
create_on(struct pools *p, unsigned int socket, struct out *out, struct err *e)
{
	const struct pool_config *c = &p->config;
	char name[RTE_MEMPOOL_NAMESIZE];
	int ret = 0;

	for (unsigned int i = 0; i < c->n_sizes && ret == 0; i++) {
		struct pool_memory_ask ask = {
			.name = name,
			.n = (unsigned int)c->n,
			.bytes = c->sizes[i],
			.socket = socket,
			.cache = c->cache,
			.how = c->how,
			.scattered = c->scattered,
			.ops = c->choice.ops,
		};

		if (ask.bytes == 0)
			continue;
		name_make(name, sizeof(name), socket, i);
		ret = create_one(p, &ask, c->least, &p->pool[socket][i], out, e);
	}
	return ret;
}

/* Create all pools of p->config, or none if one fails. */
static int
create(struct pools *p, uint64_t sockets, struct out *out, struct err *e)
{
	int ret = 0;

	for (unsigned int socket = 0; socket < RTE_MAX_NUMA_NODES && ret == 0; socket++)
		if ((sockets & (UINT64_C(1) << socket)) != 0)
			ret = create_on(p, socket, out, e);
	if (ret != 0)
		pool_free_all(p);
	else if (p->config.choice.by_ports)
		out_note(out, "zcfwd: mempool driver %s: %s\n", p->config.choice.ops,
			p->config.choice.why);
	return ret;
}

int
pool_create_all(struct pools *p, const struct settings *settings, const struct pool_need *need,
	struct out *out, struct err *e)
{
	int ret = config_read(&p->config, settings, need, e);

	return ret == 0 ? create(p, sockets_used(settings), out, e) : ret;
}

struct rte_mempool *
pool_at(const struct pools *p, unsigned int i)
{
	const unsigned int usual = RTE_MAX_NUMA_NODES * POOL_SIZES_MAX;

	return i < usual ? p->pool[i / POOL_SIZES_MAX][i % POOL_SIZES_MAX]
			 : atomic_load(&p->own[i - usual]);
}

/* Return the first pool with buffers in use; NULL if there is none. */
static const struct rte_mempool *
incomplete(const struct pools *p)
{
	for (unsigned int i = 0; i < POOL_MAX; i++) {
		const struct rte_mempool *mp = pool_at(p, i);

		if (mp != NULL && !rte_mempool_full(mp))
			return mp;
	}
	return NULL;
}

const char *
pool_why(const struct pools *p, const struct rte_mempool *mp)
{
	for (unsigned int i = 0; mp != NULL && i < POOL_MAX; i++)
		if (pool_at(p, i) == mp)
			return i < RTE_MAX_NUMA_NODES * POOL_SIZES_MAX ? p->config.choice.why
								       : "set for queues of ports";
	return NULL;
}

/* Make the pool's name, which must also fit with the longest driver name. */
static void
own_name(char *name, const char *ops, int socket)
{
	snprintf(name, RTE_MEMPOOL_NAMESIZE, "mb_pool_%hhu_%.12s", (unsigned char)socket, ops);
}

struct rte_mempool *
pool_own_find(const struct pools *p, const char *ops, int socket)
{
	char name[RTE_MEMPOOL_NAMESIZE];

	own_name(name, ops, RTE_MAX(socket, 0));
	for (unsigned int i = 0; i < POOL_OWN_MAX; i++) {
		struct rte_mempool *mp = atomic_load(&p->own[i]);

		if (mp != NULL && strcmp(mp->name, name) == 0)
			return mp;
	}
	return NULL;
}

int
pool_own(struct pools *p, const char *ops, int socket, struct rte_mempool **mp, struct out *out,
	struct err *e)
{
	const struct pool_config *c = &p->config;
	char name[RTE_MEMPOOL_NAMESIZE];
	struct pool_memory_ask ask = {
		.name = name,
		.n = (unsigned int)c->n,
		.bytes = c->sizes[first(p)],
		.socket = (unsigned int)RTE_MAX(socket, 0),
		.cache = c->cache,
		.how = c->how,
		.scattered = c->scattered,
		.ops = ops,
	};
	unsigned int i = 0;
	int ret;

	*mp = pool_own_find(p, ops, socket);
	if (*mp != NULL)
		return 0;
	while (i < POOL_OWN_MAX && atomic_load(&p->own[i]) != NULL)
		i++;
	if (i == POOL_OWN_MAX)
		return err_set(e, ENOSPC,
			"too many mempool drivers for queues: expected at most %u pools beside the usual ones",
			POOL_OWN_MAX);
	own_name(name, ops, (int)ask.socket);
	ret = create_one(p, &ask, c->least, mp, out, e);
	if (ret == 0)
		atomic_store(&p->own[i], *mp);
	return ret;
}

int
pool_renew_all(struct pools *p, const struct settings *settings, const struct pool_need *need,
	struct out *out, struct err *e)
{
	const struct rte_mempool *mp = incomplete(p);
	struct pool_config before = p->config, now = { 0 };
	struct err again;
	int ret;

	if (mp != NULL)
		return err_set(e, EBUSY,
			"pool %s: %u buffers are still in queues of ports: use \"port close\", or restart the program",
			mp->name, rte_mempool_in_use_count(mp));
	ret = config_read(&now, settings, need, e);
	if (ret != 0)
		return ret;
	pool_free_all(p);
	p->config = now;
	ret = create(p, sockets_used(settings), out, e);
	if (ret == 0 || before.n_sizes == 0)
		return ret;
	err_clear(&again);
	p->config = before;
	create(p, sockets_used(settings), out, &again);
	return ret;
}

struct rte_mempool *
pool_for(const struct pools *p, int socket, unsigned int size)
{
	unsigned int i;

	if (size == 0)
		size = first(p);
	if (size >= POOL_SIZES_MAX)
		return NULL;
	if (socket >= 0 && socket < RTE_MAX_NUMA_NODES && p->pool[socket][size] != NULL)
		return p->pool[socket][size];
	for (i = 0; i < RTE_MAX_NUMA_NODES; i++)
		if (p->pool[i][size] != NULL)
			return p->pool[i][size];
	return NULL;
}

static void
show_one(const struct pools *p, const struct rte_mempool *mp, struct out *out)
{
	const uint64_t available = rte_mempool_avail_count(mp), surplus = pool_ops_surplus(mp);
	const char *why = pool_why(p, mp);

	out_nest(out, NULL, OUT_OBJECT);
	out_str(out, "name", "Pool %s:", mp->name);
	out_u64(out, "size", " size=%" PRIu64, mp->size);
	out_u64(out, "available", ", available=%" PRIu64, available);
	out_u64(out, "in_use", ", in use=%" PRIu64, mp->size - available);
	out_u64(out, "buffer_bytes", ", buffer=%" PRIu64,
		rte_pktmbuf_data_room_size((struct rte_mempool *)(uintptr_t)mp));
	out_u64(out, "element_bytes", NULL, mp->header_size + mp->elt_size + mp->trailer_size);
	out_u64(out, "cache", ", cache=%" PRIu64, mp->cache_size);
	out_u64(out, "socket", ", socket=%" PRIu64 "\n", (unsigned int)mp->socket_id);
	out_str(out, "driver", "  driver %s", pool_ops_name(mp));
	if (why != NULL)
		out_str(out, "driver_reason", ", %s", why);
	out_text(out, "\n");
	out_u64(out, "surplus",
		surplus == 0 ? NULL
			     : "  double free: %" PRIu64
			       " more buffers are available than the pool has\n",
		surplus);
	out_unnest(out);
}

#define ROW(member) \
	.name = #member, .kind = STAT_GAUGE, .unit = "buffers", \
	.at = offsetof(struct pool_level, member)

static const struct stat_row rows[] = {
	{ ROW(size), .help = "number of buffers in the pool" },
	{ ROW(available), .help = "buffers not in use" },
};

const struct stat_table pool_stats = { "pool", rows, ARRAY_SIZE(rows), false };

struct pool_level
pool_level(const struct rte_mempool *mp)
{
	return (struct pool_level){ mp->size, rte_mempool_avail_count(mp) };
}

void
pool_show(const struct pools *p, const struct rte_mempool *received, struct out *out)
{
	out_nest(out, "pools", OUT_ARRAY);
	for (unsigned int i = 0; i < POOL_MAX; i++)
		if (pool_at(p, i) != NULL)
			show_one(p, pool_at(p, i), out);
	if (received != NULL)
		show_one(p, received, out);
	out_unnest(out);
}

void
pool_free_all(struct pools *p)
{
	for (unsigned int i = 0; i < POOL_MAX; i++)
		pool_memory_free(&p->areas, pool_at(p, i));
	memset(p->pool, 0, sizeof(p->pool));
	for (unsigned int i = 0; i < POOL_OWN_MAX; i++)
		atomic_store(&p->own[i], NULL);
	pool_memory_areas_free(&p->areas, 0);
	p->config.n_sizes = 0;
}

/* Test whether an lcore can get buffers from a pool: the mempool driver bucket may keep them for
 * other lcores. */

struct probe {
	struct rte_mempool *pool;
	bool got;
};

/* Get a whole block if possible, so that no block is broken up for the test. Thread: the lcore. */
static int
ask(void *probe)
{
	struct probe *p = probe;
	struct rte_mempool *mp = p->pool;
	void *objects[POOL_OPS_BLOCK_MAX];
	unsigned int n = RTE_MIN(pool_ops_block(mp), (unsigned int)POOL_OPS_BLOCK_MAX);

	if (rte_mempool_get_contig_blocks(mp, objects, 1) == 0) {
		for (unsigned int i = 1; i < n; i++)
			objects[i] = RTE_PTR_ADD(objects[i - 1], pool_ops_stride(mp));
	} else {
		n = rte_mempool_get(mp, objects) == 0 ? 1 : 0;
	}
	p->got = n > 0;
	rte_mempool_generic_put(mp, objects, n, NULL);
	return 0;
}

bool
pool_probe_starved(struct rte_mempool *mp, unsigned int lcore)
{
	struct probe p = { .pool = mp };

	if (!pool_ops_has_blocks(pool_ops_name(mp)) || rte_mempool_avail_count(mp) == 0 ||
		rte_eal_get_lcore_state(lcore) != WAIT ||
		rte_eal_remote_launch(ask, &p, lcore) != 0)
		return false;
	rte_eal_wait_lcore(lcore);
	return !p.got;
}
