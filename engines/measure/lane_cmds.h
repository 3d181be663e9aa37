/* The commands of named generate streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/grammar.h"

/* `set generate stream`, `clear generate stream`, `show generate streams`. */
extern const struct cmd_table lane_cmds_table;
