/* The plan of a run, and its choice of traffic classes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_classes.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_queue.h"
#include "run/run.h"
#include "stream/plan.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void
list_show(struct out *o, uint64_t mask)
{
	out_nest(o, "classes", OUT_ARRAY);
	for (uint64_t i = 0; i < PORT_DCB_PRIORITIES; i++)
		if ((mask >> i & 1) != 0)
			out_u64(o, NULL, " %" PRIu64, i);
	out_unnest(o);
	out_text(o, "\n");
}

/* Set a setting to a number other than 0, unless forwarding runs. */
static int
choose(struct run *r, const char *name, uint64_t n, const char *zero, struct err *e)
{
	if (r->running)
		return err_set(e, EBUSY, "Please stop forwarding first");
	if (n == 0)
		return err_set(e, EINVAL, "%s", zero);
	return setting_set(r->settings, name, n, e);
}

int
run_classes_choose(struct run *r, const struct args *a, struct err *e)
{
	const uint64_t mask = arg_u64(a, "mask", 0);
	int ret = choose(r, "dcb-fwd-tc", mask, "TC mask should not be zero!", e);

	if (ret != 0)
		return ret;
	out_text(r->out, "Enabled DCB forwarding TC list:");
	list_show(r->out, mask);
	return 0;
}

int
run_classes_lcores(struct run *r, const struct args *a, struct err *e)
{
	const uint64_t each = arg_u64(a, "n", 0);
	int ret = choose(r, "dcb-fwd-tc-cores", each, "Cores per-TC should not be zero!", e);

	if (ret == 0)
		out_say(r->out, "Set cores-per-TC: %" PRIu64 "\n", each);
	return ret;
}

void
run_classes_show(const struct run *r)
{
	out_text(r->out, "DCB forwarding TC list:");
	list_show(r->out, setting_u64(r->settings, "dcb-fwd-tc"));
	out_u64(r->out, "lcores_each", "DCB forwarding cores per-TC: %" PRIu64 "\n",
		setting_u64(r->settings, "dcb-fwd-tc-cores"));
}

static bool
has_classes(const struct run *r, uint16_t id)
{
	const struct port *p = port_at(r->ports, id);

	return p != NULL && p->dcb.classes > 0;
}

/* Return whether to plan by classes: a choice was made, and a used port has classes. */
static bool
by_classes(const struct run *r, const struct plan_choice *c)
{
	bool some = false;

	for (unsigned int i = 0; i < c->use_ports; i++)
		some |= has_classes(r, c->ports[i]);
	return some && !c->echo &&
		(!setting_is_default(r->settings, "dcb-fwd-tc") ||
			!setting_is_default(r->settings, "dcb-fwd-tc-cores"));
}

static int
classes_plan(const struct run *r, const struct plan_choice *c, struct plan *plan, struct err *e)
{
	struct rte_eth_dcb_info *ports = calloc(c->use_ports, sizeof(*ports));
	const struct plan_classes classes = {
		.mask = (uint8_t)setting_u64(r->settings, "dcb-fwd-tc"),
		.each = (unsigned int)setting_u64(r->settings, "dcb-fwd-tc-cores"),
		.ports = ports,
	};
	int ret = ports != NULL ? 0 : err_set(e, ENOMEM, "no memory for a plan");

	for (unsigned int i = 0; ret == 0 && i < c->use_ports; i++) {
		if (!has_classes(r, c->ports[i]))
			ret = err_set(e, EINVAL,
				"In DCB mode, all forwarding ports must be configured in this mode.: port %u is not",
				c->ports[i]);
		else if ((ret = rte_eth_dev_get_dcb_info(c->ports[i], &ports[i])) != 0)
			ret = err_set(e, -ret, "Failed to get dcb infos on port %u: %s",
				c->ports[i], strerror(-ret));
	}
	if (ret == 0)
		ret = plan_classes_make(plan, c, &classes, e);
	free(ports);
	return ret;
}

int
run_plan(const struct run *r, const struct engine *engine, struct plan *plan, struct err *e)
{
	struct plan_choice c = r->choice;
	int ret;

	c.n_rxq = (unsigned int)setting_u64(r->settings, "rxq");
	c.n_txq = (unsigned int)setting_u64(r->settings, "txq");
	c.echo = (engine->flags & ENGINE_ECHOES) != 0;
	if (engine->helpers != NULL && engine->helpers->split(r->settings, &c, e) != 0)
		return -e->code;
	if (by_classes(r, &c))
		return classes_plan(r, &c, plan, e);
	ret = plan_make(plan, &c, e);
	if (ret == 0 && r->assign != NULL)
		ret = r->assign(r->assign_context, &c, plan, e);
	if (ret != 0)
		plan_free(plan);
	return ret;
}

/* Return what the stopped queues leave of a stream. routes: its packets may go to other queues. */
static unsigned int
part_of(const struct run *r, const struct plan_stream *s, bool rx, bool tx, bool routes)
{
	const bool receives = !rx || !port_queue_stopped(r->ports, s->rx_port, true, s->rx_queue),
		   sends = !tx || !port_queue_stopped(r->ports, s->tx_port, false, s->tx_queue);

	return (routes || (receives && sends) ? PLAN_KEPT : 0U) | (receives ? PLAN_RECEIVES : 0U) |
		(sends ? PLAN_SENDS : 0U);
}

int
run_plan_started(const struct run *r, bool sends, struct plan *plan, struct err *e)
{
	const struct engine *engine = r->engine;
	const bool rx = (engine->flags & ENGINE_NO_RX) == 0,
		   tx = sends || (engine->flags & ENGINE_NO_TX) == 0,
		   routes = engine->reach != NULL && engine->reach(r->settings) != ENGINE_REACH_OWN;
	unsigned int *parts = calloc(plan->n_streams, sizeof(*parts));
	int ret;

	if (parts == NULL)
		return err_set(e, ENOMEM, "no memory for %u streams", plan->n_streams);
	for (unsigned int i = 0; i < plan->n_streams; i++)
		parts[i] = part_of(r, &plan->streams[i], rx, tx, routes);
	ret = plan_keep(plan, parts, e);
	free(parts);
	return ret;
}
