/* Commands that capture the traffic of ports to files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "record/capture.h"

#include <string.h>

static int
begin(struct app *app, const struct args *a, struct err *e)
{
	const char *ways = arg_str(a, "ways", "both");
	const struct capture_plan plan = {
		.port = arg_port(a),
		.path = arg_str(a, "file", ""),
		.overwrite = arg_given(a, "replace"),
		.rx = strcmp(ways, "tx") != 0,
		.tx = strcmp(ways, "rx") != 0,
		.filter = arg_str(a, "expression", NULL),
		.max = arg_u64(a, "n", 0),
		.snaplen = (uint32_t)arg_u64(a, "bytes", 65535),
	};

	return capture_start(app->captures, &plan, e);
}

static int
end(struct app *app, const struct args *a, struct err *e)
{
	return capture_stop(app->captures, arg_port(a), e);
}

static int
show(struct app *app, const struct args *a, struct err *e)
{
	capture_show(app->captures);
	return 0;
}

static const struct cmd_row rows[] = {
	{ "capture start <port:port> file <file:file> {<replace:word overwrite>} {<ways:word rx|tx|both>} "
	  "{filter <expression:str>} {max <n:uint 1..9223372036854775807>} [snaplen <bytes:uint 1..65535>]",
		begin,
		"capture a port's traffic to a pcap file; in the middle of the line a filter of several words needs quotes: \"udp port 53\"",
		"capture start 1 file /dev/null rx filter \"arp or icmp\"", NULL,
		arg_check_folder },
	{ "capture start <port:port> file <file:file> {<replace:word overwrite>} {<ways:word rx|tx|both>} "
	  "{max <n:uint 1..9223372036854775807>} {snaplen <bytes:uint 1..65535>} filter <expression:text>",
		begin,
		"capture a port's traffic to a pcap file; a filter at the end needs no quotes",
		NULL, NULL, arg_check_folder },
	{ "capture stop <port:ports>", end, "end the capture of a port, or of all ports", NULL },
	{ "show capture", show, "show running captures and the packets written so far",
		"show capture" },
};

const struct cmd_table cmds_capture = { "capture", "captures of packets in pcap files", rows,
	ARRAY_SIZE(rows) };
