/* Show and set Ethernet flow control (pause frames) of a port, and its commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_flow_ctrl.h"

#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#define BORDER "*********************"

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

int
port_flow_ctrl_show(struct ports *ps, uint16_t id, struct err *e)
{
	struct rte_eth_fc_conf fc = { 0 };
	struct out *o = ps->out;
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	ret = rte_eth_dev_flow_ctrl_get(id, &fc);
	if (ret != 0)
		return err_set(e, abs(ret), "Failed to get current flow ctrl information: err = %d",
			ret);
	out_text(o, "\n%s Flow control infos for port %-2u %s\n", BORDER, id, BORDER);
	out_u64(o, "port", NULL, id);
	out_text(o, "FC mode:\n");
	out_bool(o, "rx_pause", "   Rx pause: %s\n",
		fc.mode == RTE_ETH_FC_RX_PAUSE || fc.mode == RTE_ETH_FC_FULL, "on", "off");
	out_bool(o, "tx_pause", "   Tx pause: %s\n",
		fc.mode == RTE_ETH_FC_TX_PAUSE || fc.mode == RTE_ETH_FC_FULL, "on", "off");
	out_bool(o, "autoneg", "Autoneg: %s\n", fc.autoneg != 0, "on", "off");
	out_u64(o, "pause_time", "Pause time: 0x%" PRIx64 "\n", fc.pause_time);
	out_u64(o, "high_water", "High waterline: 0x%" PRIx64 "\n", fc.high_water);
	out_u64(o, "low_water", "Low waterline: 0x%" PRIx64 "\n", fc.low_water);
	out_bool(o, "send_xon", "Send XON: %s\n", fc.send_xon != 0, "on", "off");
	out_bool(o, "forward_mac_control", "Forward MAC control frames: %s\n",
		fc.mac_ctrl_frame_fwd != 0, "on", "off");
	out_text(o, "\n%s**************   End  ***********%s\n", BORDER, BORDER);
	return 0;
}

static const struct cmd_row rows[] = {
	{ "set flow_ctrl rx <rx:word on|off> tx <tx:word on|off> <high:uint 0..4294967295> <low:uint 0..4294967295> "
	  "<time:uint 0..65535> <xon:uint 0..65535> mac_ctrl_frame_fwd <forward:word on|off> autoneg <auto:word on|off> "
	  "<port:port>",
		arg_on_ports,
		"set all parameters of Ethernet flow control (pause frames); the port may be running",
		NULL, ARG_ON_PORTS(port_flow_ctrl_set) },
	{ "set flow_ctrl rx <rx:word on|off> <port:port>", arg_on_ports,
		"enable or disable the reaction to received pause frames", NULL,
		ARG_ON_PORTS(port_flow_ctrl_set) },
	{ "set flow_ctrl tx <tx:word on|off> <port:port>", arg_on_ports,
		"enable or disable the sending of pause frames", NULL,
		ARG_ON_PORTS(port_flow_ctrl_set) },
	{ "set flow_ctrl high_water <high:uint 0..4294967295> <port:port>", arg_on_ports,
		"set the fill level above which the port sends pause frames", NULL,
		ARG_ON_PORTS(port_flow_ctrl_set) },
	{ "set flow_ctrl low_water <low:uint 0..4294967295> <port:port>", arg_on_ports,
		"set the fill level below which the pause ends", NULL,
		ARG_ON_PORTS(port_flow_ctrl_set) },
	{ "set flow_ctrl pause_time <time:uint 0..65535> <port:port>", arg_on_ports,
		"set the length of a pause, in units of 512 bit times", NULL,
		ARG_ON_PORTS(port_flow_ctrl_set) },
	{ "set flow_ctrl send_xon <xon:uint 0..65535> <port:port>", arg_on_ports,
		"enable (1) or disable (0) the frame that ends a pause early (XON)", NULL,
		ARG_ON_PORTS(port_flow_ctrl_set) },
	{ "set flow_ctrl mac_ctrl_frame_fwd <forward:word on|off> <port:port>", arg_on_ports,
		"receive MAC control frames like other packets, or drop them", NULL,
		ARG_ON_PORTS(port_flow_ctrl_set) },
	{ "set flow_ctrl autoneg <auto:word on|off> <port:port>", arg_on_ports,
		"enable or disable autonegotiation of flow control", NULL,
		ARG_ON_PORTS(port_flow_ctrl_set) },
};

const struct cmd_table cmds_flow_ctrl = { "offloads", "flow control", rows, ARRAY_SIZE(rows),
	CMD_OFFLOADS };

static const struct cmd_row show_rows[] = {
	{ "show port <port:port> flow_ctrl", arg_on_port, "show the settings of pause frames", NULL,
		ARG_ON_PORT(port_flow_ctrl_show), .shows = true },
};

const struct cmd_table cmds_flow_ctrl_show = { "display", "flow control", show_rows,
	ARRAY_SIZE(show_rows), CMD_DISPLAY };
