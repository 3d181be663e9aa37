/* Checks command files without running them: reports every line that is not a command. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct app;
struct err;
struct grammar;
struct out;

/*
 * Parse all lines of a command file and print what is wrong with each: "file:line: message". Runs
 * nothing and needs no port, so missing ports and what a device refuses are not found. *bad: wrong
 * lines are added to it. Returns 0, or -errno with e filled when the file cannot be read. Thread:
 * control.
 */
int check_script(struct app *app, const struct grammar *g, struct out *out, const char *file,
	unsigned int *bad, struct err *e);
