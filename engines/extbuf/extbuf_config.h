/* The configuration of extbuf that outlives runs: the program's settings and external memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct extmems;
struct out;
struct settings;

struct extbuf_config {
	const struct settings *settings;
	struct extmems *extmems; /* memory by name, including regions that the engine creates */
	struct out *out;
};
