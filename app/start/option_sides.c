/* Split the command line into EAL's and zcfwd's options. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "start/option_sides.h"

#include "base/base.h"
#include "base/err.h"
#include "start/option.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/*
 * EAL's long options in all supported releases. Another word before "--" that is not an
 * abbreviation of one of them may be a misspelt option of zcfwd. EAL options missing here are still
 * passed to EAL, unless they are similar to an option of zcfwd.
 */
static const char *const eal_names[] = { "allow", "base-virtaddr", "block", "config", "corelist",
	"coremask", "create-uio-dev", "driver-path", "file-prefix", "force-max-simd-bitwidth",
	"help", "huge-dir", "huge-unlink", "huge-worker-stack", "in-memory", "iova-mode", "lcores",
	"legacy-mem", "log-color", "log-level", "log-timestamp", "main-lcore", "match-allocations",
	"mbuf-pool-ops-name", "memory-channels", "memory-ranks", "memory-size", "no-auto-probing",
	"no-hpet", "no-huge", "no-pci", "no-shconf", "no-telemetry", "numa-limit", "numa-mem",
	"auto-probing", "proc-type", "remap-lcore-ids", "service-corelist", "service-coremask",
	"service-cores", "single-file-segments", "socket-limit", "socket-mem", "syslog",
	"telemetry", "trace", "trace-bufsz", "trace-dir", "trace-mode", "vdev", "version",
	"vfio-intr", "vfio-vf-token", "vmware-tsc-map" };

/* True if name[0..n) is a prefix of an EAL option; with the NUL included, if it is one. */
static bool
is_eal(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(eal_names); i++)
		if (strncmp(eal_names[i], name, n) == 0)
			return true;
	return false;
}

/* Copy the name from "--name=value"; false if the word is not a long option. */
static bool
name_of(const char *word, char *name, size_t size)
{
	const size_t n = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;

	if (n == 0 || n >= size)
		return false;
	memcpy(name, word + 2, n);
	name[n] = '\0';
	return true;
}

/*
 * Classify a word before "--": return the number of words of zcfwd's option, or 0 if it is EAL's.
 */
static int
ours(const struct option *table, char **argv, int left, struct err *e)
{
	const struct option *own = table;
	const char *near;
	char name[64];

	if (strcmp(argv[0], "-i") == 0)
		return 1;
	if (!name_of(argv[0], name, sizeof(name)))
		return 0;
	while (own->name != NULL && strcmp(own->name, name) != 0)
		own++;
	if (own->name != NULL && !is_eal(name, strlen(name) + 1))
		return own->has_arg == required_argument && strchr(argv[0], '=') == NULL && left > 1
			? 2
			: 1;
	near = own->name != NULL || is_eal(name, strlen(name)) ? NULL : options_near(table, name);
	if (near == NULL)
		return 0;
	return err_set(e, EINVAL,
		"--%s: not an option of EAL or zcfwd (did you mean --%s?); zcfwd --help lists zcfwd's options",
		name, near);
}

/* Divide the words argv[1..at), which are before "--". */
static int
divide_left(const struct option *table, int at, char **argv, struct option_sides *s, struct err *e)
{
	for (int i = 1; i < at; i++) {
		int n = ours(table, argv + i, at - i, e);

		if (n < 0)
			return n;
		if (n == 0)
			s->eal[s->n_eal++] = argv[i];
		for (; n > 0; n--, i += n > 0)
			s->own[s->n_own++] = argv[i];
	}
	return 0;
}

int
option_sides_divide(const struct settings *settings, int argc, char **argv,
	struct option_sides *sides, struct err *e)
{
	struct option *table = options_table(settings);
	int at = 1, ret;

	*sides = (struct option_sides){ calloc((size_t)argc + 1, sizeof(*argv)),
		calloc((size_t)argc + 1, sizeof(*argv)), 1, 1 };
	if (sides->eal == NULL || sides->own == NULL || table == NULL) {
		free(table);
		return err_set(e, ENOMEM, "no memory for the options");
	}
	while (at < argc && strcmp(argv[at], "--") != 0)
		at++;
	sides->eal[0] = sides->own[0] = argv[0];
	ret = divide_left(table, at, argv, sides, e);
	for (int i = at + 1; i < argc; i++)
		sides->own[sides->n_own++] = argv[i];
	free(table);
	return ret;
}

void
option_sides_free(struct option_sides *sides)
{
	free(sides->eal);
	free(sides->own);
	*sides = (struct option_sides){ 0 };
}
