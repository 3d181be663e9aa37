/* Functions of net_i40e beyond ethdev (queue regions, packet types, input sets, flow director by template), and their commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/device/port_file.h"
#include "features/offload/port_rss.h"
#include "features/vendor/port_ddp.h"
#include "features/vendor/port_driver.h"
#include "port/port.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum port_i40e_region_op {
	PORT_I40E_REGION_QUEUES,   /* region, first queue, number of queues */
	PORT_I40E_REGION_FLOWTYPE, /* region, hardware flow type */
	PORT_I40E_REGION_PRIORITY, /* user priority, region */
	PORT_I40E_REGION_FLUSH,    /* 1: apply all regions; 0: delete all */
};

enum port_i40e_inset { PORT_I40E_HASH, PORT_I40E_FDIR, PORT_I40E_FDIR_FLEX };
enum port_i40e_inset_op { PORT_I40E_GET, PORT_I40E_SET, PORT_I40E_CLEAR };

struct port_i40e_template {
	const char *flow; /* "ipv4-udp", or the number of a flow type */
	const char *path; /* file with an example packet */
	uint16_t queue;
	uint32_t number; /* ID with which the hardware marks packets */
	bool add, drop;
};

#define OWN(function) PORT_DRIVER_OWN("net_i40e", rte_pmd_i40e_##function)
#define FORM(function, type) \
	static_assert(sizeof((type)NULL == &rte_pmd_i40e_##function), "unexpected signature")

typedef int (*region_conf)(uint16_t, enum rte_pmd_i40e_queue_region_op, void *);
typedef int (*flow_get)(uint16_t, struct rte_pmd_i40e_flow_type_mapping *);
typedef int (*flow_set)(uint16_t, struct rte_pmd_i40e_flow_type_mapping *, uint16_t, uint8_t);
typedef int (
	*ptype_get)(uint16_t, struct rte_pmd_i40e_ptype_mapping *, uint16_t, uint16_t *, uint8_t);
typedef int (*ptype_set)(uint16_t, struct rte_pmd_i40e_ptype_mapping *, uint16_t, uint8_t);
typedef int (
	*inset_do)(uint16_t, uint8_t, struct rte_pmd_i40e_inset *, enum rte_pmd_i40e_inset_type);
typedef int (*template_do)(uint16_t, const struct rte_pmd_i40e_pkt_template_conf *, uint8_t);

FORM(rss_queue_region_conf, region_conf);
FORM(flow_type_mapping_get, flow_get);
FORM(flow_type_mapping_update, flow_set);
FORM(ptype_mapping_get, ptype_get);
FORM(ptype_mapping_update, ptype_set);
FORM(inset_get, inset_do);
FORM(inset_set, inset_do);
FORM(flow_add_del_packet_template, template_do);

static const uint64_t none[3];

#define REGION(what) \
	{ \
		{ OWN(rss_queue_region_conf) }, NULL, \
			.lacks = "function not implemented or supported", \
			.always = what " error: (%s)" \
	}

static int port_i40e_inset(struct ports *ps, uint16_t id, uint8_t pctype, enum port_i40e_inset kind,
	enum port_i40e_inset_op op, uint8_t field, struct err *e);

/*
 * Configure queue regions, within which RSS spreads packets. Errors of all functions: -ENODEV;
 * -ENOTSUP another driver's port; the driver's error. Thread: control, for all of this file.
 */
static int
port_i40e_region(struct ports *ps, uint16_t id, enum port_i40e_region_op op, const uint64_t *n,
	struct err *e)
{
	static const struct port_driver_op ops[] = {
		[PORT_I40E_REGION_QUEUES] = REGION("queue region config"),
		[PORT_I40E_REGION_FLOWTYPE] = REGION("region flowtype config"),
		[PORT_I40E_REGION_PRIORITY] = REGION("user_priority region config"),
		[PORT_I40E_REGION_FLUSH] = REGION("queue region config flush"),
	};
	static const enum rte_pmd_i40e_queue_region_op what[] = {
		[PORT_I40E_REGION_QUEUES] = RTE_PMD_I40E_RSS_QUEUE_REGION_SET,
		[PORT_I40E_REGION_FLOWTYPE] = RTE_PMD_I40E_RSS_QUEUE_REGION_FLOWTYPE_SET,
		[PORT_I40E_REGION_PRIORITY] = RTE_PMD_I40E_RSS_QUEUE_REGION_USER_PRIORITY_SET,
		[PORT_I40E_REGION_FLUSH] = RTE_PMD_I40E_RSS_QUEUE_REGION_ALL_FLUSH_ON,
	};
	enum rte_pmd_i40e_queue_region_op todo = what[op];
	struct rte_pmd_i40e_queue_region_conf conf = { 0 };
	port_driver_call call = port_driver_find(ps, id, &ops[op], NULL, e);

	if (call == NULL)
		return -e->code;
	if (op == PORT_I40E_REGION_QUEUES) {
		conf.region_id = (uint8_t)n[0];
		conf.queue_start_index = (uint8_t)n[1];
		conf.queue_num = (uint8_t)n[2];
	} else if (op == PORT_I40E_REGION_FLOWTYPE) {
		conf.region_id = (uint8_t)n[0];
		conf.hw_flowtype = (uint8_t)n[1];
	} else if (op == PORT_I40E_REGION_PRIORITY) {
		conf.user_priority = (uint8_t)n[0];
		conf.region_id = (uint8_t)n[1];
	} else if (n[0] == 0) {
		todo = RTE_PMD_I40E_RSS_QUEUE_REGION_ALL_FLUSH_OFF;
	}
	return port_driver_result(ps, id, &ops[op], none, ((region_conf)call)(id, todo, &conf), e);
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
	port_driver_call call = port_driver_find(ps, id, &op, NULL, e);

	if (call == NULL ||
		port_driver_result(ps, id, &op, none,
			((region_conf)call)(id, RTE_PMD_I40E_RSS_QUEUE_REGION_INFO_GET, &all),
			e) != 0)
		return -e->code;
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
	static const struct port_driver_op op = { { OWN(flow_type_mapping_get) } };
	port_driver_call call = port_driver_find(ps, id, &op, NULL, e);

	memset(all, 0, RTE_PMD_I40E_FLOW_TYPE_MAX * sizeof(*all));
	if (call == NULL)
		return -e->code;
	return port_driver_result(ps, id, &op, none, ((flow_get)call)(id, all), e);
}

/* Show the packet classification types (pctypes) by flow type, or reset them to the driver's
 * defaults. JSON: {"mappings": [{"pctypes": [], "flowtype"}]}. */
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
port_i40e_pctypes_reset(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	static const struct port_driver_op op = { { PORT_PMDS_I40E(flow_type_mapping_reset) } };
	const struct port_driver_args args = { 0 };

	return port_driver_do(ps, id, &op, &args, e);
}

/* Map pctypes[0..n), each 0..63, to a flow type. Further error: -ERANGE. */
static int
port_i40e_pctypes_set(struct ports *ps, uint16_t id, const uint16_t *pctypes, unsigned int n,
	uint16_t flowtype, struct err *e)
{
	static const struct port_driver_op op = { { OWN(flow_type_mapping_update) },
		"invalid pctype or flow type" };
	struct rte_pmd_i40e_flow_type_mapping mapping = { .flow_type = flowtype };
	port_driver_call call = port_driver_find(ps, id, &op, NULL, e);

	if (call == NULL)
		return -e->code;
	for (unsigned int i = 0; i < n; i++) {
		if (pctypes[i] >= RTE_PMD_I40E_PCTYPE_MAX)
			return err_set(e, ERANGE, "pctype %u: expected 0..%u", pctypes[i],
				RTE_PMD_I40E_PCTYPE_MAX - 1);
		mapping.pctype |= RTE_BIT64(pctypes[i]);
	}
	return port_driver_result(ps, id, &op, none, ((flow_set)call)(id, &mapping, 1, 0), e);
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
	static const struct port_driver_op op = { { OWN(ptype_mapping_get) } };
	struct rte_pmd_i40e_ptype_mapping all[256];
	uint16_t n = 0;
	port_driver_call call = port_driver_find(ps, id, &op, NULL, e);

	if (call == NULL ||
		port_driver_result(ps, id, &op, none,
			((ptype_get)call)(id, all, ARRAY_SIZE(all), &n, valid), e) != 0)
		return -e->code;
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
	static const struct port_driver_op op = { { PORT_PMDS_I40E(ptype_mapping_reset) } };
	const struct port_driver_args args = { 0 };

	return port_driver_do(ps, id, &op, &args, e);
}

static int
port_i40e_ptypes_set(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint16_t hardware = (uint16_t)arg_u64(a, "hardware", 0);
	uint32_t software = (uint32_t)arg_u64(a, "software", 0);
	static const struct port_driver_op op = { { OWN(ptype_mapping_update) },
		"invalid ptype 0x%8x" };
	struct rte_pmd_i40e_ptype_mapping mapping = { hardware, software };
	const uint64_t n[3] = { software };
	port_driver_call call = port_driver_find(ps, id, &op, NULL, e);

	if (call == NULL)
		return -e->code;
	return port_driver_result(ps, id, &op, n, ((ptype_set)call)(id, &mapping, 1, 0), e);
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
	static const struct port_driver_op op = { { PORT_PMDS_I40E(ptype_mapping_replace) },
		"invalid ptype 0x%8x, mask %u or 0x%8x" };
	const struct port_driver_args args = { .n = { target, mask, with } };

	return port_driver_do(ps, id, &op, &args, e);
}

static const enum rte_pmd_i40e_inset_type inset_types[] = {
	[PORT_I40E_HASH] = INSET_HASH,
	[PORT_I40E_FDIR] = INSET_FDIR,
	[PORT_I40E_FDIR_FLEX] = INSET_FDIR_FLX,
};

static int
all_stopped(const struct ports *ps, struct err *e)
{
	return port_all_stopped(ps) ? 0 : err_set(e, EBUSY, "Please stop all ports first");
}

static int
inset_write(struct ports *ps, uint16_t id, uint8_t pctype, enum port_i40e_inset kind,
	struct rte_pmd_i40e_inset *inset, const struct port_driver_op *op, struct err *e)
{
	port_driver_call call = port_driver_find(ps, id, op, NULL, e);

	if (call == NULL)
		return -e->code;
	return port_driver_result(ps, id, op, none,
		((inset_do)call)(id, pctype, inset, inset_types[kind]), e);
}

/*
 * Get, set or clear a field, 0..63, of the input set of RSS or flow director for a pctype; clear
 * all fields. JSON of get: {"field", "enabled"}. Further error: -EBUSY a port is started.
 */
static int
port_i40e_inset(struct ports *ps, uint16_t id, uint8_t pctype, enum port_i40e_inset kind,
	enum port_i40e_inset_op op, uint8_t field, struct err *e)
{
	static const struct port_driver_op get_op = { { OWN(inset_get) }, NULL,
		.always = "Failed to get input set." };
	static const struct port_driver_op set_op = { { OWN(inset_set) }, NULL,
		.always = "Failed to set input set." };
	struct rte_pmd_i40e_inset inset = { 0 };
	int ret;

	if (all_stopped(ps, e) != 0 || inset_write(ps, id, pctype, kind, &inset, &get_op, e) != 0)
		return -e->code;
	if (op == PORT_I40E_GET) {
		out_u64(ps->out, "field", "Field index %" PRIu64, field);
		out_bool(ps->out, "enabled", " is %s.\n",
			rte_pmd_i40e_inset_field_get(inset.inset, field) != 0, "enabled",
			"disabled");
		return 0;
	}
	ret = op == PORT_I40E_SET ? rte_pmd_i40e_inset_field_set(&inset.inset, field)
				  : rte_pmd_i40e_inset_field_clear(&inset.inset, field);
	if (ret != 0)
		return err_set(e, ERANGE, "Failed to configure input set field.");
	return inset_write(ps, id, pctype, kind, &inset, &set_op, e);
}

static int
port_i40e_inset_none(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint8_t pctype = (uint8_t)arg_u64(a, "type", 0);
	enum port_i40e_inset kind = (enum port_i40e_inset)arg_u64(a, "kind", 0);
	static const struct port_driver_op op = { { OWN(inset_set) }, NULL,
		.always = "Failed to clear input set." };
	struct rte_pmd_i40e_inset inset = { 0 };

	if (all_stopped(ps, e) != 0)
		return -e->code;
	return inset_write(ps, id, pctype, kind, &inset, &op, e);
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
port_i40e_flow_director(struct ports *ps, uint16_t id, const struct port_i40e_template *rule,
	struct err *e)
{
	static const struct port_driver_op op = { { OWN(flow_add_del_packet_template) }, NULL,
		.always = "flow director config error: (%s)" };
	struct rte_pmd_i40e_flow_type_mapping all[RTE_PMD_I40E_FLOW_TYPE_MAX];
	struct rte_pmd_i40e_pkt_template_conf conf = {
		.action = { .rx_queue = rule->queue,
			.behavior = rule->drop ? RTE_PMD_I40E_PKT_TEMPLATE_REJECT
					       : RTE_PMD_I40E_PKT_TEMPLATE_ACCEPT,
			.report_status = RTE_PMD_I40E_PKT_TEMPLATE_REPORT_ID },
		.soft_id = rule->number,
	};
	port_driver_call call = port_driver_find(ps, id, &op, NULL, e);
	unsigned int type = 0;
	size_t bytes;
	int ret;

	if (call == NULL || flow_type(rule->flow, &type, e) != 0 ||
		pctypes_read(ps, id, all, e) != 0)
		return -e->code;
	if (all[type].pctype == 0)
		return err_set(e, EINVAL, "Invalid flow type specified.");
	conf.input.pctype = (uint16_t)rte_bsf64(all[type].pctype);
	conf.input.packet = port_file_read(rule->path, &bytes, e);
	if (conf.input.packet == NULL)
		return -e->code;
	conf.input.length = (uint32_t)bytes;
	ret = ((template_do)call)(id, &conf, rule->add);
	free(conf.input.packet);
	return port_driver_result(ps, id, &op, none, ret, e);
}

/* Drop received packets with the port's own source MAC address, or not. id: a port or PORT_ALL.
 * Needs DPDK 24.11. */
static int
port_i40e_source_prune(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	bool on = arg_u64(a, "on", 0) != 0;
	static const struct port_driver_op op = {
		{ { "net_i40e", "rte_pmd_i40e_set_pf_src_prune", PORT_DRIVER_8 } }
	};
	const struct port_driver_args args = { .n = { on } };
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int n;
	int ret = port_named(ps, id, ids, &n, e);

	for (unsigned int i = 0; ret == 0 && i < n; i++)
		if (n == 1 || strcmp(port_at(ps, ids[i])->info.driver_name, "net_i40e") == 0)
			ret = port_driver_do(ps, ids[i], &op, &args, e);
	return ret;
}

/* Commands for net_i40e, in testpmd's syntax. */

/* The arguments other than the port are the numbers of the operation, in the same order. */
static int
region(struct app *app, const struct args *a, struct err *e)
{
	const enum port_i40e_region_op *op = a->data;
	uint64_t n[ARGS_MAX] = { 0 };

	arg_numbers(a, n);
	return port_i40e_region(&app->ports, arg_port(a), *op, n, e);
}

static int
flow_director(struct app *app, const struct args *a, struct err *e)
{
	const struct port_i40e_template rule = {
		.flow = arg_str(a, "flow_type", ""),
		.path = arg_str(a, "file", ""),
		.queue = (uint16_t)arg_u64(a, "queue_number", 0),
		.number = (uint32_t)arg_u64(a, "number", 0),
		.add = !arg_is(a, "what", "del"),
		.drop = arg_is(a, "verdict", "drop"),
	};

	return port_i40e_flow_director(&app->ports, arg_port(a), &rule, e);
}

static int
ddp_add(struct app *app, const struct args *a, struct err *e)
{
	const char *files = arg_str(a, "files", ""), *comma = strchr(files, ',');
	char path[LINE_BYTES];

	snprintf(path, sizeof(path), "%.*s",
		comma != NULL ? (int)(comma - files) : (int)strlen(files), files);
	return port_ddp_add(&app->ports, arg_port(a), path, comma != NULL ? comma + 1 : NULL, e);
}

static int
ddp_del(struct app *app, const struct args *a, struct err *e)
{
	return port_ddp_del(&app->ports, arg_port(a), arg_str(a, "file", ""), e);
}

static int
ddp_info(struct app *app, const struct args *a, struct err *e)
{
	return port_ddp_info(&app->ports, arg_str(a, "file", ""), e);
}

static int
inset(struct app *app, const struct args *a, struct err *e)
{
	return port_i40e_inset(&app->ports, arg_port(a), (uint8_t)arg_u64(a, "type", 0),
		(enum port_i40e_inset)arg_u64(a, "kind", 0),
		(enum port_i40e_inset_op)arg_u64(a, "what", 0), (uint8_t)arg_u64(a, "number", 0),
		e);
}

static int
pctypes_update(struct app *app, const struct args *a, struct err *e)
{
	const struct arg *types = arg_find(a, "types");

	return port_i40e_pctypes_set(&app->ports, arg_port(a), types->list, types->list_n,
		(uint16_t)arg_u64(a, "flowtype", 0), e);
}

#define OP(op) \
	NULL, &(const enum port_i40e_region_op) \
	{ \
		op \
	}

#define PORT "<port:port>"
#define N8 "0..255"
#define N32 "0..4294967295"
#define KIND "<kind:word hash_inset|fdir_inset|fdir_flx_inset>"

static const struct cmd_row rows[] = {
	{ "set port " PORT " queue-region region_id <region:uint " N8
	  "> queue_start_index <first:uint " N8 "> queue_num <n:uint " N8 ">",
		region, "create a queue region, a range of queues over which RSS spreads packets",
		OP(PORT_I40E_REGION_QUEUES) },
	{ "set port " PORT " queue-region region_id <region:uint " N8 "> flowtype <type:uint " N8
	  ">",
		region, "assign a hardware flow type to a queue region",
		OP(PORT_I40E_REGION_FLOWTYPE) },
	{ "set port " PORT " queue-region UP <priority:uint " N8 "> region_id <region:uint " N8 ">",
		region, "assign a VLAN user priority to a queue region",
		OP(PORT_I40E_REGION_PRIORITY) },
	{ "set port " PORT " queue-region flush <on:word off|on>", region,
		"apply the queue regions (on), or delete all (off)", OP(PORT_I40E_REGION_FLUSH) },
	{ "show port " PORT " queue-region", port_i40e_regions_show,
		"show the queue regions of a port", NULL, NULL },
	{ "flow_director_filter " PORT
	  " mode raw <what:word add|del|update> flow <flow_type:str> <verdict:word drop|fwd> queue <queue_number:uint 0..65535> fd_id <number:uint " N32
	  "> packet <file:file>",
		flow_director,
		"add, delete or update a flow director rule; the file holds an example packet",
		NULL, NULL },
	{ "ddp add " PORT " <files:file>", ddp_add,
		"load a DDP profile; FILE,BACKUP: also save the profile that undoes it; the ports must be stopped",
		NULL, NULL },
	{ "ddp del " PORT " <file:file>", ddp_del,
		"unload a DDP profile with its backup; the ports must be stopped", NULL, NULL },
	{ "ddp get list " PORT, arg_on_port, "list the DDP profiles of a port", NULL,
		ARG_ON_PORT(port_ddp_list) },
	{ "ddp get info <file:file>", ddp_info, "show the contents of a DDP profile", NULL, NULL },
	{ "port config " PORT " pctype <type:uint " N8 "> " KIND
	  " <what:word get|set|clear> field <number:uint " N8 ">",
		inset,
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
		"show the flow type of each packet classification type", NULL, NULL },
	{ "port config " PORT " pctype mapping reset", port_i40e_pctypes_reset,
		"reset the flow types to the driver's defaults", NULL, NULL },
	{ "port config " PORT " pctype mapping update <types:list 0..63> <flowtype:uint 0..63>",
		pctypes_update, "set the packet classification types of a flow type", NULL, NULL },
	{ "port config <port:ports> i40e_src_prune <on:word off|on>", port_i40e_source_prune,
		"drop received packets whose source MAC address is the port's own", NULL, NULL },
};

const struct cmd_table cmds_i40e = { "i40e", "net_i40e", rows, ARRAY_SIZE(rows) };
