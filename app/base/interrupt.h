/* SIGINT, SIGTERM and SIGHUP as a file descriptor to poll: no handler runs and no system call is
 * interrupted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pthread.h>
#include <stdbool.h>

struct err;

/*
 * Block SIGINT, SIGTERM, SIGHUP and SIGWINCH in this thread and those it creates later, ignore
 * SIGPIPE, and return a descriptor that is readable while SIGINT, SIGTERM or SIGHUP is pending.
 * SIGHUP is left alone if it is ignored (nohup(1)). While a signal is pending, the next SIGINT or
 * SIGTERM terminates the process at once, with the signal as its status. Call once, before EAL
 * starts its threads. Returns -errno with e filled if it fails.
 */
int interrupt_open(struct err *e);

/* Guards a call into a library that may not return. */
struct interrupt_guard {
	pthread_t thread;
	int fd, done[2];
};

/*
 * From now until interrupt_guard_end(), a signal terminates the process if interrupt_guard_end() is
 * not called within a second after it. fd: from interrupt_open(). Errors: those of pipe2(2) and
 * pthread_create(3).
 */
int interrupt_guard_begin(struct interrupt_guard *g, int fd, struct err *e);
void interrupt_guard_end(struct interrupt_guard *g);

/*
 * Return a descriptor that becomes readable when the terminal is resized; close() it. -1: resizing
 * cannot be detected. Call after interrupt_open().
 */
int interrupt_resize(void);

/*
 * The program is exiting: drop pending signals; the next SIGINT or SIGTERM terminates the process
 * at once. fd: from interrupt_open(). Thread: control; call it last.
 */
void interrupt_leave(int fd);

/* Return whether a signal is pending; it remains pending. */
bool interrupt_pending(int fd);

/*
 * Return whether the pending signal is ^C typed at the terminal, and remove it. Any signal sent by
 * kill(2), also a SIGINT, remains pending. fd: from interrupt_open().
 */
bool interrupt_key(int fd);

/*
 * Wait for a signal, for input on stdin (if stdin_too), or ms milliseconds (-1: no limit). Returns
 * true for a signal or input, false for the timeout.
 */
bool interrupt_wait(int fd, bool stdin_too, int ms);

/*
 * Discard the key that ended a wait, so that it does not become a command; no effect if a signal is
 * pending or stdin is not a terminal. Returns 0, or -errno of read(2).
 */
int interrupt_discard(int fd);
