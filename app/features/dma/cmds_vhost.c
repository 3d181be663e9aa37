/* Commands on ports with guests: who copies, and what became of it. */
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
		"ports with guests: features, queues, copies in flight, bytes that CPU and DMA copied",
		NULL, NULL },
	{ "set vhost <port:port> <queue:uint 0..63> copy <who:word cpu|dma|adaptive|auto>",
		set_copy,
		"who copies packets of a queue pair from now on: the CPU, its engine, either by length, or by a length that is autotuned",
		NULL, NULL },
};

const struct cmd_table cmds_vhost = { "vhost", "vhost ports of guests", rows, ARRAY_SIZE(rows) };
