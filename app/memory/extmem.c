/* External memory by name: create, register with EAL and devices, attach from a secondary process,
 * delete. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/extmem.h"

#include "base/err.h"
#include "base/out.h"
#include "memory/extmem_buffers.h"
#include "memory/extmem_device.h"
#include "memory/extmem_gpu.h"
#include "memory/extmem_map.h"
#include "memory/extmem_share.h"

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
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbered regions of one name: of the streams of a run, and of runs whose packets are still in Tx rings. */
#define NUMBERS_MAX 256

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
	ret = extmem_map_open(m, ask, all->interrupt, e);
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
