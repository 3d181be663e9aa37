/* The interface of a driver's shim: how to take sent mbufs out of its Tx ring, and how to arm mbufs
 * in its Rx ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/recycle_ends.h"
#include "pmd_shims/recycle/shim_layout.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct pool_blocks;

enum { SHIM_PATH = 64 };

/* Pointers to mbufs in memory, stride bytes from one to the next. */
struct shim_mbufs {
	const void *first;
	size_t stride; /* 8 or 16 */
	uint16_t n;
};

struct shim_rx;
struct shim_tx;

/* Returns the number of mbufs that can be armed now, a multiple of batch. */
typedef uint16_t shim_rx_room(const struct shim_rx *rx);

/*
 * Arm mbufs->n mbufs: exactly batch, or up to room if batch is 1. sure: the caller has verified all
 * mbufs, and the call always succeeds. Otherwise each mbuf is verified by rearm_check.h; if one
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

/*
 * Returns why no mbuf is armed until the queue is set up again, a static text; NULL: it is active.
 */
typedef const char *shim_rx_closed(const struct shim_rx *rx);

struct shim_rx_ops {
	shim_rx_room *room;
	shim_rx_arm *arm;
	shim_rx_park_dummy *park_dummy;
	shim_rx_arm_blocks *arm_blocks; /* NULL: arming has to read each mbuf anyway */
	shim_rx_prove *prove;
	shim_rx_closed *closed; /* NULL: a bound queue is always active */
};

struct shim_rx {
	const struct shim_layouts *known; /* set by recycle.c for bind; NULL: tables only */
	uint16_t port, queue;
	void *rxq; /* the driver's queue, as rte_eth_fp_ops has it */
	eth_rx_burst_t burst;
	struct rte_mempool *pool;
	const struct shim_rx_ops *ops;
	const void *layout; /* private to the driver's shim */
	struct shim_laid laid;
	/* where the queue keeps its pool; a different pool means that it was set up again */
	struct rte_mempool *const *pool_in;
	uint16_t batch;  /* mbufs are armed in multiples of it */
	uint16_t seen;   /* private to prove: identifies the last state */
	const char *end; /* its name among the Rx ends of pair_table.c; NULL: none */
	char path[SHIM_PATH];
};

struct shim_tx_ops {
	shim_tx_sent *sent;
	shim_tx_taken *taken;
	shim_tx_prove *prove;
};

struct shim_tx {
	const struct shim_layouts *known; /* as in struct shim_rx */
	uint16_t port, queue;
	void *txq;
	eth_tx_burst_t burst;
	const struct shim_tx_ops *ops;
	const void *layout;
	struct shim_laid laid;
	/*
	 * where the queue keeps the value from which batch and list_size follow, and that value; a
	 * different one means that the queue was set up again
	 */
	const uint16_t *sized_in;
	uint16_t sized;
	uint16_t seen;      /* private to prove: identifies the last state */
	uint16_t batch;     /* sent mbufs come in multiples of it */
	uint16_t wanted;    /* mbufs to return at a time if as many are sent; set by recycle.c */
	uint16_t list_size; /* size of list in mbufs; set by tx_bind, allocated by recycle.c */
	struct rte_mbuf **list; /* for mbufs that are not contiguous in the ring */
	bool packets;           /* each mbuf is a packet's first segment; the others follow it */
	/* each mbuf is one segment of a packet and may still point to the next; see pair_alone() */
	bool segments;
	bool fast_free; /* all mbufs are of one pool and have one reference; set by recycle.c */
	/* the driver's function puts whole batches into the mempool cache ... */
	bool caches;
	bool caches_once; /* ... and copies them once, as RECYCLE_CACHE does */
	const char *end;  /* its name among the Tx ends of pair_table.c; NULL: none */
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
	int (*rx_bind)(struct shim_rx *rx, struct err *e);
	int (*tx_bind)(struct shim_tx *tx, struct err *e);
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
