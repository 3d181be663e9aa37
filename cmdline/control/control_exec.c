/* zcfwd exec: sends one request to a control socket, prints what comes back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/control/control_exec.h"

#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/json_read.h"
#include "base/out.h"
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

/* A conversation about one request. */
struct exec {
	struct interrupt interrupt;
	struct out *out;
	int fd;
	bool json, cancelled, done, ok;
	char *bytes; /* of the answer, not handled yet */
	size_t n, room;
};

static int
request_send(struct exec *x, const char *command, struct err *e)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	ssize_t sent = -1;

	if (f == NULL)
		return err_set(e, ENOMEM, "no memory for the request");
	if (command != NULL) {
		fprintf(f,
			"{\"version\": %d, \"id\": 1, \"do\": \"run\", \"format\": \"%s\", \"line\": ",
			CLIENT_VERSION, x->json ? "json" : "text");
		out_json_quote(f, command, strlen(command));
		fputs("}\n", f);
	} else {
		fputs("{\"id\": 2, \"do\": \"cancel\"}\n", f);
	}
	if (fclose(f) == 0)
		sent = send(x->fd, text, bytes, MSG_NOSIGNAL);
	free(text);
	/* A program that refuses this client has closed the connection, and said why. */
	return sent == (ssize_t)bytes || errno == EPIPE
		? 0
		: err_set(e, errno, "the command cannot be sent: %s", strerror(errno));
}

/* Print one text of an answer: {"id": 1, "text": "..."}. */
static int
text_print(struct exec *x, const char *line, struct err *e)
{
	struct json_read j = { .text = line };
	const size_t bytes = strlen(line) + 1;
	char key[16], *text = malloc(bytes);
	double id;
	int ret = text != NULL ? 0 : err_set(e, ENOMEM, "no memory for the answer");

	if (ret == 0 &&
		(json_read_begin(&j, '{', e) != 0 || json_read_more(&j, '}', e) != 1 ||
			json_read_key(&j, key, sizeof(key), e) != 0 ||
			json_read_number(&j, &id, e) != 0 || json_read_more(&j, '}', e) != 1 ||
			json_read_key(&j, key, sizeof(key), e) != 0 ||
			json_read_string(&j, text, bytes, e) != 0))
		ret = err_context(e, "the program's answer");
	if (ret == 0)
		fputs(text, strcmp(key, "failure") == 0 ? stderr : out_file(x->out));
	free(text);
	return ret;
}

/* Handle a line of the answer, without its newline. */
static int
answered(struct exec *x, const char *line, struct err *e)
{
	static const char mine[] = "{\"id\": 1, ", answer[] = "\"answer\": ", done[] = "\"done\": ";
	const char *rest = line + strlen(mine);

	if (strncmp(line, CONTROL_REFUSAL, strlen(CONTROL_REFUSAL)) == 0)
		return err_set(e, ECONNREFUSED, "%.*s",
			(int)strcspn(line + strlen(CONTROL_REFUSAL), "\""),
			line + strlen(CONTROL_REFUSAL));
	if (strncmp(line, mine, strlen(mine)) != 0)
		return 0; /* of the cancellation */
	if (strncmp(rest, done, strlen(done)) == 0) {
		x->done = true;
		x->ok = strstr(rest, "\"ok\": true") != NULL;
		return 0;
	}
	if (strncmp(rest, answer, strlen(answer)) != 0)
		return text_print(x, line, e);
	rest += strlen(answer);
	fprintf(out_file(x->out), "%.*s\n", (int)strlen(rest) - 1, rest);
	return 0;
}

/* Wait for more of the answer and read it; a signal cancels the command once. */
static int
more_read(struct exec *x, struct err *e)
{
	struct pollfd input = { x->fd, POLLIN, 0 };
	ssize_t n;

	if (fflush(out_file(x->out)) != 0)
		return err_set(e, errno, "stdout: %s", strerror(errno));
	if (interrupt_poll(x->cancelled ? NULL : &x->interrupt, &input, 1, -1) < 0)
		return err_set(e, errno, "poll: %s", strerror(errno));
	if (input.revents == 0) {
		x->cancelled = true;
		return request_send(x, NULL, e);
	}
	if (x->room - x->n < READ_BYTES) {
		char *more = realloc(x->bytes, 2 * x->room + READ_BYTES);

		if (more == NULL)
			return err_set(e, ENOMEM, "no memory for the answer");
		x->bytes = more;
		x->room = 2 * x->room + READ_BYTES;
	}
	n = recv(x->fd, x->bytes + x->n, x->room - x->n, 0);
	if (n <= 0)
		return err_set(e, EPIPE, "the program ended before it had answered");
	x->n += (size_t)n;
	return 0;
}

/* Handle the whole lines that were read. */
static int
lines_handle(struct exec *x, struct err *e)
{
	char *at = x->bytes, *end = x->bytes + x->n, *newline;
	int ret = 0;

	while (ret == 0 && at < end && (newline = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		*newline = '\0';
		ret = answered(x, at, e);
		at = newline + 1;
	}
	x->n = (size_t)(end - at);
	if (x->n > 0)
		memmove(x->bytes, at, x->n);
	return ret;
}

/* Read the arguments. Returns the command; NULL with e filled. */
static const char *
arguments_read(struct exec *x, int argc, char **argv, const char **name, struct err *e)
{
	if (argc > 0 && strcmp(argv[0], "--json") == 0) {
		x->json = true;
		argc--;
		argv++;
	}
	if (argc < 1 || argc > 2 || argv[0][0] == '-') {
		err_set(e, EINVAL,
			"exec: expected [--json] [NAME] COMMAND, such as zcfwd exec \"show port stats all\"");
		return NULL;
	}
	*name = argc == 2 ? argv[0] : NULL;
	return argv[argc - 1];
}

int
control_exec(int argc, char **argv, struct out *out, struct err *e)
{
	struct exec x = { .out = out };
	const char *name, *command = arguments_read(&x, argc, argv, &name, e);
	int ret;

	if (command == NULL || interrupt_open(&x.interrupt, e) != 0)
		return -e->code;
	x.fd = control_connect(name, e);
	if (x.fd < 0)
		return -e->code;
	ret = request_send(&x, command, e);
	while (ret == 0 && !x.done) {
		ret = more_read(&x, e);
		if (ret == 0)
			ret = lines_handle(&x, e);
	}
	fflush(out_file(out));
	close(x.fd);
	free(x.bytes);
	return ret != 0 ? ret : x.ok ? 0 : -EIO;
}
