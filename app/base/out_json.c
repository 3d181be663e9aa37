/* A JSON writer whose output is always valid: escapes, commas, nesting, repeated keys. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/out_json.h"

#include "base/err.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Return the length of the valid UTF-8 sequence at s, or 0 (RFC 3629: no overlong forms, no
 * surrogates).
 */
static size_t
utf8_bytes(const unsigned char *s, size_t n)
{
	size_t len, i;
	unsigned char low = 0x80, high = 0xbf;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		len = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		len = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		len = 4;
	else
		return 0;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (n < len || s[1] < low || s[1] > high)
		return 0;
	for (i = 2; i < len; i++)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	return len;
}

void
out_json_quote(FILE *file, const char *value, size_t n)
{
	const unsigned char *s = (const unsigned char *)value;
	size_t i = 0;

	fputc('"', file);
	while (i < n) {
		size_t len = utf8_bytes(s + i, n - i);

		if (len == 0)
			fputs("\\ufffd", file);
		else if (s[i] == '"' || s[i] == '\\')
			fprintf(file, "\\%c", s[i]);
		else if (s[i] == '\n')
			fputs("\\n", file);
		else if (s[i] == '\t')
			fputs("\\t", file);
		else if (s[i] < 0x20 || s[i] == 0x7f)
			fprintf(file, "\\u%04x", s[i]);
		else
			fwrite(s + i, 1, len, file);
		i += len == 0 ? 1 : len;
	}
	fputc('"', file);
}

static struct json_level *
json_top(struct json *j)
{
	return &j->level[j->depth];
}

static bool
key_taken(const struct json_level *l, const char *key)
{
	size_t i;

	for (i = 0; i < l->keys_n; i++)
		if (strcmp(l->keys[i], key) == 0)
			return true;
	return false;
}

void
out_json_reserve(struct json *j, const char *key)
{
	struct json_level *l = json_top(j);
	char *copy;

	if (l->keys_n == l->keys_room) {
		size_t room = l->keys_room * 2 + 8;
		char **keys = realloc(l->keys, room * sizeof(*keys));

		if (keys == NULL) {
			j->lost = true;
			return;
		}
		l->keys = keys;
		l->keys_room = room;
	}
	copy = strdup(key);
	if (copy == NULL)
		j->lost = true;
	else
		l->keys[l->keys_n++] = copy;
}

/* Write the comma and key before a value; return false if the nesting is too deep for it. */
static bool
json_begin(struct json *j, const char *key)
{
	struct json_level *l = json_top(j);
	char other[256];
	unsigned int i;

	if (j->skipped > 0)
		return false;
	if (l->n++ > 0)
		fputs(", ", j->file);
	if (l->array)
		return true;
	if (key == NULL)
		key = "value";
	if (key_taken(l, key)) {
		for (i = 2; i == 2 || key_taken(l, other); i++)
			snprintf(other, sizeof(other), "%.240s_%u", key, i);
		key = other;
	}
	out_json_reserve(j, key);
	out_json_quote(j->file, key, strlen(key));
	fputs(": ", j->file);
	return true;
}

static void
level_free(struct json_level *l)
{
	size_t i;

	for (i = 0; i < l->keys_n; i++)
		free(l->keys[i]);
	free(l->keys);
	memset(l, 0, sizeof(*l));
}

void
out_json_init(struct json *j, FILE *file, bool array)
{
	memset(j, 0, sizeof(*j));
	j->file = file;
	j->level[0].array = array;
}

void
out_json_finish(struct json *j)
{
	j->skipped = 0;
	while (j->depth > 0)
		out_json_leave(j);
	level_free(json_top(j));
}

void
out_json_enter(struct json *j, const char *key, bool array)
{
	if (j->skipped > 0 || j->depth + 1 == JSON_DEPTH) {
		j->skipped++;
		return;
	}
	json_begin(j, key);
	fputc(array ? '[' : '{', j->file);
	j->depth++;
	json_top(j)->array = array;
}

void
out_json_leave(struct json *j)
{
	if (j->skipped > 0) {
		j->skipped--;
		return;
	}
	if (j->depth == 0)
		return;
	fputc(json_top(j)->array ? ']' : '}', j->file);
	level_free(json_top(j));
	j->depth--;
}

void
out_json_u64(struct json *j, const char *key, uint64_t value)
{
	if (json_begin(j, key))
		fprintf(j->file, "%" PRIu64, value);
}

void
out_json_i64(struct json *j, const char *key, int64_t value)
{
	if (json_begin(j, key))
		fprintf(j->file, "%" PRId64, value);
}

void
out_json_f64(struct json *j, const char *key, double value)
{
	char text[64];
	char *comma;

	if (!json_begin(j, key))
		return;
	if (!isfinite(value)) {
		fputs("null", j->file);
		return;
	}
	snprintf(text, sizeof(text), "%.15g", value);
	if (strtod(text, NULL) != value)
		snprintf(text, sizeof(text), "%.17g", value);
	comma = strchr(text, ','); /* a locale's decimal point */
	if (comma != NULL)
		*comma = '.';
	fputs(text, j->file);
}

void
out_json_bool(struct json *j, const char *key, bool value)
{
	if (json_begin(j, key))
		fputs(value ? "true" : "false", j->file);
}

void
out_json_str(struct json *j, const char *key, const char *value, size_t n)
{
	if (!json_begin(j, key))
		return;
	if (value == NULL)
		fputs("null", j->file);
	else
		out_json_quote(j->file, value, n);
}

/* In place of open_memstream(), whose writers do not notice a lack of memory. */
static ssize_t
part_write(void *part, const char *data, size_t n)
{
	struct json_part *p = part;

	if (!p->lost && p->room < p->size + n + 1) {
		const size_t room = 2 * (p->size + n + 1);
		char *more = realloc(p->text, room);

		p->lost = more == NULL;
		p->text = p->lost ? p->text : more;
		p->room = p->lost ? p->room : room;
	}
	if (p->lost)
		return 0;
	memcpy(p->text + p->size, data, n);
	p->size += n;
	p->text[p->size] = '\0';
	return (ssize_t)n;
}

void
out_json_part_open(struct json_part *p, bool array)
{
	memset(p, 0, sizeof(*p));
	p->file = fopencookie(p, "w", (cookie_io_functions_t){ .write = part_write });
	p->lost = p->file == NULL;
	if (p->file != NULL)
		out_json_init(&p->json, p->file, array);
}

void
out_json_part_close(struct json_part *p)
{
	if (p->file == NULL)
		return;
	out_json_finish(&p->json);
	fclose(p->file);
	p->file = NULL;
	p->lost = p->lost || p->json.lost;
}

void
out_json_part_free(struct json_part *p)
{
	out_json_part_close(p);
	free(p->text);
	memset(p, 0, sizeof(*p));
}

void
out_json_err(FILE *file, const struct err *e, const char *where)
{
	const char *code = strerrorname_np(e->code);
	const char *text = e->text[0] != '\0' ? e->text : strerror(e->code);
	struct json j;

	fputc('{', file);
	out_json_init(&j, file, false);
	out_json_str(&j, "message", text, strlen(text));
	if (code != NULL)
		out_json_str(&j, "code", code, strlen(code));
	else
		out_json_i64(&j, "code", e->code);
	if (e->verdict != NULL)
		out_json_str(&j, "verdict", e->verdict, strlen(e->verdict));
	if (e->column >= 0)
		out_json_i64(&j, "column", e->column + 1);
	if (e->word[0] != '\0')
		out_json_str(&j, "word", e->word, strnlen(e->word, sizeof(e->word)));
	if (e->expected[0] != '\0')
		out_json_str(&j, "expected", e->expected, strlen(e->expected));
	if (where != NULL)
		out_json_str(&j, "where", where, strlen(where));
	out_json_finish(&j);
	fputc('}', file);
}

void
out_json_line(struct json *j)
{
	fputc('\n', j->file);
}

static void
schema_text(struct json *j, const char *key, const char *value)
{
	out_json_str(j, key, value, strlen(value));
}

/* Members of an answer, and of its "error"; the first n_required are always there. */
struct schema_member {
	const char *name, *type, *help;
};

static void
schema_members(struct json *j, const struct schema_member *member, size_t n, size_t n_required)
{
	size_t i;

	out_json_enter(j, "required", true);
	for (i = 0; i < n_required; i++)
		schema_text(j, NULL, member[i].name);
	out_json_leave(j);
	out_json_enter(j, "properties", false);
	for (i = 0; i < n; i++) {
		out_json_line(j);
		out_json_enter(j, member[i].name, false);
		if (strcmp(member[i].type, "strings") == 0) {
			schema_text(j, "type", "array");
			out_json_enter(j, "items", false);
			schema_text(j, "type", "string");
			out_json_leave(j);
		} else if (strcmp(member[i].type, "error") == 0) {
			schema_text(j, "$ref", "#/$defs/error");
		} else if (strcmp(member[i].type, "code") == 0) {
			out_json_enter(j, "type", true);
			schema_text(j, NULL, "string");
			schema_text(j, NULL, "integer");
			out_json_leave(j);
		} else {
			schema_text(j, "type", member[i].type);
		}
		schema_text(j, "description", member[i].help);
		out_json_leave(j);
	}
	out_json_leave(j);
}

void
out_json_schema(struct json *j)
{
	static const struct schema_member envelope[] = {
		{ "command", "string", "the command line" },
		{ "ok", "boolean", "false if the command failed" },
		{ "time", "string", "UTC time at which the answer was complete, ISO 8601" },
		{ "schema", "integer", "version of the envelope" },
		{ "messages", "strings", "sentences for the operator; absent if there are none" },
		{ "warnings", "strings", "warnings; absent if there are none" },
		{ "error", "error", "absent if ok is true" },
	};
	static const struct schema_member error[] = {
		{ "message", "string", "what is wrong and what to do" },
		{ "code", "code", "name of the errno value; its number if it has no name" },
		{ "verdict", "string", "testpmd's line for this failure" },
		{ "column", "integer", "column of the wrong word in the command, from 1" },
		{ "word", "string", "the wrong word" },
		{ "expected", "string", "what was expected there" },
		{ "where", "string", "file:line of the script that has the command" },
	};

	schema_text(j, "$schema", "https://json-schema.org/draft/2020-12/schema");
	schema_text(j, "title", "Answer of zcfwd to one command");
	schema_text(j, "type", "object");
	schema_members(j, envelope, sizeof(envelope) / sizeof(*envelope), 4);
	out_json_enter(j, "$defs", false);
	out_json_enter(j, "error", false);
	schema_text(j, "type", "object");
	schema_members(j, error, sizeof(error) / sizeof(*error), 2);
	out_json_leave(j);
}
