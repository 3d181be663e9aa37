/* Create, update, query and destroy indirect actions, and their commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "features/flow/flow_priv.h"
#include "features/flow/language/flow_presets.h"
#include "port/port.h"

#include <rte_errno.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Only an indirect action conntrack uses the state set by "set conntrack". */
static void
conntrack_fill(const struct ports *ps, struct rte_flow_action *action)
{
	struct rte_flow_action_conntrack *to = (void *)(uintptr_t)action->conf;

	if (action->type == RTE_FLOW_ACTION_TYPE_CONNTRACK)
		*to = port_flow_presets(ps)->conntrack;
}

/*
 * Create an indirect action from rule's first action, JSON: {"number"}; update one by number.
 * Errors of all functions: ENODEV, ENOENT, EEXIST; the driver's error, in testpmd's words. Thread:
 * control, for all of this file.
 */
static int
indirect_create(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_indir_action_conf conf = { .ingress = rule->said.attr.ingress,
		.egress = rule->said.attr.egress,
		.transfer = rule->said.attr.transfer };
	struct port *p = port_find(&app->ports, arg_port(a), e);
	struct rte_flow_error error = { 0 };
	struct port_object *o;

	if (p == NULL)
		return -e->code;
	o = port_flow_object_new(p, PORT_INDIRECT, rule->said.id, e);
	if (o == NULL)
		return -e->code;
	o->type = (int)rule->action[0].type;
	conntrack_fill(&app->ports, rule->action);
	port_flow_age_set(rule->action, &o->age);
	return port_flow_object_made(&app->ports, p, PORT_INDIRECT, o,
		rte_flow_action_handle_create(p->id, &conf, rule->action, &error), &error, e);
}

const void *
port_flow_indirect_change(int type, const struct rte_flow_action *action,
	struct rte_flow_update_meter_mark *mark)
{
	if (type == RTE_FLOW_ACTION_TYPE_AGE || type == RTE_FLOW_ACTION_TYPE_CONNTRACK)
		return action->conf;
	if (type != RTE_FLOW_ACTION_TYPE_METER_MARK || (int)action->type != type)
		return action;
	compat_flow_update_meter_mark(mark, action->conf);
	return mark;
}

/* The indirect action of the line; NULL with e filled. */
static const struct port_object *
action_find(struct app *app, const struct args *a, struct err *e)
{
	const struct port *p = port_find(&app->ports, arg_port(a), e);

	return p != NULL
		? port_flow_object_find(p, PORT_INDIRECT, (uint32_t)arg_u64(a, "number", 0), e)
		: NULL;
}

static int
indirect_update(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct port_object *o = action_find(app, a, e);
	struct rte_flow_update_meter_mark mark;
	struct rte_flow_error error = { 0 };

	if (o == NULL)
		return -e->code;
	if (rte_flow_action_handle_update(arg_port(a), o->handle,
		    port_flow_indirect_change(o->type, rule->action, &mark), &error) != 0)
		return port_flow_error(&error, e);
	out_say(app->ports.out, "Indirect action #%u updated\n", o->number);
	return 0;
}

/* Show one direction of a connection. */
static void
direction_show(struct out *o, const char *key, const char *name,
	const struct rte_flow_tcp_dir_param *d)
{
	out_nest(o, key, OUT_OBJECT);
	out_text(o, "  %s Dir:\n", name);
	out_u64(o, "scale", "    scale: %" PRIu64, d->scale);
	out_u64(o, "fin", ", fin: %" PRIu64, d->close_initiated);
	out_u64(o, "acked", ", ack seen: %" PRIu64 "\n", d->last_ack_seen);
	out_u64(o, "unack_data", " unacked data: %" PRIu64 "\n", d->data_unacked);
	out_u64(o, "sent_end", "    Sent end: %" PRIu64 ",", d->sent_end);
	out_u64(o, "reply_end", "    Reply end: %" PRIu64, d->reply_end);
	out_u64(o, "max_win", ", Max win: %" PRIu64, d->max_win);
	out_u64(o, "max_ack", ", Max ACK: %" PRIu64 "\n", d->max_ack);
	out_unnest(o);
}

static void
conntrack_show(struct out *o, const struct rte_flow_action_conntrack *c)
{
	out_text(o, "Conntrack Context:\n");
	out_u64(o, "peer", "  Peer: %" PRIu64, c->peer_port);
	out_bool(o, "is_orig", ", Flow dir: %s", c->is_original_dir, "Original", "Reply");
	out_u64(o, "enable", ", Enable: %" PRIu64 "\n", c->enable);
	out_u64(o, "live", "  Live: %" PRIu64, c->live_connection);
	out_u64(o, "sack", ", SACK: %" PRIu64, c->selective_ack);
	out_u64(o, "cack", ", CACK: %" PRIu64 "\n", c->challenge_ack_passed);
	out_bool(o, "last_dir", "  Packet dir: %s", c->last_direction, "Original", "Reply");
	out_u64(o, "liberal", ", Liberal: %" PRIu64, c->liberal_mode);
	out_u64(o, "state", ", State: %" PRIu64 "\n", c->state);
	out_u64(o, "max_ack_win", "  Factor: %" PRIu64, c->max_ack_window);
	out_u64(o, "r_lim", ", Retrans: %" PRIu64, c->retransmission_limit);
	out_u64(o, "last_index", ", TCP flags: %" PRIu64 "\n", c->last_index);
	out_u64(o, "last_seq", "  Last Seq: %" PRIu64, c->last_seq);
	out_u64(o, "last_ack", ", Last ACK: %" PRIu64 "\n", c->last_ack);
	out_u64(o, "last_win", "  Last Win: %" PRIu64, c->last_window);
	out_u64(o, "last_end", ", Last End: %" PRIu64 "\n", c->last_end);
	direction_show(o, "orig", "Original", &c->original_dir);
	direction_show(o, "rply", "Reply", &c->reply_dir);
}

void
port_flow_indirect_show(struct out *o, int type, const union port_flow_indirect_stats *f)
{
	if (type == RTE_FLOW_ACTION_TYPE_CONNTRACK) {
		conntrack_show(o, &f->conntrack);
	} else if (type == RTE_FLOW_ACTION_TYPE_AGE) {
		out_text(o, "Indirect AGE action:\n");
		port_flow_age_show(o, &f->age);
	} else if (type == RTE_FLOW_ACTION_TYPE_COUNT) {
		out_text(o, "Indirect COUNT action:\n");
		port_flow_count_show(o, &f->count);
	}
}

/* Query and show an action count, age or conntrack. ENOTSUP other actions. */
static int
indirect_query(struct app *app, const struct args *a, struct err *e)
{
	const struct port_object *o = action_find(app, a, e);
	struct rte_flow_error error = { 0 };
	union port_flow_indirect_stats stats = { 0 };

	if (o == NULL)
		return -e->code;
	if (o->type != RTE_FLOW_ACTION_TYPE_COUNT && o->type != RTE_FLOW_ACTION_TYPE_AGE &&
		o->type != RTE_FLOW_ACTION_TYPE_CONNTRACK)
		return err_set(e, ENOTSUP,
			"Indirect action %u (type: %d) on port %u doesn't support query", o->number,
			o->type, arg_port(a));
	if (rte_flow_action_handle_query(arg_port(a), o->handle, &stats, &error) != 0)
		return port_flow_error(&error, e);
	port_flow_indirect_show(app->ports.out, o->type, &stats);
	return 0;
}

/* Update and query in one operation, in either order. ENOTSUP needs DPDK 23.03. */
static int
indirect_query_update(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct port_object *o;
	struct rte_flow_error error = { 0 };
	union port_flow_indirect_stats stats = { 0 };

	if (port_flow_since(23, 3, "query_update", e) != 0)
		return -e->code;
	o = action_find(app, a, e);
	if (o == NULL)
		return -e->code;
	if (compat_flow_query_update(arg_port(a), 0, NULL, o->handle, rule->action, &stats,
		    arg_is(a, "mode", "update_first"), NULL, &error) != 0)
		return port_flow_error(&error, e);
	port_flow_indirect_show(app->ports.out, o->type, &stats);
	return 0;
}

#define NUMBER "<number:uint 0..4294967295>"

static const struct cmd_row rows[] = {
	{ "flow indirect_action <port:port> create <words:flow indirect>", cmd_flow_run,
		"create an action that rules use by number: [action_id N] [ingress] [egress] [transfer] "
		"action ACTION / end",
		NULL, CMD_FLOW(&flow_phrase_indirect, indirect_create), cmd_flow_check },
	{ "flow indirect_action <port:port> update " NUMBER " <words:flow action>", cmd_flow_run,
		"update an indirect action: action ACTION / end", NULL,
		CMD_FLOW(&flow_phrase_action, indirect_update), cmd_flow_check },
	{ "flow indirect_action <port:port> destroy <words:flow actions>", cmd_flow_run,
		"destroy indirect actions: action_id N [action_id N ...]", NULL,
		CMD_FLOW(&flow_phrase_actions, cmd_flow_destroy, true, PORT_INDIRECT) },
	{ "flow indirect_action <port:port> query " NUMBER, indirect_query,
		"query an indirect action count, age or conntrack", NULL },
	{ "flow indirect_action <port:port> query_update " NUMBER
	  " mode <mode:word query_first|update_first> <words:flow action>",
		cmd_flow_run,
		"update and query an indirect action in one operation: action ACTION / end; needs DPDK 23.03",
		NULL, CMD_FLOW(&flow_phrase_action, indirect_query_update), cmd_flow_check },
};

const struct cmd_table cmds_flow_indirect = { "flow", "flow rules", rows, ARRAY_SIZE(rows),
	CMD_FLOW };
