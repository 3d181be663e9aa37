/* Settings of every run, with any engine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"

#include <stddef.h>

struct run;

/* The settings of this file, for settings_add(). */
extern const struct setting run_settings[];
extern const size_t run_settings_n;

/*
 * From now on apply new values of settings that take effect at once. r->settings must have all
 * rows. Thread: control, once.
 */
void run_settings_apply(struct run *r);
