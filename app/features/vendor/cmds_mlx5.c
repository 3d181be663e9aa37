/* Commands for mlx5 drivers, in testpmd's syntax. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/vendor/port_geneve.h"
#include "features/vendor/port_mlx5.h"
#include "features/vendor/port_mlx5_newer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
shaper(struct app *app, const struct args *a, struct err *e)
{
	return port_mlx5_shaper(&app->ports, arg_port(a), arg_u64(a, "triggered", 0) != 0,
		(uint8_t)arg_u64(a, "mbps", 0), e);
}

static int
queue_map(struct app *app, const struct args *a, struct err *e)
{
	return port_mlx5_queue_map(&app->ports, arg_port(a), arg_queue(a),
		(uint32_t)arg_u64(a, "hardware", 0), e);
}

static int
queue_unmap(struct app *app, const struct args *a, struct err *e)
{
	return port_mlx5_queue_unmap(&app->ports, arg_port(a), arg_queue(a), e);
}

static int
attach(struct app *app, const struct args *a, struct err *e)
{
	static const char key[] = "socket=";
	const char *socket = arg_str(a, "socket", "");
	int ret;

	if (strncmp(socket, key, sizeof(key) - 1) != 0)
		return arg_err(a, "socket", e, EINVAL, "\"%s\": expected socket=PATH", socket);
	ret = port_mlx5_attach(&app->ports, arg_str(a, "device", ""), socket + sizeof(key) - 1, e);
	run_ports_changed(&app->run);
	return ret;
}

static int
rate_show(struct app *app, const struct args *a, struct err *e)
{
	return port_mlx5_rate_show(&app->ports, arg_port(a), arg_queue(a), e);
}

static int
context_dump(struct app *app, const struct args *a, struct err *e)
{
	return port_mlx5_context_dump(&app->ports, arg_port(a), arg_queue(a),
		arg_is(a, "what", "sq_context"), arg_str(a, "file", ""), e);
}

static int
flow_engine(struct app *app, const struct args *a, struct err *e)
{
	return port_mlx5_flow_engine(&app->ports, arg_is(a, "mode", "standby"),
		(uint32_t)arg_u64(a, "flags", 0), e);
}

/* Read one mask per sampled word; missing masks are zero. */
static int
masks_read(const struct args *a, struct port_geneve_option *option, struct err *e)
{
	const char *at = arg_str(a, "masks", "");
	unsigned int n = 0;
	char *end;

	for (; *(at += strspn(at, " \t")) != '\0'; at = end) {
		const unsigned long long mask = strtoull(at, &end, 0);

		if (*at < '0' || *at > '9' || strcspn(end, " \t") != 0 || mask > UINT32_MAX)
			return arg_err(a, "masks", e, EINVAL,
				"\"%.*s\": expected 32-bit masks such as 0xffffffff",
				(int)strcspn(at, " \t"), at);
		if (n == option->n)
			return arg_err(a, "masks", e, EINVAL,
				"GENEVE TLV option has more data then given data length %u", n);
		option->mask[n++] = (uint32_t)mask;
	}
	return 0;
}

static int
option_set(struct app *app, const struct args *a, struct err *e)
{
	struct port_geneve_option option = {
		.class_id = (uint16_t)arg_u64(a, "class_id", 0),
		.type = (uint8_t)arg_u64(a, "type_id", 0),
		.class_mode = (enum port_geneve_class)arg_u64(a, "mode", 0),
		.length = (uint8_t)arg_u64(a, "length", 0),
		.offset = (uint8_t)arg_u64(a, "first", 0),
		.n = (uint8_t)arg_u64(a, "n", 0),
	};

	if (option.n > 0 && !arg_given(a, "masks"))
		return err_set(e, EINVAL, "sample_len is %u but any data isn't provided", option.n);
	if (option.n == 0 && arg_given(a, "masks"))
		return arg_err(a, "masks", e, EINVAL, "sample_len is 0 but data is provided (%s)",
			arg_str(a, "masks", ""));
	if (masks_read(a, &option, e) != 0)
		return -e->code;
	return port_geneve_add(&app->geneve, &option, e);
}

static int
options_list(struct app *app, const struct args *a, struct err *e)
{
	port_geneve_show(&app->geneve, app->out);
	return 0;
}

static int
options_flush(struct app *app, const struct args *a, struct err *e)
{
	port_geneve_flush(&app->geneve, (unsigned int)arg_u64(a, "n", 0));
	return 0;
}

static int
options_apply(struct app *app, const struct args *a, struct err *e)
{
	return port_geneve_apply(&app->ports, &app->geneve, arg_port(a), e);
}

static int
options_destroy(struct app *app, const struct args *a, struct err *e)
{
	return port_geneve_destroy(&app->ports, arg_port(a), e);
}

#define PORT "<port:port>"
#define N8 "0..255"
#define N16 "0..65535"
#define N32 "0..4294967295"

static const struct cmd_row rows[] = {
	{ "mlx5 set port " PORT
	  " host_shaper avail_thresh_triggered <triggered:uint 0..1> rate <mbps:uint 0..255>",
		shaper,
		"limit the rate to the host side of a BlueField card, in units of 100 Mbit/s (0: no limit); triggered 1: also when descriptors run short",
		NULL, NULL },
	{ "mlx5 port attach <device:str> <socket:str>", attach,
		"attach a device that another process opened, using that process's socket", NULL,
		NULL },
	{ "mlx5 port " PORT " ext_rxq map <queue:uint 0..65535> <hardware:uint " N32 ">", queue_map,
		"make a queue that another application created available to flow rules", NULL,
		NULL },
	{ "mlx5 port " PORT " ext_rxq unmap <queue:uint 0..65535>", queue_unmap,
		"remove the mapping of an external queue", NULL, NULL },
	{ "mlx5 set flow_engine <mode:word active|standby> [<flags:uint " N32 ">]", flow_engine,
		"make this process's flow rules active, or standby while another process's are; flags 1: duplicate received packets in standby; needs DPDK 23.07",
		NULL, NULL },
	{ "mlx5 set tlv_option class <class_id:uint " N16 "> type <type_id:uint " N8
	  "> len <length:uint " N8 "> offset <first:uint " N8 "> sample_len <n:uint " N8
	  "> class_mode <mode:word ignored|fixed|matchable> [data <masks:text>]",
		option_set,
		"add a GENEVE option for flow rules to the list: length, offset and sample_len in words of 4 bytes, data: one mask per sampled word",
		"mlx5 set tlv_option class 258 type 1 len 2 offset 0 sample_len 1 class_mode fixed data 0xffffffff",
		NULL },
	{ "mlx5 list tlv_options", options_list, "show the listed GENEVE options",
		"mlx5 list tlv_options", NULL },
	{ "mlx5 flush tlv_options max <n:uint " N8 ">", options_flush,
		"remove the last n GENEVE options from the list", "mlx5 flush tlv_options max 7",
		NULL },
	{ "mlx5 port " PORT " apply tlv_options", options_apply,
		"create a port's parser of the listed GENEVE options; needs DPDK 24.03", NULL,
		NULL },
	{ "mlx5 port " PORT " destroy tlv_options", options_destroy,
		"destroy a port's parser of GENEVE options", NULL, NULL },
	{ "mlx5 port " PORT " queue <queue:uint " N16
	  "> dump <what:word sq_context|rq_context> <file:file>",
		context_dump,
		"write the hardware context of a Tx (sq) or Rx (rq) queue to a file; needs DPDK 24.07",
		NULL, NULL },
	{ "mlx5 port " PORT " txq <queue:uint " N16 "> rate show", rate_show,
		"show the rate limit of a Tx queue and its entry in the card's table; needs DPDK 26.07",
		NULL, NULL },
};

const struct cmd_table cmds_mlx5 = { "drivers", "single drivers", rows, ARRAY_SIZE(rows) };
