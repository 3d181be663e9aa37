/* Maps a guest's memory where the guest has it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/guest/memory.h"

#include <errno.h>
#include <sys/mman.h>

enum { LOW_BYTES = 64 << 10 }; /* vm.mmap_min_addr; no kernel gives them to a card */

static void *
pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/* Make room where the guest took memory back. */
static void
room_make(struct guest_memory *g, uint64_t address, uint64_t size)
{
	unsigned n = 0;

	for (unsigned i = 0; i < g->n; i++) {
		const uint64_t first = g->piece[i].address, len = g->piece[i].size;

		if (g->piece[i].gone && first < address + size && address < first + len)
			munmap(pointer(first), len);
		else
			g->piece[n++] = g->piece[i];
	}
	g->n = n;
}

int
guest_memory_map(struct guest_memory *g, int fd, uint64_t offset, uint64_t address, uint64_t size)
{
	uint64_t low = address < LOW_BYTES ? LOW_BYTES - address : 0;
	void *at;

	if (size <= low)
		return 0;
	room_make(g, address + low, size - low);
	if (g->n == GUEST_PIECES)
		return -ENOSPC;
	at = mmap(pointer(address + low), size - low, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_FIXED_NOREPLACE, fd, (off_t)(offset + low));
	if (at == MAP_FAILED)
		return -errno;
	g->piece[g->n].address = address + low;
	g->piece[g->n].size = size - low;
	g->piece[g->n++].gone = false;
	return 0;
}

int
guest_memory_unmap(struct guest_memory *g, uint64_t address, uint64_t size)
{
	const uint64_t end = address + size;
	int ret = -ENOENT;

	for (unsigned i = 0; i < g->n; i++) {
		const uint64_t first = g->piece[i].address, len = g->piece[i].size;

		if (first < address || first + len > end)
			continue;
		if (mmap(pointer(first), len, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			    0) == MAP_FAILED)
			return -errno;
		g->piece[i].gone = true;
		ret = 0;
	}
	return ret;
}

void
guest_memory_close(struct guest_memory *g)
{
	for (unsigned i = 0; i < g->n; i++)
		munmap(pointer(g->piece[i].address), g->piece[i].size);
	g->n = 0;
}
