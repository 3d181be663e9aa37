/* Commands of external memory and of mempools. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "memory/extmem.h"
#include "memory/pool_history.h"
#include "show/extmem_show.h"
#include "show/mempool_show.h"

#include <rte_memory.h>

/* The row's data has the type of memory, unless the line has it. */
static int
create_memory(struct app *app, const struct args *a, struct err *e)
{
	static const struct extmem_ask plain;
	struct extmem_ask ask = a->data != NULL ? *(const struct extmem_ask *)a->data : plain;

	if (a->data == NULL)
		ask.type = (enum extmem_type)arg_u64(a, "type", 0);
	ask.name = arg_str(a, "name", "");
	ask.path = arg_str(a, "path", "");
	ask.gpu = (unsigned int)arg_u64(a, "id", 0);
	ask.bytes = arg_u64(a, "bytes", 0);
	ask.page = arg_u64(a, "page", 0);
	ask.socket = SOCKET_ID_ANY;
	return extmem_create(&app->extmems, &ask, NULL, e);
}

static int
attach(struct app *app, const struct args *a, struct err *e)
{
	return extmem_attach(&app->extmems, arg_str(a, "name", ""), NULL, e);
}

static int delete (struct app *app, const struct args *a, struct err *e)
{
	return extmem_delete(&app->extmems, arg_str(a, "name", ""), e);
}

static const struct cmd_row rows[] = {
	{ "extmem create <name:str> type <type:word heap|anon|hugepage|memfd> size <bytes:bytes> [page <page:bytes>]",
		create_memory,
		"create memory for packets: from DPDK's heap, pages of this process, huge pages, or pages that other processes can map",
		"extmem create app type anon size 1M" },
	{ "extmem create <name:str> type file <path:file> size <bytes:bytes> [page <page:bytes>]",
		create_memory,
		"create read-only memory for packets with the content of a file; size 0: the whole file",
		"extmem create list type file /etc/passwd size 0",
		&(const struct extmem_ask){ .type = EXTMEM_FILE } },
	{ "extmem create <name:str> type gpu <id:uint 0..65535> size <bytes:bytes> [page <page:bytes>]",
		create_memory, "create memory for packets that a GPU reads and writes in place",
		NULL, &(const struct extmem_ask){ .type = EXTMEM_GPU } },
	{ "extmem create <name:str> type gpu <id:uint 0..65535> memory device size <bytes:bytes>",
		create_memory, "create memory on a GPU that this process maps, if the platform can",
		NULL, &(const struct extmem_ask){ .type = EXTMEM_GPU, .on_device = true } },
	{ "extmem attach <name:str>", attach,
		"attach memory of the primary process; in a secondary process only", NULL },
	{ "extmem delete <name:str>", delete, "delete memory; refused while packets point into it",
		NULL },
	{ "show extmem [<name:str>]", extmem_show,
		"show memory for packets: size, page size, addresses, devices that map it, buffers in use",
		"show extmem" },
};

const struct cmd_table cmds_extmem = { "extmem", "external memory for packets", rows,
	ARRAY_SIZE(rows) };

/* Commands that show mempools. */

static int
clear_mempool(struct app *app, const struct args *a, struct err *e)
{
	pool_history_clear(app->pool_history);
	return 0;
}

static const struct cmd_row cmd_rows[] = {
	{ "show mempool [<name:str>] [block <n:uint 1..256>]", mempool_show,
		"show mempools: driver, level now and over time, lcore caches, contiguous blocks, footprint; block N: pool size needed to hand out contiguous blocks of N",
		"show mempool", NULL },
	{ "clear mempool", clear_mempool, "reset the lowest and highest level of mempools",
		"clear mempool", NULL },
};

const struct cmd_table cmds_mempool = { "mempool", "mempools", cmd_rows, ARRAY_SIZE(cmd_rows) };
