/* A conversation with a program over its control socket: requests, and the lines of their answers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/control/talk.h"

#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/json_read.h"
#include "base/out_json.h"
#include "cmdline/control/control_address.h"
#include "cmdline/control/control_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES 65536

int
talk_open(struct talk *t, const char *name, struct interrupt *interrupt, struct err *e)
{
	*t = (struct talk){ .interrupt = interrupt, .fd = control_connect(name, e) };
	if (t->fd < 0)
		return -e->code;
	if (getcwd(t->folder, sizeof(t->folder)) == NULL || t->folder[0] != '/')
		t->folder[0] = '\0';
	return 0;
}

void
talk_close(struct talk *t)
{
	close(t->fd);
	free(t->bytes);
}

static void
member(FILE *f, const char *key, const char *value)
{
	if (value == NULL)
		return;
	fprintf(f, ", \"%s\": ", key);
	out_json_quote(f, value, strlen(value));
}

/* True for requests that need no answer of their own. */
static bool
aside(const struct talk_request *r)
{
	return r->what != NULL && (strcmp(r->what, "cancel") == 0 || strcmp(r->what, "keys") == 0);
}

int
talk_send(struct talk *t, const struct talk_request *r, struct err *e)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	ssize_t sent = -1;

	if (f == NULL)
		return err_set(e, ENOMEM, "no memory for the request");
	fprintf(f, "{\"version\": %d, \"id\": %u", CLIENT_VERSION, aside(r) ? 0 : ++t->id);
	member(f, "do", r->what);
	/* One that has just ended must not end what another client runs next. */
	if (r->what != NULL && strcmp(r->what, "cancel") == 0)
		fprintf(f, ", \"of\": %u", t->id);
	member(f, "format", r->format);
	member(f, "line", r->line);
	member(f, "terminal", r->terminal);
	if (!aside(r) && t->folder[0] != '\0')
		member(f, "folder", t->folder);
	fprintf(f, "%s}\n", r->events ? ", \"events\": true" : "");
	if (fclose(f) == 0)
		sent = send(t->fd, text, bytes, MSG_NOSIGNAL);
	free(text);
	/* A program that refuses this client has closed the connection, and said why. */
	return sent == (ssize_t)bytes || errno == EPIPE
		? 0
		: err_set(e, errno, "the request cannot be sent: %s", strerror(errno));
}

/* Read more bytes. Returns as talk_line(). */
static int
more_read(struct talk *t, int input, int ms, struct err *e)
{
	struct pollfd fds[] = { { t->fd, POLLIN, 0 }, { input, POLLIN, 0 } };
	ssize_t n;
	int ret;

	ret = interrupt_poll(t->interrupt, fds, ARRAY_SIZE(fds), ms);
	if (ret < 0)
		return err_set(e, -ret, "poll: %s", strerror(-ret));
	if (ret == 0)
		return -EAGAIN;
	if (fds[0].revents == 0)
		return fds[1].revents != 0 ? -EIO : -EINTR;
	if (t->room - t->n < READ_BYTES) {
		char *more = realloc(t->bytes, 2 * t->room + READ_BYTES);

		if (more == NULL)
			return err_set(e, ENOMEM, "no memory for the answer");
		t->bytes = more;
		t->room = 2 * t->room + READ_BYTES;
	}
	n = recv(t->fd, t->bytes + t->n, t->room - t->n, 0);
	if (n <= 0)
		return err_set(e, EPIPE, "the program ended before it had answered");
	t->n += (size_t)n;
	return 0;
}

/* Read the key of an answer's value: what the value is. */
static int
key_read(struct json_read *j, struct err *e)
{
	static const struct {
		const char *key;
		enum talk_line line;
	} keys[] = { { "answer", TALK_ANSWER }, { "event", TALK_EVENT }, { "text", TALK_TEXT },
		{ "failure", TALK_FAILURE }, { "offer", TALK_OFFER }, { "prompt", TALK_PROMPT },
		{ "keys", TALK_KEYS }, { "log", TALK_LOG } };
	char key[16];

	if (json_read_key(j, key, sizeof(key), e) != 0)
		return -e->code;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(key, keys[i].key) == 0)
			return (int)keys[i].line;
	if (strcmp(key, "done") != 0)
		return TALK_OTHER;
	return TALK_DONE;
}

/* Read {"id": N, "KEY": and leave j at the value. */
static int
line_read(struct talk *t, const char *line, struct json_read *j, struct err *e)
{
	char key[16];
	double id;
	int ret;

	*j = (struct json_read){ .text = line };
	if (strncmp(line, CONTROL_REFUSAL, strlen(CONTROL_REFUSAL)) == 0)
		return err_set(e, ECONNREFUSED, "%.*s",
			(int)strcspn(line + strlen(CONTROL_REFUSAL), "\""),
			line + strlen(CONTROL_REFUSAL));
	if (json_read_begin(j, '{', e) != 0 || json_read_more(j, '}', e) != 1 ||
		json_read_key(j, key, sizeof(key), e) != 0 || json_read_number(j, &id, e) != 0 ||
		json_read_more(j, '}', e) != 1) {
		err_context(e, "the program's answer");
		return err_set(e, EPROTO, "%s", e->text);
	}
	ret = key_read(j, e);
	/* The log has the id of the request for it. */
	if (ret >= 0 && id != t->id && ret != TALK_LOG)
		return TALK_OTHER;
	if (ret == TALK_DONE)
		t->ok = strstr(j->text + j->at, "\"ok\": true") != NULL;
	return ret;
}

int
talk_line(struct talk *t, int input, int ms, struct json_read *value, struct err *e)
{
	char *newline;
	int ret;

	for (;;) {
		newline = t->n > t->at ? memchr(t->bytes + t->at, '\n', t->n - t->at) : NULL;
		if (newline != NULL)
			break;
		if (t->at > 0)
			memmove(t->bytes, t->bytes + t->at, t->n -= t->at);
		t->at = 0;
		ret = more_read(t, input, ms, e);
		if (ret != 0)
			return ret;
	}
	*newline = '\0';
	ret = line_read(t, t->bytes + t->at, value, e);
	t->at = (size_t)(newline - t->bytes) + 1;
	return ret;
}

char *
talk_string(struct json_read *value, struct err *e)
{
	const size_t bytes = strlen(value->text + value->at) + 1;
	char *text = malloc(bytes);

	if (text == NULL) {
		err_set(e, ENOMEM, "no memory for the answer");
		return NULL;
	}
	if (json_read_string(value, text, bytes, e) == 0)
		return text;
	free(text);
	err_context(e, "the program's answer");
	return NULL;
}
