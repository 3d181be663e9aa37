/* The action rss, whose words are lists, and the action color. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow/flow_forms.h"

#include "base/base.h"
#include "base/err.h"
#include "flow/flow_value.h"

#include <errno.h>
#include <string.h>

enum { RSS_QUEUES = 128, RSS_KEY = 64 }; /* testpmd's bounds */

static int
rss_func(struct flow_reader *r, struct rte_flow_action_rss *rss, struct err *e)
{
	static const struct {
		const char *name;
		enum rte_eth_hash_function func;
	} funcs[] = { { "default", RTE_ETH_HASH_FUNCTION_DEFAULT },
		{ "toeplitz", RTE_ETH_HASH_FUNCTION_TOEPLITZ },
		{ "simple_xor", RTE_ETH_HASH_FUNCTION_SIMPLE_XOR },
		{ "symmetric_toeplitz", RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ } };

	for (size_t i = 0; i < ARRAY_SIZE(funcs); i++) {
		if (!flow_reader_is(r, funcs[i].name, ""))
			continue;
		rss->func = funcs[i].func;
		return 0;
	}
	return flow_reader_fail(r, EINVAL, NULL, e);
}

/* Names up to the word end. */
static int
rss_types(struct flow_reader *r, const struct flow_defaults *defaults,
	struct rte_flow_action_rss *rss, struct err *e)
{
	uint64_t types;

	for (rss->types = 0; !flow_reader_is(r, "end", "of the types"); rss->types |= types) {
		const char *name;

		for (unsigned int i = 0; (name = defaults->rss_name(i)) != NULL; i++)
			flow_reader_may(r, name, "");
		if (r->n == 0 || !defaults->rss_find(r->word, &types))
			return flow_reader_fail(r, EINVAL, NULL, e);
		flow_reader_next(r);
	}
	return 0;
}

/* Numbers up to the word end. */
static int
rss_queues(struct flow_reader *r, struct rte_flow_action_rss *rss, uint16_t *queue, struct err *e)
{
	unsigned int n = 0;

	while (!flow_reader_is(r, "end", "of the queues")) {
		uint64_t number;

		if (n == RSS_QUEUES)
			return flow_reader_fail(r, E2BIG, "there are too many queues", e);
		if (flow_reader_uint(r, UINT16_MAX, &number, e) != 0)
			return -e->code;
		queue[n++] = (uint16_t)number;
	}
	rss->queue_num = n;
	rss->queue = n > 0 ? queue : NULL;
	return 0;
}

static int
rss_key_len(struct flow_reader *r, struct rte_flow_action_rss *rss, struct err *e)
{
	uint64_t n;
	int ret = flow_reader_uint(r, RSS_KEY, &n, e);

	if (ret == 0)
		rss->key_len = (uint32_t)n;
	return ret;
}

/* One word of the action and what it brings; 1: it is none, the action ends. */
static int
rss_word(struct flow_reader *r, const struct flow_part *part, const struct flow_defaults *defaults,
	struct rte_flow_action_rss *rss, uint16_t *queue, struct err *e)
{
	static const struct flow_field key = { .kind = FLOW_HEX,
		.at = offsetof(struct rte_flow_action_rss, key),
		.length_at = offsetof(struct rte_flow_action_rss, key_len),
		.length_bytes = sizeof(uint32_t) };
	uint64_t level;
	int ret;

	if (flow_reader_is(r, "func", "hash function"))
		return rss_func(r, rss, e);
	if (flow_reader_is(r, "types", "what is hashed: NAME [NAME ...] end"))
		return rss_types(r, defaults, rss, e);
	if (flow_reader_is(r, "queues", "NUMBER [NUMBER ...] end"))
		return rss_queues(r, rss, queue, e);
	if (flow_reader_is(r, "key", "of the hash, in hexadecimal"))
		return flow_value_read(r, part, &key, rss, NULL, e);
	if (flow_reader_is(r, "key_len", "bytes of the key"))
		return rss_key_len(r, rss, e);
	if (!flow_reader_is(r, "level", "of encapsulation, for the types"))
		return 1;
	ret = flow_reader_uint(r, UINT32_MAX, &level, e);
	if (ret == 0)
		rss->level = (uint32_t)level;
	return ret;
}

static int
rss_read(struct flow_reader *r, const struct flow_part *part, const struct flow_defaults *defaults,
	struct flow_rule *rule, struct rte_flow_action_rss *rss, struct err *e)
{
	uint16_t *queue = flow_rule_store(rule, RSS_QUEUES * sizeof(*queue));
	int ret;

	if (queue == NULL)
		return err_set(e, E2BIG, "the rule is too long");
	rss->types = defaults->rss_types;
	rss->queue_num = RTE_MIN(defaults->queues, RSS_QUEUES);
	rss->queue = queue;
	for (uint16_t i = 0; i < rss->queue_num; i++)
		queue[i] = i;
	do
		ret = rss_word(r, part, defaults, rss, queue, e);
	while (ret == 0);
	return ret < 0 ? ret : 0;
}

static int
color_read(struct flow_reader *r, const struct flow_part *part, void *conf, struct err *e)
{
	static const struct flow_field color = { .kind = FLOW_COLOR,
		.bytes = sizeof(enum rte_color) };

	if (!flow_reader_is(r, "type", "green, yellow or red"))
		return 0;
	return flow_value_read(r, part, &color, conf, NULL, e);
}

int
flow_form_read(struct flow_reader *r, const struct flow_part *part,
	const struct flow_defaults *defaults, struct flow_rule *rule, void *conf, struct err *e)
{
	if (strcmp(part->form, "rss") == 0)
		return rss_read(r, part, defaults, rule, conf, e);
	return color_read(r, part, conf, e);
}
