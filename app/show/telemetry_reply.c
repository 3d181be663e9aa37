/* Builds a telemetry answer and counts its bytes, because DPDK silently omits all beyond 16 KiB. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "compat.h"
#include "show/telemetry_priv.h"

#include <rte_telemetry.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBER_BYTES 4 /* quotes, colon, comma */
#define REST_BYTES 256 /* for the name of a page's list and the members after it */

void
telemetry_reply_begin(struct telemetry_reply *r, struct rte_tel_data *data)
{
	*r = (struct telemetry_reply){ .data = data,
		.bytes = 2,
		.limit = TELEMETRY_BYTES,
		.failed = data == NULL };
	if (data != NULL)
		rte_tel_data_start_dict(data);
}

void
telemetry_reply_nest(struct telemetry_reply *r)
{
	telemetry_reply_begin(r, rte_tel_data_alloc());
}

static void
telemetry_reply_array(struct telemetry_reply *r)
{
	telemetry_reply_nest(r);
	if (r->data != NULL)
		compat_tel_array_begin(r->data);
}

void
telemetry_reply_rest(const struct telemetry_reply *r, struct telemetry_reply *part)
{
	telemetry_reply_nest(part);
	part->limit = r->bytes + REST_BYTES < r->limit ? r->limit - r->bytes - REST_BYTES : 0;
}

/* Count bytes that are about to be added; false if they do not fit. */
static bool
room(struct telemetry_reply *r, size_t bytes)
{
	if (r->failed || r->bytes + bytes > r->limit) {
		r->failed = true;
		return false;
	}
	r->bytes += (unsigned int)bytes;
	return true;
}

static const char *
name_clean(const char *name, char *clean)
{
	size_t i;

	for (i = 0; name[i] != '\0' && i < RTE_TEL_MAX_STRING_LEN - 1; i++)
		clean[i] = isalnum((unsigned char)name[i]) ? name[i] : '_';
	clean[i] = '\0';
	return clean;
}

/* Number of decimal digits. */
static size_t
digits(uint64_t value)
{
	size_t n = 1;

	for (; value >= 10; value /= 10)
		n++;
	return n;
}

void
telemetry_reply_u64(struct telemetry_reply *r, const char *name, uint64_t value)
{
	char clean[RTE_TEL_MAX_STRING_LEN];

	name_clean(name, clean);
	if (room(r, strlen(clean) + MEMBER_BYTES + digits(value)) &&
		compat_tel_dict_uint(r->data, clean, value) != 0)
		r->failed = true;
}

void
telemetry_reply_str(struct telemetry_reply *r, const char *name, const char *value)
{
	char clean[RTE_TEL_MAX_STRING_LEN], text[RTE_TEL_MAX_STRING_LEN];
	size_t i, escapes = 0;

	/* DPDK 22.11 indexes a table with a negative number for characters above 127. */
	for (i = 0; value[i] != '\0' && i < sizeof(text) - 1; i++) {
		text[i] = value[i] >= ' ' && value[i] <= '~' ? value[i] : '?';
		escapes += text[i] == '"' || text[i] == '\\';
	}
	text[i] = '\0';
	name_clean(name, clean);
	if (room(r, strlen(clean) + MEMBER_BYTES + 2 + i + escapes) &&
		rte_tel_data_add_dict_string(r->data, clean, text) != 0)
		r->failed = true;
}

/* Append a number to an array. */
static void
telemetry_reply_add(struct telemetry_reply *r, uint64_t value)
{
	if (room(r, digits(value) + 1) && compat_tel_array_uint(r->data, value) != 0)
		r->failed = true;
}

/* Add part and its parts to r's list. Returns false if memory is short. */
static bool
parts_take(struct telemetry_reply *r, const struct telemetry_reply *part)
{
	struct rte_tel_data **all =
		realloc(r->parts, (r->n_parts + 1 + part->n_parts) * sizeof(struct rte_tel_data *));

	if (all == NULL)
		return false;
	r->parts = all;
	all[r->n_parts++] = part->data;
	for (unsigned int i = 0; i < part->n_parts; i++)
		all[r->n_parts++] = part->parts[i];
	return true;
}

bool
telemetry_reply_put(struct telemetry_reply *r, const char *name, struct telemetry_reply *part)
{
	const size_t bytes = part->bytes + strlen(name) + MEMBER_BYTES;
	const unsigned int n_parts = r->n_parts;
	char clean[RTE_TEL_MAX_STRING_LEN];

	if (!part->failed && !r->failed && r->bytes + bytes <= r->limit && parts_take(r, part)) {
		if (rte_tel_data_add_dict_container(r->data, name_clean(name, clean), part->data,
			    0) == 0) {
			r->bytes += (unsigned int)bytes;
			telemetry_reply_end(part);
			return true;
		}
		r->n_parts = n_parts;
	}
	telemetry_reply_drop(part);
	return false;
}

void
telemetry_reply_end(struct telemetry_reply *r)
{
	free(r->parts);
	r->parts = NULL;
	r->n_parts = 0;
}

void
telemetry_reply_drop(struct telemetry_reply *part)
{
	/* rte_tel_data_free() frees one level only. */
	for (unsigned int i = 0; i < part->n_parts; i++)
		rte_tel_data_free(part->parts[i]);
	if (part->data != NULL)
		rte_tel_data_free(part->data);
	part->data = NULL;
	telemetry_reply_end(part);
}

static void
sink_number(void *to, const char *key, uint64_t value)
{
	struct telemetry_sink *s = to;
	struct telemetry_reply *r = s->level[s->depth].reply;

	if (s->level[s->depth].array)
		telemetry_reply_add(r, value);
	else
		telemetry_reply_u64(r, key, value);
}

static void
sink_text(void *to, const char *key, const char *value)
{
	struct telemetry_sink *s = to;

	telemetry_reply_str(s->level[s->depth].reply, key, value != NULL ? value : "");
}

static void
sink_open(void *to, const char *key, bool array)
{
	struct telemetry_sink *s = to;

	assert(s->depth + 1 < TELEMETRY_NEST);
	s->depth++;
	s->level[s->depth].reply = &s->level[s->depth].room;
	s->level[s->depth].array = array;
	snprintf(s->level[s->depth].name, sizeof(s->level[0].name), "%s", key);
	if (array)
		telemetry_reply_array(s->level[s->depth].reply);
	else
		telemetry_reply_nest(s->level[s->depth].reply);
}

static void
sink_close(void *to)
{
	struct telemetry_sink *s = to;
	struct telemetry_reply *r = s->level[s->depth - 1].reply;

	if (!telemetry_reply_put(r, s->level[s->depth].name, s->level[s->depth].reply))
		r->failed = true;
	s->depth--;
}

void
telemetry_sink_begin(struct telemetry_sink *s, struct telemetry_reply *r)
{
	s->sink = (struct stat_sink){ sink_number, sink_text, sink_open, sink_close, s };
	s->depth = 0;
	s->level[0].reply = r;
	s->level[0].array = false;
}
