/* help NAME: what an engine or a setting is, has and takes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct app;
struct args;
struct err;

/*
 * Tell of the engine and of the setting of that name; a setting's may also be that of its command
 * or option. False when there is neither. Thread: control.
 */
bool help_names_show(const struct app *app, const char *name);

/* ENOENT: nothing is called so; with the engine, setting or topic that was probably meant. */
int help_names_err(const struct app *app, const struct args *a, const char *name, struct err *e);
