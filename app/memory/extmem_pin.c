/* A packet pool with pinned external buffers: receive queues fill a region of external memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem_pin.h"

#include "base/err.h"
#include "memory/extmem_buffers.h"
#include "memory/pool_ops.h"

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_memory.h>

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Return whether a buffer lies in one page, or is longer than a page. */
static bool
ends_well(uint64_t page, const void *at, uint16_t element)
{
	const uintptr_t first = (uintptr_t)at, last = first + element - 1;

	return element > page || first / page == last / page;
}

uint64_t
extmem_pin_fitting(uint64_t page, const uint8_t *start, uint64_t bytes, uint16_t element)
{
	uint64_t n = bytes / element;

	while (n > 0 && !ends_well(page, start + (n - 1) * element, element))
		n--;
	return n;
}

unsigned int
extmem_pin_enough(uint64_t page, const struct rte_pktmbuf_extmem *at, unsigned int n_pieces,
	unsigned int n)
{
	unsigned int before = 0;

	for (unsigned int i = 0; i < n_pieces; i++) {
		const unsigned int here = (unsigned int)(at[i].buf_len / at[i].elt_size);
		const uint8_t *start = at[i].buf_ptr;

		for (; n > before && n < before + here; n++)
			if (ends_well(page, start + (uint64_t)(n - before - 1) * at[i].elt_size,
				    at[i].elt_size))
				break;
		before += here;
	}
	return n;
}

/*
 * Split the region into IOVA-contiguous pieces of at least one element. Returns their number; at
 * NULL: only count.
 */
static unsigned int
pieces(const struct extmem *m, uint16_t element, struct rte_pktmbuf_extmem *at, uint64_t *elements)
{
	unsigned int n = 0;
	uint64_t from = 0, bytes, fit;

	*elements = 0;
	for (; from < m->bytes; from += bytes) {
		const bool known = extmem_iova(m, m->addr + from, 1) != RTE_BAD_IOVA;

		bytes = known ? RTE_MIN(m->page, m->bytes - from) : m->bytes - from;
		while (known && from + bytes < m->bytes &&
			extmem_iova(m, m->addr + from, RTE_MIN(bytes + m->page, m->bytes - from)) !=
				RTE_BAD_IOVA)
			bytes += RTE_MIN(m->page, m->bytes - from - bytes);
		fit = extmem_pin_fitting(m->page, m->addr + from, bytes, element);
		if (fit == 0)
			continue;
		if (at != NULL)
			at[n] = (struct rte_pktmbuf_extmem){ m->addr + from,
				extmem_iova(m, m->addr + from, known ? bytes : 1), fit * element,
				element };
		*elements += fit;
		n++;
	}
	return n;
}

/* Names of pools begin with this; a memory's whole name fits behind it. */
#define PIN_NAME "p_"
static_assert(sizeof(PIN_NAME) - 1 + EXTMEM_NAME_BYTES <= RTE_MEMPOOL_NAMESIZE,
	"no two memories have the same name of a pool");

static struct rte_mempool *
pool_make(const struct extmem *m, uint16_t element, unsigned int n, unsigned int cache,
	struct err *e)
{
	uint64_t elements;
	const unsigned int n_pieces = pieces(m, element, NULL, &elements);
	struct rte_pktmbuf_extmem *at = calloc(n_pieces, sizeof(*at));
	char name[RTE_MEMPOOL_NAMESIZE];
	struct rte_mempool *pool = NULL;

	if (at == NULL) {
		err_set(e, ENOMEM, "memory %s: no memory for %u pieces", m->name, n_pieces);
		return NULL;
	}
	if (pool_ops_fit(rte_mbuf_best_mempool_ops(),
		    rte_mempool_calc_obj_size(sizeof(struct rte_mbuf), 0, NULL), e) != 0) {
		free(at);
		return NULL;
	}
	pieces(m, element, at, &elements);
	n = extmem_pin_enough(m->page, at, n_pieces, n);
	snprintf(name, sizeof(name), PIN_NAME "%s", m->name);
	pool = rte_pktmbuf_pool_create_extbuf(name, n, cache, 0, element, SOCKET_ID_ANY, at,
		n_pieces);
	free(at);
	if (pool == NULL)
		err_set(e, rte_errno, "memory %s: cannot create a pool of %u buffers: %s", m->name,
			n, rte_strerror(rte_errno));
	return pool;
}

struct rte_mempool *
extmem_pin(struct extmem *m, uint16_t bytes, unsigned int least, unsigned int most,
	unsigned int cache, struct err *e)
{
	const uint16_t element = (uint16_t)RTE_ALIGN_CEIL((uint32_t)bytes, RTE_CACHE_LINE_SIZE);
	uint64_t elements;

	if (m->pinned != NULL && rte_pktmbuf_data_room_size(m->pinned) == element &&
		m->pinned->size >= least)
		return m->pinned;
	if (extmem_idle(m, e) != 0)
		return NULL;
	pieces(m, element, NULL, &elements);
	if (elements < least) {
		err_set(e, ENOSPC,
			"memory %s: %" PRIu64 " bytes give %" PRIu64
			" buffers of %u bytes: the queues of all ports need at least %u",
			m->name, m->bytes, elements, element, least);
		return NULL;
	}
	extmem_buffers_free(m);
	rte_mempool_free(m->pinned);
	m->pinned =
		pool_make(m, element, (unsigned int)RTE_MIN(elements, (uint64_t)most), cache, e);
	return m->pinned;
}

void
extmem_pin_received(struct extmems *all, const struct rte_mempool *pool)
{
	for (struct extmem *m = all->first; m != NULL; m = m->next)
		m->received_into = m->pinned != NULL && m->pinned == pool;
}
