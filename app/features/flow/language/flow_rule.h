/* A flow rule being read: attributes, pattern and actions in rte_flow's structs. */
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
	FLOW_STORE = 1 << 16, /* bytes for all data that they point to */
	FLOW_NUMBERS = 64,    /* maximum for one repeated word */
};

#define FLOW_NO_ID UINT32_MAX /* no number given */
#define FLOW_NO_PORT UINT16_MAX

/* Values of words other than items and actions; each command accepts some of them. */
struct flow_said {
	struct rte_flow_attr attr;
	uint32_t id;                   /* of the object to create; FLOW_NO_ID: the next */
	uint32_t index;                /* of the preset */
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

/* Defaults and lookups for reading a rule. */
struct flow_defaults {
	uint64_t rss_types; /* for the action rss, RTE_ETH_RSS_* */
	uint16_t queues;    /* for the action rss: the first n queues */
	uint16_t port;      /* of the rule; FLOW_NO_PORT: only check syntax */
	const struct flow_presets *presets;
	/* find RSS types by name; the name number n, NULL after the last */
	bool (*rss_find)(const char *name, uint64_t *types);
	const char *(*rss_name)(unsigned int n);
	/* find a port's object by number; NULL with e filled: not found */
	void *(*find)(const void *context, uint16_t port, enum flow_object what, uint32_t number,
		struct err *e);
	const void *context;
};

/* The defaults that the words were opened with. */
static inline const struct flow_defaults *
flow_defaults_of(const struct words *w)
{
	return w->context;
}

/* Allocate zeroed bytes that live as long as the rule; NULL: not enough space left. */
static inline void *
flow_rule_store(struct flow_rule *rule, size_t bytes)
{
	const size_t at = (rule->used + 15) & ~(size_t)15;

	if (at + bytes > sizeof(rule->store))
		return NULL;
	rule->used = at + bytes;
	return rule->store + at;
}
