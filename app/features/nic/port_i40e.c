/* Functions of net_i40e beyond ethdev (queue regions, packet types, input sets, flow director by template), and their commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "features/device/port_file.h"
#include "features/nic/port_ddp.h"
#include "features/offload/port_rss.h"
#include "port/port.h"
#include "port/port_driver.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With testpmd's default messages. */
static const struct port_driver_op plain = { "net_i40e" };

#define REGION(what) \
	{ \
		"net_i40e", .lacks = "function not implemented or supported", \
			    .always = what " error: (%s)" \
	}

/*
 * Configure queue regions, within which RSS spreads packets. Errors of all functions: -ENODEV;
 * -ENOTSUP another driver's port; the driver's error. Thread: control, for all of this file.
 */
static int
region_conf(struct app *app, const struct args *a, const struct port_driver_op *op,
	enum rte_pmd_i40e_queue_region_op what, void *conf, struct err *e)
{
	const uint16_t id = arg_port(a);

	return PORT_DRIVER_CALL(&app->ports, id, op, NULL, e, rte_pmd_i40e_rss_queue_region_conf,
		what, conf);
}

static int
region_queues(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op op = REGION("queue region config");
	struct rte_pmd_i40e_queue_region_conf conf = {
		.region_id = (uint8_t)arg_u64(a, "region", 0),
		.queue_start_index = (uint8_t)arg_u64(a, "first", 0),
		.queue_num = (uint8_t)arg_u64(a, "n", 0),
	};

	return region_conf(app, a, &op, RTE_PMD_I40E_RSS_QUEUE_REGION_SET, &conf, e);
}

static int
region_flowtype(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op op = REGION("region flowtype config");
	struct rte_pmd_i40e_queue_region_conf conf = {
		.region_id = (uint8_t)arg_u64(a, "region", 0),
		.hw_flowtype = (uint8_t)arg_u64(a, "type", 0),
	};

	return region_conf(app, a, &op, RTE_PMD_I40E_RSS_QUEUE_REGION_FLOWTYPE_SET, &conf, e);
}

static int
region_priority(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op op = REGION("user_priority region config");
	struct rte_pmd_i40e_queue_region_conf conf = {
		.user_priority = (uint8_t)arg_u64(a, "priority", 0),
		.region_id = (uint8_t)arg_u64(a, "region", 0),
	};

	return region_conf(app, a, &op, RTE_PMD_I40E_RSS_QUEUE_REGION_USER_PRIORITY_SET, &conf, e);
}

static int
region_flush(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op op = REGION("queue region config flush");
	struct rte_pmd_i40e_queue_region_conf conf = { 0 };

	return region_conf(app, a, &op,
		arg_is(a, "on", "on") ? RTE_PMD_I40E_RSS_QUEUE_REGION_ALL_FLUSH_ON
				      : RTE_PMD_I40E_RSS_QUEUE_REGION_ALL_FLUSH_OFF,
		&conf, e);
}

static void
bytes_show(struct out *o, const char *key, const uint8_t *numbers, unsigned int n)
{
	out_nest(o, key, OUT_ARRAY);
	for (unsigned int i = 0; i < n; i++)
		out_u64(o, "", " %-14" PRIu64 " ", numbers[i]);
	out_unnest(o);
}

static void
region_show(struct out *o, const struct rte_pmd_i40e_queue_region_info *r)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "region", "\n\tregion_id: %-14" PRIu64, r->region_id);
	out_u64(o, "queues", " queue_number: %-14" PRIu64, r->queue_num);
	out_u64(o, "first_queue", " queue_start_index: %-14" PRIu64 "\n", r->queue_start_index);
	out_text(o, "  user_priority_num is\t%-14u :", r->user_priority_num);
	bytes_show(o, "priorities", r->user_priority, r->user_priority_num);
	out_text(o, "\n\tflowtype_num is  %-14u :", r->flowtype_num);
	bytes_show(o, "flowtypes", r->hw_flowtype, r->flowtype_num);
	out_unnest(o);
}

/* Show the regions. JSON: {"port", "regions": [{"region", "queues", "first_queue", "priorities",
 * "flowtypes"}]}. */
static int
port_i40e_regions_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	static const struct port_driver_op op = REGION("queue region config info show");
	static const char border[] = "-------";
	struct rte_pmd_i40e_queue_regions all = { 0 };
	struct out *o = ps->out;
	int ret = region_conf(app, a, &op, RTE_PMD_I40E_RSS_QUEUE_REGION_INFO_GET, &all, e);

	if (ret != 0)
		return ret;
	if (all.queue_region_number == 0)
		out_text(o, "there is no region has been set before");
	out_text(o, "\n\t%s All queue region info for port=%2u %s", border, id, border);
	out_text(o, "\n\tqueue_region_number: %-14u\n", all.queue_region_number);
	out_u64(o, "port", NULL, id);
	out_nest(o, "regions", OUT_ARRAY);
	for (unsigned int i = 0; i < all.queue_region_number; i++)
		region_show(o, &all.region[i]);
	out_unnest(o);
	out_text(o, "\n\n");
	return 0;
}

/* Read the packet classification types of all flow types. */
static int
pctypes_read(struct ports *ps, uint16_t id, struct rte_pmd_i40e_flow_type_mapping *all,
	struct err *e)
{
	memset(all, 0, RTE_PMD_I40E_FLOW_TYPE_MAX * sizeof(*all));
	return PORT_DRIVER_CALL(ps, id, &plain, NULL, e, rte_pmd_i40e_flow_type_mapping_get, all);
}

/* Show the packet classification types (pctypes) by flow type.
 * JSON: {"mappings": [{"pctypes": [], "flowtype"}]}. */
static int
port_i40e_pctypes_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	struct rte_pmd_i40e_flow_type_mapping all[RTE_PMD_I40E_FLOW_TYPE_MAX];
	struct out *o = ps->out;

	if (pctypes_read(ps, id, all, e) != 0)
		return -e->code;
	out_nest(o, "mappings", OUT_ARRAY);
	for (unsigned int i = 0; i < RTE_PMD_I40E_FLOW_TYPE_MAX; i++) {
		const char *comma = "";

		if (all[i].pctype == 0)
			continue;
		out_nest(o, NULL, OUT_OBJECT);
		out_text(o, "pctype: ");
		out_nest(o, "pctypes", OUT_ARRAY);
		for (unsigned int bit = 0; bit < RTE_PMD_I40E_PCTYPE_MAX; bit++) {
			if ((all[i].pctype & RTE_BIT64(bit)) == 0)
				continue;
			out_text(o, "%s", comma);
			out_u64(o, "", "%02" PRIu64, bit);
			comma = ",";
		}
		out_unnest(o);
		out_u64(o, "flowtype", "  ->  flowtype: %02" PRIu64 "\n", all[i].flow_type);
		out_unnest(o);
	}
	out_unnest(o);
	return 0;
}

static int
port_i40e_pctypes_reset(struct ports *ps, uint16_t id, struct err *e)
{
	return PORT_DRIVER_CALL(ps, id, &plain, NULL, e, rte_pmd_i40e_flow_type_mapping_reset);
}

/* Map pctypes to a flow type. Further error: -ERANGE. */
static int
port_i40e_pctypes_set(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op op = { "net_i40e", "invalid pctype or flow type" };
	const struct arg *types = arg_find(a, "types");
	const uint16_t id = arg_port(a);
	struct rte_pmd_i40e_flow_type_mapping mapping = {
		.flow_type = (uint16_t)arg_u64(a, "flowtype", 0),
	};
	__typeof__(&rte_pmd_i40e_flow_type_mapping_update) update =
		PORT_DRIVER_FIND(&app->ports, id, &op, rte_pmd_i40e_flow_type_mapping_update, e);

	if (update == NULL)
		return -e->code;
	for (unsigned int i = 0; i < types->list_n; i++) {
		if (types->list[i] >= RTE_PMD_I40E_PCTYPE_MAX)
			return err_set(e, ERANGE, "pctype %u: expected 0..%u", types->list[i],
				RTE_PMD_I40E_PCTYPE_MAX - 1);
		mapping.pctype |= RTE_BIT64(types->list[i]);
	}
	return port_driver_result(&app->ports, id, &op, NULL, update(id, &mapping, 1, 0), e);
}

/*
 * Show the packet type of each hardware type, or reset them to the driver's defaults. valid: show
 * only mapped ones. JSON: {"mappings": [{"hardware", "software"}]}.
 */
static int
port_i40e_ptypes_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	bool valid = arg_u64(a, "valid", 0) != 0;
	struct rte_pmd_i40e_ptype_mapping all[256];
	uint16_t n = 0;
	int ret = PORT_DRIVER_CALL(ps, id, &plain, NULL, e, rte_pmd_i40e_ptype_mapping_get, all,
		ARRAY_SIZE(all), &n, valid);

	if (ret != 0)
		return ret;
	out_nest(ps->out, "mappings", OUT_ARRAY);
	for (unsigned int i = 0; i < n; i++) {
		out_nest(ps->out, NULL, OUT_OBJECT);
		out_u64(ps->out, "hardware", "%3" PRIu64 "\t", all[i].hw_ptype);
		out_u64(ps->out, "software", "0x%08" PRIx64 "\n", all[i].sw_ptype);
		out_unnest(ps->out);
	}
	out_unnest(ps->out);
	return 0;
}

static int
port_i40e_ptypes_reset(struct ports *ps, uint16_t id, struct err *e)
{
	return PORT_DRIVER_CALL(ps, id, &plain, NULL, e, rte_pmd_i40e_ptype_mapping_reset);
}

static int
port_i40e_ptypes_set(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint16_t hardware = (uint16_t)arg_u64(a, "hardware", 0);
	uint32_t software = (uint32_t)arg_u64(a, "software", 0);
	static const struct port_driver_op op = { "net_i40e", "invalid ptype 0x%8x" };
	struct rte_pmd_i40e_ptype_mapping mapping = { hardware, software };
	const uint64_t n[3] = { software };

	return PORT_DRIVER_CALL(ps, id, &op, n, e, rte_pmd_i40e_ptype_mapping_update, &mapping, 1,
		0);
}

/* Replace the packet type target, or with mask all types that contain its bits. */
static int
port_i40e_ptypes_replace(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t target = (uint32_t)arg_u64(a, "target", 0);
	bool mask = arg_u64(a, "mask", 0) != 0;
	uint32_t with = (uint32_t)arg_u64(a, "with", 0);
	static const struct port_driver_op op = { "net_i40e",
		"invalid ptype 0x%8x, mask %u or 0x%8x" };
	const uint64_t n[3] = { target, mask, with };

	return PORT_DRIVER_CALL(ps, id, &op, n, e, rte_pmd_i40e_ptype_mapping_replace, target, mask,
		with);
}

/* In the order of the command's words. */
static const enum rte_pmd_i40e_inset_type inset_types[] = { INSET_HASH, INSET_FDIR,
	INSET_FDIR_FLX };

static int
inset_set(struct ports *ps, uint16_t id, const struct args *a, struct rte_pmd_i40e_inset *inset,
	const char *failed, struct err *e)
{
	const struct port_driver_op op = { "net_i40e", .always = failed };

	return PORT_DRIVER_CALL(ps, id, &op, NULL, e, rte_pmd_i40e_inset_set,
		(uint8_t)arg_u64(a, "type", 0), inset, inset_types[arg_u64(a, "kind", 0)]);
}

/*
 * Get, set or clear a field, 0..63, of the input set of RSS or flow director for a pctype. JSON of
 * get: {"field", "enabled"}. Further error: -EBUSY a port is started.
 */
static int
port_i40e_inset(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op get_op = { "net_i40e",
		.always = "Failed to get input set." };
	struct ports *ps = &app->ports;
	const uint16_t id = arg_port(a);
	const uint8_t field = (uint8_t)arg_u64(a, "number", 0);
	struct rte_pmd_i40e_inset inset = { 0 };
	int ret = port_check_all_stopped(ps, e);

	if (ret == 0)
		ret = PORT_DRIVER_CALL(ps, id, &get_op, NULL, e, rte_pmd_i40e_inset_get,
			(uint8_t)arg_u64(a, "type", 0), &inset, inset_types[arg_u64(a, "kind", 0)]);
	if (ret != 0)
		return ret;
	if (arg_is(a, "what", "get")) {
		out_u64(ps->out, "field", "Field index %" PRIu64, field);
		out_bool(ps->out, "enabled", " is %s.\n",
			rte_pmd_i40e_inset_field_get(inset.inset, field) != 0, "enabled",
			"disabled");
		return 0;
	}
	ret = arg_is(a, "what", "set") ? rte_pmd_i40e_inset_field_set(&inset.inset, field)
				       : rte_pmd_i40e_inset_field_clear(&inset.inset, field);
	if (ret != 0)
		return err_set(e, ERANGE, "Failed to configure input set field.");
	return inset_set(ps, id, a, &inset, "Failed to set input set.", e);
}

/* Clear all fields of the input set. */
static int
port_i40e_inset_none(struct app *app, const struct args *a, struct err *e)
{
	struct rte_pmd_i40e_inset inset = { 0 };

	if (port_check_all_stopped(&app->ports, e) != 0)
		return -e->code;
	return inset_set(&app->ports, arg_port(a), a, &inset, "Failed to clear input set.", e);
}

/* Parse a flow type: a number, "raw", or the name of a single RSS type. */
static int
flow_type(const char *name, unsigned int *type, struct err *e)
{
	uint64_t bits = 0;
	char *end;
	const unsigned long n = strtoul(name, &end, 10);

	if (*name >= '0' && *name <= '9' && *end == '\0' && n > 0 && n < 64)
		*type = (unsigned int)n;
	else if (strcmp(name, "raw") == 0)
		*type = RTE_ETH_FLOW_RAW;
	else if (port_rss_find(name, &bits) && bits != 0 && (bits & (bits - 1)) == 0)
		*type = (unsigned int)rte_bsf64(bits);
	else
		return err_set(e, EINVAL, "Invalid flow type specified.");
	return 0;
}

/* Add or delete a flow director rule, given by an example packet. Further errors: of the file. */
static int
port_i40e_flow_director(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op op = { "net_i40e",
		.always = "flow director config error: (%s)" };
	struct ports *ps = &app->ports;
	const uint16_t id = arg_port(a);
	struct rte_pmd_i40e_flow_type_mapping all[RTE_PMD_I40E_FLOW_TYPE_MAX];
	struct rte_pmd_i40e_pkt_template_conf conf = {
		.action = { .rx_queue = (uint16_t)arg_u64(a, "queue_number", 0),
			.behavior = arg_is(a, "verdict", "drop") ? RTE_PMD_I40E_PKT_TEMPLATE_REJECT
								 : RTE_PMD_I40E_PKT_TEMPLATE_ACCEPT,
			.report_status = RTE_PMD_I40E_PKT_TEMPLATE_REPORT_ID },
		.soft_id = (uint32_t)arg_u64(a, "number", 0),
	};
	__typeof__(&rte_pmd_i40e_flow_add_del_packet_template) add_del =
		PORT_DRIVER_FIND(ps, id, &op, rte_pmd_i40e_flow_add_del_packet_template, e);
	unsigned int type = 0;
	size_t bytes;
	int ret;

	if (add_del == NULL || flow_type(arg_str(a, "flow_type", ""), &type, e) != 0 ||
		pctypes_read(ps, id, all, e) != 0)
		return -e->code;
	if (all[type].pctype == 0)
		return err_set(e, EINVAL, "Invalid flow type specified.");
	conf.input.pctype = (uint16_t)rte_bsf64(all[type].pctype);
	conf.input.packet = port_file_read(arg_str(a, "file", ""), &bytes, e);
	if (conf.input.packet == NULL)
		return -e->code;
	conf.input.length = (uint32_t)bytes;
	ret = add_del(id, &conf, !arg_is(a, "what", "del"));
	free(conf.input.packet);
	return port_driver_result(ps, id, &op, NULL, ret, e);
}

/* rte_pmd_i40e.h declares it since 24.11. */
int rte_pmd_i40e_set_pf_src_prune(uint16_t port, uint8_t on);

static int
source_prune(struct ports *ps, uint16_t id, bool on, struct err *e)
{
	return PORT_DRIVER_CALL(ps, id, &plain, NULL, e, rte_pmd_i40e_set_pf_src_prune, on);
}

/* Drop received packets with the port's own source MAC address, or not. id: a port or PORT_ALL.
 * Needs DPDK 24.11. */
static int
port_i40e_source_prune(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	bool on = arg_u64(a, "on", 0) != 0;
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int n;
	int ret = port_named(ps, id, ids, &n, e);

	for (unsigned int i = 0; ret == 0 && i < n; i++)
		if (n == 1 || strcmp(port_at(ps, ids[i])->info.driver_name, "net_i40e") == 0)
			ret = source_prune(ps, ids[i], on, e);
	return ret;
}

#define PORT "<port:port>"
#define N8 "0..255"
#define N32 "0..4294967295"
#define KIND "<kind:word hash_inset|fdir_inset|fdir_flx_inset>"

static const struct cmd_row rows[] = {
	{ "set port " PORT " queue-region region_id <region:uint " N8
	  "> queue_start_index <first:uint " N8 "> queue_num <n:uint " N8 ">",
		region_queues,
		"create a queue region, a range of queues over which RSS spreads packets", NULL,
		NULL },
	{ "set port " PORT " queue-region region_id <region:uint " N8 "> flowtype <type:uint " N8
	  ">",
		region_flowtype, "assign a hardware flow type to a queue region", NULL, NULL },
	{ "set port " PORT " queue-region UP <priority:uint " N8 "> region_id <region:uint " N8 ">",
		region_priority, "assign a VLAN user priority to a queue region", NULL, NULL },
	{ "set port " PORT " queue-region flush <on:word off|on>", region_flush,
		"apply the queue regions (on), or delete all (off)", NULL, NULL },
	{ "show port " PORT " queue-region", port_i40e_regions_show,
		"show the queue regions of a port", NULL, NULL, .shows = true },
	{ "flow_director_filter " PORT
	  " mode raw <what:word add|del|update> flow <flow_type:str> <verdict:word drop|fwd> queue <queue_number:uint 0..65535> fd_id <number:uint " N32
	  "> packet <file:file>",
		port_i40e_flow_director,
		"add, delete or update a flow director rule; the file holds an example packet",
		NULL, NULL },
	{ "ddp add " PORT " <files:file>", port_ddp_add,
		"load a DDP profile; FILE,BACKUP: also save the profile that undoes it; the ports must be stopped",
		NULL, NULL },
	{ "ddp del " PORT " <file:file>", port_ddp_del,
		"unload a DDP profile with its backup; the ports must be stopped", NULL, NULL },
	{ "ddp get list " PORT, arg_on_port, "list the DDP profiles of a port", NULL,
		ARG_ON_PORT(port_ddp_list) },
	{ "ddp get info <file:file>", port_ddp_info, "show the contents of a DDP profile", NULL,
		NULL },
	{ "port config " PORT " pctype <type:uint " N8 "> " KIND
	  " <what:word get|set|clear> field <number:uint " N8 ">",
		port_i40e_inset,
		"get, set or clear a field of the input set of RSS or flow director for a packet classification type; the ports must be stopped",
		NULL, NULL },
	{ "port config " PORT " pctype <type:uint " N8 "> " KIND " clear all", port_i40e_inset_none,
		"clear the input set of a packet classification type; the ports must be stopped",
		NULL, NULL },
	{ "ptype mapping get " PORT " <valid:uint " N8 ">", port_i40e_ptypes_show,
		"list the packet type of each hardware type; 1: only mapped ones", NULL, NULL },
	{ "ptype mapping replace " PORT " <target:uint " N32 "> <mask:uint " N8 "> <with:uint " N32
	  ">",
		port_i40e_ptypes_replace,
		"replace a packet type; mask 1: all packet types that contain its bits", NULL,
		NULL },
	{ "ptype mapping reset " PORT, arg_on_port,
		"reset the packet types to the driver's defaults", NULL,
		ARG_ON_PORT(port_i40e_ptypes_reset) },
	{ "ptype mapping update " PORT " <hardware:uint " N8 "> <software:uint " N32 ">",
		port_i40e_ptypes_set, "set the packet type of a hardware type", NULL, NULL },
	{ "show port " PORT " pctype mapping", port_i40e_pctypes_show,
		"show the flow type of each packet classification type", NULL, NULL,
		.shows = true },
	{ "port config " PORT " pctype mapping reset", arg_on_port,
		"reset the flow types to the driver's defaults", NULL,
		ARG_ON_PORT(port_i40e_pctypes_reset) },
	{ "port config " PORT " pctype mapping update <types:list 0..63> <flowtype:uint 0..63>",
		port_i40e_pctypes_set, "set the packet classification types of a flow type", NULL,
		NULL },
	{ "port config <port:ports> i40e_src_prune <on:word off|on>", port_i40e_source_prune,
		"drop received packets whose source MAC address is the port's own", NULL, NULL },
};

const struct cmd_table cmds_i40e = { "i40e", "net_i40e", rows, ARRAY_SIZE(rows), CMD_DRIVERS };
