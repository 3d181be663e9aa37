/* A census of mempools. Counts cannot detect a double free together with a leak, and DPDK limits
 * them to the pool's size, so objects are compared one by one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/pool_check.h"

#include "base/out.h"
#include "memory/pool_ops.h"

#include <rte_common.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include <inttypes.h>
#include <stdlib.h>

#define PUT_AT_ONCE 64u

/* A growing array of pointers. */
struct heap {
	void **at;
	size_t n, room;
	bool full; /* out of memory: a pointer is missing */
};

/* Ensure room for one more pointer. False: out of memory, so the object is left in the pool. */
static bool
heap_room(struct heap *h)
{
	const size_t room = h->room == 0 ? 1024 : 2 * h->room;
	void **more;

	if (h->n < h->room)
		return true;
	more = realloc(h->at, room * sizeof(*more));
	if (more == NULL) {
		h->full = true;
		return false;
	}
	h->at = more;
	h->room = room;
	return true;
}

static void
heap_add(struct heap *h, void *object)
{
	if (heap_room(h))
		h->at[h->n++] = object;
}

static void
member_add(struct rte_mempool *mp, void *members, void *object, unsigned int i)
{
	heap_add(members, object);
}

static int
by_address(const void *a, const void *b)
{
	const uintptr_t x = (uintptr_t) * (void *const *)a, y = (uintptr_t) * (void *const *)b;

	return (x > y) - (x < y);
}

struct taking {
	struct rte_mempool *pool;
	struct heap found;
};

/*
 * Take all objects that the calling lcore can get. Thread: each lcore, one after the other, because
 * the driver bucket keeps whole buckets for the lcore that used them.
 */
static int
take(void *taking)
{
	struct taking *t = taking;

	while (heap_room(&t->found) &&
		rte_mempool_ops_dequeue_bulk(t->pool, &t->found.at[t->found.n], 1) == 0)
		t->found.n++;
	return 0;
}

static void
take_all(struct taking *t)
{
	unsigned int lcore;

	take(t);
	RTE_LCORE_FOREACH_WORKER(lcore)
		if (rte_eal_get_lcore_state(lcore) == WAIT &&
			rte_eal_remote_launch(take, t, lcore) == 0)
			rte_eal_wait_lcore(lcore);
}

static void
put_all(struct rte_mempool *mp, void *const *at, size_t n)
{
	for (size_t i = 0; i < n; i += PUT_AT_ONCE)
		rte_mempool_ops_enqueue_bulk(mp, at + i,
			(unsigned int)RTE_MIN(n - i, (size_t)PUT_AT_ONCE));
}

static void
caches_add(const struct rte_mempool *mp, struct heap *found)
{
	for (unsigned int lcore = 0; mp->cache_size > 0 && lcore < RTE_MAX_LCORE; lcore++)
		for (unsigned int i = 0; i < mp->local_cache[lcore].len; i++)
			heap_add(found, mp->local_cache[lcore].objs[i]);
}

/* Compare members and found objects; both are sorted by address. */
static void
compare(const struct heap *members, const struct heap *found, struct pool_census *c)
{
	size_t k = 0;

	for (size_t i = 0; i < members->n; i++) {
		size_t times = 0;

		while (k < found->n && by_address(&found->at[k], &members->at[i]) < 0) {
			c->foreign++;
			k++;
		}
		for (; k < found->n && found->at[k] == members->at[i]; k++)
			times++;
		c->missing += times == 0;
		c->twice += times > 1;
	}
	c->foreign += found->n - k;
}

bool
pool_census(struct rte_mempool *mp, struct pool_census *c)
{
	struct taking t = { .pool = mp };
	struct heap members = { 0 };
	const struct rte_mempool_ops *ops = rte_mempool_get_ops(mp->ops_index);
	uint64_t before, unseen;

	*c = (struct pool_census){ 0 };
	rte_mempool_obj_iter(mp, member_add, &members);
	before = ops->get_count(mp);
	take_all(&t);
	/*
	 * An incomplete bucket counts its returned objects, but gives none out until it is
	 * complete. A complete bucket loses objects returned in excess when it is taken.
	 */
	unseen = ops->get_count(mp);
	c->twice = before - RTE_MIN(before, t.found.n + unseen);
	put_all(mp, t.found.at, t.found.n);
	caches_add(mp, &t.found);
	qsort(members.at, members.n, sizeof(*members.at), by_address);
	qsort(t.found.at, t.found.n, sizeof(*t.found.at), by_address);
	c->size = members.n;
	compare(&members, &t.found, c);
	c->twice += unseen - RTE_MIN(unseen, c->missing);
	c->missing -= RTE_MIN(unseen, c->missing);
	free(members.at);
	free(t.found.at);
	return !members.full && !t.found.full;
}

bool
pool_census_whole(const struct pool_census *c)
{
	return c->missing == 0 && c->twice == 0 && c->foreign == 0;
}

struct checking {
	struct pool_known left;
	struct out *out;
	unsigned int bad;
};

/* Subtract a pool's faults from the known ones. False: it has more faults than are known. */
static bool
is_known(struct pool_known *left, const struct pool_census *c)
{
	if (c->foreign > 0 || c->missing > left->missing || c->twice > left->twice)
		return false;
	left->missing -= c->missing;
	left->twice -= c->twice;
	return true;
}

static void
check(struct rte_mempool *mp, void *checking)
{
	struct checking *k = checking;
	struct pool_census c;

	if (mp->populated_size == 0)
		return; /* its driver is not initialised yet */
	if (!pool_census(mp, &c)) {
		out_warn(k->out, "Pool %s: not checked: no memory to count its buffers\n",
			mp->name);
		k->bad++;
	} else if (!pool_census_whole(&c)) {
		const bool known = is_known(&k->left, &c);

		out_warn(k->out,
			"Pool %s: of %" PRIu64 " buffers %" PRIu64 " are missing, %" PRIu64
			" were freed twice, and %" PRIu64 " do not belong to it (driver %s)%s%s\n",
			mp->name, c.size, c.missing, c.twice, c.foreign, pool_ops_name(mp),
			known ? ", known issue: " : "", known ? k->left.why : "");
		k->bad += !known;
	}
}

unsigned int
pool_check_all(const struct pool_known *known, struct out *out)
{
	struct checking k = { .left = *known, .out = out };

	rte_mempool_walk(check, &k);
	return k.bad;
}
