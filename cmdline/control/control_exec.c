/* zcfwd exec: sends one request to a control socket, prints what comes back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/control/control_exec.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "base/json_read.h"
#include "base/out.h"
#include "cmdline/control/talk.h"
#include "cmdline/grammar/grammar.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Print one line of the answer. */
static int
line_print(struct out *out, enum talk_line line, struct json_read *value, struct err *e)
{
	char *text;

	if (line == TALK_ANSWER || line == TALK_EVENT) {
		const char *object = value->text + value->at;

		object += strspn(object, " ");
		/* The last brace is that of the line. */
		fprintf(out_file(out), "%.*s\n", (int)strlen(object) - 1, object);
		return 0;
	}
	if (line != TALK_TEXT && line != TALK_FAILURE)
		return 0;
	text = talk_string(value, e);
	if (text == NULL)
		return -e->code;
	fputs(text, line == TALK_FAILURE ? stderr : out_file(out));
	free(text);
	return 0;
}

/* Print the answer until it is done; a signal cancels the command, once. */
static int
answer_print(struct talk *t, struct out *out, struct err *e)
{
	const struct talk_request cancel = { .what = "cancel" };
	struct json_read value;
	int line, ret = 0;

	while (ret == 0) {
		if (fflush(out_file(out)) != 0)
			return err_set(e, errno, "stdout: %s", strerror(errno));
		line = talk_line(t, -1, -1, &value, e);
		if (line == TALK_DONE)
			return t->ok ? 0 : -EIO;
		if (line == -EINTR) {
			t->interrupt = NULL;
			ret = talk_send(t, &cancel, e);
		} else {
			ret = line < 0 ? line : line_print(out, (enum talk_line)line, &value, e);
		}
	}
	return ret;
}

/* Read the arguments into a request. */
static int
arguments_read(int argc, char **argv, struct talk_request *r, const char **name, struct err *e)
{
	r->format = "text";
	for (; argc > 0 && argv[0][0] == '-'; argc--, argv++) {
		r->events |= strcmp(argv[0], "--events") == 0;
		if (!r->events && strcmp(argv[0], "--json") != 0)
			return err_set(e, EINVAL, "exec: \"%s\": expected --json or --events",
				argv[0]);
		r->format = "json";
	}
	if (argc < 1 || argc > 2)
		return err_set(e, EINVAL,
			"exec: expected [--json|--events] [NAME] COMMAND, such as zcfwd exec \"show port stats all\"");
	*name = argc == 2 ? argv[0] : NULL;
	r->line = argv[argc - 1];
	if (strlen(r->line) >= LINE_BYTES)
		return err_set(e, E2BIG, "exec: the command is longer than %d bytes",
			LINE_BYTES - 1);
	return 0;
}

int
control_exec(int argc, char **argv, struct out *out, struct err *e)
{
	struct talk_request request = { .what = "run" };
	struct interrupt interrupt;
	struct talk talk;
	const char *name = NULL;
	int ret;

	if (arguments_read(argc, argv, &request, &name, e) != 0 ||
		interrupt_open(&interrupt, e) != 0 || talk_open(&talk, name, &interrupt, e) != 0)
		return -e->code;
	ret = talk_send(&talk, &request, e);
	if (ret == 0)
		ret = answer_print(&talk, out, e);
	fflush(out_file(out));
	talk_close(&talk);
	return ret;
}
