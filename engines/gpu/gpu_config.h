/* What the engine gpu needs of the program between runs: settings, and external memory. */
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
