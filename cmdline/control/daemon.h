/* --daemon: the program goes on in the background once it is ready; and what a service manager is told. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;

/*
 * Go on in a child process, in a session of its own, with stdout and stderr in the log beside the
 * control socket of that address: NAME.log in its folder, or PATH.log. Return in the child, with the
 * descriptor for daemon_ready(). The parent waits: it prints where the child is and ends with status 0
 * once that is ready, or prints what the child has logged and ends with its status. Call it before the
 * program has threads. Errors: EINVAL the address; those of open(2), fork(2).
 */
int daemon_begin(const char *address, struct err *e);

/*
 * The program is ready: tell the parent (ready: of daemon_begin(); -1: there is none) and the service
 * manager (sd_notify(3)). Returns -ECANCELED if the parent was killed while it waited.
 */
int daemon_ready(int ready);

/* Tell the service manager that the program ends. */
void daemon_stopping(void);
