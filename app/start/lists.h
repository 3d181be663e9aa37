/* Engines, features of ports and tables of commands that meson.build names, NULL-terminated, the program's
 * version and where it is installed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct cmd_table;
struct engine;
struct port_feature;

/* In the order of meson.build; the first engine is the default. */
extern const struct engine *const engine_list[];

/* In the order of meson.build. */
extern const struct cmd_table *const cmd_list[];

/* In the order of the meson.builds in app/features/. */
extern const struct port_feature *const port_feature_list[];

/* "0.1.0" */
extern const char program_version[];

/* From the folder of the installed program to that of its plugins: "../lib/zcfwd" */
extern const char program_plugins[];
