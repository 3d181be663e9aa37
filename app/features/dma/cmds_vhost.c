/* Commands for vhost ports: show their queues, choose between CPU and DMA copies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/dma/port_vhost.h"

static int
show_vhost(struct app *app, const struct args *a, struct err *e)
{
	return port_vhost_show(&app->ports, e);
}

static int
set_copy(struct app *app, const struct args *a, struct err *e)
{
	return port_vhost_copy(arg_port(a), arg_queue(a),
		(enum net_async_vhost_copy)arg_u64(a, "who", 0), e);
}

static const struct cmd_row rows[] = {
	{ "show vhost", show_vhost,
		"show vhost ports: features, queues, copies in flight, bytes copied by CPU and DMA",
		NULL, NULL },
	{ "set vhost <port:port> <queue:uint 0..63> copy <who:word cpu|dma|adaptive|auto>",
		set_copy,
		"choose how packets of a queue pair are copied: by the CPU, by a DMA engine, by length (adaptive), or by an autotuned length (auto)",
		NULL, NULL },
};

const struct cmd_table cmds_vhost = { "vhost", "vhost ports of guests", rows, ARRAY_SIZE(rows) };
