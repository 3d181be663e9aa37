/* SIGINT, SIGTERM and SIGHUP: the first is queued for the control thread, a second SIGINT or
 * SIGTERM terminates the process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/interrupt.h"

#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* timeout(1) sends each signal to its child and to the process group: count both as one request. */
#define GRACE_MS 200
#define GUARD_MS 1000

/* A separate thread reads the signals, so that they work even if the control thread hangs. */
struct taker {
	int signals;
	/*
	 * Datagram sockets: ends[0] holds the pending signal, and the control thread polls it;
	 * ends[1] holds a byte once the program is exiting.
	 */
	int ends[2];
};

/* An ignored signal must not be blocked: signalfd would still return it. */
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

/* Terminate the process as if the signal had never been blocked. */
static void
die(int number)
{
	sigset_t set;

	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
}

static bool
look(int fd, struct signalfd_siginfo *one)
{
	return recv(fd, one, sizeof(*one), MSG_PEEK | MSG_DONTWAIT) == (ssize_t)sizeof(*one);
}

static bool
readable(int fd)
{
	struct pollfd one = { fd, POLLIN, 0 };

	return poll(&one, 1, 0) > 0;
}

int64_t
interrupt_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/*
 * Queue a signal for the control thread. If one is pending already, or the program is exiting, the
 * next one terminates the process. A SIGHUP does not: when a terminal closes, the input ends too
 * and its shell may send SIGHUP again, in any order.
 */
static void *
take(void *arg)
{
	const struct taker *t = arg;
	struct signalfd_siginfo one;
	int64_t asked_ms = -GRACE_MS;

	for (;;) {
		if (read(t->signals, &one, sizeof(one)) != (ssize_t)sizeof(one))
			continue;
		if (!readable(t->ends[0]) && !readable(t->ends[1])) {
			asked_ms = interrupt_now_ms();
			while (send(t->ends[1], &one, sizeof(one), 0) < 0 && errno == EINTR)
				;
		} else if (one.ssi_signo != SIGHUP && interrupt_now_ms() - asked_ms >= GRACE_MS) {
			die((int)one.ssi_signo);
		}
	}
	return NULL;
}

static int
taker_begin(const sigset_t *set, struct err *e)
{
	struct taker *t = malloc(sizeof(*t)); /* owned by the thread, never freed */
	pthread_t thread;
	int ret;

	if (t == NULL)
		return err_set(e, ENOMEM, "no memory for signals");
	t->signals = signalfd(-1, set, SFD_CLOEXEC);
	if (t->signals < 0) {
		ret = err_set(e, errno, "signalfd: %s", strerror(errno));
		goto no_signals;
	}
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, t->ends) != 0) {
		ret = err_set(e, errno, "socketpair: %s", strerror(errno));
		goto no_ends;
	}
	ret = pthread_create(&thread, NULL, take, t);
	if (ret == 0) {
		pthread_detach(thread);
		return t->ends[0];
	}
	ret = err_set(e, ret, "no thread for signals: %s", strerror(ret));
	close(t->ends[0]);
	close(t->ends[1]);
no_ends:
	close(t->signals);
no_signals:
	free(t);
	return ret;
}

int
interrupt_open(struct interrupt *i, struct err *e)
{
	sigset_t set;

	/* A virtio-user port writes into a closed socket when its backend exits first. */
	signal(SIGPIPE, SIG_IGN);
	/* Block SIGWINCH, or a thread that ignores it takes it instead of interrupt_resize(). */
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	mask(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	*i = (struct interrupt){ .signals = taker_begin(&set, e),
		.requests = -1,
		.keys = isatty(STDIN_FILENO) != 0 ? STDIN_FILENO : -1 };
	return i->signals < 0 ? i->signals : 0;
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
interrupt_pending(const struct interrupt *i)
{
	return i != NULL && (i->cancelled || i->ends || readable(i->signals));
}

bool
interrupt_key(const struct interrupt *i)
{
	struct signalfd_siginfo one;
	bool key = false;

	while (look(i->signals, &one)) {
		if (one.ssi_signo != SIGINT || one.ssi_code != SI_KERNEL)
			return false;
		key = read(i->signals, &one, sizeof(one)) == (ssize_t)sizeof(one);
	}
	return key;
}

static void *
guard(void *arg)
{
	const struct interrupt_guard *g = arg;
	struct pollfd fds[] = { { g->done[0], POLLIN, 0 }, { g->signals, POLLIN, 0 } };
	struct signalfd_siginfo one;

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	if (poll(fds, 1, GUARD_MS) > 0)
		return NULL;
	/* The library did not return in time: apply the pending signal's default action. */
	if (look(g->signals, &one))
		die((int)one.ssi_signo);
	return NULL;
}

int
interrupt_guard_begin(struct interrupt_guard *g, const struct interrupt *i, struct err *e)
{
	int ret;

	g->signals = i->signals;
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
interrupt_leave(struct interrupt *i)
{
	struct signalfd_siginfo waiting;

	i->requests = -1;
	while (send(i->signals, "", 1, 0) < 0 && errno == EINTR)
		;
	while (read(i->signals, &waiting, sizeof(waiting)) > 0)
		;
}

int
interrupt_poll(struct interrupt *i, struct pollfd *fds, unsigned int n, int ms)
{
	const int64_t until = interrupt_now_ms() + ms;
	struct pollfd all[INTERRUPT_FDS + 2];
	int left = ms, ready;

	assert(n <= INTERRUPT_FDS);
	for (unsigned int k = 0; k < n; k++) {
		fds[k].revents = 0;
		if (i != NULL && i->reads != NULL && fds[k].fd >= 0 && fds[k].fd == i->keys)
			i->reads(i->ctx);
	}
	while (i == NULL || (!i->cancelled && !i->ends)) {
		memcpy(all, fds, n * sizeof(*fds));
		all[n] = (struct pollfd){ i != NULL ? i->signals : -1, POLLIN, 0 };
		all[n + 1] = (struct pollfd){ i != NULL ? i->requests : -1, POLLIN, 0 };
		ready = poll(all, n + 2, left);
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready > 0 && all[n + 1].revents != 0) {
			i->serve(i->ctx);
			ready--;
		}
		if (ready > 0) {
			memcpy(fds, all, n * sizeof(*fds));
			return 1;
		}
		if (ms >= 0 && (left = (int)(until - interrupt_now_ms())) <= 0)
			return interrupt_pending(i);
	}
	return 1;
}

bool
interrupt_wait(struct interrupt *i, int input, int ms)
{
	struct pollfd one = { .fd = input, .events = POLLIN };

	return interrupt_poll(i, &one, 1, ms) > 0;
}

bool
interrupt_hand_over(const struct interrupt *i, const struct interrupt_task *task)
{
	return i->takes != NULL && i->takes(i->ctx, task);
}

int
interrupt_discard(struct interrupt *i)
{
	char keys[256];

	if (i->keys < 0 || interrupt_pending(i) || !readable(i->keys))
		return 0;
	return read(i->keys, keys, sizeof(keys)) < 0 ? -errno : 0;
}
