/* Settings that every run reads, whatever its engine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"

#include <stddef.h>

struct run;

/* The settings of this file, for settings_add(). */
extern const struct setting run_settings[];
extern const size_t run_settings_n;

/*
 * Let a new value of those that act at once act on this run. r->settings has all rows. Thread:
 * control, once.
 */
void run_settings_apply(struct run *r);
