/* For tests of the output layer: one that prints into memory, and a strict judge of JSON. */
#include "out_check.h"

#include "out.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

int
out_check_setup(void **state)
{
	struct out_check *f = calloc(1, sizeof(*f));

	f->results_file = open_memstream(&f->results, &f->results_n);
	f->failures_file = open_memstream(&f->failures, &f->failures_n);
	f->out = out_open(f->results_file, f->failures_file);
	*state = f;
	return f->out == NULL;
}

int
out_check_teardown(void **state)
{
	struct out_check *f = *state;

	out_close(f->out);
	fclose(f->results_file);
	fclose(f->failures_file);
	free(f->results);
	free(f->failures);
	free(f);
	return 0;
}

/* What was printed so far is exactly this. */
void
out_check_printed(struct out_check *f, const char *results, const char *failures)
{
	fflush(f->results_file);
	fflush(f->failures_file);
	assert_string_equal(f->results, results);
	assert_string_equal(f->failures, failures);
	if (out_format(f->out) == OUT_JSON)
		assert_true(out_check_json(f->results));
}

#define KEYS_MAX 1024

static bool check_value(const char **s, unsigned int depth);

static void
check_space(const char **s)
{
	while (**s == ' ')
		(*s)++;
}

static bool
check_string(const char **s)
{
	if (*(*s)++ != '"')
		return false;
	for (; **s != '"'; (*s)++) {
		if ((unsigned char)**s < 0x20)
			return false;
		if (**s != '\\')
			continue;
		(*s)++;
		if (**s == 'u') {
			if (strspn(*s + 1, "0123456789abcdefABCDEF") < 4)
				return false;
			*s += 4;
		} else if (**s == '\0' || strchr("\"\\/bfnrt", **s) == NULL) {
			return false;
		}
	}
	(*s)++;
	return true;
}

static bool
check_number(const char **s)
{
	const char *start;

	*s += **s == '-';
	if (**s == '0' && isdigit((unsigned char)(*s)[1]))
		return false;
	start = *s;
	while (isdigit((unsigned char)**s))
		(*s)++;
	if (*s == start)
		return false;
	if (**s == '.') {
		start = ++*s;
		while (isdigit((unsigned char)**s))
			(*s)++;
		if (*s == start)
			return false;
	}
	if (**s == 'e' || **s == 'E') {
		(*s)++;
		*s += **s == '-' || **s == '+';
		start = *s;
		while (isdigit((unsigned char)**s))
			(*s)++;
		return *s > start;
	}
	return true;
}

/* True when the key, quotes and all, is among the n before it. */
static bool
check_repeated(const char *const *keys, const size_t *lengths, size_t n, const char *key,
	size_t length)
{
	while (n-- > 0)
		if (lengths[n] == length && memcmp(keys[n], key, length) == 0)
			return true;
	return false;
}

static bool
check_members(const char **s, char end, unsigned int depth)
{
	const char *keys[KEYS_MAX];
	size_t lengths[KEYS_MAX], n = 0;

	for (;;) {
		check_space(s);
		if (n == 0 && **s == end)
			break;
		if (end == '}') {
			const char *key = *s;

			if (n == KEYS_MAX || !check_string(s))
				return false;
			keys[n] = key;
			lengths[n] = (size_t)(*s - key);
			if (check_repeated(keys, lengths, n, key, lengths[n]))
				return false;
			check_space(s);
			if (*(*s)++ != ':')
				return false;
		}
		if (!check_value(s, depth))
			return false;
		n++;
		check_space(s);
		if (**s == end)
			break;
		if (*(*s)++ != ',')
			return false;
	}
	(*s)++;
	return true;
}

static bool
check_value(const char **s, unsigned int depth)
{
	check_space(s);
	if (depth == 0)
		return false;
	if (**s == '{' || **s == '[') {
		char end = *(*s)++ == '{' ? '}' : ']';

		return check_members(s, end, depth - 1);
	}
	if (**s == '"')
		return check_string(s);
	if (strncmp(*s, "true", 4) == 0 || strncmp(*s, "null", 4) == 0) {
		*s += 4;
		return true;
	}
	if (strncmp(*s, "false", 5) == 0) {
		*s += 5;
		return true;
	}
	return check_number(s);
}

/* True when each line of text is one JSON object, and the last one ends with a newline. */
bool
out_check_json(const char *text)
{
	while (*text != '\0') {
		if (*text != '{' || !check_value(&text, 64) || *text++ != '\n')
			return false;
	}
	return true;
}
