/* Signals through a descriptor: the control thread asks, nobody is interrupted. */
#include "interrupt.h"

#include "err.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void
mask(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
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

void
interrupt_take(int fd)
{
	struct signalfd_siginfo info;
	sigset_t set;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		;
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
