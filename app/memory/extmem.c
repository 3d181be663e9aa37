/* External memory by name: create, register with EAL and devices, attach from a secondary process,
 * delete. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "memory/extmem_buffers.h"
#include "memory/extmem_device.h"
#include "memory/extmem_gpu.h"
#include "memory/memory_lock.h"

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_memzone.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Allocate or map each type of external memory; sizes are checked first, and pages are allocated at
 * once. */

#define CHUNK_BYTES (UINT64_C(1) << 20) /* bytes per read() of a file */
/* Numbered regions of one name: of the streams of a run, and of runs whose packets are still in Tx rings. */
#define NUMBERS_MAX 256
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
file_read(const struct extmem *m, int from, const char *path, const int *interrupt_fd,
	struct err *e)
{
	uint8_t *chunk = malloc(CHUNK_BYTES);
	uint64_t at = 0;
	int ret = 0;

	if (chunk == NULL)
		return err_set(e, ENOMEM, "no memory to read %s", path);
	while (ret == 0 && at < m->bytes) {
		ssize_t n;

		if (interrupt_fd != NULL && interrupt_pending(*interrupt_fd)) {
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
open_file(struct extmem *m, const struct extmem_ask *ask, const int *interrupt_fd, struct err *e)
{
	/* O_NONBLOCK: do not wait for a FIFO, which file_size() refuses. */
	int from = open(ask->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret;

	if (from < 0)
		return err_set(e, errno, "%s: %s", ask->path, strerror(errno));
	ret = file_size(m, from, ask, e);
	if (ret == 0)
		ret = nameless(m, e);
	if (ret == 0)
		ret = file_read(m, from, ask->path, interrupt_fd, e);
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

/*
 * Map the memory of a region: set addr, bytes, mapped, page, writable, and fd or zone for types
 * that need them; for GPU memory only the sizes. EINVAL, ERANGE, ENOMEM, errors of open(2) and
 * read(2); call extmem_map_close() also then. Thread: control, for all of this file.
 */
static int
extmem_map_open(struct extmem *m, const struct extmem_ask *ask, const int *interrupt_fd,
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
	case EXTMEM_FILE: ret = open_file(m, ask, interrupt_fd, e); break;
	}
	return ret;
}

/*
 * Map memory of another process at addr. fd: its file, owned by m from now on; if negative, it is
 * returned as the error, which e already has.
 */
static int
extmem_map_borrow(struct extmem *m, int fd, void *addr, struct err *e)
{
	const bool sealed = m->type == EXTMEM_FILE;

	m->fd = fd;
	if (fd < 0)
		return fd;
	return map(m, addr, sealed ? PROT_READ : PROT_READ | PROT_WRITE,
		MAP_FIXED_NOREPLACE | (sealed ? MAP_PRIVATE : MAP_SHARED), e);
}

/* Unmap the memory of a region. */
static void
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

/* Set iovas unless devices use virtual addresses. ENOMEM, EPERM: cannot lock the pages. */
static int
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

/* Share external memory with secondary processes: a memzone describes each region, a message
 * requests its file. */

#define MESSAGE "zcfwd_extmem"

enum { ANSWER_S = 5 };

static void
zone_name(char *zone, size_t bytes, const char *name)
{
	snprintf(zone, bytes, "xmc_%s", name);
}

/*
 * In a secondary, return the description of the region of that name and its memzone; NULL: there is
 * none. Thread: control.
 */
static const struct extmem_share *
extmem_share_find(const char *name, const struct rte_memzone **zone)
{
	char text[RTE_MEMZONE_NAMESIZE];

	zone_name(text, sizeof(text), name);
	*zone = rte_memzone_lookup(text);
	return *zone != NULL ? (*zone)->addr : NULL;
}

/*
 * Runs on EAL's message thread while the control thread may delete the region. Then it sends no
 * descriptor, or one of another file, which the secondary detects.
 */
static int
answer(const struct rte_mp_msg *asked, const void *peer)
{
	struct rte_mp_msg reply = { .name = MESSAGE };
	const struct rte_memzone *zone;
	const struct extmem_share *share;
	char name[RTE_MP_MAX_PARAM_LEN + 1] = "";

	memcpy(name, asked->param, (size_t)RTE_MIN(asked->len_param, RTE_MP_MAX_PARAM_LEN));
	share = extmem_share_find(name, &zone);
	if (share != NULL && share->fd >= 0) {
		reply.fds[0] = share->fd;
		reply.num_fds = 1;
	}
	return rte_mp_reply(&reply, peer);
}

/*
 * In the primary, let secondaries find m and set m->shared. No effect for memory that cannot be
 * shared, or if EAL does not support secondaries. Thread: control.
 */
static void
extmem_share_offer(struct extmem *m)
{
	char name[RTE_MEMZONE_NAMESIZE];
	struct extmem_share *share;
	struct stat file = { 0 };

	if (m->type == EXTMEM_ANON || m->type == EXTMEM_GPU ||
		(m->fd >= 0 && fstat(m->fd, &file) != 0) ||
		(rte_mp_action_register(MESSAGE, answer) != 0 && rte_errno != EEXIST))
		return;
	zone_name(name, sizeof(name), m->name);
	m->shared = rte_memzone_reserve(name, sizeof(*share), SOCKET_ID_ANY, 0);
	if (m->shared == NULL)
		return;
	share = m->shared->addr;
	*share = (struct extmem_share){ m->type, m->registered, m->addr, m->bytes, m->mapped,
		m->page, m->fd, file.st_dev, file.st_ino };
}

int
extmem_share_open(const char *name, const struct extmem_share *share, struct err *e)
{
	const struct timespec patience = { .tv_sec = ANSWER_S };
	struct rte_mp_msg ask = { .name = MESSAGE };
	struct rte_mp_reply replies = { 0 };
	struct stat file;
	int fd = -1;

	ask.len_param = snprintf((char *)ask.param, sizeof(ask.param), "%s", name);
	if (rte_mp_request_sync(&ask, &replies, &patience) != 0)
		return err_set(e, rte_errno, "cannot ask the primary process for its file: %s",
			rte_strerror(rte_errno));
	for (int i = 0; i < replies.nb_received; i++)
		if (replies.msgs[i].num_fds == 1)
			fd = replies.msgs[i].fds[0];
	free(replies.msgs);
	if (replies.nb_received == 0)
		return err_set(e, ETIMEDOUT, "no answer from the primary process in %d s",
			ANSWER_S);
	if (fd >= 0 && fstat(fd, &file) == 0 && file.st_dev == share->device &&
		file.st_ino == share->inode)
		return fd;
	if (fd >= 0)
		close(fd);
	return err_set(e, ESTALE, "the primary process has deleted it");
}

static struct extmem *
find(const struct extmems *all, const char *name)
{
	for (struct extmem *m = all->first; m != NULL; m = m->next)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}

struct extmem *
extmem_find(const struct extmems *all, const char *name, struct err *e)
{
	struct extmem *m = find(all, name);
	char names[256] = "";
	size_t n = 0;

	if (m != NULL)
		return m;
	for (m = all->first; m != NULL && n < sizeof(names); m = m->next)
		n += (size_t)snprintf(names + n, sizeof(names) - n, " %s", m->name);
	err_set(e, ENOENT, "no memory \"%s\": %s%s", name,
		names[0] != '\0' ? "expected one of" : "use \"extmem create\" first", names);
	return NULL;
}

/*
 * Only names of regions that the program creates itself may contain dots, so that they cannot clash
 * with the user's.
 */
static int
name_check(const struct extmems *all, const char *name, bool own, struct err *e)
{
	const size_t n = strlen(name);

	for (size_t i = 0; i <= n; i++)
		if (n == 0 || n >= EXTMEM_NAME_BYTES ||
			(i < n && !isalnum((unsigned char)name[i]) && name[i] != '-' &&
				name[i] != '_' && !(own && name[i] == '.')))
			return err_set(e, EINVAL,
				"name \"%s\": expected 1..%d letters, digits, - and _", name,
				EXTMEM_NAME_BYTES - 1);
	if (find(all, name) != NULL)
		return err_set(e, EEXIST, "memory %s exists already: use another name", name);
	return 0;
}

/*
 * Register a region with EAL, unless that would stop a port from transmitting; why gets the reason.
 */
static int
enroll(struct extmem *m, struct err *e)
{
	char name[RTE_ETH_NAME_MAX_LEN];
	const size_t n = m->mapped / m->page;
	rte_iova_t *iovas;
	int ret;

	if (m->type == EXTMEM_HEAP) {
		snprintf(m->why, sizeof(m->why), "EAL's own memory");
		return 0;
	}
	if (extmem_device_silenced(name) != NULL) {
		snprintf(m->why, sizeof(m->why), "%s cannot share it and would stop transmitting",
			name);
		return 0;
	}
	iovas = calloc(n, sizeof(*iovas));
	if (iovas == NULL)
		return err_set(e, ENOMEM, "no memory for the addresses of %zu pages", n);
	for (size_t i = 0; i < n; i++)
		iovas[i] = extmem_iova(m, m->addr + i * m->page, m->page);
	ret = rte_extmem_register(m->addr, m->mapped, iovas, (unsigned int)n, m->page);
	free(iovas);
	if (ret != 0)
		return err_set(e, rte_errno, "EAL refuses the memory: %s", rte_strerror(rte_errno));
	m->registered = true;
	return 0;
}

/* Free a region in any state, also after a failed extmem_create() or extmem_attach(). */
static void
extmem_free(struct extmem *m)
{
	extmem_buffers_free(m);
	rte_mempool_free(m->pinned);
	extmem_device_unmap_all(m);
	if (!m->borrowed)
		rte_memzone_free(m->shared);
	if (m->registered && m->borrowed)
		rte_extmem_detach(m->addr, m->mapped);
	else if (m->registered)
		rte_extmem_unregister(m->addr, m->mapped);
	extmem_gpu_close(m->gpu);
	if (m->on_device)
		m->addr = NULL; /* extmem_gpu_close() unmapped it */
	if (!m->borrowed || m->type != EXTMEM_HEAP)
		extmem_map_close(m);
	free(m->iovas);
	free(m);
}

static struct extmem *
extmem_new(const char *name, enum extmem_type type, struct err *e)
{
	struct extmem *m = calloc(1, sizeof(*m));

	if (m == NULL) {
		err_set(e, ENOMEM, "memory %s: no memory for its description", name);
		return NULL;
	}
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->type = type;
	m->fd = -1;
	return m;
}

static void
append(struct extmems *all, struct extmem *m)
{
	struct extmem **at = &all->first;

	while (*at != NULL)
		at = &(*at)->next;
	*at = m;
}

/* Let the GPU access the mapped pages, or map memory of the GPU. */
static int
gpu_open(struct extmem *m, const struct extmem_ask *ask, struct err *e)
{
	void *addr = m->addr;

	m->gpu = ask->on_device ? extmem_gpu_alloc(ask->gpu, m->mapped, &addr, e)
				: extmem_gpu_open(ask->gpu, addr, m->mapped, e);
	if (m->gpu == NULL)
		return -e->code;
	m->on_device = ask->on_device;
	m->addr = addr;
	m->writable = true;
	return 0;
}

static void
unlink_and_free(struct extmems *all, struct extmem *m)
{
	struct extmem **at = &all->first;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	extmem_free(m);
}

/* Free the released regions whose last packet has returned. */
static void
released_free(struct extmems *all)
{
	struct extmem *next;
	struct err why;

	for (struct extmem *m = all->first; m != NULL; m = next) {
		next = m->next;
		if (m->released && extmem_idle(m, &why) == 0)
			unlink_and_free(all, m);
	}
}

/* Write the name that a region gets. */
static int
name_choose(const struct extmems *all, const struct extmem_ask *ask, char *name, size_t bytes,
	struct err *e)
{
	for (unsigned int i = 1; ask->numbered && i <= NUMBERS_MAX; i++) {
		snprintf(name, bytes, "%s.%u", ask->name, i);
		if (find(all, name) == NULL)
			return 0;
	}
	if (ask->numbered)
		return err_set(e, EBUSY,
			"packets of earlier runs are still in Tx rings: use \"port stop all\" and \"port start all\"");
	snprintf(name, bytes, "%s", ask->name);
	return name_check(all, ask->name, ask->own, e);
}

int
extmem_create(struct extmems *all, const struct extmem_ask *ask, struct extmem **made,
	struct err *e)
{
	char name[EXTMEM_NAME_BYTES];
	struct extmem *m;
	int ret;

	released_free(all);
	ret = name_choose(all, ask, name, sizeof(name), e);
	if (ret != 0)
		return ret;
	m = extmem_new(name, ask->type, e);
	if (m == NULL)
		return -ENOMEM;
	ret = extmem_map_open(m, ask, all->interrupt_fd, e);
	if (ret == 0 && ask->type == EXTMEM_GPU)
		ret = gpu_open(m, ask, e);
	if (ret == 0)
		ret = extmem_map_iovas(m, e);
	if (ret == 0)
		ret = enroll(m, e);
	if (ret != 0) {
		extmem_free(m);
		return err_context(e, "memory %s", name);
	}
	extmem_device_map_all(m);
	extmem_share_offer(m);
	append(all, m);
	if (made != NULL)
		*made = m;
	return 0;
}

int
extmem_attach(struct extmems *all, const char *name, struct extmem **made, struct err *e)
{
	const struct rte_memzone *zone;
	const struct extmem_share *c;
	struct extmem *m;
	int ret = name_check(all, name, false, e);

	if (ret != 0)
		return ret;
	c = extmem_share_find(name, &zone);
	if (rte_eal_process_type() != RTE_PROC_SECONDARY || c == NULL)
		return err_set(e, ENOENT,
			"memory %s: only a secondary process can attach, and its primary needs memory of this name with type heap, hugepage, memfd or file",
			name);
	m = extmem_new(name, c->type, e);
	if (m == NULL)
		return -ENOMEM;
	m->borrowed = true;
	m->shared = zone;
	m->addr = c->addr;
	m->bytes = c->bytes;
	m->mapped = c->mapped;
	m->page = c->page;
	m->writable = c->type != EXTMEM_FILE;
	if (c->type != EXTMEM_HEAP)
		ret = extmem_map_borrow(m, extmem_share_open(name, c, e), c->addr, e);
	if (ret == 0)
		ret = extmem_map_iovas(m, e);
	if (ret == 0 && c->registered) {
		m->registered = rte_extmem_attach(m->addr, m->mapped) == 0;
		if (!m->registered)
			snprintf(m->why, sizeof(m->why), "%s", rte_strerror(rte_errno));
	}
	if (ret != 0) {
		extmem_free(m);
		return err_context(e, "memory %s", name);
	}
	append(all, m);
	if (made != NULL)
		*made = m;
	return 0;
}

void
extmem_release(struct extmems *all, struct extmem *m)
{
	m->released = true;
	released_free(all);
}

int
extmem_delete(struct extmems *all, const char *name, struct err *e)
{
	struct extmem *m = extmem_find(all, name, e);
	int ret = m == NULL ? -ENOENT : extmem_idle(m, e);

	if (ret == 0)
		unlink_and_free(all, m);
	return ret;
}

void
extmem_close(struct extmems *all, struct out *out)
{
	while (all->first != NULL) {
		struct extmem *m = all->first;
		struct err e;

		err_clear(&e);
		m->received_into = false; /* the ports are closed */
		if (extmem_delete(all, m->name, &e) == 0)
			continue;
		out_warn(out, "zcfwd: %s\n", e.text);
		all->first = m->next; /* keep it mapped: packets still point into it */
	}
}
