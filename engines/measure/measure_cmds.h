/* The commands of the engine measure, and what "measure rate" asks of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/grammar.h"
#include "engines/engine.h"

/* `show measure`, `measure bias`, `set port P host`, `show port host`. */
extern const struct cmd_table measure_cmds_table;

/* What searches with trials need. */
extern const struct engine_trial measure_cmds_trial;
