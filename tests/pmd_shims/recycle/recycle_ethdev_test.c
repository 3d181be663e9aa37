/* rte_eth_recycle_mbufs() on modelled NICs: carried out by the plugin everything is good, by the
 * drivers' callbacks it is not. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each run is a process of its own, this program again with words: some of the drivers' end in a
 * crash.
 */
#include "base/base.h"
#include "fixtures/recycle_ethdev_runs.h"
#include "fixtures/unit.h"

#include <rte_version.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { LINE = RECYCLE_ETHDEV_LINE, TWENTY_FIVE = RTE_VERSION >= RTE_VERSION_NUM(25, 3, 0, 0) };

/* "plugin" or "driver", the run, its tx_rs_thresh; out: what it came to. */
static void
child(const char *device, const char *bits, const char *by, const char *run, const char *rs,
	char out[LINE])
{
	char line[512], command[512];
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command),
		"exec env MODEL_NIC=%s,verify,flows=16*2 MODEL_NIC_MODE=step SIMD_BITS=%s \"%s\" %s %s %s 2>&1",
		device, bits, getenv("SELF"), by, run, rs);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	snprintf(out, LINE, "silence");
	while (fgets(line, sizeof(line), pipe) != NULL)
		if (sscanf(line, "verdict: %159[^\n]", out) != 1 && getenv("VERBOSE") != NULL)
			print_message("# %s", line);
	status = pclose(pipe);
	if (WIFSIGNALED(status))
		snprintf(out, LINE, "crash, signal %d", WTERMSIG(status));
	else if (status != 0)
		snprintf(out, LINE, "exit %d", WEXITSTATUS(status));
	print_message("# %s %s bits, rs %s, %s by %s: %s\n", device, bits, rs, run, by, out);
}

enum { OLD = 1, NEW = 2, BOTH = OLD | NEW }; /* DPDK 23.11 to 24.11; since 25.03 */

static const struct {
	const char *device, *bits, *by, *run, *rs,
		*wants; /* wants: how the verdict begins; NULL: a crash, or one of the faults */
	unsigned int releases;
} wanted[] = {
	{ "xl710", "128", "plugin", "stream", "32", "good, most moved", BOTH },
	{ "xl710", "256", "plugin", "stream", "64", "good, some moved", OLD },
	{ "xl710", "256", "plugin", "stream", "64", "good, most moved", NEW },
	{ "xl710", "512", "plugin", "stream", "32", "good, most moved", BOTH },
	{ "82599", "128", "plugin", "stream", "32", "good, most moved", BOTH },
	{ "xl710", "128", "driver", "which", "32", "good: 0 of 32", OLD },
	{ "xl710", "128", "driver", "which", "64", "bad: 63 of 64", NEW },
	{ "xl710", "256", "driver", "which", "64", "bad: 63 of 64", NEW },
	{ "82599", "128", "driver", "which", "32", "bad: 31 of 32", OLD },
	{ "82599", "128", "driver", "which", "32", "good: 0 of 0", NEW },
	{ "xl710", "128", "driver", "stream", "32", "good, most moved", OLD },
	{ "xl710", "128", "driver", "stream", "32", "good, nothing moved", NEW },
	{ "xl710", "128", "driver", "stream", "64", NULL, NEW },
	{ "xl710", "256", "driver", "stream", "64", NULL, NEW },
	{ "82599", "128", "driver", "stream", "32", NULL, OLD },
	{ "82599", "128", "driver", "stream", "32", "good, nothing moved", NEW },
	{ "xl710", "128", "plugin", "unsent", "32", "good", OLD },
	{ "xl710", "128", "driver", "unsent", "32", NULL, OLD },
	{ "82599", "128", "plugin", "unsent", "32", "good", OLD },
	{ "82599", "128", "driver", "unsent", "32", NULL, OLD },
	{ "xl710", "128", "plugin", "unsent", "64", "good", NEW },
	{ "xl710", "128", "driver", "unsent", "64", NULL, NEW },
	{ "xl710", "128", "plugin", "restart", "32", "good, nothing moved", BOTH },
	{ "xl710", "128", "driver", "restart", "32", NULL, OLD },
	{ "xl710", "128", "driver", "restart", "64", NULL, NEW },
	{ "xl710", "128", "plugin", "simple", "32", "good", OLD },
	{ "xl710", "128", "driver", "simple", "32", NULL, OLD },
	{ "xl710", "128", "plugin", "simple", "64", "good", NEW },
	{ "xl710", "128", "driver", "simple", "64", NULL, NEW },
	{ "xl710", "512", "driver", "stream", "32", "good, nothing moved", BOTH },
	{ "xl710", "256", "plugin", "late", "32", "good, most moved", BOTH },
	{ "82599", "128", "plugin", "late", "32", "good, most moved", BOTH },
};

static bool
is_fault(const char *out)
{
	static const char *const faults[] = { "crash", "bad", "mbufs were taken", "an mbuf is" };

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		if (strncmp(out, faults[i], strlen(faults[i])) == 0)
			return true;
	return false;
}

/* Those carried out by whom *state names. */
static void
each_run(void **state)
{
	unsigned int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const char *wants = wanted[i].wants;
		char out[LINE];

		if (strcmp(wanted[i].by, *state) != 0 ||
			(wanted[i].releases & (TWENTY_FIVE ? NEW : OLD)) == 0)
			continue;
		child(wanted[i].device, wanted[i].bits, wanted[i].by, wanted[i].run, wanted[i].rs,
			out);
		if (strcmp(out, RECYCLE_ETHDEV_NO_WIDTH) == 0)
			continue;
		if (wants != NULL ? strncmp(out, wants, strlen(wants)) != 0 : !is_fault(out)) {
			print_message("# wanted: %s\n", wants != NULL ? wants : "a fault");
			failed++;
		}
	}
	assert_int_equal(failed, 0);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(each_run, (void *)(uintptr_t) "plugin"),
		cmocka_unit_test_prestate(each_run, (void *)(uintptr_t) "driver"),
	};

	if (argc != 4) {
		setenv("SELF", argv[0], 1);
		return cmocka_run_group_tests_name("recycle_ethdev", tests, NULL, NULL);
	}
	recycle_ethdev_run(argv[1], argv[2], argv[3]);
}
