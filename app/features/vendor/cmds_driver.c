/* Commands for the drivers net_ixgbe, net_ice and net_iavf, in testpmd's syntax. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/vendor/port_ice.h"
#include "features/vendor/port_ixgbe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int
macsec_on(struct app *app, const struct args *a, struct err *e)
{
	return port_ixgbe_macsec_on(&app->ports, arg_port(a), arg_is(a, "encrypted", "on"),
		arg_is(a, "protected", "on"), e);
}

static int
macsec_channel(struct app *app, const struct args *a, struct err *e)
{
	struct rte_ether_addr mac;

	memcpy(mac.addr_bytes, arg_find(a, "mac")->mac, sizeof(mac.addr_bytes));
	return port_ixgbe_macsec_channel(&app->ports, arg_port(a), arg_is(a, "way", "tx"), &mac,
		(uint16_t)arg_u64(a, "number", 0), e);
}

/* Read up to 16 bytes of a key in hexadecimal digits; missing bytes are zero. */
static int
key_read(const struct args *a, uint8_t *key, struct err *e)
{
	const char *digits = arg_str(a, "key", "");
	const size_t n = strlen(digits);

	if (n == 0 || n % 2 != 0 || n > 2 * PORT_IXGBE_KEY_BYTES)
		return arg_err(a, "key", e, EINVAL,
			"%zu digits: expected two for each of 1..%d bytes", n,
			PORT_IXGBE_KEY_BYTES);
	for (size_t i = 0; i < n; i++)
		if (strchr("0123456789abcdefABCDEF", digits[i]) == NULL)
			return arg_err(a, "key", e, EINVAL,
				"invalid key: character %c at position %zu is not a valid hexa digit",
				digits[i], i);
	for (size_t i = 0; i < n / 2; i++)
		sscanf(digits + 2 * i, "%2hhx", &key[i]);
	return 0;
}

static int
macsec_association(struct app *app, const struct args *a, struct err *e)
{
	struct port_ixgbe_association with = {
		.index = (uint8_t)arg_u64(a, "index", 0),
		.number = (uint8_t)arg_u64(a, "number", 0),
		.packet = (uint32_t)arg_u64(a, "packet", 0),
	};

	if (key_read(a, with.key, e) != 0)
		return -e->code;
	return port_ixgbe_macsec_association(&app->ports, arg_port(a), arg_is(a, "way", "tx"),
		&with, e);
}

/* "off" does nothing, as in testpmd. */
static int
bypass(struct app *app, const struct args *a, struct err *e)
{
	return arg_on(a) ? port_ixgbe_bypass(&app->ports, arg_port(a), e) : 0;
}

static int
bypass_mode(struct app *app, const struct args *a, struct err *e)
{
	return port_ixgbe_bypass_mode(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "value", 0),
		e);
}

static int
bypass_event(struct app *app, const struct args *a, struct err *e)
{
	return port_ixgbe_bypass_event(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "what", 0),
		(uint32_t)arg_u64(a, "value", 0), e);
}

static int
bypass_timeout(struct app *app, const struct args *a, struct err *e)
{
	port_ixgbe_bypass_timeout(&app->ports, (uint32_t)arg_u64(a, "seconds", 0));
	return 0;
}

static int
profile_dump(struct app *app, const struct args *a, struct err *e)
{
	return port_ice_profile(&app->ports, arg_port(a), a->data != NULL, arg_str(a, "file", ""),
		e);
}

static int
schedule_dump(struct app *app, const struct args *a, struct err *e)
{
	return port_ice_schedule(&app->ports, arg_port(a), arg_is(a, "how", "detail"),
		arg_str(a, "file", ""), e);
}

static int
lldp(struct app *app, const struct args *a, struct err *e)
{
	/* "off" does nothing, as in testpmd: a dynamic mbuf field cannot be released. */
	return arg_on(a) ? port_ice_vf_lldp(&app->ports, e) : 0;
}

static const bool switch_only = true;

#define PORT "<port:port>"
#define MODE "<value:word normal|bypass|isolate>"
#define N32 "0..4294967295"

static const struct cmd_row rows[] = {
	{ "set macsec offload " PORT
	  " on encrypt <encrypted:word off|on> replay-protect <protected:word off|on>",
		macsec_on,
		"encrypt and check packets by MACsec (net_ixgbe); the port must be stopped", NULL,
		NULL },
	{ "set macsec offload " PORT " off", arg_on_port,
		"turn MACsec off; the port must be stopped", NULL,
		ARG_ON_PORT(port_ixgbe_macsec_off) },
	{ "set macsec sc <way:word tx|rx> " PORT " <mac:mac> <number:uint 0..65535>",
		macsec_channel, "set the MAC address and port number of the MACsec secure channel",
		NULL, NULL },
	{ "set macsec sa <way:word tx|rx> " PORT
	  " <index:uint 0..255> <number:uint 0..255> <packet:uint " N32 "> <key:str>",
		macsec_association,
		"set a MACsec secure association: index 0 or 1, association number 0..3, next packet number, key of 16 bytes in hexadecimal",
		NULL, NULL },
	{ "port config bypass " PORT " <state:word on|off>", bypass,
		"initialize a card's bypass (net_ixgbe); the port must be stopped", NULL, NULL },
	{ "set bypass mode " MODE " " PORT, bypass_mode,
		"connect a card's ports to the host (normal), to each other (bypass), or to nothing (isolate)",
		NULL, NULL },
	{ "set bypass event <what:word none|os_on|power_on|os_off|power_off|timeout> mode " MODE
	  " " PORT,
		bypass_event, "set the bypass mode that an event selects", NULL, NULL },
	{ "set bypass timeout <seconds:word 0|1.5|2|3|4|8|16|32>", bypass_timeout,
		"set the watchdog timeout in seconds (0: off) for the next \"set bypass event timeout\"",
		"set bypass timeout 1.5", NULL },
	{ "show bypass config " PORT, arg_on_port, "show the bypass modes of a card", NULL,
		ARG_ON_PORT(port_ixgbe_bypass_show) },
	{ "ddp dump " PORT " <file:file>", profile_dump,
		"write a card's active DDP package to a file (net_ice)", NULL, NULL },
	{ "ddp dump switch " PORT " <file:file>", profile_dump,
		"write a card's switch configuration to a file (net_ice)", NULL, &switch_only },
	{ "txsched dump " PORT " <how:word brief|detail> <file:file>", schedule_dump,
		"write a card's Tx scheduling configuration to a file (net_ice, needs DPDK 24.03)",
		NULL, NULL },
	{ "set tx lldp <state:word on|off>", lldp,
		"reserve the mbuf field that marks LLDP frames; net_iavf reads it when its ports start (needs DPDK 24.03)",
		NULL, NULL },
	{ "port reinit " PORT, arg_on_port,
		"ask the PF to reset a VF's port (net_iavf, needs DPDK 26.07)", NULL,
		ARG_ON_PORT(port_ice_vf_reinit) },
};

const struct cmd_table cmds_driver = { "drivers", "single drivers", rows, ARRAY_SIZE(rows) };
