/* The control socket: listens, serves its clients in the waits of the control thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/control/control.h"

#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "cmdline/control/control_address.h"
#include "cmdline/control/control_client.h"
#include "cmdline/shell/shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENTS 64

struct control {
	struct control_config config;
	struct sockaddr_un address;
	int listening, epoll;
	int again; /* readable: requests that were read wait, which no socket tells any more */
	struct client *first;
	unsigned int clients, depth; /* depth: of serve(), which a command that waits calls again */
	struct client *owner;        /* whose command runs; NULL: the shell's, or none */
};

/* The events of a client that matter now. Its end is always told. */
static void
watch_client(struct control *c, struct client *one, int how)
{
	const bool reads = !one->ended && one->n < sizeof(one->in);
	struct epoll_event event = { .events = (reads ? EPOLLIN : 0u) |
			(one->out.n > 0 ? EPOLLOUT : 0u),
		.data.ptr = one };

	(void)epoll_ctl(c->epoll, how, one->fd, &event);
}

static void
refuse_client(int fd)
{
	char text[128];
	const int n = snprintf(text, sizeof(text),
		"{\"command\": \"\", \"ok\": false, \"error\": {\"message\": \"more than %d clients\"}}\n",
		CONTROL_CLIENTS);

	(void)send(fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
}

static void
accept_all(struct control *c)
{
	struct client *one;
	int fd;

	while ((fd = accept4(c->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		one = c->clients < CONTROL_CLIENTS ? control_client_new(fd) : NULL;
		if (one == NULL) {
			refuse_client(fd);
			continue;
		}
		one->next = c->first;
		c->first = one;
		c->clients++;
		watch_client(c, one, EPOLL_CTL_ADD);
	}
	/* Without a descriptor for it the next one waits. It would be told again and again. */
	if (errno == EMFILE || errno == ENFILE)
		(void)epoll_ctl(c->epoll, EPOLL_CTL_DEL, c->listening, NULL);
}

static int
watch(struct control *c, int fd, void *what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = what };

	return epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &event);
}

/* Free the clients that are gone, or that were answered and send nothing more; not those whose command runs. */
static void
sweep(struct control *c)
{
	struct client **at = &c->first, *one;

	while ((one = *at) != NULL) {
		const bool leaves = one->gone || (one->ended && one->n == 0 && one->out.n == 0);

		if (!leaves || one->running) {
			at = &one->next;
			continue;
		}
		*at = one->next;
		control_client_free(one);
		c->clients--;
		(void)watch(c, c->listening, NULL);
	}
}

/* Handle what sockets tell. */
static void
look(struct control *c)
{
	struct epoll_event events[EVENTS];
	const int n = epoll_wait(c->epoll, events, EVENTS, 0);
	eventfd_t waited;

	for (int i = 0; i < n; i++) {
		struct client *one = events[i].data.ptr;

		if (one == NULL) {
			accept_all(c);
			continue;
		}
		if (events[i].data.ptr == &c->again) {
			(void)eventfd_read(c->again, &waited);
			continue;
		}
		if ((events[i].events & EPOLLIN) != 0)
			control_client_read(one);
		else if ((events[i].events & (EPOLLHUP | EPOLLERR)) != 0)
			one->gone = true;
		control_client_send(one);
		if (one->running && (one->gone || control_client_cancels(one)))
			c->config.interrupt->cancelled = true;
		if (one->gone)
			(void)epoll_ctl(c->epoll, EPOLL_CTL_DEL, one->fd, NULL);
		else
			watch_client(c, one, EPOLL_CTL_MOD);
	}
}

/* A command is about to run: when it waits, the requests of others that were read are served. */
static void
remind(struct control *c)
{
	for (const struct client *one = c->first; one != NULL; one = one->next)
		if (!one->running && control_client_waits(one)) {
			(void)eventfd_write(c->again, 1);
			return;
		}
}

/* Run a command of a client. */
static void
run(struct control *c, struct client *one, const struct client_request *r)
{
	const bool alone = shell_running(c->config.shell) == NULL;
	struct interrupt *const i = c->config.interrupt;
	struct client *const outer = c->owner;
	struct out_aside *aside;
	int ret;

	if (alone)
		c->config.before(c->config.app);
	aside = out_aside_begin(c->config.out, one->to, one->failed, r->format);
	if (aside == NULL) {
		one->gone = true;
		return;
	}
	one->running = true;
	c->owner = one;
	/* What is run beside another command does not wait for others. */
	if (!alone)
		i->requests = -1;
	remind(c);
	ret = shell_line_aside(c->config.shell, r->line);
	i->requests = c->epoll;
	if (alone)
		i->cancelled = c->config.quits(c->config.app);
	c->owner = outer;
	one->running = false;
	if (one->framed)
		(void)out_aside_end(c->config.out, aside);
	else
		one->format = out_aside_end(c->config.out, aside);
	control_client_done(one, ret == 0);
}

/* Answer the first request of a client, if it may be now. Returns false if there is none. */
static bool
answer(struct control *c, struct client *one)
{
	struct client_request r;

	if (one->running || !control_client_waits(one))
		return false;
	if (control_client_take(one, &r)) {
		if (r.what == CLIENT_RUN) {
			run(c, one, &r);
		} else {
			if (shell_running(c->config.shell) != NULL)
				c->config.interrupt->cancelled = true;
			control_client_done(one, true);
		}
	}
	control_client_send(one);
	if (!one->gone)
		watch_client(c, one, EPOLL_CTL_MOD);
	return true;
}

/* Serve the clients: one request of each in turn, until none waits. */
static void
serve(void *ctx)
{
	struct control *c = ctx;
	bool some = true;

	look(c);
	c->depth++;
	while (some && !c->config.quits(c->config.app)) {
		some = false;
		for (struct client *one = c->first; one != NULL; one = one->next)
			some |= answer(c, one);
	}
	c->depth--;
	if (c->depth == 0)
		sweep(c);
}

/* Make the folder of a socket, for this user alone. */
static int
folder_make(const char *path, struct err *e)
{
	char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	char *slash;
	struct stat st;

	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (slash == NULL || slash == folder)
		return 0;
	*slash = '\0';
	if (mkdir(folder, 0700) == 0)
		return 0;
	if (errno != EEXIST)
		return err_set(e, errno, "control: %s: %s", folder, strerror(errno));
	if (lstat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
		return err_set(e, ENOTDIR, "control: %s is not a folder", folder);
	return 0;
}

/* Remove the socket of a program that is gone. */
static int
stale_remove(const struct sockaddr_un *address, struct err *e)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct stat st;
	int ret;

	if (lstat(address->sun_path, &st) != 0) {
		close(fd);
		return 0;
	}
	ret = connect(fd, (const struct sockaddr *)address, sizeof(*address));
	if (ret == 0)
		err_set(e, EADDRINUSE, "control: another program listens at %s", address->sun_path);
	else if (!S_ISSOCK(st.st_mode))
		err_set(e, EEXIST, "control: %s is there and is not a socket", address->sun_path);
	else if (errno != ECONNREFUSED)
		err_set(e, errno, "control: %s: %s", address->sun_path, strerror(errno));
	else if (unlink(address->sun_path) != 0)
		err_set(e, errno, "control: cannot remove %s: %s", address->sun_path,
			strerror(errno));
	close(fd);
	return -e->code;
}

static int
listen_at(struct control *c, struct err *e)
{
	const mode_t mask = umask(0177);
	int ret = 0;

	c->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->listening < 0 ||
		bind(c->listening, (const struct sockaddr *)&c->address, sizeof(c->address)) != 0 ||
		listen(c->listening, SOMAXCONN) != 0)
		ret = err_set(e, errno, "control: %s: %s", c->address.sun_path, strerror(errno));
	umask(mask);
	return ret;
}

static void
descriptors_close(const struct control *c)
{
	const int all[] = { c->listening, c->again, c->epoll };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i] >= 0)
			close(all[i]);
}

struct control *
control_open(const struct control_config *config, const char *address, struct err *e)
{
	struct control *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		err_set(e, ENOMEM, "no memory for the control socket");
		return NULL;
	}
	c->config = *config;
	c->listening = -1;
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	c->again = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->epoll < 0 || c->again < 0 || watch(c, c->again, &c->again) != 0)
		err_set(e, errno, "epoll: %s", strerror(errno));
	else if (control_address(address, &c->address, e) == 0 &&
		folder_make(c->address.sun_path, e) == 0 && stale_remove(&c->address, e) == 0 &&
		listen_at(c, e) == 0) {
		(void)watch(c, c->listening, NULL);
		config->interrupt->serve = serve;
		config->interrupt->ctx = c;
		config->interrupt->requests = c->epoll;
		return c;
	}
	descriptors_close(c);
	free(c);
	return NULL;
}

void
control_close(struct control *c)
{
	if (c == NULL)
		return;
	c->config.interrupt->requests = -1;
	while (c->first != NULL) {
		struct client *one = c->first;

		c->first = one->next;
		control_client_send(one);
		control_client_free(one);
	}
	unlink(c->address.sun_path);
	descriptors_close(c);
	free(c);
}
