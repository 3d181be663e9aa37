/* SIGINT and SIGTERM as something to poll: no handler runs, nothing is interrupted half-way. */
#pragma once

#include <stdbool.h>

struct err;

/*
 * Block SIGINT, SIGTERM, SIGWINCH and SIGPIPE in this thread and those it makes later, and return a descriptor that is readable when
 * one of the first two waits. Call before EAL starts its threads. Returns the descriptor, or -errno with e filled.
 */
int interrupt_open(struct err *e);

/* A descriptor that is readable when the terminal was resized since; close() it. -1: then nobody tells. After interrupt_open(). */
int interrupt_resize(void);

/* True when a signal waits; it stays waiting. */
bool interrupt_pending(int fd);

/* Take the waiting signals. From the next SIGINT or SIGTERM on the process dies at once. */
void interrupt_take(int fd);

/*
 * Wait until a signal waits, a line waits on stdin (when stdin_too), or ms milliseconds went by.
 * Returns true when it was a signal or stdin.
 */
bool interrupt_wait(int fd, bool stdin_too, int ms);
