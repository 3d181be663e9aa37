/* A second door: clients of a local socket run commands of the program beside its shell. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: a shell on stdin serves one. A service has no terminal, two people cannot look at one
 * run, and a script has to own the program that it asks.
 *
 * The idea: the control thread is the only one that runs commands, so clients are served by it,
 * wherever it waits (interrupt_poll()): for a line of its shell, or within a command such as
 * "start for 10s". A command is atomic, and no lock is needed. While one waits, only commands that
 * show something are run for others; what would change the state is refused (EBUSY) with the name
 * of the command that runs, which can be cancelled.
 *
 * Why not a thread that takes commands: all of app/ belongs to the control thread, and its output has
 * one owner (out_aside_begin()).
 *
 * Limits: a command that does not wait delays all clients until it ends, for example the start of a
 * card. interrupt_pending() does not serve them. There are at most CONTROL_CLIENTS.
 */
#pragma once

#include <stdbool.h>

struct app;
struct control;
struct err;
struct interrupt;
struct out;
struct shell;

enum { CONTROL_CLIENTS = 512 };

struct control_config {
	struct app *app;
	struct shell *shell;
	struct out *out;
	struct interrupt *interrupt;          /* control_open() sets what it serves */
	bool (*quits)(const struct app *app); /* the program was told to end */
	void (*before)(struct app *app);      /* called before a command if none runs */
};

/*
 * Listen at the address of --control: "unix:PATH", or a name, which is a socket in
 * control_folder(). Its folder is created with mode 0700, the socket has 0600. The socket of a
 * process that is gone is replaced. Errors: EINVAL the address; EADDRINUSE a program listens
 * there; those of socket(2), mkdir(2). Thread: control.
 */
struct control *control_open(const struct control_config *config, const char *address,
	struct err *e);

/* End all connections and remove the socket. NULL does nothing. Thread: control. */
void control_close(struct control *c);
