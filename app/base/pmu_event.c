/* Parse events: kernel names, raw numbers, and terms whose bits /sys describes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pmu_event.h"

#include "base/base.h"
#include "base/err.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 256 };

#define CACHE(cache, op, result) \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
		PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} kernel_names[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS) },
	{ "LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS) },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
};

/* Read the first line of an event source's file, without its newline. False: there is none. */
static bool
file_line(char *line, size_t bytes, const char *source, const char *file)
{
	char path[PATH_MAX];
	FILE *f;
	bool read;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", source, file) >= sizeof(path))
		return false;
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	read = fgets(line, (int)bytes, f) != NULL;
	fclose(f);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read;
}

/* Store value in the bits that "config1:0-7,32-35" names, its lowest bits in the first range. */
static int
term_place(struct pmu_event *event, const char *format, uint64_t value)
{
	uint64_t *config;
	const char *range = strchr(format, ':');

	if (range == NULL)
		return -EINVAL;
	if (strncmp(format, "config:", 7) == 0)
		config = &event->config;
	else if (strncmp(format, "config1:", 8) == 0)
		config = &event->config1;
	else if (strncmp(format, "config2:", 8) == 0)
		config = &event->config2;
	else
		return -EINVAL;
	while (*range == ':' || *range == ',') {
		char *end;
		unsigned long low = strtoul(range + 1, &end, 10), high = low;

		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (low > 63 || high < low || high > 63)
			return -EINVAL;
		for (unsigned long bit = low; bit <= high; bit++, value >>= 1)
			*config |= (value & 1) << bit;
		range = end;
	}
	return value == 0 && *range == '\0' ? 0 : -EINVAL;
}

static int terms_read(const char *source, const char *terms, bool names, struct pmu_event *event,
	struct err *e);

/* Parse NAME=NUMBER, NAME (means NAME=1), or the name of one of the source's events. */
static int
term_read(const char *source, char *term, bool names, struct pmu_event *event, struct err *e)
{
	char format[WORD_BYTES], file[WORD_BYTES + 16];
	char *value = strchr(term, '='), *end = NULL;
	uint64_t number = 1;

	if (value != NULL) {
		*value++ = '\0';
		errno = 0;
		number = strtoull(value, &end, 0);
		if (*value == '\0' || *value == '-' || *end != '\0' || errno != 0)
			return err_set(e, EINVAL, "%s=%s: expected a number", term, value);
	}
	if (*term == '\0' || strchr(term, '/') != NULL || *term == '.')
		return err_set(e, EINVAL, "\"%s\" is not a term of an event", term);
	snprintf(file, sizeof(file), "events/%s", term);
	if (value == NULL && names && file_line(format, sizeof(format), source, file))
		return terms_read(source, format, false, event, e);
	if (strcmp(term, "config") == 0) {
		event->config = number;
		return 0;
	}
	snprintf(file, sizeof(file), "format/%s", term);
	if (!file_line(format, sizeof(format), source, file))
		return err_set(e, ENOENT, "%s has no event or term \"%s\"",
			strrchr(source, '/') + 1, term);
	if (term_place(event, format, number) != 0)
		return err_set(e, EINVAL, "%s=%#llx does not fit into %s", term,
			(unsigned long long)number, format);
	return 0;
}

/* names: accept an event's name in place of its terms. */
static int
terms_read(const char *source, const char *terms, bool names, struct pmu_event *event,
	struct err *e)
{
	char copy[WORD_BYTES], *rest, *term;
	int ret = 0;

	snprintf(copy, sizeof(copy), "%s", terms);
	for (term = strtok_r(copy, ",", &rest); term != NULL && ret == 0;
		term = strtok_r(NULL, ",", &rest))
		ret = term_read(source, term, names, event, e);
	return ret;
}

/* Add an event for each CPU in the source's cpumask; without one, an event of the thread. */
static int
source_add(const char *source, const char *terms, struct pmu_event *event, unsigned int max,
	unsigned int *n, struct err *e)
{
	struct pmu_event one = { .cpu = -1 };
	char line[WORD_BYTES], *cpu = NULL, *rest;

	if (!file_line(line, sizeof(line), source, "type"))
		return err_set(e, ENOENT, "%s is not an event source", strrchr(source, '/') + 1);
	one.type = (uint32_t)strtoul(line, NULL, 10);
	if (terms_read(source, terms, true, &one, e) != 0)
		return -e->code;
	if (file_line(line, sizeof(line), source, "cpumask"))
		cpu = strtok_r(line, ",", &rest);
	do {
		if (*n == max)
			return err_set(e, E2BIG, "%s: expected at most %u events", terms, max);
		if (cpu != NULL)
			one.cpu = (int)strtoul(cpu, NULL, 10);
		event[(*n)++] = one;
		cpu = cpu != NULL ? strtok_r(NULL, ",", &rest) : NULL;
	} while (cpu != NULL);
	return 0;
}

/* Find the events of SOURCE/TERMS/; SOURCE may have wildcards. */
static int
sources_find(const char *devices, const char *word, struct pmu_event *event, unsigned int max,
	unsigned int *n, struct err *e)
{
	const char *slash = strchr(word, '/'), *end = strchr(slash + 1, '/');
	char path[PATH_MAX], terms[WORD_BYTES];
	glob_t found;
	int ret = 0;

	if (end == NULL || end[1] != '\0' || slash == word || end == slash + 1 || *word == '.')
		return err_set(e, EINVAL, "\"%s\" is not an event: expected SOURCE/TERMS/", word);
	snprintf(terms, sizeof(terms), "%.*s", (int)(end - slash - 1), slash + 1);
	snprintf(path, sizeof(path), "%s/%.*s", devices, (int)(slash - word), word);
	if (glob(path, 0, NULL, &found) != 0)
		return err_set(e, ENOENT, "no event source \"%.*s\" in %s", (int)(slash - word),
			word, devices);
	for (size_t i = 0; i < found.gl_pathc && ret == 0; i++)
		ret = source_add(found.gl_pathv[i], terms, event, max, n, e);
	globfree(&found);
	return ret;
}

/* Find an event by its kernel name, or parse rHEX. */
static int
name_find(const char *word, struct pmu_event *event, struct err *e)
{
	char *end;

	*event = (struct pmu_event){ .cpu = -1 };
	for (size_t i = 0; i < ARRAY_SIZE(kernel_names); i++) {
		if (strcmp(word, kernel_names[i].name) != 0)
			continue;
		event->type = kernel_names[i].type;
		event->config = kernel_names[i].config;
		return 0;
	}
	event->type = PERF_TYPE_RAW;
	errno = 0;
	if (word[0] == 'r' && isxdigit((unsigned char)word[1])) {
		event->config = strtoull(word + 1, &end, 16);
		if (*end == '\0' && errno == 0)
			return 0;
	}
	return err_set(e, EINVAL,
		"\"%s\" is not an event: expected a kernel event name as in \"perf list\" (instructions), rHEX or SOURCE/TERMS/",
		word);
}

int
pmu_event_find(const char *devices, const char *word, struct pmu_event *event, unsigned int max,
	unsigned int *n, struct err *e)
{
	char copy[WORD_BYTES], *one, *rest;
	int ret = 0;

	*n = 0;
	if (*word == '\0' || strlen(word) >= sizeof(copy))
		return err_set(e, EINVAL, "\"%.40s\" is not an event: expected 1..%d characters",
			word, WORD_BYTES - 1);
	snprintf(copy, sizeof(copy), "%s", word);
	for (one = strtok_r(copy, "+", &rest); one != NULL && ret == 0;
		one = strtok_r(NULL, "+", &rest)) {
		if (strchr(one, '/') != NULL)
			ret = sources_find(devices, one, event, max, n, e);
		else if (*n == max)
			ret = err_set(e, E2BIG, "%s: expected at most %u events", word, max);
		else
			ret = name_find(one, &event[*n], e), *n += ret == 0;
	}
	return ret;
}
