/* NULL-terminated lists of the engines, settings, argument types, port features and command tables in meson.build;
 * the program's version and plugin directory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct arg_table;
struct cmd_table;
struct engine;
struct port_feature;
struct setting_table;

/* In the order of meson.build; the first engine is the default. */
extern const struct engine *const engine_list[];

/* In the order of meson.build. */
extern const struct cmd_table *const cmd_list[];

/* In the order of the meson.builds, without those of engines. */
extern const struct setting_table *const setting_list[];

/* Argument types, in the order of the meson.builds. */
extern const struct arg_table *const type_list[];

/* In the order of the meson.builds in app/features/. */
extern const struct port_feature *const port_feature_list[];

/* "0.1.0" */
extern const char program_version[];

/* Path from the directory of the installed program to that of its plugins: "../lib/zcfwd" */
extern const char program_plugins[];
