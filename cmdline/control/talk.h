/* A conversation with a program over its control socket: requests, and the lines of their answers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct err;
struct interrupt;
struct json_read;

/* What a line of an answer holds. */
enum talk_line {
	TALK_DONE,    /* the request is done: talk->ok */
	TALK_ANSWER,  /* an object */
	TALK_EVENT,   /* an object */
	TALK_TEXT,    /* a string */
	TALK_FAILURE, /* a string */
	TALK_OFFER,   /* an object */
	TALK_PROMPT,  /* an object */
	TALK_LOG,     /* a string: what the program logged, after the request "log", at any time */
	TALK_KEYS,    /* the command waits for keys from here on */
	TALK_OTHER,   /* of another request, or of a later version */
};

struct talk {
	struct interrupt *interrupt; /* ends waits; NULL: nothing does */
	int fd;
	unsigned int id; /* of the last request that has an answer */
	/* Of this process, in which files of commands are; "": unknown, relative names are in the program's. */
	char folder[PATH_MAX];
	bool ok;
	char *bytes; /* that were received; the first at of them are handled */
	size_t n, at, room;
};

/* What a request asks for. NULL or 0: left out. */
struct talk_request {
	const char *what, *format, *line, *terminal;
	bool events;
};

/* Connect (control_connect()). Thread: any one, for all of this file. */
int talk_open(struct talk *t, const char *name, struct interrupt *interrupt, struct err *e);
void talk_close(struct talk *t);

/*
 * Send a request. It gets an id of its own, for which talk_line() tells its answer; "cancel" and
 * "keys" get none: they concern the request before them. Errors: ENOMEM; those of send(2). A program that is gone is an error of
 * talk_line().
 */
int talk_send(struct talk *t, const struct talk_request *r, struct err *e);

/*
 * Return the next line of the answer: what it is, and its value for json_read, which is valid until
 * the next call. Waits for it, at most ms milliseconds (-1: no limit). Returns -EAGAIN for the
 * timeout, -EINTR when interrupt_pending(), -EIO when input (-1: none) is readable; with e filled
 * ECONNREFUSED, EPIPE, ENOMEM, EPROTO.
 */
int talk_line(struct talk *t, int input, int ms, struct json_read *value, struct err *e);

/* Read a string of any length from a line, and free() it. NULL with e filled: ENOMEM, EINVAL. */
char *talk_string(struct json_read *value, struct err *e);
