/* A flow rule in the making: attributes, pattern and actions as rte_flow takes them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_flow.h>

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FLOW_PARTS = 64,     /* items or actions of a rule, END included */
	FLOW_STORE = 1 << 16 /* bytes of all that they point at */
};

struct flow_rule {
	struct rte_flow_attr attr;
	struct rte_flow_item item[FLOW_PARTS];
	struct rte_flow_action action[FLOW_PARTS];
	unsigned int n_items, n_actions; /* without END */
	size_t used;
	alignas(64) uint8_t store[FLOW_STORE];
};

/* What words of a rule do not say. */
struct flow_defaults {
	uint64_t rss_types; /* of the action rss, RTE_ETH_RSS_ */
	uint16_t queues;    /* that it spreads over: the first so many */
	/* a name of such types; the name number n, NULL behind the last */
	bool (*rss_find)(const char *name, uint64_t *types);
	const char *(*rss_name)(unsigned int n);
};

/* So many zeroed bytes that last as long as the rule; NULL: there are not so many left. */
static inline void *
flow_rule_store(struct flow_rule *rule, size_t bytes)
{
	const size_t at = (rule->used + 15) & ~(size_t)15;

	if (at + bytes > sizeof(rule->store))
		return NULL;
	rule->used = at + bytes;
	return rule->store + at;
}
