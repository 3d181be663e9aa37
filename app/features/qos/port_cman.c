/* Congestion management of Rx queues, with rte_eth_cman. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_cman.h"

#include "base/err.h"
#include "base/out.h"
#include "port/port.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
refused(const struct port *p, int ret, struct err *e)
{
	if (ret == 0)
		return 0;
	return err_set(e, abs(ret), "port %u (%s): congestion management: %s", p->id,
		p->info.driver_name, strerror(abs(ret)));
}

int
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

int
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
check(const struct port *p, const struct rte_eth_cman_config *c, struct err *e)
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

int
port_cman_set(struct ports *ps, uint16_t id, uint16_t queue, const struct port_cman_red *red,
	struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	struct rte_eth_cman_config c = { 0 };

	if (p == NULL)
		return -e->code;
	if (red == NULL) {
		if (refused(p, rte_eth_cman_config_init(id, &c), e) != 0)
			return -e->code;
	} else {
		c.obj = red->mempool ? RTE_ETH_CMAN_OBJ_RX_QUEUE_MEMPOOL
				     : RTE_ETH_CMAN_OBJ_RX_QUEUE;
		c.mode = RTE_CMAN_RED;
		c.mode_param.red.min_th = red->min_percent;
		c.mode_param.red.max_th = red->max_percent;
		c.mode_param.red.maxp_inv = red->inverse;
		if (check(p, &c, e) != 0)
			return -e->code;
	}
	c.obj_param.rx_queue = queue;
	return refused(p, rte_eth_cman_config_set(id, &c), e);
}
