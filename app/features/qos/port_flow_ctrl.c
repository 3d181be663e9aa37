/* Set Ethernet flow control (pause frames) of a port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_flow_ctrl.h"

#include "base/err.h"
#include "port/port.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static bool
is_whole(const struct port_flow_ctrl *w)
{
	return w->rx >= 0 && w->tx >= 0 && w->high_water >= 0 && w->low_water >= 0 &&
		w->pause_time >= 0 && w->send_xon >= 0 && w->mac_ctrl_frame_fwd >= 0 &&
		w->autoneg >= 0;
}

static enum rte_eth_fc_mode
mode_of(enum rte_eth_fc_mode now, const struct port_flow_ctrl *w)
{
	const bool full = now == RTE_ETH_FC_FULL;
	const bool rx = w->rx >= 0 ? w->rx != 0 : full || now == RTE_ETH_FC_RX_PAUSE;
	const bool tx = w->tx >= 0 ? w->tx != 0 : full || now == RTE_ETH_FC_TX_PAUSE;

	if (rx && tx)
		return RTE_ETH_FC_FULL;
	return rx ? RTE_ETH_FC_RX_PAUSE : tx ? RTE_ETH_FC_TX_PAUSE : RTE_ETH_FC_NONE;
}

static void
change(struct rte_eth_fc_conf *fc, const struct port_flow_ctrl *w)
{
	fc->mode = mode_of(fc->mode, w);
	if (w->high_water >= 0)
		fc->high_water = w->high_water;
	if (w->low_water >= 0)
		fc->low_water = w->low_water;
	if (w->pause_time >= 0)
		fc->pause_time = w->pause_time;
	if (w->send_xon >= 0)
		fc->send_xon = w->send_xon;
	if (w->mac_ctrl_frame_fwd >= 0)
		fc->mac_ctrl_frame_fwd = w->mac_ctrl_frame_fwd;
	if (w->autoneg >= 0)
		fc->autoneg = w->autoneg;
}

int
port_flow_ctrl_set(struct ports *ps, uint16_t id, const struct port_flow_ctrl *wanted,
	struct err *e)
{
	struct rte_eth_fc_conf fc = { 0 };
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	if (!is_whole(wanted)) {
		ret = rte_eth_dev_flow_ctrl_get(id, &fc);
		if (ret != 0)
			return err_set(e, abs(ret),
				"cannot get current flow ctrl parameters, return code = %d", ret);
	}
	change(&fc, wanted);
	ret = rte_eth_dev_flow_ctrl_set(id, &fc);
	if (ret != 0)
		return err_set(e, abs(ret), "bad flow control parameter, return code = %d", ret);
	return 0;
}
