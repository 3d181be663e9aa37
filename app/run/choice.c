/* The operator's choice of ports and lcores, with testpmd's messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/choice.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "port/port.h"
#include "run/run.h"

#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static int
stopped(const struct run *r, struct err *e)
{
	return run_busy(r) ? err_set(e, EBUSY, "Please stop forwarding first") : 0;
}

/* A duplicate in a list would make two lcores or two streams share a queue. */
static int
unique(const char *what, const uint16_t *list, unsigned int n, struct err *e)
{
	unsigned int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < i; k++)
			if (list[i] == list[k])
				return err_set(e, EINVAL,
					"duplicated %s %u in the list: expected each only once",
					what, list[i]);
	return 0;
}

int
choice_portlist(struct run *r, const uint16_t *ids, unsigned int n, struct err *e)
{
	struct plan_choice *c = &r->choice;
	unsigned int i;
	int ret = stopped(r, e);

	if (ret == 0)
		ret = unique("port", ids, n, e);
	if (ret != 0)
		return ret;
	if (n == 0 || n > RTE_MAX_ETHPORTS)
		return err_set(e, EINVAL, "portlist of %u ports: expected 1..%u", n,
			RTE_MAX_ETHPORTS);
	for (i = 0; i < n; i++) {
		const struct port *p = port_find(r->ports, ids[i], e);

		if (p == NULL)
			return -e->code;
		if (p->member)
			return err_set(e, EBUSY,
				"port %u: a bonding port polls its queues; remove it from the bonding port first",
				p->id);
	}
	memcpy(c->ports, ids, n * sizeof(*ids));
	c->n_ports = n;
	if (c->use_ports != n)
		out_say(r->out,
			"previous number of forwarding ports %u - changed to number of configured ports %u\n",
			c->use_ports, n);
	c->use_ports = n;
	run_odd_warn(r);
	return 0;
}

int
choice_portmask(struct run *r, uint64_t mask, struct err *e)
{
	uint16_t all[RTE_MAX_ETHPORTS], ids[RTE_MAX_ETHPORTS];
	unsigned int i, n_all, n = 0;

	if (mask == 0)
		return err_set(e, EINVAL, "Invalid NULL mask of ports");
	n_all = port_ids(r->ports, all);
	for (i = 0; i < n_all; i++)
		if (all[i] < 64 && (mask & (UINT64_C(1) << all[i])) != 0)
			ids[n++] = all[i];
	if (n == 0)
		return err_set(e, ENODEV, "port mask 0x%" PRIx64 ": no such port", mask);
	return choice_portlist(r, ids, n, e);
}

int
choice_nbport(struct run *r, uint64_t n, struct err *e)
{
	int ret = stopped(r, e);

	if (ret != 0)
		return ret;
	if (n > r->choice.n_ports)
		return err_set(e, ERANGE,
			"nb fwd ports %" PRIu64 " > %u (number of configured ports) - ignored", n,
			r->choice.n_ports);
	if (n == 0)
		return err_set(e, ERANGE, "nb fwd ports 0: expected 1..%u", r->choice.n_ports);
	r->choice.use_ports = (unsigned int)n;
	out_say(r->out, "Number of forwarding ports set to %" PRIu64 "\n", n);
	run_odd_warn(r);
	return 0;
}

int
choice_corelist(struct run *r, const uint16_t *lcores, unsigned int n, struct err *e)
{
	struct plan_choice *c = &r->choice;
	unsigned int i;
	int ret = stopped(r, e);

	if (ret == 0)
		ret = unique("lcore", lcores, n, e);
	if (ret != 0)
		return ret;
	if (n == 0 || n > RTE_MAX_LCORE)
		return err_set(e, EINVAL, "corelist of %u lcores: expected 1..%u", n,
			RTE_MAX_LCORE);
	for (i = 0; i < n; i++) {
		if (!rte_lcore_is_enabled(lcores[i]))
			return err_set(e, ENODEV, "lcore %u not enabled: start zcfwd with it in -l",
				lcores[i]);
		if (lcores[i] == rte_get_main_lcore())
			return err_set(e, EINVAL,
				"lcore %u cannot be masked on for running packet forwarding, which is the main lcore "
				"and reserved for command line parsing only",
				lcores[i]);
	}
	for (i = 0; i < n; i++)
		c->lcores[i] = lcores[i];
	c->n_lcores = n;
	if (c->use_lcores != n)
		out_say(r->out,
			"previous number of forwarding cores %u - changed to number of configured cores %u\n",
			c->use_lcores, n);
	c->use_lcores = n;
	return 0;
}

int
choice_coremask(struct run *r, uint64_t mask, struct err *e)
{
	uint16_t lcores[64];
	unsigned int n = 0;
	uint16_t i;

	if (mask == 0)
		return err_set(e, EINVAL, "Invalid NULL mask of cores");
	for (i = 0; i < ARRAY_SIZE(lcores); i++)
		if ((mask & (UINT64_C(1) << i)) != 0)
			lcores[n++] = i;
	return choice_corelist(r, lcores, n, e);
}

int
choice_nbcore(struct run *r, uint64_t n, struct err *e)
{
	int ret = stopped(r, e);

	if (ret != 0)
		return ret;
	if (n > r->choice.n_lcores)
		return err_set(e, ERANGE,
			"nb fwd cores %" PRIu64
			" > %u (max. number of configured lcores) - ignored",
			n, r->choice.n_lcores);
	if (n == 0)
		return err_set(e, ERANGE, "nb fwd cores 0: expected 1..%u", r->choice.n_lcores);
	r->choice.use_lcores = (unsigned int)n;
	out_say(r->out, "Number of forwarding cores set to %" PRIu64 "\n", n);
	return 0;
}

int
choice_topology(struct run *r, const char *word, struct err *e)
{
	static const char *const words
		[] = { [PLAN_PAIRED] = "paired", [PLAN_CHAINED] = "chained", [PLAN_LOOP] = "loop" };
	unsigned int i;
	int ret = stopped(r, e);

	if (ret != 0)
		return ret;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(words[i], word) == 0) {
			r->choice.topology = (enum plan_topology)i;
			return 0;
		}
	}
	return err_set(e, EINVAL, "port topology \"%s\": expected paired, chained or loop", word);
}

int
choice_default(struct run *r, struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	unsigned int i, n;
	int ret = stopped(r, e);

	if (ret != 0)
		return ret;
	out_say(r->out, "Reset to default forwarding configuration...\n");
	r->choice.n_ports = r->choice.use_ports = 0;
	memset(r->known, 0, sizeof(r->known));
	run_lcores_default(r);
	run_ports_changed(r);
	n = port_ids(r->ports, ids);
	for (i = 0; i < n; i++)
		port_peer_default(port_at(r->ports, ids[i]));
	return 0;
}
