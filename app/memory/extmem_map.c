/* Allocate or map each type of external memory; sizes are checked first, and pages are allocated at
 * once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem_map.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "memory/memory_lock.h"

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_memory.h>
#include <rte_memzone.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES (UINT64_C(1) << 20) /* bytes per read() of a file */
#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

/* Choose the page size of a region, and check that its type supports the requested one. */
static int
page_decide(struct extmem *m, const struct extmem_ask *ask, struct err *e)
{
	const uint64_t small = (uint64_t)sysconf(_SC_PAGESIZE), page = ask->page;
	const bool huge = page == RTE_PGSIZE_2M || page == RTE_PGSIZE_1G;

	m->page = page != 0 ? page : ask->type == EXTMEM_HUGEPAGE ? RTE_PGSIZE_2M : small;
	switch (ask->type) {
	case EXTMEM_HEAP:
		if (page != 0)
			return err_set(e, EINVAL,
				"page %" PRIu64 ": type heap uses EAL's pages, leave page out",
				page);
		break;
	case EXTMEM_HUGEPAGE:
		if (page != 0 && !huge)
			return err_set(e, EINVAL,
				"page %" PRIu64 ": expected 2M or 1G with type hugepage", page);
		break;
	case EXTMEM_ANON:
	case EXTMEM_MEMFD:
	case EXTMEM_FILE:
	case EXTMEM_GPU:
		if (page != 0 && page != small && !huge)
			return err_set(e, EINVAL,
				"page %" PRIu64 ": expected %" PRIu64 ", 2M or 1G", page, small);
		break;
	}
	return 0;
}

static int
size_check(const struct extmem *m, uint64_t bytes, struct err *e)
{
	if (bytes == 0)
		return err_set(e, ERANGE, "size 0: expected at least %" PRIu64 " bytes", m->page);
	if (bytes % m->page != 0)
		return err_set(e, EINVAL,
			"size %" PRIu64 ": expected a multiple of the page size, %" PRIu64 " bytes",
			bytes, m->page);
	if (bytes > SIZE_MAX / 2)
		return err_set(e, ERANGE, "size %" PRIu64 ": larger than the address space", bytes);
	return 0;
}

static bool
is_huge(const struct extmem *m)
{
	return m->page >= RTE_PGSIZE_2M;
}

static int
short_say(const struct extmem *m, int code, struct err *e)
{
	char why[MEMORY_LOCK_CHARS];

	/* EAGAIN: mappings are locked (mlockall(2), MCL_FUTURE) and the limit is reached. */
	if (code == EAGAIN && memory_lock_limit(why)[0] != '\0')
		return err_set(e, code,
			"%" PRIu64 " pages of %" PRIu64 " KiB: %s, or use --no-mlockall",
			m->mapped / m->page, m->page / 1024, why);
	return err_set(e, code, "%" PRIu64 " pages of %" PRIu64 " KiB: %s%s", m->mapped / m->page,
		m->page / 1024, strerror(code), is_huge(m) ? " (too few free huge pages?)" : "");
}

/* Map fd, or anonymous pages for -1, at addr unless it is NULL. */
static int
map(struct extmem *m, void *addr, int prot, int flags, struct err *e)
{
	void *got;

	if (m->fd < 0 && is_huge(m))
		flags |= MAP_HUGETLB | (int)(rte_log2_u64(m->page) << MAP_HUGE_SHIFT);
	/*
	 * MAP_POPULATE allocates the physical pages now; else a lack of memory would kill the
	 * program when a worker touches a page.
	 */
	got = mmap(addr, m->mapped, prot, flags | MAP_POPULATE, m->fd, 0);
	if (got == MAP_FAILED)
		return short_say(m, errno, e);
	m->addr = got;
	m->writable = (prot & PROT_WRITE) != 0;
	return 0;
}

/* Create an unnamed file (memfd) of whole pages. */
static int
nameless(struct extmem *m, struct err *e)
{
	unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;

	if (is_huge(m))
		flags |= MFD_HUGETLB | rte_log2_u64(m->page) << MAP_HUGE_SHIFT;
	m->fd = memfd_create(m->name, flags);
	if (m->fd < 0)
		return err_set(e, errno, "memfd_create: %s", strerror(errno));
	if (ftruncate(m->fd, (off_t)m->mapped) != 0)
		return short_say(m, errno, e);
	return 0;
}

/*
 * Copy bytes into the memfd through a temporary mapping, as hugetlb files do not support write().
 */
static int
pour(const struct extmem *m, const uint8_t *from, size_t n, uint64_t at, struct err *e)
{
	const uint64_t begin = RTE_ALIGN_FLOOR(at, m->page), end = RTE_ALIGN_CEIL(at + n, m->page);
	uint8_t *to =
		mmap(NULL, end - begin, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, (off_t)begin);

	if (to == MAP_FAILED)
		return short_say(m, errno, e);
	memcpy(to + (at - begin), from, n);
	munmap(to, end - begin);
	return 0;
}

static int
file_read(const struct extmem *m, int from, const char *path, const struct interrupt *interrupt,
	struct err *e)
{
	uint8_t *chunk = malloc(CHUNK_BYTES);
	uint64_t at = 0;
	int ret = 0;

	if (chunk == NULL)
		return err_set(e, ENOMEM, "no memory to read %s", path);
	while (ret == 0 && at < m->bytes) {
		ssize_t n;

		if (interrupt != NULL && interrupt_pending(interrupt)) {
			ret = err_set(e, EINTR, "stopped by a signal while reading %s", path);
			break;
		}
		n = pread(from, chunk, RTE_MIN(CHUNK_BYTES, m->bytes - at), (off_t)at);

		if (n < 0)
			ret = err_set(e, errno, "%s: %s", path, strerror(errno));
		else if (n == 0)
			ret = err_set(e, EIO,
				"%s shrank to %" PRIu64
				" bytes while it was read: expected %" PRIu64,
				path, at, m->bytes);
		else
			ret = pour(m, chunk, (size_t)n, at, e);
		at += n > 0 ? (uint64_t)n : 0;
	}
	free(chunk);
	return ret;
}

/* Set the size of a file's region, and check that the file has as many bytes. */
static int
file_size(struct extmem *m, int from, const struct extmem_ask *ask, struct err *e)
{
	struct stat st;

	if (fstat(from, &st) != 0)
		return err_set(e, errno, "%s: %s", ask->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "%s: expected a regular file", ask->path);
	m->bytes = ask->bytes != 0 ? ask->bytes : (uint64_t)st.st_size;
	if (st.st_size == 0 || m->bytes > (uint64_t)st.st_size)
		return err_set(e, ERANGE, "%s has %" PRIu64 " bytes: expected at least %" PRIu64,
			ask->path, (uint64_t)st.st_size, RTE_MAX(m->bytes, UINT64_C(1)));
	m->mapped = RTE_ALIGN_CEIL(m->bytes, m->page);
	return 0;
}

/*
 * Copy a file into sealed memory: if the file changes or shrinks later, packets do not change and
 * workers do not fault.
 */
static int
open_file(struct extmem *m, const struct extmem_ask *ask, const struct interrupt *interrupt,
	struct err *e)
{
	/* O_NONBLOCK: do not wait for a FIFO, which file_size() refuses. */
	int from = open(ask->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret;

	if (from < 0)
		return err_set(e, errno, "%s: %s", ask->path, strerror(errno));
	ret = file_size(m, from, ask, e);
	if (ret == 0)
		ret = nameless(m, e);
	if (ret == 0)
		ret = file_read(m, from, ask->path, interrupt, e);
	close(from);
	if (ret == 0 && fcntl(m->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
		ret = err_set(e, errno, "sealing memory: %s", strerror(errno));
	/*
	 * MAP_PRIVATE: older kernels refuse a shared mapping of a write-sealed file. As nothing can
	 * write to it, both mean the same.
	 */
	return ret != 0 ? ret : map(m, NULL, PROT_READ, MAP_PRIVATE, e);
}

static int
open_heap(struct extmem *m, const struct extmem_ask *ask, struct err *e)
{
	const struct rte_memseg *seg;
	char name[RTE_MEMZONE_NAMESIZE];

	snprintf(name, sizeof(name), "xm_%s", m->name);
	m->zone = rte_memzone_reserve_aligned(name, m->mapped, ask->socket, 0,
		(unsigned int)sysconf(_SC_PAGESIZE));
	if (m->zone == NULL)
		return err_set(e, rte_errno != 0 ? rte_errno : ENOMEM,
			"cannot reserve %" PRIu64
			" bytes of DPDK's memory: %s; use more, -m MIB or --socket-mem",
			m->mapped, rte_strerror(rte_errno));
	m->addr = m->zone->addr;
	m->writable = true;
	seg = rte_mem_virt2memseg(m->addr, NULL);
	m->page = seg != NULL ? seg->hugepage_sz : m->page;
	memset(m->addr, 0, m->mapped);
	return 0;
}

int
extmem_map_open(struct extmem *m, const struct extmem_ask *ask, const struct interrupt *interrupt,
	struct err *e)
{
	int ret;

	m->fd = -1;
	ret = page_decide(m, ask, e);
	if (ret == 0 && ask->type != EXTMEM_FILE)
		ret = size_check(m, ask->bytes, e);
	if (ret != 0)
		return ret;
	m->bytes = m->mapped = ask->bytes;
	switch (ask->type) {
	case EXTMEM_HEAP: ret = open_heap(m, ask, e); break;
	case EXTMEM_GPU:
		if (ask->on_device)
			break;
		/* fall through */
	case EXTMEM_ANON:
		ret = map(m, NULL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, e);
		break;
	case EXTMEM_HUGEPAGE:
	case EXTMEM_MEMFD:
		ret = nameless(m, e);
		if (ret == 0)
			ret = map(m, NULL, PROT_READ | PROT_WRITE, MAP_SHARED, e);
		break;
	case EXTMEM_FILE: ret = open_file(m, ask, interrupt, e); break;
	}
	return ret;
}

int
extmem_map_borrow(struct extmem *m, int fd, void *addr, struct err *e)
{
	const bool sealed = m->type == EXTMEM_FILE;

	m->fd = fd;
	if (fd < 0)
		return fd;
	return map(m, addr, sealed ? PROT_READ : PROT_READ | PROT_WRITE,
		MAP_FIXED_NOREPLACE | (sealed ? MAP_PRIVATE : MAP_SHARED), e);
}

void
extmem_map_close(struct extmem *m)
{
	if (m->zone != NULL)
		rte_memzone_free(m->zone);
	else if (m->addr != NULL)
		munmap(m->addr, m->mapped);
	if (m->fd >= 0)
		close(m->fd);
	m->zone = NULL;
	m->addr = NULL;
	m->fd = -1;
}

int
extmem_map_iovas(struct extmem *m, struct err *e)
{
	if (rte_eal_iova_mode() == RTE_IOVA_VA)
		return 0;
	m->n_pages = (m->mapped + m->page - 1) / m->page;
	if (m->zone != NULL) /* may begin within a page */
		m->n_pages++;
	m->iovas = calloc(m->n_pages, sizeof(*m->iovas));
	if (m->iovas == NULL)
		return err_set(e, ENOMEM, "no memory for the addresses of %zu pages", m->n_pages);
	/* Huge pages do not move, and the GPU driver manages a GPU's pages. */
	if (m->zone == NULL && m->type != EXTMEM_GPU && !is_huge(m) &&
		memory_lock_pages(m->addr, m->mapped, e) != 0)
		return -e->code;
	for (size_t i = 0; i < m->n_pages; i++) {
		const uint8_t *page = RTE_PTR_ALIGN_FLOOR(m->addr, m->page) + (uint64_t)i * m->page;

		if (page >= m->addr + m->mapped)
			m->iovas[i] = RTE_BAD_IOVA;
		else
			m->iovas[i] = rte_mem_virt2iova(page);
	}
	return 0;
}
