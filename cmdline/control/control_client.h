/* A client of the control socket: its requests, its answers. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A request is a line: a command as in the shell, or an object such as
 *
 *     {"id": 7, "do": "run", "line": "show port stats 0", "format": "text"}
 *
 * Commands are answered as "set output json" does: one object per command, on a line. To an object,
 * each line of the answer is an object with its "id": {"id": 7, "answer": {...}} with format json,
 * {"id": 7, "text": "..."} and {"id": 7, "failure": "..."} with text; then comes
 * {"id": 7, "done": true, "ok": true}. With "events": true there are {"id": 7, "event": {...}} before
 * the answer of a long command.
 *
 * A client that has a terminal sends its size, and what is typed while its command waits for keys,
 * which {"id": 7, "keys": true} tells. It asks for the words that may follow a line, too.
 */
#pragma once

/* What a client reads that is not served; the reason and "\"}}\n" follow. */
#define CONTROL_REFUSAL "{\"command\": \"\", \"ok\": false, \"error\": {\"message\": \""

#include "base/interrupt.h"
#include "base/out.h"
#include "base/out_aside.h"
#include "cmdline/grammar/grammar.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CLIENT_IN_BYTES = 4 * LINE_BYTES,     /* of requests that wait */
	CLIENT_LOST_MAX = 1 << 20,            /* bytes of a line that is too long */
	CLIENT_ID_TEXT = 32,                  /* of an id that is a string, with its NUL */
	CLIENT_ID_BYTES = 6 * CLIENT_ID_TEXT, /* of an id as it is answered: \u0001 is a byte */
	CLIENT_VERSION = 1,                   /* of the objects */
	CLIENT_UNREAD = 1 << 20, /* bytes of answers with which no more of its requests run */
};

/* Bytes on their way to a client. */
struct client_bytes {
	char *bytes;
	size_t n, room;
};

struct client {
	struct client *next;
	int fd;
	bool running; /* its command runs now */
	/* What its command goes on with between others; has_task: there is one. due_ms: its next step. */
	bool has_task;
	struct interrupt_task task;
	int64_t due_ms;
	bool ended; /* it sends no more requests */
	bool gone;  /* it cannot be answered: freed when its command has ended */
	/* Requests that were not run yet; lost: bytes of a line that was too long. */
	char in[CLIENT_IN_BYTES];
	size_t n, lost;
	unsigned int too_long; /* such lines that were not refused yet: they are ahead of in[] */
	struct client_bytes out;
	/* Of the request that is answered: */
	enum out_format format; /* of commands that are no object, until it is set */
	bool framed;
	enum out_format answers;  /* how it is answered */
	char id[CLIENT_ID_BYTES]; /* as it was sent, a number or a string with quotes */
	struct client_bytes results, failures; /* of a line that is not complete */
	FILE *to, *failed, *events;            /* write to the client */
	bool has_events;                       /* it reads them */
	bool has_screen, reads;   /* it shows the answer on a terminal; it was told to send keys */
	struct out_screen screen; /* the size of that, as it was told last */
	char folder[PATH_MAX];    /* of files whose names are relative; "": the program's */
	char log_id[CLIENT_ID_BYTES]; /* of the request for the log; "": it does not follow it */
	bool log_lost;                /* some of it, since the client did not read */
	int keys[2]; /* a pipe: keys that were sent, for the command; -1: it has no terminal */
};

enum client_do { CLIENT_RUN, CLIENT_CANCEL, CLIENT_KEYS, CLIENT_OFFER, CLIENT_PROMPT, CLIENT_LOG };

/* A request that was read. */
struct client_request {
	enum client_do what;
	enum out_format format;
	bool events;              /* told while the command runs */
	struct out_screen screen; /* of the client's terminal; no columns: not told */
	char of[CLIENT_ID_BYTES]; /* "cancel": the id of the command that is meant; "": the one that runs */
	bool any;                 /* "cancel": also a command of another client */
	char folder[PATH_MAX]; /* of files whose names are relative; "": the program's */
	char line[LINE_BYTES];
};

/* A client of a connected socket, which it owns. NULL: no memory. */
struct client *control_client_new(int fd);
void control_client_free(struct client *c);

/* Read what has arrived. Sets ended or gone. */
void control_client_read(struct client *c);

/* Send what waits, as far as the socket takes it. Sets gone. Too much that waits does, too. */
void control_client_send(struct client *c);

/* True if a whole request waits, or the refusal of one. */
bool control_client_waits(const struct client *c);

/* Take the first request that waits. A bad one is answered; returns false. */
bool control_client_take(struct client *c, struct client_request *r);

/*
 * Take and answer the requests that wait and concern its command, which runs: keys, and to cancel it.
 * Returns true for the latter, unless another command is meant, which has ended then.
 */
bool control_client_cancels(struct client *c);

/* The command waits for keys: the client is told to send them, once. */
void control_client_reads(struct client *c);

/* Send a piece of the log. A client that leaves too much unread gets none, and is told later. */
void control_client_log(struct client *c, const char *text, size_t n);

/* Answer with a member that is an object: the text of one, without its braces. */
void control_client_say(struct client *c, const char *key, const char *members);

/* Answer that the request is done. */
void control_client_done(struct client *c, bool ok);
