/* Commands of ports and queues: start and stop, links, addresses, configuration. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/device/port_bpf.h"
#include "features/device/port_ring_read.h"
#include "features/offload/port_mac.h"
#include "features/offload/port_rss.h"
#include "port/port_attach.h"
#include "port/port_conf.h"
#include "port/port_life.h"
#include "port/port_queue.h"
#include "port/port_split.h"
#include "run/run_mirror.h"
#include "run/run_stats.h"

#include <rte_ethdev.h>
#include <rte_ether.h>

#include <string.h>

/* The MAC address that a line names. */
static struct rte_ether_addr
mac_of(const struct args *a)
{
	struct rte_ether_addr mac;

	memcpy(mac.addr_bytes, arg_find(a, "mac")->mac, sizeof(mac.addr_bytes));
	return mac;
}

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

static int
link_up(struct app *app, const struct args *a, struct err *e)
{
	return port_link_set(&app->ports, arg_port(a), true, e);
}

static int
link_down(struct app *app, const struct args *a, struct err *e)
{
	return port_link_set(&app->ports, arg_port(a), false, e);
}

static int
mac_addr(struct app *app, const struct args *a, struct err *e)
{
	const struct rte_ether_addr mac = mac_of(a);

	return port_mac_change(&app->ports, arg_port(a), arg_str(a, "what", ""), &mac, e);
}

static int
mcast_addr(struct app *app, const struct args *a, struct err *e)
{
	const struct rte_ether_addr mac = mac_of(a);

	return port_mac_multicast(&app->ports, arg_port(a), arg_is(a, "what", "add"), &mac, e);
}

static int
eth_peer(struct app *app, const struct args *a, struct err *e)
{
	return port_mac_peer(&app->ports, arg_port(a), arg_str(a, "mac", ""), e);
}

static int
promisc(struct app *app, const struct args *a, struct err *e)
{
	return port_promiscuous(&app->ports, arg_port(a), arg_on(a), e);
}

static int
allmulti(struct app *app, const struct args *a, struct err *e)
{
	return port_allmulticast(&app->ports, arg_port(a), arg_on(a), e);
}

static int
mirror(struct app *app, const struct args *a, struct err *e)
{
	return run_mirror_set(&app->run, (uint16_t)arg_u64(a, "rx", 0),
		(uint16_t)arg_u64(a, "tx", 0), e);
}

static int
mirror_off(struct app *app, const struct args *a, struct err *e)
{
	return run_mirror_off(&app->run, (uint16_t)arg_u64(a, "rx", 0), e);
}

static int
mirror_show(struct app *app, const struct args *a, struct err *e)
{
	run_mirror_show_all(&app->run);
	return 0;
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
	{ "port mirror <rx:port> <tx:port>", mirror,
		"also send the packets that a port receives on another port, from the next start",
		"port mirror 0 1", .by_state = true },
	{ "port mirror <rx:port> off", mirror_off, "end the mirror of a port", .by_state = true },
	{ "show port mirror", mirror_show,
		"show mirrored ports: queues, clones or copies, packets sent and dropped",
		"show port mirror", NULL },
	{ "set link-up port <port:port>", link_up, "set the link of a port up", NULL, NULL },
	{ "set link-down port <port:port>", link_down, "set the link of a port down", NULL, NULL },
	{ "mac_addr <what:word add|remove|set> <port:port> <mac:mac>", mac_addr,
		"add or remove a MAC address of a port, or set its default address",
		"mac_addr set 0 02:00:00:00:10:01", NULL },
	{ "mcast_addr <what:word add|remove> <port:port> <mac:mac>", mcast_addr,
		"add or remove a multicast address that a port receives", NULL, NULL },
	{ "set eth-peer <port:port> <mac:str>", eth_peer,
		"set the destination address of frames sent on a port",
		"set eth-peer 0 02:00:00:00:00:09", NULL },
	{ "set promisc <port:ports> <state:word on|off>", promisc,
		"receive frames for any address (promiscuous mode)", "set promisc all on", NULL },
	{ "set allmulti <port:ports> <state:word on|off>", allmulti, "receive all multicast frames",
		"set allmulti all on", NULL },
};

const struct cmd_table cmds_port = { "ports",
	"start, stop, attach and detach ports; links, addresses", rows, ARRAY_SIZE(rows) };

/* Commands that configure ports and queues: numbers, lengths, thresholds, speed, RSS. */

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

static const struct cmd_row cmd_rows[] = {
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

const struct cmd_table cmds_port_conf = { "ports", "configuration of ports and queues", cmd_rows,
	ARRAY_SIZE(cmd_rows) };

/* Commands on single queues: rates, thresholds, statistics, raw descriptors, eBPF programs. */

static bool
cmd_is_rx(const struct args *a)
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
	return port_queue_stats_map(&app->ports, arg_port(a), cmd_is_rx(a), arg_queue(a),
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
	return port_bpf_load(&app->ports, arg_port(a), arg_queue(a), cmd_is_rx(a),
		arg_str(a, "flags", ""), arg_str(a, "file", ""), e);
}

static int
bpf_unload(struct app *app, const struct args *a, struct err *e)
{
	return port_bpf_unload(&app->ports, arg_port(a), arg_queue(a), cmd_is_rx(a), e);
}

static const struct cmd_row cmds_port_queue_rows[] = {
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

const struct cmd_table cmds_port_queue = { "ports", "single queues", cmds_port_queue_rows,
	ARRAY_SIZE(cmds_port_queue_rows) };
