/* Buffers cut from external memory. A mempool holds their descriptions, so that any lcore can free
 * one without a lock. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem_buffers.h"

#include "base/err.h"

#include <rte_common.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_memory.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The IO virtual addresses (IOVA) of a region of external memory, page by page unless they equal
 * the virtual addresses. */

uint64_t
extmem_iova(const struct extmem *m, const void *at, uint64_t bytes)
{
	const uint8_t *first = RTE_PTR_ALIGN_FLOOR(m->addr, m->page);
	const uint64_t offset = (uint64_t)((const uint8_t *)at - first);
	const uint64_t page = offset / m->page;

	HOT_ASSERT(bytes > 0 && (const uint8_t *)at >= first);
	if (m->iovas == NULL)
		return (uint64_t)(uintptr_t)at;
	for (uint64_t i = page; i <= (offset + bytes - 1) / m->page; i++)
		if (i >= m->n_pages || m->iovas[i] == RTE_BAD_IOVA ||
			m->iovas[i] != m->iovas[page] + (i - page) * m->page)
			return RTE_BAD_IOVA;
	return m->iovas[page] + offset % m->page;
}

#define POOL_MOST 65535u
/* Each object of a pool of tails is memory of its own, without padding. */
#define TAIL_FLAGS \
	(RTE_MEMPOOL_F_NO_SPREAD | RTE_MEMPOOL_F_NO_CACHE_ALIGN | RTE_MEMPOOL_F_NO_IOVA_CONTIG)

/*
 * The free callback of a buffer, called when its last mbuf is freed. Thread: the one that frees it.
 */
static void
came_back(void *addr, void *opaque)
{
	struct extmem_buffer *buffer = opaque;

	if (unlikely(buffer->given == buffer->taken)) {
		buffer->given_twice++;
		return;
	}
	rte_mbuf_ext_refcnt_set(&buffer->shinfo, 1); /* for the next extmem_buffers_take() */
	extmem_buffers_give(buffer->of, &buffer, 1);
}

/* The position in the region while its buffers are laid out. */
struct cut {
	struct extmem_buffers *b;
	uint8_t *at, *end;
};

/* Bytes of the region for a buffer. */
static uint32_t
size_of(const struct extmem_buffers *b)
{
	return b->bytes + (b->tail ? EXTMEM_BUFFERS_TAIL : 0);
}

/* Return the next buffer's address, IOVA-contiguous for devices; NULL at the end of the part. */
static uint8_t *
cut_next(struct cut *c, uint64_t *iova)
{
	const uint32_t size = size_of(c->b);

	while ((uint64_t)(c->end - c->at) >= size) {
		uint8_t *at = c->at;

		*iova = extmem_iova(c->b->memory, at, size);
		c->at += size;
		/*
		 * If the first byte has no IOVA, none has: accept the buffer. If only the buffer is
		 * not contiguous, continue at the next page.
		 */
		if (*iova != RTE_BAD_IOVA || extmem_iova(c->b->memory, at, 1) == RTE_BAD_IOVA)
			return at;
		c->at = RTE_PTR_ALIGN_CEIL(at + 1, c->b->memory->page);
	}
	return NULL;
}

static void
cut_begin(struct cut *c, struct extmem_buffers *b)
{
	const uint64_t part = RTE_ALIGN_FLOOR(b->memory->bytes / b->of, RTE_CACHE_LINE_SIZE);

	c->b = b;
	c->at = RTE_PTR_ALIGN_CEIL(b->memory->addr + part * b->index, RTE_CACHE_LINE_SIZE);
	c->end = b->memory->addr + part * (b->index + 1);
}

static unsigned int
cut_count(struct extmem_buffers *b, unsigned int most)
{
	unsigned int n = 0;
	uint64_t iova;
	struct cut c;

	cut_begin(&c, b);
	while (n < most && cut_next(&c, &iova) != NULL)
		n++;
	return n;
}

static void
buffer_init(struct rte_mempool *pool, void *opaque, void *object, unsigned int i)
{
	struct extmem_buffer *buffer = object;
	struct cut *c = opaque;

	memset(buffer, 0, sizeof(*buffer));
	buffer->of = c->b;
	if (c->b->bytes > 0)
		buffer->addr = cut_next(c, &buffer->iova);
	buffer->shinfo.free_cb = came_back;
	buffer->shinfo.fcb_opaque = buffer;
	rte_mbuf_ext_refcnt_set(&buffer->shinfo, 1);
}

bool
extmem_buffers_valid(const struct extmem_buffers *b, const struct extmem_buffer *buffer)
{
	struct cut c;

	if (buffer->of != b || buffer->shinfo.free_cb != came_back)
		return false;
	cut_begin(&c, (struct extmem_buffers *)(uintptr_t)b);
	return b->bytes == 0 ||
		(buffer->addr >= c.at && buffer->addr < c.end &&
			(uint64_t)(c.end - buffer->addr) >= size_of(b));
}

/* Find equal buffers of an earlier run. */
static struct extmem_buffers *
again(const struct extmem *m, unsigned int index, unsigned int least)
{
	for (struct extmem_buffers *b = m->buffers; b != NULL; b = b->next)
		if (b->index == index && b->n >= least)
			return b;
	return NULL;
}

bool
extmem_buffers_alike(const struct extmem *m, unsigned int of, uint32_t bytes, bool tail)
{
	for (const struct extmem_buffers *b = m->buffers; b != NULL; b = b->next)
		if (b->of != of || b->bytes != bytes || b->tail != tail)
			return false;
	return m->pinned == NULL;
}

/*
 * Add the descriptions at the end of the buffers to the pool, each as memory of its own. Returns
 * false if there is no memory to manage them.
 */
static bool
tails_add(struct extmem_buffers *b)
{
	uint64_t iova;
	uint8_t *at;
	struct cut c;

	cut_begin(&c, b);
	for (unsigned int i = 0; i < b->n && (at = cut_next(&c, &iova)) != NULL; i++) {
		/* The rest of the description is behind the shinfo, its first member. */
		uint16_t before = (uint16_t)(size_of(b) - sizeof(struct extmem_buffer) +
			sizeof(struct rte_mbuf_ext_shared_info));
		char *const tail =
			(char *)rte_pktmbuf_ext_shinfo_init_helper(at, &before, came_back, NULL);

		if (rte_mempool_populate_iova(b->pool, tail - b->pool->header_size, RTE_BAD_IOVA,
			    b->pool->header_size + sizeof(struct extmem_buffer), NULL, NULL) != 1)
			return false;
	}
	return true;
}

static int
pool_make(struct extmem_buffers *b, struct err *e)
{
	/* Lcore caches keep buffers from other lcores: use caches only if there are enough. */
	const unsigned int cache = b->n >= 8 * EXTMEM_BUFFERS_CACHE ? EXTMEM_BUFFERS_CACHE : 0;
	char name[RTE_MEMPOOL_NAMESIZE];
	struct cut c;

	cut_begin(&c, b);
	/* A memory's name may be too long beside the number of the part: its address is unique. */
	snprintf(name, sizeof(name), "xb%u_%" PRIxPTR, b->index, (uintptr_t)b->memory->addr);
	b->pool = rte_mempool_create_empty(name, b->n, sizeof(struct extmem_buffer), cache, 0,
		SOCKET_ID_ANY, b->tail ? TAIL_FLAGS : 0);
	if (b->pool == NULL || rte_mempool_set_ops_byname(b->pool, "ring_mp_mc", NULL) != 0 ||
		!(b->tail ? tails_add(b) : rte_mempool_populate_default(b->pool) > 0)) {
		rte_mempool_free(b->pool);
		return err_set(e, ENOMEM, "memory %s: no memory to manage %u buffers",
			b->memory->name, b->n);
	}
	rte_mempool_obj_iter(b->pool, buffer_init, &c);
	return 0;
}

static void
buffers_free(struct extmem_buffers *b)
{
	rte_mempool_free(b->pool);
	rte_free(b);
}

/* Lay out new buffers; their part of the region is unused. */
static int
buffers_make(struct extmem_buffers *b, unsigned int least, unsigned int most, struct err *e)
{
	most = RTE_MIN(most, POOL_MOST);
	b->n = b->bytes > 0 ? cut_count(b, most) : most;
	if (b->n < least)
		return err_set(e, ENOSPC,
			"memory %s: %" PRIu64
			" bytes give %u buffers of %u bytes to each of %u streams: expected at least %u",
			b->memory->name, b->memory->bytes, b->n, size_of(b), b->of, least);
	return pool_make(b, e);
}

struct extmem_buffers *
extmem_buffers_open(struct extmem *m, unsigned int index, unsigned int of, uint32_t bytes,
	bool tail, unsigned int least, unsigned int most, struct err *e)
{
	struct extmem_buffers *b;

	if (!extmem_buffers_alike(m, of, bytes, tail)) {
		if (extmem_idle(m, e) != 0)
			return NULL;
		extmem_buffers_free(m);
		rte_mempool_free(m->pinned);
		m->pinned = NULL;
	}
	b = again(m, index, least);
	if (b == NULL) {
		b = rte_zmalloc("extmem_buffers", sizeof(*b), RTE_CACHE_LINE_SIZE);
		if (b == NULL) {
			err_set(e, ENOMEM, "memory %s: no memory to manage buffers", m->name);
			return NULL;
		}
		b->memory = m;
		b->index = index;
		b->of = of;
		b->bytes = bytes;
		b->tail = tail;
		if (buffers_make(b, least, most, e) != 0) {
			rte_free(b);
			return NULL;
		}
		b->next = m->buffers;
		m->buffers = b;
	}
	b->used = true;
	return b;
}

void
extmem_buffers_close(struct extmem_buffers *b)
{
	if (b != NULL)
		b->used = false;
}

uint64_t
extmem_buffers_out_of(const struct extmem_buffers *b)
{
	return rte_mempool_in_use_count(b->pool);
}

uint64_t
extmem_buffers_out(const struct extmem *m)
{
	uint64_t out = 0;

	for (const struct extmem_buffers *b = m->buffers; b != NULL; b = b->next)
		out += extmem_buffers_out_of(b);
	return out;
}

bool
extmem_buffers_used(const struct extmem *m)
{
	for (const struct extmem_buffers *b = m->buffers; b != NULL; b = b->next)
		if (b->used)
			return true;
	return false;
}

void
extmem_buffers_free(struct extmem *m)
{
	while (m->buffers != NULL) {
		struct extmem_buffers *b = m->buffers;

		m->buffers = b->next;
		buffers_free(b);
	}
}

static void
buffer_add(struct rte_mempool *pool, void *opaque, void *object, unsigned int i)
{
	const struct extmem_buffer *buffer = object;
	struct extmem_buffers_total *t = opaque;

	t->taken += buffer->taken;
	t->given += buffer->given;
	t->given_twice += buffer->given_twice;
}

struct extmem_buffers_total
extmem_buffers_total(const struct extmem_buffers *b)
{
	struct extmem_buffers_total t = { 0 };

	rte_mempool_obj_iter(b->pool, buffer_add, &t);
	return t;
}

uint64_t
extmem_out(const struct extmem *m)
{
	uint64_t pinned = m->pinned != NULL ? rte_mempool_in_use_count(m->pinned) : 0;

	return pinned + extmem_buffers_out(m);
}

int
extmem_idle(const struct extmem *m, struct err *e)
{
	const uint64_t out = extmem_out(m);

	if (m->received_into)
		return err_set(e, EBUSY,
			"memory %s: ports receive into it: start with another engine, mode or memory first",
			m->name);
	if (m->gpu_stuck)
		return err_set(e, EBUSY,
			"memory %s: a kernel on its GPU did not finish and may still read it: restart the program to release it",
			m->name);
	if (extmem_buffers_used(m))
		return err_set(e, EBUSY, "memory %s: forwarding uses it: use \"stop\" first",
			m->name);
	if (out > 0)
		return err_set(e, EBUSY,
			"memory %s: %" PRIu64
			" of its buffers are still in the rings of ports: stop these ports, or let their rings drain",
			m->name, out);
	return 0;
}
