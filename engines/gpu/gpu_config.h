/* The configuration of the engine gpu that outlives runs: the program's settings and external
 * memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct extmems;
struct out;
struct settings;

struct gpu_config {
	const struct settings *settings;
	struct extmems *extmems;
	struct out *out;
};
