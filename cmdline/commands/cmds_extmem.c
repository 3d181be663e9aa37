/* Commands that create, delete and show external memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "memory/extmem.h"

#include <rte_memory.h>

static int
create(struct app *app, const struct args *a, enum extmem_type type, bool on_device, struct err *e)
{
	const struct extmem_ask ask = {
		.name = arg_str(a, "name", ""),
		.type = type,
		.path = arg_str(a, "path", ""),
		.gpu = (unsigned int)arg_u64(a, "id", 0),
		.on_device = on_device,
		.bytes = arg_u64(a, "bytes", 0),
		.page = arg_u64(a, "page", 0),
		.socket = SOCKET_ID_ANY,
	};

	return extmem_create(&app->extmems, &ask, NULL, e);
}

static int
create_plain(struct app *app, const struct args *a, struct err *e)
{
	return create(app, a, (enum extmem_type)arg_u64(a, "type", 0), false, e);
}

static int
create_file(struct app *app, const struct args *a, struct err *e)
{
	return create(app, a, EXTMEM_FILE, false, e);
}

static int
create_gpu(struct app *app, const struct args *a, struct err *e)
{
	return create(app, a, EXTMEM_GPU, false, e);
}

static int
create_gpu_device(struct app *app, const struct args *a, struct err *e)
{
	return create(app, a, EXTMEM_GPU, true, e);
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

static int
show(struct app *app, const struct args *a, struct err *e)
{
	return extmem_show(&app->extmems, arg_str(a, "name", NULL), app->out, e);
}

static const struct cmd_row rows[] = {
	{ "extmem create <name:str> type <type:word heap|anon|hugepage|memfd> size <bytes:bytes> [page <page:bytes>]",
		create_plain,
		"create memory for packets: from DPDK's heap, pages of this process, huge pages, or pages that other processes can map",
		"extmem create app type anon size 1M" },
	{ "extmem create <name:str> type file <path:file> size <bytes:bytes> [page <page:bytes>]",
		create_file,
		"create read-only memory for packets with the content of a file; size 0: the whole file",
		"extmem create list type file /etc/passwd size 0" },
	{ "extmem create <name:str> type gpu <id:uint 0..65535> size <bytes:bytes> [page <page:bytes>]",
		create_gpu, "create memory for packets that a GPU reads and writes in place",
		NULL },
	{ "extmem create <name:str> type gpu <id:uint 0..65535> memory device size <bytes:bytes>",
		create_gpu_device,
		"create memory on a GPU that this process maps, if the platform can", NULL },
	{ "extmem attach <name:str>", attach,
		"attach memory of the primary process; in a secondary process only", NULL },
	{ "extmem delete <name:str>", delete, "delete memory; refused while packets point into it",
		NULL },
	{ "show extmem [<name:str>]", show,
		"show memory for packets: size, page size, addresses, devices that map it, buffers in use",
		"show extmem" },
};

const struct cmd_table cmds_extmem = { "extmem", "external memory for packets", rows,
	ARRAY_SIZE(rows) };
