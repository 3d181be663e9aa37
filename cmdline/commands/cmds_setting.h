/* The table of the commands of settings; the other tables are listed in meson.build. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/grammar.h"

struct settings;

/*
 * Make the rows of settings: `set WORDS VALUE` for each that has words, and `show settings`.
 * Returns a table for cmds_setting_free(), NULL when memory is short. settings must outlive it.
 */
struct cmd_table *cmds_setting_new(const struct settings *settings);
void cmds_setting_free(struct cmd_table *table);
