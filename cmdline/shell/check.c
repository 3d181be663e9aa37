/* Checks command files without running them: reports every line that is not a command. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/check.h"

#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/shell/filter.h"
#include "cmdline/shell/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What is wrong with one line, as reader_line() returned it; 0: nothing. */
static int
check_line(struct app *app, const struct grammar *g, const struct grammar *behind, const char *line,
	int read, struct err *e)
{
	const struct cmd_row *row;
	struct filters filters;
	char command[LINE_BYTES];
	struct args args;
	int ret;

	if (read == -E2BIG)
		return err_set(e, E2BIG, "the line is longer than %d bytes", LINE_BYTES - 1);
	if (read < 0)
		return err_set(e, EILSEQ, "the line has a NUL byte");
	ret = filters_read(&filters, behind, line, e);
	snprintf(command, sizeof(command), "%.*s", (int)filters.command_bytes, line);
	filters_free(&filters);
	if (ret < 0 || grammar_parse(g, command, &row, &args, e) < 0)
		return -e->code;
	return row != NULL && row->check != NULL ? row->check(app, &args, e) : 0;
}

int
check_script(struct app *app, const struct grammar *g, struct out *out, const char *file,
	unsigned int *bad, struct err *e)
{
	struct reader r = { .fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY) };
	struct grammar *behind = r.fd >= 0 ? filter_grammar(e) : NULL;
	char line[LINE_BYTES];
	int read;

	if (r.fd >= 0 && behind == NULL) {
		close(r.fd);
		return -e->code;
	}
	if (r.fd < 0)
		return err_set(e, errno, "cannot read %s: %s", file, strerror(errno));
	for (unsigned int number = 1;; number++) {
		struct err why;

		err_clear(&why);
		read = reader_line(&r, line);
		if (read == 0 || (read < 0 && read != -E2BIG && read != -EILSEQ))
			break;
		if (check_line(app, g, behind, line, read, &why) >= 0)
			continue;
		out_warn(out, "%s:%u: %s\n", file, number, why.text);
		(*bad)++;
	}
	grammar_free(behind);
	close(r.fd);
	return read < 0 ? err_set(e, -read, "cannot read %s: %s", file, strerror(-read)) : 0;
}
