/* Commands on the device behind a port: EEPROM, lamp, error correction, lanes, packet types,
 * address hash, representors, marks of packets that it sends. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/device/port_eeprom.h"
#include "features/device/port_link.h"
#include "features/device/port_tx_mark.h"
#include "features/offload/port_mac.h"
#include "features/offload/port_ptypes.h"
#include "features/offload/port_vlan.h"
#include "features/qos/port_fec.h"
#include "features/vendor/port_representor.h"
#include "port/port_stats.h"

#include <rte_ether.h>

#include <string.h>

static int
eeprom_show(struct app *app, const struct args *a, struct err *e)
{
	return port_eeprom_show(&app->ports, arg_port(a), arg_is(a, "what", "module_eeprom"), e);
}

static int
eeprom_set(struct app *app, const struct args *a, struct err *e)
{
	return port_eeprom_set(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "magic", 0),
		arg_str(a, "value", ""), (uint32_t)arg_u64(a, "offset", 0), e);
}

static int
representor(struct app *app, const struct args *a, struct err *e)
{
	return port_representor_show(&app->ports, arg_port(a), e);
}

static int
led(struct app *app, const struct args *a, struct err *e)
{
	return port_link_led(&app->ports, arg_port(a), arg_on(a), e);
}

static int
fec(struct app *app, const struct args *a, struct err *e)
{
	return port_fec_set(&app->ports, arg_port(a), arg_str(a, "mode", ""), e);
}

static int
loopback(struct app *app, const struct args *a, struct err *e)
{
	return port_link_loopback(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "mode", 0), e);
}

static int
lanes(struct app *app, const struct args *a, struct err *e)
{
	return port_link_lanes(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "n", 0), e);
}

static int
lanes_show(struct app *app, const struct args *a, struct err *e)
{
	return port_link_lanes_show(&app->ports, arg_port(a), e);
}

static int
ptype_mask(struct app *app, const struct args *a, struct err *e)
{
	return port_ptypes_set(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "mask", 0), e);
}

static int
mcast_flush(struct app *app, const struct args *a, struct err *e)
{
	return port_mac_multicast_flush(&app->ports, arg_port(a), e);
}

static int
uta(struct app *app, const struct args *a, struct err *e)
{
	struct rte_ether_addr mac;

	if (!arg_given(a, "mac"))
		return port_mac_hash(&app->ports, arg_port(a), NULL, arg_on(a), e);
	memcpy(mac.addr_bytes, arg_find(a, "mac")->mac, sizeof(mac.addr_bytes));
	return port_mac_hash(&app->ports, arg_port(a), &mac, arg_on(a), e);
}

static int
tpid(struct app *app, const struct args *a, struct err *e)
{
	return port_vlan_tpid(&app->ports, arg_port(a), arg_is(a, "which", "inner"),
		(uint16_t)arg_u64(a, "tpid", 0), e);
}

static int
pvid(struct app *app, const struct args *a, struct err *e)
{
	return port_vlan_pvid(&app->ports, arg_port(a), (uint16_t)arg_u64(a, "vlan", 0), arg_on(a),
		e);
}

static int
metadata(struct app *app, const struct args *a, struct err *e)
{
	return port_tx_mark_metadata(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "value", 0), e);
}

static int
metadata_show(struct app *app, const struct args *a, struct err *e)
{
	return port_tx_mark_metadata_show(&app->ports, arg_port(a), e);
}

static int
dynamic_flag(struct app *app, const struct args *a, struct err *e)
{
	return port_tx_mark_flag(&app->ports, arg_port(a), arg_str(a, "flag", ""),
		arg_is(a, "what", "set"), e);
}

static int
counter_switch(struct app *app, const struct args *a, struct err *e)
{
	return port_xstats_switch(&app->ports, arg_port(a), arg_str(a, "counter", ""),
		arg_is(a, "what", "enable"), e);
}

static const struct cmd_row rows[] = {
	{ "show port <port:port> <what:word eeprom|module_eeprom>", eeprom_show,
		"memory of the card, or of the module in its cage, in hexadecimal", NULL, NULL },
	{ "set port <port:port> eeprom accept_risk magic <magic:uint 0..4294967295> value <value:str> "
	  "[offset <offset:uint 0..4294967295>]",
		eeprom_set,
		"write bytes, two hexadecimal digits each, into a card's memory, which may break the card",
		NULL, NULL },
	{ "show port info <port:port> representor", representor,
		"ports that may stand for functions of the device", NULL, NULL },
	{ "set port <port:port> led <state:word on|off>", led, "the lamp beside the cage", NULL,
		NULL },
	{ "set port <port:port> fec_mode <mode:str>", fec,
		"forward error correction: auto, off, rs, baser, llrs", NULL, NULL },
	{ "port config <port:ports> loopback <mode:uint 0..4294967295>", loopback,
		"how the device loops back what it sends, in its driver's numbers, 0: not; ports stopped",
		NULL, NULL },
	{ "port config <port:ports> speed_lanes <n:uint 0..4294967295>", lanes,
		"lanes that the link's speed is divided over; ports stopped", NULL, NULL },
	{ "show port <port:port> speed_lanes capabilities", lanes_show, "lanes by link speed", NULL,
		NULL },
	{ "set port <port:port> ptype_mask <mask:uint 0..4294967295>", ptype_mask,
		"let the hardware tell packet types of these layers: masks of RTE_PTYPE_*_MASK, 0: none",
		NULL, NULL },
	{ "mcast_addr flush <port:port>", mcast_flush, "receive no multicast address any more",
		NULL, NULL },
	{ "set port <port:port> uta <mac:mac> <state:word on|off>", uta,
		"frames to an address pass the port's hash filter", NULL, NULL },
	{ "set port <port:port> uta all <state:word on|off>", uta,
		"frames to any unicast address pass it", NULL, NULL },
	{ "vlan set <which:word inner|outer> tpid <tpid:uint 0..65535> <port:port>", tpid,
		"EtherType by which the hardware knows VLAN tags; at once", NULL, NULL },
	{ "tx_vlan set pvid <port:port> <vlan:uint 0..65535> <state:word on|off>", pvid,
		"a tag for all that the port sends; at once", NULL, NULL },
	{ "port config <port:port> tx_metadata <value:uint 0..4294967295>", metadata,
		"metadata beside each packet that the port sends, for flow rules' item meta; 0: none",
		"port config 0 tx_metadata 0", NULL },
	{ "show port <port:port> tx_metadata", metadata_show, "this metadata",
		"show port 0 tx_metadata", NULL },
	{ "port config <port:port> dynf <flag:str> <what:word set|clear>", dynamic_flag,
		"a dynamic flag of mbufs, by name, in each packet that the port sends",
		"port config 0 dynf example_flag clear", NULL },
	{ "port <port:port> <what:word enable|disable> <counter:str>", counter_switch,
		"let the device count an extended statistic, or not", NULL, NULL },
};

const struct cmd_table cmds_port_device = { "ports", "the device behind a port", rows,
	ARRAY_SIZE(rows) };
