/* VLAN offloads of ports: strip, filter and insert tags in hardware. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/offload/port_vlan.h"

#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"
#include "port/port_setup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VLANS 4096

static const struct offload {
	const char *what, *failure; /* failure: the function name in testpmd's message */
	int vlan;
	uint64_t rx;
} offloads[] = {
	{ "strip", "rx_vlan_strip_set", RTE_ETH_VLAN_STRIP_OFFLOAD, RTE_ETH_RX_OFFLOAD_VLAN_STRIP },
	{ "filter", "rx_vlan_filter_set", RTE_ETH_VLAN_FILTER_OFFLOAD,
		RTE_ETH_RX_OFFLOAD_VLAN_FILTER },
	{ "extend", "rx_vlan_extend_set", RTE_ETH_VLAN_EXTEND_OFFLOAD,
		RTE_ETH_RX_OFFLOAD_VLAN_EXTEND },
	{ "qinq_strip", "rx_vlan_qinq_strip_set", RTE_ETH_QINQ_STRIP_OFFLOAD,
		RTE_ETH_RX_OFFLOAD_QINQ_STRIP },
};

int
port_vlan_offload(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	const char *what = arg_str(a, "what", "");
	const bool on = arg_on(a);
	struct port *p = port_find(&app->ports, id, e);
	const struct offload *o = offloads;
	int now, ret;

	if (p == NULL)
		return -ENODEV;
	while (o < offloads + ARRAY_SIZE(offloads) && strcmp(o->what, what) != 0)
		o++;
	if (o == offloads + ARRAY_SIZE(offloads))
		return err_set(e, EINVAL,
			"VLAN offload \"%s\": expected strip, filter, extend or qinq_strip", what);
	ret = port_setup_prepare(&app->ports, p, e);
	if (ret != 0)
		return ret;
	now = rte_eth_dev_get_vlan_offload(id);
	ret = now < 0 ? now : rte_eth_dev_set_vlan_offload(id, on ? now | o->vlan : now & ~o->vlan);
	if (ret < 0)
		return err_set(e, -ret, "%s(port_pi=%u, on=%d) failed diag=%d", o->failure, id, on,
			ret);
	p->conf.rxmode.offloads = on ? p->conf.rxmode.offloads | o->rx
				     : p->conf.rxmode.offloads & ~o->rx;
	return 0;
}

int
port_vlan_stripq(struct app *app, const struct args *a, struct err *e)
{
	const struct arg *where = arg_find(a, "where");
	const bool on = arg_on(a);
	uint16_t id, queue;
	int ret;

	if (where->list_n != 2)
		return arg_err(a, "where", e, EINVAL, "must specify (port,queue_id)");
	id = where->list[0];
	queue = where->list[1];
	if (port_find(&app->ports, id, e) == NULL)
		return -ENODEV;
	ret = rte_eth_dev_set_vlan_strip_on_queue(id, queue, on);
	if (ret < 0)
		return err_set(e, -ret,
			"rx_vlan_strip_set_on_queue(port_pi=%u, queue_id=%u, on=%d) failed diag=%d",
			id, queue, on, ret);
	return 0;
}

static int
vlan_check(uint64_t vlan, struct err *e)
{
	return vlan < VLANS
		? 0
		: err_set(e, ERANGE, "Invalid vlan_id %" PRIu64 " (must be < %u)", vlan, VLANS);
}

/* Add a VLAN to the filter of a port, or remove it. */
static int
filter(struct ports *ps, uint16_t id, uint64_t vlan, bool on, struct err *e)
{
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	ret = vlan_check(vlan, e);
	if (ret != 0)
		return ret;
	ret = rte_eth_dev_vlan_filter(id, (uint16_t)vlan, on);
	if (ret != 0)
		return err_set(e, abs(ret),
			"rte_eth_dev_vlan_filter(port_pi=%u, vlan_id=%u, on=%d) failed diag=%d", id,
			(unsigned int)vlan, on, ret);
	return 0;
}

int
port_vlan_filter(struct app *app, const struct args *a, struct err *e)
{
	return filter(&app->ports, arg_port(a), arg_u64(a, "vlan", 0), arg_is(a, "what", "add"), e);
}

int
port_vlan_filter_all(struct app *app, const struct args *a, struct err *e)
{
	uint64_t vlan;
	int ret = 0;

	for (vlan = 0; ret == 0 && vlan < VLANS; vlan++)
		ret = filter(&app->ports, arg_port(a), vlan, arg_is(a, "what", "add"), e);
	return ret;
}

static void
insert(struct port *p, uint64_t offload, uint16_t vlan, uint16_t outer)
{
	const uint64_t both = RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_QINQ_INSERT;

	p->conf.txmode.offloads = (p->conf.txmode.offloads & ~both) | offload;
	p->tx_vlan = vlan;
	p->tx_vlan_outer = outer;
	p->configured = false;
}

int
port_vlan_insert(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t vlan = (uint16_t)arg_u64(a, "vlan", 0);
	const bool outer = arg_given(a, "outer");
	struct port *p = port_setup_stopped(&app->ports, arg_port(a), e);

	if (p == NULL)
		return -e->code;
	if (!outer && (p->conf.txmode.offloads & RTE_ETH_TX_OFFLOAD_QINQ_INSERT) != 0)
		return err_set(e, EBUSY, "Error, as QinQ has been enabled.");
	if (!outer && (p->info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_VLAN_INSERT) == 0)
		return err_set(e, ENOTSUP, "Error: vlan insert is not supported by port %u", p->id);
	if (outer && (p->info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_QINQ_INSERT) == 0)
		return err_set(e, ENOTSUP, "Error: qinq insert not supported by port %u", p->id);
	if (!outer)
		insert(p, RTE_ETH_TX_OFFLOAD_VLAN_INSERT, vlan, 0);
	else
		insert(p, RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_QINQ_INSERT, vlan,
			(uint16_t)arg_u64(a, "outer", 0));
	return 0;
}

int
port_vlan_insert_off(struct ports *ps, uint16_t id, struct err *e)
{
	struct port *p = port_setup_stopped(ps, id, e);

	if (p == NULL)
		return -e->code;
	insert(p, 0, 0, 0);
	return 0;
}

int
port_vlan_tpid(struct ports *ps, const struct args *a, struct err *e)
{
	const enum rte_vlan_type type = arg_is(a, "which", "inner") ? RTE_ETH_VLAN_TYPE_INNER
								    : RTE_ETH_VLAN_TYPE_OUTER;
	const uint16_t id = arg_port(a), tpid = arg_u64(a, "tpid", 0);
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	ret = rte_eth_dev_set_vlan_ether_type(id, type, tpid);
	if (ret != 0)
		return err_set(e, abs(ret),
			"tx_vlan_tpid_set(port_pi=%u, vlan_type=%d, tpid=%u) failed diag=%d", id,
			type, tpid, ret);
	return 0;
}

int
port_vlan_pvid(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a), tag = arg_u64(a, "vlan", 0);
	const struct port *p = port_find(ps, id, e);
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = rte_eth_dev_set_vlan_pvid(id, tag, arg_on(a));
	if (ret != 0)
		return err_set(e, abs(ret), "port %u (driver %s): cannot set the port VLAN: %s", id,
			p->info.driver_name, strerror(abs(ret)));
	return 0;
}
