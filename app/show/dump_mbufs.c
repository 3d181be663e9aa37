/* Shows the mbuf history that DPDK records if built with RTE_MBUF_HISTORY_DEBUG. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/dump_mbufs.h"

#include "base/err.h"
#include "base/out.h"

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_version.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
#include <rte_mbuf_history.h>

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
	rte_mbuf_history_dump(file, search.address);
	return 0;
}

static int
history_write(FILE *file, const char *which, const char *pool, struct err *e)
{
	struct rte_mempool *mp;

	if (which != NULL && strcmp(which, "all") != 0)
		return one_write(file, which, e);
	if (which != NULL) {
		rte_mbuf_history_dump_all(file);
		return 0;
	}
	mp = rte_mempool_lookup(pool);
	if (mp == NULL)
		return err_set(e, ENOENT, "Failed to find mempool '%s'", pool);
	rte_mbuf_history_dump_mempool(file, mp);
	return 0;
}

#else

static int
history_write(FILE *file, const char *which, const char *pool, struct err *e)
{
	return err_set(e, ENOSYS, "mbuf history needs DPDK 25.11, this is %s", rte_version());
}

#endif

static int
file_write(struct out *o, const char *path, const char *text, struct err *e)
{
	FILE *file = fopen(path, "w");
	bool written;

	if (file == NULL)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	written = fwrite(text, 1, strlen(text), file) == strlen(text);
	if (fclose(file) != 0 || !written)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	out_say(o, "Dump written in '%s'\n", path);
	return 0;
}

int
dump_mbuf_history(struct out *o, const char *which, const char *pool, const char *path,
	struct err *e)
{
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);
	int ret;

	if (file == NULL)
		return err_set(e, ENOMEM, "no memory for the answer");
	ret = history_write(file, which, pool, e);
	fclose(file);
	if (ret == 0 && path != NULL)
		ret = file_write(o, path, text, e);
	else if (ret == 0)
		out_str(o, "mbuf_history", "%s", text);
	free(text);
	return ret;
}
