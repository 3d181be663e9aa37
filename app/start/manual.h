/* The reference manual, written from the tables that the program runs by. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct app;
struct err;

/*
 * Write commands.md, settings.md, engines.md, options.md and zcfwd.1 into a folder. Needs no EAL.
 * Fails with what opening or writing a file failed with.
 */
int manual_write(const struct app *app, const char *folder, struct err *e);
