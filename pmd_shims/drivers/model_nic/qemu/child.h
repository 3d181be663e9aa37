/* Runs QEMU as a child process, ends it with this process, and keeps its last error message. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <sys/types.h>

enum { CHILD_WORDS = 64, CHILD_CHARS = 256 };

/* The program's name is also that of Debian's package without its last part: qemu-system-x86. */
#define CHILD_PROGRAM "qemu-system-x86_64"

/* A command line that is being made. */
struct child_line {
	char text[CHILD_WORDS][CHILD_CHARS];
	unsigned words;
};

struct child {
	pid_t pid; /* 0: none */
	int said;  /* what it wrote to its standard error: a file */
};

/* Add an argument. One that is longer than CHILD_CHARS, or beyond CHILD_WORDS, is cut. */
void child_word(struct child_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Start the program with these arguments. fds: n files that it inherits under their own numbers. Returns
 * 0 or -errno; -ENOENT: it is not installed. Thread: one that lives as long as the process should, since
 * the child is killed when it ends.
 */
int child_start(struct child *c, const struct child_line *line, const int *fds, unsigned n);

/* Kill the child and wait for its end. Idempotent. */
void child_stop(struct child *c);

/* The last line that the child wrote to its standard error, without the program's name; "" if none. */
void child_last_words(const struct child *c, char *text, size_t size);
