/* Choosing EAL options when none are given, and reading EAL's failures for the operator. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "start/eal.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "pmd_shims/left_out.h"
#include "start/eal_pid.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_pdump.h>

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <mntent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define ARGS_MAX_CHOSEN 16
#define FILES_MIN 64

/* The number in a one-number file, or 0. */
static unsigned long
file_number(const char *path)
{
	unsigned long n = 0;
	FILE *f = fopen(path, "re");

	if (f == NULL)
		return 0;
	if (fscanf(f, "%lu", &n) != 1)
		n = 0;
	fclose(f);
	return n;
}

static unsigned long
hugepages_free_mib(void)
{
	return 2 * file_number("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages") +
		1024 * file_number("/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages");
}

/*
 * A container's filter of system calls refuses get_mempolicy(2) without CAP_SYS_NICE, and EAL takes
 * no huge page whose NUMA node it cannot read.
 */
static bool
memory_policy_refused(void)
{
	return syscall(SYS_get_mempolicy, NULL, NULL, 0, NULL, 0) != 0 && errno == EPERM;
}

/* How many CPUs this process may use; *first is the lowest of them. */
static unsigned int
cpus(int *first)
{
	cpu_set_t set;

	*first = 0;
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	while (!CPU_ISSET(*first, &set))
		(*first)++;
	return (unsigned int)CPU_COUNT(&set);
}

/*
 * Sane options for this machine into argv[1..]; returns how many words there are with argv[0].
 * lcores: room for one of them.
 */
static int
choose(char **argv, char *lcores, size_t size)
{
	int n = 1, first;

	/* The main lcore never forwards: a single CPU has to carry two lcores. */
	if (cpus(&first) < 2) {
		snprintf(lcores, size, "(0,1)@%d", first);
		argv[n++] = "--lcores";
		argv[n++] = lcores;
	}
	/* Either way nothing is left behind and no other DPDK program is in the way. */
	if (hugepages_free_mib() >= 64 && !memory_policy_refused()) {
		argv[n++] = "--in-memory";
	} else {
		argv[n++] = "--no-huge";
		argv[n++] = "--no-shconf";
		argv[n++] = "-m";
		argv[n++] = "512";
	}
	/* Devices that only root may touch would fail loudly. */
	if (geteuid() != 0)
		argv[n++] = "--no-pci";
	return n;
}

/* Before EAL's own lines, which do not wait in a buffer. */
static void
say(struct out *out, int argc, char **argv)
{
	int i;

	if (out_format(out) != OUT_TEXT)
		return;
	out_prompt(out, "No EAL options given, using:");
	for (i = 1; i < argc; i++)
		out_prompt(out, " %s", argv[i]);
	out_prompt(out, "\n");
}

static bool
given(int argc, char **argv, const char *option)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strcmp(argv[i], option) == 0)
			return true;
	return false;
}

static bool
hugetlbfs_mounted(void)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m = NULL;

	while (f != NULL && (m = getmntent(f)) != NULL)
		if (strcmp(m->mnt_type, "hugetlbfs") == 0)
			break;
	if (f != NULL)
		endmntent(f);
	return m != NULL;
}

/* Where EAL makes its runtime directory; NULL when it can. */
static const char *
runtime_unwritable(int argc, char **argv)
{
	const char *folder = getenv("RUNTIME_DIRECTORY");

	if (folder == NULL)
		folder = geteuid() == 0 ? "/var/run" : getenv("XDG_RUNTIME_DIR");
	if (folder == NULL)
		folder = "/tmp";
	if (given(argc, argv, "--no-shconf") || given(argc, argv, "--in-memory") ||
		access(folder, W_OK | X_OK) == 0)
		return NULL;
	return folder;
}

static int
failure(int argc, char **argv, int code, struct err *e)
{
	const char *folder = runtime_unwritable(argc, argv);

	/* What rte_eal_init() gives where it finds no pages, and where it cannot have them. */
	bool pages = (code == EACCES || code == ENOMEM) && !given(argc, argv, "--no-huge");

	if ((code == ENODEV && left_out_option(left_out_drivers, "--vdev", argc, argv, e) != 0) ||
		(code == EINVAL && left_out_option(left_out_drivers, "-d", argc, argv, e) != 0))
		return -e->code;
	if (code == EINVAL && folder != NULL)
		return err_set(e, EROFS,
			"EAL did not come up: it cannot write %s; name another folder (RUNTIME_DIRECTORY) or add --no-shconf",
			folder);
	if (code == EINVAL)
		return err_set(e, code,
			"EAL did not come up (%s): an option of its own is wrong, or one of zcfwd's stands on its side: want zcfwd [EAL options] -- [options]",
			rte_strerror(code));
	if (pages && hugepages_free_mib() == 0)
		return err_set(e, code,
			"EAL did not come up: no free hugepages; reserve some (echo 512 > "
			"/proc/sys/vm/nr_hugepages) or add --no-huge -m 512");
	if (pages && memory_policy_refused())
		return err_set(e, code,
			"EAL did not come up: huge pages need get_mempolicy(2), which is refused here; add --no-huge -m 512, or start the container with --cap-add=sys_nice");
	if (pages && !given(argc, argv, "--in-memory") && !hugetlbfs_mounted())
		return err_set(e, code,
			"EAL did not come up: no hugetlbfs is mounted; add --in-memory, or mount one "
			"(mount -t hugetlbfs nodev /dev/hugepages)");
	return err_set(e, code, "EAL did not come up (%s); its own lines above say why",
		rte_strerror(code));
}

/* EAL aborts the program, or leaves ports out, where it cannot open what it needs. */
static int
enough_files(struct err *e)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= FILES_MIN)
		return 0;
	return err_set(e, EMFILE, "only %llu files may be open (ulimit -n): want %d or more",
		(unsigned long long)limit.rlim_cur, FILES_MIN);
}

/* In a child, with whose status this process ends; returns where there is none. */
static void
again(int interrupt_fd, struct out *out, struct err *e)
{
	int status;

	out_warn(out,
		"zcfwd: another secondary process of this EAL is number %d of its PID namespace too: going on under another pid\n",
		(int)getpid());
	status = eal_pid_relay(interrupt_fd, e);
	if (status >= 0)
		exit(status);
	out_warn(out, "zcfwd: %s\n", e->text);
}

/* A secondary process waits for its primary's EAL, which may never come up. */
static int
init(int argc, char **argv, int interrupt_fd, struct out *out, struct err *e)
{
	struct interrupt_guard guard;
	char **passed = calloc((size_t)argc, sizeof(*passed)); /* EAL writes over the last one */
	int ret = passed == NULL ? err_set(e, ENOMEM, "no memory for %d options", argc)
				 : interrupt_guard_begin(&guard, interrupt_fd, e);

	if (ret == 0) {
		memcpy(passed, argv, (size_t)argc * sizeof(*passed));
		ret = rte_eal_init(argc, passed);
		interrupt_guard_end(&guard);
		if (ret < 0 && eal_pid_taken())
			again(interrupt_fd, out, e);
		ret = ret >= 0 ? 0 : failure(argc, argv, rte_errno != 0 ? rte_errno : EINVAL, e);
	}
	free(passed);
	return ret;
}

int
eal_open(int argc, char **argv, int interrupt_fd, struct out *out, struct err *e)
{
	char *chosen[ARGS_MAX_CHOSEN] = { argv[0] }, lcores[24];

	if (enough_files(e) != 0)
		return -e->code;
	if (argc == 1) {
		argv = chosen;
		argc = choose(chosen, lcores, sizeof(lcores));
		say(out, argc, argv);
	}
	if (init(argc, argv, interrupt_fd, out, e) != 0)
		return -e->code;
	if (rte_eal_process_type() != RTE_PROC_PRIMARY)
		return 0;
	/*
	 * Lets dpdk-dumpcap and dpdk-pdump attach; without shared memory it cannot, and nothing is
	 * lost.
	 */
	(void)rte_pdump_init();
	return 0;
}

/* Whether somebody has the other end of a socket: the file outlives a process that was killed. */
static bool
listens(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool yes = false;

	if (fd >= 0 && strlen(path) < sizeof(to.sun_path)) {
		memcpy(to.sun_path, path, strlen(path));
		yes = connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0;
	}
	if (fd >= 0)
		close(fd);
	return yes;
}

unsigned int
eal_secondaries(void)
{
	char pattern[PATH_MAX];
	unsigned int n = 0;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/mp_socket_*", rte_eal_get_runtime_dir());
	if (glob(pattern, 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++)
		n += listens(found.gl_pathv[i]);
	globfree(&found);
	return n;
}

void
eal_close(void)
{
	rte_pdump_uninit();
	rte_eal_cleanup();
}
