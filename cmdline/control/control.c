/* The control socket: listens, serves its clients in the waits of the control thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/control/control.h"

#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/out_aside.h"
#include "base/out_json.h"
#include "cmdline/control/control_address.h"
#include "cmdline/control/control_client.h"
#include "cmdline/control/control_log.h"
#include "cmdline/control/offers_wire.h"
#include "cmdline/grammar/offers.h"
#include "cmdline/shell/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define EVENTS 64
#define LOG_BYTES 4096
#define UNREAD_MS 100 /* after which a client that reads slowly is looked at again */

struct control {
	struct control_config config;
	struct sockaddr_un address;
	int listening, epoll;
	int again; /* readable: requests that were read wait, which no socket tells any more */
	int timer; /* readable when the next step of a client's task is due */
	struct client *first;
	struct client *runs; /* whose command runs now, the innermost; NULL: the shell's, or none */
	unsigned int clients;
	struct control_log *log; /* NULL: no client has followed it yet */
	FILE *news, *own;        /* of news_print(); where the program prints itself */
	int spare;    /* a descriptor that is given up to refuse a client when there is none left */
	dev_t device; /* of the socket's file */
	ino_t inode;
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
refuse_client(int fd, const char *why)
{
	char text[128];
	const int n = snprintf(text, sizeof(text), CONTROL_REFUSAL "%s\"}}\n", why);

	(void)send(fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
}

/* The socket of the next client; -1: there is none. One without a descriptor is refused. */
static int
accept_one(struct control *c)
{
	int fd;

	for (;;) {
		fd = accept4(c->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0 || (errno != EMFILE && errno != ENFILE) || c->spare < 0)
			return fd;
		close(c->spare);
		fd = accept4(c->listening, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			refuse_client(fd, "the program has no file descriptor left");
		c->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return fd; /* no client waits */
	}
}

static void
accept_all(struct control *c)
{
	struct client *one;
	int fd;

	while ((fd = accept_one(c)) >= 0) {
		one = c->clients < CONTROL_CLIENTS ? control_client_new(fd) : NULL;
		if (one == NULL) {
			refuse_client(fd, "the program has too many clients");
			continue;
		}
		one->next = c->first;
		c->first = one;
		c->clients++;
		watch_client(c, one, EPOLL_CTL_ADD);
	}
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
		const bool leaves = (one->gone && !one->has_task) ||
			(one->ended && !control_client_waits(one) && one->out.n == 0);

		if (!leaves || one->running || one->has_task) {
			at = &one->next;
			continue;
		}
		*at = one->next;
		control_client_free(one);
		c->clients--;
	}
}

/* Clients that follow the log get a piece of it. */
static void
log_say(struct control *c, const char *text, size_t n)
{
	for (struct client *one = c->first; one != NULL; one = one->next)
		if (one->log_id[0] != '\0') {
			control_client_log(one, text, n);
			control_client_send(one);
		}
}

static void
log_tell(struct control *c)
{
	char text[LOG_BYTES];
	size_t n;

	while ((n = control_log_read(c->log, text, sizeof(text))) > 0)
		log_say(c, text, n);
}

/* A client follows the log from now on. */
static bool
log_follow(struct control *c, struct client *one)
{
	struct err why;

	err_clear(&why);
	if (c->log == NULL) {
		c->log = control_log_open(&why);
		if (c->log != NULL)
			(void)watch(c, control_log_fd(c->log), &c->log);
	}
	if (c->log != NULL)
		memcpy(one->log_id, one->id, sizeof(one->log_id));
	return c->log != NULL;
}

/* What the program says between two commands goes where it would, and to those who follow the log. */
static ssize_t
news_write(void *ctx, const char *text, size_t n)
{
	struct control *c = ctx;

	fwrite(text, 1, n, c->own);
	fflush(c->own);
	log_say(c, text, n);
	return (ssize_t)n;
}

/* Print what has happened since the last command, such as the change of a link. */
static void
news_print(struct control *c)
{
	const struct out_reader reader = { .results = c->news, .failures = c->news };
	struct out_aside *aside = NULL;

	c->own = out_file(c->config.out);
	if (c->log != NULL && c->news != NULL && out_format(c->config.out) == OUT_TEXT)
		aside = out_aside_begin(c->config.out, &reader);
	c->config.before(c->config.app);
	if (aside != NULL)
		(void)out_aside_end(c->config.out, aside);
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
		if (events[i].data.ptr == &c->log) {
			log_tell(c);
			continue;
		}
		if (events[i].data.ptr == &c->again || events[i].data.ptr == &c->timer) {
			(void)eventfd_read(*(int *)events[i].data.ptr, &waited);
			continue;
		}
		if ((events[i].events & EPOLLIN) != 0)
			control_client_read(one);
		/* A last line without its newline may have been cut, if the client is gone. */
		if ((events[i].events & (EPOLLHUP | EPOLLERR)) != 0 &&
			((events[i].events & EPOLLIN) == 0 || one->ended))
			one->gone = true;
		control_client_send(one);
		if (one->running && one->gone)
			c->config.interrupt->cancelled = true;
		if (one->gone)
			(void)epoll_ctl(c->epoll, EPOLL_CTL_DEL, one->fd, NULL);
		else
			watch_client(c, one, EPOLL_CTL_MOD);
	}
}

/* True if the next request of a client may be taken: it reads its answers. */
static bool
has_turn(const struct client *one)
{
	return control_client_waits(one) && one->out.n < CLIENT_UNREAD;
}

/* Requests that were read wait, which no socket tells any more: serve them in the next wait. */
static void
remind(struct control *c)
{
	for (const struct client *one = c->first; one != NULL; one = one->next)
		if (has_turn(one) && !one->running && !one->has_task) {
			(void)eventfd_write(c->again, 1);
			return;
		}
}

/* The command that runs waits for keys of the client that gave it. */
static void
reads(void *ctx)
{
	const struct control *c = ctx;

	if (c->runs != NULL)
		control_client_reads(c->runs);
}

/*
 * Go on with a command when it has returned: one that was given as a line, by the shell or a client that
 * has a terminal, or reads events.
 */
static bool
takes(void *ctx, const struct interrupt_task *task)
{
	const struct control *c = ctx;
	struct client *one = c->runs;

	if (one == NULL)
		return !task->events && shell_takes(c->config.shell, task);
	if (!shell_direct(c->config.shell) || !(task->events ? one->has_events : one->has_screen))
		return false;
	one->task = *task;
	one->due_ms = interrupt_now_ms();
	one->has_task = true;
	control_client_reads(one);
	return true;
}

static struct out_reader
reader_of(const struct client *one, enum out_format format)
{
	return (struct out_reader){ .results = one->to,
		.failures = one->failed,
		.events = one->has_events ? one->events : NULL,
		.format = format,
		.screen = one->has_screen ? &one->screen : NULL };
}

/* The task of a client ends, and with it its request. */
static void
task_end(struct control *c, struct client *one)
{
	const struct out_reader reader = reader_of(one, one->answers);
	struct out_aside *aside = out_aside_begin(c->config.out, &reader);
	bool ok;

	one->has_task = false;
	ok = one->task.end(one->task.ctx);
	if (aside != NULL)
		(void)out_aside_end(c->config.out, aside);
	control_client_done(one, ok);
	control_client_send(one);
}

/* Files of a client's commands are relative to its folder. Returns the folder before. */
static const char *
folder_of(struct control *c, const struct client *one)
{
	return shell_folder(c->config.shell, one->folder[0] != '\0' ? one->folder : NULL);
}

/* The next step of a task that is due, or to which keys were sent. Returns false if it ends. */
static bool
task_step(struct control *c, struct client *one)
{
	const struct out_reader reader = reader_of(one, one->answers);
	struct interrupt *const i = c->config.interrupt;
	struct pollfd input = { one->keys[0], POLLIN, 0 };
	struct out_aside *aside = out_aside_begin(c->config.out, &reader);
	const int keys = i->keys;
	bool goes_on = aside != NULL;
	const char *folder;
	int ms = 0;

	if (!goes_on)
		return false;
	folder = folder_of(c, one);
	i->keys = one->keys[0];
	/* While a step waits, no client is served: serving them would do the step again. */
	i->requests = -1;
	if (poll(&input, 1, 0) > 0)
		goes_on = one->task.keys(one->task.ctx);
	if (goes_on && interrupt_now_ms() >= one->due_ms) {
		ms = one->task.step(one->task.ctx);
		goes_on = ms >= 0;
		one->due_ms = interrupt_now_ms() + ms;
	}
	(void)shell_folder(c->config.shell, folder);
	i->keys = keys;
	i->requests = c->epoll;
	(void)out_aside_end(c->config.out, aside);
	control_client_send(one);
	return goes_on;
}

/* Go on with the tasks of all clients, and be woken for the next step. */
static void
tasks_go_on(struct control *c)
{
	int64_t due_ms = INT64_MAX;
	struct itimerspec wake = { 0 };

	for (struct client *one = c->first; one != NULL; one = one->next) {
		if (!one->has_task)
			continue;
		/* While it leaves pictures unread, there are no more. */
		if (one->out.n >= CLIENT_UNREAD)
			one->due_ms = interrupt_now_ms() + UNREAD_MS;
		if (one->gone || control_client_cancels(one) || !task_step(c, one))
			task_end(c, one);
		else if (one->due_ms < due_ms)
			due_ms = one->due_ms;
	}
	if (due_ms < INT64_MAX) {
		wake.it_value.tv_sec = due_ms / 1000;
		wake.it_value.tv_nsec = due_ms % 1000 * 1000000;
	}
	(void)timerfd_settime(c->timer, TFD_TIMER_ABSTIME, &wake, NULL);
}

/* Run a command of a client. */
static void
run(struct control *c, struct client *one, const struct client_request *r)
{
	const bool alone = shell_running(c->config.shell) == NULL;
	struct interrupt *const i = c->config.interrupt;
	struct client *const outer = c->runs;
	const int keys = i->keys;
	const struct out_reader reader = reader_of(one, r->format);
	struct out_aside *aside;
	const char *folder;
	int ret;

	if (alone)
		news_print(c);
	aside = out_aside_begin(c->config.out, &reader);
	if (aside == NULL) {
		one->gone = true;
		return;
	}
	one->running = true;
	c->runs = one;
	i->keys = one->has_screen ? one->keys[0] : -1;
	/* What is run beside another command does not wait for others. */
	if (!alone)
		i->requests = -1;
	/* Whoever sent "cancel" behind the command, or has sent something already, is served in it. */
	(void)eventfd_write(c->again, 1);
	folder = folder_of(c, one);
	ret = shell_line_aside(c->config.shell, r->line);
	(void)shell_folder(c->config.shell, folder);
	i->requests = c->epoll;
	i->keys = keys;
	c->runs = outer;
	if (alone)
		i->cancelled = false;
	i->ends = c->config.quits(c->config.app);
	one->running = false;
	if (one->framed)
		(void)out_aside_end(c->config.out, aside);
	else
		one->format = out_aside_end(c->config.out, aside);
	if (!one->has_task)
		control_client_done(one, ret == 0);
}

/* Tell what may follow a line: {"prefix": "sh", "column": 1, ..., "words": [...]}. */
static void
offer_words(struct control *c, struct client *one, const char *line)
{
	struct json_part part;
	struct offers offers;
	struct err why;

	err_clear(&why);
	out_json_part_open(&part, false);
	if (part.file != NULL) {
		const char *const folder = folder_of(c, one);
		const bool filter = shell_offer(c->config.shell, line, &offers, &why);

		(void)shell_folder(c->config.shell, folder);
		offers_wire_write(&offers, filter, &why, &part.json);
		offers_free(&offers);
	}
	out_json_part_close(&part);
	if (part.text != NULL && !part.lost)
		control_client_say(one, "offer", part.text);
	out_json_part_free(&part);
}

/* Tell how the shell would ask: {"text": "zcfwd> ", "pager": true}. */
static void
prompt_tell(struct control *c, struct client *one)
{
	struct json_part part;
	const char *prompt = shell_prompt(c->config.shell);

	out_json_part_open(&part, false);
	if (part.file != NULL) {
		out_json_str(&part.json, "text", prompt, strlen(prompt));
		out_json_bool(&part.json, "pager", shell_pages(c->config.shell));
	}
	out_json_part_close(&part);
	if (part.text != NULL && !part.lost)
		control_client_say(one, "prompt", part.text);
	out_json_part_free(&part);
}

/* Do what a request asks for. */
static void
request_do(struct control *c, struct client *one, const struct client_request *r)
{
	switch (r->what) {
	case CLIENT_RUN: run(c, one, r); return;
	case CLIENT_KEYS: return; /* no command of its own runs; this has no answer */
	case CLIENT_OFFER: offer_words(c, one, r->line); break;
	case CLIENT_PROMPT:
		if (shell_running(c->config.shell) == NULL)
			news_print(c);
		prompt_tell(c, one);
		break;
	case CLIENT_LOG: control_client_done(one, log_follow(c, one)); return;
	case CLIENT_CANCEL:
		/* A command of this client would have read this itself: it has ended. */
		if (r->any && shell_running(c->config.shell) != NULL)
			c->config.interrupt->cancelled = true;
		break;
	}
	control_client_done(one, true);
}

/* Answer the first request of a client, if it may be now. */
static void
answer(struct control *c, struct client *one)
{
	struct client_request r;

	if (one->running || one->has_task || !has_turn(one))
		return;
	if (control_client_take(one, &r))
		request_do(c, one, &r);
	control_client_send(one);
	if (!one->gone)
		watch_client(c, one, EPOLL_CTL_MOD);
}

/*
 * Serve the clients: one request of each. Others wait for the next call, so that signals and the time
 * of the wait count in between.
 */
static void
serve(void *ctx)
{
	struct control *c = ctx;

	look(c);
	for (struct client *one = c->first; one != NULL; one = one->next)
		if (one->running && control_client_cancels(one))
			c->config.interrupt->cancelled = true;
	for (struct client *one = c->first; one != NULL; one = one->next)
		if (!interrupt_pending(c->config.interrupt))
			answer(c, one);
	tasks_go_on(c);
	/* The clients of the loops that wait further out run, so they are not freed. */
	sweep(c);
	remind(c);
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
	struct stat st;
	int ret = 0;

	c->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->listening < 0 ||
		bind(c->listening, (const struct sockaddr *)&c->address, sizeof(c->address)) != 0 ||
		listen(c->listening, SOMAXCONN) != 0 || lstat(c->address.sun_path, &st) != 0)
		ret = err_set(e, errno, "control: %s: %s", c->address.sun_path, strerror(errno));
	umask(mask);
	if (ret != 0)
		return ret;
	c->device = st.st_dev;
	c->inode = st.st_ino;
	return 0;
}

/* Replace a stale socket, and listen. */
static int
begin(struct control *c, const char *address, struct err *e)
{
	const bool named = strchr(address, ':') == NULL;
	int folder, ret;

	if (c->epoll < 0 || c->again < 0 || c->timer < 0 || watch(c, c->again, &c->again) != 0 ||
		watch(c, c->timer, &c->timer) != 0)
		return err_set(e, errno, "control: epoll: %s", strerror(errno));
	if (control_address(address, &c->address, e) != 0)
		return -e->code;
	folder = control_folder_open(c->address.sun_path, named, e);
	if (folder < 0)
		return folder;
	ret = stale_remove(&c->address, e);
	if (ret == 0)
		ret = listen_at(c, e);
	close(folder);
	if (ret == 0 && watch(c, c->listening, NULL) != 0)
		ret = err_set(e, errno, "control: epoll: %s", strerror(errno));
	return ret;
}

static void
control_free(struct control *c)
{
	const int all[] = { c->listening, c->again, c->timer, c->epoll, c->spare };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i] >= 0)
			close(all[i]);
	control_log_close(c->log);
	if (c->news != NULL)
		fclose(c->news);
	free(c);
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
	c->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	c->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	c->news = fopencookie(c, "w", (cookie_io_functions_t){ .write = news_write });
	if (begin(c, address, e) == 0) {
		config->interrupt->serve = serve;
		config->interrupt->reads = reads;
		config->interrupt->takes = takes;
		config->interrupt->ctx = c;
		config->interrupt->requests = c->epoll;
		return c;
	}
	control_free(c);
	return NULL;
}

void
control_close(struct control *c)
{
	struct stat st;

	if (c == NULL)
		return;
	c->config.interrupt->requests = -1;
	while (c->first != NULL) {
		struct client *one = c->first;

		c->first = one->next;
		if (one->has_task)
			task_end(c, one);
		control_client_send(one);
		control_client_free(one);
	}
	if (lstat(c->address.sun_path, &st) == 0 && st.st_dev == c->device && st.st_ino == c->inode)
		unlink(c->address.sun_path);
	control_free(c);
}
