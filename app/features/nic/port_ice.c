/* Functions of net_ice and net_iavf beyond ethdev (dumps, LLDP, reset of a VF), and their commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "features/device/port_file.h"
#include "port/port.h"
#include "port/port_driver.h"

#include <rte_errno.h>
#include <rte_mbuf_dyn.h>
#include <rte_version.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sources: ice_ethdev.h of DPDK 22.11 and 24.11, which is not public; rte_pmd_iavf.h of 26.07. */
int rte_pmd_ice_dump_package(uint16_t port, uint8_t **data, uint32_t *n);
int rte_pmd_ice_dump_switch(uint16_t port, uint8_t **data, uint32_t *n);
int rte_pmd_ice_dump_txsched(uint16_t port, bool detail, FILE *file);
int rte_pmd_iavf_reinit(uint16_t port);

#define PROFILE_BYTES 0xc9000u
#define SWITCH_BYTES (4u << 20)

/*
 * Write a port's active DDP package, or only its switch part, to a file. Errors of all functions:
 * -ENODEV; -ENOTSUP another driver's port, or not supported; errors of the file; the driver's
 * error. Thread: control, for all of this file.
 */
static int
profile_dump(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op package = { "net_ice", "Invalid buffer size",
		.lacks = "Device doesn't support dump DDP runtime configure." };
	static const struct port_driver_op part = { "net_ice", "Invalid buffer size",
		.lacks = "Device doesn't support dump DDP switch runtime configure." };
	const bool switch_only = a->data != NULL;
	const struct port_driver_op *op = switch_only ? &part : &package;
	const uint16_t id = arg_port(a);
	uint32_t n = switch_only ? SWITCH_BYTES : PROFILE_BYTES;
	__typeof__(&rte_pmd_ice_dump_package) dump = switch_only
		? PORT_DRIVER_FIND(&app->ports, id, op, rte_pmd_ice_dump_switch, e)
		: PORT_DRIVER_FIND(&app->ports, id, op, rte_pmd_ice_dump_package, e);
	uint8_t *data;
	int ret;

	if (dump == NULL)
		return -e->code;
	data = calloc(1, n);
	if (data == NULL)
		return err_set(e, ENOMEM, "no memory for %u bytes", n);
	ret = port_driver_result(&app->ports, id, op, NULL, dump(id, &data, &n), e);
	if (ret == 0)
		ret = port_file_write(arg_str(a, "file", ""), data, n, e);
	free(data);
	return ret;
}

/* Write a port's Tx scheduling configuration to a file (DPDK 24.03). */
static int
schedule_dump(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op op = { "net_ice",
		.always = "Failed to dump Tx scheduling runtime configure: %s" };
	const uint16_t id = arg_port(a);
	__typeof__(&rte_pmd_ice_dump_txsched) dump =
		PORT_DRIVER_FIND(&app->ports, id, &op, rte_pmd_ice_dump_txsched, e);
	char *text = NULL;
	size_t n = 0;
	FILE *f;
	int ret;

	if (dump == NULL)
		return -e->code;
	f = open_memstream(&text, &n);
	if (f == NULL)
		return err_set(e, errno, "no memory for the dump");
	ret = port_driver_result(&app->ports, id, &op, NULL,
		dump(id, arg_is(a, "how", "detail"), f), e);
	fclose(f);
	if (ret == 0)
		ret = port_file_write(arg_str(a, "file", ""), text, n, e);
	free(text);
	return ret;
}

/* Ask the PF to reset a port of net_iavf; its configuration is restored (DPDK 26.07). */
static int
vf_reinit(struct ports *ps, uint16_t id, struct err *e)
{
	static const struct port_driver_op op = { "net_iavf",
		.always = "Request to reinit VF failed: %s" };
	int ret = PORT_DRIVER_CALL(ps, id, &op, NULL, e, rte_pmd_iavf_reinit);

	if (ret != 0)
		return ret;
	out_say(ps->out, "VF reinit requested for port %u\n", id);
	return 0;
}

/*
 * Register the dynamic mbuf field that marks LLDP frames, which net_iavf looks up when a port
 * starts, and print its offset. "off" does nothing, as in testpmd: a field cannot be released.
 * Errors: -ENOSYS before DPDK 24.03; those of rte_mbuf_dynfield_register().
 */
static int
lldp(struct app *app, const struct args *a, struct err *e)
{
	static const struct rte_mbuf_dynfield field = {
		.name = "intel_pmd_dynfield_tx_lldp", /* iavf_rxtx.h of DPDK 24.03 */
		.size = sizeof(uint8_t),
		.align = sizeof(uint8_t),
	};
	int at;

	if (!arg_on(a))
		return 0;
	if (!COMPAT_TX_LLDP)
		return err_set(e, ENOSYS, "set tx lldp: needs DPDK 24.03, this is %s",
			rte_version());
	at = rte_mbuf_dynfield_register(&field);
	if (at < 0)
		return err_set(e, rte_errno,
			"cannot reserve the mbuf field that marks LLDP frames: %s",
			strerror(rte_errno));
	out_say(app->out, "rte_pmd_iavf_tx_lldp_dynfield_offset: %d\n", at);
	return 0;
}

static const bool only_switch = true;

#define PORT "<port:port>"

static const struct cmd_row rows[] = {
	{ "ddp dump " PORT " <file:file>", profile_dump,
		"write a card's active DDP package to a file (net_ice)", NULL, NULL },
	{ "ddp dump switch " PORT " <file:file>", profile_dump,
		"write a card's switch configuration to a file (net_ice)", NULL, &only_switch },
	{ "txsched dump " PORT " <how:word brief|detail> <file:file>", schedule_dump,
		"write a card's Tx scheduling configuration to a file (net_ice, needs DPDK 24.03)",
		NULL, NULL },
	{ "set tx lldp <state:word on|off>", lldp,
		"reserve the mbuf field that marks LLDP frames; net_iavf reads it when its ports start (needs DPDK 24.03)",
		NULL, NULL },
	{ "port reinit " PORT, arg_on_port,
		"ask the PF to reset a VF's port (net_iavf, needs DPDK 26.07)", NULL,
		ARG_ON_PORT(vf_reinit) },
};

const struct cmd_table cmds_ice = { "drivers", "single drivers", rows, ARRAY_SIZE(rows),
	CMD_DRIVERS };
