/* The interface of a driver's shim: how to take sent mbufs out of its Tx ring, and how to arm mbufs
 * in its Rx ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: a driver keeps the mbufs of a ring in a private array, with private counts of what
 * is armed, sent and free. To arm a sent mbuf without the mempool, it has to leave one driver's
 * array and enter another's, and both drivers must go on as if their own functions had done it. No
 * public function does half of that: rte_eth_tx_done_cleanup() frees to the pool, and what drivers
 * offer for rte_eth_recycle_mbufs() relies on conditions that it does not check (doc/library.md).
 *
 * The idea: a shim per driver with two halves that know nothing of each other. struct shim_tx_ops
 * finds sent mbufs and takes them out of a Tx queue, struct shim_rx_ops tells how many an Rx queue
 * has room for and arms them. pair.h joins any two halves, so a new driver adds a half at each end
 * and not a pair with each of the others. Between two calls a queue is in a state in which its
 * driver could have left it, so the driver needs no change and no notice. A shim includes no header
 * of its driver: it reads offsets from rows by release. So one binary fits stock packages of all
 * known releases.
 *
 * A wrong offset corrupts memory, so a queue has to pass several tests:
 * 1. The release has a row, which devtools/layouts made from the driver's source.
 * 2. The burst function in use is known. Others may keep other state.
 * 3. At binding, the queue's memory is DPDK's, and what is read there agrees with what ethdev
 *   reports of the queue: pool, numbers, sizes.
 * 4. If the row was never run with this release, the running queue has to agree with it (PROOFS in
 *   recycle.c).
 * 5. In each run, the queue is still the one that was bound (watch.h).
 *
 * Why not patches of drivers: users run the packages of their distribution. Why not the drivers'
 * headers: a binary would fit one release, and packages do not ship them.
 *
 * Limits: one lcore calls both halves and the burst functions of both queues. Numbers of
 * descriptors are in [1, 32768], batches of an Rx queue in [1, PAIR_BATCH_MAX]; one of a Tx queue
 * is 1 or a multiple of the Rx queue's. Arrays of mbufs have strides of 8 or 16 bytes. Rows fit
 * cache lines of 64 or of 128 bytes. Mbufs are those of one pool per Rx queue; others go back to
 * their pools.
 */
#pragma once

#include "pmd_shims/recycle/layout_rows.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_version.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zcfwd/recycle.h>

struct pool_blocks;
struct shim_layouts;

#define SHIM_CACHE_PAIR 128 /* bytes: the two lines that the adjacent-line prefetcher loads */

/* A count that one thread writes and any thread reads; never reset. */
typedef _Atomic(uint64_t) shim_counter;

/* Add n. Thread: the writer. */
static inline void
shim_count(shim_counter *c, uint64_t n)
{
	atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n,
		memory_order_relaxed);
}

/* Return the current value. Thread: any. */
static inline uint64_t
shim_counted(const shim_counter *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

/*
 * Describe a failure in *e, which may be NULL. Returns -e->code, which follows from the reason, so
 * that a failing function can end with `return shim_refuse(...)`.
 */
int shim_refuse(struct zcfwd_recycle_error *e, enum zcfwd_recycle_reason reason, const char *fmt,
	...) __attribute__((format(printf, 3, 4)));

/* Offsets of fields in drivers' private queue structs: tables by DPDK release, generated from the
 * drivers' own headers. An mbuf inside a queue is aligned to a cache line, so a table may have other
 * rows for lines of 128 bytes than for those of 64. The processors that recycle have no others. */

/* Offset of a field that the queues of a release do not have. */
#define SHIM_NONE UINT16_MAX

/* A release as one number: year, month, minor. */
#define SHIM_RELEASE(year, month, minor) \
	((uint32_t)(year) << 16 | (uint32_t)(month) << 8 | (uint32_t)(minor))

/*
 * DPDK's main branch, which has the number of the next release and -rc0: newer than all known
 * releases of the series before. Series come in March, July and November.
 */
#define SHIM_MAIN(year, month) \
	((month) > 3 ? SHIM_RELEASE(year, (month)-4, 255) : SHIM_RELEASE((year)-1, 11, 255))

/* In place of the minor of a release that was run: no release of the series was. */
enum { SHIM_NEVER = 256 };

/* The releases that a row describes, first and last included. */
struct shim_releases {
	uint32_t first, last;
};

/*
 * A row of a table is a struct that begins with struct shim_releases, followed by 16-bit fields.
 * X_FIELDS(F) lists them in order: F(name, bytes at that offset, description); bytes is 0 for a
 * field that shares its place with others or is not an offset. layout_rows.h has X_ROWS(ROW).
 */
#define SHIM_FIELD(field, bytes, what) uint16_t field;
#define SHIM_FIELD_NAME(field, bytes, what) #field,
#define SHIM_FIELD_BYTES(field, bytes, what) bytes,
#define SHIM_FIELD_COUNT(field, bytes, what) +1
#define SHIM_ROW_ID(id, ...) id,
#define SHIM_ROW(id, y1, m1, s1, y2, m2, s2, ...) \
	[id] = { .releases = { SHIM_RELEASE(y1, m1, s1), SHIM_RELEASE(y2, m2, s2) }, __VA_ARGS__ },

/*
 * Constants: SHIM_BUILT is the release at compile time, at most the newest known one of its series;
 * X_ROWS(SHIM_ROW_BUILT) is the number of a table's row for it; 0: unknown release.
 */
#define SHIM_OF_SERIES(year, month, newest, run_64, run_128) \
	+(SHIM_RELEASE(year, month, 0) >> 8 == SHIM_EXACT >> 8) * SHIM_RELEASE(year, month, newest)
#define SHIM_ROW_BUILT(id, y1, m1, s1, y2, m2, s2, ...) \
	+(SHIM_BUILT >= SHIM_RELEASE(y1, m1, s1) && SHIM_BUILT <= SHIM_RELEASE(y2, m2, s2)) * (id)

enum {
	SHIM_EXACT = RTE_VER_RELEASE == 0
		? SHIM_MAIN(RTE_VER_YEAR, RTE_VER_MONTH)
		: SHIM_RELEASE(RTE_VER_YEAR, RTE_VER_MONTH, RTE_VER_MINOR),
	SHIM_NEWEST = SHIM_SERIES(SHIM_OF_SERIES),
	SHIM_BUILT = SHIM_EXACT < SHIM_NEWEST ? SHIM_EXACT : SHIM_NEWEST,
};

struct shim_table {
	const char *name; /* "i40e_rx", as devtools/layouts writes it */
	const void *rows;
	size_t n, row_size;
	const char *const *fields;
	const uint8_t *bytes;
	size_t n_fields;
};

/* Source of a queue's layout. */
enum shim_layout_by {
	SHIM_BY_TABLE, /* the driver's headers of this release; the row was run in its series */
	/* headers of this release or of an older one, never run: the queue has to agree with them */
	SHIM_BY_CHECK,
	SHIM_BY_FILE, /* a file of rows, with which the queue has to agree */
};

enum { SHIM_FIELDS_MAX = 48, SHIM_LAYOUTS_MAX = 16 };

/* Rows of a file, in addition to the tables; all zero: none. */
struct shim_layout_file {
	unsigned int n;
	struct {
		const struct shim_table *table;
		struct {
			struct shim_releases releases;
			uint16_t fields[SHIM_FIELDS_MAX];
		} row;
	} rows[SHIM_LAYOUTS_MAX];
	char name[64];
};

/* What a pair may use; all zero: the tables, also for newer releases of a series. */
struct shim_layouts {
	bool tables_only;                    /* not for newer releases */
	const struct shim_layout_file *file; /* NULL: none */
};

/* Where a row was found. */
struct shim_laid {
	enum shim_layout_by by;
	char as[64]; /* its release, "DPDK 22.11.11", or the file's name */
};

/*
 * Find the row for the running DPDK: of a file, else of the table, else of the newest known release
 * of the same series. Unless laid->by is SHIM_BY_TABLE the caller has to prove it on the queue.
 * known: may be NULL; its file owns the row if that is from it. Returns NULL with e filled, -ENOTSUP, if
 * the layout of this release is unknown.
 */
const void *shim_layout_find(const struct shim_layouts *known, const struct shim_table *t,
	struct shim_laid *laid, struct zcfwd_recycle_error *e);

/* The name of a source: "table", "check" or "file". */
const char *shim_layout_by_name(enum shim_layout_by by);

/* The two queues of a pair, how mbufs go from one to the other, and the pair's counters. */

/*
 * One Rx queue and one Tx queue that feeds it. Both are used by one lcore, which may feed several
 * Rx queues from one Tx queue, one after the other.
 */
struct recycle;

/* State of a pair with respect to layouts that are not from the table. */
enum recycle_proof {
	RECYCLE_PROVED,  /* moves mbufs: the layouts are proved or need no proof */
	RECYCLE_PROVING, /* compares queues and layouts for some bursts, moves nothing */
	RECYCLE_REFUTED, /* a queue contradicted its layout: never moves anything */
};

struct recycle_ends {
	uint16_t rx_port, rx_queue, tx_port, tx_queue;
};

/* Counts since the pair was bound. Written by the lcore that runs the pair. */
#define SHIM_COUNTER(name, unit, help) shim_counter name;
struct recycle_count {
	ZCFWD_RECYCLE_MBUF_COUNTERS(SHIM_COUNTER)
	ZCFWD_RECYCLE_COPY_COUNTERS(SHIM_COUNTER)
};

enum { SHIM_PATH = 64 };

/* Pointers to mbufs in memory, stride bytes from one to the next. */
struct shim_mbufs {
	const void *first;
	size_t stride; /* 8 or 16 */
	uint16_t n;
};

struct shim_rx;
struct shim_tx;

/*
 * Returns the number of mbufs that can be armed now, a multiple of batch, if shut free slots remain
 * free. shut: a multiple of batch.
 */
typedef uint16_t shim_rx_room(const struct shim_rx *rx, uint16_t shut);

/*
 * Arm mbufs->n mbufs: exactly batch, or up to room if batch is 1. sure: the caller has verified all
 * mbufs; the call succeeds unless the queue has regions, and a buffer lies in none. Otherwise each mbuf is verified by rearm_check.h; if one
 * fails, returns false. The queue is then unchanged except that its free slots contain garbage, so
 * the caller must call again or call park_dummy().
 */
typedef bool shim_rx_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure);

/*
 * Arm batch mbufs from contiguous blocks. Only the first mbuf of each block is read; the addresses
 * of the others are computed from it. Returns batch. Returns n < batch if there are not enough
 * whole blocks: then nothing is armed, the caller owns pkts[0..n), and the free slots contain
 * garbage, as after a failed arm().
 */
typedef uint16_t shim_rx_arm_blocks(const struct shim_rx *rx, struct pool_blocks *blocks,
	struct rte_mbuf **pkts);

/* Point the free slots to the driver's dummy mbuf, as the driver does when its pool is empty. */
typedef void shim_rx_park_dummy(const struct shim_rx *rx);

/*
 * Returns sent mbufs, which are in the queue's own ring until taken(), or in list. n is 0 or a
 * multiple of batch; for queues with packets set it is any number, and the queue no longer has
 * them.
 */
typedef struct shim_mbufs shim_tx_sent(const struct shim_tx *tx);

/* Remove the mbufs that sent() returned from the queue; the caller owns them now. */
typedef void shim_tx_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs);

/*
 * Read how many packets, and how many mbufs, the queue has been given so far. Packets that the driver
 * copies into descriptors are not among the latter, of which these are the low 16 bits.
 */
typedef void shim_tx_given(const struct shim_tx *tx, uint64_t *packets, uint16_t *mbufs);

/* Returns the number of mbufs in the queue, sent or not. Thread: any; then it is approximate. */
typedef uint16_t shim_tx_held(const struct shim_tx *tx);

/*
 * Move mbufs between the two queues of a pair, by the functions above. Returns mbufs moved.
 */
typedef uint16_t pair_run(struct recycle *r);

/*
 * Result of comparing a queue, between two bursts, with a layout that is not from the table: the
 * layout is wrong; nothing new was seen; or all fields had distinguishable values and agreed.
 */
enum shim_proof { SHIM_WRONG, SHIM_NOTHING_NEW, SHIM_AGREED };
typedef enum shim_proof shim_rx_prove(struct shim_rx *rx);
typedef enum shim_proof shim_tx_prove(struct shim_tx *tx);

/* In how many different states each queue of a pair has agreed so far. */
struct shim_proofs {
	uint8_t rx, tx;
};

/* True if a queue has agreed often enough: it is not compared again. */
bool shim_proofs_enough(uint8_t proofs);

/*
 * Add what comparisons of both queues have shown; a queue that is not compared has agreed. Returns the
 * state of the pair.
 */
enum recycle_proof shim_proofs_add(struct shim_proofs *p, enum shim_proof rx, enum shim_proof tx);

/* What keeps the driver from refilling its ring; private to the functions below. */
struct shim_hidden {
	uint16_t n;
	uint32_t received;
};

/*
 * Keep the driver from refilling its ring: its receive function arms nothing until it has received
 * more than it arms at a time. Returns the number of free slots. Other functions of the queue need
 * unhide() first.
 */
typedef uint16_t shim_rx_hide(const struct shim_rx *rx, struct shim_hidden *hidden);

/*
 * Undo hide(): afterwards the driver's state is exact. Returns the number of packets received since
 * hide().
 */
typedef uint16_t shim_rx_unhide(const struct shim_rx *rx, struct shim_hidden *hidden);

/* True if the NIC has already received the packet that is ahead slots behind the next one. */
typedef bool shim_rx_filled(const struct shim_rx *rx, uint16_t ahead);

/*
 * Returns why no mbuf is armed until the queue is set up again, a static text; NULL: it is active.
 */
typedef const char *shim_rx_closed(const struct shim_rx *rx);

/*
 * The window of an Rx queue: the descriptors that are armed, whatever the size of the ring. Written by
 * the lcore that runs the pairs of the Rx queue; the queue's driver sees no free slot
 * behind the window. All numbers but the last are slots of the ring.
 */
struct recycle_window {
	struct recycle *pair; /* any bound pair of the queue; NULL: no window */
	struct shim_hidden hidden;
	uint16_t open;       /* free slots after the last run; 0: not run since closed */
	uint16_t shut;       /* free slots that stay free: a multiple of the batch */
	uint16_t most_open;  /* with more free slots, mbufs of the pool are armed */
	int32_t until_check; /* packets to receive until recycle_window_check() is due */
	uint16_t now;        /* to keep armed */
	uint16_t ring;
	/* Of an automatic window: */
	bool automatic;
	bool overloaded; /* the NIC receives more than the lcore can forward */
	uint16_t least;
	uint16_t needs;  /* the least window of which no quarter was full in this period */
	uint16_t needed; /* the same, in the period before this one */
	uint32_t full;   /* packets received while half of the ring was full */
	uint32_t checks;
	uint64_t shrinks; /* TSC from which the window may shrink */
	uint64_t forgets; /* TSC at which this period ends */
};

struct shim_rx_ops {
	shim_rx_room *room;
	shim_rx_arm *arm;
	shim_rx_park_dummy *park_dummy;
	shim_rx_arm_blocks *arm_blocks; /* NULL: arming has to read each mbuf anyway */
	shim_rx_prove *prove;
	shim_rx_closed *closed; /* NULL: a bound queue is always active */
	shim_rx_hide *hide;
	shim_rx_unhide *unhide;
	shim_rx_filled *filled; /* NULL: cannot be known */
};

struct shim_rx {
	const struct shim_layouts *known; /* set by recycle.c during bind; NULL: the tables */
	uint16_t port, queue;
	void *rxq; /* the driver's queue, as rte_eth_fp_ops has it */
	eth_rx_burst_t burst;
	struct rte_mempool *pool;
	const struct shim_rx_ops *ops;
	const void *layout; /* private to the driver's shim */
	struct shim_laid laid;
	uint16_t size;        /* slots of the ring */
	uint16_t batch;       /* mbufs are armed in multiples of it */
	uint16_t looks_ahead; /* slots that the receive function reads beyond the received ones */
	uint16_t seen;        /* private to prove: identifies the last state */
	uint8_t rounds;       /* private to prove: rounds of the ring that were compared */
	/* memory regions that the pool lies in, if each element needs the key of its own; 0: no keys */
	uint16_t regions;
	bool pinned; /* set by shims with regions: the pool's buffers are pinned external ones */
	char path[SHIM_PATH];
};

struct shim_tx_ops {
	shim_tx_sent *sent;
	shim_tx_taken *taken;
	shim_tx_prove *prove;
	shim_tx_held *held;
	shim_tx_given *given; /* NULL: the driver never copies packets into descriptors */
};

struct shim_tx {
	const struct shim_layouts *known; /* as in struct shim_rx */
	uint16_t port, queue;
	void *txq;
	eth_tx_burst_t burst;
	const struct shim_tx_ops *ops;
	const void *layout;
	struct shim_laid laid;
	uint16_t seen;      /* private to prove: identifies the last state */
	uint8_t ends;       /* private to prove: ends of the ring that were compared */
	uint8_t rounds;     /* private to prove: its rounds that were compared */
	uint16_t total;     /* private to prove: descriptors of the ring in use, free or not */
	uint16_t batch;     /* sent mbufs come in multiples of it */
	uint16_t wanted;    /* mbufs to return at a time if as many are sent; set by recycle.c */
	uint16_t list_size; /* size of list in mbufs; set by tx_bind, allocated by recycle.c */
	struct rte_mbuf **list; /* for mbufs that are not contiguous in the ring */
	bool packets;           /* each mbuf is a packet's first segment; the others follow it */
	/* each mbuf is one segment of a packet and may still point to the next; see pair_alone() */
	bool segments;
	bool fast_free; /* all mbufs are of one pool and have one reference; set by recycle.c */
	/* the driver's function puts whole batches into the mempool cache, as ZCFWD_RECYCLE_MODE_CACHE does */
	bool caches;
	/* why short packets are not recycled, a static text: the driver copies them; NULL: it does not */
	const char *inlines;
	char path[SHIM_PATH];
};

/*
 * A driver's shim. rx_bind and tx_bind compare the memory of a started port's queue with what
 * ethdev reports of it, and fill the members that recycle.c does not set: pool, ops, layout, batch,
 * path. They return 0, or -ENOTSUP with e naming the reason.
 */
struct shim_driver {
	const char *name; /* dev_info.driver_name */
	const char *also; /* another driver with the same queues; NULL: none */
	int (*rx_bind)(struct shim_rx *rx, struct zcfwd_recycle_error *e);
	int (*tx_bind)(struct shim_tx *tx, struct zcfwd_recycle_error *e);
	const struct shim_table *tables[2]; /* its tables of layouts; NULL: none */
};

/* All drivers with a shim, NULL-terminated. */
extern const struct shim_driver *const shim_drivers[];

/* Find the shim of a driver by dev_info.driver_name; NULL: it has none. */
const struct shim_driver *shim_driver_of(const char *name);

/*
 * Write the driver and burst function of a started port's queue to path, as "net_i40e Vector AVX2";
 * empty if unknown. queue: must exist. Thread: control.
 */
void shim_path(uint16_t port, uint16_t queue, bool rx, char path[SHIM_PATH]);

/* True if n bytes at p are DPDK's own memory, where queues and rings are. */
bool shim_owned(const void *p, size_t n);

/* The NUMA node of a port, SOCKET_ID_ANY for one that does not exist: ethdev crashes on such a number. */
int shim_socket(uint16_t port);

/*
 * True if p may be a NIC's register: 4 bytes that are mapped but not DPDK's memory. Thread:
 * control.
 */
bool shim_register(const uint32_t *p);

/* True if a Tx queue is set up with RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE. */
bool shim_fast_free(const struct shim_tx *tx);

/*
 * True if the drivers' vector functions for this processor were examined: SSE, AVX2 and AVX512 on
 * x86-64, NEON on aarch64.
 */
bool shim_processor(void);

/*
 * Width of vectors to use: 128, 256 or 512 bits, the largest that the CPU and
 * --force-max-simd-bitwidth allow.
 */
unsigned int shim_simd_bits(void);

static inline struct rte_mbuf *
shim_mbuf(const struct shim_mbufs *mbufs, size_t i)
{
	return *(struct rte_mbuf *const *)(const void *)((const char *)mbufs->first +
		i * mbufs->stride);
}

/* A field of a queue, by its offset. */
static inline void *
shim_at(const void *queue, uint16_t offset)
{
	return (char *)(uintptr_t)queue + offset;
}

static inline uint16_t
shim_u16(const void *queue, uint16_t offset)
{
	return *(const uint16_t *)shim_at(queue, offset);
}

static inline void
shim_u16_set(void *queue, uint16_t offset, uint16_t value)
{
	*(uint16_t *)shim_at(queue, offset) = value;
}

static inline void *
shim_pointer(const void *queue, uint16_t offset)
{
	return *(void *const *)shim_at(queue, offset);
}

/* Convert "22.11.11" or "26.11.0-rc0" to a release; 0: neither that, nor another -rc0. */
uint32_t shim_release_read(const char *text);
