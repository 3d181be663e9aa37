/* Command files that are only read: every line that is no command is told. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/check.h"

#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/grammar_parse.h"
#include "cmdline/shell/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* What is wrong with one line, as reader_line() returned it; 0: nothing. */
static int
check_line(struct app *app, const struct grammar *g, const char *line, int read, struct err *e)
{
	const struct cmd_row *row;
	struct args args;

	if (read == -E2BIG)
		return err_set(e, E2BIG, "the line is longer than %d bytes", LINE_BYTES - 1);
	if (read < 0)
		return err_set(e, EILSEQ, "the line has a NUL byte");
	if (grammar_parse(g, line, &row, &args, e) < 0)
		return -e->code;
	return row != NULL && row->check != NULL ? row->check(app, &args, e) : 0;
}

int
check_script(struct app *app, const struct grammar *g, struct out *out, const char *file,
	unsigned int *bad, struct err *e)
{
	struct reader r = { .fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY), .interrupt_fd = -1 };
	char line[LINE_BYTES];
	int read;

	if (r.fd < 0)
		return err_set(e, errno, "cannot read %s: %s", file, strerror(errno));
	for (unsigned int number = 1;; number++) {
		struct err why;

		err_clear(&why);
		read = reader_line(&r, line);
		if (read == 0 || (read < 0 && read != -E2BIG && read != -EILSEQ))
			break;
		if (check_line(app, g, line, read, &why) >= 0)
			continue;
		out_warn(out, "%s:%u: %s\n", file, number, why.text);
		(*bad)++;
	}
	close(r.fd);
	return read < 0 ? err_set(e, -read, "cannot read %s: %s", file, strerror(-read)) : 0;
}
