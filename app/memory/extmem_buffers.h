/* Buffers cut from external memory and attached to mbufs: handed out, counted, returned when the
 * last mbuf is freed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct extmem;

#define EXTMEM_BUFFERS_CACHE 256 /* buffers that an lcore may keep for itself */
#define EXTMEM_BUFFERS_SHARED \
	60000u /* mbufs that may point at one buffer: shinfo counts in 16 bits */

/* One buffer. Whoever took it owns it; mbufs own it together once it is attached. */
struct extmem_buffer {
	struct rte_mbuf_ext_shared_info shinfo; /* calls back when its count becomes 0 */
	uint8_t *addr;
	uint64_t iova;
	struct extmem_buffers *of;
	/* 32 bits each, to stay in one cache line. */
	uint32_t taken, given; /* times that it was handed out, and that it came back */
	uint32_t given_twice;  /* callbacks that found it back already: a bug of a driver */
};

/* What one stream cuts of a region; outlives the run while buffers are out. */
struct extmem_buffers {
	struct extmem_buffers *next; /* of the same region */
	struct extmem *memory;
	unsigned int index, of; /* the part of the region: number index of so many */
	uint32_t bytes; /* of one buffer; 0: addresses are the user's, who only borrows shinfos */
	unsigned int n;
	bool used;                /* by a run */
	struct rte_mempool *pool; /* of struct extmem_buffer */
	/* For all mbufs that point anywhere into the region, without a buffer of their own. */
	struct rte_mbuf_ext_shared_info whole;
};

/*
 * Cut a part of a region: number index of `of` parts, in buffers of so many bytes, at most most of
 * them. Where that was done before in the same way, the buffers are the same, those that are still
 * out included. bytes 0: most shinfos, without memory. Errors: EBUSY while buffers of another cut
 * are out; ENOSPC when the part has less than least buffers; ERANGE for bytes; ENOMEM. Thread:
 * control, all of this file but take and give.
 */
struct extmem_buffers *extmem_buffers_open(struct extmem *m, unsigned int index, unsigned int of,
	uint32_t bytes, unsigned int least, unsigned int most, struct err *e);

/* True when the region is not cut, or all of it in so many parts, in buffers of so many bytes. */
bool extmem_buffers_alike(const struct extmem *m, unsigned int of, uint32_t bytes);

/* The run is over; buffers may still be out. NULL is fine. */
void extmem_buffers_close(struct extmem_buffers *b);

/* Buffers that are out now; of all cuts of a region. */
uint64_t extmem_buffers_out_of(const struct extmem_buffers *b);
uint64_t extmem_buffers_out(const struct extmem *m);

/* True while a run uses a cut of the region. */
bool extmem_buffers_used(const struct extmem *m);

/* Packets that point into it now: buffers attached or received into. */
uint64_t extmem_out(const struct extmem *m);

/*
 * EBUSY with the number of packets that still point into it, or the run that uses it; 0: free to be
 * cut anew.
 */
int extmem_idle(const struct extmem *m, struct err *e);

/* Free all cuts of a region; none may be out. */
void extmem_buffers_free(struct extmem *m);

/* Times that buffers were taken, given back, and given back twice, all together. */
struct extmem_buffers_total {
	uint64_t taken, given, given_twice;
};
struct extmem_buffers_total extmem_buffers_total(const struct extmem_buffers *b);

/*
 * Up to n buffers into out, each with a count of 1: the caller's. Returns how many. Thread: any
 * lcore.
 */
static inline uint16_t
extmem_buffers_take(struct extmem_buffers *b, struct extmem_buffer **out, uint16_t n)
{
	uint16_t got = 0, want = n;

	while (want > 0) {
		if (likely(rte_mempool_get_bulk(b->pool, (void **)out + got, want) == 0)) {
			got += want;
			want = RTE_MIN(want, n - got);
		} else {
			want /= 2;
		}
	}
	for (uint16_t i = 0; i < got; i++)
		out[i]->taken++;
	return got;
}

/* Give buffers back that no mbuf points at. Thread: any. */
static inline void
extmem_buffers_give(struct extmem_buffers *b, struct extmem_buffer *const *buffers, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++)
		buffers[i]->given++;
	rte_mempool_put_bulk(b->pool, (void *const *)buffers, n);
}

/* Let go of a reference of the caller's; the last one gives the buffer back. Thread: any. */
static inline void
extmem_buffers_drop(struct extmem_buffer *buffer)
{
	if (rte_mbuf_ext_refcnt_update(&buffer->shinfo, -1) == 0)
		buffer->shinfo.free_cb(buffer->addr, buffer);
}
