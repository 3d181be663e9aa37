/* Functions of net_ixgbe beyond ethdev (MACsec and bypass), and their commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/text.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"
#include "port/port_conf.h"
#include "port/port_driver.h"
#include "port/port_feature.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES 16

/* Also declared by rte_pmd_ixgbe.h, where this DPDK has net_ixgbe. */
int rte_pmd_ixgbe_macsec_enable(uint16_t port, uint8_t encrypt, uint8_t replay_protect);
int rte_pmd_ixgbe_macsec_disable(uint16_t port);
int rte_pmd_ixgbe_macsec_config_txsc(uint16_t port, uint8_t *mac);
int rte_pmd_ixgbe_macsec_config_rxsc(uint16_t port, uint8_t *mac, uint16_t number);
int rte_pmd_ixgbe_macsec_select_txsa(uint16_t port, uint8_t index, uint8_t number, uint32_t packet,
	uint8_t *key);
int rte_pmd_ixgbe_macsec_select_rxsa(uint16_t port, uint8_t index, uint8_t number, uint32_t packet,
	uint8_t *key);
int rte_pmd_ixgbe_bypass_init(uint16_t port);
int rte_pmd_ixgbe_bypass_state_show(uint16_t port, uint32_t *mode);
int rte_pmd_ixgbe_bypass_state_set(uint16_t port, uint32_t *mode);
int rte_pmd_ixgbe_bypass_event_show(uint16_t port, uint32_t event, uint32_t *mode);
int rte_pmd_ixgbe_bypass_event_store(uint16_t port, uint32_t event, uint32_t mode);
int rte_pmd_ixgbe_bypass_wd_timeout_store(uint16_t port, uint32_t timeout);

static const struct port_driver_op macsec_op = { "net_ixgbe", .lacks = "not supported on port %u" };
static const struct port_driver_op bypass_op = { "net_ixgbe",
	.lacks = "Bypass is not enabled on this port." };

/* Check that MACsec of a port can be turned on or off: it is stopped, and the card has MACsec. */
static int
macsec_check(const struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_find(ps, id, e);

	if (p == NULL)
		return -e->code;
	if (p->state == PORT_STARTED)
		return err_set(e, EBUSY, "Please stop port %u first", id);
	if ((p->info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MACSEC_INSERT) == 0)
		return err_set(e, ENOTSUP, "not supported on port %u (%s)", id,
			p->info.driver_name);
	return 0;
}

/*
 * Turn MACsec on: check received packets, and, as the line says, encrypt transmitted ones and drop
 * replayed ones. Errors of all functions: -ENODEV; -EBUSY the port is started; -ENOTSUP another
 * driver's port; the driver's error. Thread: control, for all of this file.
 */
static int
macsec_on(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	const uint16_t id = arg_port(a);
	int ret = macsec_check(ps, id, e);

	if (ret == 0)
		ret = PORT_DRIVER_CALL(ps, id, &macsec_op, NULL, e, rte_pmd_ixgbe_macsec_enable,
			arg_is(a, "encrypted", "on"), arg_is(a, "protected", "on"));
	if (ret != 0)
		return ret;
	return port_conf_offload(ps, id, false, RTE_ETH_TX_OFFLOAD_MACSEC_INSERT, true, e);
}

static int
macsec_off(struct ports *ps, uint16_t id, struct err *e)
{
	int ret = macsec_check(ps, id, e);

	if (ret == 0)
		ret = PORT_DRIVER_CALL(ps, id, &macsec_op, NULL, e, rte_pmd_ixgbe_macsec_disable);
	if (ret != 0)
		return ret;
	return port_conf_offload(ps, id, false, RTE_ETH_TX_OFFLOAD_MACSEC_INSERT, false, e);
}

/* Set the secure channel; the number of its port is only for received packets. */
static int
macsec_channel(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	uint8_t mac[RTE_ETHER_ADDR_LEN];

	memcpy(mac, arg_find(a, "mac")->mac, sizeof(mac));
	if (arg_is(a, "way", "tx"))
		return PORT_DRIVER_CALL(&app->ports, id, &macsec_op, NULL, e,
			rte_pmd_ixgbe_macsec_config_txsc, mac);
	return PORT_DRIVER_CALL(&app->ports, id, &macsec_op, NULL, e,
		rte_pmd_ixgbe_macsec_config_rxsc, mac, (uint16_t)arg_u64(a, "number", 0));
}

/* Read up to 16 bytes of a key in hexadecimal digits; missing bytes are zero. */
static int
key_read(const struct args *a, uint8_t *key, struct err *e)
{
	const char *digits = arg_str(a, "key", "");
	const size_t n = text_hex(digits, key, KEY_BYTES), all = strlen(digits);

	if (all == 0 || all % 2 != 0 || all > 2 * KEY_BYTES)
		return arg_err(a, "key", e, EINVAL,
			"%zu digits: expected two for each of 1..%d bytes", all, KEY_BYTES);
	if (n != all)
		return arg_err(a, "key", e, EINVAL,
			"invalid key: character %c at position %zu is not a valid hexa digit",
			digits[n], n);
	return 0;
}

static int
macsec_association(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op op = { "net_ixgbe", "invalid idx %u or an %u",
		.lacks = "not supported on port %u" };
	const uint16_t id = arg_port(a);
	const uint64_t n[3] = { arg_u64(a, "index", 0), arg_u64(a, "number", 0) };
	const uint8_t index = (uint8_t)n[0], number = (uint8_t)n[1];
	const uint32_t packet = (uint32_t)arg_u64(a, "packet", 0);
	uint8_t key[KEY_BYTES] = { 0 };

	if (key_read(a, key, e) != 0)
		return -e->code;
	if (arg_is(a, "way", "tx"))
		return PORT_DRIVER_CALL(&app->ports, id, &op, n, e,
			rte_pmd_ixgbe_macsec_select_txsa, index, number, packet, key);
	return PORT_DRIVER_CALL(&app->ports, id, &op, n, e, rte_pmd_ixgbe_macsec_select_rxsa, index,
		number, packet, key);
}

/* Initialize bypass on a stopped port; "off" does nothing, as in testpmd. */
static int
bypass(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op op = { "net_ixgbe" };
	const uint16_t id = arg_port(a);
	const struct port *p;

	if (!arg_on(a))
		return 0;
	p = port_find(&app->ports, id, e);
	if (p == NULL)
		return -e->code;
	if (p->state == PORT_STARTED)
		return err_set(e, EBUSY,
			"Cannot change bypass configuration while port is started, please stop it and retry");
	return PORT_DRIVER_CALL(&app->ports, id, &op, NULL, e, rte_pmd_ixgbe_bypass_init);
}

/* Read the current mode. This reports ports without bypass for all commands. */
static int
mode_get(struct ports *ps, uint16_t id, uint32_t *mode, struct err *e)
{
	return PORT_DRIVER_CALL(ps, id, &bypass_op, NULL, e, rte_pmd_ixgbe_bypass_state_show, mode);
}

/* Modes in the order of the command's words; the driver numbers them from 1. */
static const char *const modes[] = { "UNKNOWN", "normal", "bypass", "isolate" };
static const char *const timeouts[] = { "off", "1.5", "2", "3", "4", "8", "16", "32" };
static const char *const events[] = { "NONE", "OS/board on", "power supply on", "OS/board off",
	"power supply off", "timeout" };

static int
bypass_mode(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	const uint16_t id = arg_port(a);
	uint32_t now, wanted = (uint32_t)arg_u64(a, "value", 0) + 1;
	__typeof__(&rte_pmd_ixgbe_bypass_state_set) set;

	if (mode_get(ps, id, &now, e) != 0)
		return -e->code;
	set = PORT_DRIVER_FIND(ps, id, &bypass_op, rte_pmd_ixgbe_bypass_state_set, e);
	if (set == NULL)
		return -e->code;
	if (set(id, &wanted) != 0)
		return err_set(e, EIO, "Failed to set bypass mode for port = %u.", id);
	return 0;
}

extern const struct port_feature port_feature_bypass;

/* Of the watchdogs of all ports, as an index of timeouts. */
static uint32_t *
bypass_timeout(const struct ports *ps)
{
	return port_feature_shared(ps, &port_feature_bypass);
}

const struct port_feature port_feature_bypass = {
	.name = "bypass",
	.shared_size = sizeof(uint32_t),
};

/* Set the mode that an event selects. For a timeout the watchdog gets the value of "set bypass
 * timeout". */
static int
bypass_event(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	const uint16_t id = arg_port(a);
	const uint32_t event = (uint32_t)arg_u64(a, "what", 0);
	__typeof__(&rte_pmd_ixgbe_bypass_wd_timeout_store) timeout_set;
	__typeof__(&rte_pmd_ixgbe_bypass_event_store) event_set;
	uint32_t now;

	if (mode_get(ps, id, &now, e) != 0)
		return -e->code;
	timeout_set =
		PORT_DRIVER_FIND(ps, id, &bypass_op, rte_pmd_ixgbe_bypass_wd_timeout_store, e);
	event_set = PORT_DRIVER_FIND(ps, id, &bypass_op, rte_pmd_ixgbe_bypass_event_store, e);
	if (event_set == NULL || timeout_set == NULL)
		return -e->code;
	if (event + 1 == ARRAY_SIZE(events)) {
		const int ret = timeout_set(id, *bypass_timeout(ps));

		if (ret != 0)
			return err_set(e, abs(ret),
				"Failed to set timeout value %u for port %u, errto code: %d.",
				*bypass_timeout(ps), id, ret);
	}
	if (event_set(id, event, (uint32_t)arg_u64(a, "value", 0) + 1) != 0)
		return err_set(e, EIO, "Failed to set bypass event for port = %u.", id);
	return 0;
}

static int
bypass_timeout_set(struct app *app, const struct args *a, struct err *e)
{
	*bypass_timeout(&app->ports) = (uint32_t)arg_u64(a, "seconds", 0);
	return 0;
}

static const char *
mode_name(uint32_t mode)
{
	return mode < ARRAY_SIZE(modes) ? modes[mode] : modes[0];
}

/* Show bypass. JSON: {"port", "mode", "timeout", "events": [{"event", "mode"}]}. */
static int
bypass_show(struct ports *ps, uint16_t id, struct err *e)
{
	__typeof__(&rte_pmd_ixgbe_bypass_event_show) event_get;
	struct out *o = ps->out;
	uint32_t i, mode;

	if (mode_get(ps, id, &mode, e) != 0)
		return -e->code;
	event_get = PORT_DRIVER_FIND(ps, id, &bypass_op, rte_pmd_ixgbe_bypass_event_show, e);
	if (event_get == NULL)
		return -e->code;
	out_u64(o, "port", NULL, id);
	out_str(o, "mode", "\tbypass mode    = %s\n", mode_name(mode));
	out_str(o, "timeout", "\tbypass timeout = %s\n",
		timeouts[*bypass_timeout(ps) % ARRAY_SIZE(timeouts)]);
	out_nest(o, "events", OUT_ARRAY);
	for (i = 1; i < ARRAY_SIZE(events); i++) {
		if (event_get(id, i, &mode) != 0) {
			out_warn(o, "\tFailed to get bypass mode for event = %s\n", events[i]);
			continue;
		}
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "event", "\tbypass event: %-16s", events[i]);
		out_str(o, "mode", " = %s\n", mode_name(mode));
		out_unnest(o);
	}
	out_unnest(o);
	return 0;
}

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
		"turn MACsec off; the port must be stopped", NULL, ARG_ON_PORT(macsec_off) },
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
	{ "set bypass timeout <seconds:word 0|1.5|2|3|4|8|16|32>", bypass_timeout_set,
		"set the watchdog timeout in seconds (0: off) for the next \"set bypass event timeout\"",
		"set bypass timeout 1.5", NULL },
	{ "show bypass config " PORT, arg_on_port, "show the bypass modes of a card", NULL,
		ARG_ON_PORT(bypass_show), .shows = true },
};

const struct cmd_table cmds_ixgbe = { "drivers", "single drivers", rows, ARRAY_SIZE(rows),
	CMD_DRIVERS };
