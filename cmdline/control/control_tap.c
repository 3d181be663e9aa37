/* zcfwd tap: has a program write into a FIFO of its own, and passes on what comes. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The FIFO has its name only until the program has opened it. When this process ends, in whatever way,
 * the program sees a pipe without a reader and ends the tap.
 */
#include "cmdline/control/control_tap.h"

#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/json_read.h"
#include "base/out.h"
#include "cmdline/control/talk.h"
#include "cmdline/grammar/grammar.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define CHUNK_BYTES 65536
#define DIGITS "0123456789"

struct tap {
	const struct control_tap_plan *plan;
	struct out *out;
	struct talk talk;
	char folder[PATH_MAX], path[PATH_MAX + 8];
	int fifo;
	char bytes
		[CHUNK_BYTES]; /* that were read, n of them, of which the first sent were written */
	size_t n, sent, most;  /* most: bytes of a write that cannot wait for the reader */
	bool stops;            /* the program was told to stop, or has ended */
	bool told, complete;   /* its answer is there; it has all figures */
	bool discards;         /* what comes is not read */
	uint64_t written, dropped, filtered;
};

/* The number that is called so in an answer; 0: none. Quotes in strings are escaped. */
static uint64_t
figure(const char *answer, const char *name)
{
	char key[32];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\": ", name);
	at = strstr(answer, key);
	return at != NULL ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* Fill e with the message of an answer that failed. */
static int
refusal(const char *answer, struct err *e)
{
	static const char key[] = "\"message\": ";
	struct json_read value = { .text = strstr(answer, key) };
	struct err odd;
	char *text = NULL;

	err_clear(&odd);
	if (value.text != NULL) {
		value.at = strlen(key);
		text = talk_string(&value, &odd);
	}
	err_set(e, EPROTO, "%s",
		text != NULL ? text : "the program refuses, and does not tell why");
	free(text);
	return -e->code;
}

/* Send a command. Its answer is an object. */
static int
command_send(struct tap *t, const char *line, struct err *e)
{
	const struct talk_request r = { .what = "run", .format = "json", .line = line };

	return talk_send(&t->talk, &r, e);
}

/* Run a command. EPROTO with its message if it fails. */
static int
command_run(struct tap *t, const char *line, struct err *e)
{
	struct json_read value;
	int ret = command_send(t, line, e), got;

	while (ret == 0) {
		got = talk_line(&t->talk, -1, -1, &value, e);
		if (got == TALK_DONE)
			break;
		if (got == -EINTR)
			ret = err_set(e, ECANCELED, "ended before the program had answered");
		else if (got < 0)
			ret = got;
		else if (got == TALK_ANSWER && strstr(value.text, "\"ok\": false") != NULL)
			ret = refusal(value.text, e);
	}
	return ret;
}

/* Append a word of a command in quotes. */
static int
quote(char *line, const char *what, const char *word, struct err *e)
{
	size_t n = strlen(line);

	if (word[strcspn(word, "\n\r")] != '\0')
		return err_set(e, EINVAL, "tap: the filter has a line end");
	n += (size_t)snprintf(line + n, LINE_BYTES - n, " %s\"", what);
	for (; *word != '\0' && n + 4 < LINE_BYTES; word++) {
		if (*word == '"' || *word == '\\')
			line[n++] = '\\';
		line[n++] = *word;
	}
	if (*word != '\0')
		return err_set(e, E2BIG, "tap: the filter is too long");
	line[n++] = '"';
	line[n] = '\0';
	return 0;
}

/*
 * Make the FIFO in a folder of its own beside the program's socket, where both of them see it also if
 * the program has another /tmp; for a socket with a relative path in /tmp. If root taps the program of
 * somebody else, it is theirs.
 */
static int
fifo_make(struct tap *t, struct err *e)
{
	struct sockaddr_un address = { .sun_path = "" };
	struct ucred peer = { .uid = 0 };
	socklen_t bytes = sizeof(address) - 1, peer_bytes = sizeof(peer);
	char *slash;

	(void)getpeername(t->talk.fd, (struct sockaddr *)&address, &bytes);
	(void)getsockopt(t->talk.fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_bytes);
	slash = strrchr(address.sun_path, '/');
	if (address.sun_path[0] == '/')
		slash[0] = '\0';
	snprintf(t->folder, sizeof(t->folder), "%s/.tap-XXXXXX",
		address.sun_path[0] == '/' || slash == address.sun_path ? address.sun_path
									: "/tmp");
	if (mkdtemp(t->folder) == NULL) {
		err_set(e, errno, "tap: no folder for a pipe, %s: %s", t->folder, strerror(errno));
		t->folder[0] = '\0';
		return -e->code;
	}
	snprintf(t->path, sizeof(t->path), "%s/pipe", t->folder);
	if (mkfifo(t->path, 0600) != 0)
		return err_set(e, errno, "tap: %s: %s", t->path, strerror(errno));
	t->fifo = open(t->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (t->fifo < 0)
		return err_set(e, errno, "tap: %s: %s", t->path, strerror(errno));
	if (geteuid() == 0 && peer.uid != 0 &&
		(chown(t->path, peer.uid, (gid_t)-1) != 0 ||
			chown(t->folder, peer.uid, (gid_t)-1) != 0))
		return err_set(e, errno, "tap: %s: %s", t->path, strerror(errno));
	return 0;
}

static void
fifo_unname(const struct tap *t)
{
	if (t->folder[0] == '\0')
		return;
	unlink(t->path);
	rmdir(t->folder);
}

/* Have the program write into the FIFO. */
static int
start(struct tap *t, struct err *e)
{
	const struct control_tap_plan *p = t->plan;
	char line[LINE_BYTES];
	int ret = fifo_make(t, e);

	snprintf(line, sizeof(line), "tap start %s", p->port);
	if (ret == 0)
		ret = quote(line, "pipe ", t->path, e);
	snprintf(line + strlen(line), sizeof(line) - strlen(line), " %s snaplen %s",
		p->ways != NULL ? p->ways : "both", p->snaplen != NULL ? p->snaplen : "65535");
	if (ret == 0 && p->filter != NULL)
		ret = quote(line, "filter ", p->filter, e);
	if (ret == 0)
		ret = command_run(t, line, e);
	fifo_unname(t);
	return ret;
}

/* Have the program end the tap. It writes the rest and closes the FIFO. */
static int
stop(struct tap *t, struct err *e)
{
	char line[LINE_BYTES] = "tap stop";
	int ret = 0;

	if (t->stops)
		return 0;
	t->stops = true;
	t->talk.interrupt = NULL;
	ret = quote(line, "", t->path, e);
	return ret == 0 ? command_send(t, line, e) : ret;
}

/* Read what the program has answered. */
static void
answer_read(struct tap *t)
{
	struct json_read value;
	struct err gone;
	int got;

	err_clear(&gone);
	while ((got = talk_line(&t->talk, -1, 0, &value, &gone)) >= 0 && got != TALK_DONE) {
		if (got != TALK_ANSWER || !t->stops)
			continue;
		t->complete = strstr(value.text, "\"ok\": true") != NULL;
		t->written = figure(value.text, "written");
		t->dropped = figure(value.text, "dropped");
		t->filtered = figure(value.text, "filtered");
	}
	/* A program that has ended answers no more. */
	if (got != -EAGAIN)
		t->told = true;
}

/* Read from the FIFO. Returns 1 at its end. */
static int
fifo_read(struct tap *t, struct err *e)
{
	const ssize_t n = read(t->fifo, t->bytes, sizeof(t->bytes));

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return err_set(e, errno, "tap: %s", strerror(errno));
	if (n > 0 && !t->discards)
		t->n = (size_t)n;
	return n == 0;
}

/* Write what was read, as far as that does not wait. If that fails, the rest is discarded. */
static int
pass(struct tap *t, struct err *e)
{
	size_t n = t->n - t->sent;
	ssize_t sent;

	sent = write(t->plan->to, t->bytes + t->sent, n < t->most ? n : t->most);
	if (sent < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (sent < 0 && errno != EPIPE)
		err_set(e, errno, "tap: cannot write: %s", strerror(errno));
	t->discards |= sent < 0;
	t->sent += sent > 0 ? (size_t)sent : 0;
	if (t->discards || t->sent == t->n)
		t->n = t->sent = 0;
	return -e->code;
}

/* Pass everything on, until the FIFO's end. */
static int
copy(struct tap *t, struct err *e)
{
	enum { TALK, FIFO, TO };
	struct pollfd fds[3];
	bool ended = false;
	int ret = 0, waits;

	while (!ended || t->n > 0 || !t->told) {
		fds[TALK] = (struct pollfd){ t->told ? -1 : t->talk.fd, POLLIN, 0 };
		fds[FIFO] = (struct pollfd){ ended || t->n > 0 ? -1 : t->fifo, POLLIN, 0 };
		fds[TO] = (struct pollfd){ t->discards ? -1 : t->plan->to, t->n > 0 ? POLLOUT : 0,
			0 };
		waits = interrupt_poll(t->stops ? NULL : t->plan->interrupt, fds, ARRAY_SIZE(fds),
			-1);
		if (waits < 0)
			return err_set(e, -waits, "tap: poll: %s", strerror(-waits));
		if (fds[TALK].revents != 0)
			answer_read(t);
		if (fds[FIFO].revents != 0)
			ended = fifo_read(t, e) != 0;
		if ((fds[TO].revents & POLLOUT) != 0)
			ret = pass(t, e);
		else if (fds[TO].revents != 0)
			t->discards = true;
		if (t->discards)
			t->n = t->sent = 0;
		/* A signal, or the end of one side. The failure to write is what matters then. */
		if (ret != 0 || t->discards || ended || interrupt_pending(t->plan->interrupt))
			(void)stop(t, e);
	}
	return ret;
}

static int
open_both(struct tap *t, const struct control_tap_plan *plan, struct err *e)
{
	t->plan = plan;
	t->fifo = -1;
	return talk_open(&t->talk, plan->name, plan->interrupt, e);
}

static int
run(struct tap *t, struct err *e)
{
	struct stat st;
	int ret;

	/* A pipe that is ready takes as much without waiting; a file takes everything. */
	t->most = fstat(t->plan->to, &st) == 0 && S_ISREG(st.st_mode) ? CHUNK_BYTES : PIPE_BUF;
	ret = start(t, e);
	if (ret == 0)
		ret = copy(t, e);
	if (ret == 0 && !t->complete)
		ret = err_set(e, EPIPE,
			"tap: the program has ended; unless it was killed, the counts end the stream");
	if (t->complete)
		out_warn(t->out,
			"Tap of port %s: %" PRIu64 " packets written, %" PRIu64
			" filtered out, %" PRIu64 " dropped\n",
			t->plan->port, t->written, t->filtered, t->dropped);
	if (t->fifo >= 0)
		close(t->fifo);
	return ret;
}

int
control_tap_run(const struct control_tap_plan *plan, struct out *out, struct err *e)
{
	struct tap *t = calloc(1, sizeof(*t));
	int ret;

	if (t == NULL)
		return err_set(e, ENOMEM, "tap: no memory");
	t->out = out;
	ret = open_both(t, plan, e);
	if (ret == 0) {
		ret = run(t, e);
		talk_close(&t->talk);
	}
	free(t);
	return ret;
}

int
control_tap_check(const struct control_tap_plan *plan, struct err *e)
{
	struct tap *t = calloc(1, sizeof(*t));
	char line[LINE_BYTES] = "tap check";
	int ret;

	if (t == NULL)
		return err_set(e, ENOMEM, "tap: no memory");
	ret = open_both(t, plan, e);
	if (ret == 0) {
		if (quote(line, "", plan->filter, e) == 0)
			(void)command_run(t, line, e);
		talk_close(&t->talk);
	}
	free(t);
	return -e->code;
}

/* Join words with spaces. The caller frees the text; NULL: no memory. */
static char *
joined(int n, char **words)
{
	size_t bytes = 1;
	char *text;

	for (int i = 0; i < n; i++)
		bytes += strlen(words[i]) + 1;
	text = calloc(1, bytes);
	for (int i = 0; text != NULL && i < n; i++)
		snprintf(text + strlen(text), bytes - strlen(text), "%s%s", i > 0 ? " " : "",
			words[i]);
	return text;
}

static bool
is_number(const char *word)
{
	return word[0] != '\0' && word[strspn(word, DIGITS)] == '\0';
}

/* Read the words. The caller frees *filter. */
static int
words_read(int argc, char **argv, struct control_tap_plan *p, char **filter, struct err *e)
{
	static const char form[] = "[NAME] PORT [rx|tx|both] [snaplen N] [filter EXPRESSION]";
	int at = 0;

	/* A program may be called by a number. */
	if (argc > 0 && (!is_number(argv[0]) || (argc > 1 && is_number(argv[1]))))
		p->name = argv[at++];
	if (at == argc)
		return err_set(e, EINVAL, "tap: expected %s, such as zcfwd tap 0 | tcpdump -r -",
			form);
	p->port = argv[at++];
	if (!is_number(p->port))
		return err_set(e, EINVAL, "tap: \"%s\": expected a port's number", p->port);
	if (at < argc &&
		(strcmp(argv[at], "rx") == 0 || strcmp(argv[at], "tx") == 0 ||
			strcmp(argv[at], "both") == 0))
		p->ways = argv[at++];
	if (at < argc && strcmp(argv[at], "snaplen") == 0) {
		p->snaplen = at + 1 < argc ? argv[at + 1] : "";
		at += 2;
		if (!is_number(p->snaplen) || strlen(p->snaplen) > 5 || atoi(p->snaplen) < 1 ||
			atoi(p->snaplen) > 65535)
			return err_set(e, ERANGE, "tap: snaplen \"%s\": expected 1..65535 bytes",
				p->snaplen);
	}
	if (at < argc && strcmp(argv[at], "filter") != 0)
		return err_set(e, EINVAL, "tap: \"%s\": expected %s", argv[at], form);
	if (at + 1 == argc)
		return err_set(e, EINVAL, "tap: expected an expression behind filter");
	if (at < argc) {
		*filter = joined(argc - at - 1, argv + at + 1);
		p->filter = *filter;
		if (*filter == NULL)
			return err_set(e, ENOMEM, "tap: no memory");
	}
	return 0;
}

int
control_tap(int argc, char **argv, struct out *out, struct err *e)
{
	struct interrupt interrupt;
	struct control_tap_plan plan = { .to = STDOUT_FILENO, .interrupt = &interrupt };
	char *filter = NULL;
	int ret = words_read(argc, argv, &plan, &filter, e);

	if (ret == 0 && isatty(STDOUT_FILENO) != 0)
		ret = err_set(e, EINVAL,
			"tap: packets are not for a terminal: use \"| tcpdump -r -\" or \"> FILE\"");
	if (ret == 0)
		ret = interrupt_open(&interrupt, e);
	if (ret == 0)
		ret = control_tap_run(&plan, out, e);
	free(filter);
	return ret;
}
