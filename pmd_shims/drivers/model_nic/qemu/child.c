/* Starts QEMU and ends it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/qemu/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void
child_word(struct child_line *line, const char *format, ...)
{
	va_list arguments;

	if (line->words + 1 >= CHILD_WORDS)
		return;
	va_start(arguments, format);
	vsnprintf(line->text[line->words++], CHILD_CHARS, format, arguments);
	va_end(arguments);
}

/*
 * Become the program. A process group of its own, so that Ctrl-C at the shell is not for it. failed: a
 * pipe for errno, which the program's start closes.
 */
static void
become(char *const *words, const int *fds, unsigned n, int said, int failed, pid_t parent)
{
	const int null = open("/dev/null", O_RDWR);
	sigset_t none;
	int code;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1); /* it ended before */
	setpgid(0, 0);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(said, STDERR_FILENO);
	for (unsigned i = 0; i < n; i++)
		fcntl(fds[i], F_SETFD, 0);
	execvp(words[0], words);
	code = errno;
	if (write(failed, &code, sizeof(code)) < 0)
		_exit(2);
	_exit(1);
}

int
child_start(struct child *c, const struct child_line *line, const int *fds, unsigned n)
{
	static char program[] = CHILD_PROGRAM;
	char *words[CHILD_WORDS + 1] = { program };
	const pid_t parent = getpid();
	int code = 0, failed[2];

	for (unsigned i = 0; i < line->words; i++)
		words[i + 1] = (char *)(uintptr_t)line->text[i];
	c->said = memfd_create("qemu stderr", MFD_CLOEXEC);
	if (c->said < 0 || pipe2(failed, O_CLOEXEC) != 0)
		return -errno;
	c->pid = fork();
	if (c->pid == 0)
		become(words, fds, n, c->said, failed[1], parent);
	close(failed[1]);
	if (c->pid < 0)
		code = errno;
	else if (read(failed[0], &code, sizeof(code)) != (ssize_t)sizeof(code))
		code = 0;
	close(failed[0]);
	if (code != 0)
		child_stop(c);
	return -code;
}

void
child_stop(struct child *c)
{
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
	}
	if (c->said > 0)
		close(c->said);
	*c = (struct child){ .pid = 0 };
}

void
child_last_words(const struct child *c, char *text, size_t size)
{
	const char prefix[] = CHILD_PROGRAM ": ";
	char said[1024], *last;
	ssize_t n = c->said > 0 ? pread(c->said, said, sizeof(said) - 1, 0) : 0;

	while (n > 0 && said[n - 1] == '\n')
		n--;
	said[n > 0 ? n : 0] = '\0';
	last = strrchr(said, '\n');
	last = last != NULL ? last + 1 : said;
	if (strncmp(last, prefix, strlen(prefix)) == 0)
		last += strlen(prefix);
	snprintf(text, size, "%s", last);
}
