/* --daemon: the program goes on in the background once it is ready; and what a service manager is told. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/control/daemon.h"

#include "base/err.h"
#include "cmdline/control/control_address.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Create the log beside a control socket. Returns its descriptor; path: where it is. */
static int
log_create(const char *address, char path[PATH_MAX], struct err *e)
{
	static const char suffix[] = ".sock";
	const bool named = strchr(address, ':') == NULL;
	struct sockaddr_un at;
	size_t n;
	int folder, fd;

	if (control_address(address, &at, e) != 0)
		return -e->code;
	folder = control_folder_open(at.sun_path, named, e);
	if (folder < 0)
		return folder;
	close(folder);
	n = strlen(at.sun_path) - (named ? strlen(suffix) : 0);
	snprintf(path, PATH_MAX, "%.*s.log", (int)n, at.sun_path);
	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0600);
	return fd >= 0 ? fd : err_set(e, errno, "daemon: %s: %s", path, strerror(errno));
}

/* Print what a child that did not become ready has logged: what is behind at. */
static void
log_print(int log, off_t at)
{
	char bytes[4096];
	ssize_t n;

	while ((n = pread(log, bytes, sizeof(bytes), at)) > 0) {
		fwrite(bytes, 1, (size_t)n, stderr);
		at += n;
	}
	fflush(stderr);
}

/* Wait in the parent until the child is ready or has ended. Ends the process. logged: bytes of the log before. */
static void
parent_end(pid_t child, int ready, int log, off_t logged, const char *path)
{
	char byte;
	int status = 0;
	ssize_t n;

	while ((n = read(ready, &byte, 1)) < 0 && errno == EINTR)
		;
	if (n == 1) {
		printf("zcfwd: process %d, log %s\n", (int)child, path);
		fflush(stdout);
		_exit(EXIT_SUCCESS);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	log_print(log, logged);
	if (WIFSIGNALED(status))
		fprintf(stderr, "zcfwd: ended by signal %d before it was ready\n",
			WTERMSIG(status));
	_exit(WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : EXIT_FAILURE);
}

/* The standard files of the child. */
static int
files_replace(int log, struct err *e)
{
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (setsid() < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
		dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
		return err_set(e, errno, "daemon: %s", strerror(errno));
	close(null);
	close(log);
	return 0;
}

int
daemon_begin(const char *address, struct err *e)
{
	char path[PATH_MAX];
	int log, ready[2], ret;
	off_t logged;
	pid_t child;

	log = log_create(address, path, e);
	if (log < 0)
		return log;
	if (pipe2(ready, O_CLOEXEC) != 0) {
		err_set(e, errno, "daemon: pipe: %s", strerror(errno));
		close(log);
		return -e->code;
	}
	fflush(NULL);
	logged = lseek(log, 0, SEEK_END);
	child = fork();
	if (child < 0)
		return err_set(e, errno, "daemon: fork: %s", strerror(errno));
	if (child > 0) {
		close(ready[1]);
		parent_end(child, ready[0], log, logged, path);
	}
	close(ready[0]);
	ret = files_replace(log, e);
	return ret == 0 ? ready[1] : ret;
}

/* Send a state to the service manager that has started this process, if there is one. */
static void
notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n;
	int fd;

	if (path == NULL || (path[0] != '/' && path[0] != '@') ||
		strlen(path) >= sizeof(to.sun_path))
		return;
	n = strlen(path);
	memcpy(to.sun_path, path, n);
	if (path[0] == '@') /* an abstract name */
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	close(fd);
}

int
daemon_ready(int ready)
{
	const bool told = ready < 0 || write(ready, "", 1) == 1;

	if (ready >= 0)
		close(ready);
	if (told)
		notify("READY=1");
	return told ? 0 : -ECANCELED;
}

void
daemon_stopping(void)
{
	notify("STOPPING=1");
}
