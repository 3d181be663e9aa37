/* SIGINT, SIGTERM and SIGHUP through a signalfd, which the control thread polls. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/interrupt.h"

#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define GUARD_MS 1000

/* Once blocked, a signal that is ignored would be read all the same. */
static bool
is_ignored(int number)
{
	struct sigaction now;

	return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void
mask(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	if (!is_ignored(SIGHUP))
		sigaddset(set, SIGHUP);
}

int
interrupt_open(struct err *e)
{
	sigset_t set;
	int fd;

	/* A virtio-user port whose backend goes first writes into a closed socket. */
	signal(SIGPIPE, SIG_IGN);
	/* So that whoever opens interrupt_resize() gets it, and not a thread that ignores it. */
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	mask(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		return err_set(e, errno, "signalfd: %s", strerror(errno));
	return fd;
}

int
interrupt_resize(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

bool
interrupt_pending(int fd)
{
	return interrupt_wait(fd, false, 0);
}

bool
interrupt_key(int fd)
{
	struct signalfd_siginfo one;
	bool key = false, other = false;

	while (read(fd, &one, sizeof(one)) == (ssize_t)sizeof(one)) {
		if (one.ssi_signo == SIGINT && one.ssi_code == SI_KERNEL) {
			key = true;
			continue;
		}
		/* Waits again, as it did; one that is sent later in this loop is read in the next call. */
		other = true;
		kill(getpid(), (int)one.ssi_signo);
		break;
	}
	return key && !other;
}

static void *
guard(void *arg)
{
	const struct interrupt_guard *g = arg;
	struct pollfd fds[] = { { g->done[0], POLLIN, 0 }, { g->fd, POLLIN, 0 } };
	sigset_t set;

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	if (poll(fds, 1, GUARD_MS) > 0)
		return NULL;
	/* What waits comes to this thread, and does what it does to programs that do not care. */
	mask(&set);
	signal(SIGINT, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return NULL;
}

int
interrupt_guard_begin(struct interrupt_guard *g, int fd, struct err *e)
{
	int ret;

	g->fd = fd;
	if (pipe2(g->done, O_CLOEXEC) != 0)
		return err_set(e, errno, "pipe: %s", strerror(errno));
	ret = pthread_create(&g->thread, NULL, guard, g);
	if (ret == 0)
		return 0;
	close(g->done[0]);
	close(g->done[1]);
	return err_set(e, ret, "no thread for signals: %s", strerror(ret));
}

void
interrupt_guard_end(struct interrupt_guard *g)
{
	close(g->done[1]);
	pthread_join(g->thread, NULL);
	close(g->done[0]);
}

void
interrupt_leave(int fd)
{
	struct signalfd_siginfo waiting;
	sigset_t set;

	while (read(fd, &waiting, sizeof(waiting)) > 0)
		;
	/* Where a signal is ignored it was not in the set of fd, and stays ignored. */
	mask(&set);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

bool
interrupt_wait(int fd, bool stdin_too, int ms)
{
	struct pollfd fds[2] = { { .fd = fd, .events = POLLIN },
		{ .fd = STDIN_FILENO, .events = POLLIN } };

	return poll(fds, stdin_too ? 2 : 1, ms) > 0;
}
