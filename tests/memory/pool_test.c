/* Packet pools: how many buffers, every kind of memory, and the message when memory is short. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/pool.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "fixtures/eal.h"
#include "fixtures/out_check.h"
#include "fixtures/setting_words.h"
#include "fixtures/unit.h"
#include "memory/pool_history.h"
#include "memory/pool_ops.h"
#include "port/port.h"
#include "port/port_settings.h"

#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_stack.h>
#include <rte_version.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const struct pool_need need = { .lcores = 2, .descriptors = 4096 };

static struct {
	struct settings *settings;
	struct out *out;
	struct out_check printed;
	struct pools pools;
} fixture;

/* What devices and the kernel answer when memory is mapped for DMA and locked. */
static struct {
	int dma;                       /* errno value of every mapping; 0: the mapping succeeds */
	int lock;                      /* errno value of mlock(2) */
	bool maps;                     /* answer for the devices, which would say ENOTSUP */
	bool phys;                     /* devices are given physical addresses */
	unsigned int mapped, unmapped; /* chunks */
	bool at_va;                    /* each chunk was mapped where devices will look for it */
} kernel;

/* Stand in front of functions of those names. */
int
rte_dev_dma_map(struct rte_device *device, void *addr, uint64_t iova, size_t bytes)
{
	rte_errno = kernel.maps ? kernel.dma : ENOTSUP;
	kernel.at_va &= iova == (uintptr_t)addr;
	kernel.mapped += rte_errno == 0;
	return rte_errno == 0 ? 0 : -1;
}

int
rte_dev_dma_unmap(struct rte_device *device, void *addr, uint64_t iova, size_t bytes)
{
	kernel.at_va &= iova == (uintptr_t)addr;
	kernel.unmapped++;
	return 0;
}

int
mlock(const void *addr, size_t bytes)
{
	errno = kernel.lock;
	return kernel.lock == 0 ? 0 : -1;
}

int
rte_eal_using_phys_addrs(void)
{
	return 1;
}

enum rte_iova_mode
rte_eal_iova_mode(void)
{
	return kernel.phys ? RTE_IOVA_PA : RTE_IOVA_VA;
}

static void
set(const char *name, const char *word)
{
	assert_int_equal(setting_parse(fixture.settings, name, word, NULL), 0);
}

static int
create(struct err *e)
{
	err_clear(e);
	return pool_create_all(&fixture.pools, fixture.settings, &need, fixture.out, e);
}

/* Before each test: nothing that an earlier one left. */
static int
defaults(void **state)
{
	static const char *const words[][2] = { { "mp-alloc", "native" },
		{ "total-num-mbufs", "0" }, { "mbuf-size", "2176" }, { "mbuf-pool-ops", "default" },
		{ "mbcache", "250" }, { "numa", "on" } };

	memset(&kernel, 0, sizeof(kernel));
	pool_free_all(&fixture.pools);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		set(words[i][0], words[i][1]);
	out_check_failures(&fixture.printed);
	return 0;
}

/* Every buffer can be had, written to its end, and comes back. */
static void
use_up(struct rte_mempool *mp, uint16_t bytes)
{
	struct rte_mbuf **all = calloc(mp->size, sizeof(*all));
	unsigned int i;

	assert_non_null(all);
	for (i = 0; i < mp->size; i++) {
		all[i] = rte_pktmbuf_alloc(mp);
		assert_non_null(all[i]);
		assert_int_equal(all[i]->buf_len, bytes);
		memset(all[i]->buf_addr, (int)i, all[i]->buf_len);
	}
	assert_null(rte_pktmbuf_alloc(mp));
	assert_int_equal(rte_mempool_avail_count(mp), 0);
	for (i = 0; i < mp->size; i++) {
		assert_int_equal(((uint8_t *)all[i]->buf_addr)[bytes - 1], (uint8_t)i);
		rte_pktmbuf_free(all[i]);
	}
	assert_int_equal(rte_mempool_avail_count(mp), mp->size);
	free(all);
}

TEST(memory)
{
	static const char *const ways[] = { "native", "anon", "xmem", "xbuf" };
	struct rte_malloc_socket_stats before = { 0 }, after;
	struct rte_mempool *mp;
	struct err e;

	set("total-num-mbufs", "2047");
	set("mbuf-size", "2176,4096");
	for (size_t i = 0; i < 2 * ARRAY_SIZE(ways); i++) {
		set("mp-alloc", ways[i / 2]);
		assert_int_equal(create(&e), 0);
		assert_int_equal(fixture.pools.config.n_sizes, 2);
		mp = pool_for(&fixture.pools, 0, 0);
		assert_non_null(mp);
		assert_string_equal(mp->name, "mb_pool_0");
		use_up(mp, 2176);
		assert_ptr_equal(pool_for(&fixture.pools, 5, 0), mp);
		assert_ptr_equal(pool_for(&fixture.pools, -1, 0), mp);
		mp = pool_for(&fixture.pools, 0, 1);
		assert_string_equal(mp->name, "mb_pool_0_1");
		use_up(mp, 4096);
		assert_null(pool_for(&fixture.pools, 0, 2));
		pool_free_all(&fixture.pools);
		assert_null(pool_for(&fixture.pools, 0, 0));
		assert_null(fixture.pools.areas.area);
		assert_true(rte_malloc_heap_get_socket("extmem") < 0);
		rte_malloc_get_socket_stats(0, &after);
		if (i % 2 == 1)
			assert_int_equal(before.heap_allocsz_bytes, after.heap_allocsz_bytes);
		before = after;
	}
}

/* The longest buffers; external ones are whole cache lines. */
TEST(longest)
{
	enum { LONGEST = RTE_CACHE_LINE_SIZE == 128 ? 65408 : 65472 };
	static const char *const ways[] = { "native", "anon", "xmem", "xbuf" };
	char longest[8], said[80];
	struct err e;

	snprintf(longest, sizeof(longest), "%d", LONGEST);
	snprintf(said, sizeof(said),
		"mbuf-size 65535: expected at most %d bytes with --mp-alloc=xbuf", LONGEST);
	set("total-num-mbufs", "1025");
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		const bool external = strcmp(ways[i], "xbuf") == 0;

		set("mp-alloc", ways[i]);
		set("mbuf-size", "65535");
		assert_int_equal(create(&e), external ? -ERANGE : 0);
		if (external) {
			assert_string_equal(e.text, said);
			set("mbuf-size", longest);
			assert_int_equal(create(&e), 0);
		}
		use_up(pool_for(&fixture.pools, 0, 0), external ? LONGEST : 65535);
		pool_free_all(&fixture.pools);
	}
}

/* Memory that may not be locked: pools go on without, unless devices are given physical addresses. */
TEST(unlocked)
{
	static const char *const ways[] = { "anon", "xmem" };
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		defaults(state);
		set("mp-alloc", ways[i]);
		set("total-num-mbufs", "2047");
		kernel.lock = ENOMEM;
		assert_int_equal(create(&e), 0);
		use_up(pool_for(&fixture.pools, 0, 0), 2176);
		pool_free_all(&fixture.pools);
		kernel.phys = true;
		assert_int_equal(create(&e), -EPERM);
		assert_non_null(strstr(e.text, "pool mb_pool_0: "));
		assert_non_null(strstr(e.text, " MiB that devices access by physical address: "));
		assert_null(fixture.pools.areas.area);
	}
}

/* Devices are told of anonymous memory, at the addresses that they will see; one that fails is named. */
TEST(reached)
{
	struct err e;

	set("mp-alloc", "anon");
	set("total-num-mbufs", "2047");
	kernel.maps = kernel.at_va = true;
	assert_int_equal(create(&e), 0);
	assert_true(kernel.mapped > 0);
	pool_free_all(&fixture.pools);
	assert_int_equal(kernel.unmapped, kernel.mapped);
	assert_true(kernel.at_va);
	kernel.dma = ENOSPC;
	assert_int_equal(create(&e), -ENOSPC);
	assert_string_equal(e.text,
		"pool mb_pool_0: net_null0 cannot reach its memory: No space left on device");
	assert_null(fixture.pools.areas.area);
}

TEST(numbers)
{
	struct pool_need n = { .lcores = 1, .descriptors = 1024 };

	assert_true(pool_least(&n, 250) >= 1024 + 375 + 512);
	assert_int_equal(pool_wanted(&n, 250), 16384);
	n.descriptors = 100000;
	assert_true(pool_wanted(&n, 0) >= 200000);
	n.lcores = 64;
	assert_true(pool_least(&n, 512) >= 100000 + 64 * 768);
}

#define SHOWN \
	"Pool mb_pool_0: size=1500, available=1500, in use=0, buffer=2176, cache=250, socket=0\n" \
	"  driver ring_mp_mc, default: no port prefers a mempool driver\n"

TEST(says)
{
	struct rte_mbuf *m;
	struct err e;

	set("total-num-mbufs", "1500");
	assert_int_equal(create(&e), 0);
	assert_string_equal(out_check_failures(&fixture.printed),
		"testpmd: create a new mbuf pool <mb_pool_0>: n=1500, size=2176, socket=0\n"
		"testpmd: preferred mempool ops selected: ring_mp_mc\n");
	pool_show(&fixture.pools, NULL, fixture.out);
	assert_string_equal(out_check_results(&fixture.printed), SHOWN);
	/* Freed once too often: DPDK's own count stops at the size. */
	m = rte_pktmbuf_alloc(pool_for(&fixture.pools, 0, 0));
	rte_pktmbuf_free(m);
	rte_mempool_put(m->pool, m);
	pool_show(&fixture.pools, NULL, fixture.out);
	assert_string_equal(out_check_results(&fixture.printed),
		SHOWN "  double free: 1 more buffers are available than the pool has\n");
	/* The name is taken. */
	struct pools twice = { 0 };
	err_clear(&e);
	assert_int_equal(pool_create_all(&twice, fixture.settings, &need, fixture.out, &e),
		-EEXIST);
	assert_non_null(strstr(e.text, "mb_pool_0"));
	pool_free_all(&fixture.pools);
	set("total-num-mbufs", "0");
	assert_int_equal(create(&e), 0);
	assert_int_equal(pool_for(&fixture.pools, 0, 0)->size, 16384);
	assert_int_equal(pool_for(&fixture.pools, 0, 0)->cache_size, 250);
	pool_free_all(&fixture.pools);
	set("numa", "off");
	assert_int_equal(create(&e), 0);
}

TEST(refused)
{
	static const struct {
		const char *name, *word;
		int ret;
		const char *text;
	} rows[] = {
		{ "total-num-mbufs", "1024", -ERANGE, "total-num-mbufs should be > 1024" },
		{ "total-num-mbufs", "1", -ERANGE, "total-num-mbufs should be > 1024" },
		{ "total-num-mbufs", "90000000", -ENOMEM, "lower --total-num-mbufs" },
	};
	static const struct setting_word words[] = {
		{ "mbuf-size", "2176", 0 },
		{ "mbuf-size", "192", 0 },
		{ "mbuf-size", "65535,2048", 0 },
		{ "mbuf-size", "191", -ERANGE },
		{ "mbuf-size", "65536", -ERANGE },
		{ "mbuf-size", "0", -ERANGE },
		{ "mbuf-size", "-1", -EINVAL },
		{ "mbuf-size", "", -EINVAL },
		{ "mbuf-size", "2176,", -EINVAL },
		{ "mbuf-size", ",2176", -EINVAL },
		{ "mbuf-size", "2176;2048", -EINVAL },
		{ "mbuf-size", "2k", -EINVAL },
		{ "mbuf-size", "2048,2048,2048,2048,2048,2048,2048,2048", 0 },
		{ "mbuf-size", "2048,2048,2048,2048,2048,2048,2048,2048,2048", -E2BIG },
		{ "mbcache", "513", -ERANGE },
		{ "mp-alloc", "bogus", -EINVAL },
	};
	struct err e;

	SETTING_WORDS(fixture.settings, words);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set(rows[i].name, rows[i].word);
		assert_int_equal(create(&e), rows[i].ret);
		assert_non_null(strstr(e.text, rows[i].text));
		assert_null(pool_for(&fixture.pools, 0, 0));
		set(rows[i].name, "0");
	}
	assert_string_equal(out_check_failures(&fixture.printed), "");
}

/* Memory for what is needed at least, but not for all that is wanted. */
TEST(short_of_memory)
{
	const struct pool_need much = { .lcores = 1, .descriptors = 60000 };
	const uint64_t least = pool_least(&much, 250);
	struct err e;

	err_clear(&e);
	assert_int_equal(pool_create_all(&fixture.pools, fixture.settings, &much, fixture.out, &e),
		0);
	assert_int_equal(pool_for(&fixture.pools, 0, 0)->size, least);
	assert_non_null(strstr(out_check_failures(&fixture.printed), "n=61911, "));
}

static int
renew(struct err *e)
{
	err_clear(e);
	return pool_renew_all(&fixture.pools, fixture.settings, &need, fixture.out, e);
}

/* Lines begin in a small page: a bucket's own, then of each element one and its mbuf. */
#define BUCKET (4096 - RTE_CACHE_LINE_SIZE)
#define BUCKET_MOST (BUCKET - RTE_CACHE_LINE_SIZE - (int)sizeof(struct rte_mbuf))

/* Each driver that needs no hardware: every buffer can be had and comes back. */
TEST(drivers)
{
	static const char *const names[] = { "ring_mp_mc", "ring_sp_sc", "ring_mt_hts",
		"ring_mt_rts", "stack",
#ifdef RTE_STACK_LF_SUPPORTED
		"lf_stack",
#endif
		/* Since 26.07 it gives out fewer than it has. */
		RTE_VERSION < RTE_VERSION_NUM(26, 7, 0, 0) ? "bucket" : "stack" };
	/* Neither whole buckets of a small page, nor few enough of them. */
	const uint16_t bytes = RTE_CACHE_LINE_SIZE == 64 ? 192 : 896;
	const unsigned int block = bytes == 192 ? 9 : 3, buckets = block == 9 ? 2313 : 2301;
	char size[8];
	struct err e;

	snprintf(size, sizeof(size), "%u", bytes);
	set("mbuf-size", size);
	set("total-num-mbufs", "2300");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const bool bucket = strcmp(names[i], "bucket") == 0;
		struct rte_mempool *mp;

		set("mbuf-pool-ops", names[i]);
		assert_int_equal(create(&e), 0);
		mp = pool_for(&fixture.pools, 0, 0);
		assert_string_equal(pool_ops_name(mp), names[i]);
		assert_int_equal(mp->size, bucket ? buckets : 2300);
		assert_int_equal(pool_ops_block(mp), bucket ? block : 1);
		for (int again = 0; again < 2; again++)
			use_up(mp, bytes);
		pool_free_all(&fixture.pools);
	}
}

/* Levels of a pool are kept until clear; a pool at the address of a former one has none of them. */
TEST(history)
{
	/* Held, so that no timer samples meanwhile. */
	pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
	struct pool_second seconds[POOL_HISTORY_SECONDS];
	struct rte_mbuf *some[100];
	struct pool_history *h;
	struct pool_range range;
	struct rte_mempool *mp;
	struct err e;

	pthread_mutex_lock(&guard);
	set("total-num-mbufs", "1500");
	assert_int_equal(create(&e), 0);
	mp = pool_for(&fixture.pools, 0, 0);
	h = pool_history_new(&fixture.pools, &(struct rte_mempool *){ NULL }, &guard, &e);
	assert_non_null(h);
	assert_int_equal(rte_pktmbuf_alloc_bulk(mp, some, ARRAY_SIZE(some)), 0);
	assert_true(pool_history_read(h, mp, &range, seconds));
	assert_int_equal(range.low, 1400);
	assert_int_equal(range.high, 1400);
	rte_pktmbuf_free_bulk(some, ARRAY_SIZE(some));
	assert_true(pool_history_read(h, mp, &range, seconds));
	assert_int_equal(range.low, 1400);
	assert_int_equal(range.high, 1500);
	assert_int_equal(range.minute_low, 1400);
	/* All that tells a new pool from the former one. */
	mp->name[0] ^= 1;
	assert_true(pool_history_read(h, mp, &range, seconds));
	assert_int_equal(range.low, 1500);
	assert_int_equal(range.minute_low, 1500);
	mp->name[0] ^= 1;
	assert_int_equal(rte_pktmbuf_alloc_bulk(mp, some, ARRAY_SIZE(some)), 0);
	assert_true(pool_history_read(h, mp, &range, seconds));
	rte_pktmbuf_free_bulk(some, ARRAY_SIZE(some));
	pool_history_clear(h);
	assert_true(pool_history_read(h, mp, &range, seconds));
	assert_int_equal(range.low, 1500);
	assert_int_equal(range.minute_low, 1500);
	pool_history_free(h);
	pthread_mutex_unlock(&guard);
}

TEST(driver_refused)
{
	char most[16], more[16], refusal[80];
	const struct {
		const char *ops, *size, *alloc, *text;
		int ret;
	} rows[] = {
		{ "bucket", most, "native", NULL, 0 },
		{ "bucket", more, "native", refusal, -ERANGE },
		{ "bucket", "2176", "anon", "--mp-alloc=native", -EINVAL },
		{ "bucket", "2176", "xbuf", "--mp-alloc=native", -EINVAL },
#ifdef RTE_STACK_LF_SUPPORTED
		{ "lf_stack", "2176", "xbuf", NULL, 0 },
#else
		{ "lf_stack", "2176", "xbuf", "Operation not supported", -ENOTSUP },
#endif
		{ "stack", "2176", "anon", NULL, 0 },
	};
	static const char *const none[] = { "bogus", "", "dpaa", "octeontx_fpavf", "ring_mp_mc " };
	struct err e;

	snprintf(most, sizeof(most), "%d", BUCKET_MOST);
	snprintf(more, sizeof(more), "%d", BUCKET_MOST + 1);
	snprintf(refusal, sizeof(refusal),
		"expected at most %d, as a bucket has 4096 without huge pages", BUCKET);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		err_clear(&e);
		assert_int_equal(setting_check(fixture.settings, "mbuf-pool-ops", none[i], &e),
			-ENOENT);
		assert_non_null(strstr(e.text, "default, ring_mp_mc, ring_sp_sc, "));
		assert_non_null(strstr(e.text, ", bucket"));
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set("mbuf-pool-ops", rows[i].ops);
		set("mbuf-size", rows[i].size);
		set("mp-alloc", rows[i].alloc);
		set("total-num-mbufs", "2047");
		assert_int_equal(create(&e), rows[i].ret);
		if (rows[i].text != NULL)
			assert_non_null(strstr(e.text, rows[i].text));
		else
			assert_string_equal(pool_ops_name(pool_for(&fixture.pools, 0, 0)),
				rows[i].ops);
		pool_free_all(&fixture.pools);
	}
}

/* Other pools in place of those that are there; what fails leaves them as they were. */
TEST(renewed)
{
	struct rte_mbuf *m;
	struct err e;

	set("total-num-mbufs", "2047");
	assert_int_equal(create(&e), 0);
	set("mbuf-pool-ops", "stack");
	set("mbcache", "64");
	assert_int_equal(renew(&e), 0);
	assert_string_equal(pool_ops_name(pool_for(&fixture.pools, 0, 0)), "stack");
	assert_int_equal(pool_for(&fixture.pools, 0, 0)->cache_size, 64);
	m = rte_pktmbuf_alloc(pool_for(&fixture.pools, 0, 0));
	set("mbuf-pool-ops", "bucket");
	assert_int_equal(renew(&e), -EBUSY);
	assert_non_null(strstr(e.text, "mb_pool_0: 1 buffers are still"));
	rte_pktmbuf_free(m);
	set("mbuf-size", "9216");
	assert_int_equal(renew(&e), -ERANGE);
	assert_string_equal(pool_ops_name(pool_for(&fixture.pools, 0, 0)), "stack");
	assert_int_equal(rte_pktmbuf_data_room_size(pool_for(&fixture.pools, 0, 0)), 2176);
	set("mbuf-size", "2176");
	assert_int_equal(renew(&e), 0);
	assert_string_equal(pool_ops_name(pool_for(&fixture.pools, 0, 0)), "bucket");
}

/* What elements have of a small page is 4032 bytes, or 3968. */
TEST(blocks)
{
	static const struct {
		unsigned int n;
		uint32_t element;
	} rows[] = { { 0, 0 }, { 1, BUCKET }, { 2, RTE_CACHE_LINE_SIZE == 64 ? 1984 : 1920 },
		{ 10, 384 }, { 15, 256 }, { 31, 128 }, { 63, RTE_CACHE_LINE_SIZE == 64 ? 64 : 0 },
		{ 64, 0 }, { 40, 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(pool_ops_element(rows[i].n), rows[i].element);
		if (pool_ops_buffer(rows[i].n) > 0)
			assert_int_equal(BUCKET /
					rte_mempool_calc_obj_size((uint32_t)sizeof(
									  struct rte_mbuf) +
							pool_ops_buffer(rows[i].n),
						0, NULL),
				rows[i].n);
	}
	assert_int_equal(pool_ops_buffer(0), 0);
	assert_int_equal(pool_ops_buffer(64), 0);
	assert_true(pool_ops_buffer(RTE_CACHE_LINE_SIZE == 64 ? 9 : 7) >= 128);
	assert_int_equal(pool_ops_round("stack", 2560, 384), 2560);
	assert_int_equal(pool_ops_round("bucket", 2560, 384), 2570);
	assert_int_equal(pool_ops_round("bucket", 2561, 384), 2570);
	assert_int_equal(pool_ops_round("bucket", 2571, 384), 2580);
	assert_int_equal(pool_ops_round("bucket", 2048, 2368), 2048);
	assert_true(pool_ops_one_lcore("ring_sp_sc"));
	assert_false(pool_ops_one_lcore("ring_mp_mc"));
}

static int
group_setup(void **state)
{
	if (eal_open("256", "0", "--log-level=critical --vdev=net_null0") != 0)
		return -1;
	fixture.settings = settings_new();
	if (!out_check_open(&fixture.printed))
		return -1;
	fixture.out = fixture.printed.out;
	return settings_add(fixture.settings, &pool_settings, NULL) != 0 ||
		settings_add(fixture.settings, &port_settings, NULL) != 0;
}

static int
group_teardown(void **state)
{
	out_check_close(&fixture.printed);
	settings_free(fixture.settings);
	return eal_close(state);
}

TESTS(.setup = group_setup, .teardown = group_teardown, .before = defaults);
