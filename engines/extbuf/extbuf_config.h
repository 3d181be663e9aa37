/* What the engine extbuf has of the program between runs. */
#pragma once

struct extmems;
struct settings;

struct extbuf_config {
	const struct settings *settings;
	struct extmems *extmems; /* memory by name, where its own regions go, too */
};
