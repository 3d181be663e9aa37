/* A port's array of tunnels, at most one per type, newest last. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "features/flow/flow_priv.h"
#include "port/port.h"

#include <rte_errno.h>
#include <rte_flow.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum rte_flow_item_type type;
} types[] = {
	{ "vxlan", RTE_FLOW_ITEM_TYPE_VXLAN },
	{ "gre", RTE_FLOW_ITEM_TYPE_GRE },
	{ "nvgre", RTE_FLOW_ITEM_TYPE_NVGRE },
	{ "geneve", RTE_FLOW_ITEM_TYPE_GENEVE },
};

static_assert(ARRAY_SIZE(types) == PORT_FLOW_TUNNELS, "a port has room for each");

int
port_flow_tunnel_create(struct app *app, const struct args *a, struct err *e)
{
	const char *type = arg_str(a, "type", "");
	struct out *o = app->ports.out;
	struct port *p = port_find(&app->ports, arg_port(a), e);
	struct port_flows *fs;
	size_t t = 0, at = 0;

	if (p == NULL)
		return -e->code;
	fs = port_flows(p);
	while (t < ARRAY_SIZE(types) && strcmp(types[t].name, type) != 0)
		t++;
	if (t == ARRAY_SIZE(types))
		return err_set(e, EINVAL, "cannot offload \"%s\" tunnel type", type);
	while (at < fs->n_tunnels && fs->tunnel[at].type != t)
		at++;
	if (at == fs->n_tunnels) {
		fs->tunnel[at].type = (unsigned int)t;
		fs->tunnel[at].number = at > 0 ? fs->tunnel[at - 1].number + 1 : 1;
		fs->n_tunnels++;
	}
	out_text(o, "port %u: ", p->id);
	out_u64(o, "tunnel", "flow tunnel #%" PRIu64, fs->tunnel[at].number);
	out_text(o, " type %s\n", type);
	return 0;
}

/* Find a tunnel by number; NULL with e filled. */
static struct port_flow_tunnel *
find(struct port_flows *fs, uint32_t number, struct err *e)
{
	for (unsigned int i = 0; i < fs->n_tunnels; i++)
		if (fs->tunnel[i].number == number)
			return &fs->tunnel[i];
	err_set(e, ENOENT, "failed to locate port flow tunnel #%u", number);
	return NULL;
}

int
port_flow_tunnel_destroy(struct app *app, const struct args *a, struct err *e)
{
	const uint32_t number = (uint32_t)arg_u64(a, "number", 0);
	struct port *p = port_find(&app->ports, arg_port(a), e);
	struct port_flows *fs;
	struct port_flow_tunnel *t;

	if (p == NULL)
		return -e->code;
	fs = port_flows(p);
	t = find(fs, number, e);
	if (t == NULL)
		return -e->code;
	fs->n_tunnels--;
	memmove(t, t + 1, (size_t)(fs->tunnel + fs->n_tunnels - t) * sizeof(*t));
	out_say(app->ports.out, "port %u: flow tunnel #%u destroyed\n", p->id, number);
	return 0;
}

int
port_flow_tunnel_list(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	const struct port_flows *fs = p != NULL ? port_flows(p) : NULL;

	if (fs == NULL)
		return -e->code;
	out_nest(ps->out, "tunnels", OUT_ARRAY);
	for (unsigned int i = fs->n_tunnels; i-- > 0;) {
		out_nest(ps->out, NULL, OUT_OBJECT);
		out_text(ps->out, "port %u ", id);
		out_u64(ps->out, "tunnel", "tunnel #%" PRIu64, fs->tunnel[i].number);
		out_str(ps->out, "type", " type=%s\n", types[fs->tunnel[i].type].name);
		out_unnest(ps->out);
	}
	out_unnest(ps->out);
	return 0;
}

static int
actions_add(uint16_t id, struct rte_flow_tunnel *tunnel, struct flow_rule *rule,
	struct port_flow_tunnel_parts *parts, struct err *e)
{
	struct rte_flow_error error = { 0 };

	if (rte_flow_tunnel_decap_set(id, tunnel, &parts->action, &parts->n_actions, &error) != 0)
		return port_flow_error(&error, e);
	if (rule->n_actions + parts->n_actions >= FLOW_PARTS)
		return err_set(e, E2BIG, "more than %d actions, including those of the tunnel",
			FLOW_PARTS - 1);
	memmove(rule->action + parts->n_actions, rule->action,
		(rule->n_actions + 1) * sizeof(*rule->action));
	memcpy(rule->action, parts->action, parts->n_actions * sizeof(*rule->action));
	rule->n_actions += parts->n_actions;
	return 0;
}

static int
items_add(uint16_t id, struct rte_flow_tunnel *tunnel, struct flow_rule *rule,
	struct port_flow_tunnel_parts *parts, struct err *e)
{
	struct rte_flow_error error = { 0 };

	if (rte_flow_tunnel_match(id, tunnel, &parts->item, &parts->n_items, &error) != 0)
		return port_flow_error(&error, e);
	if (rule->n_items + parts->n_items >= FLOW_PARTS)
		return err_set(e, E2BIG, "more than %d items, including those of the tunnel",
			FLOW_PARTS - 1);
	memmove(rule->item + parts->n_items, rule->item, (rule->n_items + 1) * sizeof(*rule->item));
	memcpy(rule->item, parts->item, parts->n_items * sizeof(*rule->item));
	rule->n_items += parts->n_items;
	return 0;
}

void
port_flow_tunnel_release(uint16_t id, struct port_flow_tunnel_parts *parts)
{
	struct rte_flow_error error;

	if (parts->action != NULL)
		rte_flow_tunnel_action_decap_release(id, parts->action, parts->n_actions, &error);
	if (parts->item != NULL)
		rte_flow_tunnel_item_release(id, parts->item, parts->n_items, &error);
	*parts = (struct port_flow_tunnel_parts){ 0 };
}

int
port_flow_tunnel_add(struct ports *ps, uint16_t id, struct flow_rule *rule,
	struct port_flow_tunnel_parts *parts, struct err *e)
{
	const uint32_t set = rule->said.tunnel, match = rule->said.match_tunnel;
	struct port *p = port_find(ps, id, e);
	const struct port_flow_tunnel *t;
	struct rte_flow_tunnel tunnel = { 0 };
	int ret = 0;

	*parts = (struct port_flow_tunnel_parts){ 0 };
	if (p == NULL)
		return -e->code;
	if (set == 0 && match == 0)
		return 0;
	t = find(port_flows(p), match != 0 ? match : set, e);
	if (t == NULL)
		return -e->code;
	tunnel.type = types[t->type].type;
	if (set != 0)
		ret = actions_add(id, &tunnel, rule, parts, e);
	if (ret == 0 && match != 0)
		ret = items_add(id, &tunnel, rule, parts, e);
	if (ret != 0)
		port_flow_tunnel_release(id, parts);
	return ret;
}

int
port_flow_tunnel_proxy(struct ports *ps, uint16_t id, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	uint16_t proxy;
	int ret;

	if (p == NULL)
		return -e->code;
	ret = rte_flow_pick_transfer_proxy(id, &proxy, NULL);
	if (ret != 0)
		return err_set(e, abs(ret), "Failed to pick transfer proxy: %s",
			rte_strerror(-ret));
	out_u64(ps->out, "proxy", "\nTransfer proxy port ID: %" PRIu64 "\n\n", proxy);
	return 0;
}
