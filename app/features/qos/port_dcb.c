/* Data center bridging: traffic classes, priority flow control and congestion management, and their commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"
#include "port/port_conf.h"
#include "port/port_feature.h"
#include "port/port_setup.h"
#include "run/run_classes.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Set the number of queues of all ports to the number that the driver divides among classes. */
static int
queues_set(struct ports *ps, const struct port *p, struct err *e)
{
	const struct rte_eth_dev_info *info = &p->info;
	uint16_t rx = info->max_rx_queues, tx = info->max_tx_queues;

	if (p->dcb.vt && info->max_vfs > 0) {
		rx = info->nb_rx_queues;
		tx = info->nb_tx_queues;
	} else if (!p->dcb.vt && info->vmdq_pool_base > 0) {
		rx = tx = p->dcb.classes;
	}
	if (port_conf_number(ps, PORT_RXQ, RTE_MIN(rx, PORT_QUEUES_MAX), e) != 0)
		return -e->code;
	return port_conf_number(ps, PORT_TXQ, RTE_MIN(tx, PORT_QUEUES_MAX), e);
}

/* Read the driver's DCB information into a zeroed struct. */
static int
info_get(uint16_t id, struct rte_eth_dcb_info *info)
{
	memset(info, 0, sizeof(*info));
	return rte_eth_dev_get_dcb_info(id, info);
}

/*
 * Configure traffic classes for the next start. Sets rxq and txq of all ports to the number of
 * queues that the driver needs, as port config all does; all ports must be stopped. Errors:
 * -ENODEV; -EBUSY; -ENOTSUP the driver has no DCB; -ERANGE classes, or VT although the pools follow
 * other queues. Thread: control, for all of this file.
 */
static int
port_dcb_set(struct ports *ps, uint16_t id, const struct port_dcb *dcb, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	struct port_dcb before;
	struct rte_eth_dcb_info info;

	if (p == NULL)
		return -e->code;
	if (p->state == PORT_STARTED)
		return err_set(e, EBUSY, "Please stop port %u first", id);
	if (dcb->classes == 0 || dcb->classes > RTE_ETH_8_TCS)
		return err_set(e, ERANGE, "The invalid number of traffic class, only 1~8 allowed.");
	if (info_get(id, &info) == -ENOTSUP)
		return err_set(e, ENOTSUP, "rte_eth_dev_get_dcb_info not supported.");
	if (dcb->vt && p->info.vmdq_pool_base > 0)
		return err_set(e, ERANGE, "VMDQ_DCB multi-queue mode is nonsensical for port %u.",
			id);
	before = p->dcb;
	p->dcb = *dcb;
	if (!dcb->keep_queues && queues_set(ps, p, e) != 0) {
		p->dcb = before;
		return -e->code;
	}
	p->configured = false;
	return 0;
}

/* Show one line of the table, with a number per class. */
static void
line_show(struct out *o, const char *title, const char *fmt, unsigned int n,
	unsigned int (*number)(const struct rte_eth_dcb_info *, unsigned int),
	const struct rte_eth_dcb_info *info)
{
	out_text(o, "\n  %s", title);
	for (unsigned int i = 0; i < n; i++)
		out_text(o, fmt, number(info, i));
}

static unsigned int
class_of(const struct rte_eth_dcb_info *info, unsigned int i)
{
	return i;
}

static unsigned int
priority_of(const struct rte_eth_dcb_info *info, unsigned int i)
{
	return info->prio_tc[i];
}

static unsigned int
bandwidth_of(const struct rte_eth_dcb_info *info, unsigned int i)
{
	return info->tc_bws[i];
}

static unsigned int
rx_first(const struct rte_eth_dcb_info *info, unsigned int i)
{
	return info->tc_queue.tc_rxq[0][i].base;
}

static unsigned int
rx_n(const struct rte_eth_dcb_info *info, unsigned int i)
{
	return info->tc_queue.tc_rxq[0][i].nb_queue;
}

static unsigned int
tx_first(const struct rte_eth_dcb_info *info, unsigned int i)
{
	return info->tc_queue.tc_txq[0][i].base;
}

static unsigned int
tx_n(const struct rte_eth_dcb_info *info, unsigned int i)
{
	return info->tc_queue.tc_txq[0][i].nb_queue;
}

/* The figures: one line each in text, one member per class in JSON. */
static const struct {
	const char *title, *fmt, *key;
	unsigned int (*number)(const struct rte_eth_dcb_info *info, unsigned int i);
} columns[] = {
	{ "TC :        ", "\t%4u", "class", class_of },
	{ "Priority :  ", "\t%4u", "priority", priority_of },
	{ "BW percent :", "\t%4u%%", "bandwidth_percent", bandwidth_of },
	{ "RXQ base :  ", "\t%4u", "first_rxq", rx_first },
	{ "RXQ number :", "\t%4u", "rxqs", rx_n },
	{ "TXQ base :  ", "\t%4u", "first_txq", tx_first },
	{ "TXQ number :", "\t%4u", "txqs", tx_n },
};

static int
show_one(struct ports *ps, struct port *p, void *ctx, struct err *e)
{
	static const char border[] = "================";
	struct out *o = ps->out;
	struct rte_eth_dcb_info info;
	unsigned int i, j, n;

	if (info_get(p->id, &info) != 0)
		return port_fail(ps, e, ENOTSUP, "Failed to get dcb infos on port %-2u", p->id);
	n = RTE_MIN(info.nb_tcs, RTE_ETH_DCB_NUM_TCS);
	out_text(o, "\n  %s DCB infos for port %-2u  %s\n", border, p->id, border);
	out_text(o, "  TC NUMBER: %u\n", info.nb_tcs);
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		line_show(o, columns[i].title, columns[i].fmt, n, columns[i].number, &info);
	out_text(o, "\n");
	out_nest(o, "classes", OUT_ARRAY);
	for (i = 0; i < n; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		for (j = 0; j < ARRAY_SIZE(columns); j++)
			out_u64(o, columns[j].key, NULL, columns[j].number(&info, i));
		out_unnest(o);
	}
	out_unnest(o);
	return 0;
}

/*
 * Show the classes and their queues. id: a port or PORT_ALL. JSON: {"ports": [{"port", "classes":
 * [{"class", "priority", "bandwidth_percent", "first_rxq", "rxqs", "first_txq", "txqs"}]}]}.
 */
static int
port_dcb_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);

	return port_each(ps, id, show_one, NULL, e);
}

/* rx: received pause frames stop transmission; tx: full Rx rings send pause frames. */
static enum rte_eth_fc_mode
mode_of(bool rx, bool tx)
{
	if (rx && tx)
		return RTE_ETH_FC_FULL;
	return rx ? RTE_ETH_FC_RX_PAUSE : tx ? RTE_ETH_FC_TX_PAUSE : RTE_ETH_FC_NONE;
}

/* Set pause frames of one priority. Errors: -ENODEV; the driver's error. */
static int
pause(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	struct rte_eth_pfc_conf conf = {
		.fc = { .mode = mode_of(arg_is(a, "receive", "on"), arg_is(a, "send", "on")),
			.high_water = (uint32_t)arg_u64(a, "high_water", 0),
			.low_water = (uint32_t)arg_u64(a, "low_water", 0),
			.pause_time = (uint16_t)arg_u64(a, "pause_time", 0) },
		.priority = (uint8_t)arg_u64(a, "priority", 0),
	};
	int ret;

	if (port_find(&app->ports, id, e) == NULL)
		return -e->code;
	ret = rte_eth_dev_priority_flow_ctrl_set(id, &conf);
	if (ret != 0)
		return err_set(e, abs(ret), "bad priority flow control parameter, return code = %d",
			ret);
	return 0;
}

/* Set pause frames by queue and class. Errors: -ENODEV; the driver's error. */
static int
queue_pause(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	struct rte_eth_pfc_queue_conf conf = {
		.mode = mode_of(arg_is(a, "receive", "on"), arg_is(a, "send", "on")),
		.rx_pause = { .tx_qid = (uint16_t)arg_u64(a, "txq", 0),
			.tc = (uint8_t)arg_u64(a, "txq_class", 0) },
		.tx_pause = { .pause_time = (uint16_t)arg_u64(a, "pause_time", 0),
			.rx_qid = (uint16_t)arg_u64(a, "rxq", 0),
			.tc = (uint8_t)arg_u64(a, "rxq_class", 0) },
	};
	int ret;

	if (port_find(&app->ports, id, e) == NULL)
		return -e->code;
	ret = rte_eth_dev_priority_flow_ctrl_queue_configure(id, &conf);
	if (ret != 0)
		return err_set(e, abs(ret), "bad queue priority flow control parameter, rc = %d",
			ret);
	return 0;
}

/* Traffic classes in the configuration of a port. */

#define VT_VLANS 32 /* VLANs 0..31 select a pool each, as in testpmd */

static uint32_t
pools_of(const struct port_dcb *d)
{
	return d->classes == RTE_ETH_4_TCS ? RTE_ETH_32_POOLS : RTE_ETH_16_POOLS;
}

/* Divide the queues among pools by VLAN, and within each pool among classes. */
static void
complete_vt(struct port *p)
{
	const struct port_dcb *d = &p->dcb;
	struct rte_eth_vmdq_dcb_conf *rx = &p->conf.rx_adv_conf.vmdq_dcb_conf;
	struct rte_eth_vmdq_dcb_tx_conf *tx = &p->conf.tx_adv_conf.vmdq_dcb_tx_conf;
	unsigned int i;

	memset(rx, 0, sizeof(*rx));
	memset(tx, 0, sizeof(*tx));
	rx->nb_queue_pools = tx->nb_queue_pools = (enum rte_eth_nb_pools)pools_of(d);
	rx->nb_pool_maps = (uint8_t)RTE_MIN(pools_of(d), (uint32_t)VT_VLANS);
	for (i = 0; i < rx->nb_pool_maps; i++) {
		rx->pool_map[i].vlan_id = (uint16_t)i;
		rx->pool_map[i].pools = UINT64_C(1) << i;
	}
	memcpy(rx->dcb_tc, d->class_of, sizeof(d->class_of));
	memcpy(tx->dcb_tc, d->class_of, sizeof(d->class_of));
	p->conf.rxmode.mq_mode = RTE_ETH_MQ_RX_VMDQ_DCB;
	p->conf.txmode.mq_mode = RTE_ETH_MQ_TX_VMDQ_DCB;
	p->conf.rxmode.offloads &= ~RTE_ETH_RX_OFFLOAD_RSS_HASH;
	for (i = 0; i < p->n_queues; i++)
		p->rxq[i].offloads &= ~RTE_ETH_RX_OFFLOAD_RSS_HASH;
}

static void
complete_plain(struct port *p)
{
	const struct port_dcb *d = &p->dcb;
	struct rte_eth_dcb_rx_conf *rx = &p->conf.rx_adv_conf.dcb_rx_conf;
	struct rte_eth_dcb_tx_conf *tx = &p->conf.tx_adv_conf.dcb_tx_conf;

	rx->nb_tcs = tx->nb_tcs = (enum rte_eth_nb_tcs)d->classes;
	memcpy(rx->dcb_tc, d->class_of, sizeof(d->class_of));
	memcpy(tx->dcb_tc, d->class_of, sizeof(d->class_of));
	p->conf.rxmode.mq_mode = RTE_ETH_MQ_RX_DCB_RSS;
	p->conf.txmode.mq_mode = RTE_ETH_MQ_TX_DCB;
}

static int
configure(struct ports *ps, struct port *p, struct err *e)
{
	if (p->dcb.classes == 0)
		return 0;
	if (p->dcb.vt)
		complete_vt(p);
	else
		complete_plain(p);
	p->conf.rxmode.offloads |= p->info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_VLAN_FILTER;
	p->conf.dcb_capability_en = p->dcb.pfc ? RTE_ETH_DCB_PG_SUPPORT | RTE_ETH_DCB_PFC_SUPPORT
					       : RTE_ETH_DCB_PG_SUPPORT;
	return 0;
}

/* Let the VLANs that testpmd uses pass the VLAN filter. */
static void
configured(struct ports *ps, struct port *p)
{
	if (p->dcb.classes == 0 || (p->conf.rxmode.offloads & RTE_ETH_RX_OFFLOAD_VLAN_FILTER) == 0)
		return;
	for (uint16_t vlan = 0; vlan < VT_VLANS; vlan++)
		rte_eth_dev_vlan_filter(p->id, vlan, 1); /* some drivers refuse VLAN 0 */
}

/* Writes the traffic classes of a port to its conf before it is configured. */
const struct port_feature port_feature_dcb = {
	.name = "dcb",
	.configure = configure,
	.at = { [PORT_CONFIGURED] = configured },
};

/* Congestion management of Rx queues, with rte_eth_cman. */

static int
refused(const struct port *p, int ret, struct err *e)
{
	if (ret == 0)
		return 0;
	return err_set(e, abs(ret), "port %u (%s): congestion management: %s", p->id,
		p->info.driver_name, strerror(abs(ret)));
}

/*
 * Show the capabilities, JSON: {"modes", "objects"}; show the configuration, JSON: {"object",
 * "queue", "mode", "min_percent", "max_percent", "inverse"}. Errors of all functions: -ENODEV; the
 * driver's error. Thread: control, for all of this file.
 */
static int
port_cman_show(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	struct rte_eth_cman_info info = { 0 };

	if (p == NULL || refused(p, rte_eth_cman_info_get(id, &info), e) != 0)
		return -e->code;
	out_text(ps->out, "\n****   Port Congestion Management Capabilities   ****\n\n");
	out_u64(ps->out, "modes", "modes_supported 0x%" PRIx64 "\n", info.modes_supported);
	out_u64(ps->out, "objects", "objs_supported 0x%" PRIx64 "\n", info.objs_supported);
	return 0;
}

static int
port_cman_config_show(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	struct rte_eth_cman_config c = { 0 };
	struct out *o = ps->out;

	if (p == NULL || refused(p, rte_eth_cman_config_get(id, &c), e) != 0)
		return -e->code;
	out_text(o, "\n****   Port Congestion Management Configuration   ****\n\n");
	out_u64(o, "object", "cman object 0x%" PRIx64 "\n", (uint64_t)c.obj);
	out_u64(o, "queue", "cman Rx queue %" PRIx64 "\n", c.obj_param.rx_queue);
	out_u64(o, "mode", "cman mode 0x%" PRIx64 "\n", (uint64_t)c.mode);
	out_u64(o, "min_percent", "cman RED min thresh %" PRIx64 "\n", c.mode_param.red.min_th);
	out_u64(o, "max_percent", "cman RED max thresh %" PRIx64 "\n", c.mode_param.red.max_th);
	out_u64(o, "inverse", "cman RED Prob inversion %" PRIx64 "\n", c.mode_param.red.maxp_inv);
	return 0;
}

/* Check that the driver supports a configuration. */
static int
cman_check(const struct port *p, const struct rte_eth_cman_config *c, struct err *e)
{
	struct rte_eth_cman_info info = { 0 };

	if (refused(p, rte_eth_cman_info_get(p->id, &info), e) != 0)
		return -e->code;
	if ((info.objs_supported & (uint64_t)c->obj) == 0)
		return err_set(e, ENOTSUP, "Object type is not supported by driver: port %u (%s)",
			p->id, p->info.driver_name);
	if ((info.modes_supported & (uint64_t)c->mode) == 0)
		return err_set(e, ENOTSUP, "Mode is not supported by driver: port %u (%s)", p->id,
			p->info.driver_name);
	return 0;
}

/* Reset congestion management of a queue to the driver's default. */
static int
cman_default(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	const struct port *p = port_find(&app->ports, id, e);
	struct rte_eth_cman_config c = { 0 };

	if (p == NULL || refused(p, rte_eth_cman_config_init(id, &c), e) != 0)
		return -e->code;
	c.obj_param.rx_queue = (uint16_t)arg_u64(a, "queue_number", 0);
	return refused(p, rte_eth_cman_config_set(id, &c), e);
}

/* Set random early detection of a queue, by the fill level of its ring or of its mempool. */
static int
cman_red(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	const struct port *p = port_find(&app->ports, id, e);
	const struct rte_eth_cman_config c = {
		.obj = arg_is(a, "object", "queue_mempool") ? RTE_ETH_CMAN_OBJ_RX_QUEUE_MEMPOOL
							    : RTE_ETH_CMAN_OBJ_RX_QUEUE,
		.mode = RTE_CMAN_RED,
		.obj_param.rx_queue = (uint16_t)arg_u64(a, "queue_number", 0),
		.mode_param.red = { .min_th = (uint8_t)arg_u64(a, "min", 0),
			.max_th = (uint8_t)arg_u64(a, "max", 0),
			.maxp_inv = (uint16_t)arg_u64(a, "inverse", 0) },
	};

	if (p == NULL || cman_check(p, &c, e) != 0)
		return -e->code;
	return refused(p, rte_eth_cman_config_set(id, &c), e);
}

/* Commands for data center bridging and congestion management, in testpmd's syntax. */

/* Read the class of a priority, "P:C", at *text and move *text past it. */
static int
priority_read(const struct args *a, const char **text, struct port_dcb *dcb, struct err *e)
{
	const char *at = *text;

	if (at[0] < '0' || at[0] >= '0' + PORT_DCB_PRIORITIES || at[1] != ':' || at[2] < '0' ||
		at[2] >= '0' + dcb->classes || strcspn(at, " ") != 3)
		return arg_err(a, "more", e, EINVAL,
			"\"%.*s\": expected PRIORITY:CLASS, 0..%d and 0..%u", (int)strcspn(at, " "),
			at, PORT_DCB_PRIORITIES - 1, dcb->classes - 1u);
	dcb->class_of[at[0] - '0'] = (uint8_t)(at[2] - '0');
	*text = at + 3;
	return 0;
}

/* Read "prio-tc P:C [P:C ...]" and "keep-qnum", in any order. */
static int
more_read(const struct args *a, struct port_dcb *dcb, struct err *e)
{
	const char *at = arg_str(a, "more", "");
	bool priorities = false;

	while (*(at += strspn(at, " ")) != '\0') {
		const size_t n = strcspn(at, " ");

		if (n == strlen("prio-tc") && strncmp(at, "prio-tc", n) == 0) {
			priorities = true;
			at += n;
		} else if (n == strlen("keep-qnum") && strncmp(at, "keep-qnum", n) == 0) {
			dcb->keep_queues = true;
			at += n;
		} else if (!priorities) {
			return arg_err(a, "more", e, EINVAL,
				"\"%.*s\": expected prio-tc or keep-qnum", (int)n, at);
		} else if (priority_read(a, &at, dcb, e) != 0) {
			return -e->code;
		}
	}
	return 0;
}

static int
config(struct app *app, const struct args *a, struct err *e)
{
	struct port_dcb dcb = {
		.classes = (uint8_t)arg_u64(a, "classes", 0),
		.vt = arg_is(a, "pools", "on"),
		.pfc = arg_is(a, "pause", "on"),
	};

	for (unsigned int i = 0; i < PORT_DCB_PRIORITIES; i++)
		dcb.class_of[i] = (uint8_t)(i % dcb.classes);
	if (more_read(a, &dcb, e) != 0)
		return -e->code;
	return port_dcb_set(&app->ports, arg_port(a), &dcb, e);
}

#define PORT "<port:port>"
#define N8 "0..255"
#define N16 "0..65535"
#define N32 "0..4294967295"

static const struct cmd_row rows[] = {
	{ "port config " PORT
	  " dcb vt <pools:word off|on> <classes:uint 1..8> pfc <pause:word off|on> [<more:text>]",
		config,
		"configure traffic classes by VLAN priority, each with its own queues; vt on: within pools by VLAN; prio-tc PRIORITY:CLASS ...: map priorities (default: priority modulo classes); keep-qnum: keep the numbers of queues; the port must be stopped",
		NULL, NULL },
	{ "show port dcb_tc <port:ports>", port_dcb_show, "show traffic classes and their queues",
		NULL, NULL, .shows = true },
	{ "set dcb fwd_tc <mask:uint " N8 ">", arg_on_run,
		"set the traffic classes to forward from the next start on, as a bit mask; each class gets its own lcore",
		"set dcb fwd_tc 3", ARG_ON_RUN_LINE(run_classes_choose) },
	{ "set dcb fwd_tc_cores <n:uint " N8 ">", arg_on_run,
		"set the number of lcores per traffic class; they share its queues",
		"set dcb fwd_tc_cores 2", ARG_ON_RUN_LINE(run_classes_lcores) },
	{ "show config dcbfwdtc", arg_on_run,
		"show the forwarded traffic classes and their number of lcores",
		"show config dcbfwdtc", ARG_ON_RUN_SHOW(run_classes_show), .shows = true },
	{ "set pfc_ctrl rx <receive:word off|on> tx <send:word off|on> <high_water:uint " N32
	  "> <low_water:uint " N32 "> <pause_time:uint " N16 "> <priority:uint " N8 "> " PORT,
		pause, "set priority flow control (pause frames) of one priority", NULL, NULL },
	{ "set pfc_queue_ctrl " PORT " rx <receive:word off|on> <txq:uint " N16
	  "> <txq_class:uint " N8 "> tx <send:word off|on> <rxq:uint " N16 "> <rxq_class:uint " N8
	  "> <pause_time:uint " N16 ">",
		queue_pause, "set priority flow control by queue and traffic class", NULL, NULL },
	{ "show port cman capa " PORT, arg_on_port,
		"show the congestion management capabilities of a port", NULL,
		ARG_ON_PORT(port_cman_show), .shows = true },
	{ "show port cman config " PORT, arg_on_port,
		"show the congestion management configuration of a port", NULL,
		ARG_ON_PORT(port_cman_config_show), .shows = true },
	{ "set port cman config " PORT " <queue_number:uint " N16 "> default", cman_default,
		"reset congestion management of a queue to the driver's default", NULL, NULL },
	{ "set port cman config " PORT " <queue_number:uint " N16
	  "> obj <object:word queue|queue_mempool> mode red <min:uint 0..100> <max:uint 0..100> <inverse:uint " N16
	  ">",
		cman_red,
		"set random early drop of an Rx queue: minimum and maximum fill of the queue or its mempool in percent, and the inverse drop probability",
		NULL, NULL },
};

const struct cmd_table cmds_dcb = { "dcb", "data center bridging and congestion", rows,
	ARRAY_SIZE(rows), CMD_QOS };
