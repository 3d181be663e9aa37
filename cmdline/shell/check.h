/* Command files that are only read: every line that is no command is told. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct app;
struct err;
struct grammar;
struct out;

/*
 * Parse all lines of a command file and say what is wrong
 * with each: "file:line: message". Runs nothing and needs no port: that a port does not exist is not
 * found, nor what a device refuses. *bad: lines that are wrong, added to. Returns 0, or -errno with e
 * filled when the file cannot be read. Thread: control.
 */
int check_script(struct app *app, const struct grammar *g, struct out *out, const char *file,
	unsigned int *bad, struct err *e);
