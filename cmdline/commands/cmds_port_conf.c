/* Commands that configure ports and queues: numbers, lengths, thresholds, speed, RSS. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/offload/port_rss.h"
#include "port/port_conf.h"
#include "port/port_split.h"

#include <rte_ethdev.h>

/* True when the line has rxq, not txq. */
static bool
is_rx(const struct args *a)
{
	return arg_is(a, "way", "rxq");
}

static int
all_queues(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_queues(&app->ports, arg_str(a, "what", ""), arg_u64(a, "n", 0), e);
}

static int
all_threshold(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_setting(&app->ports, arg_str(a, "what", ""), arg_str(a, "n", ""), e);
}

static int
all_burst(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_burst(&app->ports, arg_u64(a, "n", 0), e);
}

static int
all_drop(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_drop(&app->ports, arg_on(a), e);
}

static int
all_max_pkt_len(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_max_pkt_len(&app->ports, arg_u64(a, "bytes", 0), e);
}

static int
all_max_lro_pkt_size(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_max_lro_pkt_size(&app->ports, arg_u64(a, "bytes", 0), e);
}

static int
rx_split(struct app *app, const struct args *a, struct err *e)
{
	return port_split_set(&app->ports, arg_str(a, "what", ""), arg_str(a, "list", ""), e);
}

static int
rx_split_show(struct app *app, const struct args *a, struct err *e)
{
	port_split_show(&app->ports, arg_str(a, "what", ""));
	return 0;
}

static int
all_rss(struct app *app, const struct args *a, struct err *e)
{
	return arg_explain(port_rss_conf(&app->ports, arg_str(a, "types", ""), e), e,
		"Unknown parameter",
		"unknown RSS type \"%.64s\": expected all, none, ip, tcp, udp, sctp, ether, ipv4-tcp, ...",
		arg_str(a, "types", ""));
}

static int
reta(struct app *app, const struct args *a, struct err *e)
{
	return port_rss_reta_set(&app->ports, arg_port(a), arg_str(a, "entries", ""), e);
}

static int
rss_key(struct app *app, const struct args *a, struct err *e)
{
	return port_rss_key_set(&app->ports, arg_port(a), arg_str(a, "type", ""),
		arg_str(a, "key", ""), e);
}

static int
rss_algorithm(struct app *app, const struct args *a, struct err *e)
{
	return port_rss_algorithm_set(&app->ports, arg_port(a), arg_str(a, "algorithm", ""), e);
}

static int
mtu(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_mtu(&app->ports, arg_port(a), arg_u64(a, "bytes", 0), e);
}

static int
speed(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_speed(&app->ports, arg_port(a), arg_str(a, "speed", ""),
		arg_str(a, "duplex", ""), e);
}

static int
ring_size(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_ring_size(&app->ports, arg_port(a), is_rx(a), arg_queue(a),
		arg_u64(a, "n", 0), e);
}

static int
pool_ops(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_pool_ops(&app->ports, arg_port(a),
		arg_given(a, "queue") ? arg_queue(a) : PORT_CONF_QUEUES, arg_str(a, "ops", ""), e);
}

static int
queue_run(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_queue_run(&app->ports, arg_port(a), is_rx(a), arg_queue(a),
		arg_is(a, "what", "start"), e);
}

static int
queue_deferred(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_queue_deferred(&app->ports, arg_port(a), is_rx(a), arg_queue(a), arg_on(a),
		e);
}

static int
queue_setup(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_queue_setup(&app->ports, arg_port(a), is_rx(a), arg_queue(a), e);
}

static const struct cmd_row rows[] = {
	{ "port config all <what:word rxq|txq|rxd|txd> <n:uint 0..65535>", all_queues,
		"set queues of every port, or descriptors of every queue (0: the driver's default); ports must be stopped",
		NULL, NULL },
	{ "port config all <what:word txpt|txht|txwt|rxpt|rxht|rxwt> <n:uint 0..255>",
		all_threshold, "set the threshold registers of every queue; ports must be stopped",
		NULL, NULL },
	{ "port config all <what:word txfreet|txrst|rxfreet> <n:uint 0..65535>", all_threshold,
		"set the free and report thresholds of every queue; ports must be stopped", NULL,
		NULL },
	{ "port config all burst <n:uint 0..65535>", all_burst,
		"set the maximum packets per rx_burst() call, 0: the driver's preference; ports must be stopped",
		NULL, NULL },
	{ "port config all drop-en <state:word on|off>", all_drop,
		"drop packets of a full Rx queue instead of stalling the other queues; ports must be stopped",
		NULL, NULL },
	{ "port config all max-pkt-len <bytes:uint 0..4294967295>", all_max_pkt_len,
		"set the longest frame of every port, checksum included; ports must be stopped",
		NULL, NULL },
	{ "port config all max-lro-pkt-size <bytes:uint 0..4294967295>", all_max_lro_pkt_size,
		"set the longest packet that LRO builds, 0: the driver's choice; ports must be stopped",
		NULL, NULL },
	{ "set <what:word rxpkts|rxoffs|rxhdrs> <list:str>", rx_split,
		"set lengths, offsets or headers (eth,ipv4,...) at which the offload buffer_split splits received packets; off: none",
		"set rxpkts 64,128", NULL },
	{ "show config <what:word rxpkts|rxoffs|rxhdrs>", rx_split_show,
		"show how received packets are split", "show config rxpkts", NULL },
	{ "port config all rss <types:str>", all_rss,
		"set the RSS types of all ports: all, ip, udp, none, ipv4-tcp, ..., or the number of a bit",
		NULL, NULL },
	{ "port config <port:port> rss reta <entries:str>", reta,
		"set the queues of RSS hash values: (HASH,QUEUE)[,(HASH,QUEUE)]..., immediately",
		NULL, NULL },
	{ "port config <port:port> rss-hash-key <type:str> <key:str>", rss_key,
		"set the RSS hash key, in hexadecimal digits, for a type such as ipv4-udp, immediately",
		NULL, NULL },
	{ "port config <port:port> rss-hash-algo <algorithm:word default|simple_xor|toeplitz|symmetric_toeplitz"
	  "|symmetric_toeplitz_sort>",
		rss_algorithm, "set the RSS hash function, immediately", NULL, NULL },
	{ "port config mtu <port:port> <bytes:uint 0..65535>", mtu,
		"set the MTU: the longest packet without its Ethernet header",
		"port config mtu 0 1400", NULL },
	{ "port config <port:ports> speed <speed:word 10|100|1000|2500|5000|10000|25000|40000|50000|100000|200000|400000|800000|auto> "
	  "duplex <duplex:word half|full|auto>",
		speed, "set the link speed in Mbit/s; ports must be stopped", NULL, NULL },
	{ "port config <port:port> <way:word rxq|txq> <queue:uint 0..65535> ring_size <n:uint 0..65535>",
		ring_size, "set the descriptors of one queue; takes effect when the port starts",
		"port config 0 rxq 0 ring_size 256", NULL },
	{ "port config <port:port> pool_ops <ops:str>", pool_ops,
		"set the mempool driver for the receive queues of a port, instead of that of set pool ops (default: the same); takes effect when the port starts",
		"port config 0 pool_ops stack", NULL },
	{ "port config <port:port> rxq <queue:uint 0..65535> pool_ops <ops:str>", pool_ops,
		"set the mempool driver for one receive queue; takes effect when the port starts",
		"port config 0 rxq 0 pool_ops default", NULL },
	{ "port <port:port> <way:word rxq|txq> <queue:uint 0..65535> <what:word start|stop>",
		queue_run, "start or stop one queue", NULL, NULL },
	{ "port <port:port> <way:word rxq|txq> <queue:uint 0..65535> deferred_start <state:word on|off>",
		queue_deferred,
		"leave a queue stopped when its port starts; the port must be stopped", NULL,
		NULL },
	{ "port <port:port> <way:word rxq|txq> <queue:uint 0..65535> setup", queue_setup,
		"set up one queue again", NULL, NULL },
};

const struct cmd_table cmds_port_conf = { "ports", "configuration of ports and queues", rows,
	ARRAY_SIZE(rows) };
