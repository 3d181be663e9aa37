/* Hardware counters: their names, events in perf's notation, the defaults of each CPU family, and the system calls that open and read them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pmu.h"

#include "base/base.h"
#include "base/err.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

const char *const pmu_names[PMU_COUNTERS] = { [PMU_CYCLES] = "cycles",
	[PMU_INSTRUCTIONS] = "instructions",
	[PMU_STALLED_FRONTEND] = "stalled_frontend",
	[PMU_STALLED_BACKEND] = "stalled_backend",
	[PMU_L1D_REFILLS] = "l1d_refills",
	[PMU_L1D_WRITEBACKS] = "l1d_writebacks",
	[PMU_L2_REFILLS] = "l2_refills",
	[PMU_L2_WRITEBACKS] = "l2_writebacks",
	[PMU_L3_REFILLS] = "l3_refills",
	[PMU_MC_REQUESTS] = "mc_requests" };

int
pmu_open(const struct pmu_event *event)
{
	struct perf_event_attr attr = { .type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = event->cpu < 0,
		.exclude_hv = event->cpu < 0 };
	const int thread = event->cpu < 0 ? 0 : -1;
	long fd = syscall(SYS_perf_event_open, &attr, thread, event->cpu, -1, PERF_FLAG_FD_CLOEXEC);

	/* Some event sources cannot exclude the kernel. */
	if (fd < 0 && errno == EINVAL && attr.exclude_kernel) {
		attr.exclude_kernel = 0;
		attr.exclude_hv = 0;
		fd = syscall(SYS_perf_event_open, &attr, thread, event->cpu, -1,
			PERF_FLAG_FD_CLOEXEC);
	}
	return fd >= 0 ? (int)fd : -errno;
}

bool
pmu_read(int fd, struct pmu_reading *reading)
{
	return read(fd, reading, sizeof(*reading)) == (ssize_t)sizeof(*reading);
}

/* Parse events: kernel names, raw numbers, and terms whose bits /sys describes. */

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

/* The table of default events by CPU, from the vendors' manuals. Kernel names come first if the
 * kernel maps them. A raw number has the event in bits 0 to 7, the unit mask in bits 8 to 15 and,
 * on Intel, the minimum count per cycle in bits 24 to 31. */

#define ONE(cpu) (1u << PMU_CPU_##cpu)

enum {
	ANY = ~0u >> 1,
	INTEL = ONE(INTEL_HASWELL) | ONE(INTEL_SKYLAKE) | ONE(INTEL_ICELAKE) | ONE(INTEL_SAPPHIRE),
	AMD = ONE(AMD_ZEN2) | ONE(AMD_ZEN3),
	OTHER = ONE(OTHER),
};

static const struct {
	unsigned int cpus;
	enum pmu_counter counter;
	const char *word;
} rows[] = {
	{ ANY, PMU_CYCLES, "cycles" },
	{ ANY, PMU_INSTRUCTIONS, "instructions" },

	{ ANY, PMU_STALLED_FRONTEND, "stalled-cycles-frontend" },
	{ ONE(INTEL_HASWELL) | ONE(INTEL_SKYLAKE), PMU_STALLED_FRONTEND, "r400019c" },
	{ ONE(INTEL_ICELAKE), PMU_STALLED_FRONTEND, "r500019c" },
	{ ONE(INTEL_SAPPHIRE), PMU_STALLED_FRONTEND, "r600019c" },
	{ ONE(ARM), PMU_STALLED_FRONTEND, "r23" },
	{ ANY, PMU_STALLED_BACKEND, "stalled-cycles-backend" },
	{ INTEL, PMU_STALLED_BACKEND, "r40004a3" },
	{ ONE(ARM), PMU_STALLED_BACKEND, "r24" },

	{ INTEL, PMU_L1D_REFILLS, "r151" },
	{ ONE(AMD_ZEN3), PMU_L1D_REFILLS, "rff44" },
	{ ONE(ARM), PMU_L1D_REFILLS, "r3" },
	{ ONE(AMD_ZEN2) | OTHER, PMU_L1D_REFILLS, "L1-dcache-load-misses" },
	{ ONE(INTEL_HASWELL), PMU_L1D_WRITEBACKS, "r10f0" },
	{ ONE(ARM), PMU_L1D_WRITEBACKS, "r15" },

	{ ONE(INTEL_HASWELL), PMU_L2_REFILLS, "r7f1" },
	{ ONE(INTEL_SKYLAKE) | ONE(INTEL_ICELAKE), PMU_L2_REFILLS, "r1ff1" },
	{ ONE(INTEL_SAPPHIRE), PMU_L2_REFILLS, "r1f25" },
	{ AMD, PMU_L2_REFILLS, "r964" },
	{ ONE(ARM), PMU_L2_REFILLS, "r17" },
	{ INTEL & ~ONE(INTEL_SAPPHIRE), PMU_L2_WRITEBACKS, "r40f0" },
	{ ONE(INTEL_SAPPHIRE), PMU_L2_WRITEBACKS, "r4023" },
	{ ONE(ARM), PMU_L2_WRITEBACKS, "r18" },

	{ INTEL, PMU_L3_REFILLS, "r412e" },
	{ ONE(AMD_ZEN2), PMU_L3_REFILLS, "r4843" },
	{ ONE(AMD_ZEN3), PMU_L3_REFILLS, "r4844" },
	{ ONE(ARM), PMU_L3_REFILLS, "r2a" },
	{ ONE(ARM) | OTHER, PMU_L3_REFILLS, "LLC-load-misses" },

	{ ANY, PMU_MC_REQUESTS,
		"uncore_imc_[0-9]*/cas_count_read/+uncore_imc_[0-9]*/cas_count_write/" },
	{ ANY, PMU_MC_REQUESTS, "amd_umc_*/event=0xa/" },
	{ ANY, PMU_MC_REQUESTS, "hisi_sccl*_ddrc*/flux_rd/+hisi_sccl*_ddrc*/flux_wr/" },
	{ ANY, PMU_MC_REQUESTS, "arm_dmc620_*/clkdiv2_rdwr/" },
};

static const struct {
	enum pmu_cpu cpu;
	unsigned char models[12]; /* of Intel's family 6; ends with 0 */
} intel[] = {
	{ PMU_CPU_INTEL_HASWELL, { 0x3c, 0x3d, 0x3f, 0x45, 0x46, 0x47, 0x4f, 0x56 } },
	{ PMU_CPU_INTEL_SKYLAKE, { 0x4e, 0x55, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6 } },
	{ PMU_CPU_INTEL_ICELAKE, { 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7 } },
	{ PMU_CPU_INTEL_SAPPHIRE, { 0x8f, 0xad, 0xae, 0xcf } },
};

enum pmu_cpu
pmu_cpu_x86(const char *maker, unsigned int family, unsigned int model)
{
	if (strcmp(maker, "AuthenticAMD") == 0)
		return family >= 0x19    ? PMU_CPU_AMD_ZEN3
			: family == 0x17 ? PMU_CPU_AMD_ZEN2
					 : PMU_CPU_OTHER;
	if (strcmp(maker, "GenuineIntel") != 0 || family != 6 || model == 0)
		return PMU_CPU_OTHER;
	for (size_t i = 0; i < ARRAY_SIZE(intel); i++)
		for (size_t k = 0; k < ARRAY_SIZE(intel[i].models); k++)
			if (intel[i].models[k] == model)
				return intel[i].cpu;
	return PMU_CPU_OTHER;
}

/* Return the family of this machine's CPU. */
static enum pmu_cpu
pmu_cpu_here(void)
{
#if defined(__x86_64__)
	unsigned int a, b, c, d, family, model;
	char maker[13] = "";

	if (__get_cpuid(0, &a, &b, &c, &d) == 0)
		return PMU_CPU_OTHER;
	memcpy(maker, &b, 4);
	memcpy(maker + 4, &d, 4);
	memcpy(maker + 8, &c, 4);
	if (__get_cpuid(1, &a, &b, &c, &d) == 0)
		return PMU_CPU_OTHER;
	family = (a >> 8 & 0xf) == 0xf ? 0xf + (a >> 20 & 0xff) : a >> 8 & 0xf;
	model = (a >> 4 & 0xf) | (a >> 12 & 0xf0);
	return pmu_cpu_x86(maker, family, model);
#elif defined(__aarch64__)
	return PMU_CPU_ARM;
#else
	return PMU_CPU_OTHER;
#endif
}

const char *
pmu_usual(enum pmu_cpu cpu, enum pmu_counter which, unsigned int i)
{
	for (size_t k = 0; k < ARRAY_SIZE(rows); k++)
		if (rows[k].counter == which && (rows[k].cpus & 1u << cpu) != 0 && i-- == 0)
			return rows[k].word;
	return NULL;
}

/* Choose the events of the hardware counters: the defaults of the CPU, replaced by a list of
 * NAME=EVENT. */

enum { CHOICE_WORD_BYTES = 256 };

/* Find the CPU's default events that the kernel supports. */
static void
usual_find(const char *devices, enum pmu_cpu cpu, struct pmu_choice *choice)
{
	const char *word;
	unsigned int n;

	for (unsigned int c = 0; c < PMU_LCORE; c++) {
		for (unsigned int i = 0; (word = pmu_usual(cpu, c, i)) != NULL; i++)
			if (choice->lcore[c].n < PMU_TRIES &&
				pmu_event_find(devices, word,
					&choice->lcore[c].event[choice->lcore[c].n], 1, &n,
					NULL) == 0)
				choice->lcore[c].n++;
	}
	for (unsigned int i = 0;
		choice->n_controllers == 0 && (word = pmu_usual(cpu, PMU_MC_REQUESTS, i)) != NULL;
		i++)
		if (pmu_event_find(devices, word, choice->controller, PMU_CONTROLLERS,
			    &choice->n_controllers, NULL) != 0)
			choice->n_controllers = 0;
}

static int
counter_find(const char *name, size_t bytes)
{
	for (int c = 0; c < PMU_COUNTERS; c++)
		if (strlen(pmu_names[c]) == bytes && memcmp(pmu_names[c], name, bytes) == 0)
			return c;
	return -1;
}

/* Apply one NAME=EVENT. */
static int
wanted_take(const char *devices, const char *one, struct pmu_choice *choice, struct err *e)
{
	const char *event = strchr(one, '=');
	const size_t bytes = event != NULL ? (size_t)(event - one) : strlen(one);
	const int c = counter_find(one, bytes);
	unsigned int n;

	if (c < 0)
		return err_set(e, EINVAL,
			"unknown hardware counter \"%.*s\": expected cycles, instructions, stalled_frontend, stalled_backend, l1d_refills, l1d_writebacks, l2_refills, l2_writebacks, l3_refills or mc_requests",
			(int)bytes, one);
	if (event == NULL)
		return err_set(e, EINVAL, "%s: expected %s=EVENT", one, one);
	if (c == PMU_MC_REQUESTS)
		return pmu_event_find(devices, event + 1, choice->controller, PMU_CONTROLLERS,
			&choice->n_controllers, e);
	if (pmu_event_find(devices, event + 1, choice->lcore[c].event, 1, &n, e) != 0)
		return -e->code;
	if (choice->lcore[c].event[0].cpu >= 0)
		return err_set(e, EINVAL,
			"%s counts for the whole machine, but %s needs an event of one lcore",
			event + 1, pmu_names[c]);
	choice->lcore[c].n = 1;
	return 0;
}

/* Return the length of the first NAME=EVENT; a comma between slashes belongs to the event. */
static size_t
one_bytes(const char *wanted)
{
	bool terms = false;
	size_t n;

	for (n = 0; wanted[n] != '\0' && (terms || wanted[n] != ','); n++)
		terms ^= wanted[n] == '/';
	return n;
}

int
pmu_choose(const char *devices, const char *wanted, struct pmu_choice *choice, struct err *e)
{
	char one[CHOICE_WORD_BYTES];

	memset(choice, 0, sizeof(*choice));
	usual_find(devices, pmu_cpu_here(), choice);
	while (*wanted != '\0') {
		const size_t bytes = one_bytes(wanted);

		if (bytes >= sizeof(one))
			return err_set(e, EINVAL,
				"\"%.40s\" is too long: expected fewer than %d characters", wanted,
				CHOICE_WORD_BYTES);
		snprintf(one, sizeof(one), "%.*s", (int)bytes, wanted);
		if (wanted_take(devices, one, choice, e) != 0)
			return -e->code;
		wanted += bytes;
		wanted += *wanted == ',';
	}
	return 0;
}
