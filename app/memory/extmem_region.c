/* The IO virtual addresses (IOVA) of a region of external memory, page by page unless they equal
 * the virtual addresses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem_region.h"

#include <rte_common.h>

uint64_t
extmem_iova(const struct extmem *m, const void *at, uint64_t bytes)
{
	const uint8_t *first = RTE_PTR_ALIGN_FLOOR(m->addr, m->page);
	const uint64_t offset = (uint64_t)((const uint8_t *)at - first);
	const uint64_t page = offset / m->page;

	if (m->iovas == NULL)
		return (uint64_t)(uintptr_t)at;
	for (uint64_t i = page; i <= (offset + bytes - 1) / m->page; i++)
		if (i >= m->n_pages || m->iovas[i] == RTE_BAD_IOVA ||
			m->iovas[i] != m->iovas[page] + (i - page) * m->page)
			return RTE_BAD_IOVA;
	return m->iovas[page] + offset % m->page;
}
