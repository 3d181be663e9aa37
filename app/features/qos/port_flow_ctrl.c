/* Set Ethernet flow control (pause frames) of a port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_flow_ctrl.h"

#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* True when the line has every value, so that the driver's are not needed. */
static bool
is_whole(const struct args *a)
{
	static const char *const names[] = { "rx", "tx", "high", "low", "time", "xon", "forward",
		"auto" };
	unsigned int n = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		n += arg_given(a, names[i]);
	return n == ARRAY_SIZE(names);
}

/* A switch of the line; now: its value if the line omits it. */
static bool
switched(const struct args *a, const char *name, bool now)
{
	return arg_given(a, name) ? arg_is(a, name, "on") : now;
}

static enum rte_eth_fc_mode
mode_of(enum rte_eth_fc_mode now, const struct args *a)
{
	const bool full = now == RTE_ETH_FC_FULL;
	const bool rx = switched(a, "rx", full || now == RTE_ETH_FC_RX_PAUSE);
	const bool tx = switched(a, "tx", full || now == RTE_ETH_FC_TX_PAUSE);

	if (rx && tx)
		return RTE_ETH_FC_FULL;
	return rx ? RTE_ETH_FC_RX_PAUSE : tx ? RTE_ETH_FC_TX_PAUSE : RTE_ETH_FC_NONE;
}

int
port_flow_ctrl_set(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	struct rte_eth_fc_conf fc = { 0 };
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	if (!is_whole(a)) {
		ret = rte_eth_dev_flow_ctrl_get(id, &fc);
		if (ret != 0)
			return err_set(e, abs(ret),
				"cannot get current flow ctrl parameters, return code = %d", ret);
	}
	fc.mode = mode_of(fc.mode, a);
	fc.high_water = (uint32_t)arg_u64(a, "high", fc.high_water);
	fc.low_water = (uint32_t)arg_u64(a, "low", fc.low_water);
	fc.pause_time = (uint16_t)arg_u64(a, "time", fc.pause_time);
	fc.send_xon = (uint16_t)arg_u64(a, "xon", fc.send_xon);
	if (arg_given(a, "forward"))
		fc.mac_ctrl_frame_fwd = arg_is(a, "forward", "on");
	if (arg_given(a, "auto"))
		fc.autoneg = arg_is(a, "auto", "on");
	ret = rte_eth_dev_flow_ctrl_set(id, &fc);
	if (ret != 0)
		return err_set(e, abs(ret), "bad flow control parameter, return code = %d", ret);
	return 0;
}
