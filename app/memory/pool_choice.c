/* Choose the mempool driver of the packet pools when the user did not: ask the drivers of the ports
 * that will receive into them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/pool_choice.h"

#include "base/err.h"
#include "memory/pool_ops.h"

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf_pool_ops.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What the ports answered about one mempool driver. */
struct answers {
	unsigned int prefer, support; /* ports; a port that prefers it also supports it */
	uint16_t first;               /* the first port that prefers it */
};

static struct answers
answers_of(const char *ops, const struct pool_choice_ask *ask)
{
	struct answers a = { 0 };

	for (unsigned int i = 0; i < ask->n_ports; i++) {
		const int ret = rte_eth_dev_pool_ops_supported(ask->port[i], ops);

		if (ret == 0 && a.prefer++ == 0)
			a.first = ask->port[i];
		a.support += ret >= 0;
	}
	return a;
}

/*
 * Return whether a driver that the user did not name may be chosen. Without locks it would depend
 * on the number of lcores, which may grow. Hardware drivers end the process if the hardware is
 * missing; a port that prefers one has it.
 */
static bool
may_be_chosen(const char *ops, const struct pool_choice_ask *ask, const struct answers *a)
{
	struct err e;

	if (pool_ops_one_lcore(ops) || (!pool_ops_software(ops) && a->prefer == 0))
		return false;
	for (unsigned int i = 0; i < ask->n_sizes; i++) {
		const struct pool_memory_ask one = { .name = "",
			.bytes = ask->sizes[i],
			.how = ask->how,
			.ops = ops };

		err_clear(&e);
		if (one.bytes != 0 && pool_memory_ops_check(&one, &e) != 0)
			return false;
	}
	return true;
}

/* Describe why the driver was chosen of which the ports gave these answers. */
static void
why_preferred(struct pool_choice *choice, const struct answers *a,
	const struct pool_choice_ask *ask)
{
	char who[32];

	if (a->prefer == 1)
		snprintf(who, sizeof(who), "port %u", a->first);
	else
		snprintf(who, sizeof(who), "%u ports", a->prefer);
	if (ask->n_ports == a->prefer)
		snprintf(choice->why, sizeof(choice->why), "preferred by %s", who);
	else
		snprintf(choice->why, sizeof(choice->why),
			"preferred by %s, supported by all ports", who);
}

void
pool_choose(const struct pool_choice_ask *ask, struct pool_choice *choice)
{
	const char *usual = rte_mbuf_best_mempool_ops(), *best = usual, *ops;
	const bool set = strcmp(ask->setting, POOL_OPS_DEFAULT) != 0;
	struct answers most = answers_of(usual, ask);
	const bool usual_suits = most.support == ask->n_ports;
	bool suits = usual_suits;
	unsigned int wished = 0;

	*choice = (struct pool_choice){ 0 };
	if (set || rte_eal_mbuf_user_pool_ops() != NULL) {
		snprintf(choice->ops, sizeof(choice->ops), "%s", set ? ask->setting : usual);
		snprintf(choice->why, sizeof(choice->why), "%s",
			set ? "set by the user" : "set by --mbuf-pool-ops-name");
		return;
	}
	for (unsigned int i = 0; (ops = pool_ops_registered(i)) != NULL; i++) {
		const struct answers a = answers_of(ops, ask);

		wished += a.prefer;
		if (a.support < ask->n_ports || !may_be_chosen(ops, ask, &a) ||
			(suits && a.prefer <= most.prefer))
			continue;
		best = ops;
		most = a;
		suits = true;
	}
	choice->by_ports = best != usual;
	snprintf(choice->ops, sizeof(choice->ops), "%s", best);
	if (!suits)
		snprintf(choice->why, sizeof(choice->why),
			"default: no mempool driver is supported by all ports");
	else if (most.prefer > 0)
		why_preferred(choice, &most, ask);
	else if (!usual_suits)
		snprintf(choice->why, sizeof(choice->why),
			"supported by all ports; the default, %s, is not", usual);
	else
		snprintf(choice->why, sizeof(choice->why), "default: %s",
			wished > 0 ? "no preferred mempool driver fits all ports and these pools"
				   : "no port prefers a mempool driver");
}
