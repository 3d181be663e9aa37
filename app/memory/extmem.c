/* External memory by name: create, register with EAL and devices, attach from a secondary process,
 * show, delete. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem.h"

#include "base/err.h"
#include "base/out.h"
#include "memory/extmem_buffers.h"
#include "memory/extmem_device.h"
#include "memory/extmem_gpu.h"
#include "memory/extmem_map.h"
#include "memory/extmem_region.h"
#include "memory/extmem_share.h"

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_memzone.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

int
extmem_create(struct extmems *all, const struct extmem_ask *ask, struct extmem **made,
	struct err *e)
{
	struct extmem *m;
	int ret = name_check(all, ask->name, ask->own, e);

	if (ret != 0)
		return ret;
	m = extmem_new(ask->name, ask->type, e);
	if (m == NULL)
		return -ENOMEM;
	ret = extmem_map_open(m, ask, e);
	if (ret == 0 && ask->type == EXTMEM_GPU)
		ret = gpu_open(m, ask, e);
	if (ret == 0)
		ret = extmem_map_iovas(m, e);
	if (ret == 0)
		ret = enroll(m, e);
	if (ret != 0) {
		extmem_free(m);
		return err_context(e, "memory %s", ask->name);
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

int
extmem_delete(struct extmems *all, const char *name, struct err *e)
{
	struct extmem *m = extmem_find(all, name, e), **at = &all->first;
	int ret = m == NULL ? -ENOENT : extmem_idle(m, e);

	if (ret != 0)
		return ret;
	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	extmem_free(m);
	return 0;
}

static const char *
type_word(enum extmem_type type)
{
	static const char *const words[] = { "heap", "anon", "hugepage", "memfd", "file", "gpu" };

	return words[type];
}

/* Return how devices address a region. */
static const char *
iova_word(const struct extmem *m)
{
	if (m->iovas == NULL)
		return "virtual";
	for (uint64_t at = 0; at < m->mapped; at += m->page)
		if (extmem_iova(m, m->addr + at, 1) == RTE_BAD_IOVA)
			return "unknown";
	return extmem_iova(m, m->addr, m->mapped) != RTE_BAD_IOVA ? "physical, contiguous"
								  : "physical, in pages";
}

static void
device_show(const struct extmem_device *d, struct out *out)
{
	out_nest(out, NULL, OUT_OBJECT);
	out_str(out, "device", "  %s: ", d->name);
	out_bool(out, "mapped", NULL, d->code == 0, "yes", "no");
	out_str(out, "state", "%s\n",
		d->code == 0                 ? "mapped for DMA"
			: d->code == ENOTSUP ? "DMA mapping not needed or not supported"
					     : strerror(d->code));
	out_unnest(out);
}

static void
show_one(const struct extmem *m, struct out *out)
{
	out_nest(out, NULL, OUT_OBJECT);
	out_str(out, "name", "Memory %s: ", m->name);
	out_str(out, "type", "type=%s", type_word(m->type));
	out_u64(out, "size", ", size=%" PRIu64, m->bytes);
	out_u64(out, "page", ", page=%" PRIu64, m->page);
	out_bool(out, "writable", ", %s", m->writable, "writable", "read-only");
	out_str(out, "iova", ", IOVA %s", iova_word(m));
	out_u64(out, "buffers_out", ", buffers out=%" PRIu64 "\n", extmem_out(m));
	out_bool(out, "registered", "  %s", m->registered, "registered with EAL",
		"not registered with EAL: ");
	out_str(out, m->registered ? NULL : "why", "%s\n", m->why);
	out_bool(out, "shared", "  %s\n", m->shared != NULL, "secondary processes may attach it",
		"private to this process");
	if (m->gpu != NULL) {
		out_str(out, "gpu", "  GPU %s", extmem_gpu_name(m->gpu));
		out_bool(out, "on_device", "%s", m->on_device, ", device memory", "");
		out_u64(out, "gpu_address", " at %#" PRIx64 "\n", extmem_gpu_address(m->gpu));
	}
	out_nest(out, "devices", OUT_ARRAY);
	for (unsigned int i = 0; i < m->n_devices; i++)
		device_show(&m->devices[i], out);
	out_unnest(out);
	out_unnest(out);
}

int
extmem_show(const struct extmems *all, const char *name, struct out *out, struct err *e)
{
	const struct extmem *one = name != NULL ? extmem_find(all, name, e) : NULL;

	if (name != NULL && one == NULL)
		return -ENOENT;
	out_nest(out, "extmem", OUT_ARRAY);
	for (const struct extmem *m = all->first; m != NULL; m = m->next)
		if (one == NULL || m == one)
			show_one(m, out);
	out_unnest(out);
	return 0;
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
