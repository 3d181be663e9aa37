/* Choose EAL options if none are given, and explain EAL's failures to the operator. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "start/eal.h"

#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "pmd_shims/left_out.h"

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_interrupts.h>
#include <rte_pdump.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <mntent.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long the interrupt thread is waited for at the end: 2 s. */
enum { PARK_STEPS = 20000, PARK_STEP_US = 100 };

/* Run the program again under another pid if EAL would confuse it with a running process. */

/* True if the file is in use: EAL holds a shared lock on its open files. */
static bool
is_locked(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return locked;
}

/* After rte_eal_init() failed: true if a process with the same pid owns the EAL files. */
static bool
eal_pid_taken(void)
{
	char pattern[PATH_MAX];
	glob_t files;
	bool taken = false;

	if (rte_eal_process_type() != RTE_PROC_SECONDARY)
		return false;
	snprintf(pattern, sizeof(pattern), "%s/fbarray_memseg-*_%d", rte_eal_get_runtime_dir(),
		(int)getpid());
	if (glob(pattern, 0, NULL, &files) != 0)
		return false;
	for (size_t i = 0; i < files.gl_pathc; i++)
		taken = taken || is_locked(files.gl_pathv[i]);
	globfree(&files);
	return taken;
}

/* Return this program's command line as words in *text; the caller frees both. */
static char **
command_line(char **text)
{
	size_t size = 0, n = 0;
	FILE *f = fopen("/proc/self/cmdline", "re");
	char **words = NULL;
	ssize_t bytes;

	*text = NULL;
	if (f == NULL)
		return NULL;
	/* The last word ends with a NUL byte, too. */
	bytes = getdelim(text, &size, EOF, f);
	fclose(f);
	if (bytes > 0)
		words = calloc((size_t)bytes + 1, sizeof(*words));
	for (char *at = *text; words != NULL && at < *text + bytes; at += strlen(at) + 1)
		words[n++] = at;
	return words;
}

/* Forward signals from kill(2) to the child; signals from a terminal reach it anyway. */
static void
signals_pass(struct interrupt *interrupt, pid_t child)
{
	struct signalfd_siginfo one;

	while (read(interrupt->signals, &one, sizeof(one)) == (ssize_t)sizeof(one))
		if (one.ssi_code <= 0)
			kill(child, (int)one.ssi_signo);
}

static int
child_wait(pid_t child, struct interrupt *interrupt)
{
	struct pollfd fds[] = { { .fd = interrupt->signals, .events = POLLIN },
		{ .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN } };
	int status = 0;

	while (fds[1].fd >= 0 && fds[1].revents == 0) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		signals_pass(interrupt, child);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (fds[1].fd >= 0)
		close(fds[1].fd);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/*
 * Run the same program in a child, under another pid, and wait for it. Signals are forwarded to the
 * child, and the child dies with this process. Returns the child's exit status as shells do (128 +
 * signal), or -errno with e filled if it could not be started. interrupt: of interrupt_open().
 * Thread: control.
 */
static int
eal_pid_relay(struct interrupt *interrupt, struct err *e)
{
	char *text, **words = command_line(&text);
	pid_t child = words != NULL ? fork() : -1;
	int ret;

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv("/proc/self/exe", words);
		_exit(127);
	}
	ret = child > 0
		? child_wait(child, interrupt)
		: err_set(e, errno, "cannot start a process with another pid: %s", strerror(errno));
	free(words);
	free(text);
	return ret;
}

#define ARGS_MAX_CHOSEN 16
#define FILES_MIN 64

/* Return the number in a file that contains one number, or 0. */
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
 * Without CAP_SYS_NICE a container's system call filter refuses get_mempolicy(2), and EAL cannot
 * use a hugepage without reading its NUMA node.
 */
static bool
memory_policy_refused(void)
{
	return syscall(SYS_get_mempolicy, NULL, NULL, 0, NULL, 0) != 0 && errno == EPERM;
}

/* Return the number of CPUs that this process may use; *first: the lowest of them. */
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
 * Fill argv[1..] with default options for this machine. Returns the number of words including
 * argv[0]. lcores: buffer for one of the words.
 */
static int
choose(char **argv, char *lcores, size_t size)
{
	int n = 1, first;

	/* The main lcore never forwards, so a single CPU must run two lcores. */
	if (cpus(&first) < 2) {
		snprintf(lcores, size, "(0,1)@%d", first);
		argv[n++] = "--lcores";
		argv[n++] = lcores;
	}
	/* Both variants leave no files behind and do not conflict with other DPDK programs. */
	if (hugepages_free_mib() >= 64 && !memory_policy_refused()) {
		argv[n++] = "--in-memory";
	} else {
		argv[n++] = "--no-huge";
		argv[n++] = "--no-shconf";
		argv[n++] = "-m";
		argv[n++] = "512";
	}
	/* PCI devices need root; without it EAL would print errors. */
	if (geteuid() != 0)
		argv[n++] = "--no-pci";
	return n;
}

/* Write the chosen options, a blank before each, and print them before EAL's own unbuffered lines. */
static void
say(struct out *out, int argc, char **argv, char *chosen, size_t bytes)
{
	size_t n = 0;

	for (int i = 1; i < argc && n < bytes; i++)
		n += (size_t)snprintf(chosen + n, bytes - n, " %s", argv[i]);
	if (out_format(out) == OUT_TEXT)
		out_prompt(out, "No EAL options given, using:%s\n", chosen);
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

/* Return the directory in which EAL cannot create its runtime directory; NULL if it can. */
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

/* Return the largest lcore of a list as --lcores has it, without the CPUs behind each "@". */
static unsigned long
lcore_largest_in(const char *list)
{
	unsigned long largest = 0, n;
	unsigned int depth = 0;
	bool cpus_follow = false;

	while (*list != '\0') {
		if (*list >= '0' && *list <= '9') {
			n = strtoul(list, (char **)(uintptr_t)&list, 10);
			if (!cpus_follow && n > largest)
				largest = n;
			continue;
		}
		depth += *list == '(';
		depth -= *list == ')' && depth > 0;
		cpus_follow = *list == '@' || (cpus_follow && (*list != ',' || depth > 0));
		list++;
	}
	return largest;
}

/* Return the largest lcore of -l and --lcores; 0 if there is neither. */
static unsigned long
lcore_largest(int argc, char **argv)
{
	static const char *const options[] = { "-l", "--lcores" };
	unsigned long largest = 0, n;

	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < ARRAY_SIZE(options); k++) {
			const size_t chars = strlen(options[k]);
			const char *value = argv[i] + chars;

			if (strncmp(argv[i], options[k], chars) != 0)
				continue;
			if (*value == '\0' && i + 1 < argc)
				value = argv[i + 1];
			n = lcore_largest_in(value);
			largest = n > largest ? n : largest;
		}
	return largest;
}

static int
failure(int argc, char **argv, int code, struct err *e)
{
	const unsigned long lcore = lcore_largest(argc, argv);
	const char *folder = runtime_unwritable(argc, argv);

	/* rte_eal_init() fails with these codes if hugepages are missing or not accessible. */
	bool pages = (code == EACCES || code == ENOMEM) && !given(argc, argv, "--no-huge");

	if ((code == ENODEV && left_out_option(left_out_drivers, "--vdev", argc, argv, e) != 0) ||
		(code == EINVAL && left_out_option(left_out_drivers, "-d", argc, argv, e) != 0))
		return -e->code;
	if (code == EINVAL && lcore >= RTE_MAX_LCORE)
		return err_set(e, ERANGE,
			"EAL initialisation failed: lcore %lu: expected 0..%u, the limit of this DPDK is RTE_MAX_LCORE (%u); give a CPU a lower lcore number, --lcores LCORE@CPU",
			lcore, RTE_MAX_LCORE - 1, RTE_MAX_LCORE);
	if (code == EINVAL && folder != NULL)
		return err_set(e, EROFS,
			"EAL initialisation failed: cannot write to %s; use another directory (RUNTIME_DIRECTORY) or add --no-shconf",
			folder);
	if (code == EINVAL)
		return err_set(e, code,
			"EAL initialisation failed (%s): wrong EAL option, or an option of zcfwd before \"--\"; use zcfwd [EAL options] -- [options]",
			rte_strerror(code));
	if (pages && hugepages_free_mib() == 0)
		return err_set(e, code,
			"EAL initialisation failed: no free hugepages; reserve some (echo 512 > "
			"/proc/sys/vm/nr_hugepages) or add --no-huge -m 512");
	if (pages && memory_policy_refused())
		return err_set(e, code,
			"EAL initialisation failed: hugepages need get_mempolicy(2), which is not permitted here; add --no-huge -m 512, or start the container with --cap-add=sys_nice");
	if (pages && !given(argc, argv, "--in-memory") && !hugetlbfs_mounted())
		return err_set(e, code,
			"EAL initialisation failed: no hugetlbfs is mounted; add --in-memory, or mount one "
			"(mount -t hugetlbfs nodev /dev/hugepages)");
	return err_set(e, code, "EAL initialisation failed (%s); see the EAL messages above",
		rte_strerror(code));
}

/* Check the open file limit: without enough files EAL aborts the program or omits ports. */
static int
enough_files(struct err *e)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= FILES_MIN)
		return 0;
	return err_set(e, EMFILE, "open files limited to %llu (ulimit -n): expected %d or more",
		(unsigned long long)limit.rlim_cur, FILES_MIN);
}

/* Run the program in a child and exit with its status; returns only if there is no child. */
static void
again(struct interrupt *interrupt, struct out *out, struct err *e)
{
	int status;

	out_warn(out,
		"zcfwd: another secondary process has pid %d in its own PID namespace; continuing under another pid\n",
		(int)getpid());
	status = eal_pid_relay(interrupt, e);
	if (status >= 0)
		exit(status);
	out_warn(out, "zcfwd: %s\n", e->text);
}

/*
 * True for a person at a terminal, whose first screen is not for what EAL detected, unless an option
 * chooses log levels of more than drivers.
 */
static bool
quiet(int argc, char **argv, const struct out *out)
{
	static const char option[] = "--log-level";

	if (!out_on_terminal(out) || isatty(STDIN_FILENO) == 0)
		return false;
	for (int i = 1; i < argc; i++) {
		const char *level = argv[i] + strlen(option);

		if (strncmp(argv[i], option, strlen(option)) != 0)
			continue;
		level = *level == '=' ? level + 1 : i + 1 < argc ? argv[i + 1] : "";
		if (strncmp(level, "pmd.", strlen("pmd.")) != 0)
			return false;
	}
	return true;
}

/*
 * Call rte_eal_init(); signals end it, because a secondary process may wait for its primary
 * forever.
 */
static int
init(int argc, char **argv, struct interrupt *interrupt, struct out *out, struct err *e)
{
	struct interrupt_guard guard;
	char **passed = calloc((size_t)argc, sizeof(*passed)); /* EAL overwrites the last word */
	int ret = passed == NULL ? err_set(e, ENOMEM, "no memory for %d options", argc)
				 : interrupt_guard_begin(&guard, interrupt, e);

	if (ret == 0) {
		memcpy(passed, argv, (size_t)argc * sizeof(*passed));
		if (quiet(argc, argv, out))
			rte_log_set_level(RTE_LOGTYPE_EAL, RTE_LOG_NOTICE);
		ret = rte_eal_init(argc, passed);
		interrupt_guard_end(&guard);
		if (ret < 0 && eal_pid_taken())
			again(interrupt, out, e);
		ret = ret >= 0 ? 0 : failure(argc, argv, rte_errno != 0 ? rte_errno : EINVAL, e);
	}
	free(passed);
	return ret;
}

int
eal_open(int argc, char **argv, struct interrupt *interrupt, char *chosen, size_t bytes,
	struct out *out, struct err *e)
{
	char *words[ARGS_MAX_CHOSEN] = { argv[0] }, lcores[24];

	if (enough_files(e) != 0)
		return -e->code;
	if (argc == 1) {
		argv = words;
		argc = choose(words, lcores, sizeof(lcores));
		say(out, argc, argv, chosen, bytes);
	}
	if (init(argc, argv, interrupt, out, e) != 0)
		return -e->code;
	if (rte_eal_process_type() != RTE_PROC_PRIMARY)
		return 0;
	/*
	 * Let dpdk-dumpcap and dpdk-pdump attach; without shared memory this fails, which is
	 * harmless.
	 */
	(void)rte_pdump_init();
	return 0;
}

/* True if a process listens on a socket; the file of a killed process remains. */
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

/* Empty the event, and keep the interrupt thread here until the program ends. Thread: interrupt. */
static void
park(void *event)
{
	eventfd_t n;

	eventfd_read((int)(intptr_t)event, &n);
	for (;;)
		pause();
}

/*
 * rte_eal_cleanup() unmaps the handles of interrupts while their thread may still read them:
 * net_memif never takes the one of its listener back. An alarm could not park the thread, as
 * rte_eal_cleanup() waits for alarms.
 */
static void
interrupts_park(void)
{
	struct rte_intr_handle *handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	struct pollfd event = { .fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), .events = POLLIN };

	if (handle != NULL && event.fd >= 0 && rte_intr_fd_set(handle, event.fd) == 0 &&
		rte_intr_type_set(handle, RTE_INTR_HANDLE_EXT) == 0 &&
		rte_intr_callback_register(handle, park, (void *)(intptr_t)event.fd) == 0)
		for (unsigned int i = 0; i < PARK_STEPS && poll(&event, 1, 0) > 0; i++)
			rte_delay_us_sleep(PARK_STEP_US);
	/* EAL has a copy. */
	rte_intr_instance_free(handle);
}

void
eal_close(void)
{
	rte_pdump_uninit();
	interrupts_park();
	rte_eal_cleanup();
}
