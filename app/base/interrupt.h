/* SIGINT, SIGTERM and SIGHUP as a descriptor to poll: no handler runs, no system call is cut
 * short. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pthread.h>
#include <stdbool.h>

struct err;

/*
 * Block SIGINT, SIGTERM, SIGHUP, SIGWINCH and SIGPIPE in this thread and those it makes later, and
 * return a descriptor that is readable when one of the first three waits; SIGHUP only if it is not
 * ignored, as nohup(1) has it. While one waits, the next SIGINT or SIGTERM ends the process at once,
 * with the signal as its status. Call once, before EAL starts its threads. Returns the descriptor, or -errno
 * with e filled.
 */
int interrupt_open(struct err *e);

/* While a library is called that may not return. */
struct interrupt_guard {
	pthread_t thread;
	int fd, done[2];
};

/*
 * From here on a signal ends the process at once, as if it were not blocked, when
 * interrupt_guard_end() is not called within a second. fd: of interrupt_open(). Errors: of pipe2(2)
 * and pthread_create(3).
 */
int interrupt_guard_begin(struct interrupt_guard *g, int fd, struct err *e);
void interrupt_guard_end(struct interrupt_guard *g);

/*
 * A descriptor that is readable when the terminal was resized since; close() it. -1: then nobody
 * tells. After interrupt_open().
 */
int interrupt_resize(void);

/*
 * The program is leaving: signals that wait are forgotten, and the next SIGINT or SIGTERM ends the
 * process at once, whatever it is at. fd: of interrupt_open(). Thread: control, the last of this file.
 */
void interrupt_leave(int fd);

/* True when a signal waits; it stays waiting. */
bool interrupt_pending(int fd);

/*
 * True when what waits is ^C, typed at the terminal; then it waits no longer. What kill(2) sent, a
 * SIGINT too, stays waiting. fd: of interrupt_open().
 */
bool interrupt_key(int fd);

/*
 * Wait until a signal waits, a line waits on stdin (when stdin_too), or ms milliseconds went by.
 * Returns true when it was a signal or stdin.
 */
bool interrupt_wait(int fd, bool stdin_too, int ms);
