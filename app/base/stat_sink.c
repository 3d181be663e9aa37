/* Sinks that report statistics as JSON: into an object, or into the output of a command. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/stat_sink.h"

#include "base/out.h"
#include "base/out_json.h"

#include <string.h>

static void
json_number(void *to, const char *key, uint64_t value)
{
	out_json_u64(to, key, value);
}

static void
json_text(void *to, const char *key, const char *value)
{
	out_json_str(to, key, value, value != NULL ? strlen(value) : 0);
}

static void
json_open(void *to, const char *key, bool array)
{
	out_json_enter(to, key, array);
}

static void
json_close(void *to)
{
	out_json_leave(to);
}

struct stat_sink
stat_sink_json(struct json *j)
{
	return (struct stat_sink){ json_number, json_text, json_open, json_close, j, false };
}

static void
answer_number(void *to, const char *key, uint64_t value)
{
	out_u64(to, key != NULL ? key : "", NULL, value);
}

static void
answer_text(void *to, const char *key, const char *value)
{
	out_str(to, key, NULL, value);
}

static void
answer_open(void *to, const char *key, bool array)
{
	out_nest(to, key, array ? OUT_ARRAY : OUT_OBJECT);
}

static void
answer_close(void *to)
{
	out_unnest(to);
}

struct stat_sink
stat_sink_out(struct out *o)
{
	return (struct stat_sink){ answer_number, answer_text, answer_open, answer_close, o, true };
}
