/* DPDK's own dumps: memory, memzones, rings, mempools, lcores, log types. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/dump.h"

#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"

#include <rte_devargs.h>
#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>
#include <rte_memzone.h>
#include <rte_ring.h>
#include <rte_trace.h>
#include <rte_version.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Collects in memory what a DPDK function writes to a FILE. */
struct text {
	FILE *file;
	char *bytes;
	size_t n;
};

static int
text_open(struct text *t, struct err *e)
{
	*t = (struct text){ 0 };
	t->file = open_memstream(&t->bytes, &t->n);
	return t->file != NULL ? 0 : err_set(e, ENOMEM, "no memory for the answer");
}

static int
text_show(struct text *t, struct out *o, const char *key, struct err *e)
{
	int ret = 0;

	if (fclose(t->file) != 0)
		ret = err_set(e, ENOMEM, "no memory for the answer");
	else
		out_str(o, key, "%s", t->bytes);
	free(t->bytes);
	return ret;
}

#define MIB(bytes) ((double)(bytes) / (1024 * 1024))

static double
percent(size_t part, size_t whole)
{
	return whole > 0 ? 100.0 * part / whole : 0;
}

static void
heap_show(struct out *o, const struct rte_malloc_socket_stats *s)
{
	out_f64(o, "size_mib", "size(M) total: %.6f ", MIB(s->heap_totalsz_bytes));
	out_f64(o, "allocated_mib", "alloc: %.6f", MIB(s->heap_allocsz_bytes));
	out_f64(o, NULL, "(%.3f%%) ", percent(s->heap_allocsz_bytes, s->heap_totalsz_bytes));
	out_f64(o, "free_mib", "free: %.6f \t", MIB(s->heap_freesz_bytes));
	out_u64(o, "allocated_blocks", "count alloc: %-4" PRIu64, s->alloc_count);
	out_u64(o, "free_blocks", " free: %" PRIu64 "\n", s->free_count);
}

static void
socket_mem_show(struct out *o)
{
	struct rte_malloc_socket_stats s, sum = { 0 };
	unsigned int i;

	out_nest(o, "sockets", OUT_ARRAY);
	for (i = 0; i < RTE_MAX_NUMA_NODES; i++) {
		if (rte_malloc_get_socket_stats(i, &s) != 0 || s.heap_totalsz_bytes == 0)
			continue;
		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "socket", "Socket %" PRIu64 ": ", i);
		heap_show(o, &s);
		out_unnest(o);
		sum.heap_totalsz_bytes += s.heap_totalsz_bytes;
		sum.heap_allocsz_bytes += s.heap_allocsz_bytes;
		sum.heap_freesz_bytes += s.heap_freesz_bytes;
		sum.alloc_count += s.alloc_count;
		sum.free_count += s.free_count;
	}
	out_unnest(o);
	out_text(o, "Total   : ");
	out_nest(o, "total", OUT_OBJECT);
	heap_show(o, &sum);
	out_unnest(o);
}

static void
struct_sizes_show(struct out *o)
{
	out_u64(o, "rte_mbuf_bytes", "sizeof(struct rte_mbuf) = %" PRIu64 "\n",
		sizeof(struct rte_mbuf));
	out_u64(o, "rte_mempool_bytes", "sizeof(struct rte_mempool) = %" PRIu64 "\n",
		sizeof(struct rte_mempool));
	out_u64(o, "rte_ring_bytes", "sizeof(struct rte_ring) = %" PRIu64 "\n",
		sizeof(struct rte_ring));
}

static int
trace_save(struct out *o, struct err *e)
{
	int ret;

	if (!rte_trace_is_enabled())
		return err_set(e, ENOENT, "tracing is disabled; start zcfwd with --trace=REGEX");
	ret = rte_trace_save();
	if (ret != 0)
		return err_set(e, abs(ret), "cannot save the trace: %s", strerror(abs(ret)));
	return 0;
}

int
dump_show(struct out *o, const char *what, struct err *e)
{
	static const struct {
		const char *name;
		void (*write)(FILE *file);
	} dumps[] = {
		{ "physmem", rte_dump_physmem_layout },
		{ "memzone", rte_memzone_dump },
		{ "ring", rte_ring_list_dump },
		{ "mempool", rte_mempool_list_dump },
		{ "devargs", rte_devargs_dump },
		{ "log_types", rte_log_dump },
		{ "lcores", rte_lcore_dump },
	};
	struct text t;
	unsigned int i;
	int ret;

	if (strcmp(what, "trace") == 0)
		return trace_save(o, e);
	if (strcmp(what, "socket_mem") == 0) {
		socket_mem_show(o);
		return 0;
	}
	if (strcmp(what, "struct_sizes") == 0) {
		struct_sizes_show(o);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(dumps); i++) {
		if (strcmp(dumps[i].name, what) != 0)
			continue;
		ret = text_open(&t, e);
		if (ret != 0)
			return ret;
		dumps[i].write(t.file);
		return text_show(&t, o, what, e);
	}
	return err_set(e, EINVAL, "%s: expected one of " DUMP_NAMES, what);
}

int
dump_ring(struct out *o, const char *name, struct err *e)
{
	const struct rte_ring *ring = rte_ring_lookup(name);
	struct text t;
	int ret;

	if (ring == NULL)
		return err_set(e, ENOENT, "Cannot find ring");
	ret = text_open(&t, e);
	if (ret != 0)
		return ret;
	rte_ring_dump(t.file, ring);
	return text_show(&t, o, "ring", e);
}

int
dump_mempool(struct out *o, const char *name, struct err *e)
{
	struct rte_mempool *pool = rte_mempool_lookup(name);
	struct text t;
	int ret;

	if (pool == NULL)
		return err_set(e, ENOENT, "Cannot find mempool");
	ret = text_open(&t, e);
	if (ret != 0)
		return ret;
	rte_mempool_dump(t.file, pool);
	return text_show(&t, o, "mempool", e);
}

/* Shows the mbuf history that DPDK records if built with RTE_MBUF_HISTORY_DEBUG. */

/* Searches the pools for an mbuf at this address. */
struct search {
	const void *address;
	bool found;
};

static void
object_compare(struct rte_mempool *mp, void *context, void *object, unsigned int i)
{
	struct search *search = context;

	search->found |= object == search->address;
}

static void
pool_search(struct rte_mempool *mp, void *context)
{
	/* A pool with less private data is not a packet pool. */
	if (mp->private_data_size >= sizeof(struct rte_pktmbuf_pool_private))
		rte_mempool_obj_iter(mp, object_compare, context);
}

static int
one_write(FILE *file, const char *text, struct err *e)
{
	char *end;
	struct search search = { .address = (const void *)(uintptr_t)strtoull(text, &end, 16) };

	if (strncmp(text, "0x", 2) != 0 || *end != '\0')
		return err_set(e, EINVAL, "%s: expected \"all\" or the address of an mbuf (0x...)",
			text);
	rte_mempool_walk(pool_search, &search);
	if (!search.found)
		return err_set(e, EINVAL, "%s: no mbuf at this address", text);
	compat_mbuf_history(file, search.address, NULL);
	return 0;
}

static int
history_write(FILE *file, const char *which, const char *pool, struct err *e)
{
	struct rte_mempool *mp;

	if (!COMPAT_MBUF_HISTORY)
		return err_set(e, ENOSYS, "mbuf history needs DPDK 25.11, this is %s",
			rte_version());
	if (which != NULL && strcmp(which, "all") != 0)
		return one_write(file, which, e);
	if (which != NULL) {
		compat_mbuf_history(file, NULL, NULL);
		return 0;
	}
	mp = rte_mempool_lookup(pool);
	if (mp == NULL)
		return err_set(e, ENOENT, "Failed to find mempool '%s'", pool);
	compat_mbuf_history(file, NULL, mp);
	return 0;
}

int
dump_mbuf_history(struct app *app, const struct args *a, struct err *e)
{
	const char *path = arg_str(a, "file", NULL);
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);
	int ret;

	if (file == NULL)
		return err_set(e, ENOMEM, "no memory for the answer");
	ret = history_write(file, arg_str(a, "which", NULL), arg_str(a, "pool", NULL), e);
	fclose(file);
	if (ret == 0 && path != NULL)
		ret = plain_file_whole(path, PLAIN_FILE_OVERWRITE, text, bytes, e);
	if (ret == 0 && path != NULL)
		out_say(app->out, "Dump written in '%s'\n", path);
	else if (ret == 0)
		out_str(app->out, "mbuf_history", "%s", text);
	free(text);
	return ret;
}
