/* The device behind a port: LED, loopback, speed lanes, EEPROM, representors, metadata and flags of sent packets, and their commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/device/port_device.h"

#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/text.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "features/offload/port_mac.h"
#include "features/offload/port_ptypes.h"
#include "features/offload/port_vlan.h"
#include "port/port.h"
#include "port/port_feature.h"
#include "port/port_info.h"
#include "port/port_setup.h"
#include "port/port_stats.h"

#include <rte_dev_info.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_hexdump.h>
#include <rte_malloc.h>
#include <rte_mbuf_dyn.h>

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEEDS_MAX 32

extern const struct port_feature port_feature_tx_mark;

int
port_link_led(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	int ret;

	if (port_at(ps, id) == NULL)
		return port_invalid(ps, "Error: Invalid port number", id, e);
	ret = arg_on(a) ? rte_eth_led_on(id) : rte_eth_led_off(id);
	return ret >= 0 ? 0
			: err_set(e, -ret, "Error: Unable to change LED state for port %u: %s", id,
				  strerror(-ret));
}

/* The ports that a command names; all must be prepared and stopped. */
static int
stopped(struct ports *ps, uint16_t id, uint16_t *ids, unsigned int *n, struct err *e)
{
	unsigned int i;
	int ret = port_named(ps, id, ids, n, e);

	if (ret != 0)
		return ret;
	if (id == PORT_ALL && port_check_all_stopped(ps, e) != 0)
		return -e->code;
	for (i = 0; i < *n; i++)
		if (port_setup_stopped(ps, ids[i], e) == NULL)
			return -e->code;
	return 0;
}

int
port_link_loopback(struct ports *ps, const struct args *a, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n;
	int ret = stopped(ps, arg_port(a), ids, &n, e);

	for (i = 0; ret == 0 && i < n; i++) {
		struct port *p = port_at(ps, ids[i]);

		p->conf.lpbk_mode = (uint32_t)arg_u64(a, "mode", 0);
		p->configured = false;
	}
	return ret;
}

static int
lanes_failed(const struct port *p, int ret, const char *what, struct err *e)
{
	if (ret == -ENOSYS)
		return err_set(e, ENOSYS, "speed lanes: needs DPDK 24.11, this is %s",
			rte_version());
	if (ret == -ENOTSUP)
		return err_set(e, ENOTSUP, "Function not implemented");
	return err_set(e, -ret, "%s speed lanes failed: port %u (driver %s): %s", what, p->id,
		p->info.driver_name, strerror(-ret));
}

/*
 * Set the number of lanes of the link. id: a port or PORT_ALL, stopped. Errors: -ENODEV; -EBUSY;
 * -ENOSYS before DPDK 24.11; the driver's error.
 */
static int
port_link_lanes(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t lanes = (uint32_t)arg_u64(a, "n", 0);
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n;
	int ret = stopped(ps, id, ids, &n, e);

	for (i = 0; ret == 0 && i < n; i++) {
		struct port *p = port_at(ps, ids[i]);
		int set_ret = compat_speed_lanes_set(p->id, lanes);

		if (set_ret < 0)
			ret = lanes_failed(p, set_ret, "Set", e);
		else
			p->configured = false;
	}
	return ret;
}

/* Show one speed and its possible lane counts, the numbers of the set bits. */
static void
lanes_show(struct out *o, const struct compat_speed_lanes *speed)
{
	unsigned int bit;

	out_nest(o, NULL, OUT_OBJECT);
	port_info_speed(o, "%-17s ", speed->speed);
	out_nest(o, "lanes", OUT_ARRAY);
	for (bit = 0; bit < 32; bit++)
		if ((speed->lanes & RTE_BIT32(bit)) != 0)
			out_u64(o, "", "%-2" PRIu64 " ", bit);
	out_unnest(o);
	out_unnest(o);
	out_text(o, "\n");
}

/*
 * Show the possible lane counts by link speed. JSON: {"port", "speeds": [{"link_mbps",
 * "lanes": [...]}]}. Errors: -ENODEV; -ENOSYS before DPDK 24.11; the driver's error.
 */
static int
port_link_lanes_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	const struct port *p = port_find(ps, id, e);
	struct compat_speed_lanes speeds[SPEEDS_MAX];
	int i, n;

	if (p == NULL)
		return -ENODEV;
	n = compat_speed_lanes_get(id, speeds, SPEEDS_MAX);
	if (n < 0)
		return lanes_failed(p, n, "Get", e);
	out_u64(ps->out, "port", NULL, id);
	out_text(ps->out, "\n%-15s %-10s", "Supported-speeds", "Valid-lanes");
	out_text(ps->out, "\n-----------------------------------\n");
	out_nest(ps->out, "speeds", OUT_ARRAY);
	for (i = 0; i < RTE_MIN(n, SPEEDS_MAX); i++)
		lanes_show(ps->out, &speeds[i]);
	out_unnest(ps->out);
	return 0;
}

/* Show and write the EEPROM of a port, and show that of its plug-in module. */

/* Report the driver's error in testpmd's words. */
static int
refused(const char *what, int ret, struct err *e)
{
	if (ret == -ENOTSUP)
		return err_set(e, ENOTSUP, "operation not supported by device");
	if (ret == -EIO)
		return err_set(e, EIO, "device is removed");
	return err_set(e, abs(ret), "Unable to get %s: %d", what, ret);
}

static void
hex_show(struct out *o, const uint8_t *bytes, size_t n)
{
	char *hex = malloc(2 * n + 1);
	size_t i;

	if (hex == NULL)
		return;
	hex[0] = '\0';
	for (i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02X", bytes[i]);
	out_str(o, "eeprom", NULL, hex);
	free(hex);
}

static int
bytes_show(struct out *o, uint16_t id, const char *title, const struct rte_dev_eeprom_info *info,
	struct err *e)
{
	char *text = NULL;
	size_t chars;
	FILE *file = open_memstream(&text, &chars);

	if (file == NULL)
		return err_set(e, ENOMEM, "no memory for %u bytes as text", info->length);
	rte_hexdump(file, "hexdump", info->data, info->length);
	fclose(file);
	out_text(o, "%s", text);
	free(text);
	out_u64(o, "port", NULL, id);
	out_u64(o, "length", NULL, info->length);
	hex_show(o, info->data, info->length);
	out_text(o, "Finish -- Port: %u %s length: %u bytes\n", id, title, info->length);
	return 0;
}

/* The number of bytes. */
static int
length_get(uint16_t id, bool module, uint32_t *length, struct err *e)
{
	struct rte_eth_dev_module_info info = { 0 };
	int ret = module ? rte_eth_dev_get_module_info(id, &info)
			 : rte_eth_dev_get_eeprom_length(id);

	if (ret < 0)
		return refused(module ? "module EEPROM" : "EEPROM", ret, e);
	*length = module ? info.eeprom_len : (uint32_t)ret;
	return 0;
}

int
port_eeprom_show(struct ports *ps, const struct args *a, struct err *e)
{
	const bool module = arg_is(a, "what", "module_eeprom");
	const uint16_t id = arg_port(a);
	const char *title = module ? "MODULE EEPROM" : "EEPROM";
	struct rte_dev_eeprom_info info = { 0 };
	int ret;

	if (port_at(ps, id) == NULL)
		return port_missing(ps, id, e);
	ret = length_get(id, module, &info.length, e);
	if (ret != 0)
		return ret;
	info.data = calloc(1, (size_t)info.length + 1);
	if (info.data == NULL)
		return err_set(e, ENOMEM, "Allocation of port %u eeprom data failed", id);
	ret = module ? rte_eth_dev_get_module_eeprom(id, &info) : rte_eth_dev_get_eeprom(id, &info);
	if (ret != 0)
		ret = refused(module ? "module EEPROM" : "EEPROM", ret, e);
	else
		ret = bytes_show(ps->out, id, title, &info, e);
	free(info.data);
	return ret;
}

/* Parse two digits per byte into a buffer that the caller frees; NULL with e filled. */
static uint8_t *
hex_parse(const char *hex, uint32_t *n, struct err *e)
{
	const size_t digits = strlen(hex);
	uint8_t *bytes = calloc(1, digits / 2 + 1);

	if (bytes == NULL) {
		err_set(e, ENOMEM, "no memory for %zu bytes", digits / 2);
		return NULL;
	}
	if (text_hex(hex, bytes, digits / 2) != digits || digits % 2 != 0) {
		err_set(e, EINVAL,
			"Bad Argument: %s: expected hexadecimal digits, two per byte, such as 0aff",
			hex);
		free(bytes);
		return NULL;
	}
	*n = (uint32_t)(digits / 2);
	return bytes;
}

static int
bytes_write(uint16_t id, struct rte_dev_eeprom_info *info, struct err *e)
{
	int ret = rte_eth_dev_get_eeprom_length(id);

	if (ret < 0)
		return err_set(e, -ret, "Unable to get EEPROM length: %s", strerror(-ret));
	if ((uint64_t)info->offset + info->length > (uint64_t)ret)
		return err_set(e, ERANGE,
			"offset and length exceed capabilities of EEPROM length: %d", ret);
	ret = rte_eth_dev_set_eeprom(id, info);
	return ret == 0 ? 0 : err_set(e, abs(ret), "Unable to set EEPROM: %s", strerror(abs(ret)));
}

int
port_eeprom_set(struct ports *ps, const struct args *a, struct err *e)
{
	struct rte_dev_eeprom_info info = { .magic = (uint32_t)arg_u64(a, "magic", 0),
		.offset = (uint32_t)arg_u64(a, "offset", 0) };
	const uint16_t id = arg_port(a);
	int ret;

	if (port_at(ps, id) == NULL)
		return port_missing(ps, id, e);
	info.data = hex_parse(arg_str(a, "value", ""), &info.length, e);
	if (info.data == NULL)
		return -e->code;
	ret = bytes_write(id, &info, e);
	free(info.data);
	return ret;
}

/* Metadata (matched by flow rules) and dynamic mbuf flags of each transmitted packet. */

/* The marks of a port's transmitted packets; written by the control thread, read by workers. */
struct mark {
	_Atomic uint32_t metadata;                               /* 0: none */
	_Atomic uint64_t flags;                                  /* mbuf flags to set */
	const struct rte_eth_rxtx_callback *on[PORT_QUEUES_MAX]; /* by Tx queue; NULL: none */
};

static struct mark *
mark_of(const struct port *p)
{
	return port_feature_state(p, &port_feature_tx_mark);
}

/* Thread: worker. */
static uint16_t
on_tx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n, void *context)
{
	const struct mark *mark = context;
	const uint32_t metadata = atomic_load_explicit(&mark->metadata, memory_order_relaxed);
	const uint64_t flags = atomic_load_explicit(&mark->flags, memory_order_relaxed);
	uint16_t i;

	for (i = 0; i < n; i++) {
		pkts[i]->ol_flags |= flags;
		if (metadata == 0)
			continue;
		*RTE_FLOW_DYNF_METADATA(pkts[i]) = metadata;
		pkts[i]->ol_flags |= RTE_MBUF_DYNFLAG_TX_METADATA;
	}
	return n;
}

/* While forwarding a worker may still execute the callback, so its few bytes are not freed. */
static void
queue_drop(struct ports *ps, struct port *p, uint16_t queue)
{
	struct mark *mark = mark_of(p);
	const struct rte_eth_rxtx_callback *callback = mark->on[queue];

	if (callback == NULL || rte_eth_remove_tx_callback(p->id, queue, callback) != 0)
		return;
	if (!ps->forwarding)
		rte_free((void *)(uintptr_t)callback);
	mark->on[queue] = NULL;
}

/*
 * Install or remove the callbacks of all queues of the ethdev; before it is configured it has none.
 * Errors: ENOMEM; ENOTSUP DPDK was built without callbacks.
 */
static int
apply(struct ports *ps, struct port *p, struct err *e)
{
	struct mark *mark = mark_of(p);
	const bool some = mark->metadata != 0 || mark->flags != 0;
	uint16_t queue;

	for (queue = 0; queue < PORT_QUEUES_MAX; queue++) {
		if (!some) {
			queue_drop(ps, p, queue);
		} else if (queue < p->n_txq && mark->on[queue] == NULL) {
			mark->on[queue] = rte_eth_add_tx_callback(p->id, queue, on_tx, mark);
			if (mark->on[queue] == NULL)
				return err_set(e, rte_errno,
					"port %u: cannot install the Tx callback: %s", p->id,
					strerror(rte_errno));
		}
	}
	return 0;
}

int
port_tx_mark_metadata(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	struct port *p = port_find(ps, id, e);

	if (p == NULL)
		return -ENODEV;
	if (rte_flow_dynf_metadata_register() < 0)
		return err_set(e, rte_errno,
			"port %u: cannot reserve the mbuf field for metadata: %s", id,
			strerror(rte_errno));
	atomic_store(&mark_of(p)->metadata, (uint32_t)arg_u64(a, "value", 0));
	return apply(ps, p, e);
}

int
port_tx_mark_metadata_show(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_at(ps, id);

	if (p == NULL)
		return err_set(e, ENODEV, "invalid port id %u", id);
	out_u64(ps->out, "port", "Port %" PRIu64, id);
	out_u64(ps->out, "tx_metadata", " tx_metadata: %" PRIu64 "\n", mark_of(p)->metadata);
	return 0;
}

/* The bit of a flag, which is registered if necessary; negative with e filled. */
static int
flag_find(const char *name, struct err *e)
{
	struct rte_mbuf_dynflag flag = { .flags = 0 };
	int bit = rte_mbuf_dynflag_lookup(name, NULL);

	if (bit > 0)
		return bit;
	if (strlen(name) >= sizeof(flag.name))
		return err_set(e, ENAMETOOLONG,
			"Flag name too long: %s: expected at most %zu bytes", name,
			sizeof(flag.name) - 1);
	memcpy(flag.name, name, strlen(name) + 1);
	bit = rte_mbuf_dynflag_register(&flag);
	return bit >= 0
		? bit
		: err_set(e, rte_errno, "Can't register flag %s: %s", name, strerror(rte_errno));
}

int
port_tx_mark_flag(struct ports *ps, const struct args *a, struct err *e)
{
	struct port *p = port_find(ps, arg_port(a), e);
	int bit;

	if (p == NULL)
		return -ENODEV;
	bit = flag_find(arg_str(a, "flag", ""), e);
	if (bit < 0)
		return bit;
	if (arg_is(a, "what", "set"))
		atomic_fetch_or(&mark_of(p)->flags, RTE_BIT64(bit));
	else
		atomic_fetch_and(&mark_of(p)->flags, ~RTE_BIT64(bit));
	return apply(ps, p, e);
}

static void
closing(struct ports *ps, struct port *p)
{
	uint16_t queue;

	atomic_store(&mark_of(p)->metadata, 0);
	atomic_store(&mark_of(p)->flags, 0);
	for (queue = 0; queue < PORT_QUEUES_MAX; queue++)
		queue_drop(ps, p, queue);
}

/* Keeps callbacks on the Tx queues of marking ports, from the start of a run until they close. */
const struct port_feature port_feature_tx_mark = {
	.name = "tx_mark",
	.state_size = sizeof(struct mark),
	.run = apply,
	.at = { [PORT_CLOSING] = closing },
};

/* Representors: the ports that a driver can create for functions of a device. */

/* Show the type of function and its number, or the range of numbers. */
static void
function_show(struct out *o, const struct rte_eth_representor_range *range)
{
	const uint32_t more = range->id_end - range->id_base;
	const bool vf = range->type == RTE_ETH_REPRESENTOR_VF;

	switch (range->type) {
	case RTE_ETH_REPRESENTOR_NONE: out_text(o, ", NONE\n"); break;
	case RTE_ETH_REPRESENTOR_VF:
	case RTE_ETH_REPRESENTOR_SF:
		out_str(o, "type", ", %s ", vf ? "VF" : "SF");
		out_i64(o, "function", "%" PRId64, vf ? range->vf : range->sf);
		if (vf && more > 0)
			out_text(o, "..%u", range->vf + more);
		out_text(o, "\n");
		break;
	case RTE_ETH_REPRESENTOR_PF:
		out_str(o, "type", NULL, "PF");
		if (more > 0)
			out_text(o, "..%u", range->pf + more);
		out_text(o, "\n");
		break;
	default: out_text(o, ", UNKNOWN TYPE %d\n", range->type);
	}
}

static void
range_show(struct out *o, unsigned int i, const struct rte_eth_representor_range *range)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_text(o, "%u. ", i + 1);
	out_str(o, "name", "'%s' ", range->name);
	out_u64(o, "first", "[%" PRIu64, range->id_base);
	if (range->id_end > range->id_base)
		out_text(o, "-%u", range->id_end);
	out_u64(o, "last", NULL, range->id_end);
	out_i64(o, "controller", "]: Controller %" PRId64, range->controller);
	out_i64(o, "pf", ", PF %" PRId64, range->pf);
	function_show(o, range);
	out_unnest(o);
}

static void
info_show(struct out *o, uint16_t id, const struct rte_eth_representor_info *info)
{
	unsigned int i;

	out_u64(o, "port", NULL, id);
	out_u64(o, "controller", "Port controller: %" PRIu64 "\n", info->controller);
	out_u64(o, "pf", "Port PF: %" PRIu64 "\n", info->pf);
	out_u64(o, NULL, "Ranges: %" PRIu64 "\n", info->nb_ranges);
	out_nest(o, "ranges", OUT_ARRAY);
	for (i = 0; i < info->nb_ranges; i++)
		range_show(o, i, &info->ranges[i]);
	out_unnest(o);
}

int
port_representor_show(struct ports *ps, uint16_t id, struct err *e)
{
	struct rte_eth_representor_info *info;
	int n, ret;

	if (port_at(ps, id) == NULL)
		return port_invalid(ps, "Invalid port id", id, e);
	n = rte_eth_representor_info_get(id, NULL);
	if (n < 0)
		return err_set(e, -n,
			"Failed to get the number of representor info ranges for port %u: %s", id,
			strerror(-n));
	info = calloc(1, sizeof(*info) + (size_t)n * sizeof(info->ranges[0]));
	if (info == NULL)
		return err_set(e, ENOMEM,
			"Failed to allocate memory for representor info for port %u", id);
	info->nb_ranges_alloc = (uint32_t)n;
	ret = rte_eth_representor_info_get(id, info);
	if (ret < 0)
		ret = err_set(e, -ret, "Failed to get the representor info for port %u: %s", id,
			strerror(-ret));
	else
		info_show(ps->out, id, info);
	free(info);
	return RTE_MIN(ret, 0);
}

/* Commands for the device behind a port: EEPROM, LED, forward error correction, speed lanes, packet
 * types, unicast hash filter, representors, metadata and flags of transmitted packets. */

static const struct cmd_row rows[] = {
	{ "show port <port:port> <what:word eeprom|module_eeprom>", arg_on_ports,
		"show the EEPROM of the card or of its plug-in module in hexadecimal", NULL,
		ARG_ON_PORTS(port_eeprom_show), .shows = true },
	{ "set port <port:port> eeprom accept_risk magic <magic:uint 0..4294967295> value <value:str> "
	  "[offset <offset:uint 0..4294967295>]",
		arg_on_ports,
		"write bytes, two hexadecimal digits each, to a card's EEPROM; this can damage the card",
		NULL, ARG_ON_PORTS(port_eeprom_set) },
	{ "show port info <port:port> representor", arg_on_port,
		"show the representor ports that the device supports", NULL,
		ARG_ON_PORT(port_representor_show), .shows = true },
	{ "set port <port:port> led <state:word on|off>", arg_on_ports,
		"switch the port's identification LED on or off", NULL,
		ARG_ON_PORTS(port_link_led) },
	{ "port config <port:ports> loopback <mode:uint 0..4294967295>", arg_on_ports,
		"set the device's loopback mode by its driver's number (0: off); the ports must be stopped",
		NULL, ARG_ON_PORTS(port_link_loopback) },
	{ "port config <port:ports> speed_lanes <n:uint 0..4294967295>", port_link_lanes,
		"set the number of lanes of the link; the ports must be stopped", NULL, NULL },
	{ "show port <port:port> speed_lanes capabilities", port_link_lanes_show,
		"show the supported numbers of lanes by link speed", NULL, NULL, .shows = true },
	{ "set port <port:port> ptype_mask <mask:uint 0..4294967295>", arg_on_ports,
		"set the layers whose packet types the hardware reports (RTE_PTYPE_*_MASK, 0: none)",
		NULL, ARG_ON_PORTS(port_ptypes_set) },
	{ "mcast_addr flush <port:port>", arg_on_port, "remove all multicast addresses of a port",
		NULL, ARG_ON_PORT(port_mac_multicast_flush) },
	{ "set port <port:port> uta <mac:mac> <state:word on|off>", arg_on_ports,
		"add an address to the port's unicast hash filter, or remove it", NULL,
		ARG_ON_PORTS(port_mac_hash) },
	{ "set port <port:port> uta all <state:word on|off>", arg_on_ports,
		"let all unicast addresses pass the port's hash filter, or none", NULL,
		ARG_ON_PORTS(port_mac_hash) },
	{ "vlan set <which:word inner|outer> tpid <tpid:uint 0..65535> <port:port>", arg_on_ports,
		"set the EtherType of VLAN tags; the port may be running", NULL,
		ARG_ON_PORTS(port_vlan_tpid) },
	{ "tx_vlan set pvid <port:port> <vlan:uint 0..65535> <state:word on|off>", arg_on_ports,
		"insert a VLAN tag into all transmitted packets; the port may be running", NULL,
		ARG_ON_PORTS(port_vlan_pvid) },
	{ "port config <port:port> tx_metadata <value:uint 0..4294967295>", arg_on_ports,
		"set the metadata of each transmitted packet, matched by the flow item meta (0: none)",
		"port config 0 tx_metadata 0", ARG_ON_PORTS(port_tx_mark_metadata) },
	{ "show port <port:port> tx_metadata", arg_on_port,
		"show the metadata that \"port config tx_metadata\" set", "show port 0 tx_metadata",
		ARG_ON_PORT(port_tx_mark_metadata_show), .shows = true },
	{ "port config <port:port> dynf <flag:str> <what:word set|clear>", arg_on_ports,
		"set or clear a dynamic mbuf flag, by name, in each transmitted packet",
		"port config 0 dynf example_flag clear", ARG_ON_PORTS(port_tx_mark_flag) },
	{ "port <port:port> <what:word enable|disable> <counter:str>", arg_on_ports,
		"enable or disable an extended statistic of the device", NULL,
		ARG_ON_PORTS(port_xstats_switch) },
};

const struct cmd_table cmds_port_device = { "ports", "the device behind a port", rows,
	ARRAY_SIZE(rows), CMD_OFFLOADS };
