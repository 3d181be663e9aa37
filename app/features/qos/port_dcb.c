/* Data center bridging: traffic classes and priority flow control. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_dcb.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "port/port.h"
#include "port/port_conf.h"

#include <rte_ethdev.h>

#include <errno.h>
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
	if (port_conf_queues(ps, "rxq", RTE_MIN(rx, PORT_QUEUES_MAX), e) != 0)
		return -e->code;
	return port_conf_queues(ps, "txq", RTE_MIN(tx, PORT_QUEUES_MAX), e);
}

/* Read the driver's DCB information into a zeroed struct. */
static int
info_get(uint16_t id, struct rte_eth_dcb_info *info)
{
	memset(info, 0, sizeof(*info));
	return rte_eth_dev_get_dcb_info(id, info);
}

int
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

int
port_dcb_show(struct ports *ps, uint16_t id, struct err *e)
{
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

int
port_dcb_pause(struct ports *ps, uint16_t id, const struct port_dcb_pause *pause, struct err *e)
{
	struct rte_eth_pfc_conf conf = {
		.fc = { .mode = mode_of(pause->rx, pause->tx),
			.high_water = pause->high_water,
			.low_water = pause->low_water,
			.pause_time = pause->pause_time },
		.priority = pause->priority,
	};
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = rte_eth_dev_priority_flow_ctrl_set(id, &conf);
	return ret == 0 ? 0
			: err_set(e, abs(ret),
				  "bad priority flow control parameter, return code = %d", ret);
}

int
port_dcb_queue_pause(struct ports *ps, uint16_t id, const struct port_dcb_queue_pause *pause,
	struct err *e)
{
	struct rte_eth_pfc_queue_conf conf = {
		.mode = mode_of(pause->rx, pause->tx),
		.rx_pause = { .tx_qid = pause->txq, .tc = pause->txq_class },
		.tx_pause = { .pause_time = pause->pause_time,
			.rx_qid = pause->rxq,
			.tc = pause->rxq_class },
	};
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = rte_eth_dev_priority_flow_ctrl_queue_configure(id, &conf);
	return ret == 0
		? 0
		: err_set(e, abs(ret), "bad queue priority flow control parameter, rc = %d", ret);
}
