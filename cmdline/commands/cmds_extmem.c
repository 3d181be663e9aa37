/* Commands on external memory: made and taken away by name, shown. */
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
		"memory for packets: DPDK's own, pages of this process, huge pages or pages that other processes may share",
		"extmem create app type anon size 1M" },
	{ "extmem create <name:str> type file <path:file> size <bytes:bytes> [page <page:bytes>]",
		create_file,
		"memory for packets with what a file holds now, never written to; size 0: all of it",
		"extmem create list type file /etc/passwd size 0" },
	{ "extmem create <name:str> type gpu <id:uint 0..65535> size <bytes:bytes> [page <page:bytes>]",
		create_gpu, "memory for packets that a GPU reads and writes in place", NULL },
	{ "extmem create <name:str> type gpu <id:uint 0..65535> memory device size <bytes:bytes>",
		create_gpu_device,
		"memory of a GPU that this process writes through a window, where the platform has one",
		NULL },
	{ "extmem attach <name:str>", attach,
		"in a secondary process: take in memory that its primary made", NULL },
	{ "extmem delete <name:str>", delete,
		"let go of memory; refused while packets point into it", NULL },
	{ "show extmem [<name:str>]", show,
		"memory for packets: size, page, addresses, devices that were told, buffers out",
		"show extmem" },
};

const struct cmd_table cmds_extmem = { "extmem", "memory of packets", rows, ARRAY_SIZE(rows) };
