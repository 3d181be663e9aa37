/* Run the program again under another pid if EAL would confuse it with a running process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "start/eal_pid.h"

#include "base/err.h"

#include <rte_eal.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

bool
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
signals_pass(int interrupt_fd, pid_t child)
{
	struct signalfd_siginfo one;

	while (read(interrupt_fd, &one, sizeof(one)) == (ssize_t)sizeof(one))
		if (one.ssi_code <= 0)
			kill(child, (int)one.ssi_signo);
}

static int
child_wait(pid_t child, int interrupt_fd)
{
	struct pollfd fds[] = { { .fd = interrupt_fd, .events = POLLIN },
		{ .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN } };
	int status = 0;

	while (fds[1].fd >= 0 && fds[1].revents == 0) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		signals_pass(interrupt_fd, child);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (fds[1].fd >= 0)
		close(fds[1].fd);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int
eal_pid_relay(int interrupt_fd, struct err *e)
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
		? child_wait(child, interrupt_fd)
		: err_set(e, errno, "cannot start a process with another pid: %s", strerror(errno));
	free(words);
	free(text);
	return ret;
}
