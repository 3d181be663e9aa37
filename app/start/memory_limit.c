/* Read memory limits of control groups, v1 and v2. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "start/memory_limit.h"

#include <rte_common.h>

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Return the number in a file; UINT64_MAX if there is no file or it contains "max". */
static uint64_t
limit_of(const char *path)
{
	uint64_t n = UINT64_MAX;
	FILE *f = fopen(path, "re");

	if (f == NULL)
		return UINT64_MAX;
	if (fscanf(f, "%" SCNu64, &n) != 1)
		n = UINT64_MAX;
	fclose(f);
	return n;
}

/* Return the lowest limit of a group and its ancestors. group: its path, which is modified. */
static uint64_t
least(const char *folder, char *group, const char *file)
{
	uint64_t n = UINT64_MAX;
	char path[PATH_MAX];

	for (char *end = group + strlen(group); end != NULL; end = strrchr(group, '/')) {
		*end = '\0';
		snprintf(path, sizeof(path), "%s%s/%s", folder, group, file);
		n = RTE_MIN(n, limit_of(path));
	}
	return n;
}

uint64_t
memory_limit(const char *self, const char *groups)
{
	FILE *f = fopen(self, "re");
	uint64_t n = UINT64_MAX;
	char line[PATH_MAX], folder[PATH_MAX];

	/* Lines are HIERARCHY:CONTROLLERS:PATH; v2 has no controllers. */
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		char *controllers = strchr(line, ':'), *group;

		line[strcspn(line, "\n")] = '\0';
		if (controllers == NULL || (group = strchr(++controllers, ':')) == NULL)
			continue;
		*group++ = '\0';
		snprintf(folder, sizeof(folder), "%s/memory", groups);
		if (strcmp(controllers, "memory") == 0)
			n = RTE_MIN(n, least(folder, group, "memory.limit_in_bytes"));
		else if (controllers[0] == '\0')
			n = RTE_MIN(n, least(groups, group, "memory.max"));
	}
	if (f != NULL)
		fclose(f);
	return n;
}

uint64_t
memory_mapped(const char *smaps)
{
	FILE *f = fopen(smaps, "re");
	uint64_t n = 0, from = 0, to = 0, kib;
	char line[PATH_MAX], mode = '-';

	/* Each mapping has a line FROM-TO MODE ..., followed by lines with its properties. */
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "KernelPageSize: %" SCNu64, &kib) != 1)
			sscanf(line, "%" SCNx64 "-%" SCNx64 " %c", &from, &to, &mode);
		else if (mode == 'r' && kib << 10 == (uint64_t)sysconf(_SC_PAGESIZE))
			n += to - from;
	}
	if (f != NULL)
		fclose(f);
	return n;
}
