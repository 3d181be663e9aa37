/* Commands on single queues: rates, thresholds, statistics, raw descriptors, eBPF programs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/device/port_bpf.h"
#include "features/device/port_ring_read.h"
#include "port/port_queue_set.h"

static bool
is_rx(const struct args *a)
{
	return arg_is(a, "way", "rx");
}

static int
rate(struct app *app, const struct args *a, struct err *e)
{
	return port_queue_rate(&app->ports, arg_port(a), arg_queue(a),
		(uint32_t)arg_u64(a, "mbps", 0), e);
}

static int
rate_show(struct app *app, const struct args *a, struct err *e)
{
	return port_queue_rate_show(&app->ports, arg_port(a), arg_queue(a), e);
}

static int
avail_thresh(struct app *app, const struct args *a, struct err *e)
{
	return port_queue_avail_thresh(&app->ports, arg_port(a), arg_queue(a),
		(uint8_t)arg_u64(a, "percent", 0), e);
}

static int
cleanup(struct app *app, const struct args *a, struct err *e)
{
	return port_queue_cleanup(&app->ports, arg_port(a), arg_queue(a),
		(uint32_t)arg_u64(a, "n", 0), e);
}

static int
stats_map(struct app *app, const struct args *a, struct err *e)
{
	return port_queue_stats_map(&app->ports, arg_port(a), is_rx(a), arg_queue(a),
		(uint16_t)arg_u64(a, "counter", 0), e);
}

static int
affinity(struct app *app, const struct args *a, struct err *e)
{
	return port_queue_affinity(&app->ports, arg_port(a), arg_queue(a),
		(uint8_t)arg_u64(a, "n", 0), e);
}

static int
ring_read(struct app *app, const struct args *a, struct err *e)
{
	return port_ring_read(&app->ports, arg_port(a), arg_is(a, "ring", "rxd"), arg_queue(a),
		(uint16_t)arg_u64(a, "descriptor", 0), e);
}

static int
bpf_load(struct app *app, const struct args *a, struct err *e)
{
	return port_bpf_load(&app->ports, arg_port(a), arg_queue(a), is_rx(a),
		arg_str(a, "flags", ""), arg_str(a, "file", ""), e);
}

static int
bpf_unload(struct app *app, const struct args *a, struct err *e)
{
	return port_bpf_unload(&app->ports, arg_port(a), arg_queue(a), is_rx(a), e);
}

static const struct cmd_row rows[] = {
	{ "set port <port:port> queue <queue:uint 0..65535> rate <mbps:uint 0..4294967295>", rate,
		"limit a Tx queue to a rate in Mbit/s, 0: no limit, immediately", NULL, NULL },
	{ "show port <port:port> queue <queue:uint 0..65535> rate", rate_show,
		"show the rate limit of a Tx queue", NULL, NULL },
	{ "set port <port:port> rxq <queue:uint 0..65535> avail_thresh <percent:uint 0..99>",
		avail_thresh,
		"set the percentage of free Rx descriptors below which the device raises an event, 0: none",
		NULL, NULL },
	{ "port cleanup <port:port> txq <queue:uint 0..65535> <n:uint 0..4294967295>", cleanup,
		"free up to n mbufs that a Tx queue has sent, 0: all", NULL, NULL },
	{ "set stat_qmap <way:word rx|tx> <port:port> <queue:uint 0..65535> <counter:uint 0..255>",
		stats_map, "map a queue to a queue statistics counter", NULL, NULL },
	{ "port config <port:port> txq <queue:uint 0..65535> affinity <n:uint 0..255>", affinity,
		"set the physical port, from 1, on which a Tx queue of an aggregated port sends; 0: any",
		NULL, NULL },
	{ "read <ring:word rxd|txd> <port:port> <queue:uint 0..65535> <descriptor:uint 0..65535>",
		ring_read, "show a descriptor in memory", NULL, NULL },
	{ "bpf-load <way:word rx|tx> <port:port> <queue:uint 0..65535> <flags:str> <file:file>",
		bpf_load,
		"load an eBPF program that filters the packets of a queue; flags: J compiled, M passed the mbuf, - neither",
		NULL, NULL },
	{ "bpf-unload <way:word rx|tx> <port:port> <queue:uint 0..65535>", bpf_unload,
		"unload the eBPF program of a queue", "bpf-unload rx 0 0", NULL },
};

const struct cmd_table cmds_port_queue = { "ports", "single queues", rows, ARRAY_SIZE(rows) };
