/* Commands of ports and queues: start and stop, links, addresses, configuration. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/text.h"
#include "cmdline/grammar/grammar.h"
#include "features/device/port_bpf.h"
#include "features/device/port_ring_read.h"
#include "features/offload/port_mac.h"
#include "features/offload/port_rss.h"
#include "port/port_attach.h"
#include "port/port_conf.h"
#include "port/port_life.h"
#include "port/port_link.h"
#include "port/port_queue.h"
#include "port/port_split.h"
#include "run/account/run_stats.h"
#include "run/run_mirror.h"

static int
port_run(struct app *app, const struct args *a, struct err *e)
{
	if (arg_is(a, "what", "start"))
		return arg_explain(port_start(&app->ports, arg_port(a), e), e,
			"Please stop the ports first", "already started: there is nothing to do");
	if (arg_is(a, "what", "stop"))
		return arg_explain(port_stop(&app->ports, arg_port(a), e), e, "Please remove port",
			"forwarding is running: use \"stop\" before \"port stop\"");
	return port_reset(&app->ports, arg_port(a), e);
}

static int
port_end(struct app *app, const struct args *a, struct err *e)
{
	int ret = port_close(&app->ports, arg_port(a), e);

	run_ports_changed(&app->run);
	return ret;
}

static int
attach(struct app *app, const struct args *a, struct err *e)
{
	int ret = port_attach(&app->ports, arg_str(a, "device", ""), e);

	run_ports_changed(&app->run);
	return ret;
}

static int
detach(struct app *app, const struct args *a, struct err *e)
{
	int ret = port_detach(&app->ports, arg_port(a), e);

	run_ports_changed(&app->run);
	return ret;
}

static int
device_detach(struct app *app, const struct args *a, struct err *e)
{
	int ret = port_detach_device(&app->ports, arg_str(a, "device", ""), e);

	run_ports_changed(&app->run);
	return ret;
}

/* Read the time that a wait for links may take. */
static int
wait_read(const struct args *a, double *seconds, struct err *e)
{
	const char *time = arg_str(a, "time", NULL), *unit = "";

	*seconds = PORT_LINK_WAIT_S;
	if (time == NULL ||
		(text_amount(time, seconds, &unit) &&
			(*seconds = text_seconds(*seconds, unit)) > 0 && *seconds <= 86400))
		return 0;
	return arg_err(a, "time", e, ERANGE, "\"%s\": expected a time up to 24h, such as 9s", time);
}

static int
wait_check(struct app *app, const struct args *a, struct err *e)
{
	double seconds;

	return wait_read(a, &seconds, e);
}

static int
wait_link(struct app *app, const struct args *a, struct err *e)
{
	double seconds;

	if (wait_read(a, &seconds, e) != 0)
		return -e->code;
	return port_link_wait(&app->ports, arg_port(a), arg_is(a, "state", "up"), seconds,
		&app->interrupt, e);
}

static const struct cmd_row rows[] = {
	{ "port <what:word start|stop|reset> <port:ports>", port_run,
		"start, stop or reset a port or all", "port stop all", NULL },
	{ "port close <port:ports>", port_end,
		"close a stopped port or all; their devices remain until detached", NULL, NULL },
	{ "port attach <device:text>", attach,
		"probe a device, by its bus address or a virtual one's name and arguments",
		"port attach net_null7,copy=1", NULL },
	{ "port detach <port:port>", detach, "remove the device of a stopped or closed port", NULL,
		NULL },
	{ "device detach <device:str>", device_detach, "remove a device by its bus address or name",
		NULL, NULL },
	{ "port mirror <rx:port> <tx:port>", arg_on_run,
		"also send the packets that a port receives on another port, from the next start",
		"port mirror 0 1", ARG_ON_RUN_LINE(run_mirror_set), .by_state = true },
	{ "port mirror <rx:port> off", arg_on_run, "end the mirror of a port", NULL,
		ARG_ON_RUN_LINE(run_mirror_off), .by_state = true },
	{ "show port mirror", arg_on_run,
		"show mirrored ports: queues, clones or copies, packets sent and dropped",
		"show port mirror", ARG_ON_RUN_SHOW(run_mirror_show_all), .shows = true },
	{ "set link-up port <port:port>", arg_on_port, "set the link of a port up", NULL,
		ARG_ON_PORT(port_link_up) },
	{ "set link-down port <port:port>", arg_on_port, "set the link of a port down", NULL,
		ARG_ON_PORT(port_link_down) },
	{ "wait link <port:ports> <state:word up|down> [<time:amount>]", wait_link,
		"wait until the link of a port or all is up or down, at most some time (default 9s); ^C ends it",
		"wait link all up 1s", NULL, wait_check },
	{ "mac_addr <what:word add|remove|set> <port:port> <mac:mac>", port_mac_change,
		"add or remove a MAC address of a port, or set its default address",
		"mac_addr set 0 02:00:00:00:10:01", NULL },
	{ "mcast_addr <what:word add|remove> <port:port> <mac:mac>", port_mac_multicast,
		"add or remove a multicast address that a port receives", NULL, NULL },
	{ "set eth-peer <port:port> <mac:str>", port_mac_peer,
		"set the destination address of frames sent on a port",
		"set eth-peer 0 02:00:00:00:00:09", NULL },
	{ "set promisc <port:ports> <state:word on|off>", port_promiscuous,
		"receive frames for any address (promiscuous mode)", "set promisc all on", NULL },
	{ "set allmulti <port:ports> <state:word on|off>", port_allmulticast,
		"receive all multicast frames", "set allmulti all on", NULL },
};

const struct cmd_table cmds_port = { "ports",
	"start, stop, attach and detach ports; links, addresses", rows, ARRAY_SIZE(rows),
	CMD_PORTS };

/* Commands that configure ports and queues: numbers, lengths, thresholds, speed, RSS. */

static int
all_numbers(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_number(&app->ports, (enum port_number)arg_u64(a, "what", 0),
		arg_u64(a, "n", 0), e);
}

static const struct cmd_row cmd_rows[] = {
	{ "port config all <what:word rxq|txq|rxd|txd> <n:uint 0..65535>", all_numbers,
		"set queues of every port, or descriptors of every queue (0: the default, see --rxd); ports must be stopped",
		NULL, NULL },
	{ "port config all <what:word rxd|txd> auto", arg_on_ports,
		"set descriptors of every queue to at most as many as fit in the CPU's L2 cache; ports must be stopped",
		NULL, ARG_ON_PORTS(port_conf_auto) },
	{ "port config all <what:word txpt|txht|txwt|rxpt|rxht|rxwt> <n:uint 0..255>", arg_on_ports,
		"set the threshold registers of every queue; ports must be stopped", NULL,
		ARG_ON_PORTS(port_conf_setting) },
	{ "port config all <what:word txfreet|txrst|rxfreet> <n:uint 0..65535>", arg_on_ports,
		"set the free and report thresholds of every queue; ports must be stopped", NULL,
		ARG_ON_PORTS(port_conf_setting) },
	{ "port config all burst <n:uint 0..65535>", arg_on_ports,
		"set the maximum packets per rx_burst() call, 0: the driver's preference; ports must be stopped",
		NULL, ARG_ON_PORTS(port_conf_burst) },
	{ "port config all drop-en <state:word on|off>", arg_on_ports,
		"drop packets of a full Rx queue instead of stalling the other queues; ports must be stopped",
		NULL, ARG_ON_PORTS(port_conf_drop) },
	{ "port config all max-pkt-len <bytes:uint 0..4294967295>", arg_on_ports,
		"set the longest frame of every port, checksum included; ports must be stopped",
		NULL, ARG_ON_PORTS(port_conf_max_pkt_len) },
	{ "port config all max-lro-pkt-size <bytes:uint 0..4294967295>", arg_on_ports,
		"set the longest packet that LRO builds, 0: the driver's choice; ports must be stopped",
		NULL, ARG_ON_PORTS(port_conf_max_lro_pkt_size) },
	{ "set <what:word rxpkts|rxoffs|rxhdrs> <list:str>", arg_on_ports,
		"set lengths, offsets or headers (eth,ipv4,...) at which the offload buffer_split splits received packets; off: none",
		"set rxpkts 64,128", ARG_ON_PORTS(port_split_set) },
	{ "show config <what:word rxpkts|rxoffs|rxhdrs>", arg_on_ports,
		"show how received packets are split", "show config rxpkts",
		ARG_ON_PORTS(port_split_show), .shows = true },
	{ "port config all rss <types:str>", arg_on_ports,
		"set the RSS types of all ports: all, ip, udp, none, ipv4-tcp, ..., or the number of a bit",
		NULL, ARG_ON_PORTS(port_rss_conf) },
	{ "port config <port:port> rss reta <entries:pairs>", arg_on_ports,
		"set the queues of RSS hash values: (HASH,QUEUE)[,(HASH,QUEUE)]..., immediately",
		NULL, ARG_ON_PORTS(port_rss_reta_set) },
	{ "port config <port:port> rss-hash-key <type:str> <key:str>", arg_on_ports,
		"set the RSS hash key, in hexadecimal digits, for a type such as ipv4-udp, immediately",
		NULL, ARG_ON_PORTS(port_rss_key_set) },
	{ "port config <port:port> rss-hash-algo <algorithm:word default|simple_xor|toeplitz|symmetric_toeplitz"
	  "|symmetric_toeplitz_sort>",
		arg_on_ports, "set the RSS hash function, immediately", NULL,
		ARG_ON_PORTS(port_rss_algorithm_set) },
	{ "port config mtu <port:port> <bytes:uint 0..65535>", arg_on_ports,
		"set the MTU: the longest packet without its Ethernet header",
		"port config mtu 0 1400", ARG_ON_PORTS(port_conf_mtu) },
	{ "port config <port:ports> speed <speed:word 10|100|1000|2500|5000|10000|25000|40000|50000|100000|200000|400000|800000|auto> "
	  "duplex <duplex:word half|full|auto>",
		arg_on_ports, "set the link speed in Mbit/s; ports must be stopped", NULL,
		ARG_ON_PORTS(port_conf_speed) },
	{ "port config <port:port> <way:word rxq|txq> <queue:uint 0..65535> ring_size <n:uint 0..65535>",
		arg_on_ports, "set the descriptors of one queue; takes effect when the port starts",
		"port config 0 rxq 0 ring_size 256", ARG_ON_PORTS(port_conf_ring_size) },
	{ "port config <port:port> pool_ops <ops:str>", arg_on_ports,
		"set the mempool driver for the receive queues of a port, instead of that of set pool ops (default: the same); takes effect when the port starts",
		"port config 0 pool_ops stack", ARG_ON_PORTS(port_conf_pool_ops) },
	{ "port config <port:port> rxq <queue:uint 0..65535> pool_ops <ops:str>", arg_on_ports,
		"set the mempool driver for one receive queue; takes effect when the port starts",
		"port config 0 rxq 0 pool_ops default", ARG_ON_PORTS(port_conf_pool_ops) },
	{ "port <port:port> <way:word rxq|txq> <queue:uint 0..65535> <what:word start|stop>",
		arg_on_ports, "start or stop one queue", NULL, ARG_ON_PORTS(port_conf_queue_run) },
	{ "port <port:port> <way:word rxq|txq> <queue:uint 0..65535> deferred_start <state:word on|off>",
		arg_on_ports,
		"leave a queue stopped when its port starts; the port must be stopped", NULL,
		ARG_ON_PORTS(port_conf_queue_deferred) },
	{ "port <port:port> <way:word rxq|txq> <queue:uint 0..65535> setup", arg_on_queue,
		"set up one queue again", NULL, ARG_ON_QUEUE(port_conf_queue_setup) },
};

const struct cmd_table cmds_port_conf = { "ports", "configuration of ports and queues", cmd_rows,
	ARRAY_SIZE(cmd_rows), CMD_PORTS };

/* Commands on single queues: rates, thresholds, statistics, raw descriptors, eBPF programs. */

static const struct cmd_row cmds_port_queue_rows[] = {
	{ "set port <port:port> queue <queue:uint 0..65535> rate <mbps:uint 0..4294967295 Mbit/s>",
		arg_on_ports, "limit a Tx queue to a rate in Mbit/s, 0: no limit, immediately",
		NULL, ARG_ON_PORTS(port_queue_rate) },
	{ "show port <port:port> queue <queue:uint 0..65535> rate", arg_on_ports,
		"show the rate limit of a Tx queue", NULL, ARG_ON_PORTS(port_queue_rate_show),
		.shows = true },
	{ "set port <port:port> rxq <queue:uint 0..65535> avail_thresh <percent:uint 0..99>",
		arg_on_ports,
		"set the percentage of free Rx descriptors below which the device raises an event, 0: none",
		NULL, ARG_ON_PORTS(port_queue_avail_thresh) },
	{ "port cleanup <port:port> txq <queue:uint 0..65535> <n:uint 0..4294967295>", arg_on_ports,
		"free up to n mbufs that a Tx queue has sent, 0: all", NULL,
		ARG_ON_PORTS(port_queue_cleanup) },
	{ "set stat_qmap <way:word rx|tx> <port:port> <queue:uint 0..65535> <counter:uint 0..255>",
		arg_on_ports, "map a queue to a queue statistics counter", NULL,
		ARG_ON_PORTS(port_queue_stats_map) },
	{ "port config <port:port> txq <queue:uint 0..65535> affinity <n:uint 0..255>",
		arg_on_ports,
		"set the physical port, from 1, on which a Tx queue of an aggregated port sends; 0: any",
		NULL, ARG_ON_PORTS(port_queue_affinity) },
	{ "read <ring:word rxd|txd> <port:port> <queue:uint 0..65535> <descriptor:uint 0..65535>",
		port_ring_read, "show a descriptor in memory", NULL, NULL, .shows = true },
	{ "bpf-load <way:word rx|tx> <port:port> <queue:uint 0..65535> <flags:str> <file:file>",
		port_bpf_load,
		"load an eBPF program that filters the packets of a queue; flags: J compiled, M passed the mbuf, - neither",
		NULL, NULL },
	{ "bpf-unload <way:word rx|tx> <port:port> <queue:uint 0..65535>", arg_on_queue,
		"unload the eBPF program of a queue", "bpf-unload rx 0 0",
		ARG_ON_QUEUE(port_bpf_unload) },
};

const struct cmd_table cmds_port_queue = { "ports", "single queues", cmds_port_queue_rows,
	ARRAY_SIZE(cmds_port_queue_rows), CMD_PORTS };
