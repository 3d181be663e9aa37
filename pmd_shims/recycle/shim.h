/* What a driver's shim gives to recycling: how to take sent mbufs out of its Tx ring, and how to
 * arm mbufs in its Rx ring. */
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

/* Mbufs that may be armed now: a multiple of batch. */
typedef uint16_t shim_rx_room(const struct shim_rx *rx);

/*
 * Arm mbufs->n mbufs: batch of them, or any number up to room when batch is 1. sure: they were
 * looked at. Otherwise each has to pass rearm_check.h; when one does not, returns false and the
 * queue is as before, but that its free slots hold anything: call again, or park dummies. With
 * sure: true.
 */
typedef bool shim_rx_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure);

/*
 * Arm batch mbufs of blocks, of which only the first of each is looked at: the others follow from
 * it. Returns batch; or fewer when there is no whole block: then pkts[0..n) are the caller's, nothing
 * is armed, and the free slots hold anything, as after arm.
 */
typedef uint16_t shim_rx_arm_blocks(const struct shim_rx *rx, struct pool_blocks *blocks,
	struct rte_mbuf **pkts);

/* Point the free slots at the driver's dummy mbuf, as it does when its pool is empty. */
typedef void shim_rx_park_dummy(const struct shim_rx *rx);

/*
 * Sent mbufs, as they lie in the queue's own ring until taken(), or in list; queues of packets have
 * forgotten them already. n is 0 or a multiple of batch; from queues of packets any number beside.
 */
typedef struct shim_mbufs shim_tx_sent(const struct shim_tx *tx);

/* They are the caller's now: the queue forgets them. */
typedef void shim_tx_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs);

/*
 * Move what can be moved between the queues of a pair, by the functions above. Returns mbufs moved.
 */
typedef uint16_t pair_run(struct recycle *r);

/*
 * What one look at a queue between bursts says of a layout that no table vouches for: it cannot be
 * right; nothing new; or all fields had values that tell them from others, and agreed.
 */
enum shim_proof { SHIM_WRONG, SHIM_NOTHING_NEW, SHIM_AGREED };
typedef enum shim_proof shim_rx_prove(struct shim_rx *rx);
typedef enum shim_proof shim_tx_prove(struct shim_tx *tx);

/* Why no mbuf is armed any more until the queue is set up anew, a static text; NULL: it goes on. */
typedef const char *shim_rx_closed(const struct shim_rx *rx);

struct shim_rx_ops {
	shim_rx_room *room;
	shim_rx_arm *arm;
	shim_rx_park_dummy *park_dummy;
	shim_rx_arm_blocks *arm_blocks; /* NULL: it looks at each mbuf anyway */
	shim_rx_prove *prove;
	shim_rx_closed *closed; /* NULL: a bound queue goes on */
};

struct shim_rx {
	const struct shim_layouts *known; /* by recycle.c, for bind; NULL: the tables */
	uint16_t port, queue;
	void *rxq; /* the driver's queue, as rte_eth_fp_ops has it */
	eth_rx_burst_t burst;
	struct rte_mempool *pool;
	const struct shim_rx_ops *ops;
	const void *layout; /* the driver file's own */
	struct shim_laid laid;
	/* where the queue has its pool: another one says that it was set up anew */
	struct rte_mempool *const *pool_in;
	uint16_t batch;  /* arms multiples of that many mbufs */
	uint16_t seen;   /* by prove: its own mark of the last state */
	const char *end; /* its name among the receiving ends of pair_table.c; NULL: none */
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
	/* where the queue has what batch and list_size follow from, and its value; as pool_in */
	const uint16_t *sized_in;
	uint16_t sized;
	uint16_t seen;      /* as in struct shim_rx */
	uint16_t batch;     /* sent mbufs come in multiples of it */
	uint16_t wanted;    /* hand out so many together, where as many are sent; by recycle.c */
	uint16_t list_size; /* tx_bind asks for it, recycle.c provides list */
	struct rte_mbuf **list; /* for mbufs that do not lie together in the ring */
	bool packets;           /* each is a packet's first segment: the others go with it */
	/* each is a segment of a packet: it may still point to the next one, as pair_alone() has it */
	bool segments;
	bool fast_free; /* what is sent is all of one pool and nobody else's; by recycle.c */
	/* the driver's function gives whole batches to the mempool cache ... */
	bool caches;
	bool caches_once; /* ... and copies them once, as RECYCLE_CACHE does */
	const char *end;  /* as that of struct shim_rx, among the sending ones */
	char path[SHIM_PATH];
};

/*
 * A driver. rx_bind and tx_bind look at a queue of a started port, compare its memory with what
 * ethdev says of it, and fill what recycle.c has not: pool, ops, layout, batch, path. 0; or
 * -ENOTSUP with e filled, which names what was found.
 */
struct shim_driver {
	const char *name; /* dev_info.driver_name */
	const char *also; /* another that has the same queues; NULL: there is none */
	int (*rx_bind)(struct shim_rx *rx, struct err *e);
	int (*tx_bind)(struct shim_tx *tx, struct err *e);
	const struct shim_table *tables[2]; /* its layouts; NULL: none */
};

/* All drivers, ended by NULL. */
extern const struct shim_driver *const shim_drivers[];

/* The driver of that name (dev_info.driver_name); NULL: nobody looked at it. */
const struct shim_driver *shim_driver_of(const char *name);

/*
 * The name of the function that serves a queue of a started port, "net_i40e Vector AVX2", as the
 * driver's file tells it; empty when it cannot. queue: one that the port has. Thread: control.
 */
void shim_path(uint16_t port, uint16_t queue, bool rx, char path[SHIM_PATH]);

/* Whether n bytes at p are DPDK's own memory, which is where queues and rings are. */
bool shim_owned(const void *p, size_t n);

/*
 * Whether p may be a NIC's register: 4 bytes that are mapped and not DPDK's memory. Thread: control.
 */
bool shim_register(const uint32_t *p);

/* Whether a Tx queue is set up with RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE. */
bool shim_fast_free(const struct shim_tx *tx);

/*
 * Whether somebody has looked at the drivers' vector functions for this processor: SSE, AVX2 and
 * AVX512 on x86-64, NEON on aarch64.
 */
bool shim_processor(void);

/*
 * Width of the vectors to use: 128, 256 or 512 bits, as the machine has them and
 * --force-max-simd-bitwidth lets.
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
