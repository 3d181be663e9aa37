/* The table of commands that settings yield; the other tables are named in meson.build. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/grammar.h"

struct settings;

/*
 * The rows that settings yield: `set WORDS VALUE` for each that has words, and `show settings`.
 * Returns a table for cmds_setting_free(), NULL when memory is short. settings must outlive it.
 */
struct cmd_table *cmds_setting_new(const struct settings *settings);
void cmds_setting_free(struct cmd_table *table);
