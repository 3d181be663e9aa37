/* Read what the kernel tells of a host in /proc and /sys. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/doctor/host_files.h"

#include "base/text.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *
host_open(const char *root, const char *path)
{
	char whole[PATH_MAX];

	if (snprintf(whole, sizeof(whole), "%s%s", root, path) >= (int)sizeof(whole))
		return NULL;
	return fopen(whole, "re");
}

bool
host_line(const char *root, const char *path, char *line, size_t size)
{
	FILE *f = host_open(root, path);
	bool read;

	if (f == NULL)
		return false;
	line[0] = '\0';
	read = fgets(line, (int)size, f) != NULL || feof(f);
	line[strcspn(line, "\n")] = '\0';
	fclose(f);
	return read;
}

bool
host_number(const char *root, const char *path, uint64_t *n)
{
	char line[64], *end;

	if (!host_line(root, path, line, sizeof(line)))
		return false;
	*n = strtoull(line, &end, 10);
	return end != line;
}

/* Read one range of a list, "4" or "4-7". Returns what follows; NULL: it is none. */
static const char *
range_add(const char *at, cpu_set_t *cpus)
{
	char *end;
	unsigned long first = strtoul(at, &end, 10), last = first;

	if (end == at)
		return NULL;
	if (*end == '-')
		last = strtoul(end + 1, &end, 10);
	for (; first <= last && first < CPU_SETSIZE; first++)
		CPU_SET(first, cpus);
	return end;
}

bool
host_cpus(const char *root, const char *path, cpu_set_t *cpus)
{
	char line[4096];
	const char *at = line;

	CPU_ZERO(cpus);
	if (!host_line(root, path, line, sizeof(line)))
		return false;
	while (at != NULL && *at != '\0') {
		at = range_add(at, cpus);
		if (at != NULL && *at == ',')
			at++;
	}
	return true;
}

bool
host_sleep(const char *root, unsigned int cpu, uint64_t *latency_us, char *name, size_t size)
{
	bool any = false;

	*latency_us = 0;
	name[0] = '\0';
	for (unsigned int state = 0;; state++) {
		char path[128];
		uint64_t latency, disabled;

		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%u/cpuidle/state%u/latency", cpu, state);
		if (!host_number(root, path, &latency))
			return any;
		any = true;
		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%u/cpuidle/state%u/disable", cpu, state);
		if (latency <= *latency_us || (host_number(root, path, &disabled) && disabled != 0))
			continue;
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpuidle/state%u/name",
			cpu, state);
		if (host_line(root, path, name, size))
			*latency_us = latency;
	}
}

bool
host_interrupts(const char *root, const cpu_set_t *cpus, unsigned int *n)
{
	char path[PATH_MAX];
	struct dirent *one;
	bool any = false;
	DIR *all;

	*n = 0;
	snprintf(path, sizeof(path), "%s/proc/irq", root);
	all = opendir(path);
	if (all == NULL)
		return false;
	while ((one = readdir(all)) != NULL) {
		cpu_set_t own;

		snprintf(path, sizeof(path), "/proc/irq/%s/effective_affinity_list", one->d_name);
		if (one->d_name[0] == '.' || !host_cpus(root, path, &own))
			continue;
		any = true;
		CPU_AND(&own, &own, cpus);
		*n += CPU_COUNT(&own) > 0;
	}
	closedir(all);
	return any;
}

bool
host_stolen(const char *root, unsigned int cpu, double *thousandths)
{
	FILE *f = host_open(root, "/proc/stat");
	uint64_t t[8] = { 0 }, sum = 0;
	char line[512], name[16];
	bool there = false;

	if (f == NULL)
		return false;
	snprintf(name, sizeof(name), "cpu%u ", cpu);
	while (!there && fgets(line, sizeof(line), f) != NULL)
		there = strncmp(line, name, strlen(name)) == 0 &&
			sscanf(line + strlen(name),
				"%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64
				"%" SCNu64 "%" SCNu64,
				&t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) == 8;
	fclose(f);
	for (unsigned int i = 0; i < 8; i++)
		sum += t[i];
	*thousandths = sum > 0 ? 1000. * (double)t[7] / (double)sum : 0;
	return there;
}

bool
host_there(const char *root, const char *path)
{
	char whole[PATH_MAX];

	return snprintf(whole, sizeof(whole), "%s%s", root, path) < (int)sizeof(whole) &&
		access(whole, F_OK) == 0;
}

bool
host_link(const char *root, const char *path, char *name, size_t size)
{
	char whole[PATH_MAX], target[PATH_MAX];
	const char *slash;
	ssize_t n;

	name[0] = '\0';
	if (snprintf(whole, sizeof(whole), "%s%s", root, path) >= (int)sizeof(whole))
		return false;
	n = readlink(whole, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	slash = strrchr(target, '/');
	snprintf(name, size, "%s", slash != NULL ? slash + 1 : target);
	return true;
}

static int
is_shown(const struct dirent *one)
{
	return one->d_name[0] != '.';
}

unsigned int
host_names(const char *root, const char *path, struct dirent ***names)
{
	char whole[PATH_MAX];
	int n = -1;

	*names = NULL;
	if (snprintf(whole, sizeof(whole), "%s%s", root, path) < (int)sizeof(whole))
		n = scandir(whole, names, is_shown, alphasort);
	return n > 0 ? (unsigned int)n : 0;
}

void
host_names_free(struct dirent **names, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

bool
host_lines(const char *root, const char *path, bool (*f)(const char *line, void *context),
	void *context)
{
	FILE *file = host_open(root, path);
	bool found = false;
	char line[512];

	if (file == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), file) != NULL)
		found = f(line, context);
	fclose(file);
	return found;
}

void
host_cpus_add(struct text *t, const cpu_set_t *cpus)
{
	const char *comma = "";

	for (unsigned int first = 0; first < CPU_SETSIZE; first++) {
		unsigned int last = first;

		if (!CPU_ISSET(first, cpus))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
			last++;
		text_add(t, last > first ? "%s%u-%u" : "%s%u", comma, first, last);
		comma = ",";
		first = last;
	}
}
