/* The reference manual, generated from the program's tables. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct app;
struct err;

/*
 * Write commands.md, settings.md, engines.md, options.md, statistics.md and zcfwd.1 to a folder.
 * Does not need EAL. Errors: of opening or writing a file.
 */
int manual_write(const struct app *app, const char *folder, struct err *e);
