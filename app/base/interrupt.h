/* Every wait of the control thread: for its input, for SIGINT, SIGTERM and SIGHUP, which are a file
 * descriptor, so that no handler runs and no system call is interrupted, and for requests of others. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct interrupt;
struct pollfd;

/*
 * A command that only looks, again and again, for somebody at a terminal, or for a client that reads
 * events: instead of waiting, so that nothing else could run, it hands over its next steps. Thread:
 * control.
 */
struct interrupt_task {
	int (*step)(void *ctx);  /* returns the milliseconds until the next one; -1: it ends */
	bool (*keys)(void *ctx); /* something was typed; returns false if it ends */
	bool (*end)(void *ctx);  /* called once, last; returns false if it failed */
	void *ctx;
	bool events; /* its steps print events (out_event_begin()); false: pictures for a terminal */
};

/* What ends or fills a wait. NULL in its place: nothing does. */
struct interrupt {
	int signals;    /* readable while a signal is pending; -1: none is looked for */
	int requests;   /* serve() is called in a wait while it is readable; -1: never */
	bool cancelled; /* the command that runs shall end, as by a signal */
	bool ends;      /* the program was told to end by a request */
	int keys;       /* input of the client or shell whose command runs; -1: none */
	void (*serve)(void *ctx);
	void (*reads)(void *ctx); /* a wait for keys begins; NULL: need not be told */
	/* Go on with a command's task when it has returned 0; false: it has to wait itself. NULL: same. */
	bool (*takes)(void *ctx, const struct interrupt_task *task);
	void *ctx;
};

/*
 * Block SIGINT, SIGTERM, SIGHUP and SIGWINCH in this thread and those it creates later, ignore
 * SIGPIPE, and begin to queue them. Nothing is served yet.
 * SIGHUP is left alone if it is ignored (nohup(1)). While a signal is pending, the next SIGINT or
 * SIGTERM terminates the process at once, with the signal as its status. Call once, before EAL
 * starts its threads. Returns -errno with e filled if it fails.
 */
int interrupt_open(struct interrupt *i, struct err *e);

/* Guards a call into a library that may not return. */
struct interrupt_guard {
	pthread_t thread;
	int signals, done[2];
};

/*
 * From now until interrupt_guard_end(), a signal terminates the process if interrupt_guard_end() is
 * not called within a second after it. Errors: those of pipe2(2) and
 * pthread_create(3).
 */
int interrupt_guard_begin(struct interrupt_guard *g, const struct interrupt *i, struct err *e);
void interrupt_guard_end(struct interrupt_guard *g);

/*
 * Return a descriptor that becomes readable when the terminal is resized; close() it. -1: resizing
 * cannot be detected. Call after interrupt_open().
 */
int interrupt_resize(void);

/*
 * The program is exiting: drop pending signals; the next SIGINT or SIGTERM terminates the process
 * at once, and nothing is served. Thread: control; call it last.
 */
void interrupt_leave(struct interrupt *i);

/* Return whether a signal is pending, which it remains, or the command or the program shall end. */
bool interrupt_pending(const struct interrupt *i);

/*
 * Return whether the pending signal is ^C typed at the terminal, and remove it. Any signal sent by
 * kill(2), also a SIGINT, remains pending.
 */
bool interrupt_key(const struct interrupt *i);

/*
 * Wait until interrupt_pending(), or as poll(2) for up to INTERRUPT_FDS descriptors, or for ms
 * milliseconds (-1: no limit); serve requests meanwhile. Returns 1 for one of the first two, 0 for
 * the timeout, -errno of poll(2), never EINTR. Thread: control.
 */
#define INTERRUPT_FDS 4
int interrupt_poll(struct interrupt *i, struct pollfd *fds, unsigned int n, int ms);

/* The same for input on one descriptor (-1: none), i->keys or another. Returns false for the timeout. */
bool interrupt_wait(struct interrupt *i, int input, int ms);

/* Milliseconds of a clock that no one sets. */
int64_t interrupt_now_ms(void);

/* Hand a task over. Returns false if it was not taken. */
bool interrupt_hand_over(const struct interrupt *i, const struct interrupt_task *task);

/*
 * Discard the key that ended a wait, so that it does not become a command; no effect if a signal is
 * pending or nothing is typed. Returns 0, or -errno of read(2).
 */
int interrupt_discard(struct interrupt *i);
