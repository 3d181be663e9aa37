/* zcfwd exec: run a command of a program that runs already. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;
struct interrupt;
struct out;

/*
 * argv[0..argc) is [--json|--events] [NAME] COMMAND: run the command in the program of that name, see
 * control_connect(), and print its answer as it comes. A signal cancels the command and waits for
 * its end. Returns 0; -EIO with nothing in e when the command failed and has said why; else -errno
 * with e filled: EINVAL the arguments; those of control_connect(); EPIPE the program ended.
 * Thread: main.
 */
int control_exec(int argc, char **argv, struct out *out, struct err *e);
