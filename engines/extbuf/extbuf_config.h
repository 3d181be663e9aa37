/* What the engine extbuf needs of the program between runs: settings, and external memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct extmems;
struct out;
struct settings;

struct extbuf_config {
	const struct settings *settings;
	struct extmems *extmems; /* memory by name, where its own regions go, too */
	struct out *out;
};
