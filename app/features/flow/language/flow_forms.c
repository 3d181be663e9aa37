/* Parsers of the actions rss, sample and conntrack. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_forms.h"

#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/words.h"
#include "features/flow/language/flow_presets.h"
#include "features/flow/language/flow_rule.h"
#include "features/flow/language/flow_value.h"

#include <errno.h>
#include <string.h>

enum { RSS_QUEUES = 128, RSS_KEY = 64 }; /* testpmd's limits */

static int
rss_func(struct words *r, struct rte_flow_action_rss *rss, struct err *e)
{
	static const struct {
		const char *name;
		enum rte_eth_hash_function func;
	} funcs[] = { { "default", RTE_ETH_HASH_FUNCTION_DEFAULT },
		{ "toeplitz", RTE_ETH_HASH_FUNCTION_TOEPLITZ },
		{ "simple_xor", RTE_ETH_HASH_FUNCTION_SIMPLE_XOR },
		{ "symmetric_toeplitz", RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ } };

	for (size_t i = 0; i < ARRAY_SIZE(funcs); i++) {
		if (!words_is(r, funcs[i].name, ""))
			continue;
		rss->func = funcs[i].func;
		return 0;
	}
	return words_fail(r, EINVAL, NULL, e);
}

/* Read names up to the word "end". */
static int
rss_types(struct words *r, struct rte_flow_action_rss *rss, struct err *e)
{
	const struct flow_defaults *defaults = r->context;
	uint64_t types;

	for (rss->types = 0; !words_is(r, "end", "end of the types"); rss->types |= types) {
		const char *name;

		for (unsigned int i = 0; (name = defaults->rss_name(i)) != NULL; i++)
			words_may(r, name, "");
		if (r->n == 0 || !defaults->rss_find(r->word, &types))
			return words_fail(r, EINVAL, NULL, e);
		words_next(r);
	}
	return 0;
}

/* Read numbers up to the word "end". */
static int
rss_queues(struct words *r, struct rte_flow_action_rss *rss, uint16_t *queue, struct err *e)
{
	unsigned int n = 0;

	while (!words_is(r, "end", "end of the queues")) {
		uint64_t number;

		if (n == RSS_QUEUES)
			return words_fail(r, E2BIG, "too many queues", e);
		if (words_uint(r, UINT16_MAX, &number, e) != 0)
			return -e->code;
		queue[n++] = (uint16_t)number;
	}
	rss->queue_num = n;
	rss->queue = n > 0 ? queue : NULL;
	return 0;
}

static int
rss_key_len(struct words *r, struct rte_flow_action_rss *rss, struct err *e)
{
	uint64_t n;
	int ret = words_uint(r, RSS_KEY, &n, e);

	if (ret == 0)
		rss->key_len = (uint32_t)n;
	return ret;
}

/* Read one word of the action and its values. Returns 1 if it is not a word of the action. */
static int
rss_word(struct words *r, const struct flow_part *part, struct rte_flow_action_rss *rss,
	uint16_t *queue, struct err *e)
{
	static const struct flow_field key = { .kind = FLOW_HEX,
		.at = offsetof(struct rte_flow_action_rss, key),
		.length_at = offsetof(struct rte_flow_action_rss, key_len),
		.length_bytes = sizeof(uint32_t) };
	uint64_t level;
	int ret;

	if (words_is(r, "func", "hash function"))
		return rss_func(r, rss, e);
	if (words_is(r, "types", "traffic types to hash: NAME [NAME ...] end"))
		return rss_types(r, rss, e);
	if (words_is(r, "queues", "queues to spread to: NUMBER [NUMBER ...] end"))
		return rss_queues(r, rss, queue, e);
	if (words_is(r, "key", "hash key in hexadecimal"))
		return flow_value_read(r, part, &key, rss, NULL, e);
	if (words_is(r, "key_len", "length of the key in bytes"))
		return rss_key_len(r, rss, e);
	if (!words_is(r, "level", "encapsulation level of the hashed headers"))
		return 1;
	ret = words_uint(r, UINT32_MAX, &level, e);
	if (ret == 0)
		rss->level = (uint32_t)level;
	return ret;
}

int
flow_form_rss(struct words *r, const struct flow_part *part, struct flow_rule *rule, void *conf,
	struct err *e)
{
	const struct flow_defaults *defaults = r->context;
	struct rte_flow_action_rss *rss = conf;
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
		ret = rss_word(r, part, rss, queue, e);
	while (ret == 0);
	return ret < 0 ? ret : 0;
}

int
flow_form_sample(struct words *r, const struct flow_part *part, struct flow_rule *rule, void *conf,
	struct err *e)
{
	static const struct rte_flow_action none = { RTE_FLOW_ACTION_TYPE_END, NULL };
	const struct flow_presets *p = flow_defaults_of(r)->presets;
	struct rte_flow_action_sample *sample = conf;
	uint64_t number;

	sample->actions = &none;
	for (;;) {
		if (words_is(r, "ratio", "sample one of N packets")) {
			if (words_uint(r, UINT32_MAX, &number, e) != 0)
				return -e->code;
			sample->ratio = (uint32_t)number;
			continue;
		}
		if (!words_is(r, "index", "index used in \"set sample_actions\""))
			return 0;
		if (words_uint(r, FLOW_PRESETS - 1, &number, e) != 0)
			return -e->code;
		if (p != NULL && p->sample[number] != NULL)
			sample->actions = p->sample[number]->action;
	}
}

int
flow_form_conntrack_update(struct words *r, const struct flow_part *part, struct flow_rule *rule,
	void *conf, struct err *e)
{
	static const struct rte_flow_action_conntrack none;
	const struct flow_presets *p = flow_defaults_of(r)->presets;
	const struct rte_flow_action_conntrack *from = p != NULL ? &p->conntrack : &none;
	struct rte_flow_modify_conntrack *to = conf;

	for (;;) {
		const uint32_t old = to->new_ct.is_original_dir;

		if (words_is(r, "dir", "update the direction")) {
			to->new_ct.is_original_dir = from->is_original_dir;
			to->direction = 1;
		} else if (words_is(r, "ctx", "update everything except the direction")) {
			to->new_ct = *from;
			to->new_ct.is_original_dir = old;
			to->state = 1;
		} else {
			return 0;
		}
	}
}
