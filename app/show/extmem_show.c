/* Commands of external memory; `show extmem`: size, pages, addresses, devices that map it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "memory/extmem.h"
#include "memory/extmem_buffers.h"
#include "memory/extmem_gpu.h"

#include <rte_memory.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

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

/* One region, or all. JSON: {"extmem":[...]}. ENOENT. */
static int
extmem_show(struct app *app, const struct args *a, struct err *e)
{
	const char *name = arg_str(a, "name", NULL);
	const struct extmem *one = name != NULL ? extmem_find(&app->extmems, name, e) : NULL;

	if (name != NULL && one == NULL)
		return -ENOENT;
	out_nest(app->out, "extmem", OUT_ARRAY);
	for (const struct extmem *m = app->extmems.first; m != NULL; m = m->next)
		if (one == NULL || m == one)
			show_one(m, app->out);
	out_unnest(app->out);
	return 0;
}

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
		"show extmem", .shows = true },
};

const struct cmd_table cmds_extmem = { "extmem", "external memory for packets", rows,
	ARRAY_SIZE(rows), CMD_BUFFERS };
