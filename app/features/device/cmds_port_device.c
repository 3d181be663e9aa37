/* Commands for the device behind a port: EEPROM, LED, forward error correction, speed lanes, packet
 * types, unicast hash filter, representors, metadata and flags of transmitted packets. */
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
		"show the EEPROM of the card or of its plug-in module in hexadecimal", NULL, NULL },
	{ "set port <port:port> eeprom accept_risk magic <magic:uint 0..4294967295> value <value:str> "
	  "[offset <offset:uint 0..4294967295>]",
		eeprom_set,
		"write bytes, two hexadecimal digits each, to a card's EEPROM; this can damage the card",
		NULL, NULL },
	{ "show port info <port:port> representor", representor,
		"show the representor ports that the device supports", NULL, NULL },
	{ "set port <port:port> led <state:word on|off>", led,
		"switch the port's identification LED on or off", NULL, NULL },
	{ "set port <port:port> fec_mode <mode:str>", fec,
		"set forward error correction: auto, off, rs, baser or llrs", NULL, NULL },
	{ "port config <port:ports> loopback <mode:uint 0..4294967295>", loopback,
		"set the device's loopback mode by its driver's number (0: off); the ports must be stopped",
		NULL, NULL },
	{ "port config <port:ports> speed_lanes <n:uint 0..4294967295>", lanes,
		"set the number of lanes of the link; the ports must be stopped", NULL, NULL },
	{ "show port <port:port> speed_lanes capabilities", lanes_show,
		"show the supported numbers of lanes by link speed", NULL, NULL },
	{ "set port <port:port> ptype_mask <mask:uint 0..4294967295>", ptype_mask,
		"set the layers whose packet types the hardware reports (RTE_PTYPE_*_MASK, 0: none)",
		NULL, NULL },
	{ "mcast_addr flush <port:port>", mcast_flush, "remove all multicast addresses of a port",
		NULL, NULL },
	{ "set port <port:port> uta <mac:mac> <state:word on|off>", uta,
		"add an address to the port's unicast hash filter, or remove it", NULL, NULL },
	{ "set port <port:port> uta all <state:word on|off>", uta,
		"let all unicast addresses pass the port's hash filter, or none", NULL, NULL },
	{ "vlan set <which:word inner|outer> tpid <tpid:uint 0..65535> <port:port>", tpid,
		"set the EtherType of VLAN tags; the port may be running", NULL, NULL },
	{ "tx_vlan set pvid <port:port> <vlan:uint 0..65535> <state:word on|off>", pvid,
		"insert a VLAN tag into all transmitted packets; the port may be running", NULL,
		NULL },
	{ "port config <port:port> tx_metadata <value:uint 0..4294967295>", metadata,
		"set the metadata of each transmitted packet, matched by the flow item meta (0: none)",
		"port config 0 tx_metadata 0", NULL },
	{ "show port <port:port> tx_metadata", metadata_show,
		"show the metadata that \"port config tx_metadata\" set", "show port 0 tx_metadata",
		NULL },
	{ "port config <port:port> dynf <flag:str> <what:word set|clear>", dynamic_flag,
		"set or clear a dynamic mbuf flag, by name, in each transmitted packet",
		"port config 0 dynf example_flag clear", NULL },
	{ "port <port:port> <what:word enable|disable> <counter:str>", counter_switch,
		"enable or disable an extended statistic of the device", NULL, NULL },
};

const struct cmd_table cmds_port_device = { "ports", "the device behind a port", rows,
	ARRAY_SIZE(rows) };
