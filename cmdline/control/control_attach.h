/* zcfwd attach: the shell of a program that runs already. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;
struct out;

/*
 * argv[0..argc) is [NAME]: read lines from stdin as the shell does, with editing and completion on a
 * terminal, and run them in the program of that name, see control_connect(), until the end of the
 * input, "quit" or "detach", which leave the program alone. ^C cancels a command. Returns 0; -EIO
 * with nothing in e when a command from a file or a pipe has failed; else -errno with e filled:
 * EINVAL the arguments; those of control_connect(); EPIPE the program ended. Thread: main.
 */
int control_attach(int argc, char **argv, struct out *out, struct err *e);
