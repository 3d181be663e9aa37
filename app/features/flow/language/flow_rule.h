/* A flow rule in the making: attributes, pattern and actions as rte_flow takes them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/words.h"
#include "features/flow/language/flow_part.h"

#include <rte_flow.h>

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct flow_presets;

enum {
	FLOW_PARTS = 64,      /* items or actions of a rule, END included */
	FLOW_STORE = 1 << 16, /* bytes of all that they point at */
	FLOW_NUMBERS = 64,    /* that one word may bring, said again and again */
};

#define FLOW_NO_ID UINT32_MAX /* none was said */
#define FLOW_NO_PORT UINT16_MAX

/* What other words say than items and actions; each command knows some. */
struct flow_said {
	struct rte_flow_attr attr;
	uint32_t id;                   /* of what is made; FLOW_NO_ID: the next */
	uint32_t index;                /* of what is set */
	uint32_t tunnel, match_tunnel; /* tunnel_set, tunnel_match; 0: none */
	uint8_t relaxed, resizable, postpone;
	uint32_t queues, flows;
	uint32_t n_numbers, n_others;
	uint32_t number[FLOW_NUMBERS], other[FLOW_NUMBERS];
	struct rte_flow_port_attr port;
	struct rte_flow_queue_attr queue;
};

struct flow_rule {
	struct flow_said said;
	struct rte_flow_item item[FLOW_PARTS];
	struct rte_flow_action action[FLOW_PARTS], mask[FLOW_PARTS];
	unsigned int n_items, n_actions, n_masks; /* without END */
	size_t used;
	alignas(64) uint8_t store[FLOW_STORE];
};

/* What words of a rule do not say. */
struct flow_defaults {
	uint64_t rss_types; /* of the action rss, RTE_ETH_RSS_ */
	uint16_t queues;    /* that it spreads over: the first so many */
	uint16_t port;      /* that the words are for; FLOW_NO_PORT: they are only looked at */
	const struct flow_presets *presets;
	/* a name of such types; the name number n, NULL behind the last */
	bool (*rss_find)(const char *name, uint64_t *types);
	const char *(*rss_name)(unsigned int n);
	/* what the port has by that number; NULL with e filled: nothing */
	void *(*find)(const void *context, uint16_t port, enum flow_object what, uint32_t number,
		struct err *e);
	const void *context;
};

/* Of words that were opened with them. */
static inline const struct flow_defaults *
flow_defaults_of(const struct words *w)
{
	return w->context;
}

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
