/* Buffers cut from external memory: taken, attached to mbufs, counted, and returned when the last
 * mbuf is freed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct extmem;
struct extmem_buffers;
struct extmem_gpu;
struct interrupt;
struct rte_mempool;
struct rte_memzone;

/* A region of external memory: its addresses, pages, users and IO virtual addresses (IOVA). */

#define EXTMEM_NAME_BYTES 24 /* longest name, with its NUL */

/* In the order of the words of `extmem create`. */
enum extmem_type {
	EXTMEM_HEAP,     /* DPDK's own memory, which every device can access */
	EXTMEM_ANON,     /* anonymous pages of this process */
	EXTMEM_HUGEPAGE, /* huge pages of a memfd */
	EXTMEM_MEMFD,    /* pages of a memfd */
	EXTMEM_FILE,     /* a read-only copy of a file */
	/*
	 * pages of this process that a GPU accesses directly, or GPU memory that this process maps
	 */
	EXTMEM_GPU,
};

struct extmem_ask {
	const char *name; /* letters, digits, - and _ */
	enum extmem_type type;
	const char *path; /* EXTMEM_FILE */
	unsigned int gpu; /* EXTMEM_GPU: number of the device */
	bool on_device;   /* EXTMEM_GPU: use the device's memory */
	uint64_t bytes;   /* a multiple of the page; EXTMEM_FILE: any number, 0: the whole file */
	uint64_t page;    /* page size, bytes; 0: the type's default */
	int socket;       /* EXTMEM_HEAP: NUMA socket, or SOCKET_ID_ANY */
	bool own;         /* created by the program itself: the name may contain dots */
	bool numbered;    /* with own: the name gets a dot and the first free number */
};

/* The result of mapping a region for a device. */
struct extmem_device {
	char name[64];
	/* 0: mapped; ENOTSUP: not needed or not supported; else the driver's errno, positive */
	int code;
};

struct extmem {
	struct extmem *next;
	char name[EXTMEM_NAME_BYTES];
	enum extmem_type type;
	uint8_t *addr;
	uint64_t bytes;  /* requested size; for a file it may end within a page */
	uint64_t mapped; /* size in whole pages, bytes */
	uint64_t page;   /* page size, bytes */
	bool writable;
	bool borrowed;                  /* attached: the primary process created it */
	bool released;                  /* its creator does not use it any more */
	bool registered;                /* with EAL */
	int fd;                         /* file of the mapping, -1: none */
	const struct rte_memzone *zone; /* EXTMEM_HEAP */
	/* struct extmem_share for other processes; NULL: cannot be shared */
	const struct rte_memzone *shared;
	/* of each of n_pages pages; NULL: devices use virtual addresses */
	uint64_t *iovas;
	size_t n_pages;
	char why[128]; /* why it is not registered */
	struct extmem_gpu *gpu;
	bool on_device; /* the memory is the GPU's */
	/* a GPU kernel that did not finish may still read it: keep it until the process ends */
	bool gpu_stuck;
	struct extmem_device *devices;
	unsigned int n_devices;
	struct extmem_buffers *buffers; /* its parts */
	struct rte_mempool *pinned;     /* pool with pinned external buffers in it */
	bool received_into;             /* ports receive into pinned; extmem_pin_received() */
};

/* All regions; all zero: none. */
struct extmems {
	struct extmem *first; /* in the order of creation */
	const struct interrupt
		*interrupt; /* of interrupt_open(): a signal ends long reads; NULL: none does */
};

/*
 * Return the IOVA of at; RTE_BAD_IOVA if it is unknown, or if the bytes from there on are not
 * IOVA-contiguous.
 */
uint64_t extmem_iova(const struct extmem *m, const void *at, uint64_t bytes);

#define EXTMEM_BUFFERS_CACHE 256 /* size of each lcore's cache of buffers */
/*
 * Maximum mbufs that are attached to one buffer until it is returned: shinfo counts in 16 bits, and
 * the other half is for clones.
 */
#define EXTMEM_BUFFERS_SHARED 32768u

/*
 * One buffer, owned by the caller of extmem_buffers_take(); once attached, by its mbufs together.
 */
struct extmem_buffer {
	struct rte_mbuf_ext_shared_info shinfo; /* calls free_cb when its count becomes 0 */
	uint8_t *addr;
	uint64_t iova;
	struct extmem_buffers *of;
	/* 32 bits each, so that the struct fits in one cache line. */
	uint32_t taken, given; /* how often it was taken and returned */
	uint32_t given_twice;  /* callbacks although it was already returned: a driver bug */
};

/*
 * Spare bytes at the end of a buffer with its description (struct extmem_buffer), the object of a
 * mempool, whose header is in front of it.
 */
#define EXTMEM_BUFFERS_TAIL 128u

/* A stream's part of a region, cut into buffers; outlives the run while buffers are in use. */
struct extmem_buffers {
	struct extmem_buffers *next; /* of the same region */
	struct extmem *memory;
	unsigned int index, of; /* part number index of `of` parts of the region */
	uint32_t
		bytes; /* for packets in a buffer; 0: only shinfos are used, the user has the addresses */
	bool tail; /* the descriptions are behind these bytes, not in memory of the pool */
	unsigned int n;
	bool used;                /* by a run */
	struct rte_mempool *pool; /* of struct extmem_buffer */
};

/*
 * Cut part number index of `of` parts of a region into at most `most` buffers of that many bytes.
 * If it was cut in this way before, the same buffers are returned, including those still in use.
 * bytes 0: `most` shinfos without memory. tail: EXTMEM_BUFFERS_TAIL further bytes of each buffer have
 * its description; bytes is a multiple of 64, at most UINT16_MAX - EXTMEM_BUFFERS_TAIL. EBUSY:
 * buffers of a different cut are in use; ENOSPC: fewer than `least` buffers; ENOMEM. Thread: control,
 * for all of this file except take, give and drop.
 */
struct extmem_buffers *extmem_buffers_open(struct extmem *m, unsigned int index, unsigned int of,
	uint32_t bytes, bool tail, unsigned int least, unsigned int most, struct err *e);

/* Return whether the region is not cut, or only into `of` parts with such buffers. */
bool extmem_buffers_alike(const struct extmem *m, unsigned int of, uint32_t bytes, bool tail);

/* End the use by a run; buffers may still be in use by ports. b may be NULL. */
void extmem_buffers_close(struct extmem_buffers *b);

/* Return the number of buffers in use, of one part and of all parts of a region. */
uint64_t extmem_buffers_out_of(const struct extmem_buffers *b);
uint64_t extmem_buffers_out(const struct extmem *m);

/* Return whether a run uses a part of the region. */
bool extmem_buffers_used(const struct extmem *m);

/* Return the number of packets that point into the region, attached or received. */
uint64_t extmem_out(const struct extmem *m);

/*
 * Check that a region is unused and can be cut again. EBUSY: a run uses it, ports receive into it,
 * a GPU may read it, or packets point into it.
 */
int extmem_idle(const struct extmem *m, struct err *e);

/* Free all parts of a region; no buffer may be in use. */
void extmem_buffers_free(struct extmem *m);

/* How often buffers were taken, returned, and returned twice, summed over all buffers. */
struct extmem_buffers_total {
	uint64_t taken, given, given_twice;
};
struct extmem_buffers_total extmem_buffers_total(const struct extmem_buffers *b);

/* Whether a buffer, taken or not, is one of b and lies in its part of the region. */
bool extmem_buffers_valid(const struct extmem_buffers *b, const struct extmem_buffer *buffer);

/*
 * Take up to n buffers into out, each with a reference count of 1, owned by the caller. Returns
 * their number. Thread: any lcore.
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
	for (uint16_t i = 0; i < got; i++) {
		HOT_ASSERT(extmem_buffers_valid(b, out[i]) && out[i]->taken == out[i]->given);
		out[i]->taken++;
	}
	return got;
}

/* Return buffers that are not attached to an mbuf. Thread: any. */
static inline void
extmem_buffers_give(struct extmem_buffers *b, struct extmem_buffer *const *buffers, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++) {
		HOT_ASSERT(extmem_buffers_valid(b, buffers[i]) &&
			buffers[i]->given + 1 == buffers[i]->taken);
		buffers[i]->given++;
	}
	rte_mempool_put_bulk(b->pool, (void *const *)buffers, n);
}

/* Drop a reference of the caller; the last one returns the buffer. Thread: any. */
static inline void
extmem_buffers_drop(struct extmem_buffer *buffer)
{
	HOT_ASSERT(extmem_buffers_valid(buffer->of, buffer) && buffer->given != buffer->taken);
	if (rte_mbuf_ext_refcnt_update(&buffer->shinfo, -1) == 0)
		buffer->shinfo.free_cb(buffer->addr, buffer);
}
