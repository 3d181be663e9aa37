/* Finds the files that EAL's memory, and memory mapped by others, are made of. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/qemu/memory.h"

#include <rte_memory.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What a walk over EAL's memory has found. */
struct found {
	struct piece *pieces;
	int n; /* -1: no file, -2: too many */
};

static int
note(const struct rte_memseg_list *msl, const struct rte_memseg *ms, void *arg)
{
	struct found *f = arg;
	struct piece *last = f->n > 0 ? &f->pieces[f->n - 1] : NULL;
	struct piece p = { .address = ms->addr_64, .len = ms->len };
	size_t offset = 0;

	if (msl->external != 0)
		return 0;
	p.fd = rte_memseg_get_fd_thread_unsafe(ms);
	if (p.fd < 0 || rte_memseg_get_fd_offset_thread_unsafe(ms, &offset) < 0) {
		f->n = -1;
		return 1;
	}
	p.offset = offset;
	if (last != NULL && last->fd == p.fd && last->address + last->len == p.address &&
		last->offset + last->len == p.offset) {
		last->len += p.len;
		return 0;
	}
	if (f->n == QEMU_PIECES) {
		f->n = -2;
		return 1;
	}
	f->pieces[f->n++] = p;
	return 0;
}

static bool
in_reach(uint64_t address, uint64_t len)
{
	return address >= QEMU_MEMORY_FIRST && len <= QEMU_MEMORY_LAST &&
		address <= QEMU_MEMORY_LAST - len;
}

int
memory_of_eal(struct piece *pieces, char *why, size_t size)
{
	struct found f = { .pieces = pieces };

	rte_memseg_walk(note, &f);
	if (f.n < 0) {
		snprintf(why, size,
			f.n == -1
				? "memory that is in no file cannot be shared with QEMU"
				: "memory in more than %d files: use --no-huge or --single-file-segments",
			QEMU_PIECES);
		return -1;
	}
	for (int i = 0; i < f.n; i++)
		if (!in_reach(pieces[i].address, pieces[i].len)) {
			snprintf(why, size,
				"memory at 0x%llx is out of reach: use --base-virtaddr=0x100000000",
				(unsigned long long)pieces[i].address);
			return -1;
		}
	return f.n;
}

int
memory_at(uint64_t address, uint64_t len, struct piece *p, char *why, size_t size)
{
	unsigned long long first, end, offset;
	char line[512], path[64] = "";
	FILE *maps = fopen("/proc/self/maps", "re");

	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
		if (sscanf(line, "%llx-%llx %*s %llx", &first, &end, &offset) == 3 &&
			address >= first && address + len <= end) {
			snprintf(path, sizeof(path), "/proc/self/map_files/%llx-%llx", first, end);
			break;
		}
	if (maps != NULL)
		fclose(maps);
	if (path[0] == '\0' || !in_reach(address, len)) {
		snprintf(why, size, "memory at 0x%llx is out of reach of a card of QEMU",
			(unsigned long long)address);
		return -1;
	}
	*p = (struct piece){ .address = address, .len = len, .offset = offset + address - first };
	p->fd = open(path, O_RDWR | O_CLOEXEC);
	if (p->fd < 0)
		snprintf(why, size, "%s: %s", path, strerror(errno));
	return p->fd < 0 ? -1 : 0;
}
