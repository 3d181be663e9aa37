/* A client of the control socket: lines in, lines out, without ever waiting for it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/control/control_client.h"

#include "base/base.h"
#include "base/err.h"
#include "base/json_read.h"
#include "base/out_json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#define ANSWER_BYTES_MAX ((size_t)64 << 20)

/* Append; false without memory. */
static bool
bytes_add(struct client_bytes *b, const char *bytes, size_t n)
{
	if (n > b->room - b->n) {
		const size_t room = (b->n + n) * 2;
		char *more = realloc(b->bytes, room);

		if (more == NULL)
			return false;
		b->bytes = more;
		b->room = room;
	}
	memcpy(b->bytes + b->n, bytes, n);
	b->n += n;
	return true;
}

static void
bytes_drop(struct client_bytes *b, size_t n)
{
	memmove(b->bytes, b->bytes + n, b->n - n);
	b->n -= n;
}

/* Queue bytes for the client. */
static void
say(struct client *c, const char *bytes, size_t n)
{
	if (c->gone)
		return;
	if (c->out.n + n <= ANSWER_BYTES_MAX && bytes_add(&c->out, bytes, n))
		return;
	c->gone = true;
	(void)shutdown(c->fd,
		SHUT_RDWR); /* which is told in the next wait, and cancels its command */
}

void
control_client_send(struct client *c)
{
	size_t sent = 0;
	ssize_t n;

	while (!c->gone && sent < c->out.n) {
		n = send(c->fd, c->out.bytes + sent, c->out.n - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			c->gone = true;
		else
			sent += (size_t)n;
	}
	if (sent > 0)
		bytes_drop(&c->out, sent);
}

/* Send an object with the id of a request and a member: JSON, or a text that is quoted. */
static void
frame_of(struct client *c, const char *id, const char *key, const char *value, size_t n,
	bool quoted)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	if (f == NULL) {
		c->gone = true;
		return;
	}
	fprintf(f, "{\"id\": %s, \"%s\": ", id, key);
	if (quoted)
		out_json_quote(f, value, n);
	else
		fwrite(value, 1, n, f);
	fputs("}\n", f);
	if (fclose(f) != 0)
		c->gone = true;
	else
		say(c, text, bytes);
	free(text);
}

static void
frame(struct client *c, const char *key, const char *value, size_t n, bool quoted)
{
	frame_of(c, c->id, key, value, n, quoted);
}

/* Frame the whole lines of what was printed; rest: also what is behind the last of them. */
static void
frame_lines(struct client *c, struct client_bytes *printed, bool failures, bool rest)
{
	const bool json = c->answers == OUT_JSON && !failures;
	const char *end;
	size_t n;

	while (printed->n > 0) {
		end = json ? memchr(printed->bytes, '\n', printed->n)
			   : memrchr(printed->bytes, '\n', printed->n);
		if (end == NULL && !rest)
			return;
		n = end != NULL ? (size_t)(end - printed->bytes) + 1 : printed->n;
		frame(c,
			json               ? "answer"
				: failures ? "failure"
					   : "text",
			printed->bytes, json && end != NULL ? n - 1 : n, !json);
		bytes_drop(printed, n);
	}
}

/* What a command prints goes to its client. */
static void
printed(struct client *c, const char *bytes, size_t n, bool failures)
{
	struct client_bytes *b = failures ? &c->failures : &c->results;

	if (!c->framed) {
		say(c, bytes, n);
	} else {
		if (!bytes_add(b, bytes, n))
			c->gone = true;
		frame_lines(c, b, failures, false);
	}
	control_client_send(c);
}

static ssize_t
write_results(void *ctx, const char *bytes, size_t n)
{
	printed(ctx, bytes, n, false);
	return (ssize_t)n;
}

static ssize_t
write_failures(void *ctx, const char *bytes, size_t n)
{
	printed(ctx, bytes, n, true);
	return (ssize_t)n;
}

/* An event is a line of its own. */
static ssize_t
write_event(void *ctx, const char *bytes, size_t n)
{
	struct client *c = ctx;

	if (n > 0)
		frame(c, "event", bytes, bytes[n - 1] == '\n' ? n - 1 : n, false);
	control_client_send(c);
	return (ssize_t)n;
}

static void
files_close(const struct client *c)
{
	FILE *const files[] = { c->to, c->failed, c->events };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i] != NULL)
			fclose(files[i]);
}

struct client *
control_client_new(int fd)
{
	struct client *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->fd = fd;
	c->format = OUT_JSON;
	c->keys[0] = c->keys[1] = -1;
	c->to = fopencookie(c, "w", (cookie_io_functions_t){ .write = write_results });
	c->failed = fopencookie(c, "w", (cookie_io_functions_t){ .write = write_failures });
	c->events = fopencookie(c, "w", (cookie_io_functions_t){ .write = write_event });
	if (c->to != NULL && c->failed != NULL && c->events != NULL)
		return c;
	files_close(c);
	free(c);
	return NULL;
}

void
control_client_free(struct client *c)
{
	files_close(c);
	close(c->fd);
	for (size_t i = 0; i < ARRAY_SIZE(c->keys); i++)
		if (c->keys[i] >= 0)
			close(c->keys[i]);
	free(c->out.bytes);
	free(c->results.bytes);
	free(c->failures.bytes);
	free(c);
}

static void
done_say(struct client *c, const char *id, bool ok)
{
	char text[CLIENT_ID_BYTES + 64];
	const int n = snprintf(text, sizeof(text), "{\"id\": %s, \"done\": true, \"ok\": %s}\n", id,
		ok ? "true" : "false");

	say(c, text, (size_t)n);
}

/* Answer a request that cannot be run. */
static void
refuse(struct client *c, const struct err *e, const char *line)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f;

	if ((c->framed ? c->answers : c->format) == OUT_TEXT) {
		char failure[sizeof(e->text) + 1];
		const int n = snprintf(failure, sizeof(failure), "%s\n", e->text);

		if (c->framed)
			frame(c, "failure", failure, (size_t)n, true);
		else
			say(c, failure, (size_t)n);
		control_client_done(c, false);
		return;
	}
	f = open_memstream(&text, &bytes);
	if (f == NULL) {
		c->gone = true;
		return;
	}
	fputs("{\"command\": ", f);
	out_json_quote(f, line, strlen(line));
	fputs(", \"ok\": false, \"error\": ", f);
	out_json_err(f, e, NULL);
	fputs("}", f);
	if (fclose(f) != 0) {
		c->gone = true;
	} else if (c->framed) {
		frame(c, "answer", text, bytes, false);
		control_client_done(c, false);
	} else {
		say(c, text, bytes);
		say(c, "\n", 1);
	}
	free(text);
}

/* A line that does not fit is refused when it is its turn, so not among the lines of another answer. */
static void
refuse_long(struct client *c)
{
	struct err e;

	err_clear(&e);
	err_set(&e, E2BIG, "the line is longer than %d bytes", LINE_BYTES - 1);
	c->too_long--;
	c->framed = false;
	refuse(c, &e, "");
}

/* Forget a line that does not fit, up to its end. */
static void
drop_long(struct client *c)
{
	const char *end = memchr(c->in, '\n', c->n);
	const size_t n = end != NULL ? (size_t)(end - c->in) + 1 : c->n;

	c->lost += n;
	memmove(c->in, c->in + n, c->n - n);
	c->n -= n;
	if (end != NULL)
		c->lost = 0;
	else if (c->lost > CLIENT_LOST_MAX)
		c->gone = true;
}

void
control_client_read(struct client *c)
{
	const ssize_t n = recv(c->fd, c->in + c->n, sizeof(c->in) - c->n, MSG_DONTWAIT);

	if (n == 0 && c->n < sizeof(c->in))
		c->ended = true;
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		c->gone = true;
	if (n <= 0)
		return;
	c->n += (size_t)n;
	if (c->lost > 0)
		drop_long(c);
	while (!c->gone && c->lost == 0 && c->n == sizeof(c->in) &&
		memchr(c->in, '\n', c->n) == NULL) {
		c->too_long++;
		drop_long(c);
	}
}

bool
control_client_waits(const struct client *c)
{
	return !c->gone &&
		(c->too_long > 0 ||
			(c->lost == 0 &&
				(memchr(c->in, '\n', c->n) != NULL || (c->ended && c->n > 0))));
}

/* The members of a request, as they were sent. */
struct members {
	char id[CLIENT_ID_BYTES], of[CLIENT_ID_BYTES], what[16], format[16], terminal[16],
		folder[PATH_MAX], line[LINE_BYTES];
	double version;
	bool events, any;
};

/* Read an id as it is answered: a number, or a string with its quotes. */
static int
id_read(struct json_read *j, char id[CLIENT_ID_BYTES], struct err *e)
{
	char text[CLIENT_ID_TEXT];
	double number;
	FILE *f;

	if (!json_read_is_string(j)) {
		if (json_read_number(j, &number, e) != 0)
			return -e->code;
		snprintf(id, CLIENT_ID_BYTES, "%.17g", number);
		return 0;
	}
	if (json_read_string(j, text, sizeof(text), e) != 0)
		return -e->code;
	f = fmemopen(id, CLIENT_ID_BYTES, "w");
	if (f == NULL)
		return err_set(e, ENOMEM, "no memory for the id");
	out_json_quote(f, text, strlen(text));
	return fclose(f) == 0 ? 0 : err_set(e, E2BIG, "the id is too long");
}

static int
member_read(struct json_read *j, const char *key, void *ctx, struct err *e)
{
	struct members *m = ctx;
	const struct {
		const char *key;
		char *to;
		size_t bytes;
	} texts[] = { { "do", m->what, sizeof(m->what) }, { "line", m->line, sizeof(m->line) },
		{ "format", m->format, sizeof(m->format) },
		{ "terminal", m->terminal, sizeof(m->terminal) },
		{ "folder", m->folder, sizeof(m->folder) } };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (strcmp(key, texts[i].key) == 0)
			return json_read_string(j, texts[i].to, texts[i].bytes, e);
	if (strcmp(key, "id") == 0)
		return id_read(j, m->id, e);
	if (strcmp(key, "of") == 0)
		return id_read(j, m->of, e);
	if (strcmp(key, "any") == 0)
		return json_read_bool(j, &m->any, e);
	if (strcmp(key, "version") == 0)
		return json_read_number(j, &m->version, e);
	if (strcmp(key, "events") == 0)
		return json_read_bool(j, &m->events, e);
	return err_set(e, EINVAL,
		"member \"%s\": expected id, do, of, any, line, folder, format, terminal, events or version",
		key);
}

static int
members_read(const char *line, struct members *m, struct err *e)
{
	struct json_read j = { .text = line };
	const int ret = json_read_object(&j, member_read, m, e);

	return ret == 0 ? json_read_end(&j, e) : ret;
}

static int
what_read(const char *what, enum client_do *to, struct err *e)
{
	static const char *const names[] = { [CLIENT_RUN] = "run",
		[CLIENT_CANCEL] = "cancel",
		[CLIENT_KEYS] = "keys",
		[CLIENT_OFFER] = "offer",
		[CLIENT_PROMPT] = "prompt",
		[CLIENT_LOG] = "log" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(what, names[i]) == 0) {
			*to = i;
			return 0;
		}
	return err_set(e, EINVAL,
		"do \"%s\": expected \"run\", \"cancel\", \"keys\", \"log\", \"offer\" or \"prompt\"",
		what);
}

/* Read "COLUMNSxROWS". */
static int
screen_read(const char *text, struct out_screen *to, struct err *e)
{
	unsigned int columns, rows;
	int end = 0;

	if (sscanf(text, "%5ux%5u%n", &columns, &rows, &end) != 2 || text[end] != '\0' ||
		columns == 0 || rows == 0)
		return err_set(e, EINVAL,
			"terminal \"%s\": expected COLUMNSxROWS, such as \"80x24\"", text);
	*to = (struct out_screen){ columns, rows };
	return 0;
}

/* Read a request that is an object. id: as far as it is known. */
static int
object_read(const char *line, struct client_request *r, char id[CLIENT_ID_BYTES], struct err *e)
{
	struct members m = { .id = "null",
		.what = "run",
		.format = "json",
		.version = CLIENT_VERSION };
	const int ret = members_read(line, &m, e);

	memcpy(id, m.id, sizeof(m.id));
	memcpy(r->line, m.line, sizeof(m.line));
	r->what = CLIENT_RUN;
	r->events = m.events;
	memcpy(r->of, m.of, sizeof(m.of));
	r->any = m.any;
	memcpy(r->folder, m.folder, sizeof(m.folder));
	r->screen = (struct out_screen){ 0 };
	r->format = strcmp(m.format, "text") == 0 ? OUT_TEXT : OUT_JSON;
	if (ret != 0)
		return ret;
	if (m.version != CLIENT_VERSION)
		return err_set(e, EPROTO, "version %g: expected %d", m.version, CLIENT_VERSION);
	if (r->format == OUT_JSON && strcmp(m.format, "json") != 0)
		return err_set(e, EINVAL, "format \"%s\": expected \"json\" or \"text\"", m.format);
	if (m.terminal[0] != '\0' && screen_read(m.terminal, &r->screen, e) != 0)
		return -e->code;
	if (m.folder[0] != '\0' && m.folder[0] != '/')
		return err_set(e, EINVAL, "folder \"%.200s\": expected an absolute path", m.folder);
	if (what_read(m.what, &r->what, e) != 0)
		return -e->code;
	if ((r->of[0] != '\0' || r->any) && r->what != CLIENT_CANCEL)
		return err_set(e, EINVAL, "\"of\" and \"any\" are members of \"do\": \"cancel\"");
	if (r->of[0] != '\0' && r->any)
		return err_set(e, EINVAL,
			"cancel: expected \"of\", a command of this connection, or \"any\"");
	return 0;
}

/* Read a request of n bytes. Returns -errno for a bad one. */
static int
request_read(struct client *c, const char *line, size_t n, struct client_request *r, struct err *e)
{
	*r = (struct client_request){ .what = CLIENT_RUN, .format = c->format };
	c->framed = false;
	if (strlen(line) != n)
		return err_set(e, EILSEQ, "column %zu: the line has a NUL byte", strlen(line) + 1);
	if (line[strspn(line, " \t")] == '{') {
		const int ret = object_read(line, r, c->id, e);

		c->framed = true;
		c->answers = r->format;
		return ret;
	}
	if (n >= LINE_BYTES)
		return err_set(e, E2BIG, "the line is longer than %d bytes", LINE_BYTES - 1);
	memcpy(r->line, line, n + 1);
	return 0;
}

/* Copy the first request that waits to line[CLIENT_IN_BYTES + 1]. Returns its bytes. */
static size_t
first_line(const struct client *c, char *line)
{
	const char *newline = memchr(c->in, '\n', c->n);
	const size_t n = newline != NULL ? (size_t)(newline - c->in) : c->n;

	memcpy(line, c->in, n);
	line[n] = '\0';
	return n;
}

static void
drop_line(struct client *c, size_t n)
{
	n = n < c->n ? n + 1 : c->n; /* the last one may lack its newline */
	memmove(c->in, c->in + n, c->n - n);
	c->n -= n;
}

/* The terminal of a client: its size, and a way for its keys. */
static void
screen_set(struct client *c, const struct out_screen *screen)
{
	if (screen->columns == 0)
		return;
	c->screen = *screen;
	if (c->keys[0] < 0 && pipe2(c->keys, O_CLOEXEC | O_NONBLOCK) != 0)
		c->keys[0] = c->keys[1] = -1;
}

bool
control_client_take(struct client *c, struct client_request *r)
{
	char line[CLIENT_IN_BYTES + 1];
	struct err e;
	size_t n;

	if (c->too_long > 0) {
		refuse_long(c);
		return false;
	}
	n = first_line(c, line);
	err_clear(&e);
	drop_line(c, n);
	if (request_read(c, line, n, r, &e) != 0)
		refuse(c, &e, line);
	while (c->keys[0] >= 0 && read(c->keys[0], line, sizeof(line)) > 0)
		; /* of an earlier command */
	c->reads = false;
	c->has_events = c->framed && r->events;
	c->has_screen = c->framed && r->format == OUT_TEXT && r->screen.columns > 0;
	memcpy(c->folder, r->folder, sizeof(c->folder));
	screen_set(c, &r->screen);
	return e.code == 0;
}

/* What was typed; more than the pipe takes is lost. */
static void
keys_take(struct client *c, const struct client_request *r)
{
	const size_t n = strlen(r->line);

	screen_set(c, &r->screen);
	if (n > 0 && c->keys[1] >= 0 && write(c->keys[1], r->line, n) < 0)
		return;
}

/* True if the first request that waits concerns the command that runs; *cancels: it ends it. */
static bool
urgent_take(struct client *c, bool *cancels)
{
	char line[CLIENT_IN_BYTES + 1], id[CLIENT_ID_BYTES];
	struct client_request r;
	struct err e;
	size_t n;

	err_clear(&e);
	if (c->too_long > 0 || !control_client_waits(c))
		return false;
	n = first_line(c, line);
	if (line[strspn(line, " \t")] != '{' || object_read(line, &r, id, &e) != 0 ||
		(r.what != CLIENT_CANCEL && r.what != CLIENT_KEYS))
		return false;
	drop_line(c, n);
	if (r.what == CLIENT_KEYS) {
		keys_take(c, &r);
		return true;
	}
	*cancels |= r.of[0] == '\0' || (c->framed && strcmp(r.of, c->id) == 0);
	done_say(c, id, true);
	control_client_send(c);
	return true;
}

bool
control_client_cancels(struct client *c)
{
	bool cancels = false;

	while (urgent_take(c, &cancels))
		;
	return cancels;
}

void
control_client_log(struct client *c, const char *text, size_t n)
{
	static const char lost[] =
		"zcfwd: some lines of the log are only in the program's own log\n";

	if (c->out.n >= CLIENT_UNREAD) {
		c->log_lost = true;
		return;
	}
	if (c->log_lost)
		frame_of(c, c->log_id, "log", lost, sizeof(lost) - 1, true);
	c->log_lost = false;
	frame_of(c, c->log_id, "log", text, n, true);
}

void
control_client_say(struct client *c, const char *key, const char *members)
{
	char *text = NULL;
	const int n = asprintf(&text, "{%s}", members);

	if (n < 0) {
		c->gone = true;
		return;
	}
	frame(c, key, text, (size_t)n, false);
	free(text);
}

void
control_client_reads(struct client *c)
{
	char text[CLIENT_ID_BYTES + 64];
	int n;

	if (!c->has_screen || c->reads)
		return;
	c->reads = true;
	n = snprintf(text, sizeof(text), "{\"id\": %s, \"keys\": true}\n", c->id);
	say(c, text, (size_t)n);
	control_client_send(c);
}

void
control_client_done(struct client *c, bool ok)
{
	fflush(c->to);
	fflush(c->failed);
	if (!c->framed)
		return;
	frame_lines(c, &c->results, false, true);
	frame_lines(c, &c->failures, true, true);
	done_say(c, c->id, ok);
}
