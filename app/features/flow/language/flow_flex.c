/* Read the JSON description of a flex item, object by object. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_flex.h"

#include "base/base.h"
#include "base/err.h"
#include "base/json_read.h"
#include "features/flow/language/flow_read.h"

#include <stdio.h>
#include <string.h>

enum { ITEM_BYTES = 256 }; /* maximum length of a link's item */

/* State while reading one file. */
struct reading {
	struct json_read json;
	const struct flow_defaults *defaults;
	struct flow_flex *flex;
};

/* Read a number, or a word whose position in the list is the number. */
static int
named_read(struct json_read *j, const char *const *words, size_t n, int *value, struct err *e)
{
	char word[64];
	double number;

	if (!json_read_is_string(j)) {
		int ret = json_read_number(j, &number, e);

		*value = (int)number;
		return ret;
	}
	if (json_read_string(j, word, sizeof(word), e) != 0)
		return -e->code;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(words[i], word) != 0)
			continue;
		*value = (int)i;
		return 0;
	}
	return json_read_fail(j, e, "unknown mode");
}

static int
mode_read(struct json_read *j, struct rte_flow_item_flex_field *f, struct err *e)
{
	static const char *const modes[] = { [FIELD_MODE_DUMMY] = "FIELD_MODE_DUMMY",
		[FIELD_MODE_FIXED] = "FIELD_MODE_FIXED",
		[FIELD_MODE_OFFSET] = "FIELD_MODE_OFFSET",
		[FIELD_MODE_BITMASK] = "FIELD_MODE_BITMASK" };
	int mode = 0, ret = named_read(j, modes, ARRAY_SIZE(modes), &mode, e);

	f->field_mode = (enum rte_flow_item_flex_field_mode)mode;
	return ret;
}

static int
field_member(struct json_read *j, const char *key, struct rte_flow_item_flex_field *f,
	struct err *e)
{
	double number;

	if (strcmp(key, "field_mode") == 0)
		return mode_read(j, f, e);
	if (json_read_number(j, &number, e) != 0)
		return -e->code;
	if (strcmp(key, "field_size") == 0)
		f->field_size = (uint32_t)number;
	else if (strcmp(key, "field_base") == 0)
		f->field_base = (int32_t)number;
	else if (strcmp(key, "offset_base") == 0)
		f->offset_base = (uint32_t)number;
	else if (strcmp(key, "offset_mask") == 0)
		f->offset_mask = (uint32_t)number;
	else if (strcmp(key, "offset_shift") == 0)
		f->offset_shift = (int32_t)number;
	else if (strcmp(key, "field_id") == 0)
		f->field_id = (uint16_t)number;
	else
		return json_read_fail(j, e, "unknown member of a field");
	return 0;
}

static int
field_read(struct json_read *j, struct rte_flow_item_flex_field *f, struct err *e)
{
	char key[32];
	int more, ret = json_read_begin(j, '{', e);

	while (ret == 0 && (more = json_read_more(j, '}', e)) != 0)
		if (more < 0 || json_read_key(j, key, sizeof(key), e) != 0 ||
			field_member(j, key, f, e) != 0)
			ret = -e->code;
	return ret;
}

/* Read an item in the language of flow rules. */
static int
link_item(struct reading *x, struct rte_flow_item_flex_link *link, struct err *e)
{
	struct flow_rule *items = &x->flex->items;
	char words[ITEM_BYTES], text[ITEM_BYTES + 16];
	struct words r;

	if (json_read_string(&x->json, words, sizeof(words), e) != 0)
		return -e->code;
	snprintf(text, sizeof(text), "%s / end", words);
	items->n_items = 0;
	memset(items->item, 0, sizeof(items->item));
	words_open(&r, text, 0, x->defaults);
	if (flow_read(&r, &flow_phrase_items, items, e) == 0)
		link->item = items->item[0];
	words_close(&r);
	return -e->code;
}

static int
link_read(struct reading *x, struct rte_flow_item_flex_link *link, struct err *e)
{
	struct json_read *j = &x->json;
	double number = 0;
	char key[32];
	int more, ret = json_read_begin(j, '{', e);

	while (ret == 0 && (more = json_read_more(j, '}', e)) != 0) {
		if (more < 0 || json_read_key(j, key, sizeof(key), e) != 0)
			ret = -e->code;
		else if (strcmp(key, "item") == 0)
			ret = link_item(x, link, e);
		else if (strcmp(key, "next") == 0)
			ret = json_read_number(j, &number, e);
		else
			ret = json_read_fail(j, e, "unknown member of a link");
	}
	link->next = (uint32_t)number;
	return ret;
}

static int
links_read(struct reading *x, struct rte_flow_item_flex_link *link, uint32_t *n, struct err *e)
{
	int more, ret = json_read_begin(&x->json, '[', e);

	while (ret == 0 && (more = json_read_more(&x->json, ']', e)) != 0) {
		if (more < 0)
			ret = more;
		else if (*n == FLOW_FLEX_LINKS)
			ret = json_read_fail(&x->json, e, "more than 16 links");
		else
			ret = link_read(x, &link[(*n)++], e);
	}
	return ret;
}

static int
samples_read(struct reading *x, struct err *e)
{
	struct rte_flow_item_flex_conf *c = &x->flex->conf;
	int more, ret = json_read_begin(&x->json, '[', e);

	while (ret == 0 && (more = json_read_more(&x->json, ']', e)) != 0) {
		if (more < 0)
			ret = more;
		else if (c->nb_samples == FLOW_FLEX_SAMPLES)
			ret = json_read_fail(&x->json, e, "more than 16 samples");
		else
			ret = field_read(&x->json, &c->sample_data[c->nb_samples++], e);
	}
	return ret;
}

static int
tunnel_read(struct reading *x, struct err *e)
{
	static const char *const modes[] = { [FLEX_TUNNEL_MODE_SINGLE] = "FLEX_TUNNEL_MODE_SINGLE",
		[FLEX_TUNNEL_MODE_OUTER] = "FLEX_TUNNEL_MODE_OUTER",
		[FLEX_TUNNEL_MODE_INNER] = "FLEX_TUNNEL_MODE_INNER",
		[FLEX_TUNNEL_MODE_MULTI] = "FLEX_TUNNEL_MODE_MULTI",
		[FLEX_TUNNEL_MODE_TUNNEL] = "FLEX_TUNNEL_MODE_TUNNEL" };
	int mode = 0, ret = named_read(&x->json, modes, ARRAY_SIZE(modes), &mode, e);

	x->flex->conf.tunnel = (enum rte_flow_item_flex_tunnel_mode)mode;
	return ret;
}

static int
member_read(struct reading *x, const char *key, struct err *e)
{
	struct rte_flow_item_flex_conf *c = &x->flex->conf;

	if (strcmp(key, "tunnel") == 0)
		return tunnel_read(x, e);
	if (strcmp(key, "next_header") == 0)
		return field_read(&x->json, &c->next_header, e);
	if (strcmp(key, "next_protocol") == 0)
		return field_read(&x->json, &c->next_protocol, e);
	if (strcmp(key, "sample_data") == 0)
		return samples_read(x, e);
	if (strcmp(key, "input_link") == 0)
		return links_read(x, c->input_link, &c->nb_inputs, e);
	if (strcmp(key, "output_link") == 0)
		return links_read(x, c->output_link, &c->nb_outputs, e);
	return json_read_fail(&x->json, e, "unknown member of a flex item");
}

int
flow_flex_read(const char *text, const struct flow_defaults *defaults, struct flow_flex *f,
	struct err *e)
{
	struct reading x = { .json = { .text = text }, .defaults = defaults, .flex = f };
	char key[32];
	int more, ret = json_read_begin(&x.json, '{', e);

	f->conf.sample_data = f->sample;
	f->conf.input_link = f->input;
	f->conf.output_link = f->output;
	while (ret == 0 && (more = json_read_more(&x.json, '}', e)) != 0)
		if (more < 0 || json_read_key(&x.json, key, sizeof(key), e) != 0 ||
			member_read(&x, key, e) != 0)
			ret = -e->code;
	return ret == 0 ? json_read_end(&x.json, e) : ret;
}
